"""What to do, in our own words."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from support.grading import command_run
from support.reports import case_result

from evalaction.forks import COMMANDS_NEED_ROOT, HOLDS
from evalaction.inputs import INPUTS
from evalaction.records.case import Compare, Grader
from evalaction.records.command import Ended
from evalaction.records.draw import Cause, Failure
from evalaction.records.report import CaseResult
from evalaction.report.remedies import for_case, for_failure, sentence, with_names
from evalaction.report.untrusted import markdown, plain

AGAIN = "then run it again"
CHOICES = {"A": "yes", "B": "no"}
NUMBERS = {"A": 1, "B": Decimal("1.2"), "C": 9}
FENCED = {"A": "```python\nx\n```", "B": "```python\ny\n```"}
TOTALS = {"A": {"total": 1, "vendor": "x"}, "B": {"total": 2, "vendor": "x"}, "C": {"total": 1, "vendor": "y"}}
WITHIN = {"grader": Grader.NUMBER, "expect": 1, "whole": Compare(tolerance=Decimal("0.5"))}
BY_KEY = {"compare": (("total", Compare(tolerance=1)),)}
NO_ROOT = Failure(cause=Cause.COMMAND, message=COMMANDS_NEED_ROOT)
AS_ROOT = "run evalaction in its container, or as root"
SLOW = command_run(None, ended=Ended.TIME)
ONE_LABEL = "have the prompt ask for one of the labels and nothing else"
ONE_NUMBER = "have the prompt ask for one number, in digits with a decimal point"
ONCE = "have the prompt ask for what the pattern looks for, once"
ONE_FENCE = "have the prompt ask for one fenced block of the language that the contract names"
GIVE_EXPECTED = "have the prompt give the expected answer every time"
SETTLE = "have the prompt settle which answer is right"
ROUND = "count near values as one with the field round, since a tolerance holds for the expected value alone"
IN_TIME = "have the prompt give what passes the command in time, or raise command_timeout"


@pytest.mark.parametrize(
    ("cause", "status", "expected"),
    [
        (Cause.REJECTED, 308, "set EVAL_BASE_URL (input base-url) to the address that the endpoint redirects to"),
        (Cause.REJECTED, 400, f"correct what the endpoint refuses, {AGAIN}"),
        (Cause.REJECTED, 401, f"give EVAL_API_KEY (input api-key) a key that the endpoint accepts, {AGAIN}"),
        (Cause.REJECTED, 402, f"check the balance of the account at the endpoint, {AGAIN}"),
        (Cause.REJECTED, 403, f"check that the key in EVAL_API_KEY (input api-key) may use the model, {AGAIN}"),
        (Cause.REJECTED, 404, f"check EVAL_BASE_URL (input base-url) and the model's name, {AGAIN}"),
        (Cause.REJECTED, 410, f"set another EVAL_BASE_URL (input base-url) or another model, {AGAIN}"),
        (Cause.STATUS, 413, "shorten the messages of the case"),
        (Cause.STATUS, 429, "run it again later, or with a lower max-concurrency"),
        (Cause.STATUS, 503, "run it again"),
        (Cause.STATUS, None, "run it again"),
        (Cause.TIMEOUT, None, "run it again"),
        (Cause.TRANSPORT, None, "check EVAL_BASE_URL (input base-url), and that something listens there"),
        (
            Cause.RUBBISH,
            None,
            "check EVAL_BASE_URL (input base-url): what answers there is no chat-completions endpoint",
        ),
        (Cause.TOO_LARGE, None, "set max_tokens"),
        (Cause.QUOTA, 429, f"wait until the quota is back, or see to the account at the endpoint, {AGAIN}"),
        (
            Cause.BUDGET,
            None,
            "raise max-calls (or max-total-tokens), or narrow the run with --case or --tag",
        ),
        (Cause.DEADLINE, None, "raise the deadline (input deadline), or narrow the run with --case or --tag"),
        (Cause.DEADLINE, 429, "raise the deadline (input deadline), or narrow the run with --case or --tag"),
        (Cause.STOPPED, 503, f"check endpoint, key and model, {AGAIN}"),
        (Cause.INTERRUPTED, None, "run it again"),
    ],
)
def test_for_failure__table(cause: Cause, status: int | None, expected: str) -> None:
    """What to do goes by the status that a draw is missing for, or else by what ended the run."""
    assert for_failure(Failure(cause=cause, message="Do this.", status=status)) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (case_result("a", "A A"), None),
        (case_result("a", "A B", agreement_min=1), "have the prompt settle which answer is right"),
        (case_result("a", "A B", agreement_min=1, expect="A"), "have the prompt give the expected answer every time"),
        (case_result("a", "A ? ?", expect="A"), "have the prompt ask for nothing but the answer"),
        (case_result("a", "A ? ?"), "have the prompt ask for nothing but the answer"),
        *(
            (case_result("a", "A B ? ? A", agreement_min=1, **said), advice)
            for said, advice in (
                ({"answers": CHOICES, "labels": ("yes", "no"), "grader": Grader.CHOICE}, ONE_LABEL),
                ({"answers": NUMBERS, "grader": Grader.NUMBER, "expect": 1}, ONE_NUMBER),
                ({"answers": CHOICES, "grader": Grader.REGEX, "regex": "^(?:yes|no)$"}, ONCE),
                ({"answers": FENCED, "grader": Grader.DIFF, "fence": "", "expect": "x"}, ONE_FENCE),
                ({"answers": FENCED, "grader": Grader.COMMAND, "fence": "python"}, ONE_FENCE),
            )
        ),
        (case_result("a", "A B B ?", agreement_min=1, expect="A"), GIVE_EXPECTED),
        (case_result("a", "? ?", grader=Grader.DIFF, fence="python", expect="x"), ONE_FENCE),
        (case_result("a", "A A B", agreement_min=1, answers=NUMBERS, **WITHIN), ROUND),
        (case_result("a", "A C", agreement_min=1, answers=NUMBERS, **WITHIN), GIVE_EXPECTED),
        (case_result("a", "A B", agreement_min=1, answers=TOTALS, expect={"total": 1}, **BY_KEY), ROUND),
        (case_result("a", "A C", agreement_min=1, answers=TOTALS, expect={"total": 1}, **BY_KEY), SETTLE),
        (case_result("a", "A B A", agreement_min=1, runs={"B": SLOW}, grader=Grader.COMMAND), IN_TIME),
        (case_result("a", "B B", runs={"B": SLOW}, grader=Grader.COMMAND), IN_TIME),
        (case_result("a", "∅ ∅", blocked=COMMANDS_NEED_ROOT, failure=NO_ROOT, grader=Grader.COMMAND), AS_ROOT),
        (case_result("a", "A ∅"), "raise the deadline (input deadline), or narrow the run with --case or --tag"),
    ],
)
def test_for_case__table(result: CaseResult, expected: str | None) -> None:
    """A case that fails is to be corrected, one that could not be measured is to be measured."""
    assert for_case(result) == expected


def test_for_case__cut_off() -> None:
    """Replies that the token limit ended are to be longer or shorter, not of another form."""
    result = case_result("a", "A ? ?")
    cut = [
        replace(graded, draw=replace(graded.draw, reply=replace(graded.draw.reply, finish_reason="length")))
        if graded.draw.reply is not None and graded.draw.index > 1
        else graded
        for graded in result.draws
    ]
    assert for_case(replace(result, draws=tuple(cut))) == "raise max_tokens, or have the prompt ask for less"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on a desk (--allow-commands true) or", "on a desk (`--allow-commands true`) or"),
        ("with the field round, or", "with the field `round`, or"),
        ("set max_tokens", "set `max_tokens`"),
        (
            "raise max-calls (or max-total-tokens), or narrow it with --case or --tag",
            "raise `max-calls` (or `max-total-tokens`), or narrow it with `--case` or `--tag`",
        ),
        ("give EVAL_API_KEY (input api-key) a key", "give `EVAL_API_KEY` (input `api-key`) a key"),
        ("raise the deadline (input deadline)", "raise the deadline (input `deadline`)"),
        ("with forks: skip it would", "with `forks: skip` it would"),
        ("a chat-completions endpoint, HTTP 401 - or not", "a chat-completions endpoint, HTTP 401 - or not"),
        ("", ""),
    ],
)
def test_with_names__table(text: str, expected: str) -> None:
    """Names of options, inputs, variables and fields are code, words with a hyphen are not; no character is lost."""
    assert (markdown(with_names(text)), plain(with_names(text))) == (expected, text)


def test_with_names__every_input() -> None:
    """An input's name is code wherever it cannot be an ordinary word."""
    names = [entry.name for entry in INPUTS]

    assert [markdown(with_names(f"set input {name}.")) for name in names] == [f"set input `{name}`." for name in names]
    assert [markdown(with_names(name)) for name in names if "-" in name] == [
        f"`{name}`" for name in names if "-" in name
    ]


def test_with_names__holds() -> None:
    """What is said of a fork names settings and events as code."""
    said = [markdown(with_names(text)) for hold in HOLDS for text in (hold.message, hold.remedy)]

    assert [text.count("`") // 2 for text in said] == [0, 0, 1, 0, 1, 3, 0, 2, 0, 2, 0, 2]


def test_sentence() -> None:
    """Advice becomes a sentence of its own."""
    assert sentence("set max_tokens") == "Set max_tokens."
