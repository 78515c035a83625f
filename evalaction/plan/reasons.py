"""Why a case or a deck is affected, and which files explain it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from evalaction import fingerprint
from evalaction.records.case import Case, UseRole
from evalaction.records.deck import Deck
from evalaction.records.plan import Fingerprints, Reason
from evalaction.suite.prompt_yml import SUFFIXES
from evalaction.values import JSON, canonical


def same(before: Case, after: Case) -> bool:
    """Tell at a glance that two cases are one: made from the same line, resolved once. False proves nothing."""
    return (
        before.messages is after.messages
        and before.contract is after.contract
        and before.sampling is after.sampling
        and before.n == after.n
    )


def case_reasons(before: Fingerprints, after: Fingerprints) -> set[Reason]:
    """Return which of a case's fingerprints differ."""
    pairs = {
        Reason.PROMPT: (before.prompt, after.prompt),
        Reason.CONTRACT: (before.contract, after.contract),
        Reason.SAMPLING: (before.sampling, after.sampling),
    }
    return {reason for reason, (old, new) in pairs.items() if old != new}


def deck_reasons(before: Deck, after: Deck) -> set[Reason]:
    """Return what of a deck differs; empty when it asks its judge the same and holds it to the same."""
    pairs = {
        Reason.RUBRIC: (_rubrics(before), _rubrics(after)),
        Reason.FIXTURES: (_shown(before), _shown(after)),
        Reason.CONTRACT: (_asked(before), _asked(after)),
        Reason.SAMPLING: (_sampled(before), _sampled(after)),
    }
    # Of JSON: true is not 1, while 1 and 1.0 are one number.
    return {reason for reason, (old, new) in pairs.items() if canonical(old) != canonical(new)}


def changed_uses(before: Case | None, after: Case, reasons: set[Reason]) -> set[str]:
    """Return the files of a case that differ from base and explain its reasons."""
    if before is None:
        return set()
    old = {(use.path, use.role): use.sha256 for use in before.uses}
    return {
        use.path
        for use in after.uses
        if old.get((use.path, use.role)) != use.sha256 and _explains(use.role, use.path, reasons)
    }


def changed_dependencies(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Return the listed dependencies that came, went or differ, sorted."""
    return tuple(sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)))


def ordered(reasons: set[Reason]) -> tuple[Reason, ...]:
    """Return the reasons in the order of ``Reason``."""
    return tuple(reason for reason in Reason if reason in reasons)


def _explains(role: UseRole, path: str, reasons: set[Reason]) -> bool:
    if role in {UseRole.SCHEMA, UseRole.RUBRIC, UseRole.EXPECTED, UseRole.COMMAND}:
        return Reason.CONTRACT in reasons
    return Reason.PROMPT in reasons or (Reason.SAMPLING in reasons and path.endswith(SUFFIXES))


def _rubrics(deck: Deck) -> JSON:
    return [deck.rubric, *(wording.text for wording in deck.wordings)]


def _shown(deck: Deck) -> JSON:
    return [
        [[item.id, item.gold, dict(item.fields)] for item in deck.fixtures],
        [*deck.labels],
        [*deck.show],
        [[item.id, dict(item.fields)] for item in deck.planted],
    ]


def _asked(deck: Deck) -> JSON:
    return [str(deck.judge_flip_max), str(deck.gold_min), [*deck.probes]]


def _sampled(deck: Deck) -> JSON:
    return [fingerprint.parameters(deck.sampling), deck.max_orders, deck.repeats]
