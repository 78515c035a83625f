"""A stored ``report.json`` as a report again. Pure, but for the published schema, which comes with the package.

A report file may come from a stranger. It has to be strict JSON of the published form, and every figure, verdict
and exit code that it states has to follow from the draws and the judges' replies that stand in it; whatever does not
fit is refused in words. That they were really made is not to be seen from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from evalaction.errors import BadInput, ExitCode, Problem
from evalaction.forks import FAILS, HOLDS, SKIPPED
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause, Draw
from evalaction.records.judge import Judged, Outcome
from evalaction.records.plan import Hold
from evalaction.records.report import CaseResult, Report
from evalaction.report.document import SCHEMA_VERSION, report_document
from evalaction.report.headline import headline
from evalaction.report.stored import pieces as stored
from evalaction.report.stored.burden import check_values, check_work
from evalaction.report.stored.case import case_result
from evalaction.report.stored.deck import deck_result
from evalaction.report.stored.earlier import complete
from evalaction.report.stored.pieces import Unfit
from evalaction.report.stored.stubs import stored_stubs
from evalaction.report.stored.totals import asked_of_judges, check_totals
from evalaction.values import MAX_DEPTH, InvalidJSON, parse
from evalaction.verdict import exit_code, is_excused, run_verdict

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_BYTES = 64 * 1024 * 1024
"""Size of a report file beyond which it is not read."""

_AROUND = 20
"""How much deeper a value may stand in a report than in the completion, or the golden line, that it comes from."""
_PLACE = 100
"""Characters of a place in the document that are shown."""
_IN_WORDS = {"headline", "detail", "message", "interval", "differing_keys", "untested"}
"""What is worded, or computed with floats, by the version that wrote the file: it is made anew and not compared."""


def read_report(data: bytes, *, name: str = "report.json") -> Report:
    """Read a report that ``report_document`` and ``json_text`` wrote.

    Args:
        data: the file, ``MAX_BYTES`` at most.
        name: what the file is called in messages.

    Returns:
        The report, with headline, details of gates and intervals made anew. It lacks what the file does not hold
        and no comment shows: messages of the cases, what the decks show to their judges.

    Raises:
        BadInput: the file is too large, no strict JSON, not of the published form, or contradicts itself.
    """
    try:
        document = _parsed(data)
        check_values(document)
        _validate(document)
        complete(document)
        check_work(document)
        report = _report(document)
        place = next(_differences(document, report_document(report), ""), None)
    except Unfit as error:
        raise refused(name, str(error)) from error
    if place is not None:
        what = "its judges' replies" if place.startswith("decks") else "its draws"
        raise refused(name, f"what it says at {place[:_PLACE]} does not follow from {what}")
    return report


def refused(name: str, why: str) -> BadInput:
    """Return the exception for a report that cannot be used.

    Args:
        name: what the file is called in messages.
        why: in our own words.
    """
    remedy = "Give the report.json of a run of this version, as it was written."
    return BadInput(Problem(path=name, message=f"The report cannot be used: {why}.", remedy=remedy))


def _parsed(data: bytes) -> Any:
    if len(data) > MAX_BYTES:
        raise Unfit(f"it has more than {MAX_BYTES:,} bytes")
    try:
        document = parse(data.decode(), halves=True, depth=MAX_DEPTH + _AROUND)
    except UnicodeDecodeError as error:
        raise Unfit("it is not UTF-8") from error
    except InvalidJSON as error:
        raise Unfit("it is not strict JSON, or too deep") from error
    version = document.get("schema_version") if isinstance(document, dict) else None
    if isinstance(version, int) and version != SCHEMA_VERSION:
        raise Unfit(f"it is of another version than {SCHEMA_VERSION}")
    return document


@cache
def _validator() -> Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - heavy, and nobody else here needs it

    schema = json.loads((files("evalaction") / "schemas" / "report.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema)


def _validate(document: Any) -> None:
    error = next(_validator().iter_errors(document), None)
    if error is not None:
        # Names that the schema does not know are a stranger's.
        known = {name for place in error.absolute_schema_path if isinstance(name := place, str)}
        parts = (
            f"[{part}]" if isinstance(part, int) else f".{part}" if part in known else "[…]" for part in error.path
        )
        raise Unfit(f"it has not the published form at ${''.join(parts)}"[:_PLACE])


def _report(document: Any) -> Report:
    decks = tuple(deck_result(item) for item in document["decks"])
    cases = tuple(case_result(item, decks=decks) for item in document["cases"])
    stubs = stored_stubs(document["instrument"], decks=[result.planned.deck.name for result in decks])
    gates = tuple(stored.gate(item) for item in document["gates"])
    held = _held(document["held"], cases, decks)
    interrupted = document["exit_code"] == ExitCode.INTERRUPTED
    verdict = run_verdict(cases, gates, decks=decks, interrupted=interrupted)
    partial = document["partial"]
    report = Report(
        verdict=verdict,
        exit_code=exit_code(verdict, interrupted=interrupted, excused=is_excused(held, gates)),
        headline=headline(
            verdict=verdict,
            cases=cases,
            decks=decks,
            gates=gates,
            partial=partial,
            interrupted=interrupted,
            held=held is not None,
        ),
        base=stored.side(document["base"]),
        head=stored.side(document["head"]),
        partial=partial,
        manifest=stored.manifest(document["manifest"]),
        cases=cases,
        decks=decks,
        stubs=stubs,
        gates=gates,
        removed=tuple(stored.removed(item) for item in document["removed"]),
        loosened=tuple(stored.change(item) for item in document["loosened"]),
        edited_gold=tuple(stored.change(item) for item in document["edited_gold"]),
        unaffected=stored.whole(document["unaffected"]),
        not_chosen=stored.whole(document["not_chosen"]),
        show_completions=document["show_completions"],
        held=held,
    )
    check_totals(report)
    return report


def _held(document: Any, cases: tuple[CaseResult, ...], decks: tuple[DeckResult, ...]) -> Hold | None:
    """Return the hold in the words of this version."""
    draws = [graded.draw for case in cases for graded in case.draws]
    draws += map(_last, asked_of_judges(cases, decks))
    causes = {None if draw.failure is None else draw.failure.cause for draw in draws}
    if document is None:
        if Cause.HELD in causes:
            raise Unfit("draws of it were held back, and the run was not")
        return None
    # A case whose command is not allowed is not drawn, held back or not.
    if causes - {Cause.HELD, Cause.COMMAND} or not (cases or decks):
        raise Unfit("the run was held back, and draws of it were not")
    usual = SKIPPED if document["excused"] else FAILS
    known = (hold for hold in HOLDS if (hold.message, hold.excused) == (document["message"], document["excused"]))
    return next(known, usual)


def _last(outcome: Outcome) -> Draw:
    return outcome.draws[-1] if isinstance(outcome, Judged) else outcome.draw


def _differences(given: Any, made: Any, place: str) -> Iterator[str]:
    """Yield where a document says something else than the one that was made from its draws."""
    if isinstance(given, dict) and isinstance(made, dict):
        if given.keys() != made.keys():
            yield place or "the top"
            return
        for key in given:
            if key in _IN_WORDS:
                if (given[key] is None) is not (made[key] is None):
                    yield f"{place}.{key}" if place else key
            else:
                yield from _differences(given[key], made[key], f"{place}.{key}" if place else key)
    elif isinstance(given, list) and isinstance(made, list):
        if len(given) != len(made):
            yield place
            return
        for index, (one, other) in enumerate(zip(given, made, strict=True)):
            yield from _differences(one, other, f"{place}[{index}]")
    elif not _equal(given, made):
        yield place


def _equal(given: Any, made: Any) -> bool:
    if isinstance(made, float) and isinstance(given, int | Decimal):
        given = float(given)
    return isinstance(given, bool) is isinstance(made, bool) and bool(given == made)
