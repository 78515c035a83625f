"""The endpoint that drawing is measured against answers as it is told, and its counters are right."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ENDPOINT = Path(__file__).parents[2] / "benchmarks" / "endpoint.py"
OF_TIME = ("first_s", "last_s", "span_s", "busy", "cpu_s", "bytes_in", "bytes_out", "user_agents")
CONTENTS = ['{"answer": "\\"a\\"\\\\", "sure": true}', '{"answer": "maybe", "sure": false}']
COUNTED = {
    "requests": 5,
    "ok": 4,
    "s429": 0,
    "s500": 0,
    "bad_requests": 1,
    "conn_resets": 0,
    "max_in_flight": 1,
    "connections": 2,
    "max_open": 2,
    "early_any": 0,
    "early_same": 0,
    "without_seed": 1,
    "in_flight": 0,
    "open": 2,
    "distinct": 3,
    "repeats_ok": 1,
}


class Endpoint:
    """The endpoint in its own process, asked for completions over one connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(self, path: str, body: object) -> tuple[int, dict[str, Any], str | None]:
        """Return status, document and ``Retry-After`` of an answer."""
        self.connection.request("POST", path, body if isinstance(body, str) else json.dumps(body))
        response = self.connection.getresponse()
        return response.status, json.loads(response.read()), response.getheader("Retry-After")

    def call(self, prompt: str, **more: object) -> tuple[int, dict[str, Any], str | None]:
        """Ask for a completion."""
        return self.ask("/v1/chat/completions", {"messages": [{"role": "user", "content": prompt}], **more})

    def words(self, prompt: str, seeds: Sequence[int | None]) -> list[str]:
        """Return what is answered to a prompt with each seed."""
        answers = [self.call(prompt, **({} if seed is None else {"seed": seed})) for seed in seeds]
        return [json.loads(said["choices"][0]["message"]["content"])["answer"] for _, said, _ in answers]

    @contextmanager
    def another(self) -> Iterator[Endpoint]:
        """Ask over another connection."""
        other = Endpoint(self.port)
        try:
            yield other
        finally:
            other.connection.close()

    def control(self, path: str, **body: object) -> dict[str, Any]:
        """Ask for what is no completion, over a connection of its own."""
        with self.another() as other:
            return other.ask(path, body)[1]

    def stats(self) -> dict[str, Any]:
        """Return the counters, but for those of time and of bytes."""
        return {name: value for name, value in self.control("/stats").items() if name not in OF_TIME}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """An endpoint that flips half of its answers."""
    command = [sys.executable, str(ENDPOINT), "--port=0", "--lifetime=60", "--flip=0.5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        asked = Endpoint(int(ready.rpartition(":")[2].partition("/")[0]))
        yield asked
        asked.connection.close()
        process.terminate()


def test_endpoint__answers_by_prompt_and_seed(endpoint: Endpoint) -> None:
    """The answer goes by prompt and seed, or by how often the prompt was asked, never by the order of requests."""
    prompt, seeds = "EXPECT=yes is it late?", list(range(12))
    words = endpoint.words(prompt, seeds)
    assert words[:6] == ["yes", "maybe", "maybe", "yes", "maybe", "yes"]
    assert endpoint.words(prompt, seeds[::-1]) == words[::-1]
    assert endpoint.words(prompt, [None] * 12) == words
    endpoint.control("/reset")
    assert endpoint.words(prompt, [None] * 12) == words
    assert endpoint.control("/config", flip=0)["flip"] == 0
    assert endpoint.words(prompt, seeds) == ["yes"] * 12


def test_endpoint__whole_answer(endpoint: Endpoint) -> None:
    """An answer has what clients read; its choices are those of the seeds that follow."""
    assert endpoint.call('EXPECT="a"\\ one', seed=4, n=2, model="m") == (
        200,
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "m",
            "system_fingerprint": "fp_mock",
            "choices": [
                {
                    "index": place,
                    "message": {"role": "assistant", "content": content},
                    "finish_reason": "stop",
                }
                for place, content in enumerate(CONTENTS)
            ],
            "usage": {"prompt_tokens": 2, "completion_tokens": 8, "total_tokens": 10},
        },
        None,
    )


def test_endpoint__counters(endpoint: Endpoint) -> None:
    """Every request is counted as what it is, and connections that only ask for counters are not."""
    endpoint.words("EXPECT=yes", [1, 1, None])
    assert endpoint.ask("/v1/chat/completions", "no JSON")[0] == 400
    with endpoint.another() as other:
        assert other.call("EXPECT=no", seed=1)[0] == 200
        assert endpoint.ask("/elsewhere", {})[0] == 404
        assert endpoint.stats() == COUNTED
        assert endpoint.control("/reset")["requests"] == 5
        assert endpoint.stats() == dict.fromkeys(COUNTED, 0) | {"open": 2, "max_open": 2}


def test_endpoint__faults(endpoint: Endpoint) -> None:
    """Faults come as often as they may for one prompt and seed; a request within a 429's wait is counted as early."""
    endpoint.control("/config", p429=1, retry_after=600, max_faults=1)
    assert endpoint.call("EXPECT=yes", seed=1) == (429, {"error": {"message": "rate limited"}}, "600")
    assert endpoint.call("EXPECT=yes", seed=1)[0] == 200
    assert endpoint.call("EXPECT=yes", seed=2)[0] == 429
    endpoint.control("/config", p429=0, p500=1)
    assert endpoint.call("EXPECT=yes", seed=3) == (500, {"error": {"message": "internal error"}}, None)
    endpoint.control("/config", p500=0, reset_conn=1)
    with pytest.raises(ConnectionError):
        endpoint.call("EXPECT=yes", seed=4)
    counted = {"requests": 5, "ok": 1, "s429": 2, "s500": 1, "conn_resets": 1, "early_any": 4, "early_same": 1}
    assert {name: endpoint.stats()[name] for name in counted} == counted


def test_endpoint__limits(endpoint: Endpoint) -> None:
    """Beyond a rate of requests there is a 429, and the allowance starts anew with the configuration."""
    endpoint.control("/config", rps=0.001, bad_json=1)
    said = [endpoint.call("EXPECT=yes")[0] for _ in range(2)]
    endpoint.control("/config", rps=2)
    said += [endpoint.call("EXPECT=yes")[0] for _ in range(2)]
    assert said == [429, 429, 200, 200]
