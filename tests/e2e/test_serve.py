"""The local model, served on an address of one's own choice."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys

import pytest

HOST = "127.0.0.2"

pytestmark = pytest.mark.model


def free_port(host: str) -> int:
    """Return a port that is free at this address."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def healthy(host: str, port: int) -> bool:
    """Tell whether the model answers there."""
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except ConnectionRefusedError:
        return False
    finally:
        connection.close()


def test_serve__one_address() -> None:
    """It says when it listens, listens at that address and at no other, and ends with 0 when it is asked to."""
    port = free_port(HOST)
    command = [sys.executable, "-m", "evalaction.demo.serve", HOST, str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            said = next(line for line in server.stdout if "listens" in line)
            assert said == f"smollm2-135m-instruct listens at http://{HOST}:{port}/v1\n"
            assert healthy(HOST, port)
            assert not healthy("127.0.0.1", port)
        finally:
            server.send_signal(signal.SIGTERM)
        assert server.wait(10) == 0


def test_serve__taken_address() -> None:
    """Where somebody else listens already, it says so in one line and ends with 3."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "evalaction.demo.serve", HOST, str(port)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3
    # The server's own lines may come after ours, too: it writes them in a thread of its own.
    expected = f"error: nothing listens at {HOST}:{port}: "
    assert [line[: len(expected)] for line in done.stderr.splitlines() if "error: " in line] == [expected], done.stderr
