"""What gives an answer away: a trace or a rubric that says a gold label, an id that holds one. Pure.

Gold labels, ids, notes and tags never reach a judge. What a trace or a rubric says does, and a judge that was told the
answer is always right in the exam and worth nothing in use. A label by itself tells nothing (``2 tests pass``): only
words around it that say what it is make a finding (``expected: fail``, ``the right answer is fail``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from evalaction.records.case import Deck, Fixture
from evalaction.values import JSON

_SHOWN = 60
_EVERYDAY_WORDS = """
    yes no true false ok okay good bad right wrong correct incorrect valid invalid positive negative
"""
_EVERYDAY = frozenset(_EVERYDAY_WORDS.split())
"""Labels that are everyday words: beside these only words that mean a gold label and nothing else make a finding."""
_WELL_OR_ILL_WORDS = """
    good bad ok okay wrong right correct correctly incorrect incorrectly valid invalid
    pass passed passes passing fail failed fails failing failure
"""
_WELL_OR_ILL = frozenset(_WELL_OR_ILL_WORDS.split())
"""Parts of an id that tell a label, whatever the deck's are called."""
_SHORT = 2
"""Letters of a label that is looked for in ids, at the least, and one more: ``no`` is part of too many."""

_GAP = r"[\s_-]{0,3}"
_QUOTE = r"[\"'`*“«(\[]{0,3}"
_UNQUOTE = r"[\"'`*”»)\]]{0,3}"
_BE = rf"\b(?:is|was|(?:should|must|ought{_GAP}to){_GAP}be)\b"
_IS = rf"{_UNQUOTE}\s{{0,3}}(?:={{1,3}}>?|:|->|→|{_BE})"
_NOUN = r"(?:label|verdict|grade|rating|judgement|judgment)"
_ANSWER = rf"(?:{_NOUN}|answer|result|outcome|classification)"
_RIGHT = rf"(?:gold(?:en)?|ground{_GAP}truth|expected|correct|right|true|intended|reference)"
_STOP = rf"(?={_UNQUOTE}\s{{0,3}}(?:[.,;:!?)\]}}|\n]|\bbecause\b|\bsince\b|\Z))"
"""What has to follow where nothing stands between ``expected`` and the label: ``expected pass rate`` tells nothing."""
_THING = r"(?:item|trace|fixture|example)"
_ONE_THING = (
    rf"(?:\b{_THING}\s{{0,3}}(?:no\.?|number|\#)?\s{{0,3}}\d{{1,4}}"
    rf"|\bthe\s{{1,3}}(?:first|second|third|fourth|fifth|last)\s{{1,3}}{_THING})"
)

_FEWEST = 2
"""Kinds of character that an id must have to be looked for in a rubric: ``refund`` may be a word of it."""
_KINDS = (re.compile(r"[^\W\d_]"), re.compile(r"\d"), re.compile(r"[_\W]"))


def telling(deck: Deck) -> list[str]:
    """Return a warning for each thing that tells the judge an answer: the fixtures' fields, each wording of the rubric.

    Each names the first place and how many more there are.
    """
    found: list[str] = []
    traces = [(fixture, what) for fixture in deck.fixtures if (what := _told(fixture, deck)) is not None]
    if traces:
        places = _places(deck.path, [fixture for fixture, _ in traces])
        found.append(f"{places}: what the judge is shown tells a label ({_cut(traces[0][1])}).")
    for path, text in [(deck.rubric_path, deck.rubric), *((item.path, item.text) for item in deck.wordings)]:
        found += [f"{path}:{line}: {what}." for line, what in _of_rubric(text, deck)]
    return found


def telling_ids(deck: Deck) -> list[str]:
    """Return a warning for ids that tell an answer: nothing that a judge sees, so nothing to be said on every run."""
    ids = [fixture for fixture in deck.fixtures if _tells(fixture.id, deck.labels)]
    if not ids:
        return []
    what = f"the id {_cut(ids[0].id)} tells a label. No judge sees it, but people and tools do"
    return [f"{_places(deck.path, ids)}: {what}."]


def _told(fixture: Fixture, deck: Deck) -> str | None:
    """Return what tells a label in the shown fields of a fixture."""
    pattern = _telling_form(deck.labels)
    for name in deck.show:
        for text in _texts(fixture.fields[name], name):
            match = pattern.search(text)
            if match is not None:
                return " ".join(match.group().split())
    return None


def _texts(value: JSON, name: str) -> Iterator[str]:
    """Yield the texts in ``value``, and beside each that has a name in it, that name as if it were written before."""
    if isinstance(value, str):
        yield value
        yield f"{name}: {value}" if len(value) <= _SHOWN else ""
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, "")


def _of_rubric(text: str, deck: Deck) -> Iterator[tuple[int, str]]:
    """Yield the line in a rubric, and what tells an answer there: one of each kind at most."""
    ids = [fixture.id for fixture in deck.fixtures if sum(bool(kind.search(fixture.id)) for kind in _KINDS) >= _FEWEST]
    if ids:
        named = re.search(rf"(?<![\w-])(?:{_any_of(ids)})(?![\w-])", text)
        if named is not None:
            yield _line(text, named), f"the rubric names the fixture {_cut(named.group())}"
    match = _answer_for_an_item(deck.labels).search(text)
    if match is not None:
        yield _line(text, match), f"the rubric gives the answer for one item ({_cut(' '.join(match.group().split()))})"


@lru_cache(maxsize=64)
def _telling_form(labels: tuple[str, ...]) -> re.Pattern[str]:
    words = [label for label in labels if label.casefold() not in _EVERYDAY]
    forms = [rf"\b(?:gold(?:en)?|ground{_GAP}truth|(?:{_RIGHT}{_GAP})?{_NOUN}){_IS}{_one(labels)}"]
    if words:
        label = _one(words)
        forms += [
            rf"\b{_RIGHT}(?:{_GAP}{_ANSWER})?{_IS}{label}",
            rf"\b(?:expected|gold)\s{{1,3}}(?:{_ANSWER}\s{{1,3}})?{label}{_STOP}",
            rf"\b(?:should|must){_GAP}be{label}{_STOP}",
            rf"\b(?:gold|expected|should){_GAP}[_-]{_one(words)}",
        ]
    return re.compile("|".join(f"(?:{form})" for form in forms), re.IGNORECASE)


@lru_cache(maxsize=64)
def _answer_for_an_item(labels: tuple[str, ...]) -> re.Pattern[str]:
    verb = rf"(?:{_IS}|\s{{1,3}}(?:gets?|deserves?)\b)"
    return re.compile(rf"{_ONE_THING}{verb}(?:\s{{0,3}}(?:a|an|the)\b)?{_one(labels)}", re.IGNORECASE)


def _one(labels: Iterable[str]) -> str:
    """Return a pattern for one of the labels as a word of its own, with quotes before it or none."""
    return rf"\s{{0,3}}{_QUOTE}(?:{_any_of(labels)})(?![\w-])"


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(re.escape(text.strip()) for text in sorted(texts, key=len, reverse=True))


def _tells(identifier: str, labels: Sequence[str]) -> bool:
    """Tell whether an id has a label, or a word for well or ill, as a part of it."""
    parts = _parts(identifier)
    if not _WELL_OR_ILL.isdisjoint(parts):
        return True
    for label in labels:
        words = _parts(label)
        fits = len("".join(words)) > _SHORT and not label.isdigit()
        if fits and any(parts[start : start + len(words)] == words for start in range(len(parts))):
            return True
    return False


def _parts(text: str) -> list[str]:
    """Return the words of a name: between marks, digits and capitals."""
    apart = re.sub(r"([^\W_])(?=[A-Z][a-z])|([a-z])(?=[A-Z])", r"\1\2 ", text)
    return [part.casefold() for part in re.split(r"[\W\d_]+", apart) if part]


def _places(path: str, fixtures: Sequence[Fixture]) -> str:
    first = f"{path}:{fixtures[0].line}"
    return first if len(fixtures) == 1 else f"{first} and {len(fixtures) - 1:,} more"


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
