"""One draw, read and held to its contract. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from evalaction.answer.json_text import read_json
from evalaction.answer.read import asks_for_array, read_answer
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.answer.reply import why_no_answer
from evalaction.grade.expected import meets_expected
from evalaction.grade.schema import Form
from evalaction.records.case import Contract, Grader
from evalaction.records.command import CommandRun
from evalaction.records.draw import Cause, Draw, Failure, Reply
from evalaction.records.judge import Judged, Labels, Outcome, Unjudged
from evalaction.records.report import DrawState, GradedDraw

CHARACTERS_PER_TOKEN = 4
"""By which a length is estimated where the endpoint does not count."""

Text: TypeAlias = tuple[str | None, str | None, str | None, bool, bool]
"""All of a reply that an answer is read from: text, refusal, finish reason, whether it called tools, and reasoned."""


class Found(NamedTuple):
    """What a text comes to under a contract."""

    reading: Reading | Unreadable
    schema_met: bool | None
    schema_errors: tuple[str, ...]
    expected_met: bool | None


Known: TypeAlias = dict[Text, Found]
"""What texts of one contract came to: draws that agree to the letter are read once."""

_BY_OTHERS = (Grader.JUDGE, Grader.COMMAND)
"""Graders for which a draw is more than its text."""
_OF_JSON = (Grader.JSON, Grader.COMMAND)
"""Graders that read the JSON value itself, where a form is asked for."""
_NOT_ASKED = Failure(cause=Cause.STOPPED, message="its judge was not asked")
_NOT_RUN = Failure(cause=Cause.COMMAND, message="its command was not run")


def grade_draw(
    draw: Draw,
    contract: Contract,
    form: Form | None,
    opinions: Sequence[Outcome] | None = None,
    run: CommandRun | Failure | None = None,
    *,
    known: Known | None = None,
) -> GradedDraw:
    """Read one draw and hold it to its contract.

    Args:
        draw: as it came, or missing.
        contract: of its case.
        form: the contract's form, compiled; None when it asks for none.
        opinions: what the contract's judge said of it, by repeat. Without them a text that only a judge can grade is
            missing, and so it is where one of them did not come: what was not measured is nobody's answer.
        run: what came of the contract's command. A text that only a command can grade is missing where it was not
            run; of a draw without an artifact it is not looked at.
        known: what texts of draws with the same contract and form came to, to be looked up in and added to; None to
            read each anew.
    """
    opinions = tuple(opinions or ())
    if draw.reply is not None and (failure := _why_ungraded(draw.reply, contract, opinions, run)) is not None:
        reply, draw = draw.reply, replace(draw, reply=None, failure=failure)
        graded = _measured(draw, contract, form, opinions, None)
        return replace(graded, opinions=opinions, ungraded=reply.text, came=reply)
    graded = _measured(draw, contract, form, opinions, run if isinstance(run, CommandRun) else None, known)
    return replace(graded, opinions=opinions) if opinions else graded


def _why_ungraded(
    reply: Reply, contract: Contract, opinions: Sequence[Outcome], run: CommandRun | Failure | None
) -> Failure | None:
    """Return why nobody could grade a text that the judge or the command of its case has to; None for any other."""
    if contract.grader is Grader.JUDGE and why_no_answer(reply) is None:
        gone = [opinion.draw.failure or _NOT_ASKED for opinion in opinions if isinstance(opinion, Unjudged)]
        return (*gone, _NOT_ASKED)[0] if gone or not opinions else None
    if contract.grader is Grader.COMMAND and not isinstance(run, CommandRun):
        return (run or _NOT_RUN) if isinstance(read_answer(reply, contract), Reading) else None
    return None


def _measured(
    draw: Draw,
    contract: Contract,
    form: Form | None,
    opinions: Sequence[Outcome],
    run: CommandRun | None,
    known: Known | None = None,
) -> GradedDraw:
    if draw.reply is None:
        cause = draw.failure.message if draw.failure else "nothing came"
        return GradedDraw(draw=draw, state=DrawState.MISSING, cause=cause)
    found = _found(draw.reply, contract, form, opinions, run, known)
    length, estimated = completion_tokens(draw.reply)
    answered = isinstance(found.reading, Reading)
    budget = contract.max_completion_tokens
    return GradedDraw(
        draw=draw,
        state=DrawState.ANSWERED if answered else DrawState.UNREADABLE,
        answer=found.reading.answer if isinstance(found.reading, Reading) else None,
        extraction=found.reading.how if isinstance(found.reading, Reading) else None,
        cause=None if isinstance(found.reading, Reading) else found.reading.cause,
        schema_errors=found.schema_errors,
        schema_met=found.schema_met,
        length=length,
        length_estimated=estimated,
        expected_met=found.expected_met,
        command=run if answered else None,
        passes=answered
        and found.schema_met is not False
        and found.expected_met is not False
        and (budget is None or length <= budget),
    )


def _found(
    reply: Reply,
    contract: Contract,
    form: Form | None,
    opinions: Sequence[Outcome],
    run: CommandRun | None,
    known: Known | None,
) -> Found:
    """Return what a reply comes to, and keep it in mind where it is the text alone that says it."""
    if known is None or contract.grader in _BY_OTHERS:
        return _read(reply, contract, form, opinions, run)
    text = (reply.text, reply.refusal, reply.finish_reason, reply.tool_calls, reply.reasoning)
    found = known.get(text)
    if found is None:
        found = known[text] = _read(reply, contract, form, opinions, run)
    return found


def _read(
    reply: Reply, contract: Contract, form: Form | None, opinions: Sequence[Outcome], run: CommandRun | None
) -> Found:
    reading = _reading(reply, contract, opinions, run)
    schema_met, schema_errors = (None, ()) if form is None else _held_to(form, _json_value(reply, reading, contract))
    return Found(
        reading=reading,
        schema_met=schema_met,
        schema_errors=schema_errors,
        expected_met=None if contract.expect is None else meets_expected(reading, contract),
    )


def passes(graded: GradedDraw, contract: Contract) -> bool | None:
    """Return whether a draw has an answer and holds to all that its contract asks of one draw; None if it is missing.

    Args:
        graded: the draw; its own ``passes`` is not looked at.
        contract: of its case.
    """
    if graded.state is DrawState.MISSING:
        return None
    budget = contract.max_completion_tokens
    return (
        graded.state is DrawState.ANSWERED
        and graded.schema_met is not False
        and graded.expected_met is not False
        and (budget is None or graded.length is None or graded.length <= budget)
    )


def completion_tokens(reply: Reply) -> tuple[int, bool]:
    """Return the length of a reply in completion tokens, and whether that is an estimate.

    The endpoint's count is used unless it is absent, negative, zero for a reply that says something, or that of
    several choices together; then it is ⌈characters / 4⌉ of all that was made: text, refusal, reasoning and tool calls.
    """
    counted = reply.usage.completion if reply.choices == 1 else None
    said = (reply.text or "") + (reply.refusal or "")
    silent = not (said or reply.tool_calls or reply.reasoning)
    if counted is not None and (counted > 0 or (counted == 0 and silent)):
        return counted, False
    return -(-(len(said) + reply.unseen) // CHARACTERS_PER_TOKEN), True


def _reading(
    reply: Reply, contract: Contract, opinions: Sequence[Outcome], run: CommandRun | None
) -> Reading | Unreadable:
    if contract.grader is Grader.JUDGE:
        return _judged(reply, opinions)
    reading = read_answer(reply, contract)
    if isinstance(reading, Unreadable) or contract.grader is not Grader.COMMAND or run is None:
        return reading
    return replace(reading, answer=run.answer, extraction=Extraction.EXIT)


def _judged(reply: Reply, opinions: Sequence[Outcome]) -> Reading | Unreadable:
    """Return the label that all repeats give, or why there is not one."""
    cause = why_no_answer(reply)
    if cause is not None:
        return Unreadable(cause=cause)
    said = [opinion.labels for opinion in opinions if isinstance(opinion, Judged)]
    labels = [labels.by_alias[0][1] for labels in said]
    lost = [_why_no_label(each) for each, label in zip(said, labels, strict=True) if label is None]
    if lost:
        return Unreadable(cause=f"no label in {len(lost)} of {len(labels)} replies of the judge: {lost[0]}")
    if len(set(labels)) > 1:
        return Unreadable(cause=f"the judge gave it different labels: {', '.join(str(label) for label in labels)}")
    return Reading(answer=labels[0], value=labels[0], extraction=Extraction.LABEL)


def _why_no_label(labels: Labels) -> str:
    return labels.unreadable or next((cause for _, cause in labels.causes), "it gives none")


def _json_value(reply: Reply, reading: Reading | Unreadable, contract: Contract) -> Reading | Unreadable:
    """Return the reading that the form is checked on: JSON, whatever the grader reads."""
    if contract.grader in _OF_JSON or reply.text is None or why_no_answer(reply) is not None:
        return reading
    return read_json(reply.text, arrays=asks_for_array(contract))


def _held_to(form: Form, reading: Reading | Unreadable) -> tuple[bool, tuple[str, ...]]:
    if isinstance(reading, Unreadable):
        return False, ()
    errors = form.errors(reading.value)
    return not errors, errors
