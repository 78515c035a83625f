"""What every test lives in: no inherited environment, no network but loopback, the same git everywhere."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

STRIPPED = ("GITHUB_", "INPUT_", "ACTIONS_", "RUNNER_", "GIT_", "EVAL_", "JUDGE_")
LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")  # noqa: S104 - refused or loopback, never listened on


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what a workflow or a desk leaks into a test, and give git a fixed person and no configuration."""
    for name in list(os.environ):
        if name.startswith(STRIPPED):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A Person")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "person@example.test")
        monkeypatch.setenv(f"GIT_{role}_DATE", "2026-01-02T03:04:05Z")


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse every connection that would leave this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if not str(host).startswith(LOOPBACK):
            raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    yield
