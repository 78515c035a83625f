"""From a judge's reply to one label for each fixture, or why a fixture has none. Pure.

The reply's JSON is found as any answer's is (`answer/json_text.py`), and nothing is repaired. Every doubt ends as no
label: it can cost a sound judge a label, and gives none to a judge that did not say it. The rules are in
docs/judge.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from evalaction import late
from evalaction.answer.json_text import read_json
from evalaction.answer.reading import Unreadable, a_kind
from evalaction.frozen import mutable
from evalaction.letters import why_unusable
from evalaction.records.judge import Labels
from evalaction.suite.fields import label_form
from evalaction.values import JSON, dumps

SHOWN = 80
"""Characters of a name or a label that a cause quotes."""
VERDICTS = "verdicts"
"""Key under which a reply may put its list."""

_BETWEEN_NAMES = late.pattern(r"[\s,;/|&+]+")


@mutable
class _Said:
    """What a reply says, before any of it is judged."""

    by_alias: dict[str, list[JSON]] = field(default_factory=dict)
    """Alias → every label given for it."""
    merged: dict[str, str] = field(default_factory=dict)
    """Alias → the name that stands for it and for others at once."""
    strange: dict[str, None] = field(default_factory=dict)
    """Names that were not asked for, each once, in their order."""


def read_labels(text: str, *, aliases: tuple[str, ...], labels: tuple[str, ...]) -> Labels:
    """Read a judge's reply.

    Args:
        text: the reply, as it came. Any text at all.
        aliases: names that were asked for: different, without white space at their ends, none of them ``verdicts``.
        labels: what may be answered; different.

    Returns:
        A label or None for every alias, and why there is none.
    """
    reading = read_json(text, arrays=True)
    said = reading if isinstance(reading, Unreadable) else _said(reading.value, frozenset(aliases))
    if isinstance(said, Unreadable):
        return no_labels(aliases, said.cause)
    by_alias: list[tuple[str, str | None]] = []
    causes: list[tuple[str, str]] = []
    forms = _forms(labels)
    for alias in aliases:
        given, cause = _only(said, alias)
        label = None if cause else _label(given, labels, forms)
        by_alias.append((alias, label))
        if label is None:
            causes.append((alias, cause or f"not one of the labels: {_cut(dumps(given))}"))
    return Labels(by_alias=tuple(by_alias), causes=tuple(causes), strange=tuple(said.strange))


def no_labels(aliases: tuple[str, ...], cause: str) -> Labels:
    """Return what a reply says that cannot be read as a whole, for this cause."""
    return Labels(
        by_alias=tuple((alias, None) for alias in aliases),
        causes=tuple((alias, "the reply cannot be read") for alias in aliases),
        unreadable=cause,
    )


def _said(value: JSON, aliases: Collection[str]) -> _Said | Unreadable:
    """Sort what a reply says by alias, where it has one of the documented shapes."""
    said = _Said()
    if isinstance(value, dict) and VERDICTS not in value:
        for name, label in value.items():
            _add(said, name, label, aliases)
        if said.by_alias or said.merged:
            return said
        _add(said, value.get("id"), value.get("label"), aliases)  # a verdict that stands alone, in case it is for all
        shared = next(iter(said.merged.values()), None)
        nameless = f"an object without `{VERDICTS}` that names no fixture"
        return Unreadable(cause=nameless if shared is None else f"merged: one verdict for {shared}, and no list")
    items, what = (value[VERDICTS], f"`{VERDICTS}`") if isinstance(value, dict) else (value, "the reply")
    if not isinstance(items, list):
        return Unreadable(cause=f"{what} is {a_kind(items)}, not a list of verdicts")
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            return Unreadable(cause=f"verdict {number} is {a_kind(item)}, not an object")
        if "id" not in item:
            return Unreadable(cause=f"verdict {number} has no `id`")
        _add(said, item["id"], item.get("label"), aliases)
    return said


def _add(said: _Said, name: JSON, label: JSON, aliases: Collection[str]) -> None:
    """Add one verdict under the alias that it names; under any other name it labels nothing."""
    name = name.strip() if isinstance(name, str) else name
    if isinstance(name, str) and name in aliases:
        said.by_alias.setdefault(name, []).append(label)
        return
    shown = _cut(name if isinstance(name, str) else dumps(name))
    said.strange.setdefault(shown)
    parts = name if isinstance(name, list) else _BETWEEN_NAMES.split(name) if isinstance(name, str) else []
    members = {part.strip() for part in parts if isinstance(part, str)}.intersection(aliases)
    if len(members) > 1:
        said.merged |= dict.fromkeys(members, shown)


def _only(said: _Said, alias: str) -> tuple[str, str | None]:
    """Return the one text given for ``alias``, or why there is none that could be a label."""
    if alias in said.merged:
        return "", f"merged: one verdict for {said.merged[alias]}"
    given = said.by_alias.get(alias, [])
    if not given:
        return "", "missing: the reply does not name it"
    if len(given) > 1:
        return "", f"named {len(given):,} times"
    if given[0] is None:
        return "", "no label given"
    if not isinstance(given[0], str):
        return "", f"its label is {a_kind(given[0])}, not a string"
    return given[0], None


@lru_cache(maxsize=64)
def _forms(labels: tuple[str, ...]) -> Mapping[str, str | None]:
    """Return what each folded form means; None where two labels have it, or where nothing is left of a label.

    A label of which no reply can give the folded form has none: to fold it may take the square of its length.
    """
    forms: dict[str, str | None] = {}
    for label in labels:
        if why_unusable(label):
            continue
        form = label_form(label)
        forms[form] = None if form in forms or not form else label
    return forms


def _label(text: str, labels: Sequence[str], forms: Mapping[str, str | None]) -> str | None:
    """Return the label that a text is: to the letter, or by its folded form alone."""
    return text if text in labels else forms.get(label_form(text))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
