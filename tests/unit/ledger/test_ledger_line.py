"""A line of a ledger: written and read back."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ledgers import REPLIES, TEXTS, began

from evalaction.ledger.line import VERSION, Asked, Entry, Unusable, read_line, write_line
from evalaction.records.draw import Adaptation, Draw, Reply, Usage, Whose

SHA, OTHER = "0" * 64, "ab" * 32


def entry(reply: Reply, **changes: Any) -> Entry:
    """Return a line about one draw."""
    place = {name: changes.pop(name, usual) for name, usual in (("path", "x.golden.jsonl"), ("id", "a"), ("index", 3))}
    fields = {"seed": None, "latency_s": 0.25, "tries": 1, **changes}
    return Entry(
        run="run-1",
        asked=Asked(whose=Whose.CASE, endpoint=SHA, request=OTHER, samples=1, **place),
        adapted=(Adaptation(name="max_tokens", instead="max_completion_tokens"), Adaptation(name="n", refused=False)),
        draw=Draw(reply=reply, **place, **fields),
        at="2026-01-02T03:04:05.000+00:00",
    )


@given(
    reply=REPLIES,
    path=TEXTS,
    id_=TEXTS,
    seed=st.none() | st.integers(-(2**63), 2**63),
    latency_s=st.none() | st.floats(0, 1e9, allow_nan=False),
)
def test_write_line__round_trip(reply: Reply, path: str, id_: str, seed: int | None, latency_s: float | None) -> None:
    """Whatever a reply holds is read back exactly: NUL, lone halves of pairs, halves that are no pair."""
    line = entry(reply, path=path, id=id_, seed=seed, latency_s=latency_s)
    raw = write_line(line)
    assert line == read_line(raw)
    assert (raw.count(b"\n"), raw.isascii()) == (1, True)


def test_write_line__format() -> None:
    """A run's first line and a draw look as the documents say."""
    first, draw = (
        write_line(began()),
        write_line(entry(Reply(text="é\ud83d", finish_reason="stop", usage=Usage(prompt=4)))),
    )
    assert first == (
        b'{"evalaction_ledger":1,"run":"run-1","began":"2026-01-02T03:04:05+00:00","evalaction":"0.0.0",'
        b'"endpoint":"llm.example.test","judge":null,"sum":"%s"}\n' % json.loads(first)["sum"].encode()
    )
    assert draw == (
        b'{"run":"run-1","whose":"case","path":"x.golden.jsonl","id":"a","index":3,"endpoint":"%s","request":"%s",'
        b'"samples":1,"adapted":[["max_tokens","max_completion_tokens",true,null],["n",null,false,null]],"seed":null,'
        b'"reply":{"text":"\\u00e9\\ud83d","finish_reason":"stop","usage":{"prompt":4}},"latency_s":0.25,"tries":1,'
        b'"at":"2026-01-02T03:04:05.000+00:00","sum":"%s"}\n'
        % (SHA.encode(), OTHER.encode(), json.loads(draw)["sum"].encode())
    )
    assert began() == read_line(first)


@given(st.data())
def test_read_line__edited(data: st.DataObject) -> None:
    """No line is taken of which a single byte is another."""
    raw = write_line(entry(Reply(text="yes", finish_reason="stop")))
    place = data.draw(st.integers(0, len(raw) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != raw[place]))
    with pytest.raises(Unusable):
        read_line(raw[:place] + bytes([byte]) + raw[place + 1 :])


def test_read_line__another_version() -> None:
    """A ledger of another version says that it is one, whatever else stands in it."""
    with pytest.raises(Unusable, match=r"^was written by another version of evalaction$"):
        read_line(b'{"evalaction_ledger":%d,"anything":[]}\n' % (VERSION + 1))


HOSTILE = [
    b"[]",
    b'"evalaction_ledger"',
    b"3",
    b"{}",
    b'{"evalaction_ledger":1,"run":4}',
    b"[" * 100_000,
    b'{"run":' + b"9" * 5_000 + b"}",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:24].decode())
def test_read_line__right_sum_wrong_content(text: bytes) -> None:
    """A checksum that fits does not make a line of anything else."""
    body = text[:-1]
    raw = body + b',"sum":"' + hashlib.sha256(body).hexdigest()[:16].encode() + b'"}\n'
    with pytest.raises(Unusable, match=r"^does not hold what a line of a ledger holds$"):
        read_line(raw)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("index", True),
        ("index", -1),
        ("index", 1.0),
        ("path", None),
        ("path", ["a", 3]),
        ("whose", "nobody"),
        ("request", "0" * 63),
        ("reply", []),
        ("reply", {"text": 3, "usage": {}}),
        ("reply", {"usage": {"prompt": -1}}),
        ("reply", {"usage": {"other": 1}}),
        ("reply", {"other": 1, "usage": {}}),
        ("adapted", [["n", None]]),
        ("latency_s", "1"),
    ],
    ids=str,
)
def test_read_line__wrong_field(field: str, value: Any) -> None:
    """Every field is held to its kind, also where the checksum fits."""
    fields = json.loads(write_line(entry(Reply(text="yes", finish_reason="stop"))))
    del fields["sum"]
    body = json.dumps({**fields, field: value}, separators=(",", ":")).encode()[:-1]
    with pytest.raises(Unusable, match=r"^does not hold what a line of a ledger holds$"):
        read_line(body + b',"sum":"' + hashlib.sha256(body).hexdigest()[:16].encode() + b'"}\n')


def test_key__tells_apart() -> None:
    """What was asked for differs as soon as one part of it does, two spellings of one JSON text included."""
    asked = {
        "whose": Whose.CASE, "path": "p", "id": "a", "index": 1, "endpoint": SHA, "request": SHA, "samples": 1,
    }  # fmt: skip
    changes: list[dict[str, Any]] = [
        {}, {"whose": Whose.JUDGE}, {"path": "a"}, {"id": "p"}, {"index": 2}, {"endpoint": OTHER},
        {"request": OTHER}, {"samples": 2}, {"id": "😀"}, {"id": "\ud83d" + "\ude00"},
    ]  # fmt: skip
    keys = {Asked(**{**asked, **change}).key for change in changes}
    assert len(changes) == len(keys)
