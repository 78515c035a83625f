"""One draw, read and held to its contract. Pure."""

from __future__ import annotations

from evalaction.answer.json_text import read_json
from evalaction.answer.read import asks_for_array, read_answer
from evalaction.answer.reading import Reading, Unreadable
from evalaction.answer.reply import why_no_answer
from evalaction.answer.text import normal_form, why_unusable
from evalaction.grade.schema import Form
from evalaction.records.case import Contract, Grader
from evalaction.records.draw import Draw, Reply
from evalaction.records.report import DrawState, GradedDraw
from evalaction.values import JSON, canonical

CHARACTERS_PER_TOKEN = 4
"""By which a length is estimated where the endpoint does not count."""


def grade_draw(draw: Draw, contract: Contract, form: Form | None) -> GradedDraw:
    """Read one draw and hold it to its contract.

    Args:
        draw: as it came, or missing.
        contract: of its case.
        form: the contract's form, compiled; None when it asks for none.
    """
    if draw.reply is None:
        cause = draw.failure.message if draw.failure else "nothing came"
        return GradedDraw(draw=draw, state=DrawState.MISSING, cause=cause)
    reading = read_answer(draw.reply, contract)
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
