"""A case of a stored report, as records again, with its figures counted anew from its draws. Pure.

The document follows the published schema already; what that cannot say (that a draw without a text has an answer,
that a draw stands in two modes) is looked for here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evalaction.grade.case import sum_up
from evalaction.grade.modes import label
from evalaction.records.case import Case, Contract, Grader, Sampling, Schema
from evalaction.records.draw import Cause, Draw, Failure, Reply, Usage
from evalaction.records.gate import GateName
from evalaction.records.plan import Fingerprints, PlannedCase
from evalaction.records.report import CaseResult, DrawState, GradedDraw, Mode
from evalaction.redact import REDACTED
from evalaction.report.stored import Unfit, reasons, seconds, whole, whole_or_none
from evalaction.stats.case import with_figures
from evalaction.values import JSON, dumps

_FRACTION = re.compile(r"([0-9]{1,40})/([0-9]{1,40})")


def case_result(document: Any) -> CaseResult:
    """Return what the draws of a case say, counted anew.

    Raises:
        Unfit: no case can have left this.
    """
    prints = document["fingerprints"]
    case = Case(
        id=document["id"],
        path=document["file"],
        line=whole(document["line"]),
        messages=(),
        n=document["n"],
        sampling=_sampling(document["sampling"]),
        contract=_contract(document["contract"]),
    )
    planned = PlannedCase(
        case=case,
        fingerprints=Fingerprints(**prints),
        reasons=reasons(document),
        changed_files=tuple(document["changed_files"]),
    )
    draws = tuple(_draw(item, case) for item in document["draws"])
    if [graded.draw.index for graded in draws] != list(range(1, case.n + 1)):
        raise Unfit("a case has other draws than it asks for")
    fail_on = frozenset(GateName(item["name"]) for item in document["gates"] if not item["warns"])
    return with_figures(sum_up(planned, draws, _modes(document["modes"], draws), fail_on=fail_on))


def _sampling(given: Mapping[str, Any]) -> Sampling:
    numbers = {name: given.get(name) for name in ("temperature", "top_p")}
    counts = {name: given.get(name) for name in ("seed", "max_tokens")}
    model, stop = given.get("model"), given.get("stop")
    fits = (
        isinstance(model, str | None)
        and all(isinstance(value, int | Decimal | None) for value in numbers.values())
        and all(isinstance(value, int | None) for value in counts.values())
        and (stop is None or _are_texts(stop))
    )
    if not fits:
        raise Unfit("a sampling parameter is of another kind than it has to be")
    return Sampling(
        model=model,
        stop=None if stop is None else tuple(stop),
        response_format=given.get("response_format"),
        **numbers,
        **counts,
    )


def _contract(given: Mapping[str, Any]) -> Contract:
    keys, agree_on, schema = given.get("expect_keys", []), given.get("agree_on"), given.get("schema")
    budget, names = given.get("max_completion_tokens"), {grader.value: grader for grader in Grader}
    grader = names.get(name) if isinstance(name := given.get("grader"), str) else None
    fits = (
        _are_texts(keys)
        and (agree_on is None or _are_texts(agree_on))
        and (schema is None or (isinstance(schema, list) and schema))
    )
    if grader is None or not fits:
        raise Unfit("a contract is of another form than it has to be")
    return Contract(
        grader=grader,
        expect_keys=tuple(keys),
        agree_on=None if agree_on is None else tuple(agree_on),
        schema=None if schema is None else _schema(schema),
        expect=given.get("expect"),
        expect_min=_fraction(given.get("expect_min")),
        agreement_min=_fraction(given.get("agreement_min")),
        max_completion_tokens=whole_or_none(budget),
    )


def _are_texts(value: JSON) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _schema(documents: Sequence[JSON]) -> Schema:
    # Where the documents stood is not in the report; their order is.
    resources = tuple((str(number), content) for number, content in enumerate(documents[1:]))
    return Schema(document=documents[0], resources=resources)


def _fraction(text: JSON) -> Fraction:
    match = _FRACTION.fullmatch(text) if isinstance(text, str) else None
    if match is None or not int(match[2]) or int(match[1]) > int(match[2]):
        raise Unfit("a threshold is no share from 0 to 1")
    return Fraction(int(match[1]), int(match[2]))


def _draw(document: Any, case: Case) -> GradedDraw:
    state, error, length = DrawState(document["state"]), document["error"], document["length"]
    missing = state is DrawState.MISSING
    wrong = (
        ((error is None) != (state is DrawState.ANSWERED))
        or (error is not None and (error["cause"] == DrawState.UNREADABLE) != (state is DrawState.UNREADABLE))
        or any((document[name] is None) != missing for name in ("length", "tokens", "choice"))
        or (document["answer"] is not None and state is not DrawState.ANSWERED)
        or (document["expected_met"] is not None) != (case.contract.expect is not None and not missing)
        or (document["schema_met"] is not None) != (_has_form(case.contract) and not missing)
    )
    if wrong:
        raise Unfit("a draw is not what its state says")
    failure = _failure(error) if missing else None
    return GradedDraw(
        draw=Draw(
            path=case.path,
            id=case.id,
            index=whole(document["index"]),
            seed=document["seed"],
            reply=None if missing else _reply(document),
            failure=failure,
            latency_s=None if document["latency_s"] is None else seconds(document["latency_s"]),
            tries=whole(document["tries"]),
        ),
        state=state,
        answer=document["answer"],
        extraction=document["extraction"],
        cause=None if error is None else error["message"],
        schema_errors=tuple(document["schema_errors"]),
        schema_met=document["schema_met"],
        length=None if length is None else whole(length["tokens"]),
        length_estimated=length is not None and length["estimated"],
        expected_met=document["expected_met"],
    )


def _has_form(contract: Contract) -> bool:
    return bool(contract.expect_keys) or contract.schema is not None


def _failure(error: Any) -> Failure:
    return Failure(cause=Cause(error["cause"]), message=error["message"], status=whole_or_none(error["status"]))


def _reply(document: Any) -> Reply:
    return Reply(
        text=document["text"],
        finish_reason=document["finish_reason"],
        refusal=document["refusal"],
        id=document["response_id"],
        choice=whole(document["choice"]),
        created=whole_or_none(document["created"]),
        usage=Usage(**{name: whole_or_none(number) for name, number in document["tokens"].items()}),
    )


def _modes(documents: Sequence[Any], draws: Sequence[GradedDraw]) -> tuple[Mode, ...]:
    """Return the distinct answers as they are grouped in the file: two secrets, taken out, look the same there."""
    answers = {graded.draw.index: dumps(graded.answer) for graded in draws if graded.state is DrawState.ANSWERED}
    counts = [len(item["draws"]) for item in documents]
    grouped = [index for item in documents for index in item["draws"]]
    distinct = [text for text in (dumps(item["answer"]) for item in documents) if REDACTED not in text]
    fits = (
        sorted(grouped) == sorted(answers)
        and counts == sorted(counts, reverse=True)
        and all(answers[index] == dumps(item["answer"]) for item in documents for index in item["draws"])
        and len(set(distinct)) == len(distinct)
    )
    if not fits:
        raise Unfit("the answers of a case are not those of its draws")
    return tuple(
        Mode(
            label=label(rank),
            answer=item["answer"],
            count=len(item["draws"]),
            draws=tuple(item["draws"]),
            modal=len(item["draws"]) == counts[0],
        )
        for rank, item in enumerate(documents)
    )
