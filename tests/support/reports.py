"""Reports in a tiny text language: ``A A B A ∅`` is five draws, two answers and one that never came.

A letter is an answer (``answers`` says which), ``?`` a completion that is no answer, ``∅`` a draw that is
missing. With ``grader=Grader.COMMAND`` a letter is an artifact, and ``runs`` says what its command made of it. The
draws are graded and decided by the real code, so that a report in a test is one that can be.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, cast

from support.decks import JUDGE_GONE, deck_result, judged_case, trace_deck
from support.grading import COMMAND, UNIQUE, command_run
from support.judging import Order, honest, verdicts

from evalaction import fingerprint
from evalaction.grade.case import grade_case
from evalaction.judge.exam import exam_of
from evalaction.judge.stubs import BUILT_IN, examine
from evalaction.records.case import Case, Contract, Grader, Sampling, Schema
from evalaction.records.command import CommandRun
from evalaction.records.deck import Deck, Fixture, Planted, ProbeKind, Wording
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause, Draw, Failure, Reply, Usage
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.judge import Examined, Judged
from evalaction.records.manifest import Calls, Manifest, Tokens
from evalaction.records.plan import Change, PlannedCase, Reason, Removed
from evalaction.records.report import CaseResult, Report, Side
from evalaction.report.answered import answered_by, changes
from evalaction.report.assemble import sampling_words
from evalaction.report.headline import headline
from evalaction.report.spent import replay_note
from evalaction.report.tally import tally
from evalaction.stats.case import with_figures
from evalaction.values import dumps, sha256
from evalaction.verdict import exit_code, is_excused, run_verdict

FAIL_ON = frozenset({GateName.AGREEMENT, GateName.SCHEMA, GateName.LENGTH, GateName.EXPECTED})
DEADLINE = Failure(cause=Cause.DEADLINE, message="the deadline of 1,800 s was reached")
ANSWERS: Mapping[str, Any] = {
    "A": {"vendor": "Acme Tools", "total_cents": 1950},
    "B": {"vendor": "Acme Tools", "total_cents": Decimal("19.5")},
    "C": {"vendor": "ACME", "total_cents": 1905},
}
STUBS = (Examined(deck=None, scores=examine(BUILT_IN)),)
"""How the stubs do in a repository without decks."""
VERDICT_ORDER = (Verdict.FAIL, Verdict.UNMEASURED, Verdict.PASS)


def case_result(id_: str, strip: str, **said: Any) -> CaseResult:
    """Return what the draws in ``strip`` say of a case.

    Args:
        id_: of the case.
        strip: one sign a draw.
        said: ``answers`` (letter → JSON value, or text with ``grader="text"``), ``raw`` (letter → completion),
            ``runs`` (letter → what a command came to, or why it was not run; without, its draws pass), ``failure``,
            ``usage``, ``replies`` (index of a draw → fields of its reply), ``reply_id`` (of every draw),
            ``replay_of`` and ``tries`` (index of a draw → run, requests), ``path``, ``line``, ``reasons``,
            ``changed_files``, ``fail_on``, ``sampling``, ``blocked``, and any field of ``Contract``.
    """
    signs = strip.split()
    answers = said.pop("answers", ANSWERS)
    raw = {
        "?": "I cannot tell.",
        **{letter: _text(answer) for letter, answer in answers.items()},
        **said.pop("raw", {}),
    }
    failure, usage = said.pop("failure", DEADLINE), said.pop("usage", Usage(prompt=40, completion=12))
    fail_on, replies = said.pop("fail_on", FAIL_ON), dict(said.pop("replies", {}))
    reply_id, replay_of, tries = said.pop("reply_id", None), said.pop("replay_of", {}), said.pop("tries", {})
    if reply_id is not None:
        replies = {index: {"id": reply_id, **replies.get(index, {})} for index in range(1, len(signs) + 1)}
    exits: Mapping[str, CommandRun | Failure] = said.pop("runs", {})
    planned = planned_case(id_, len(signs), **said)
    draws = [
        _draw(planned.case, index, None if sign == "∅" else raw[sign], failure, usage)
        for index, sign in enumerate(signs, 1)
    ]
    draws = [
        replace(
            draw,
            reply=draw.reply and replace(draw.reply, **replies.get(draw.index, {})),
            replay_of=replay_of.get(draw.index),
            tries=tries.get(draw.index, draw.tries),
        )
        for draw in draws
    ]
    runs = None
    if planned.case.contract.grader is Grader.COMMAND:
        runs = {index: exits.get(sign, command_run()) for index, sign in enumerate(signs, 1) if sign != "∅"}
    return with_figures(grade_case(planned, draws, fail_on=fail_on, runs=runs))


def planned_case(id_: str, n: int, **said: Any) -> PlannedCase:
    """Return a case of ``n`` draws; see ``case_result``."""
    path, line = said.pop("path", "golden/invoices.golden.jsonl"), said.pop("line", 1)
    reasons, changed = said.pop("reasons", (Reason.PROMPT,)), said.pop("changed_files", ())
    sampling = said.pop("sampling", Sampling(model="m-1", temperature=Decimal("0.7")))
    blocked = said.pop("blocked", None)
    if said.get("grader") == Grader.COMMAND:
        said = {"command": COMMAND, "expect": "pass", **said}
    contract = Contract(
        **{"grader": Grader.JSON, **said}
        | ({"agreement_min": Fraction(said["agreement_min"])} if "agreement_min" in said else {})
    )
    case = Case(
        id=id_,
        path=path,
        line=line,
        messages=({"role": "user", "content": f"What does the invoice of {id_!a} say?"},),
        n=n,
        sampling=sampling,
        contract=contract,
    )
    prints = fingerprint.of_case(case)
    return PlannedCase(case=case, fingerprints=prints, reasons=reasons, changed_files=changed, blocked=blocked)


def _text(answer: Any) -> str:
    return answer if isinstance(answer, str) else dumps(answer)


def _draw(case: Case, index: int, text: str | None, failure: Failure, usage: Usage) -> Draw:
    if text is None:
        return Draw(path=case.path, id=case.id, index=index, seed=None, failure=failure, tries=0)
    reply = Reply(text=text, finish_reason="stop", id=f"cmpl-{index}", usage=usage)
    return Draw(path=case.path, id=case.id, index=index, seed=None, reply=reply, latency_s=0.5, tries=1)


def deck(name: str, *, failure: Failure = JUDGE_GONE, **said: Any) -> DeckResult:
    """Return an affected deck whose judge could not be reached; ``said`` is as ``deck_result`` takes it."""
    made = trace_deck(name=name)
    every = range(len(exam_of(made).all_requests))
    return with_failure(deck_result(made, **{"missing": every, **said}), failure)


def with_failure(result: DeckResult, failure: Failure) -> DeckResult:
    """Return a deck for which everything that did not come did not for this reason."""
    outcomes, further = (
        tuple(
            outcome if isinstance(outcome, Judged) else replace(outcome, draw=replace(outcome.draw, failure=failure))
            for outcome in some
        )
        for some in (result.outcomes, result.further)
    )
    return replace(result, outcomes=outcomes, further=further)


def manifest(cases: Sequence[CaseResult] = (), decks: Sequence[DeckResult] = (), **said: Any) -> Manifest:
    """Return what a run over ``cases`` and ``decks`` was made with.

    Args:
        cases: of the run.
        decks: of the run.
        said: ``begun`` (run → when it began, of a ledger), and any field of ``Manifest``.
    """
    draws = [draw.draw for case in cases for draw in case.draws if draw.draw.replay_of is None]
    # Of the choices of one request the first one's tries are the request's.
    asked = [draw.tries for draw in draws if draw.reply is None or draw.reply.choice == 0]
    drawn, retried = sum(asked), sum(max(tries - 1, 0) for tries in asked)
    outcomes = [outcome for case in cases for draw in case.draws for outcome in draw.opinions]
    outcomes += [outcome for deck in decks for outcome in (*deck.outcomes, *deck.further)]
    judged = [draw for outcome in outcomes for draw in outcome.draws if draw.replay_of is None]
    judge, made = sum(draw.tries for draw in judged), drawn + sum(draw.tries for draw in judged)
    repaired = sum(isinstance(outcome, Judged) and outcome.repaired for outcome in outcomes)
    replies = [draw.reply for draw in judged if draw.reply is not None]
    planned = sum(_calls(case.planned.case) for case in cases if case.planned.blocked is None)
    planned += sum(len(deck.planned.exam.all_requests) for deck in decks)
    counts = tally(cases, decks)
    replays = counts.replays(begun=said.pop("begun", {}))
    replayed = replay_note(cases, decks, replays)
    fields = {
        "model": "m-1",
        "endpoint_host": "llm.example.test",
        "judge_model": "j-1" if outcomes else None,
        "judge_host": "llm.example.test" if outcomes else None,
        "adapted": (),
        "sampling": sampling_words([case.planned for case in cases]),
        "items": 200,
        "prompts_sha256": fingerprint.together(case.planned.fingerprints.prompt for case in cases),
        "sampling_sha256": fingerprint.together(case.planned.fingerprints.sampling for case in cases),
        "dataset_sha256": sha256(b"golden"),
        "config_sha256": None,
        "versions": (("evalaction", "1.0.0"),),
        "notes": (*([] if replayed is None else [replayed]), *changes(counts)),
        "answered_by": answered_by(counts),
        "replays": replays,
        "calls": Calls(
            planned=planned,
            made=made,
            retried=retried,
            judge=judge,
            repaired=repaired,
            draws=counts.draws,
            answered=counts.answered,
        ),
        "tokens": Tokens(
            prompt=40 * drawn + 200 * len(replies) or None,
            completion=12 * drawn + 30 * len(replies) or None,
            cached=None,
        ),
        "wall_s": 14.2 if made else 0.0,
        "repeat_command": "evalaction check --base 1f0c2d9 --head 8a41b77",
    }
    return Manifest(**{**fields, **said})


def _calls(case: Case) -> int:
    judge = case.contract.judge
    return case.requests + (0 if judge is None else case.n * judge.repeats)


def report(*results: CaseResult, **said: Any) -> Report:
    """Return a run over ``results``, decided as a real one; ``said`` overrides fields of ``Report``."""
    cases = tuple(sorted(results, key=lambda result: VERDICT_ORDER.index(result.verdict)))
    changes = [*said.get("loosened", ()), *said.get("edited_gold", ()), *said.get("removed", ())]
    gate = Gate(name=GateName.CONTRACT, verdict=Verdict.FAIL, detail="what is checked has changed", warns=True)
    gates = said.pop("gates", (gate,) if changes else ())
    decks = tuple(sorted(said.pop("decks", ()), key=lambda result: VERDICT_ORDER.index(result.verdict)))
    stubs = tuple(Examined(deck=result.planned.deck.name, scores=examine(result.planned.deck)) for result in decks)
    held, partial = said.get("held"), said.get("partial")
    verdict = run_verdict(cases, gates, decks=decks)
    made = manifest(cases, decks, **said.pop("manifest", {}))
    fields: dict[str, Any] = {
        "verdict": verdict,
        "exit_code": int(exit_code(verdict, excused=is_excused(held, gates))),
        "headline": headline(
            verdict=verdict, cases=cases, decks=decks, gates=gates, partial=partial, held=held is not None
        ),
        "base": Side(sha="1f0c2d9" + "0" * 33, ref="main"),
        "head": Side(sha="8a41b77" + "0" * 33, ref="HEAD"),
        "partial": None,
        "stubs": stubs or STUBS,
        "removed": (),
        "loosened": (),
        "edited_gold": (),
        "unaffected": made.items - len(cases),
        "not_chosen": 0,
    }
    return Report(manifest=made, cases=cases, decks=decks, gates=gates, **{**fields, **said})


def change(id_: str, field: str, before: Any, after: Any, **said: Any) -> Change:
    """Return one value that differs between base and head."""
    return Change(
        id=id_, field=field, before=before, after=after, **{"path": "golden/invoices.golden.jsonl", "line": 1, **said}
    )


def removed(id_: str | None, kind: str = "case") -> Removed:
    """Return something that is checked at base only."""
    return Removed(kind=kind, path="golden/old.golden.jsonl", id=id_)


def schema(document: Any) -> Schema:
    """Return a JSON Schema written into the golden line."""
    return Schema(document=document)


def with_id(result: CaseResult, id_: str) -> CaseResult:
    """Return ``result`` under another id, as cheaply as can be."""
    planned = result.planned
    return replace(result, planned=replace(planned, case=replace(planned.case, id=id_)))


def everywhere(value: Any, old: str, new: str) -> Any:
    """Return a record with ``old`` replaced by ``new`` in every text of it, keys of objects included."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, Mapping):
        return {everywhere(key, old, new): everywhere(item, old, new) for key, item in value.items()}
    if isinstance(value, tuple | list):
        items = [everywhere(item, old, new) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{field.name: everywhere(getattr(value, field.name), old, new) for field in fields(value)}
        )
    return value


def untrusted_everywhere(text: str) -> Report:
    """Return a report of every kind of case that shows ``text`` wherever untrusted text can stand."""
    text = unicodedata.normalize("NFC", text)  # as every answer is
    mark = "\ue000untrusted\ue000"
    answers = {"A": {mark: 1, "another key": mark}, "B": {mark: mark, "another key": mark}}
    # These completions are read once more when they are shown, so the text stands in them as JSON from the start;
    # no contract holds half of a surrogate pair.
    whole = text.encode("utf-8", "replace").decode()
    read = {"A": {f"k{whole}": 1, "another key": 1}, "B": {f"k{whole}": whole, "another key": 1}}
    place: dict[str, Any] = {"path": f"{mark}.golden.jsonl", "changed_files": (f"prompts/{mark}",), "answers": answers}
    failure = Failure(cause=Cause.REJECTED, message=f"401: {mark}", status=401)
    form = schema({"type": "object", "properties": {mark: {"const": 1}}})
    decks = _untrusted_decks(mark, failure, labels=(f"{whole[:_LABEL]}yes", f"{whole[:_LABEL]}no"))
    made = report(
        case_result(f"{mark}flip", "A A B ? ∅", agreement_min=1, failure=failure, raw={"?": f"no, {mark}"}, **place),
        case_result(f"{mark}wrong", "A A", expect={mark: 2, "another key": mark}, **place),
        case_result(f"{mark}form", "B B A", schema=form, expect_keys=(mark,), **place),
        case_result(f"{mark}none", "∅ ∅", failure=failure, **place),
        case_result(
            f"{mark}fine",
            "A B",
            agreement_min="0.5",
            # Of any text this makes an id that no two responses have by chance.
            reply_id=f"{mark}-{UNIQUE}",
            replies={1: {"replayed": f"x-cache: {mark}", "model": mark, "fingerprint": mark}},
            replay_of={2: mark},
            **place,
        ),
        case_result(
            f"{mark}elsewhere",
            "A B",
            expect_keys=("another key",),
            expect={f"k{whole}": 1},
            **{**place, "answers": read},
        ),
        case_result(
            f"{mark}text", "A B", grader=Grader.TEXT, **{**place, "answers": {"A": f"x{mark}", "B": f"y {mark}"}}
        ),
        judged_case("aa bb ab a- ∅", decks=decks, id=f"{mark}judged", texts=[f"text {mark}"] * 4, labels=_AB, line=9),
        decks=decks,
        loosened=(change(mark, f"schema.{mark}", {mark: mark}, None, path=mark),),
        edited_gold=(change(mark, f"expect.{mark}", mark, [mark], path=mark),),
        removed=(removed(mark), removed(None, kind="file")),
        partial=mark,
        gates=(Gate(name=GateName.CONTRACT, verdict=Verdict.UNMEASURED, detail=mark),),
        base=Side(sha="1f0c2d9" + "0" * 33, ref=mark),
        head=Side(sha=mark, ref=mark, merge_of=mark),
        manifest={
            "model": mark,
            "endpoint_host": mark,
            "judge_model": f"judge {mark}",
            "judge_host": f"judge {mark}",
            "adapted": (f"left out {mark}",),
            "faults": ((mark, 2),),
            "sampling": (mark,),
            "versions": ((mark, mark),),
            "notes": (mark, f"a {mark}"),
            "repeat_command": f"evalaction check {mark}",
        },
    )
    return cast("Report", everywhere(made, mark, text))


_AB = ("a", "b")
_LABEL = 20
"""Characters of a label: with several long ones of them in each reply, replies would be cut."""


def _untrusted_decks(mark: str, failure: Failure, *, labels: tuple[str, str]) -> tuple[DeckResult, ...]:
    """Return decks of every kind, with ``mark`` wherever text of the repository or of an endpoint is.

    Labels hold the text itself from the start, since a reply is read.
    """
    fixtures = tuple(
        Fixture(id=f"{mark}t{number}", line=number, fields={"task": mark, "trace": f"{mark}{number}"}, gold=gold)
        for number, gold in enumerate((labels[0], labels[1], labels[1]), 1)
    )

    def made(name: str, **said: Any) -> Deck:
        fields = {"path": f"{mark}.jsonl", "rubric_path": f"{mark}.md", "sampling": Sampling(model=mark)}
        return trace_deck(name=f"{name} {mark}", labels=labels, fixtures=fixtures, **{**fields, **said})

    def moves(deck: Deck, order: Order) -> str:
        # Any text is one of which no label can be read, whatever else it could be read as.
        return verdicts(order, ["".join(labels)] * len(order)) if order[0] == 1 else honest(deck, order)

    def accepts(_deck: Deck, order: Order) -> str:
        return verdicts(order, [labels[0]] * len(order))

    failing = made(
        "fails",
        repeats=2,
        wordings=(Wording(path=f"{mark}.txt", text=mark),),
        planted=(Planted(id=f"planted {mark}", line=1, fields={"task": mark, "trace": mark}),),
        planted_path=mark,
        probes=(ProbeKind.STEER, ProbeKind.TWINS),
    )
    every = range(len(exam_of(made("x")).all_requests))
    return (
        deck_result(failing, moves, probed=accepts),
        with_failure(deck_result(made("gone"), missing=every), failure),
        deck_result(made("warns", probes=(ProbeKind.STEER,)), probed=accepts),
        deck_result(made("passes")),
    )
