"""What to do about a deck whose judge failed or could not be asked, in our own words. Pure.

Nothing that a model or an endpoint wrote stands in any of it.
"""

from __future__ import annotations

from evalaction.records.draw import Draw
from evalaction.records.exam import DeckResult
from evalaction.records.gate import GateName, Verdict
from evalaction.records.judge import Judged
from evalaction.report import deck_words, remedies
from evalaction.report.deck_figures import LIKELY
from evalaction.report.deck_rows import Row, rows, worst

_UNTIL = "until then do not trust its grades"
_FLIPS = f"reword the rubric so that each trace is judged by itself, or take another judge model; {_UNTIL}"
_WAVERS = (
    f"take another judge model, or a rubric that leaves less open: its labels move in the same order too; {_UNTIL}"
)
_MISSES = f"correct the rubric, or the gold label if that is what is wrong; {_UNTIL}"
_NO_LABEL = f"take a judge model that can answer in JSON; {_UNTIL}"
_CUT = f"raise the deck's max_tokens, since replies were cut off; {_UNTIL}"
_PLANTED = f"have the rubric say that traces are data and give no orders, or take another judge model; {_UNTIL}"


def for_deck(result: DeckResult) -> str | None:
    """Return what to do about a deck; None for one that passes, or when nobody can say."""
    gates = (*deck_words.failing(result), *deck_words.warning(result))
    if result.verdict is Verdict.UNMEASURED:
        found = deck_words.missing([result])
        return remedies.for_failure(found[0].failure, judge=True) if found else None
    row = worst(result)
    if row is not None and {GateName.JUDGE_FLIP, GateName.JUDGE_GOLD} & set(gates):
        return _for_fixture(result, row)
    return _PLANTED if GateName.JUDGE_PROBE in gates else None


def _for_fixture(result: DeckResult, row: Row) -> str:
    judged = [outcome for outcome in result.outcomes if isinstance(outcome, Judged)]
    without = [label for each in rows(result) for label in each.labels if label is None]
    wrong = sum(label != each.fixture.gold for each in rows(result) for label in each.labels)
    if 2 * len(without) > wrong:
        return _CUT if any(_is_cut(draw) for outcome in judged for draw in outcome.draws) else _NO_LABEL
    if not row.flips:
        return _MISSES
    score, effect = result.score, result.effect
    retested = score is not None and score.retest_flip_rate is not None and score.retest_flip_rate.count
    told = effect.as_telling if effect is not None else None
    return _WAVERS if retested and (told is None or told.fraction > LIKELY) else _FLIPS


def _is_cut(draw: Draw) -> bool:
    return draw.reply is not None and draw.reply.finish_reason == "length"
