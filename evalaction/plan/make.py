"""Two suites → what is drawn, why, and what is not. Pure.

Cases are compared by fingerprint, never by the text of their lines: a golden file that was reordered,
reformatted or re-encoded affects nothing, and a changed include affects every case whose rendering it changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalaction import fingerprint
from evalaction.frozen import frozen
from evalaction.plan.changes import edited_expected, loosened
from evalaction.plan.decks import ComparedDecks, choose_decks, compare_decks
from evalaction.plan.narrow import NO_CASE, Choice, choose
from evalaction.plan.pairs import Pairs, pair_cases
from evalaction.plan.reasons import case_reasons, changed_dependencies, changed_uses, ordered, same
from evalaction.records.case import Case
from evalaction.records.plan import Change, Plan, PlannedCase, Reason, Removed
from evalaction.records.suite import Suite


def make_plan(
    base: Suite | None,
    head: Suite,
    *,
    renames: Mapping[str, str],
    force_all: str | None = None,
    workflow_changed: bool = False,
    cases: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    decks_only: bool = False,
) -> Plan:
    """Plan what is drawn and judged.

    Args:
        base: the suite before the change; None when it could not be had, and then everything is affected.
        head: the suite with the change.
        renames: path at head → path at base.
        force_all: why every case is drawn and every deck judged, whatever changed; None for what is affected.
        workflow_changed: the workflow that started the run differs, and with it what it may say of sampling.
        cases: narrow the plan to these: ``ID`` or ``PATH#ID``.
        tags: narrow the plan to cases with any of these; of decks, to those of the judges of chosen cases.
        decks_only: judge every deck, affected or not, and draw no case.

    Raises:
        BadInput: a case or a tag to narrow to does not exist.
    """
    choice = NO_CASE if decks_only else choose(head.cases, names=cases, tags=tags)
    compared = _compare(base, head, renames=renames, workflow_changed=workflow_changed)
    everything = base is None or force_all is not None
    affected = _affected(head, compared, choice, everything=everything)
    drawn = tuple(planned for planned in affected if choice.takes(planned.case))
    chosen = choose_decks(
        compared.of_decks, drawn=drawn, everything=everything or decks_only, narrowed=bool(choice.keys)
    )
    forced = None if decks_only else force_all
    return Plan(
        cases=drawn,
        decks=chosen.decks,
        removed=(*compared.removed, *compared.of_decks.removed),
        loosened=(*compared.loosened, *compared.of_decks.loosened),
        edited_gold=(*compared.edited_gold, *compared.of_decks.edited_gold),
        unaffected=len(head.cases) - len(affected),
        total=len(head.cases),
        chosen=choice.words,
        not_chosen=len(affected) - len(drawn),
        notes=_notes(base, head, forced=forced, workflow_changed=workflow_changed, left_out=chosen.left_out),
        unread=() if base is None else base.problems,
    )


@frozen
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
    of_decks: ComparedDecks
    removed: tuple[Removed, ...] = ()
    """Cases and files; likewise below."""
    loosened: tuple[Change, ...] = ()
    edited_gold: tuple[Change, ...] = ()


def _compare(base: Suite | None, head: Suite, *, renames: Mapping[str, str], workflow_changed: bool) -> _Compared:
    if base is None:
        nothing = ComparedDecks(decks=head.decks, reasons=[frozenset()] * len(head.decks))
        return _Compared(olds=[None] * len(head.cases), unpaired=frozenset(), of_decks=nothing)
    pairs = pair_cases(base.cases, head.cases, renames=renames)
    dependencies = changed_dependencies(base.dependencies, head.dependencies)
    holding = {Reason.DEPENDENCY: bool(dependencies), Reason.SAMPLING: workflow_changed}
    always = frozenset(reason for reason, holds in holding.items() if holds)
    both = zip(pairs.olds, head.cases, strict=True)
    changed = [(old, case) for old, case in both if old is not None and not same(old, case)]
    return _Compared(
        olds=pairs.olds,
        unpaired=frozenset({Reason.NEW}),
        always=always,
        dependencies=dependencies,
        of_decks=compare_decks(base.decks, head.decks, renames=renames, always=always),
        removed=tuple(_removed_cases(base, head, pairs)),
        loosened=tuple(change for old, new in changed for change in loosened(old, new)),
        edited_gold=tuple(change for old, new in changed for change in edited_expected(old, new)),
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
    )


def _removed_cases(base: Suite, head: Suite, pairs: Pairs) -> list[Removed]:
    """List the golden files of which nothing is left, then every case that is gone."""
    kept = {*head.golden_paths, *(old.path for old in pairs.olds if old is not None)}
    files = [Removed(kind="file", path=path, id=None) for path in base.golden_paths if path not in kept]
    return files + [Removed(kind="case", path=case.path, id=case.id) for case in pairs.removed]


def _notes(
    base: Suite | None, head: Suite, *, forced: str | None, workflow_changed: bool, left_out: int
) -> tuple[str, ...]:
    notes = []
    cases, decks = bool(head.cases), bool(head.decks)
    if forced is not None and (cases or decks):
        done = [*(["every case is drawn"] if cases else []), *(["every deck is judged"] if decks else [])]
        notes.append(f"{' and '.join(done).capitalize()}: {forced}.")
    if workflow_changed and (cases or decks):
        which = [*(["every case"] if cases else []), *(["every deck"] if decks else [])]
        notes.append(f"The workflow that started this run differs from base, so {' and '.join(which)} is affected.")
    if base is not None and base.problems:
        first = base.problems[0]
        number = len(base.problems)
        found = "a problem was" if number == 1 else f"{number:,} problems were"
        notes.append(f"At base {found} found, so that cases may count as new: {first}")
    if left_out:
        which_are = "1 affected deck is" if left_out == 1 else f"{left_out:,} affected decks are"
        notes.append(f"{which_are} not among what was chosen.")
    return tuple(notes)
