"""What gives an answer away: a trace or a rubric that says a gold label, an id that holds one. Pure.

Gold labels, ids, notes and tags never reach a judge. What a trace or a rubric says does, and a judge that was told the
answer is always right in the exam and worth nothing in use. A label by itself tells nothing (``2 tests pass``): only
words around it that say what it is make a finding (``expected: fail``, ``the right answer is fail``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from evalaction.records.deck import Deck, Fixture
from evalaction.values import JSON

_SHOWN = 60
_EVERYDAY = {
    *("yes", "no", "true", "false", "ok", "okay", "good", "bad", "right", "wrong", "correct", "incorrect", "valid"),
    *("invalid", "positive", "negative"),
}
"""Labels that are everyday words: beside these only words that mean a gold label and nothing else make a finding."""
_WELL_OR_ILL = {
    *("good", "bad", "ok", "okay", "wrong", "right", "correct", "correctly", "incorrect", "incorrectly", "valid"),
    *("invalid", "pass", "passed", "passes", "passing", "fail", "failed", "fails", "failing", "failure"),
}
"""Parts of an id that tell a label, whatever the deck's are called."""
_LONG = 3
"""Letters, at the least, of a label that is looked for in ids: ``no`` is part of too many."""
_KINDS = (r"[^\W\d_]", r"\d", r"[\W_]")
"""Kinds of character, of which an id must have two to be looked for in a rubric: ``refund`` may be a word of it."""

_GAP = r"[\s_-]{0,3}"
_MARKS = r"[^\w.!?]{0,5}"
"""White space, quotes and the like, but no end of a sentence."""
_IS = rf"{_MARKS}(?:[:=>→]|\b(?:is|was|(?:should|must){_GAP}be)\b){_MARKS}"
_VERDICT = r"(?:label|verdict|grade|rating|judgment|judgement)"
_ANSWER = rf"(?:{_VERDICT}|answer|result|outcome|classification)"
_GOLD = rf"(?:gold(?:en)?|ground{_GAP}truth)"
_RIGHT = rf"(?:{_GOLD}|expected|correct|right|true|intended|reference)"
_BARE = rf"(?:expected|gold|(?:should|must){_GAP}be|should(?=[_-]))(?:[\s_-]{{1,3}}{_ANSWER})?[^\w.!?:=>→]{{1,5}}"
_STOP = r"(?![\"'`*)\]]*(?:/|[^\S\n]+(?!because|since)\w))"
"""What may not follow where nothing says ``is`` before the label: ``expected pass rate`` tells nothing."""
_THING = r"(?:item|trace|fixture|example)"
_NUMBER = r"\s{0,3}(?:no\.?|number|\#)?\s{0,3}\d{1,4}"
_FIRST = rf"the\s+(?:first|second|third|fourth|fifth|last)\s+{_THING}"


def telling(deck: Deck) -> list[str]:
    """Return a warning for each thing that tells the judge an answer: the fixtures' fields, each wording of the rubric.

    Each names the first place and how many more there are.
    """
    found: list[str] = []
    form = _telling_form(deck.labels)
    traces = [(fixture, match[0]) for fixture in deck.fixtures if (match := form.search(_said(fixture, deck)))]
    if traces:
        places = _places(deck.path, [fixture for fixture, _ in traces])
        found.append(f"{places}: what the judge is shown tells a label ({_cut(traces[0][1])}).")
    for path, text in [(deck.rubric_path, deck.rubric), *((item.path, item.text) for item in deck.wordings)]:
        found += [f"{path}:{line}: the rubric {what}." for line, what in _of_rubric(text, deck)]
    return found


def telling_ids(deck: Deck) -> list[str]:
    """Return a warning for ids that tell an answer: nothing that a judge sees, so nothing to be said on every run."""
    ids = [fixture for fixture in deck.fixtures if _tells(fixture.id, deck.labels)]
    if not ids:
        return []
    what = f"the id {_cut(ids[0].id)} tells a label. No judge sees it, but people and tools do"
    return [f"{_places(deck.path, ids)}: {what}."]


def _said(fixture: Fixture, deck: Deck) -> str:
    """Return what a judge is shown of a fixture, each text on lines of its own, a short one behind its field's name."""
    return "\n".join(text for name in deck.show for text in _texts(name, fixture.fields[name]))


def _texts(name: str, value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield f"{name}: {value}" if len(value) <= _SHOWN else value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key, item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(name, item)


def _telling_form(labels: Sequence[str]) -> re.Pattern[str]:
    """Return what tells one of these labels in a text."""
    forms = [rf"(?:{_GOLD}|(?:{_RIGHT}{_GAP})?{_VERDICT}){_IS}{_any_of(labels)}"]
    words = [label for label in labels if label.casefold() not in _EVERYDAY]
    if words:
        label = _any_of(words)
        forms += [rf"{_RIGHT}(?:{_GAP}{_ANSWER})?{_IS}{label}", rf"{_BARE}{label}{_STOP}"]
    return re.compile(rf"\b(?:{'|'.join(forms)})", re.IGNORECASE)


def _of_rubric(text: str, deck: Deck) -> Iterator[tuple[int, str]]:
    """Yield the line in a rubric, and what tells an answer there: one of each kind at most."""
    ids = [fixture.id for fixture in deck.fixtures if sum(bool(re.search(kind, fixture.id)) for kind in _KINDS) > 1]
    if ids and (named := re.search(rf"(?<![\w-]){_any_of(ids)}", text)):
        yield _line(text, named), f"names the fixture {_cut(named[0])}"
    one = rf"\b(?:{_FIRST}|{_THING}(?:{_NUMBER}|\s{{1,3}}{_MARKS}{_any_of(item.id for item in deck.fixtures)}))"
    verb = rf"(?:{_IS}(?:expected\s+)?|\s+(?:gets?|deserves?)\s+)(?:(?:an?|the)\s+)?{_MARKS}"
    if answer := re.search(rf"{one}{verb}{_any_of(deck.labels)}", text, re.IGNORECASE):
        yield _line(text, answer), f"gives the answer for one item ({_cut(answer[0])})"
    # A rubric says labels as what they are, so that only what it calls expected tells one.
    words = [label for label in deck.labels if label.casefold() not in _EVERYDAY]
    expected = rf"\b(?:expected|{_GOLD})(?:[\s_-]{{1,3}}{_ANSWER})?[^\w.!?]{{1,5}}{_any_of(words)}{_STOP}"
    if words and (told := re.search(expected, text, re.IGNORECASE)):
        yield _line(text, told), f"says what is expected ({_cut(told[0])})"


def _any_of(texts: Iterable[str]) -> str:
    """Return a pattern for one of these texts as a word of its own."""
    return rf"(?:{'|'.join(re.escape(text.strip()) for text in sorted(texts, key=len, reverse=True))})(?![\w-])"


def _tells(identifier: str, labels: Sequence[str]) -> bool:
    """Tell whether an id has a label, or a word for well or ill, as a part of it."""
    parts = _parts(identifier)
    told = [words for words in map(_parts, labels) if len("".join(words)) >= _LONG]
    return not _WELL_OR_ILL.isdisjoint(parts) or any(
        parts[start : start + len(words)] == words for words in told for start in range(len(parts))
    )


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
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
