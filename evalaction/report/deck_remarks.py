"""What a run says of the files of its decks: judges that fail, or that could not be asked. Pure.

Nothing that a model or an endpoint wrote stands in any of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from evalaction.records.draw import Cause
from evalaction.records.exam import DeckResult
from evalaction.records.gate import Verdict
from evalaction.records.report import Report
from evalaction.report import deck_remedies, deck_rows, deck_words, remedies, words
from evalaction.report.headline import PRODUCT
from evalaction.report.lead import failed_probes
from evalaction.report.remark import Level, Remark
from evalaction.report.untrusted import Phrase


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
                    *_next(deck),
                ),
                path=path,
                line=line,
            )


def unmeasured(report: Report, level: Level) -> Iterator[Remark]:
    """Yield a remark for each cause that kept decks from being measured.

    Args:
        report: the run.
        level: how much it weighs.
    """
    found: dict[object, tuple[deck_words.Unanswered | None, list[DeckResult]]] = {}
    for deck in report.decks:
        if deck.verdict is Verdict.UNMEASURED:
            group = next(iter(deck_words.missing([deck])), None)
            key = None if group is None else (group.failure.cause, words.status(group.failure))
            found.setdefault(key, (group, []))[1].append(deck)
    for group, decks in found.values():
        first, more = decks[0], len(decks) - 1
        others = f" and {words.count(more, 'more deck')}" if more else ""
        cause = ": see the step summary" if group is None else f": {group.cause}"
        yield Remark(
            level=level,
            kind="unmeasured deck",
            title=f"{PRODUCT}: not measured",
            message=(
                "The judge of ",
                deck_words.name(first),
                f"{others} could not be measured{cause}. ",
                *_step(group),
            ),
            path=first.planned.deck.path,
            number=len(decks),
        )


def warning(report: Report) -> Iterator[Remark]:
    """Yield a warning for each deck whose judge fails a probe that only warns."""
    decks = [deck for deck in report.decks if deck_words.warning(deck)]
    said = dict(zip([deck.planned.deck.name for deck in decks], failed_probes(report), strict=False))
    for deck in decks:
        phrase = said.get(deck.planned.deck.name)
        yield Remark(
            level=Level.WARNING,
            kind="warning",
            title=f"{PRODUCT}: warns on {', '.join(deck_words.warning(deck))}",
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


def _next(deck: DeckResult) -> Phrase:
    said = deck_remedies.for_deck(deck)
    return () if said is None else (remedies.sentence(said),)


def _step(group: deck_words.Unanswered | None) -> Phrase:
    if group is None or group.failure.cause is Cause.HELD:
        return ()
    return (remedies.sentence(remedies.for_failure(group.failure, judge=True)),)
