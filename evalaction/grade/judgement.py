"""A case that a judge grades: whose its flips are, and whether its judge passed an exam. Pure.

The judge is shown a text and nothing of where it came from, so that two labels for one text are the judge's doing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from evalaction.records.case import CaseJudge
from evalaction.records.deck import Deck
from evalaction.records.deck_result import DeckResult, Judgement
from evalaction.records.gate import GateName, Verdict
from evalaction.records.judge import Judged, Outcome
from evalaction.records.report import CaseResult, DrawState, GradedDraw

NO_DECK = "no deck has its rubric, labels and judge"
_EXAM = (GateName.JUDGE_FLIP, GateName.JUDGE_GOLD)
"""What a judge has to pass to count as tested, whether or not it fails the run. Its replies have to be independent
too: one that is shown again flips nowhere.
"""


def with_judgement(result: CaseResult, decks: Sequence[DeckResult]) -> CaseResult:
    """Return a case with whose its flips are and what its judge is worth; unchanged where no judge grades it.

    The flips are the draws that do not give the modal answer, the first mode's where labels tie; all draws where none
    was answered. One that did not come, or that the judge could not be asked about, is the transport's. One whose text
    got two labels, or none, is the judge's: over its own repeats and over all draws of the very same text, those with
    the modal answer among them. Any other is the model's, as is a reply that is no text to be graded.

    Args:
        result: of the case.
        decks: all that were run.
    """
    judge = result.planned.case.contract.judge
    if judge is None:
        return result
    said = _labels_by_text(result.draws)
    modal = result.modes[0].draws if result.modes else ()
    whose = [_whose(draw, said) for draw in result.draws if draw.draw.index not in modal]
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


def _whose(draw: GradedDraw, said: dict[str | None, set[str | None]]) -> str:
    """Return whose doing it is that a draw does not give the modal answer."""
    if draw.state is DrawState.MISSING:
        return "transport"
    if not draw.opinions:
        return "model"
    labels = said[_text(draw)]
    return "judge" if len(labels) > 1 or None in labels else "model"


def _untested(decks: Sequence[DeckResult]) -> str | None:
    if not decks:
        return NO_DECK
    found = [(deck.planned.deck.name, _lacks(deck)) for deck in decks]
    return ", ".join(f"its deck {name} {lacks}" for name, lacks in found if lacks is not None) or None


def _lacks(deck: DeckResult) -> str | None:
    """Return what keeps a deck from speaking for its judge; None when it does.

    An exam that was not met is not met, and a reply that may not be fresh is no second one, also where the workflow
    has either warn.
    """
    verdicts = {gate.verdict for gate in deck.gates if gate.name in _EXAM}
    if any(gate.verdict is Verdict.FAIL and (gate.name in _EXAM or not gate.warns) for gate in deck.gates):
        return "fails"
    if any(gate.name is GateName.INDEPENDENCE for gate in deck.gates):
        return "has replies that may not be fresh"
    if Verdict.UNMEASURED in (deck.verdict, *verdicts):
        return "is unmeasured" if deck.answered else "was not run"
    return None
