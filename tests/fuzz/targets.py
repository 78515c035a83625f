"""What is fuzzed: any bytes become an input, the code under test reads it, and an oracle judges what comes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from fuzz import oracle
from fuzz.contracts import CONTRACTS, NAMES
from support.trees import MemoryTree

from evalaction.answer.read import read_answer
from evalaction.answer.reading import Reading, Unreadable
from evalaction.fingerprint import of_case
from evalaction.judge.reply import read_reply
from evalaction.records.draw import Draw, Reply
from evalaction.records.judge import JudgeRequest
from evalaction.records.settings import Defaults
from evalaction.suite.lines import decode, split
from evalaction.suite.load import load_suite
from evalaction.values import JSON, dumps, parse

LIMIT_S = 1.0
"""Seconds of the processor's time for one input beyond which it is a find."""
ALIASES = ("t1", "t2", "c 3")
LABELS = (("pass", "fail"), ("Yes", "No", "n/a."), ("ẞ", "é", "x y"))
FINISH = ("stop", "stop", "stop", None, "length", "content_filter", "tool_calls", "Refusal", "error")
FILES = {
    "prompts/a.txt": b"Hello {{ name }}. {% if more is defined %}{{ more }}{% endif %}",
    "prompts/loop.txt": b"{% for x in rows %}{{ x }}{% endfor %}",
    "schemas/a.json": b'{"properties": {"label": {"$ref": "#/$defs/l"}}, "$defs": {"l": {"type": "string"}}}',
    "rubric.md": b"Is it kind?",
    "known.txt": b"a\nb\n",
    "check.py": b"print(1)\n",
}
"""What the golden file under test may refer to."""


def text_of(data: bytes) -> str:
    """Return bytes as text: what is no UTF-8 becomes halves of surrogate pairs, as no endpoint should send them."""
    return data.decode("utf-8", "surrogateescape")


def _reply(text: str, first: int) -> Reply:
    return Reply(text=text, finish_reason=FINISH[first % len(FINISH)])


def extraction(data: bytes) -> None:
    """Read a completion: byte 0 picks the contract, byte 1 the finish reason, the rest is the text."""
    if len(data) < 2:
        return
    text, contract = text_of(data[2:]), CONTRACTS[NAMES[data[0] % len(NAMES)]]
    started = time.thread_time()
    reading = read_answer(_reply(text, data[1]), contract)
    in_time(started)
    oracle.require(isinstance(reading, Reading | Unreadable), "neither an answer nor a cause")
    if isinstance(reading, Unreadable):
        oracle.require(reading.cause.strip(), "an unreadable completion has no cause")
    else:
        oracle.require(
            FINISH[data[1] % len(FINISH)] in {"stop", None}, "a reply that was cut off or withheld is an answer"
        )
        oracle.check_reading(text, contract, reading)
    if len(text) <= oracle.SLOW:
        oracle.check_parse(text)


def golden(data: bytes) -> None:
    """Read a whole golden file, and the same file written another way: the same cases come of both."""
    started = time.thread_time()
    suite = load_suite(MemoryTree({**FILES, "golden.jsonl": data}), defaults=Defaults(model="m"))
    in_time(started)
    count = data.count(b"\n") + 1
    for problem in suite.problems:
        oracle.require(problem.path and problem.message.strip(), "a problem without a place or a message")
        oracle.require(problem.line is None or 1 <= problem.line <= count, "a problem at a line that is not there")
    oracle.require(len({case.id for case in suite.cases}) == len(suite.cases), "two cases with one id")
    if suite.problems or not suite.cases:
        return
    rows = [parse(decode(raw)) for _, raw in split("golden.jsonl", data)]
    oracle.require(len(rows) == len(suite.cases), "a row is no case, and nobody says so")
    before = {case.id: of_case(case) for case in suite.cases}
    for again in (_canonical(rows), _spaced(rows)):
        other = load_suite(MemoryTree({**FILES, "golden.jsonl": again}), defaults=Defaults(model="m"))
        oracle.require(not other.problems, "the same rows, written another way, are refused")
        oracle.require(before == {case.id: of_case(case) for case in other.cases}, "a reformatted file changes a case")


def _canonical(rows: list[JSON]) -> bytes:
    """Write rows in reverse, canonically, after a byte order mark and with carriage returns."""
    return b"\xef\xbb\xbf" + b"".join(dumps(row).encode() + b"\r\n" for row in reversed(rows))


def _spaced(rows: list[JSON]) -> bytes:
    """Write rows in ASCII, with blanks inside and around each, and blank lines between them."""
    return "\n \n".join(f"  {{ {_ascii(dumps(row))[1:-1]} }}\t" for row in rows).encode()


def _ascii(text: str) -> str:
    return "".join(letter if letter.isascii() else json.dumps(letter)[1:-1] for letter in text)


def labels(data: bytes) -> None:
    """Read a judge's reply: byte 0 picks the labels, byte 1 the finish reason, the rest is the text."""
    if len(data) < 2:
        return
    text, allowed = text_of(data[2:]), LABELS[data[0] % len(LABELS)]
    request = JudgeRequest(order=(0, 1, 2), repeat=1, aliases=ALIASES, messages=(), fingerprint="0" * 64)
    draw = Draw(path="d", id="d", index=1, seed=None, reply=_reply(text, data[1]))
    started = time.thread_time()
    judged = read_reply(request, draw, labels=allowed)
    in_time(started)
    oracle.check_labels(text, judged.labels, aliases=ALIASES, labels=allowed)


def in_time(started: float) -> None:
    """Require that the code under test took no longer than one input may."""
    oracle.require(time.thread_time() - started <= LIMIT_S, f"more than {LIMIT_S:g} s for one input")


TARGETS: dict[str, Callable[[bytes], None]] = {"extraction": extraction, "golden": golden, "labels": labels}
"""Name → what takes any bytes, and raises only where something is found."""
