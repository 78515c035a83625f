"""Drawing through a real client, over real sockets, from a server on loopback."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from typing import Any

import pytest
from support.drawing import draw_over_network, failures, make_case, make_plan, replies
from support.endpoint import Answer, ScriptedEndpoint, answer, completion

from evalaction import __version__
from evalaction.records.case import Sampling
from evalaction.records.draw import Cause, Draw, Failure
from evalaction.records.settings import Endpoint, Limits

KEY = "sk-test-AAAA1111BBBB2222"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what this machine says about proxies."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_draw_calls__requests_on_the_wire() -> None:
    """The endpoint sees exactly the plan's requests, each with what its case sets and nothing else."""
    plan = make_plan(make_case("a", n=2, sampling=Sampling(model="m", temperature=0, seed=7)), make_case("b", n=3))
    with ScriptedEndpoint.answering(lambda prompt, index: f"{prompt}{index}") as endpoint:
        drawn = draw_over_network(plan, Endpoint(base_url=endpoint.base_url))
    set_one = '{"model":"m","messages":[{"role":"user","content":"a"}],"temperature":0,"seed":%d}'
    unset = '{"model":"m","messages":[{"role":"user","content":"b"}]}'
    assert Counter([set_one % 7, set_one % 8, unset, unset, unset]) == Counter(
        request.body.decode() for request in endpoint.requests
    )
    assert {("a", 1): "a7", ("a", 2): "a8"}.items() <= replies(drawn).items()
    assert {"b0", "b1", "b2"} == {replies(drawn)["b", index] for index in (1, 2, 3)}
    assert (drawn.made, drawn.retried, drawn.stopped) == (5, 0, None)


@pytest.mark.parametrize(("key", "authorization"), [(None, {}), (KEY, {"authorization": f"Bearer {KEY}"})])
def test_draw_calls__headers_on_the_wire(key: str | None, authorization: dict[str, str]) -> None:
    """A request carries the key where there is one, no Authorization where there is none, and who asks."""
    with ScriptedEndpoint.answering(lambda *_: "42") as endpoint:
        draw_over_network(make_plan(make_case("a", n=2)), Endpoint(base_url=endpoint.base_url, api_key=key))
    expected = {
        "host": endpoint.base_url.split("/")[2],
        "accept": "application/json",
        "accept-encoding": "identity",
        "connection": "keep-alive",
        "user-agent": f"evalaction/{__version__}",
        "content-type": "application/json",
        "content-length": "56",
        **authorization,
    }
    assert [("POST", "/v1/chat/completions", expected)] * 2 == [
        (request.method, request.path, request.headers) for request in endpoint.requests
    ]


def test_draw_calls__in_flight() -> None:
    """As many requests as allowed are in flight at once, never more, over connections that are used again."""
    barrier = threading.Barrier(4)  # breaks, and fails the run, unless four requests are in work together

    def script(number: int, _: Any) -> Answer:
        barrier.wait(timeout=60)
        return answer(completion("42", id=f"cmpl-{number}"))

    with ScriptedEndpoint(script) as endpoint:
        plan = make_plan(make_case("a", n=12), make_case("b", n=12))
        drawn = draw_over_network(plan, Endpoint(base_url=endpoint.base_url), limits=Limits(max_concurrency=4))
    assert failures(drawn) == {}
    assert (len(endpoint.requests), endpoint.most_in_flight, endpoint.connections) == (24, 4, 4)


def test_draw_calls__interleaved_on_the_wire() -> None:
    """Requests go round the cases."""
    with ScriptedEndpoint.answering(lambda *_: "42") as endpoint:
        plan = make_plan(make_case("a", n=2), make_case("b", n=3), make_case("c", n=2))
        draw_over_network(plan, Endpoint(base_url=endpoint.base_url), limits=Limits(max_concurrency=1))
    prompts = [request.json["messages"][0]["content"] for request in endpoint.requests]
    assert prompts == ["a", "b", "c", "a", "b", "c", "b"]


def test_draw_calls__no_case() -> None:
    """For an empty plan the endpoint is not even connected to."""
    with ScriptedEndpoint.answering(lambda *_: "42") as endpoint:
        drawn = draw_over_network(make_plan(), Endpoint(base_url=endpoint.base_url))
    assert (drawn.draws, drawn.made, endpoint.requests, endpoint.connections) == ((), 0, [], 0)


@pytest.mark.parametrize(("names", "requests"), [(("a",), 5), (("a", "b"), 10)])
def test_draw_calls__nothing_is_replayed(names: tuple[str, ...], requests: int) -> None:
    """Five draws are five requests, and equal prompts of two cases are asked for each."""
    with ScriptedEndpoint(lambda number, _: answer(completion(f"L{number}", id=f"cmpl-{number}"))) as endpoint:
        plan = make_plan(*(make_case(name, prompt="p") for name in names))
        drawn = draw_over_network(plan, Endpoint(base_url=endpoint.base_url))
    assert requests == len(endpoint.requests) == len(set(replies(drawn).values()))


def test_draw_calls__retries_on_the_wire() -> None:
    """A busy endpoint, a broken connection and rubbish are asked again, and counted."""
    whole = answer(completion("42"))
    turns = [
        answer({"error": {"message": "busy"}}, 503, {"Retry-After": "7"}),
        Answer(200, {"Content-Length": "10000"}, whole.body),
        Answer(200, {"Content-Type": "text/html"}, b"<html>Sign in</html>"),
        whole,
    ]
    with ScriptedEndpoint(lambda number, _: turns[number]) as endpoint:
        plan = make_plan(make_case("a", n=1))
        drawn = draw_over_network(plan, Endpoint(base_url=endpoint.base_url))
    assert replies(drawn) == {("a", 1): "42"}
    assert (len(endpoint.requests), drawn.made, drawn.retried, drawn.draws[0].tries) == (4, 4, 3, 4)


def test_draw_calls__nobody_listens() -> None:
    """A port on which nothing listens is said in words, once, and the draws are named."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # taken, and never listened on
        host = f"127.0.0.1:{reserved.getsockname()[1]}"
        drawn = draw_over_network(make_plan(make_case("a", n=2)), Endpoint(base_url=f"http://{host}/v1"))
    message = f"{host} refuses the connection: nothing listens there."
    refused = Failure(cause=Cause.TRANSPORT, message=message, kind="connection refused")
    assert [refused, refused] == [item.failure for item in drawn.draws]
    assert (drawn.made, drawn.retried) == (8, 6)


def test_draw_calls__unknown_path() -> None:
    """A 404 ends the run at once and names the URL that was called."""
    with ScriptedEndpoint(lambda *_: Answer(404, {}, b"404 page not found")) as endpoint:
        limits = Limits(max_concurrency=1)
        drawn = draw_over_network(make_plan(make_case("a")), Endpoint(base_url=endpoint.base_url), limits=limits)
    message = (
        f"There is nothing to ask at {endpoint.base_url}/chat/completions (HTTP 404), or it has no model 'm'. "
        "Check EVAL_BASE_URL (input base-url) and EVAL_MODEL. It said: 404 page not found"
    )
    assert Failure(cause=Cause.REJECTED, message=message, status=404) == drawn.stopped
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("status", [200, 401, 500])
def test_draw_calls__key_echoed(status: int) -> None:
    """Whatever an endpoint repeats of a key, and wherever the key was given, no message holds it."""
    body = {"error": {"message": f"The key {KEY} is not valid.", "code": "invalid_api_key"}}
    with ScriptedEndpoint(lambda *_: answer(body, status)) as endpoint:
        url = endpoint.base_url.replace("://", f"://user:{KEY}@") + f"?key={KEY}"
        for given in (Endpoint(base_url=url), Endpoint(base_url=endpoint.base_url, api_key=f" {KEY}\n")):
            drawn = draw_over_network(make_plan(make_case("a", n=2)), given)
            assert KEY not in repr(drawn)
            assert len(failures(drawn)) == 2


def test_draw_calls__interrupted_in_flight() -> None:
    """A run that is stopped does not wait for an answer that is still to come, and keeps what has come."""
    stop = asyncio.Event()
    released = threading.Event()

    def script(number: int, _: Any) -> Answer:
        if number:
            released.wait(timeout=60)
        return answer(completion("42"))

    def on_draw(_: Draw) -> None:
        stop.set()

    with ScriptedEndpoint(script) as endpoint:
        plan = make_plan(make_case("a", n=6))
        limits = Limits(max_concurrency=2)
        drawn = draw_over_network(plan, Endpoint(base_url=endpoint.base_url), limits=limits, on_draw=on_draw, stop=stop)
        released.set()
    assert list(replies(drawn).values()) == ["42"]
    assert {("interrupted", None)} == set(failures(drawn).values())
    assert len(drawn.draws) == 6


def test_draw_calls__proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy of the environment is asked for other hosts, and never for loopback."""
    with ScriptedEndpoint.answering(lambda *_: "proxied") as proxy, ScriptedEndpoint.answering(lambda *_: "42") as own:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url.removesuffix("/v1"))
        plan = make_plan(make_case("a", n=1))
        assert replies(draw_over_network(plan, Endpoint(base_url=own.base_url))) == {("a", 1): "42"}
        far = draw_over_network(plan, Endpoint(base_url="http://llm.example.test/v1"))
    assert replies(far) == {("a", 1): "proxied"}
    assert [request.path for request in proxy.requests] == ["http://llm.example.test/v1/chat/completions"]
