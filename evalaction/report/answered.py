"""Who answered, by the names that an endpoint gives its models, and whether that changed within a run. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from evalaction.report.tally import Name, Tally
from evalaction.suite.words import count

MOST = 100
"""Names that a report lists."""
_SHOWN, _NAME = 3, 60
"""Names that a sentence lists, and characters of one."""


def answered_by(made: Tally) -> tuple[tuple[str | None, str | None, int], ...]:
    """Return under which names the draws of a run were answered, and how many; the most frequent first."""
    every: Counter[Name] = Counter()
    for names in made.names.values():
        every.update(names)
    return tuple((model, fingerprint, number) for (model, fingerprint), number in _ranked(every)[:MOST])


def changes(made: Tally) -> list[str]:
    """Return a sentence for each model that was asked for and answered under more than one name.

    A model that answers under another name than it was asked by, but under that alone, has not changed.
    """
    return [*_changed(made.names, "the model", "draw"), *_changed(made.judges, "the judge", "reply")]


def _ranked(names: Counter[Name]) -> list[tuple[Name, int]]:
    """Return the names with how many replies came under each, the most frequent first; nothing where none has one."""
    if names.keys() <= {(None, None)}:
        return []
    return sorted(names.items(), key=lambda item: (-item[1], item[0][0] or "", item[0][1] or ""))


def _changed(found: Mapping[str | None, Counter[Name]], who: str, what: str) -> list[str]:
    return [
        f"{who} changed within the run: {_cut(asked or '')} answered {_listed(_ranked(names), what)}"
        for asked, names in found.items()
        if len(names) > 1
    ]


def _listed(ranked: list[tuple[Name, int]], what: str) -> str:
    several = {fingerprint for (_, fingerprint), _ in ranked} != {None}
    (first, most), *others = ranked[:_SHOWN]
    said = [f"{_called(first, several=several)} in {count(most, what)}"]
    said += [f"{_called(name, several=several)} in {number:,}" for name, number in others]
    more = len(ranked) - len(said)
    return f"{', '.join(said)}{f', and {more:,} more' if more else ''}"


def _called(name: Name, *, several: bool) -> str:
    model, fingerprint = name
    said = "without a name" if model is None else f"as {_cut(model)}"
    if not several:
        return said
    return f"{said} ({'no fingerprint' if fingerprint is None else _cut(fingerprint)})"


def _cut(text: str) -> str:
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"
