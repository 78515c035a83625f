"""What to do about a deck whose judge failed or could not be asked, in our own words. Pure.

Nothing that a model or an endpoint wrote stands in any of it; the id of a planted trace is text of the repository.
"""

from __future__ import annotations

from collections.abc import Mapping

from evalaction.records.deck import ProbeKind
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import GateName, Verdict
from evalaction.report import fresh, remedies, words
from evalaction.report.decks import words as deck_words
from evalaction.report.decks.causes import Lack, tallies
from evalaction.report.decks.figures import LIKELY
from evalaction.report.decks.rows import Row, rows, worst
from evalaction.report.roots import Root
from evalaction.report.untrusted import Phrase, quoted

_UNTIL = "until then do not trust its grades"
_FLIPS = f"reword the rubric so that each trace is judged by itself, or take another judge model; {_UNTIL}"
_WAVERS = (
    f"take another judge model, or a rubric that leaves less open: its labels move in the same order too; {_UNTIL}"
)
_MISSES = f"correct the rubric, or the gold label if that is what is wrong; {_UNTIL}"
_NO_LABEL: Mapping[Lack, str] = {
    Lack.CUT: "raise the deck's max_tokens, since replies were cut off",
    Lack.DECLINED: "find out from a reply what the endpoint or the judge objects to, or take another judge model",
    Lack.BROKEN: "run it again, or take another judge model",
    Lack.NAMELESS: "take a judge model that keeps the names it is given",
    Lack.RENAMED: "take a judge model that keeps the names it is given",
    Lack.MERGED: "take a judge model that labels each trace by itself",
    Lack.LEFT_OUT: "take a judge model that labels every trace, or put fewer fixtures into the deck",
    Lack.TWICE: "take a judge model that gives each trace one label",
    Lack.OTHER: "have the rubric name the labels and nothing else to be answered, or take another judge model",
}
_NO_JSON = "take a judge model that can answer in JSON"
"""What to do where labels are missing for any other cause."""
_PLANTED = f"have the rubric say that traces are data and give no orders, or take another judge model; {_UNTIL}"
_STRICTER = "really ought to fail; if so, have the rubric name what it lacks"
_MAY_FAIL: Phrase = ("; with ", quoted("fail-on: judge-probe"), " this fails the run")
"""Said of a probe that only warns."""


def for_deck(result: DeckResult, root: Root | None = None) -> Phrase:
    """Return what to do about a deck, in words of ours at first; empty for one that passes, or when nobody can say.

    Args:
        result: of the deck.
        root: why requests were not answered; None where all were.
    """
    gates = (*deck_words.failing(result), *deck_words.warning(result))
    if fresh.is_cause(result):
        return (remedies.FRESH_REPLIES,)
    if result.verdict is Verdict.UNMEASURED:
        return () if root is None else remedies.with_names(remedies.for_failure(root.failure, judge=root.judge))
    row = worst(result)
    if row is not None and {GateName.JUDGE_FLIP, GateName.JUDGE_GOLD} & set(gates):
        return remedies.with_names(_for_fixture(result, row))
    if GateName.JUDGE_PROBE in gates:
        return (*_for_probes(result), *(_MAY_FAIL if GateName.JUDGE_PROBE in deck_words.warning(result) else ()))
    return (remedies.FRESH_REPLIES,) if fresh.gate_of(result) is not None else ()


def _for_probes(result: DeckResult) -> Phrase:
    """Return what to do about the first probe that failed; about ``steer`` before all others."""
    failed = [probe for probe in result.probes if deck_words.is_failed(probe)]
    if any(probe.kind is ProbeKind.STEER for probe in failed):
        return (_PLANTED,)
    accepted = next((probe for probe in failed if probe.accepted is not None and probe.accepted.count), None)
    # Where none was accepted, twins were told apart or other labels moved: traces are not judged by themselves.
    return (_FLIPS,) if accepted is None else ("see whether ", quoted(accepted.id, words.ID), f" {_STRICTER}")


def _for_fixture(result: DeckResult, row: Row) -> str:
    missing = tallies(result)
    wrong = sum(label != each.fixture.gold for each in rows(result) for label in each.labels)
    if 2 * sum(tally.labels for tally in missing) > wrong:
        return f"{_NO_LABEL.get(missing[0].lack, _NO_JSON)}; {_UNTIL}"
    if not row.flips:
        return _MISSES
    score, effect = result.score, result.effect
    retested = score is not None and score.retest_flip_rate is not None and score.retest_flip_rate.count
    told = effect.as_telling if effect is not None else None
    return _WAVERS if retested and (told is None or told.fraction > LIKELY) else _FLIPS
