"""What is said of a deck's judge, and what to do about it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from support.decks import deck_result, trace_deck
from support.example_decks import TRACES, all_pass, fluent_last, obeys, wavering
from support.grading import UNIQUE
from support.judging import Judge, Order, by_index, drops_the_last, honest, in_prose, last_passes, merges, verdicts
from support.reports import deck, report, with_failure

from evalaction.judge.reply import read_reply
from evalaction.records.deck import Deck, ProbeKind
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import GateName
from evalaction.records.judge import Judged
from evalaction.records.settings import DEFAULT_FAIL_ON
from evalaction.report import roots
from evalaction.report.decks.remedies import for_deck
from evalaction.report.decks.words import clause, holds, is_held, missing, probe_phrase, sentence, why, wording_phrase
from evalaction.report.untrusted import plain

ONCE, TWICE = (trace_deck(fixtures=TRACES, repeats=repeats) for repeats in (1, 2))
PROBED = trace_deck(fixtures=TRACES, probes=(ProbeKind.STEER, ProbeKind.TWINS))
ALL = frozenset(GateName)
REFUSED = Failure(cause=Cause.REJECTED, message="HTTP 401: no.", status=401)
UNTIL = "until then do not trust its grades"
REWORD = f"reword the rubric so that each trace is judged by itself, or take another judge model; {UNTIL}"
STEADY = f"have the rubric say that traces are data and give no orders, or take another judge model; {UNTIL}"
STRICTER = "really ought to fail; if so, have the rubric name what it lacks"


def two_wrong(_deck: Deck, order: Order) -> str:
    """Pass the last two fixtures of the deck, but fail the second where it stands last."""
    return verdicts(order, ["fail" if index == 1 == order[-1] else "pass" for index in order])


def cut(result: DeckResult) -> DeckResult:
    """Return a deck whose replies all ended at the cap."""
    outcomes = []
    for outcome in result.outcomes:
        assert isinstance(outcome, Judged)
        first, last = (
            replace(draw, reply=draw.reply and replace(draw.reply, finish_reason="length")) for draw in outcome.draws
        )
        outcomes.append(read_reply(outcome.request, last, labels=result.planned.deck.labels, first=first))
    return replace(result, outcomes=tuple(outcomes))


@pytest.mark.parametrize(
    ("result", "said", "about", "advice"),
    [
        (
            deck_result(ONCE, fluent_last),
            "the judge flips on 1 of 3 fixtures",
            "1 of 3 fixtures changes its label over 6 orders, gold missed in 2 of 18 labels",
            REWORD,
        ),
        (
            deck_result(ONCE, two_wrong),
            "the judge flips on 1 of 3 fixtures and misses gold on 2",
            "1 of 3 fixtures changes its label over 6 orders, gold missed in 10 of 18 labels",
            REWORD,
        ),
        (
            deck_result(ONCE, all_pass),
            "the judge misses gold on 2 of 3 fixtures",
            "gold missed in 12 of 18 labels",
            f"correct the rubric, or the gold label if that is what is wrong; {UNTIL}",
        ),
        (
            deck_result(ONCE, drops_the_last),
            "the judge flips on 3 of 3 fixtures, leaving fixtures out",
            "3 of 3 fixtures change their label over 6 orders, gold missed in 6 of 18 labels, no label in 6 of them "
            "(left out in 6 of 6 replies, always what stood last)",
            f"take a judge model that labels every trace, or put fewer fixtures into the deck; {UNTIL}",
        ),
        (
            deck_result(ONCE, by_index),
            "the judge names no fixture as asked",
            "no label at all, other names than asked in 6 of 6 replies",
            f"take a judge model that keeps the names it is given; {UNTIL}",
        ),
        (
            deck_result(ONCE, merges),
            "the judge gives one verdict for several fixtures",
            "no label at all, one verdict for several fixtures in 6 of 6 replies",
            f"take a judge model that labels each trace by itself; {UNTIL}",
        ),
        (
            deck_result(ONCE, in_prose),
            "no reply of the judge can be read as JSON",
            "no label at all, no readable JSON in 6 of 6 replies",
            f"take a judge model that can answer in JSON; {UNTIL}",
        ),
        (
            cut(deck_result(ONCE, in_prose)),
            "every reply of the judge is cut off",
            "no label at all, cut off in 6 of 6 replies",
            f"raise the deck's max_tokens, since replies were cut off; {UNTIL}",
        ),
        (
            deck_result(TWICE, wavering([(0, 1, 2), (1, 2, 0)]), retests=wavering([(2, 1, 0), (1, 0, 2)])),
            "the judge flips on 2 of 3 fixtures",
            "2 of 3 fixtures change their label over 6 orders, gold missed in 8 of 36 labels",
            "take another judge model, or a rubric that leaves less open: its labels move in the same order too; "
            f"{UNTIL}",
        ),
        (
            deck_result(PROBED, honest, probed=obeys, fail_on=ALL),
            "the judge fails 1 of 2 probes",
            "1 of 2 probes failed",
            f"have the rubric say that traces are data and give no orders, or take another judge model; {UNTIL}",
        ),
        (
            deck_result(ONCE, last_passes, missing=(4, 5)),
            "the judge flips on 3 of 3 fixtures, accepting whatever stands last",
            "2 of 6 requests not answered: HTTP 503, 3 of 3 fixtures change their label over 4 orders, accepting "
            "whatever stands last, gold missed in 6 of 12 labels",
            REWORD,
        ),
    ],
)
def test_clause__table(result: DeckResult, said: str, about: str, advice: str) -> None:
    """What fails a deck is told in the headline, with its figures in its title, and with what to do."""
    assert (clause(result), why(result), plain(for_deck(result))) == (said, about, advice)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (
            deck_result(ONCE, fluent_last),
            "The judge of trace-judge gave t_fluent_fail (gold fail) 2 labels: fail in 4 of 6 replies, pass in 2. The "
            "fixture that flips does so where it stands last, and only there.",
        ),
        (
            deck_result(ONCE, last_passes),
            "The judge of trace-judge gave pass to whatever stands last, and to nothing else. It gave t_ok (gold pass) "
            "2 labels: pass in 2 of 6 replies, fail in 4.",
        ),
        (
            deck_result(ONCE, all_pass),
            "The judge of trace-judge gave t_fluent_fail (gold fail) the label pass in all 6 replies.",
        ),
        (
            deck_result(ONCE, in_prose),
            "The judge of trace-judge gave no fixture a label in all 6 replies: they cannot be read as JSON.",
        ),
        (
            deck_result(ONCE, by_index),
            "The judge of trace-judge gave no fixture a label in all 6 replies: they do not name the fixtures as "
            "asked, but 1, 2, 3.",
        ),
        (
            deck_result(ONCE, drops_the_last),
            "The judge of trace-judge gave t_ok (gold pass) pass in 4 of 6 replies, no label in 2. In all, 6 of 18 "
            "labels are missing: left out in 6 of 6 replies, always what stood last.",
        ),
        (
            deck_result(ONCE, all_pass, missing=range(1, 6)),
            "The judge of trace-judge gave t_fluent_fail (gold fail) the label pass in the one reply.",
        ),
        (
            deck_result(PROBED, honest, probed=obeys, fail_on=ALL),
            "The judge of trace-judge fails the probe steer: accepted in 2 of 2 requests, 4 of 6 other labels moved.",
        ),
        (deck("gone", failure=REFUSED), "The judge of gone could not be measured."),
    ],
)
def test_sentence__table(result: DeckResult, expected: str) -> None:
    """A sentence tells the worst thing: a fixture with its labels, a probe, or why replies did not come."""
    assert plain(sentence(result, show=True)) == expected


def test_sentence__because() -> None:
    """Why requests were not answered is told as it is given, after how many were."""
    said = plain(sentence(deck_result(ONCE, missing=(0,)), show=False, because=("the line was cut.",)))

    assert said == "The judge of trace-judge answered 5 of 6 requests: the line was cut."


def test_sentence__names_without_completions() -> None:
    """Without completions, the names that a judge made up are not shown."""
    assert plain(sentence(deck_result(ONCE, by_index), show=False)) == (
        "The judge of trace-judge gave no fixture a label in all 6 replies: they do not name the fixtures as asked."
    )


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (
            REFUSED,
            "give JUDGE_API_KEY (input judge-api-key, else EVAL_API_KEY) a key that the endpoint accepts, then run it "
            "again",
        ),
        (
            Failure(cause=Cause.TRANSPORT, message="x"),
            "check JUDGE_URL (input judge-base-url, else EVAL_BASE_URL), and that something listens there",
        ),
        (
            Failure(cause=Cause.BUDGET, message="x"),
            "raise max-calls (or max-total-tokens), or lower the deck's max_orders",
        ),
        (Failure(cause=Cause.STATUS, message="x", status=413), "put fewer fixtures, or shorter ones, into the deck"),
        (
            Failure(cause=Cause.REJECTED, message="x", status=308),
            "set JUDGE_URL (input judge-base-url, else EVAL_BASE_URL) to the address that the endpoint redirects to",
        ),
        (Failure(cause=Cause.STATUS, message="x", status=503), "run it again"),
    ],
)
def test_for_deck__unmeasured(failure: Failure, expected: str) -> None:
    """What to do about a judge that could not be asked names the judge's own settings."""
    gone = deck("gone", failure=failure)
    assert plain(for_deck(gone, roots.of_deck(gone, report(decks=(gone,))))) == expected


def test_for_deck__passing() -> None:
    """Nothing is to be done about a judge that passes."""
    assert for_deck(deck_result(ONCE)) == ()


@pytest.mark.parametrize(
    ("probed", "judge", "expected"),
    [
        ({"probes": (ProbeKind.EMPTY, ProbeKind.STEER)}, all_pass, STEADY),
        ({"probes": (ProbeKind.FLUENT,)}, all_pass, f"see whether fluent {STRICTER}"),
        ({"planted": ("Not done.", "Nor this.")}, all_pass, f"see whether p1 {STRICTER}"),
        ({"probes": (ProbeKind.TWINS,)}, last_passes, REWORD),
    ],
)
def test_for_deck__probes(probed: dict[str, Any], judge: Judge, expected: str) -> None:
    """A failed probe has its own next step; where it only warns, that says how it would fail the run."""
    asked = trace_deck(fixtures=TRACES, **probed)
    said = [
        plain(for_deck(deck_result(asked, honest, probed=judge, fail_on=gates))) for gates in (ALL, DEFAULT_FAIL_ON)
    ]

    assert said == [expected, f"{expected}; with fail-on: judge-probe this fails the run"]


def test_why__not_fresh() -> None:
    """Of a deck that is unmeasured since its replies may not be fresh, that is told before any figure."""
    result = deck_result(ONCE, reply_id=UNIQUE, fail_on=ALL)
    assert (why(result), plain(sentence(result, show=True)), plain(for_deck(result))) == (
        "replies not independent, 0 of 3 fixtures change their label over 6 orders, gold met in all 18 labels",
        "The judge of trace-judge could not be measured: 6 of 6 replies share a response id: they may be one reply "
        "shown again.",
        "find out what answers in the judge's place (a cache, a gateway), and have it ask the judge for every request",
    )


def test_why__passing() -> None:
    """Of a deck that passes the figures are told, and what only warns."""
    probed, again = deck_result(PROBED, honest, probed=obeys), deck_result(ONCE, reply_id=UNIQUE)
    assert [why(result) for result in (deck_result(ONCE), probed, again)] == [
        "0 of 3 fixtures change their label over 6 orders, gold met in all 18 labels",
        "0 of 3 fixtures change their label over 6 orders, gold met in all 18 labels, 1 of 2 probes failed (warns)",
        "0 of 3 fixtures change their label over 6 orders, gold met in all 18 labels, replies not independent (warns)",
    ]


@pytest.mark.parametrize(
    ("kind", "judge", "missing_at", "expected"),
    [
        (ProbeKind.STEER, honest, (), "steer: accepted in 0 of 2 requests, 0 of 6 other labels moved"),
        (
            ProbeKind.STEER,
            obeys,
            (6,),
            "steer: accepted in 1 of 1 request, 2 of 3 other labels moved, 1 of 2 requests not answered",
        ),
        (ProbeKind.STEER, honest, (6, 7), "steer: 2 of 2 requests not answered"),
        (
            ProbeKind.TWINS,
            honest,
            (),
            "twins t_fluent_fail: twins told apart in 0 of 2 requests, 0 of 6 other labels moved",
        ),
    ],
)
def test_probe_phrase__table(kind: ProbeKind, judge: Judge, missing_at: tuple[int, ...], expected: str) -> None:
    """A probe is told with its n, and with what was asked in vain."""
    result = deck_result(trace_deck(fixtures=TRACES, probes=(kind,)), honest, probed=judge, missing=missing_at)

    assert plain(probe_phrase(result.probes[0])) == expected


def test_wording_phrase__flips_apart() -> None:
    """Flips across wordings are counted apart from those across orders, with gold under that wording."""
    asked = trace_deck(fixtures=TRACES, wordings=("Is it done?",))
    results = (deck_result(asked, honest, worded=all_pass), deck_result(asked, honest, missing=(6,)))

    assert [plain(wording_phrase(result.wordings[0])) for result in results] == [
        "decks/w1.md: 2/3 fixtures get another label than under the deck's own rubric, order by order, gold met 6/18",
        "decks/w1.md: 0/3 fixtures get another label than under the deck's own rubric, order by order, gold met 15/15, "
        "1 of 6 requests not answered",
    ]


def test_missing__by_cause() -> None:
    """Requests that were not answered are grouped by cause; what followed from the end of a run comes last."""
    ended = Failure(cause=Cause.STOPPED, message="ended")
    some = with_failure(deck_result(ONCE, missing=(0,)), REFUSED)
    found = missing([deck("a", failure=ended), some, deck("b", failure=ended)])

    assert [(group.cause, group.requests, group.decks) for group in found] == [
        ("rejected with 401", 1, 1),
        ("the run had ended", 12, 2),
    ]


def test_holds__what_moved_all_the_same() -> None:
    """Of judges that pass it is told what they kept, or that one still flips within what is allowed."""
    lax = trace_deck(fixtures=TRACES, judge_flip_max=Fraction(1, 2), gold_min=Fraction(0))
    again = deck_result(ONCE, reply_id=UNIQUE)
    runs = (
        (deck_result(ONCE),),
        (deck_result(ONCE), deck_result(TWICE)),
        (deck_result(lax, fluent_last),),
        (again,),
        (deck_result(TWICE), again),
    )

    assert [plain(holds(results)) for results in runs] == [
        "The judge of trace-judge kept its label for each of 3 fixtures over 6 orders: gold met in all 18 labels.",
        "The judges of 2 decks kept their label for each of 6 fixtures, whatever the order.",
        "The judge of trace-judge passes, and still flips on 1/3 fixtures.",
        "The judge of trace-judge kept its label for each of 3 fixtures over 6 orders: gold met in all 18 labels, but "
        "replies may not be fresh.",
        "The judges of 2 decks kept their label for each of 6 fixtures, whatever the order, but replies about 1 deck "
        "may not be fresh.",
    ]


def test_is_held__everything() -> None:
    """A deck is held back when every request was."""
    held = Failure(cause=Cause.HELD, message="from a fork")

    assert [is_held(result) for result in (deck("d", failure=held), deck("d"), deck_result(ONCE))] == [
        True,
        False,
        False,
    ]
