"""The local model on an address of one's own choice: ``python -m evalaction.demo.serve [HOST [PORT]]``.

For what cannot reach this machine's loopback, such as a container action: it listens on the address of Docker's
bridge, and nowhere else.

I/O: listens on one address until it is ended; prints one line.
"""

from __future__ import annotations

import argparse
import ipaddress
import os
import signal
import sys
from collections.abc import Sequence

from evalaction.demo.model import HOST, NAME, found_weights, listen
from evalaction.errors import EvalactionError, ExitCode

PORT = 8080
_PORTS = range(1, 65_536)


def read_address(argv: Sequence[str]) -> tuple[str, int]:
    """Return the address and port to listen on.

    Args:
        argv: what stands behind the module's name on the command line.

    Raises:
        SystemExit: with 2, and what is allowed on standard error. An address that the outside could reach is refused,
            and so is one that stands for all of this machine's.
    """
    parser = argparse.ArgumentParser(
        prog="python -m evalaction.demo.serve",
        description=f"Serve {NAME}, OpenAI-compatible and without a key, until it is ended.",
    )
    parser.add_argument("host", nargs="?", default=HOST, type=_private, help=f"a private IP address; default {HOST}")
    parser.add_argument("port", nargs="?", default=PORT, type=_port, help=f"default {PORT}")
    given = parser.parse_args(argv)
    return given.host, given.port


def _private(text: str) -> str:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an IP address") from None
    if address.is_unspecified or not address.is_private:
        raise argparse.ArgumentTypeError(f"{text} is not one private address: the model has no key to protect it")
    return text


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) in _PORTS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from {_PORTS.start} to {_PORTS.stop - 1}")
    return int(text)


def main(argv: Sequence[str]) -> int:
    """Serve the model until a signal ends it.

    Args:
        argv: what stands behind the module's name on the command line.

    Returns:
        3 when the model or the address cannot be had; else it does not return.
    """
    host, port = read_address(argv)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    try:
        server = listen(found_weights(), host=host, port=port)
    except (EvalactionError, RuntimeError) as error:  # the library's own, and its log above says why
        # The library's log is written by a thread of its own, which may be in the middle of a line now.
        sys.stderr.write(f"\nerror: nothing listens at {host}:{port}: {error}\n")
        return ExitCode.NOT_MEASURED
    sys.stdout.write(f"{NAME} listens at http://{host}:{port}/v1\n")
    sys.stdout.flush()
    while server is not None:
        signal.pause()
    return ExitCode.NOT_MEASURED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
