"""What to do about a case that failed, or could not be measured, in our own words. Pure.

Nothing that a model or an endpoint wrote stands in any of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from evalaction.forks import NOT_ALLOWED
from evalaction.inputs import INPUTS
from evalaction.records.case import Grader
from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import GateName, Verdict
from evalaction.records.report import CaseResult
from evalaction.report import failures, words
from evalaction.report.untrusted import Phrase, quoted

_BY_GATE: Mapping[GateName, str] = {
    GateName.EXPECTED: "correct the prompt, or the expected value if that is what is wrong",
    GateName.SCHEMA: "have the prompt ask for the form that the contract names",
    GateName.LENGTH: "have the prompt ask for less, or raise max_completion_tokens",
    GateName.INDEPENDENCE: "find out who answers in the model's place: a draw has to be a fresh reply",
}
_BY_GRADER: Mapping[Grader, str] = {
    Grader.DIFF: "correct the prompt, or the known-good file if that is what is wrong",
    Grader.COMMAND: "correct the prompt, or the command if that is what is wrong",
}
"""What to do where the expected value is none of the golden line's own."""
_SETTLE = "have the prompt settle which answer is right"
_GIVE_EXPECTED = "have the prompt give the expected answer every time"
_GIVE: Mapping[Grader, str] = {
    Grader.DIFF: "have the prompt give the text of the known-good file every time",
    Grader.COMMAND: "have the prompt give what passes the command every time",
}
JUDGE_FIRST = "mend the judge before the prompt, since most of these flips are its own"
"""What to do about a case whose judge moves more than its model does."""
_ANSWERS_ONLY = "have the prompt ask for nothing but the answer"
_ALLOW = (
    "where you trust what its command does, allow commands in the workflow (input allow-commands) or on a desk "
    "(--allow-commands)"
)
_ON_A_DESK = "read the change, then draw it on a desk with --allow-commands"

_AGAIN = "then run it again"
_BY_CAUSE: Mapping[Cause, str] = {
    Cause.REJECTED: f"correct what the endpoint refuses, {_AGAIN}",
    Cause.STOPPED: f"check endpoint, key and model, {_AGAIN}",
    Cause.TRANSPORT: "check EVAL_BASE_URL (input base-url), and that something listens there",
    Cause.RUBBISH: "check EVAL_BASE_URL (input base-url): what answers there is no chat-completions endpoint",
    Cause.TOO_LARGE: "set max_tokens",
    Cause.BUDGET: "raise max-calls, or narrow the run with --case or --tag",
    Cause.DEADLINE: "raise the deadline (input deadline), or narrow the run with --case or --tag",
    Cause.COMMAND: f"see to it that its command can be started, {_AGAIN}",
}
_NOT_THERE = f"check EVAL_BASE_URL (input base-url) and the model's name, {_AGAIN}"
_BY_STATUS: Mapping[int, str] = {
    401: f"give EVAL_API_KEY (input api-key) a key that the endpoint accepts, {_AGAIN}",
    402: f"check the balance of the account at the endpoint, {_AGAIN}",
    403: f"check that the key in EVAL_API_KEY (input api-key) may use the model, {_AGAIN}",
    404: _NOT_THERE,
    405: _NOT_THERE,
    410: f"set another EVAL_BASE_URL (input base-url) or another model, {_AGAIN}",
    413: "shorten the messages of the case",
    429: "run it again later, or with a lower max-concurrency",
}
_REDIRECTS = range(300, 400)

_TOO_LONG, _FEWER = 413, "put fewer fixtures, or shorter ones, into the deck"
_BY_JUDGES_CAUSE: Mapping[Cause, str] = {
    Cause.BUDGET: "raise max-calls, or lower the deck's max_orders",
    Cause.DEADLINE: "raise the deadline (input deadline), or lower the deck's max_orders",
}
_OF_JUDGES: Mapping[str, str] = {
    "EVAL_BASE_URL (input base-url)": "JUDGE_URL (input judge-base-url, else EVAL_BASE_URL)",
    "EVAL_API_KEY (input api-key)": "JUDGE_API_KEY (input judge-api-key, else EVAL_API_KEY)",
}
"""What a judge's endpoint goes by is its own, and that of the draws where nothing else was given."""
_OF_DRAWS = re.compile("|".join(map(re.escape, _OF_JUDGES)))

# In our own sentences, anything of these shapes is a name: --case, EVAL_MODEL, max_tokens, forks: skip, base-url.
_INPUTS = "|".join(sorted((entry.name for entry in INPUTS if "-" in entry.name), key=len, reverse=True))
_NAMES = re.compile(
    r"(?<![\w-])(--[a-z]+(?:-[a-z]+)*|[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:_[a-z]+)+|forks: [a-z]+|(?<=input )[a-z-]+"
    rf"|{_INPUTS})(?![\w-])"
)


def for_case(result: CaseResult) -> str | None:
    """Return what to do about a case; None for one that passes, or when nobody can say."""
    if result.verdict is Verdict.UNMEASURED:
        groups = words.missing([result])
        return for_missing(result, groups[0].failure, judge=groups[0].judge) if groups else None
    gates = [gate.name for gate in words.failing(result)]
    if GateName.AGREEMENT in gates:
        judgement = result.judgement
        if judgement is not None and judgement.judge > judgement.model:
            return JUDGE_FIRST
        if len(result.modes) <= 1:
            return _ANSWERS_ONLY
        given = _GIVE.get(result.planned.case.contract.grader, _GIVE_EXPECTED)
        return given if result.has_expected else _SETTLE
    grader = result.planned.case.contract.grader
    said = {**_BY_GATE, **({GateName.EXPECTED: _BY_GRADER[grader]} if grader in _BY_GRADER else {})}
    return next((said[name] for name in words.BY_WEIGHT if name in gates and name in said), None)


def for_missing(result: CaseResult, failure: Failure, *, judge: bool = False) -> str:
    """Return what to do about a case whose draws did not come; see ``for_failure``."""
    if result.planned.blocked is None or failure.cause is not Cause.COMMAND:
        return for_failure(failure, judge=judge)
    return _ALLOW if result.planned.blocked == NOT_ALLOWED else _ON_A_DESK


def for_failure(failure: Failure, *, judge: bool = False) -> str:
    """Return what to do about what kept draws from coming.

    Args:
        failure: of one of them.
        judge: whether it was a judge that was asked.
    """
    status = failures.status(failure)
    if status is not None and status in _REDIRECTS:
        said = "set EVAL_BASE_URL (input base-url) to the address that the endpoint redirects to"
    elif judge and (failure.cause in _BY_JUDGES_CAUSE or status == _TOO_LONG):
        return _BY_JUDGES_CAUSE.get(failure.cause, _FEWER)
    else:
        said = _BY_STATUS.get(status or 0) or _BY_CAUSE.get(failure.cause, "run it again")
    return _OF_DRAWS.sub(lambda match: _OF_JUDGES[match[0]], said) if judge else said


def sentence(advice: str) -> str:
    """Return advice as a sentence of its own."""
    return f"{advice[0].upper()}{advice[1:]}."


def as_sentence(advice: Phrase) -> Phrase:
    """Return advice that begins with words of ours as a sentence of its own; empty for none."""
    if not advice:
        return ()
    first = str(advice[0])
    return (f"{first[0].upper()}{first[1:]}", *advice[1:], ".")


def with_names(text: str) -> Phrase:
    """Return a sentence of our own in which the names of options, inputs, variables and fields are code."""
    parts = _NAMES.split(text)
    return tuple(quoted(part) if place % 2 else part for place, part in enumerate(parts) if part)
