"""What a report says of draws and judges together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.decks import deck_result, judged_case, trace_deck
from support.example_decks import fluent_last
from support.reports import STUBS, deck
from support.trees import MemoryTree

from evalaction.plan.narrow import NO_CASE
from evalaction.records.case import Sampling
from evalaction.records.draw import Adaptation, Cause, Draw, Drawn, Failure, Reply, Usage
from evalaction.records.gate import Verdict
from evalaction.records.manifest import Calls, Tokens
from evalaction.records.plan import Plan
from evalaction.records.settings import Defaults, Settings
from evalaction.records.suite import Suite
from evalaction.records.tree import Pair
from evalaction.report.assemble import Ran, assemble

HOLDS, FLIPS = deck_result(), deck_result(trace_deck(name="flips"), fluent_last)
DRAW = Draw(path="g.jsonl", id="a", index=1, seed=None)


def drawn(prompt: int | None, **said: Any) -> Drawn:
    """Return one draw of as many prompt tokens, 4 requests made for it, in 1.5 seconds."""
    reply = Reply(text="x", finish_reason="stop", usage=Usage(prompt=prompt, completion=2))
    return Drawn(**{"draws": (replace(DRAW, reply=reply),), "made": 4, "retried": 3, "wall_s": 1.5, **said})


def ran(**said: Any) -> Ran:
    """Return a run of a judge-graded case and of three decks."""
    case = judged_case("pp pp", judge_sampling=Sampling(model="j-2"))
    decks = said.pop("decks", (HOLDS, deck("gone"), FLIPS))
    plan = Plan(
        cases=(case.planned,),
        decks=tuple(result.planned for result in decks),
        removed=(),
        loosened=(),
        edited_gold=(),
        unaffected=0,
        total=1,
        chosen=said.pop("chosen", None),
    )
    suite = Suite(
        cases=(),
        decks=(),
        golden_paths=(),
        dependencies={},
        dataset_sha256="0" * 64,
        config_path=None,
        config_sha256=None,
    )
    fields: dict[str, Any] = {
        "settings": Settings(defaults=Defaults(judge_model="j-1")),
        "pair": Pair(base=MemoryTree({}, sha="b" * 40), head=MemoryTree({}, sha="a" * 40), renames={}),
        "suite": suite,
        "plan": plan,
        "stubs": STUBS,
        "drawn": drawn(40),
        "results": (case,),
        "decks": decks,
        "judging": drawn(200, adapted=(Adaptation(name="response_format"), Adaptation(name="seed"))),
        "repaired": 1,
        "gates": (),
        "notes": ("a note",),
        "endpoint_host": "llm.example.test",
        "judge_host": "judge.example.test",
        "versions": (),
    }
    return Ran(**{**fields, **said})


def test_assemble__draws_and_judges_together() -> None:
    """Calls, tokens and time are those of draws and judges together; what went to judges is told apart."""
    manifest = assemble(ran()).manifest

    assert (manifest.calls, manifest.tokens, manifest.wall_s) == (
        Calls(planned=2 + 4 + 18, made=8, retried=6, judge=4, repaired=1, draws=2, answered=2),
        Tokens(prompt=200 * (2 + 4 + 12), completion=30 * (2 + 4 + 12), cached=None),
        3.0,
    )
    assert (manifest.model, manifest.judge_model, manifest.judge_host) == ("m-1", "j-1, j-2", "judge.example.test")


def test_assemble__decks_by_verdict() -> None:
    """Decks stand by verdict: failing before unmeasured before passing; the worst of all makes the run's."""
    report = assemble(ran())

    assert [result.planned.deck.name for result in report.decks] == ["flips", "gone", "trace-judge"]
    assert (report.verdict, int(report.exit_code)) == (Verdict.FAIL, 1)
    assert report.headline == (
        "evalaction: on 1 of 3 decks the judge flips on 1 of 3 fixtures, 1 deck could not be judged"
    )


def test_assemble__what_was_left_out() -> None:
    """What each endpoint refused by name is said; without the form of a reply, judges were asked in words alone."""
    manifest = assemble(ran(drawn=drawn(None, adapted=(Adaptation(name="temperature"),)))).manifest

    assert manifest.adapted == (
        "the endpoint refuses temperature: it was left out from then on",
        "the judge's endpoint refuses response_format: it was left out from then on, and the form of the replies was "
        "asked for in words alone",
        "the judge's endpoint refuses seed: it was left out from then on",
    )


def test_assemble__judges_that_were_interrupted() -> None:
    """A run that is stopped while judges are asked was interrupted, and says what ended it."""
    stopped = Failure(cause=Cause.INTERRUPTED, message="it was interrupted")
    report = assemble(ran(judging=drawn(1, stopped=stopped), decks=(HOLDS,)))

    assert (report.verdict, int(report.exit_code), report.manifest.notes) == (
        Verdict.UNMEASURED,
        130,
        ("a note", "it was interrupted"),
    )


def test_assemble__repeat_command() -> None:
    """The command on a desk names the judges' model where it was given; the decks alone have a command of their own."""
    sides = f"--base {'b' * 12} --head {'a' * 12}"

    assert [assemble(ran(chosen=chosen)).manifest.repeat_command for chosen in (None, NO_CASE.words)] == [
        f"evalaction check {sides} --judge-model j-1",
        f"evalaction judge {sides} --judge-model j-1",
    ]


def test_assemble__without_judges() -> None:
    """Where no judge was to be asked, nothing of one is said."""
    plan = replace(ran().plan, cases=(), decks=())
    manifest = assemble(ran(plan=plan, decks=(), results=(), judging=None, judge_host=None, repaired=0)).manifest

    assert (manifest.judge_model, manifest.judge_host, manifest.calls.judge, manifest.adapted) == (None, None, 0, ())


def test_assemble__notes_in_their_order() -> None:
    """What bears on every figure comes first: what was not drawn, who changed, what was not sent as asked."""
    case = judged_case("pp pp", judge_sampling=Sampling(model="j-2", temperature=0))
    draws = tuple(
        replace(
            graded,
            draw=replace(
                graded.draw,
                replay_of="3f2a9c41b7d0e586" if graded.draw.index == 1 else None,
                reply=graded.draw.reply and replace(graded.draw.reply, fingerprint=f"fp_{graded.draw.index}"),
            ),
        )
        for graded in case.draws
    )
    made = ran(
        results=(replace(case, draws=draws),),
        decks=(),
        plan=replace(ran().plan, cases=(case.planned,), decks=()),
        drawn=drawn(1, tokens=120, faults=(("timeout", 2),)),
        judging=drawn(
            1, adapted=(Adaptation(name="temperature"),), tokens=80, faults=(("HTTP 429", 3), ("timeout", 1))
        ),
        begun=(("3f2a9c41b7d0e586", "2026-11-30T12:00:00+00:00"),),
    )
    manifest = assemble(made).manifest

    assert manifest.notes == (
        "1 of 2 draws was read from the ledger of run 3f2a9c41b7d0, begun 2026-11-30T12:00:00+00:00: it was not drawn "
        "again",
        "the model changed within the run: m-1 answered without a name (fp_1) in 1 draw, without a name (fp_2) in 1",
        "the judge's endpoint refuses temperature, which 1 judge-graded case asks for: it was left out from then on",
        "a note",
    )
    assert (manifest.faults, manifest.answered_by, manifest.tokens.total) == (
        (("HTTP 429", 3), ("timeout", 3)),
        ((None, "fp_1", 1), (None, "fp_2", 1)),
        200,
    )
    assert manifest.adapted == ("the judge's endpoint refuses temperature: it was left out from then on",)
