"""What to look at first, and what to do about it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from support.decks import deck_result, judged_case, trace_deck
from support.example_decks import fluent_last
from support.grading import UNIQUE
from support.reports import STUBS, case_result, deck, report

from evalaction.records.case import Grader
from evalaction.records.draw import Cause, Failure, Usage
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.report import Report
from evalaction.report import untrusted
from evalaction.report.lead import lead, missing_draws, next_step, not_independent, not_looked_for, notes

FAILS = case_result("fails", "A B", agreement_min=1)
PASSES = case_result("passes", "A A")
MISSING = case_result("missing", "∅ ∅")
CONTRACT = Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail="", warns=False)
UNMEASURED = Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail="there is no base")
ELSEWHERE = {
    "answers": {
        "A": {"vendor": "a", "total": 1950, "tax": 1},
        "B": {"vendor": "a", "total": 20, "tax": 1},
        "C": {"vendor": "a"},
    },
    "expect_keys": ("vendor",),
    "expect": {"total": 1950, "tax": 1},
}


def failing(strip: str, **said: Any) -> Report:
    """Return a run of one case, with all cases of the suite drawn."""
    return report(case_result("c", strip, **said), unaffected=0)


FLIPS, HOLDS = deck_result(judge=fluent_last), deck_result()
KEPT = "The judge of trace-judge kept its label for each of 3 fixtures over 6 orders: gold met in all 18 labels."
OF_DECKS = tuple(replace(STUBS[0], deck=name) for name in ("a", "b"))


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (failing("A A A A B", agreement_min=1), "c gave 2 answers in 5 draws: 4 of 5 agree, 5 are needed."),
        (
            failing("A A ? ?", agreement_min=1),
            "c gave 1 answer and 2 unreadable draws in 4 draws: 2 of 4 agree, 4 are needed.",
        ),
        (failing("? ?"), "c gave 2 unreadable draws in 2 draws: 0 of 2 agree, 2 are needed."),
        (
            failing("C C", expect={"total_cents": 1950}),
            "c gave one answer in all 2 draws, and it is wrong: 0 of 2 meet the expected value, 2 are needed.",
        ),
        (
            failing("A C", expect={"total_cents": 1950}, agreement_min="0.5"),
            "c misses the expected value in draw 2: 1 of 2 meet it, 2 are needed.",
        ),
        (
            failing("C ∅ ∅ ∅ ∅", expect={"total_cents": 1950}),
            ("c misses the expected value in draw 1: 0 of the 1 draw that came meets it, 5 of 5 are needed."),
        ),
        (
            failing("A A A A ?", expect={"total_cents": 1950}),
            "c misses the expected value in draw 5: 4 of 5 meet it, 5 are needed.",
        ),
        (
            failing("A A B", **ELSEWHERE),
            "c misses the expected value in draw 3 (total 20): 2 of 3 meet it, 3 are needed.",
        ),
        (
            failing("B B", **ELSEWHERE),
            "c misses the expected value in draws 1, 2 (total 20): 0 of 2 meet it, 2 are needed.",
        ),
        (
            failing("A C B ∅", **ELSEWHERE, agreement_min=0),
            (
                "c misses the expected value in draws 2, 3 (total absent in draw 2, tax absent in draw 2, total 20 in"
                " draw 3): 1 of the 3 draws that came meet it, 4 of 4 are needed."
            ),
        ),
        (
            failing("A B C ∅", agreement_min=1),
            "c gave 3 answers: 1 of the 3 draws that came agree, 4 of 4 are needed.",
        ),
        (failing("A ∅", expect_keys=("no",)), "c has the asked form in 0 of the 1 draw that came."),
        (failing("A A", expect_keys=("no",), agreement_min=0), "c has the asked form in 0 of 2 draws."),
        (
            failing("A A", usage=Usage(completion=1_300), max_completion_tokens=1_200),
            "c needs up to 1,300 completion tokens, and 1,200 are allowed.",
        ),
        (
            failing("∅ ∅", failure=Failure(cause=Cause.STATUS, status=503, message="busy\n::error::x")),
            "c got 0 of 2 draws: HTTP 503: busy⏎::error::x.",
        ),
        (failing("A A"), "No answer moved in 2 draws of 1 case."),
        (
            report(PASSES, case_result("again", "A A", reply_id="x"), unaffected=0),
            "No answer moved in 4 draws of 2 cases, but those of 1 case may not be fresh.",
        ),
        (
            report(PASSES, gates=(UNMEASURED,), unaffected=0),
            "No case fails, but the gate contract could not be measured: there is no base.",
        ),
        (failing("A B", agreement_min="0.5"), "The passing case still flips: c, 1/2 agree."),
        (report(PASSES, gates=(CONTRACT,), unaffected=0), "No case fails: see what is checked differently, below."),
        (
            report(decks=(deck("d"),), unaffected=0),
            "The judge of d answered 0 of 6 requests: HTTP 503: HTTP 503: overloaded.",
        ),
        (
            report(unaffected=1, not_chosen=2, partial="case x"),
            (
                "None of the cases chosen is affected: nothing was drawn. 1 case is unaffected and was not drawn."
                " Chosen: case x; 2 affected cases were left out."
            ),
        ),
        (
            report(unaffected=1, manifest={"items": 1}),
            "No request, contract or sampling of 1 case changed: nothing was drawn.",
        ),
        (
            report(unaffected=2, stubs=OF_DECKS, manifest={"items": 2}),
            "No request, contract or sampling of 2 cases, and no rubric, fixture or sampling of 2 decks changed: "
            "nothing was drawn.",
        ),
        (
            report(unaffected=0, stubs=OF_DECKS, manifest={"items": 0}),
            "No rubric, fixture or sampling of 2 decks changed: no judge was asked.",
        ),
        (
            report(decks=(HOLDS,), partial="the decks alone", manifest={"items": 0}, unaffected=0),
            KEPT,
        ),
        (
            report(decks=(HOLDS,), partial="the decks alone", manifest={"items": 9}, unaffected=4, not_chosen=5),
            f"{KEPT} No case was drawn.",
        ),
    ],
)
def test_lead__table(run: Report, expected: str) -> None:
    """The lead says of the worst case what was seen against what was asked for."""
    assert untrusted.plain(lead(run)) == expected


def test_lead__no_text_of_an_endpoint_without_completions() -> None:
    """Without completions, what an endpoint said is not repeated."""
    run = report(MISSING, show_completions=False, unaffected=0)

    assert untrusted.plain(lead(run)) == "missing got 0 of 2 draws: deadline."


def test_lead__no_value_of_a_model_without_completions() -> None:
    """Without completions the draws that miss the expected value are named, and no value is."""
    run = report(case_result("c", "A A B", **ELSEWHERE), show_completions=False, unaffected=0)

    assert untrusted.plain(lead(run)) == ("c misses the expected value in draw 3: 2 of 3 meet it, 3 are needed.")


def test_not_independent__every_case() -> None:
    """A reply that is shown again is told of, unless the lead says that its case is unmeasured for it."""
    run = report(
        PASSES,
        case_result("warns", "A A B", reply_id="x", agreement_min=0),
        case_result("unmeasured", "A A", reply_id="x", agreement_min=0, fail_on=frozenset(GateName)),
    )

    assert [untrusted.plain(phrase) for phrase in not_independent(run)] == [
        "warns: 2 of 3 draws share a response id: they may be one reply shown again",
    ]


def test_not_independent__judges() -> None:
    """A judge's replies that are shown again are told of with the case that it grades, and with its deck."""
    run = report(
        judged_case("pp pp", reply_id=UNIQUE),
        decks=(deck_result(), deck_result(trace_deck(name="again", repeats=2), reply_id=UNIQUE)),
    )

    assert [untrusted.plain(phrase) for phrase in not_independent(run)] == [
        "tone_v1: 4 of 4 replies of the judge share a response id: they may be one reply shown again",
        "again: 12 of 12 replies share a response id: they may be one reply shown again",
    ]


def test_not_looked_for__unless_the_lead_says_it() -> None:
    """A gate of the run that was not measured is told of once, and so where it only warns."""
    warns = replace(UNMEASURED, warns=True)
    runs = [report(result, gates=(gate,)) for gate, result in itertools.product((UNMEASURED, warns), (PASSES, FAILS))]

    assert [[untrusted.plain(phrase) for phrase in not_looked_for(run)] for run in runs] == [
        [],
        *[["the gate contract: there is no base"]] * 3,
    ]


def test_lead__text_answers() -> None:
    """A text grader's answers are counted like any other."""
    run = failing("A B", grader=Grader.TEXT, answers={"A": "yes", "B": "no"}, agreement_min=1)

    assert untrusted.plain(lead(run)) == "c gave 2 answers in 2 draws: 1 of 2 agree, 2 are needed."


NEW_KEY = "Give EVAL_API_KEY (input api-key) a key that the endpoint accepts, then run it again."
REFUSED = Failure(cause=Cause.REJECTED, status=401, message="The key was refused.")
ENDED = Failure(cause=Cause.STOPPED, message="The run had ended (rejected, HTTP 401).")


def test_lead__what_ended_the_run() -> None:
    """The lead tells why the run ended, though the draws of its case were only not sent any more."""
    run = report(case_result("a", "A ∅ ∅", failure=ENDED), case_result("b", "A ∅", failure=REFUSED), unaffected=0)

    assert untrusted.plain(lead(run)) == "a got 1 of 3 draws: rejected with 401: The key was refused."
    assert missing_draws(run) == []


def test_missing_draws__once_for_each_cause() -> None:
    """What the endpoint said stands there once a cause, beside the lead, and not again as a note."""
    again = Failure(cause=Cause.STATUS, status=503, message="busy")
    run = report(
        FAILS,
        case_result("a", "A ∅ ∅", failure=REFUSED),
        case_result("b", "A ∅ ∅", failure=REFUSED),
        case_result("c", "A ∅", failure=again),
        manifest={"notes": (REFUSED.message, "other")},
    )

    assert [untrusted.plain(phrase) for phrase in missing_draws(run)] == [
        "4 draws of 2 cases missing, rejected with 401: The key was refused.",
        "1 draw of 1 case missing, HTTP 503: busy.",
    ]
    assert notes(run) == ["other"]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (report(FAILS), "Have the prompt settle which answer is right."),
        (failing("A ? ?"), "Have the prompt ask for nothing but the answer."),
        (
            failing("C C", expect={"total_cents": 1950}),
            "Correct the prompt, or the expected value if that is what is wrong.",
        ),
        (failing("A A", expect_keys=("no",)), "Have the prompt ask for the form that the contract names."),
        (
            failing("A A", max_completion_tokens=1),
            "Have the prompt ask for less, or raise max_completion_tokens.",
        ),
        (failing("∅ ∅", failure=Failure(cause=Cause.TIMEOUT, message="slow")), "Run it again."),
        (failing("∅ ∅", failure=REFUSED), NEW_KEY),
        (report(case_result("c", "∅ ∅", failure=REFUSED), show_completions=False), NEW_KEY),
        (report(case_result("a", "A ∅ ∅", failure=ENDED), case_result("b", "A ∅", failure=REFUSED)), NEW_KEY),
        (
            failing("∅ ∅", failure=Failure(cause=Cause.BUDGET, message="All 1 calls allowed were made.")),
            "Raise max-calls (or max-total-tokens), or narrow the run with --case or --tag.",
        ),
        (failing("A ∅"), "Raise the deadline (input deadline), or narrow the run with --case or --tag."),
        (report(PASSES), ""),
        (report(), ""),
    ],
)
def test_next_step__table(run: Report, expected: str) -> None:
    """What to do goes by the worst case, in our own words whatever the endpoint said, and by what ended the run."""
    assert untrusted.plain(next_step(run)) == expected


SAID = (
    "The judge of trace-judge gave t2 (gold fail) 2 labels: fail in 4 of 6 replies, pass in 2. The fixture that flips "
    "does so where it stands last, and only there."
)
REWORD = (
    "reword the rubric so that each trace is judged by itself, or take another judge model; until then do not trust "
    "its grades."
)


@pytest.mark.parametrize(
    ("run", "expected", "step"),
    [
        (
            report(FAILS, decks=(FLIPS,), unaffected=0),
            f"fails gave 2 answers in 2 draws: 1 of 2 agree, 2 are needed. {SAID}",
            f"Have the prompt settle which answer is right. For the judge, {REWORD}",
        ),
        (report(PASSES, MISSING, decks=(FLIPS,), unaffected=0), SAID, f"R{REWORD[1:]}"),
        (
            report(MISSING, decks=(deck("d"),), unaffected=0),
            "missing got 0 of 2 draws: deadline: the deadline of 1,800 s was reached.",
            "Raise the deadline (input deadline), or narrow the run with --case or --tag.",
        ),
        (
            report(PASSES, decks=(HOLDS,), unaffected=0),
            "No answer moved in 2 draws of 1 case. The judge of trace-judge kept its label for each of 3 fixtures over "
            "6 orders: gold met in all 18 labels.",
            "",
        ),
        (
            report(PASSES, decks=(HOLDS,), gates=(CONTRACT,), unaffected=0),
            "Neither a case nor a judge fails: see what is checked differently, below.",
            "",
        ),
    ],
)
def test_lead__judges(run: Report, expected: str, step: str) -> None:
    """The lead and the next step are about a failing case and a failing judge together, or the worse one of the two."""
    assert (untrusted.plain(lead(run)), untrusted.plain(next_step(run))) == (expected, step)


def test_next_step__judge_first() -> None:
    """Whoever is told to mend the judge of a case is told how, once."""
    run = report(judged_case("pp pf fp", agreement_min=1), decks=(FLIPS,), unaffected=0)

    assert untrusted.plain(next_step(run)) == (
        f"Mend the judge before the prompt, since most of these flips are its own: {REWORD}"
    )


def test_missing_draws__of_judges() -> None:
    """Requests to judges that were not answered are told by cause; that the run had ended is not, beside its end."""
    ended = Failure(cause=Cause.STOPPED, message="ended")
    run = report(FAILS, MISSING, decks=(deck("a"), deck("b"), deck("c", failure=ended)), unaffected=0)

    assert [untrusted.plain(phrase) for phrase in missing_draws(run)] == [
        "2 draws of 1 case missing, deadline: the deadline of 1,800 s was reached.",
        "12 requests about 2 decks not answered, HTTP 503: HTTP 503: overloaded.",
    ]


def test_notes__what_was_left_out() -> None:
    """What the manifest notes is a note; what is said as the cause of missing replies, or nobody asked for, is none."""
    manifest = {"notes": ("a note", "HTTP 503: overloaded"), "adapted": ("the judge's endpoint refuses seed",)}
    run = report(decks=(deck("d"),), manifest=manifest)

    assert notes(run) == ["a note"]
