"""What kept draws and judges' replies from coming."""

from __future__ import annotations

import pytest
from support.decks import judged_case
from support.reports import case_result, deck, report

from evalaction.records.draw import Cause, Failure
from evalaction.records.report import Report
from evalaction.report import roots
from evalaction.report.lead import lead, next_step
from evalaction.report.untrusted import plain

REFUSED = Failure(cause=Cause.REJECTED, message="no key", status=401)
ENDED = Failure(cause=Cause.STOPPED, message="The run had ended (rejected, HTTP 401).")
BUSY = Failure(cause=Cause.STATUS, message="busy", status=503)
GONE = Failure(cause=Cause.TRANSPORT, message="no route")
ENDED_BY_LINE = Failure(cause=Cause.STOPPED, message="The run had ended (transport).")
ACCEPTED = "a key that the endpoint accepts, then run it again."
JUDGES_KEY = f"Give JUDGE_API_KEY (input judge-api-key, else EVAL_API_KEY) {ACCEPTED}"


@pytest.mark.parametrize(
    ("run", "said", "step"),
    [
        (
            report(decks=(deck("a", failure=ENDED), deck("b", failure=REFUSED)), unaffected=0),
            "The judge of a answered 0 of 6 requests: rejected with 401: no key.",
            JUDGES_KEY,
        ),
        (
            report(case_result("c", "∅ ∅", failure=REFUSED), decks=(deck("a", failure=ENDED),), unaffected=0),
            "c got 0 of 2 draws: rejected with 401: no key.",
            f"Give EVAL_API_KEY (input api-key) {ACCEPTED}",
        ),
        (
            report(judged_case("-- --", id="t"), decks=(deck("b", failure=BUSY),), unaffected=0),
            "t got 0 of 2 draws: HTTP 503 (judge): HTTP 503: overloaded.",
            "Run it again.",
        ),
        (
            report(decks=(deck("a", failure=Failure(cause=Cause.BUDGET, message="All 9 calls.")),), unaffected=0),
            "The judge of a answered 0 of 6 requests: budget: All 9 calls.",
            "Raise max-calls (or max-total-tokens), or lower the deck's max_orders.",
        ),
        (
            report(decks=(deck("a", failure=Failure(cause=Cause.DEADLINE, message="It is late.")),), unaffected=0),
            "The judge of a answered 0 of 6 requests: deadline: It is late.",
            "Raise the deadline (input deadline), or lower the deck's max_orders.",
        ),
        (
            report(decks=(deck("a", failure=ENDED),), unaffected=0, show_completions=False),
            "The judge of a answered 0 of 6 requests: the run had ended (rejected with 401).",
            "Check endpoint, key and model, then run it again.",
        ),
    ],
)
def test_lead__root_cause(run: Report, said: str, step: str) -> None:
    """What was not sent any more is told, and mended, by what ended the run, at whichever endpoint that was."""
    assert (plain(lead(run)), plain(next_step(run))) == (said, step)


def test_of_deck__draws_ended_the_run() -> None:
    """Judges that were never asked since draws were refused name the cause, and the settings of draws."""
    case, unasked = case_result("c", "∅ ∅", failure=REFUSED), deck("a", failure=ENDED)
    root = roots.of_deck(unasked, report(case, decks=(unasked,)))
    assert root is not None
    assert (plain(root.told(show=True)), root.judge) == (
        "rejected with 401 (draws), so that no judge was asked: no key.",
        False,
    )


def test_of_deck__what_the_end_tells() -> None:
    """Of several causes it is the one that the end names, whoever was asked, and not the most frequent one."""
    lost, unasked = case_result("c", "∅ ∅ ∅ ∅ ∅ ∅ ∅", failure=BUSY), deck("a", failure=ENDED_BY_LINE)
    root = roots.of_deck(unasked, report(lost, decks=(unasked, deck("b", failure=GONE))))
    assert root is not None
    assert (root.failure, root.judge) == (GONE, True)


def test_of_case__nothing_missing() -> None:
    """Nothing is told where nothing is missing."""
    case = case_result("c", "A A")
    assert roots.of_case(case, report(case)) is None
