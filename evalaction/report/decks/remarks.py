"""What a run says of the files of its decks: judges that fail, or that could not be asked. Pure.

Nothing that a model or an endpoint wrote stands in any of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause
from evalaction.records.gate import GateName, Verdict
from evalaction.records.report import Report
from evalaction.report import fresh, remedies, roots, words
from evalaction.report.decks import remedies as deck_remedies
from evalaction.report.decks import rows as deck_rows
from evalaction.report.decks import words as deck_words
from evalaction.report.headline import PRODUCT
from evalaction.report.lead import failed_probes
from evalaction.report.remark import Level, Remark
from evalaction.report.roots import Root
from evalaction.report.untrusted import Phrase

STALE_REPLIES = "replies that may not be fresh"


def failing(report: Report) -> Iterator[Remark]:
    """Yield an error for each deck that fails, on the line of its worst fixture."""
    for deck in report.decks:
        if deck.verdict is Verdict.FAIL:
            path, line = _place(deck)
            yield Remark(
                level=Level.ERROR,
                kind="failing deck",
                title=f"{PRODUCT}: fails on {', '.join(deck_words.failing(deck))}",
                message=(
                    *deck_words.sentence(deck, show=False),
                    f" In all: {deck_words.why(deck)}; run because {', '.join(deck.planned.reasons)}. ",
                    *remedies.as_sentence(deck_remedies.for_deck(deck)),
                ),
                path=path,
                line=line,
            )


def unmeasured(report: Report, level: Level) -> Iterator[Remark]:
    """Yield a remark for each cause that kept decks from being measured, replies that may not be fresh among them.

    Args:
        report: the run.
        level: how much it weighs.
    """
    found: dict[object, tuple[Root | None, list[DeckResult]]] = {}
    for deck in report.decks:
        if deck.verdict is Verdict.UNMEASURED:
            root = roots.of_deck(deck, report)
            key = fresh.is_cause(deck) if root is None else root.key
            found.setdefault(key, (root, []))[1].append(deck)
    for root, decks in found.values():
        first, more = decks[0], len(decks) - 1
        others = f" and {words.count(more, 'more deck')}" if more else ""
        cause = f": {STALE_REPLIES}" if fresh.is_cause(first) else ": see the step summary"
        cause = cause if root is None else f": {root.cause}"
        yield Remark(
            level=level,
            kind="unmeasured deck",
            title=f"{PRODUCT}: not measured",
            message=(
                "The judge of ",
                deck_words.name(first),
                f"{others} could not be measured{cause}. ",
                *_step(first, root),
            ),
            path=first.planned.deck.path,
            number=len(decks),
        )


def not_independent(report: Report) -> Iterator[Remark]:
    """Yield a warning for the decks whose replies may not be fresh, where that only warns."""
    decks = [deck for deck in report.decks if (gate := fresh.gate_of(deck)) is not None and gate.warns]
    if decks:
        others = f" and of {words.count(len(decks) - 1, 'more deck')}" if len(decks) > 1 else ""
        yield Remark(
            level=Level.WARNING,
            kind="warning",
            title=f"{PRODUCT}: draws not independent",
            message=("Replies of the judge of ", deck_words.name(decks[0]), f"{others} may not be fresh."),
            path=decks[0].planned.deck.path,
            number=len(decks),
        )


def warning(report: Report) -> Iterator[Remark]:
    """Yield a warning for each deck whose judge fails a gate that only warns."""
    probed = [deck for deck in report.decks if GateName.JUDGE_PROBE in deck_words.warning(deck)]
    said = dict(zip([deck.planned.deck.name for deck in probed], failed_probes(report), strict=True))
    for deck in report.decks:
        names = deck_words.warning(deck)
        if not names:
            continue
        phrase = said.get(deck.planned.deck.name)
        yield Remark(
            level=Level.WARNING,
            kind="warning",
            title=f"{PRODUCT}: warns on {', '.join(names)}",
            message=phrase if phrase is not None else ("The judge of ", deck_words.name(deck), "."),
            path=deck.planned.deck.path,
        )


def _place(deck: DeckResult) -> tuple[str, int | None]:
    """Return the file and the line of a deck's worst fixture, or of the deck where no fixture is wrong."""
    row = deck_rows.worst(deck)
    made = deck.planned.deck
    if row is not None:
        return made.path, row.fixture.line
    return (made.config_path, made.line) if made.config_path else (made.path, None)


def _step(deck: DeckResult, root: Root | None) -> Phrase:
    if fresh.is_cause(deck):
        return remedies.as_sentence(deck_remedies.for_deck(deck))
    if root is None or root.failure.cause is Cause.HELD:
        return ()
    return (remedies.sentence(remedies.for_failure(root.failure, judge=root.judge)),)
