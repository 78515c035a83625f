"""Whose certificates are trusted."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import trustme

from evalaction.draw.trust import Trust


def pem(folder: Path) -> Path:
    """Return a file with the certificate of an authority of its own."""
    file = folder / "authority.pem"
    trustme.CA().cert_pem.write_to_path(str(file))
    return file


def subjects(context: ssl.SSLContext) -> int:
    """Return how many authorities are trusted."""
    return context.cert_store_stats()["x509_ca"]


def test_trust__by_default() -> None:
    """Without variables, the authorities of browsers are trusted, and certificates and names are checked."""
    for environment in ({}, {"SSL_CERT_FILE": "", "SSL_CERT_DIR": ""}):
        trust = Trust(environment)
        context = trust.context()
        assert subjects(context) > 50
        assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
        assert trust.context() is context


def test_trust__file(tmp_path: Path) -> None:
    """``SSL_CERT_FILE`` names the authorities that are trusted, and no others are."""
    context = Trust({"SSL_CERT_FILE": str(pem(tmp_path))}).context()
    assert (subjects(context), context.verify_mode, context.check_hostname) == (1, ssl.CERT_REQUIRED, True)


def test_trust__folders(tmp_path: Path) -> None:
    """``SSL_CERT_DIR`` may name several folders, of which one is there; authorities are read from it when needed."""
    context = Trust({"SSL_CERT_DIR": f"/nowhere/at/all:{tmp_path}"}).context()
    assert (subjects(context), context.verify_mode) == (0, ssl.CERT_REQUIRED)


def test_trust__both(tmp_path: Path) -> None:
    """A file and a folder count together."""
    context = Trust({"SSL_CERT_FILE": str(pem(tmp_path)), "SSL_CERT_DIR": str(tmp_path)}).context()
    assert subjects(context) == 1


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_trust__not_there(name: str) -> None:
    """What is named and not there is an error at once."""
    with pytest.raises(OSError, match="/nowhere/at/all"):
        Trust({name: "/nowhere/at/all"})


def test_trust__no_certificate(tmp_path: Path) -> None:
    """A file without certificates is an error at once; one with a damaged certificate when it is needed."""
    file = tmp_path / "some.pem"
    file.write_text("Nothing of that kind.")
    with pytest.raises(ValueError, match=r"^no certificate in PEM$"):
        Trust({"SSL_CERT_FILE": str(file)})
    file.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    trust = Trust({"SSL_CERT_FILE": str(file)})
    with pytest.raises(ssl.SSLError):
        trust.context()
