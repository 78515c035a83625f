"""What a run finds of an earlier one: what was asked for in the very same way, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from support.ledgers import REPLIES, URL, draw_of, ledger_at, make_call

from evalaction.records.case import Sampling
from evalaction.records.draw import Adaptation, Call, Cause, Draw, Failure, Reply, Whose

NAME = "draws.jsonl"
CALL = make_call("a", 2)
KEY = "sk-test-AAAA1111BBBB2222"


def after(path: Path, calls: dict[str, tuple[Call, list[Draw]]], ask: dict[str, tuple[Call, str]]) -> dict[str, Any]:
    """Write what came of some calls, and return what the next run finds of others at their endpoints, by name."""
    with ledger_at(path) as ledger:
        for call, draws in calls.values():
            ledger.at(URL).add(call, draws)
    with ledger_at(path, run="run-2", resume=True) as ledger:
        return {name: ledger.at(url).find(call) for name, (call, url) in ask.items()}


@given(REPLIES)
def test_find__any_reply(tmp_path_factory: pytest.TempPathFactory, reply: Reply) -> None:
    """Whatever came is found again as it came, and known as a replay."""
    path = tmp_path_factory.mktemp("any") / NAME
    draw = draw_of(CALL, reply)
    found = after(path, {"": (CALL, [draw])}, {"": (CALL, URL)})
    assert {"": (replace(draw, replay_of="run-1"),)} == found


def test_find__exactly(tmp_path: Path) -> None:
    """A draw that anything at all distinguishes is not found: it is asked for."""
    other = replace(CALL.sampling, temperature=1)
    ask = {
        "id": (replace(CALL, id="b"), URL),
        "path": (replace(CALL, path="y.golden.jsonl"), URL),
        "index": (replace(CALL, index=3), URL),
        "prompt": (make_call("a", 2, prompt="Hi!"), URL),
        "model": (make_call("a", 2, model="n"), URL),
        "sampling": (replace(CALL, sampling=other), URL),
        "seed": (replace(CALL, seed=1), URL),
        "samples": (make_call("a", 2, samples=2), URL),
        "whose": (replace(CALL, whose=Whose.JUDGE), URL),
        "host": (CALL, URL.replace("llm.", "other.")),
        "scheme": (CALL, URL.replace("https", "http")),
        "port": (CALL, URL.replace(".test", ".test:8443")),
        "URL's path": (CALL, URL.replace("v1", "v2")),
    }
    found = after(tmp_path / NAME, {"": (CALL, [draw_of(CALL)])}, ask)
    assert dict.fromkeys(ask) == found


def test_find__all_the_same(tmp_path: Path) -> None:
    """The line of the case, the query of the URL and the case of its host are no part of what was asked."""
    for url in (URL, URL + "?key=abc", URL.replace("llm", "LLM")):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        found = after(path, {"": (CALL, [draw_of(CALL)])}, {"": (replace(CALL, line=7), url)})
        assert found[""] is not None


def test_find__once(tmp_path: Path) -> None:
    """A draw stands for one draw, and never for two."""
    found = after(tmp_path / NAME, {"": (CALL, [draw_of(CALL)])}, {"first": (CALL, URL), "second": (CALL, URL)})
    assert {"first": True, "second": False} == {name: draws is not None for name, draws in found.items()}


def test_add__failures(tmp_path: Path) -> None:
    """What did not come is not kept, and neither is what was taken from the ledger itself."""
    gone = Draw(path=CALL.path, id="a", index=2, seed=None, failure=Failure(cause=Cause.TIMEOUT, message="late"))
    with ledger_at(tmp_path / NAME) as ledger:
        ledger.at(URL).add(CALL, [gone])
        ledger.at(URL).add(CALL, [replace(draw_of(CALL), replay_of="run-0")])
    assert b"" == (tmp_path / NAME).read_bytes()


@pytest.mark.parametrize("spelled", [KEY, KEY.replace("A", "%41"), KEY.replace("-", "\\u002d")])
@pytest.mark.parametrize("field", ["text", "refusal", "id", "model", "fingerprint", "replayed"])
def test_add__keys(tmp_path: Path, field: str, spelled: str) -> None:
    """A reply that holds a key, in whatever spelling, is not kept: no key is written, and no text is changed."""
    said: dict[str, Any] = {"text": "yes", "finish_reason": "stop", field: f"my key is {spelled}"}
    reply = Reply(**said)
    with ledger_at(tmp_path / NAME, secrets=(KEY,)) as ledger:
        ledger.at(URL).add(CALL, [draw_of(CALL, reply)])
        assert ledger.notes == (
            f"Draws that hold a key, or what is taken for one, are not kept in the ledger {tmp_path / NAME}.",
        )
    assert b"" == (tmp_path / NAME).read_bytes()


def test_find__choices(tmp_path: Path) -> None:
    """Several choices of one request are found together, however many requests it took to get them."""
    call = Call(
        path="x", line=1, id="a", index=3, messages=({"role": "user", "content": "Hi"},), choices=3,
        sampling=Sampling(model="m", samples_per_request=3),
    )  # fmt: skip
    rest = replace(call, index=4, choices=2)
    single = {index: replace(call, index=index, choices=1) for index in (4, 5)}
    whole = {index: draw_of(call, index=index) for index in (3, 4, 5)}
    ways: list[dict[str, tuple[Call, list[Draw]]]] = [
        {"at once": (call, list(whole.values()))},
        {"in two": (call, [whole[3]]), "rest": (rest, [whole[4], whole[5]])},
        {"one by one": (call, [whole[3]]), "4": (single[4], [whole[4]]), "5": (single[5], [whole[5]])},
    ]
    expected = tuple(replace(draw, replay_of="run-1") for draw in whole.values())
    for number, way in enumerate(ways):
        assert {"": expected} == after(tmp_path / f"{number}.jsonl", way, {"": (call, URL)})


def test_adapted__of_what_was_found(tmp_path: Path) -> None:
    """What an endpoint did not take of requests is told where their draws are taken, and not before."""
    without = Adaptation(name="temperature", model="m")
    instead = Adaptation(name="max_tokens", instead="max_completion_tokens", model="m")
    other = replace(without, model="other")
    with ledger_at(tmp_path / NAME) as ledger:
        ledger.at(URL).add(CALL, [draw_of(CALL)], adapted=(without, instead, other))
    with ledger_at(tmp_path / NAME, run="run-2", resume=True) as ledger:
        book = ledger.at(URL)
        before = book.adapted
        book.find(CALL)
        assert ((), (instead, without)) == (before, book.adapted)
