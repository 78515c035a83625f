"""What to do about a case that failed, or could not be measured, in our own words. Pure.

Nothing that a model or an endpoint wrote stands in any of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from evalaction import late
from evalaction.forks import COMMANDS_NEED_ROOT, NOT_ALLOWED
from evalaction.inputs import INPUTS
from evalaction.records.case import Grader
from evalaction.records.command import Ended
from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import GateName, Verdict
from evalaction.records.report import CaseResult, DrawState, GradedDraw
from evalaction.report import failures, fresh, words
from evalaction.report.untrusted import Phrase, quoted

_BY_GATE: Mapping[GateName, str] = {
    GateName.EXPECTED: "correct the prompt, or the expected value if that is what is wrong",
    GateName.SCHEMA: "have the prompt ask for the form that the contract names",
    GateName.LENGTH: "have the prompt ask for less, or raise max_completion_tokens",
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
_FRESH_DRAWS = (
    "find out what answers in the model's place (a cache, a gateway), and have it ask the model for every draw"
)
FRESH_REPLIES = (
    "find out what answers in the judge's place (a cache, a gateway), and have it ask the judge for every request"
)
_ANSWERS_ONLY = "have the prompt ask for nothing but the answer"
_READABLE: Mapping[Grader, str] = {
    Grader.CHOICE: "have the prompt ask for one of the labels and nothing else",
    Grader.NUMBER: "have the prompt ask for one number, in digits with a decimal point",
    Grader.REGEX: "have the prompt ask for what the pattern looks for, once",
}
_ONE_FENCE = "have the prompt ask for one fenced block of the language that the contract names"
"""What to do where it is the form of the replies that keeps draws from having an answer."""
_CUT_OFF = "raise max_tokens, or have the prompt ask for less"
_ROUND = "count near values as one with the field round, since a tolerance holds for the expected value alone"
"""What to do about draws that all are within the tolerance and differ."""
_IN_TIME = "have the prompt give what passes the command in time, or raise command_timeout"
_ALLOW = (
    "where you trust what its command does, allow commands in the workflow (input allow-commands) or on a desk "
    "(--allow-commands true)"
)
_AS_ROOT = "run evalaction in its container, or as root"
_BY_BLOCK: Mapping[str, str] = {NOT_ALLOWED: _ALLOW, COMMANDS_NEED_ROOT: _AS_ROOT}
_ON_A_DESK = "read the change, then draw it on a desk with --allow-commands true"

_AGAIN = "then run it again"
_BY_CAUSE: Mapping[Cause, str] = {
    Cause.REJECTED: f"correct what the endpoint refuses, {_AGAIN}",
    Cause.STOPPED: f"check endpoint, key and model, {_AGAIN}",
    Cause.TRANSPORT: "check EVAL_BASE_URL (input base-url), and that something listens there",
    Cause.QUOTA: f"wait until the quota is back, or see to the account at the endpoint, {_AGAIN}",
    Cause.RUBBISH: "check EVAL_BASE_URL (input base-url): what answers there is no chat-completions endpoint",
    Cause.TOO_LARGE: "set max_tokens",
    Cause.BUDGET: "raise max-calls (or max-total-tokens), or narrow the run with --case or --tag",
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
    Cause.BUDGET: "raise max-calls (or max-total-tokens), or lower the deck's max_orders",
    Cause.DEADLINE: "raise the deadline (input deadline), or lower the deck's max_orders",
}
_OF_JUDGES: Mapping[str, str] = {
    "EVAL_BASE_URL (input base-url)": "JUDGE_URL (input judge-base-url, else EVAL_BASE_URL)",
    "EVAL_API_KEY (input api-key)": "JUDGE_API_KEY (input judge-api-key, else EVAL_API_KEY)",
}
"""What a judge's endpoint goes by is its own, and that of the draws where nothing else was given."""
_OF_DRAWS = late.pattern("|".join(map(re.escape, _OF_JUDGES)))

# In our own sentences, anything of these shapes is a name: --case, EVAL_MODEL, max_tokens, forks: skip, base-url.
_INPUTS = "|".join(sorted((entry.name for entry in INPUTS if "-" in entry.name), key=len, reverse=True))
_NAMES = late.pattern(
    r"(?<![\w-])(--[a-z]+(?:-[a-z]+)*(?: true)?|[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:_[a-z]+)+|forks: [a-z]+"
    rf"|(?<=(?:input|field) )[a-z-]+|{_INPUTS})(?![\w-])"
)


def for_case(result: CaseResult) -> str | None:
    """Return what to do about a case; None for one that passes, or when nobody can say."""
    if result.verdict is Verdict.UNMEASURED:
        return _for_unmeasured(result)
    gates = [gate.name for gate in words.failing(result)]
    if GateName.AGREEMENT in gates:
        judgement = result.judgement
        if judgement is not None and judgement.judge > judgement.model:
            return JUDGE_FIRST
        return _for_agreement(result)
    if GateName.EXPECTED in gates and (unread := _for_unread(result)):
        return unread
    if GateName.EXPECTED in gates and _ends_at_limit(result):
        return _IN_TIME
    grader = result.planned.case.contract.grader
    said = {**_BY_GATE, **({GateName.EXPECTED: _BY_GRADER[grader]} if grader in _BY_GRADER else {})}
    return next((said[name] for name in words.BY_WEIGHT if name in gates and name in said), None)


def _for_unmeasured(result: CaseResult) -> str | None:
    if fresh.is_cause(result):
        return FRESH_REPLIES if fresh.is_of_judge(result) else _FRESH_DRAWS
    groups = words.missing([result])
    return for_missing(result, groups[0].failure, judge=groups[0].judge) if groups else None


def _for_agreement(result: CaseResult) -> str:
    """Return what to do about draws that do not agree: read them, settle on a value, or count near ones as one."""
    unread = _for_unread(result)
    if len(result.modes) <= 1 or unread:
        return unread or _ANSWERS_ONLY
    if not result.has_expected:
        return _SETTLE
    contract, answered = result.planned.case.contract, [draw for draw in result.draws if _is_read(draw)]
    if all(draw.expected_met for draw in answered):
        return _ROUND if _differ_within_tolerance(result) else _SETTLE
    if _ends_at_limit(result):
        return _IN_TIME
    return _GIVE.get(contract.grader, _GIVE_EXPECTED)


def _is_read(graded: GradedDraw) -> bool:
    return graded.state is DrawState.ANSWERED


def _for_unread(result: CaseResult) -> str | None:
    """Return how to have draws read; None unless most draws without the modal answer have none at all."""
    unread = [graded for graded in result.draws if graded.state is DrawState.UNREADABLE]
    others = sum(mode.count for mode in result.modes[1:])
    if len(unread) <= others:
        return None
    replies = [graded.draw.reply for graded in unread if graded.draw.reply is not None]
    if 2 * sum(reply.finish_reason == "length" for reply in replies) > len(unread):
        return _CUT_OFF
    contract = result.planned.case.contract
    return _ONE_FENCE if contract.fence is not None else _READABLE.get(contract.grader, _ANSWERS_ONLY)


def _differ_within_tolerance(result: CaseResult) -> bool:
    """Return whether answers differ in nothing but what a tolerance is set for."""
    contract = result.planned.case.contract
    if contract.grader is Grader.NUMBER:
        return contract.whole.tolerance is not None
    keys = result.differing_keys
    return bool(keys) and all(contract.compared(key).tolerance is not None for key in keys)


def _ends_at_limit(result: CaseResult) -> bool:
    """Return whether every run of a command that did not pass was ended at the time limit."""
    runs = [graded.command for graded in result.draws if graded.command is not None and not graded.command.passed]
    return bool(runs) and all(run.ended is Ended.TIME for run in runs)


def for_missing(result: CaseResult, failure: Failure, *, judge: bool = False) -> str:
    """Return what to do about a case whose draws did not come; see ``for_failure``."""
    if result.planned.blocked is None or failure.cause is not Cause.COMMAND:
        return for_failure(failure, judge=judge)
    return _BY_BLOCK.get(result.planned.blocked, _ON_A_DESK)


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
