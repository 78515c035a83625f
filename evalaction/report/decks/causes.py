"""Why replies of a deck's judge give no label: which kind of cause, in how many replies, and for what. Pure.

All of it is in our own words, but for names that a reply made up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from evalaction.frozen import frozen
from evalaction.records.deck_result import DeckResult
from evalaction.records.judge import Judged, Labels
from evalaction.report import words
from evalaction.report.decks import figures as deck_figures
from evalaction.report.decks.rows import rows
from evalaction.report.untrusted import Phrase, quoted

KINDS, NAMES = 3, 4
"""Kinds of causes that are told, and names that replies made up."""


class _Words(NamedTuple):
    """What is said of a kind of cause."""

    every: str
    """Of a judge none of whose replies gives a label, for no other cause: a clause for a headline."""
    they: str
    """Of several replies: ``they …``, ``3 of them …``."""
    short: str
    """Before ``in 3 of 24 replies``."""


class Lack(Enum):
    """A kind of cause for which a reply gives a fixture no label."""

    CUT = _Words("every reply of the judge is cut off", "are cut off", "cut off")
    DECLINED = _Words(
        "every reply of the judge is refused or withheld", "are refused or withheld", "refused or withheld"
    )
    BROKEN = _Words("every reply of the judge is broken off", "are broken off", "broken off")
    TOOL = _Words("the judge calls a tool in every reply", "call a tool", "a tool called")
    EMPTY = _Words("every reply of the judge is empty", "are empty", "nothing said")
    NOT_JSON = _Words("no reply of the judge can be read as JSON", "cannot be read as JSON", "no readable JSON")
    FORM = _Words(
        "no reply of the judge has the form asked for", "have another form than was asked for", "another form"
    )
    MERGED = _Words(
        "the judge gives one verdict for several fixtures",
        "give one verdict for several fixtures",
        "one verdict for several fixtures",
    )
    NAMELESS = _Words("no reply of the judge names a fixture", "name no fixture", "no fixture named")
    RENAMED = _Words(
        "the judge names no fixture as asked", "do not name the fixtures as asked", "other names than asked"
    )
    LEFT_OUT = _Words("the judge leaves every fixture out", "leave fixtures out", "left out")
    TWICE = _Words("the judge labels every fixture several times", "label a fixture several times", "several labels")
    OTHER = _Words(
        "the judge gives no fixture one of the labels", "give none of the labels", "none of the labels given"
    )


_UNREADABLE = {
    "truncated:": Lack.CUT,
    "refusal:": Lack.DECLINED,
    "content filter:": Lack.DECLINED,
    "error:": Lack.BROKEN,
    "tool call:": Lack.TOOL,
    "empty:": Lack.EMPTY,
    "merged:": Lack.MERGED,
    "an object without ": Lack.NAMELESS,
    "`verdicts` is ": Lack.FORM,
    "the reply is ": Lack.FORM,
    "verdict ": Lack.FORM,
}
"""How the cause begins for which a whole reply cannot be read; any other one is that it is no JSON."""
_OF_ONE = {"missing:": Lack.LEFT_OUT, "merged:": Lack.MERGED, "named ": Lack.TWICE}
"""How the cause begins for which a fixture has no label; any other one is that what was given is none."""


@frozen
class Tally:
    """How often fixtures got no label for one kind of cause."""

    lack: Lack
    labels: int
    """Labels that are not there."""
    replies: int
    """Replies in which that is so."""
    place: str | None
    """Where the fixtures stood (``last``), where it was the same place in two replies or more; else None."""


def tallies(result: DeckResult) -> tuple[Tally, ...]:
    """Return why labels are not there, over the replies of the exam that came; the most frequent kind first."""
    found: dict[Lack, list[tuple[int, int]]] = {}
    places = len(result.planned.deck.fixtures)
    for number, judged in enumerate(_came(result)):
        for place, lack in _lacks(judged.labels):
            found.setdefault(lack, []).append((number, place))
    counted = [_tally(lack, where, places) for lack, where in found.items()]
    return tuple(sorted(counted, key=lambda tally: (-tally.labels, list(Lack).index(tally.lack))))


def _tally(lack: Lack, where: Sequence[tuple[int, int]], of: int) -> Tally:
    replies, places = {number for number, _ in where}, {place for _, place in where}
    place = deck_figures.place_words(min(places), of) if len(places) == 1 < len(replies) else None
    return Tally(lack=lack, labels=len(where), replies=len(replies), place=place)


def _came(result: DeckResult) -> list[Judged]:
    return [outcome for outcome in result.outcomes if isinstance(outcome, Judged)]


def _lacks(labels: Labels) -> Iterator[tuple[int, Lack]]:
    """Yield (place from 1, kind of cause) for each fixture without a label."""
    causes = dict(labels.causes)
    for place, (alias, label) in enumerate(labels.by_alias, 1):
        if label is None:
            yield place, _kind(labels, causes.get(alias, ""))


def _kind(labels: Labels, cause: str) -> Lack:
    if labels.unreadable is not None:
        whole = labels.unreadable
        return next((lack for start, lack in _UNREADABLE.items() if whole.startswith(start)), Lack.NOT_JSON)
    lack = next((lack for start, lack in _OF_ONE.items() if cause.startswith(start)), Lack.OTHER)
    # What is missing under its own name stands under one that was made up, as far as there is any.
    return Lack.RENAMED if lack is Lack.LEFT_OUT and labels.strange else lack


def is_silent(result: DeckResult) -> bool:
    """Return whether replies came, and none gives any fixture a label."""
    came = _came(result)
    return bool(came) and all(label is None for judged in came for _, label in judged.labels.by_alias)


def how(result: DeckResult) -> str:
    """Return how a judge flips, where it all comes to one thing: by the place alone, or for want of labels."""
    favoured = deck_figures.favoured(result)
    if favoured:
        return f", accepting {favoured}"
    if any(len({*row.labels} - {None}) > 1 for row in rows(result)):
        return ""
    return (
        ", leaving fixtures out"
        if [tally.lack for tally in tallies(result)] == [Lack.LEFT_OUT]
        else ", giving some no label"
    )


def every(result: DeckResult) -> str:
    """Return what is wrong with a judge that gives no label at all, for a headline."""
    first, *others = tallies(result)
    return "the judge gives no fixture a label" if others else first.lack.value.every


def most_frequent(result: DeckResult) -> str:
    """Return the most frequent kind of cause: ``left out in 24 of 24 replies, always what stood last``.

    Empty where no label is missing.
    """
    found = tallies(result)
    return _told(found[0], len(_came(result))) if found else ""


def _told(tally: Tally, of: int) -> str:
    where = "" if tally.place is None else f", always what stood {tally.place}"
    return f"{tally.lack.value.short} in {tally.replies:,} of {words.count(of, 'reply')}{where}"


def no_label(result: DeckResult, *, show: bool) -> Phrase:
    """Return ``24 of 96 labels are missing: left out in 24 of 24 replies, always what stood last.``, or nothing.

    Args:
        result: of a deck.
        show: whether names that replies made up may be shown.
    """
    found, came = tallies(result), _came(result)
    if not found:
        return ()
    asked = sum(len(judged.labels.by_alias) for judged in came)
    lost = sum(tally.labels for tally in found)
    names = _made_up(came) if show else ()
    said: list[Phrase] = [
        (_told(tally, len(came)), *((" (", *names, ")") if names and tally.lack is Lack.RENAMED else ()))
        for tally in found
    ]
    return (f"{lost:,} of {words.count(asked, 'label')} are missing: ", *words.listed(said, KINDS), ".")


def silence(result: DeckResult, *, show: bool) -> Phrase:
    """Return what a judge did that gave no label at all: ``gave no fixture a label in all 6 replies: they …``."""
    came, first = _came(result), tallies(result)[0]
    number = len(came)
    if number == 1:
        return (f"gave no fixture a label in the one reply: {first.lack.value.short}",)
    whose = "they" if first.replies == number else f"{first.replies:,} of {number:,}"
    names = _made_up(came) if show and first.lack is Lack.RENAMED else ()
    but = (", but ", *names) if names else ()
    return (f"gave no fixture a label in all {number:,} replies: {whose} {first.lack.value.they}", *but)


def _made_up(came: Sequence[Judged]) -> Phrase:
    """Return the names that stand in replies in place of those that were asked for."""
    names = dict.fromkeys(name for judged in came for name in judged.labels.strange)
    return words.listed([(quoted(name, words.NAME),) for name in names], NAMES)
