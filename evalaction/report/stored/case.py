"""A case of a stored report, as records again, with its figures counted anew from its draws. Pure.

The document follows the published schema already; what that cannot say (that a draw without a text has an answer,
that a draw stands in two modes) is looked for here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evalaction.grade.case import sum_up
from evalaction.grade.judgement import with_judgement
from evalaction.grade.modes import label
from evalaction.records.case import Case
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause
from evalaction.records.gate import GateName
from evalaction.records.plan import Fingerprints, PlannedCase
from evalaction.records.report import CaseResult, DrawState, GradedDraw, Mode
from evalaction.redact import REDACTED
from evalaction.report.stored.contract import stored_contract
from evalaction.report.stored.draw import stored_draw
from evalaction.report.stored.pieces import Unfit, reasons, sampling, whole
from evalaction.stats.case import with_figures
from evalaction.values import dumps


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
        contract=stored_contract(document["contract"], expect_path=document["expect_file"]),
    )
    hidden = REDACTED in dumps(document["contract"])
    draws = tuple(stored_draw(item, case, hidden=hidden) for item in document["draws"])
    if [graded.draw.index for graded in draws] != list(range(1, case.n + 1)):
        raise Unfit("a case has other draws than it asks for")
    planned = PlannedCase(
        case=case,
        fingerprints=Fingerprints(**prints),
        reasons=reasons(document),
        changed_files=tuple(document["changed_files"]),
        blocked=_blocked(draws),
    )
    fail_on = frozenset(GateName(item["name"]) for item in document["gates"] if not item["warns"])
    result = with_figures(sum_up(planned, draws, _modes(document["modes"], draws), fail_on=fail_on))
    return _with_whose(with_judgement(result, decks), document["judge"])


def _blocked(draws: Sequence[GradedDraw]) -> str | None:
    """Return why no draw of a case was made, its command not being allowed; None where they were to be made."""
    failures = [graded.draw.failure for graded in draws if graded.ungraded is None]
    messages = [failure.message for failure in failures if failure is not None and failure.cause is Cause.COMMAND]
    if not messages:
        return None
    # It holds for a case as a whole, before anything of it is sent.
    if len(messages) < len(draws) or len(set(messages)) > 1 or any(graded.draw.tries for graded in draws):
        raise Unfit("a command was not allowed for some draws of a case, and was for others")
    return messages[0]


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
