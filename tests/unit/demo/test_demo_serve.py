"""On which address the local model may listen, and what is said where it cannot."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from evalaction.demo import serve
from evalaction.demo.serve import main, read_address


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], ("127.0.0.1", 8080)),
        (["172.17.0.1"], ("172.17.0.1", 8080)),
        (["::1", "65535"], ("::1", 65_535)),
        (["10.1.2.3", "1"], ("10.1.2.3", 1)),
    ],
)
def test_read_address__allowed(argv: list[str], expected: tuple[str, int]) -> None:
    """It is loopback unless another private address is named."""
    assert read_address(argv) == expected


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["0.0.0.0"], "argument host: 0.0.0.0 is not one private address: the model has no key to protect it"),  # noqa: S104 - refused
        (["::"], "argument host: :: is not one private address: the model has no key to protect it"),
        (["8.8.8.8"], "argument host: 8.8.8.8 is not one private address: the model has no key to protect it"),
        (["localhost"], "argument host: 'localhost' is not an IP address"),
        ([""], "argument host: '' is not an IP address"),
        (["127.0.0.1", "0"], "argument port: '0' is not a port from 1 to 65535"),
        (["127.0.0.1", "65536"], "argument port: '65536' is not a port from 1 to 65535"),
        (["127.0.0.1", "٨"], "argument port: '٨' is not a port from 1 to 65535"),
        (["127.0.0.1", "80", "81"], "unrecognized arguments: 81"),
    ],
)
def test_read_address__refused(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An address that others could reach, or that is none, is refused in words, as bad usage."""
    with pytest.raises(SystemExit) as ended:
        read_address(argv)
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"python -m evalaction.demo.serve: error: {said}"


def test_main__line_of_its_own(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Where it cannot listen, that is one whole line, though the server's log was in the middle of one of its own."""

    def listen(model: Path, *, host: str, port: int) -> object:
        os.write(2, b"0.00.003.834 E srv  ")
        raise RuntimeError(f"{model} on {host}:{port}")

    monkeypatch.setattr(serve, "found_weights", lambda: Path("weights"))
    monkeypatch.setattr(serve, "listen", listen)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        code = main(["127.0.0.2", "81"])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert (code, capfd.readouterr().err) == (
        3,
        "0.00.003.834 E srv  \nerror: nothing listens at 127.0.0.2:81: weights on 127.0.0.2:81\n",
    )
