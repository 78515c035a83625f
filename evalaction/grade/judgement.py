"""A case that a judge grades: whose its flips are, and whether its judge passed an exam. Pure.

The judge is shown a text and nothing of where it came from, so that two labels for one text are the judge's doing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from evalaction.records.case import CaseJudge, Deck
from evalaction.records.exam import DeckResult, Judgement
from evalaction.records.gate import Verdict
from evalaction.records.judge import Judged, Outcome
from evalaction.records.report import CaseResult, DrawState, GradedDraw

NO_DECK = "no deck has its rubric, labels and judge"


def with_judgement(result: CaseResult, decks: Sequence[DeckResult]) -> CaseResult:
    """Return a case with whose its flips are and what its judge is worth; unchanged where no judge grades it.

    Each draw is counted once at most. One that did not come, or that the judge could not be asked about, is the
    transport's. One whose text got two labels, or none, is the judge's: over its own repeats and over all draws of the
    very same text. Of the others, a label that is not the most frequent one is the model's, and so is a reply that is
    no text to be graded; of labels that tie, the first mode's is the most frequent one.

    Args:
        result: of the case.
        decks: all that were run.
    """
    judge = result.planned.case.contract.judge
    if judge is None:
        return result
    said = _labels_by_text(result.draws)
    modal = result.modes[0].answer if result.modes else None
    whose = [_whose(draw, said, modal) for draw in result.draws]
    own = [deck for deck in decks if examines(deck.planned.deck, judge)]
    judgement = Judgement(
        decks=tuple(deck.planned.deck.name for deck in own),
        untested=_untested(own),
        model=whose.count("model"),
        judge=whose.count("judge"),
        transport=whose.count("transport"),
    )
    return replace(result, judgement=judgement)


def examines(deck: Deck, judge: CaseJudge) -> bool:
    """Return whether a deck puts this very judge to the test: by its rubric, labels and sampling, model included."""
    return (deck.rubric, deck.labels, deck.sampling) == (judge.rubric, judge.labels, judge.sampling)


def labels_of(opinions: Iterable[Outcome]) -> list[str | None]:
    """Return the label of each opinion that came; None for one that gives none."""
    return [label for opinion in opinions if isinstance(opinion, Judged) for _, label in opinion.labels.by_alias]


def _text(draw: GradedDraw) -> str | None:
    return draw.ungraded if draw.draw.reply is None else draw.draw.reply.text


def _labels_by_text(draws: Iterable[GradedDraw]) -> dict[str | None, set[str | None]]:
    """Return everything that was said of each text; a draw that is missing tells of its text what did come."""
    said: dict[str | None, set[str | None]] = defaultdict(set)
    for draw in draws:
        said[_text(draw)].update(labels_of(draw.opinions))
    return said


def _whose(draw: GradedDraw, said: dict[str | None, set[str | None]], modal: object) -> str | None:
    """Return whose doing it is that a draw does not agree; None where it does."""
    if draw.state is DrawState.MISSING:
        return "transport"
    if not draw.opinions:
        return "model"
    labels = said[_text(draw)]
    if len(labels) > 1 or None in labels:
        return "judge"
    return "model" if draw.answer != modal else None


def _untested(decks: Sequence[DeckResult]) -> str | None:
    if not decks:
        return NO_DECK
    found = [f"its deck {deck.planned.deck.name} {_lacks(deck)}" for deck in decks if deck.verdict is not Verdict.PASS]
    return ", ".join(found) or None


def _lacks(deck: DeckResult) -> str:
    if deck.verdict is Verdict.FAIL:
        return "fails"
    return "is unmeasured" if deck.answered else "was not run"
