"""What must hold of an answer, whatever the completion is: checked the slow way, by code of its own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from fuzz import strict

from evalaction.answer.equality import equal, normal, projected
from evalaction.answer.reading import Extraction, Reading
from evalaction.records.case import Contract, Grader
from evalaction.records.judge import Labels
from evalaction.values import InvalidJSON, canonical, parse

MOST_BROKEN = 60
"""Objects that do not parse beyond which tags in strings are not told from others by the reader under test."""
SLOW = 3_000
"""Characters of a completion up to which every index of it is looked at."""
_FENCE = re.compile(r"(?m)^[ \t]*(?:```|~~~)")
_DIGITS = re.compile(r"[-+−]?[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_AFTER_A_DASH = re.compile(rf"--({_DIGITS.pattern})")


class FindError(AssertionError):
    """Something that must not be: the first argument says what, in words that are the same for the same fault."""


def require(holds: object, what: str) -> None:
    """Raise a find, unless it holds."""
    if not holds:
        raise FindError(what)


def check_parse(text: str) -> None:
    """Require that the strict reader and the slow one take the same texts, and see the same values in them."""
    try:
        value = strict.whole(text)
    except strict.NotJSONError:
        value = None
    try:
        parsed = parse(text)
    except InvalidJSON as error:
        limit = str(error).startswith(("nested", "a number of", "a number out", "half", "more than"))
        require(value is None or limit or "stands twice" in str(error), f"strict JSON is refused: {error}")
        return
    require(value is not None, "what is no strict JSON is taken")
    require(value == strict.plain(parsed), "the strict reader sees another value")
    again = canonical(parsed)
    require(again == canonical(parse(again.decode())), "canonical bytes are read back as another value")


def check_reading(text: str, contract: Contract, reading: Reading) -> None:
    """Require of an answer what docs/answers.md promises of its grader."""
    check_normal(reading, contract)
    if contract.grader is Grader.JSON or (contract.grader is Grader.COMMAND and contract.projection):
        _check_json(text, reading)
        return
    if contract.grader in {Grader.EXACT, Grader.JUDGE}:
        require(reading.value == reading.answer == text, "the grader exact gives another text")
        return
    visible = _visible(text, in_json=False)
    require(visible is not None, "an answer beside reasoning that is never closed")
    if contract.grader is Grader.TEXT:
        require(reading.answer == _folded(visible or ""), "the grader text gives another normal form")
        require(reading.answer == _folded(str(reading.answer)), "the normal form of a normal form is another")
    elif contract.grader is Grader.CHOICE:
        require(reading.answer in contract.labels, "the answer is none of the labels")
        require(_bare(str(reading.answer)) in _bare(_unescaped(visible or "")), "the label does not stand in the text")
    elif contract.grader is Grader.NUMBER:
        _check_number(visible or "", reading)
    elif contract.grader is Grader.REGEX:
        require(isinstance(reading.value, str) and reading.value, "a match is no text")
        require(str(reading.value) in (visible or ""), "the match does not stand in the text")
        require(reading.answer == unicodedata.normalize("NFC", str(reading.value)), "the answer is another match")
    else:
        require(_flush(str(reading.value)) in _flush(visible or ""), "the artifact does not stand in the text")
        require(reading.answer == unicodedata.normalize("NFC", str(reading.value)), "the answer is another artifact")


def check_normal(reading: Reading, contract: Contract) -> None:
    """Require that an answer is its own normal form, and that its bytes are those of what is read back from them."""
    answer = reading.answer
    before = canonical(answer)
    if contract.grader in {Grader.JSON, Grader.NUMBER}:
        again = normal(answer, contract.whole)
        if isinstance(answer, dict):
            again = projected(answer, contract.projection, contract.compare)
        require(canonical(again) == before, "the normal form of an answer is another")
        require(equal(answer, again, contract.whole), "an answer is not equal to its normal form")
    require(canonical(parse(before.decode())) == before, "canonical bytes are read back as another value")


def _flush(text: str) -> str:
    """Return a text with its line ends made alike, and no blanks before its lines: a fence may be indented."""
    return "\n".join(line.lstrip(" ") for line in text.replace("\r\n", "\n").split("\n"))


def _visible(text: str, *, in_json: bool) -> str | None:
    """Return a text with blanks in place of its reasoning; None where that is never closed."""
    spans = strict.reasoning(text, in_json=in_json)
    if spans is None:
        return None
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _check_json(text: str, reading: Reading) -> None:
    """Require that the value stands in the text as strict JSON, outside of reasoning, and that no other does."""
    value = strict.plain(reading.value)
    if reading.extraction is Extraction.WHOLE and not reading.after_reasoning:
        require(value == strict.whole(text), "the answer is not the value that the text is")
        return
    if len(text) > SLOW or len(re.findall(r'\{[ \t\r\n]*["}]', text)) > MOST_BROKEN:
        return
    visible = _visible(text, in_json=True)
    require(visible is not None, "an answer beside reasoning that is never closed")
    visible = visible or ""
    if reading.extraction is Extraction.WHOLE:
        require(value == strict.whole(visible), "the answer is not the value that is left without reasoning")
        return
    found = [spot for spot in strict.spots(visible) if spot.value == value]
    require(found, "a silent repair: the answer does not stand in the text")
    if _FENCE.search(visible) is None:
        _check_alone(visible, value)


def _check_alone(visible: str, value: strict.Plain) -> None:
    """Require that no other object stands in prose where no bracket stands around anything."""
    objects: list[strict.Plain] = []
    rest, index = "", 0
    while index < len(visible):
        found = _object_at(visible, index)
        if found is None:
            rest += visible[index]
            index += 1
        else:
            objects.append(found[0])
            index = found[1]
    if not set("{}[]") & set(rest) and value[0] == "object":
        alike = all(_composed(inner) == _composed(value) for inner in objects)
        require(alike, "one of two objects that differ was picked")


def _composed(value: Any) -> Any:
    """Return a value, or a part of one, with every text in NFC: two spellings of one character are no difference."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, tuple | frozenset):
        return type(value)(map(_composed, value))
    return value


def _object_at(text: str, index: int) -> tuple[strict.Plain, int] | None:
    try:
        return strict.at(text, index) if text[index] == "{" else None
    except strict.NotJSONError:
        return None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold()).split())


def _bare(text: str) -> str:
    """Return the letters and digits of a text, case folded: what is left of any label in any wrapping."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFD", text).casefold()))


def _unescaped(text: str) -> str:
    """Return a text with the strings that it holds beside it, as they would be without escapes."""
    inner = [word for spot in strict.spots(text[:SLOW]) for word in strict.strings(spot.value)] if '"' in text else []
    return " ".join([text, *inner])


def _check_number(visible: str, reading: Reading) -> None:
    require(isinstance(reading.value, int | Decimal), "a number is no number")
    require(not isinstance(reading.value, bool), "a number is a boolean")
    given = strict.plain(reading.value)
    standing = {_token(match[0]) for match in _DIGITS.finditer(visible)}
    standing |= {_token(match[1]) for match in _AFTER_A_DASH.finditer(visible)}
    require(given in standing, "the number does not stand in the text")


def _token(text: str) -> strict.Plain:
    sign = "-" if text[0] in "-−" else ""
    body, _, exponent = text.lstrip("-+−").replace(",", "").lower().partition("e")
    whole, _, fraction = body.partition(".")
    return strict.number(sign, whole, fraction, exponent)


def check_labels(text: str, said: Labels, *, aliases: tuple[str, ...], labels: tuple[str, ...]) -> None:
    """Require that each label read is one that may be given and that stands in the reply, and no alias is forgotten."""
    require(aliases == tuple(alias for alias, _ in said.by_alias), "the aliases are not those that were asked for")
    without = [alias for alias, label in said.by_alias if label is None]
    require(without == [alias for alias, _ in said.causes], "a missing label has no cause, or a label has one")
    require(said.unreadable is None or len(without) == len(aliases), "an unreadable reply gives a label")
    given = {label for _, label in said.by_alias if label is not None}
    require(given <= set(labels), "a label was read that may not be given")
    if given and len(text) <= SLOW:
        standing = {_bare(word) for spot in strict.spots(text) for word in strict.strings(spot.value)}
        require({_bare(label) for label in given} <= standing, "a label was read that does not stand in the reply")
        named = {alias for alias, label in said.by_alias if label is not None}
        require(named <= set(_named(text)), "an alias has a label and does not stand in the reply")


def _named(text: str) -> Iterable[str]:
    return (word.strip() for spot in strict.spots(text) for word in strict.strings(spot.value))
