"""On which address the local model may listen."""

from __future__ import annotations

import pytest

from evalaction.demo.serve import read_address


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
