"""One line of a ledger: a run that began, or a draw with the reply that came, as JSON that ends in a checksum. Pure.

The checksum finds what was changed by an editor or damaged on the disk. It proves nothing of where a line comes from:
whoever may write the file can write any line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from evalaction import late
from evalaction.frozen import frozen
from evalaction.records.draw import Adaptation, Draw, Reply, Usage, Whose

T = TypeVar("T")

VERSION = 1
MAX_LINE = 16 * 1024 * 1024
"""Bytes of a line with its line feed: what a response of 4 MiB can come to when all of it is escaped, and more."""
BEGINNING = b'{"evalaction_ledger":'
"""How the first line of every ledger begins."""

_SUM = 16
_ENDING = late.pattern(rb',"sum":"([0-9a-f]{16})"}\n\Z')
_HEX = late.pattern(r"[0-9a-f]{64}")
_RUN = late.pattern(r"[0-9a-z-]{1,64}")
_TIME = late.pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3,6})?\+00:00")
_HALVES = late.pattern("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")
"""Between two halves of a pair that stand side by side and were never one character: JSON would join them."""


class Unusable(ValueError):
    """A line that evalaction did not write, or not like this. ``str()`` of it says why, as the end of a sentence."""


@frozen
class Began:
    """The first line of a run."""

    run: str
    """Its random id."""
    began: str
    """When it began: ISO 8601, in UTC."""
    endpoint: str | None
    """Host and port that draws are asked of; None where none are."""
    judge: str | None
    """Host and port that judges are asked at; None where none are."""
    version: str
    """Of evalaction."""


@frozen
class Asked:
    """What a draw was asked for: two that are equal in all of it can stand for each other."""

    whose: Whose
    """A case's, a deck's or a case's judge's."""
    path: str
    """As of the draw."""
    id: str
    """The same."""
    index: int
    """The same."""
    endpoint: str
    """SHA-256 in hex of the URL that it was sent to, without credentials and query."""
    request: str
    """SHA-256 in hex of the request as it was asked for, whatever the endpoint did not take of it, for one choice."""
    samples: int
    """Draws that one request asked for (``samples_per_request``)."""

    @property
    def key(self) -> bytes:
        """Sixteen bytes that differ for what differs."""
        place = (_split(self.path), _split(self.id))
        parts = (self.whose, *place, self.index, self.endpoint, self.request, self.samples)
        return hashlib.sha256(json.dumps(parts).encode()).digest()[:16]


@frozen
class Entry:
    """One draw of a run."""

    run: str
    """Of which run."""
    asked: Asked
    """What was asked."""
    adapted: tuple[Adaptation, ...]
    """What the endpoint did not take of it, as far as the run knew."""
    draw: Draw
    """As it came, with its reply; ``replay_of`` is not kept."""
    at: str
    """When it came: ISO 8601, in UTC."""


Line: TypeAlias = Began | Entry
"""What a line says."""


def write_line(line: Line) -> bytes:
    """Return a line as it stands in the file, with its line feed: ASCII, and nothing in it that cannot be seen."""
    fields = _of_run(line) if isinstance(line, Began) else _of_draw(line)
    text = json.dumps(fields, separators=(",", ":"), allow_nan=False).encode()[:-1]
    return text + b',"sum":"' + _sum(text) + b'"}\n'


def read_line(raw: bytes) -> Line:
    """Return what a line says.

    Args:
        raw: the line with its line feed.

    Raises:
        Unusable: it is not a line that ``write_line`` writes.
    """
    ending = _ENDING.search(raw)
    if raw.startswith(BEGINNING) and not raw.startswith(BEGINNING + b"%d," % VERSION):
        raise Unusable("was written by another version of evalaction")
    if ending is None or ending[1] != _sum(raw[: ending.start()]):
        raise Unusable("was changed or damaged, or is no line of a ledger")
    try:
        fields = json.loads(raw)
        return _run(fields) if "evalaction_ledger" in fields else _entry(fields)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unusable("does not hold what a line of a ledger holds") from None


def _sum(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:_SUM].encode()


def _of_run(line: Began) -> dict[str, Any]:
    return {
        "evalaction_ledger": VERSION,
        "run": line.run,
        "began": line.began,
        "evalaction": line.version,
        "endpoint": line.endpoint,
        "judge": line.judge,
    }


def _of_draw(line: Entry) -> dict[str, Any]:
    asked, draw = line.asked, line.draw
    if draw.reply is None:
        raise ValueError("a draw without a reply is not kept")
    return {
        "run": line.run,
        "whose": str(asked.whose),
        "path": _split(draw.path),
        "id": _split(draw.id),
        "index": draw.index,
        "endpoint": asked.endpoint,
        "request": asked.request,
        "samples": asked.samples,
        "adapted": [[each.name, each.instead, each.refused, each.model] for each in line.adapted],
        "seed": draw.seed,
        "reply": _of_reply(draw.reply),
        "latency_s": draw.latency_s,
        "tries": draw.tries,
        "at": line.at,
    }


def _of_reply(reply: Reply) -> dict[str, Any]:
    """Return what differs from a reply of which nothing is known."""
    own = {name: getattr(reply, name) for name in _REPLY}
    usage = {name: count for name in _USAGE if (count := getattr(reply.usage, name)) is not None}
    said = {name: _split(value) if isinstance(value, str) else value for name, value in own.items()}
    return {**{name: value for name, value in said.items() if value != _UNSAID[name]}, "usage": usage}


def _split(text: str) -> str | list[str]:
    """Return a text, or its parts where JSON would make one character of two halves."""
    parts = _HALVES.split(text) if not text.isascii() else [text]
    return parts if len(parts) > 1 else text


def _run(fields: Mapping[str, Any]) -> Began:
    return Began(
        run=_like(_RUN, fields["run"]),
        began=_like(_TIME, fields["began"]),
        version=_text(fields["evalaction"]),
        endpoint=_optional(_text)(fields["endpoint"]),
        judge=_optional(_text)(fields["judge"]),
    )


def _entry(fields: Mapping[str, Any]) -> Entry:
    path, id_, index = _text(fields["path"]), _text(fields["id"]), _count(fields["index"])
    asked = Asked(
        whose=Whose(fields["whose"]),
        path=path,
        id=id_,
        index=index,
        endpoint=_like(_HEX, fields["endpoint"]),
        request=_like(_HEX, fields["request"]),
        samples=_count(fields["samples"]),
    )
    draw = Draw(
        path=path,
        id=id_,
        index=index,
        seed=_optional(_whole)(fields["seed"]),
        reply=_reply(fields["reply"]),
        latency_s=_optional(_seconds)(fields["latency_s"]),
        tries=_count(fields["tries"]),
    )
    adapted = tuple(
        Adaptation(
            name=_text(name),
            instead=_optional(_text)(instead),
            refused=_truth(refused),
            model=_optional(_text)(model),
        )
        for name, instead, refused, model in fields["adapted"]
    )
    return Entry(run=_like(_RUN, fields["run"]), asked=asked, adapted=adapted, draw=draw, at=_like(_TIME, fields["at"]))


def _reply(fields: Mapping[str, Any]) -> Reply:
    usage = {name: _count(count) for name, count in fields["usage"].items()}
    own = {name: _REPLY[name](value) for name, value in fields.items() if name != "usage"}
    return Reply(**{**_UNSAID, **own, "usage": Usage(**usage)})


def _text(value: Any) -> str:
    if isinstance(value, list) and len(value) > 1:
        return "".join([_of(part, str) for part in value])
    return _of(value, str)


def _whole(value: Any) -> int:
    return _of(value, int)


def _count(value: Any) -> int:
    if _whole(value) < 0:
        raise ValueError("a count below 0")
    return _whole(value)


def _seconds(value: Any) -> float:
    return float(value) if type(value) is int else _of(value, float)


def _truth(value: Any) -> bool:
    return _of(value, bool)


def _like(pattern: re.Pattern[str], value: Any) -> str:
    if not pattern.fullmatch(_of(value, str)):
        raise ValueError("a text of another form")
    return _of(value, str)


def _of(value: Any, kind: type[T]) -> T:
    if type(value) is not kind:  # a boolean is no number
        raise TypeError(f"no {kind.__name__}")
    return value


def _optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


_REPLY: Mapping[str, Callable[[Any], Any]] = {
    "text": _optional(_text),
    "finish_reason": _optional(_text),
    "refusal": _optional(_text),
    "tool_calls": _truth,
    "reasoning": _truth,
    "unseen": _count,
    "id": _optional(_text),
    "choice": _whole,
    "created": _optional(_whole),
    "model": _optional(_text),
    "fingerprint": _optional(_text),
    "replayed": _optional(_text),
    "choices": _count,
}
"""How each field of a reply is read, but for ``usage``."""
_USAGE = ("prompt", "completion", "reasoning", "cached")
_NOTHING = Reply(text=None, finish_reason=None)
_UNSAID: Mapping[str, Any] = {name: getattr(_NOTHING, name) for name in _REPLY}
