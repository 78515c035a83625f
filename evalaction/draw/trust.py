"""Whose certificates are trusted: what the environment names, else the authorities that browsers trust.

I/O: reads files of certificates.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from pathlib import Path

from evalaction.draw.lean import httpx


class Trust:
    """Whom to trust. All authorities are read when the first of them is needed: it takes as long as a hundred calls."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Look at what ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name.

        Args:
            environment: of the process.

        Raises:
            OSError: it is not there, or cannot be read.
            ValueError: the file is none of certificates.
        """
        self._file = environment.get("SSL_CERT_FILE") or None
        self._folders = environment.get("SSL_CERT_DIR") or None
        self._context: ssl.SSLContext | None = None
        if self._file is not None and b"-----BEGIN " not in Path(self._file).read_bytes():
            raise ValueError("no certificate in PEM")
        if self._folders is not None and not any(Path(each).is_dir() for each in self._folders.split(os.pathsep)):
            raise NotADirectoryError(self._folders)

    def context(self) -> ssl.SSLContext:
        """Return what a connection in TLS is made with.

        Raises:
            ssl.SSLError: a certificate that the file holds is damaged.
        """
        if self._context is None:
            if self._file is None and self._folders is None:
                context = httpx.create_ssl_context(trust_env=False)
            else:
                context = ssl.create_default_context(cafile=self._file, capath=self._folders)
            context.set_alpn_protocols(["http/1.1"])
            self._context = context
        return self._context
