"""One draw, read and held to its contract. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalaction.answer.json_text import read_json
from evalaction.answer.read import asks_for_array, read_answer
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.answer.reply import why_no_answer
from evalaction.answer.text import normal_form, why_unusable
from evalaction.grade.schema import Form
from evalaction.records.case import Contract, Grader
from evalaction.records.draw import Cause, Draw, Failure, Reply
from evalaction.records.judge import Judged, Labels, Outcome, Unjudged
from evalaction.records.report import DrawState, GradedDraw
from evalaction.values import JSON, canonical

CHARACTERS_PER_TOKEN = 4
"""By which a length is estimated where the endpoint does not count."""

_NOT_ASKED = Failure(cause=Cause.STOPPED, message="its judge was not asked")


def grade_draw(
    draw: Draw, contract: Contract, form: Form | None, opinions: Sequence[Outcome] | None = None
) -> GradedDraw:
    """Read one draw and hold it to its contract.

    Args:
        draw: as it came, or missing.
        contract: of its case.
        form: the contract's form, compiled; None when it asks for none.
        opinions: what the contract's judge said of it, by repeat. Without them a text that only a judge can grade is
            missing, and so it is where one of them did not come: what was not measured is nobody's answer.
    """
    opinions = tuple(opinions or ())
    if draw.reply is not None and contract.grader is Grader.JUDGE and why_no_answer(draw.reply) is None:
        gone = [opinion.draw.failure or _NOT_ASKED for opinion in opinions if isinstance(opinion, Unjudged)]
        if gone or not opinions:
            text, draw = draw.reply.text, replace(draw, reply=None, failure=(*gone, _NOT_ASKED)[0])
            graded = grade_draw(draw, contract, form)
            return replace(graded, opinions=opinions, ungraded=text)
    graded = _read(draw, contract, form, opinions)
    return replace(graded, opinions=opinions) if opinions else graded


def _read(draw: Draw, contract: Contract, form: Form | None, opinions: Sequence[Outcome]) -> GradedDraw:
    if draw.reply is None:
        cause = draw.failure.message if draw.failure else "nothing came"
        return GradedDraw(draw=draw, state=DrawState.MISSING, cause=cause)
    reading = _judged(draw.reply, opinions) if contract.grader is Grader.JUDGE else read_answer(draw.reply, contract)
    length, estimated = completion_tokens(draw.reply)
    schema_met, schema_errors = _held_to(form, _json_value(draw.reply, reading, contract))
    answered = isinstance(reading, Reading)
    return GradedDraw(
        draw=draw,
        state=DrawState.ANSWERED if answered else DrawState.UNREADABLE,
        answer=reading.answer if isinstance(reading, Reading) else None,
        extraction=reading.how if isinstance(reading, Reading) else None,
        cause=None if isinstance(reading, Reading) else reading.cause,
        schema_errors=schema_errors,
        schema_met=schema_met,
        length=length,
        length_estimated=estimated,
        expected_met=None if contract.expect is None else _meets(reading, contract),
    )


def completion_tokens(reply: Reply) -> tuple[int, bool]:
    """Return the length of a reply in completion tokens, and whether that is an estimate.

    The endpoint's count is used unless it is absent, negative, or zero for a reply that says something;
    then it is ⌈characters / 4⌉ of all that was made: text, refusal, reasoning and tool calls.
    """
    counted, said = reply.usage.completion, (reply.text or "") + (reply.refusal or "")
    silent = not (said or reply.tool_calls or reply.reasoning)
    if counted is not None and (counted > 0 or (counted == 0 and silent)):
        return counted, False
    return -(-(len(said) + reply.unseen) // CHARACTERS_PER_TOKEN), True


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
    if contract.grader is Grader.JSON or reply.text is None or why_no_answer(reply) is not None:
        return reading
    return read_json(reply.text, arrays=asks_for_array(contract))


def _held_to(form: Form | None, reading: Reading | Unreadable) -> tuple[bool | None, tuple[str, ...]]:
    if form is None:
        return None, ()
    if isinstance(reading, Unreadable):
        return False, ()
    errors = form.errors(reading.value)
    return not errors, errors


def _meets(reading: Reading | Unreadable, contract: Contract) -> bool:
    if isinstance(reading, Unreadable):
        return False
    if contract.grader is Grader.TEXT and isinstance(contract.expect, str):
        return why_unusable(contract.expect) is None and reading.answer == normal_form(contract.expect)
    if contract.grader is Grader.JSON and isinstance(contract.expect, dict):
        value = reading.value
        return isinstance(value, dict) and all(
            key in value and _equal(value[key], wanted) for key, wanted in contract.expect.items()
        )
    return _equal(reading.answer, contract.expect)


def _equal(one: JSON, other: JSON) -> bool:
    return canonical(one) == canonical(other)
