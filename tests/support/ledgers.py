"""Calls, draws and ledgers for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from evalaction.ledger.book import Ledger
from evalaction.ledger.file import open_file
from evalaction.ledger.line import Began
from evalaction.records.case import Sampling
from evalaction.records.draw import Call, Draw, Reply, Usage
from evalaction.redact import Redactor

URL = "https://llm.example.test/v1/chat/completions"
START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

# Text as endpoints send it: NUL, lone halves of surrogate pairs, and two halves side by side that are no pair.
TEXTS = st.text(
    st.one_of(st.characters(exclude_categories=()), st.sampled_from(["\0", "\ud83d", "\ude00", "\n", "\u2028", '"']))
)
COUNTS = st.none() | st.integers(0, 2**53 - 1)
USAGES = st.builds(Usage, prompt=COUNTS, completion=COUNTS, reasoning=COUNTS, cached=COUNTS)
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "text": st.none() | TEXTS,
    "finish_reason": st.none() | TEXTS,
    "refusal": st.none() | TEXTS,
    "tool_calls": st.booleans(),
    "reasoning": st.booleans(),
    "unseen": st.integers(0, 2**40),
    "id": st.none() | TEXTS,
    "choice": st.integers(-3, 2**70),
    "created": COUNTS,
    "model": st.none() | TEXTS,
    "fingerprint": st.none() | TEXTS,
    "replayed": st.none() | TEXTS,
    "choices": st.integers(1, 100),
    "usage": USAGES,
}
assert set(_FIELDS) == {field.name for field in fields(Reply)}, "what replies have, a ledger keeps"
REPLIES: st.SearchStrategy[Reply] = st.builds(Reply, **_FIELDS)


def clock() -> Callable[[], datetime]:
    """Return a clock that goes on by a second whenever it is asked."""
    seconds = iter(range(1_000_000))
    return lambda: START + timedelta(seconds=next(seconds))


def began(run: str = "run-1") -> Began:
    """Return the first line of a run."""
    return Began(run=run, began=START.isoformat(), endpoint="llm.example.test", judge=None, version="0.0.0")


def make_call(id_: str = "a", index: int = 1, *, prompt: str = "Hi", model: str = "m", **more: Any) -> Call:
    """Return one draw of a case, as it is asked for."""
    samples = more.pop("samples", 1)
    return Call(
        path="x.golden.jsonl",
        line=1,
        id=id_,
        index=index,
        messages=({"role": "user", "content": prompt},),
        sampling=Sampling(model=model, samples_per_request=samples),
        **more,
    )


def draw_of(call: Call, reply: Reply | str | None = "yes", *, index: int | None = None) -> Draw:
    """Return what came of a call, or of the choice with this index."""
    if isinstance(reply, str):
        reply = Reply(text=reply, finish_reason="stop", id=f"cmpl-{call.id}-{index or call.index}")
    return Draw(
        path=call.path,
        id=call.id,
        index=index or call.index,
        seed=call.seed,
        reply=reply,
        latency_s=0.25,
        tries=1,
    )


@contextmanager
def ledger_at(
    path: Path, *, run: str = "run-1", resume: bool = False, secrets: tuple[str, ...] = ()
) -> Iterator[Ledger]:
    """Open a ledger, with a clock of its own."""
    file = open_file(path, resume=resume, began=began(run), now=clock())
    with Ledger(file, redactor=Redactor(secrets)) as ledger:
        yield ledger
