"""Two suites → what is drawn, why, and what is not. Pure.

Cases are compared by fingerprint, never by the text of their lines: a golden file that was reordered,
reformatted or re-encoded affects nothing, and a changed include affects every case whose rendering it changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalaction import fingerprint
from evalaction.plan.changes import edited_expected, edited_gold, loosened
from evalaction.plan.narrow import Choice, choose
from evalaction.plan.pairs import Pairs, pair_cases, pair_decks
from evalaction.plan.reasons import (
    case_reasons,
    changed_dependencies,
    changed_uses,
    deck_reasons,
    ordered,
    same,
)
from evalaction.records.case import Case, Deck, Suite
from evalaction.records.plan import Change, Plan, PlannedCase, PlannedDeck, Reason, Removed


def make_plan(
    base: Suite | None,
    head: Suite,
    *,
    renames: Mapping[str, str],
    force_all: str | None = None,
    workflow_changed: bool = False,
    cases: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
) -> Plan:
    """Plan what is drawn.

    Args:
        base: the suite before the change; None when it could not be had, and then every case is affected.
        head: the suite with the change.
        renames: path at head → path at base.
        force_all: why every case is drawn, whatever changed; None to draw what is affected.
        workflow_changed: the workflow that started the run differs, and with it what it may say of sampling.
        cases: narrow the plan to these: ``ID`` or ``PATH#ID``.
        tags: narrow the plan to cases with any of these.

    Raises:
        BadInput: a case or a tag to narrow to does not exist.
    """
    choice = choose(head.cases, names=cases, tags=tags)
    compared = _compare(base, head, renames=renames, workflow_changed=workflow_changed)
    everything = base is None or force_all is not None
    affected = _affected(head, compared, choice, everything=everything)
    drawn = tuple(planned for planned in affected if choice.takes(planned.case))
    decks = compared.decks if force_all is None else _all_decks(compared.decks, head.decks)
    notes = _notes(base, force_all, workflow_changed=workflow_changed)
    if choice.words is not None and decks:
        number = "1 affected deck is" if len(decks) == 1 else f"{len(decks):,} affected decks are"
        notes.append(f"{number} not among what was chosen.")
    return Plan(
        cases=drawn,
        decks=decks if choice.words is None else (),
        removed=compared.removed,
        loosened=compared.loosened,
        edited_gold=compared.edited_gold,
        unaffected=len(head.cases) - len(affected),
        total=len(head.cases),
        chosen=choice.words,
        not_chosen=len(affected) - len(drawn),
        notes=tuple(notes),
        unread=() if base is None else base.problems,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Compared:
    """What a comparison of two suites finds."""

    olds: Sequence[Case | None]
    """For each case of head, the one it was at base."""
    unpaired: frozenset[Reason]
    """Why a case is drawn that has no other."""
    always: frozenset[Reason] = frozenset()
    """Why a case is drawn that has another, whether they differ or not."""
    dependencies: tuple[str, ...] = ()
    """Listed dependencies that differ."""
    decks: tuple[PlannedDeck, ...]
    removed: tuple[Removed, ...] = ()
    loosened: tuple[Change, ...] = ()
    edited_gold: tuple[Change, ...] = ()


def _compare(base: Suite | None, head: Suite, *, renames: Mapping[str, str], workflow_changed: bool) -> _Compared:
    if base is None:
        return _Compared(olds=[None] * len(head.cases), unpaired=frozenset(), decks=_all_decks((), head.decks))
    pairs = pair_cases(base.cases, head.cases, renames=renames)
    dependencies = changed_dependencies(base.dependencies, head.dependencies)
    always = {Reason.DEPENDENCY: bool(dependencies), Reason.SAMPLING: workflow_changed}
    both = zip(pairs.olds, head.cases, strict=True)
    changed = [(old, case) for old, case in both if old is not None and not same(old, case)]
    decks, gone = pair_decks(base.decks, head.decks)
    gold = [change for deck, old in decks if old for change in edited_gold(old, deck)]
    return _Compared(
        olds=pairs.olds,
        unpaired=frozenset({Reason.NEW}),
        always=frozenset(reason for reason, holds in always.items() if holds),
        dependencies=dependencies,
        decks=tuple(_planned_decks(decks)),
        removed=(*_removed_cases(base, head, pairs), *_removed_of_decks(decks, gone)),
        loosened=tuple(change for old, new in changed for change in loosened(old, new)),
        edited_gold=(*(change for old, new in changed for change in edited_expected(old, new)), *gold),
    )


def _affected(head: Suite, compared: _Compared, choice: Choice, *, everything: bool) -> list[PlannedCase]:
    planned = [
        _planned(case, old, compared, asked=everything or (choice.named and choice.takes(case)))
        for case, old in zip(head.cases, compared.olds, strict=True)
    ]
    return [item for item in planned if item is not None]


def _planned(case: Case, old: Case | None, compared: _Compared, *, asked: bool) -> PlannedCase | None:
    """Return the case as it is drawn, or None when nothing asks for it."""
    differing: set[Reason] = set()
    if old is not None and not same(old, case):
        differing = case_reasons(fingerprint.of_case(old), fingerprint.of_case(case))
    reasons = differing.union(compared.unpaired if old is None else compared.always)
    if not reasons and not asked:
        return None
    files = changed_uses(old, case, differing).union(compared.dependencies) if old is not None and reasons else ()
    return PlannedCase(
        case=case,
        fingerprints=fingerprint.of_case(case),
        reasons=ordered(reasons or {Reason.ALL}),
        changed_files=tuple(sorted(files)),
        base_case=old,
    )


def _planned_decks(pairs: Sequence[tuple[Deck, Deck | None]]) -> list[PlannedDeck]:
    planned = []
    for deck, old in pairs:
        reasons = {Reason.NEW} if old is None else deck_reasons(old, deck)
        if reasons:
            planned.append(PlannedDeck(deck=deck, fingerprint=fingerprint.deck(deck), reasons=ordered(reasons)))
    return planned


def _all_decks(planned: Sequence[PlannedDeck], decks: Sequence[Deck]) -> tuple[PlannedDeck, ...]:
    """Return every deck: those that are affected with their reasons, the others since all were asked for."""
    known = {item.deck.name: item for item in planned}
    return tuple(
        known.get(deck.name) or PlannedDeck(deck=deck, fingerprint=fingerprint.deck(deck), reasons=(Reason.ALL,))
        for deck in decks
    )


def _removed_cases(base: Suite, head: Suite, pairs: Pairs) -> list[Removed]:
    """List the golden files of which nothing is left, then every case that is gone."""
    kept = {*head.golden_paths, *(old.path for old in pairs.olds if old is not None)}
    files = [Removed(kind="file", path=path, id=None) for path in base.golden_paths if path not in kept]
    return files + [Removed(kind="case", path=case.path, id=case.id) for case in pairs.removed]


def _removed_of_decks(decks: Sequence[tuple[Deck, Deck | None]], gone: Sequence[Deck]) -> list[Removed]:
    """List the fixtures that are gone from a deck, then the decks that are gone."""
    removed = []
    for deck, old in decks:
        names = {fixture.id for fixture in deck.fixtures}
        fixtures = old.fixtures if old is not None else ()
        removed += [Removed(kind="fixture", path=deck.path, id=item.id) for item in fixtures if item.id not in names]
    return removed + [Removed(kind="deck", path=deck.path, id=deck.name) for deck in gone]


def _notes(base: Suite | None, force_all: str | None, *, workflow_changed: bool) -> list[str]:
    notes = [] if force_all is None else [f"Every case is drawn: {force_all}."]
    if workflow_changed:
        notes.append("The workflow that started this run differs from base, so every case is affected.")
    if base is not None and base.problems:
        first = base.problems[0]
        number = len(base.problems)
        found = "a problem was" if number == 1 else f"{number:,} problems were"
        notes.append(f"At base {found} found, so that cases may count as new: {first}")
    return notes
