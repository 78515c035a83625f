"""Narrowing a plan to cases that were named, or that bear a tag. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.case import Case

_NEAR = 3
_MANY = 2_000
"""Names among which near ones are looked for."""
_SHOWN = 5


@frozen
class Choice:
    """Which cases were asked for."""

    words: str | None
    """In words; None when all are."""
    keys: frozenset[tuple[str, str]]
    """Keys of the chosen cases; empty when ``words`` is None."""
    named: bool
    """They were named one by one, so they are drawn even when nothing of them changed."""

    def takes(self, case: Case) -> bool:
        """Tell whether ``case`` is among the chosen."""
        return self.words is None or case.key in self.keys


NO_CASE = Choice(words="the decks alone", keys=frozenset(), named=False)
"""No case at all: what is chosen when the decks alone are asked for."""


def choose(cases: Sequence[Case], *, names: tuple[str, ...], tags: tuple[str, ...]) -> Choice:
    """Find the cases that were asked for.

    Args:
        cases: of head.
        names: ``ID`` or ``PATH#ID``; an id that stands in several files means all of them.
        tags: a case with any of them is meant. With names too, a case has to meet both.

    Raises:
        BadInput: a name or a tag fits no case, or both together fit none; all that fit none are named.
    """
    if not names and not tags:
        return Choice(words=None, keys=frozenset(), named=False)
    problems: list[Problem] = []
    found = {case.key for case in cases}
    if names:
        found &= _named(cases, names, problems)
    if tags:
        found &= _tagged(cases, tags, problems)
    if not problems and not found:
        problems.append(Problem(message="None of the named cases bears the tag.", path="--tag"))
    if problems:
        raise BadInput(*problems)
    parts = [_words("case", names), _words("tag", tags)]
    return Choice(words=" with ".join(part for part in parts if part), keys=frozenset(found), named=bool(names))


def _named(cases: Sequence[Case], names: tuple[str, ...], problems: list[Problem]) -> set[tuple[str, str]]:
    by_name: dict[str, set[tuple[str, str]]] = {}
    for case in cases:
        by_name.setdefault(case.id, set()).add(case.key)
        by_name.setdefault(f"{case.path}#{case.id}", set()).add(case.key)
    problems += [_unknown("case", name, list(by_name)) for name in names if name not in by_name]
    return {key for name in names for key in by_name.get(name, ())}


def _tagged(cases: Sequence[Case], tags: tuple[str, ...], problems: list[Problem]) -> set[tuple[str, str]]:
    known = {tag for case in cases for tag in case.tags}
    problems += [_unknown("tag", tag, sorted(known)) for tag in tags if tag not in known]
    return {case.key for case in cases if not known.isdisjoint(tags) and not set(tags).isdisjoint(case.tags)}


def _unknown(kind: str, name: str, known: list[str]) -> Problem:
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

    near = get_close_matches(name, known[:_MANY], n=_NEAR, cutoff=0.6)
    remedy = f"Near are {', '.join(near)}." if near else f"Give a {kind} of the golden files at head."
    return Problem(message=f"There is no {kind} {name!r}.", path=f"--{kind}", remedy=remedy)


def _words(kind: str, names: tuple[str, ...]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return f"{kind}{'s' if len(names) > 1 else ''} {', '.join(names[:_SHOWN])}{more}"
