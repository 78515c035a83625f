"""A certificate authority of a company's own, as they stand behind private endpoints and proxies."""

from __future__ import annotations

import hashlib
import ssl
from pathlib import Path

import trustme
from cryptography import x509


class Authority:
    """The authority. Nobody trusts it but whoever is told to."""

    def __init__(self) -> None:
        """Make its key."""
        self._authority = trustme.CA()

    def server(self, *names: str) -> ssl.SSLContext:
        """Return what a server shows who it is with.

        Args:
            names: hosts and addresses that its certificate is for.
        """
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._authority.issue_cert(*names).configure_cert(context)
        return context

    def file(self, folder: Path) -> str:
        """Write its certificate, and return the path of the file."""
        path = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(str(path))
        return str(path)

    def folder(self, folder: Path) -> str:
        """Write its certificate as OpenSSL looks for it in a folder, and return the path of the folder."""
        data = self._authority.cert_pem.bytes()
        subject = x509.load_pem_x509_certificate(data).subject
        canonical = subject.public_bytes()[2:]  # without the outermost tag and length
        for each in subject:
            canonical = canonical.replace(str(each.value).encode(), str(each.value).lower().encode())
        number = int.from_bytes(hashlib.sha1(canonical, usedforsecurity=False).digest()[:4], "little")
        (folder / f"{number:08x}.0").write_bytes(data)
        return str(folder)
