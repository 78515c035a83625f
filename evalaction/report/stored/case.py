"""A case of a stored report, as records again, with its figures counted anew from its draws. Pure.

The document follows the published schema already; what that cannot say (that a draw without a text has an answer,
that a draw stands in two modes) is looked for here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evalaction.grade.case import sum_up
from evalaction.grade.judgement import with_judgement
from evalaction.grade.modes import label
from evalaction.records.case import Case, CaseJudge, Contract, Grader, Schema
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import GateName
from evalaction.records.plan import Fingerprints, PlannedCase
from evalaction.records.report import CaseResult, DrawState, GradedDraw, Mode
from evalaction.redact import REDACTED
from evalaction.report.stored.draw import stored_draw
from evalaction.report.stored.pieces import Unfit, are_texts, reasons, sampling, threshold, whole, whole_or_none
from evalaction.stats.case import with_figures
from evalaction.suite.fields import MAX_LABELS, MIN_LABELS
from evalaction.values import JSON, dumps

_OTHER_FORM = "a contract is of another form than it has to be"


def case_result(document: Any, *, decks: Sequence[DeckResult] = ()) -> CaseResult:
    """Return what the draws of a case say, counted anew.

    Args:
        document: of the case.
        decks: those of the report.

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
        sampling=sampling(document["sampling"]),
        contract=_contract(document["contract"]),
    )
    planned = PlannedCase(
        case=case,
        fingerprints=Fingerprints(**prints),
        reasons=reasons(document),
        changed_files=tuple(document["changed_files"]),
    )
    draws = tuple(stored_draw(item, case) for item in document["draws"])
    if [graded.draw.index for graded in draws] != list(range(1, case.n + 1)):
        raise Unfit("a case has other draws than it asks for")
    fail_on = frozenset(GateName(item["name"]) for item in document["gates"] if not item["warns"])
    result = with_figures(sum_up(planned, draws, _modes(document["modes"], draws), fail_on=fail_on))
    return _with_whose(with_judgement(result, decks), document["judge"])


def _text(graded: GradedDraw) -> str | None:
    return graded.ungraded if graded.draw.reply is None else graded.draw.reply.text


def _with_whose(result: CaseResult, document: Any) -> CaseResult:
    """Return a case with whose its flips are, as far as texts that were told apart can still be told apart."""
    made = result.judgement
    if made is None or document is None or not any(REDACTED in (_text(draw) or "") for draw in result.draws):
        return result
    flips = document["flips"]
    said = replace(made, model=whole(flips["model"]), judge=whole(flips["judge"]), transport=whole(flips["transport"]))
    # Texts that look alike now take flips from the model to the judge, and never the other way.
    moved = made.judge - said.judge
    fits = moved >= 0 and (said.model, said.transport) == (made.model + moved, made.transport)
    return replace(result, judgement=said) if fits else result


def _contract(given: Mapping[str, Any]) -> Contract:
    keys, agree_on, schema = given.get("expect_keys", []), given.get("agree_on"), given.get("schema")
    budget, judge = given.get("max_completion_tokens"), given.get("judge")
    graders = {grader.value: grader for grader in Grader}
    grader = graders.get(name) if isinstance(name := given.get("grader"), str) else None
    fits = (
        are_texts(keys)
        and (agree_on is None or are_texts(agree_on))
        and (schema is None or (isinstance(schema, list) and schema))
    )
    if grader is None or not fits or (grader is Grader.JUDGE) != (judge is not None):
        raise Unfit(_OTHER_FORM)
    return Contract(
        grader=grader,
        expect_keys=tuple(keys),
        agree_on=None if agree_on is None else tuple(agree_on),
        schema=None if schema is None else _schema(schema),
        expect=given.get("expect"),
        expect_min=threshold(given.get("expect_min")),
        agreement_min=threshold(given.get("agreement_min")),
        max_completion_tokens=whole_or_none(budget),
        judge=None if judge is None else _judge(judge),
    )


def _judge(given: Any) -> CaseJudge:
    parts = {"rubric": str, "labels": list, "repeats": int, "sampling": dict}
    fits = (
        isinstance(given, dict)
        and given.keys() == parts.keys()
        and all(isinstance(given[name], kind) for name, kind in parts.items())
        and are_texts(given["labels"])
        and MIN_LABELS <= len(given["labels"]) <= MAX_LABELS
        and whole(given["repeats"]) > 1
    )
    if not fits:
        raise Unfit(_OTHER_FORM)
    return CaseJudge(
        rubric_path="",
        rubric=given["rubric"],
        labels=tuple(given["labels"]),
        repeats=given["repeats"],
        sampling=sampling(given["sampling"]),
    )


def _schema(documents: Sequence[JSON]) -> Schema:
    # Where the documents stood is not in the report; their order is.
    resources = tuple((str(number), content) for number, content in enumerate(documents[1:]))
    return Schema(document=documents[0], resources=resources)


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
