"""What a run cost: calls, tokens, failed requests; and what it did not draw itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evalaction.fingerprint import short
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Draw
from evalaction.records.judge import Outcome
from evalaction.records.manifest import Replays, Tokens
from evalaction.records.report import CaseResult, Report
from evalaction.report.tally import came
from evalaction.report.untrusted import Phrase, Quoted, quoted
from evalaction.suite.words import count

_RUNS, _KINDS, _KIND = 3, 4, 40
"""Runs and kinds of failures that a sentence names, and characters of a kind."""


def judges_draws(cases: Iterable[CaseResult], decks: Iterable[DeckResult]) -> Iterator[Draw]:
    """Yield everything that came of a request to a judge, and what did not."""
    for outcome in _outcomes(cases, decks):
        yield from outcome.draws


def _outcomes(cases: Iterable[CaseResult], decks: Iterable[DeckResult]) -> Iterator[Outcome]:
    for case in cases:
        if case.planned.case.contract.judge is not None:
            for graded in case.draws:
                yield from graded.opinions
    for deck in decks:
        yield from deck.outcomes
        yield from deck.further


def replay_note(cases: Sequence[CaseResult], decks: Sequence[DeckResult], replays: Sequence[Replays]) -> str | None:
    """Return how much was not drawn in this run, and where it comes from; None for a run that drew all it shows.

    ``120 of 1,000 draws were read from the ledger of run 3f2a9c41b7d0, begun 2026-11-30T12:00:00+00:00: they were not
    drawn again``
    """
    if not replays:
        return None
    named = ", ".join(_run(each, alone=len(replays) == 1) for each in replays[:_RUNS])
    more = f" and of {count(len(replays) - _RUNS, 'more run')}" if len(replays) > _RUNS else ""
    runs = "run" if len(replays) == 1 else "runs"
    what, number = replayed(cases, decks, replays)
    one = number == 1
    were, they = ("was", "it was") if one else ("were", "they were")
    return f"{what} {were} read from the ledger of {runs} {named}{more}: {they} not drawn again"


def replayed(cases: Sequence[CaseResult], decks: Sequence[DeckResult], replays: Sequence[Replays]) -> tuple[str, int]:
    """Return ``120 of 1,000 draws and 3 of 18 judges' replies``, and how many that is together."""
    draws, replies = (sum(each.draws for each in replays), sum(each.replies for each in replays))
    of_draws = sum(len(case.draws) for case in cases)
    of_replies = sum(draw.reply is not None for draw in judges_draws(cases, decks)) if replies else 0
    said = [f"{draws:,} of {count(of_draws, 'draw')}"] if draws else []
    said += [f"{replies:,} of {of_replies:,} judges' replies"] if replies else []
    return " and ".join(said), draws + replies


def _run(each: Replays, *, alone: bool) -> str:
    began = "" if each.began is None else f", begun {each.began}" if alone else f" (begun {each.began})"
    return f"{short(each.run)}{began}"


def calls_words(report: Report) -> list[str]:
    """Return the calls of a run, and the draws that they brought where one asks for several."""
    calls = report.manifest.calls
    if not calls.made:
        return [f"0 calls ({calls.planned:,} planned)" if report.cases or report.decks else "0 calls"]
    split = [f"{calls.planned:,} planned"]
    if calls.judge:
        split.append(f"{calls.judge:,} to judges")
    split.append(f"{calls.retried:,} retried")
    if calls.repaired:
        split.append(f"{calls.repaired:,} repaired")
    parts = [f"{count(calls.made, 'call')} ({', '.join(split)})"]
    return [*parts, said] if (said := draws_words(report)) else parts


def draws_words(report: Report) -> str:
    """Return ``1,000 draws in 200 requests``, those that were answered; empty where each draw has one of its own."""
    several = any(case.planned.case.sampling.samples_per_request > 1 for case in report.cases)
    calls = report.manifest.calls
    return f"{count(calls.draws, 'draw')} in {count(calls.answered, 'request')}" if several and calls.draws else ""


def faults_words(report: Report) -> Phrase:
    """Return which requests failed: ``37 requests failed and were made good: HTTP 429 × 30, timeout × 7``."""
    faults = report.manifest.faults
    if not faults:
        return ()
    total = sum(number for _, number in faults)
    some = [case for case in report.cases if case.measured < case.planned.case.n]
    lost = any(graded.draw.tries and not came(graded) for case in some for graded in case.draws)
    lost = lost or any(draw.tries and draw.reply is None for draw in judges_draws(report.cases, report.decks))
    good = "" if lost else f" and {'was' if total == 1 else 'were'} made good"
    kinds: list[str | Quoted] = []
    for kind, number in faults[:_KINDS]:
        kinds += [", " if kinds else ": ", quoted(kind, _KIND), f" × {number:,}"]
    more = len(faults) - _KINDS
    return (f"{count(total, 'request')} failed{good}", *kinds, *([f" and {more:,} more"] if more > 0 else []))


def tokens_words(tokens: Tokens) -> str:
    """Return ``720 prompt + 216 completion tokens (180 for reasoning), 64 from the prompt cache``."""
    about = f"about {tokens.total:,}" if tokens.total and tokens.estimated else ""
    kinds = ((tokens.prompt, "prompt"), (tokens.completion, "completion"))
    counted = [f"{number:,} {name}" for number, name in kinds if number is not None]
    if not counted:
        return f"{about} tokens, estimated" if about else "tokens not counted by the endpoint"
    said = f"{' + '.join(counted)} tokens"
    said += f" ({tokens.reasoning:,} for reasoning)" if tokens.reasoning else ""
    said += f", {tokens.cached:,} from the prompt cache" if tokens.cached else ""
    return f"{said}; {about} in all, estimated where the endpoint does not count" if about else said


def seconds(wall: float) -> str:
    """Return ``0.4 s``, ``14 s`` or ``3 min 20 s``."""
    whole = round(wall)
    if wall < 10:  # noqa: PLR2004 - tenths of a longer time say nothing
        return f"{wall:.1f} s"
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"  # noqa: PLR2004 - a minute
