"""Everything a run produced → one report. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from evalaction import fingerprint
from evalaction.draw.schedule import added
from evalaction.frozen import frozen
from evalaction.plan.narrow import NO_CASE
from evalaction.records.case import Sampling
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause, Drawn, Failure
from evalaction.records.gate import Gate, GateName, Verdict
from evalaction.records.judge import Examined
from evalaction.records.manifest import Calls, Manifest, Replays
from evalaction.records.plan import Hold, Plan, PlannedCase
from evalaction.records.report import CaseResult, Report, Side
from evalaction.records.settings import DEFAULT_FAIL_ON, Defaults, Settings
from evalaction.records.suite import Suite
from evalaction.records.tree import Pair, Tree
from evalaction.report import spent
from evalaction.report.adapted import adapted
from evalaction.report.answered import answered_by, changes
from evalaction.report.headline import headline
from evalaction.report.tally import tally
from evalaction.values import JSON, dumps
from evalaction.verdict import exit_code, is_excused, run_verdict

_SHOWN = ("n", "samples_per_request", "temperature", "top_p", "seed", "max_tokens")
_ALWAYS = {"n", "temperature"}
_MOST = 3
"""Values of one parameter that are named one by one."""

_ORDER = {Verdict.FAIL: 0, Verdict.UNMEASURED: 1, Verdict.PASS: 2}


@frozen
class Ran:
    """What the stages of one run handed on."""

    settings: Settings
    """What the run was told."""
    pair: Pair
    """The two trees compared."""
    suite: Suite
    """Of head."""
    plan: Plan
    """What was to be drawn and judged."""
    stubs: tuple[Examined, ...]
    """How the stub judges did."""
    drawn: Drawn
    """What came for the cases."""
    results: tuple[CaseResult, ...]
    """One a planned case, in the plan's order."""
    decks: tuple[DeckResult, ...]
    """One a planned deck, in the plan's order."""
    judging: Drawn | None
    """What came from judges; None when none was to be asked."""
    repaired: int
    """Requests to judges that asked once more for a reply that could not be read."""
    gates: tuple[Gate, ...]
    """Of the run as a whole."""
    notes: tuple[str, ...]
    """What a reader must know, known before anything was sent."""
    endpoint_host: str | None
    """Host and, where the URL has one, port; None when nothing was to be drawn."""
    judge_host: str | None
    """The same of the judges' endpoint; None when no judge was to be asked."""
    versions: tuple[tuple[str, str], ...]
    """(component, version) of what the run was made with."""
    held: Hold | None = None
    """Why nothing was drawn although something is affected."""
    begun: tuple[tuple[str, str], ...] = ()
    """(run, when it began) of the runs whose draws were read from a ledger, as the ledger says."""


def assemble(ran: Ran) -> Report:
    """Return the report of a run."""
    plan = ran.plan
    interrupted = any(end.cause is Cause.INTERRUPTED for end in _ends(ran))
    verdict = run_verdict(ran.results, ran.gates, decks=ran.decks, interrupted=interrupted)
    results = tuple(sorted(ran.results, key=lambda result: _ORDER[result.verdict]))
    decks = tuple(sorted(ran.decks, key=lambda result: _ORDER[result.verdict]))
    return Report(
        verdict=verdict,
        exit_code=exit_code(verdict, interrupted=interrupted, excused=is_excused(ran.held, ran.gates)),
        headline=headline(
            verdict=verdict,
            cases=results,
            decks=decks,
            gates=ran.gates,
            partial=plan.chosen,
            interrupted=interrupted,
            held=ran.held is not None,
        ),
        base=_side(ran.pair.base),
        head=replace(_side(ran.pair.head), merge_of=ran.pair.desk_head),
        partial=plan.chosen,
        manifest=_manifest(ran),
        cases=results,
        decks=decks,
        stubs=ran.stubs,
        gates=ran.gates,
        removed=plan.removed,
        loosened=plan.loosened,
        edited_gold=plan.edited_gold,
        unaffected=plan.unaffected,
        not_chosen=plan.not_chosen,
        show_completions=ran.settings.show_completions,
        held=ran.held,
    )


def _side(tree: Tree | None) -> Side:
    return Side(sha=None, ref=None) if tree is None else Side(sha=tree.sha, ref=tree.ref)


def _manifest(ran: Ran) -> Manifest:
    planned, parts = ran.plan.cases, _parts(ran)
    judged = parts[1:]
    every, told = adapted(
        ran.plan,
        draws=ran.drawn.adapted,
        judges=[each for part in judged for each in part.adapted],
        shared=ran.endpoint_host == ran.judge_host,
    )
    made = tally(ran.results, ran.decks)
    replays = made.replays(begun=dict(ran.begun))
    return Manifest(
        model=_models(planned),
        endpoint_host=ran.endpoint_host,
        judge_model=_judge_models(ran.plan),
        judge_host=ran.judge_host,
        adapted=every,
        faults=added(*(part.faults for part in parts)),
        answered_by=answered_by(made),
        replays=replays,
        sampling=sampling_words(planned),
        items=ran.plan.total,
        prompts_sha256=fingerprint.together(item.fingerprints.prompt for item in planned),
        sampling_sha256=fingerprint.together(item.fingerprints.sampling for item in planned),
        dataset_sha256=ran.suite.dataset_sha256,
        config_sha256=ran.suite.config_sha256,
        versions=ran.versions,
        notes=_notes(ran, replays, [*changes(made), *told]),
        calls=Calls(
            planned=ran.plan.calls,
            made=sum(part.made for part in parts),
            retried=sum(part.retried for part in parts),
            judge=sum(part.made for part in judged),
            repaired=ran.repaired,
            draws=made.draws,
            answered=made.answered,
        ),
        tokens=made.tokens(total=sum(part.tokens for part in parts)),
        wall_s=sum(part.wall_s for part in parts),
        repeat_command=_repeat(ran),
    )


def _notes(ran: Ran, replays: Sequence[Replays], found: Sequence[str]) -> tuple[str, ...]:
    """Return what a reader must know, what bears on every figure first; each once."""
    replayed = spent.replay_note(ran.results, ran.decks, replays)
    first = [*([] if replayed is None else [replayed]), *found]
    return tuple(dict.fromkeys((*first, *ran.notes, *(end.message for end in _ends(ran)))))


def _parts(ran: Ran) -> tuple[Drawn, ...]:
    return (ran.drawn,) if ran.judging is None else (ran.drawn, ran.judging)


def _ends(ran: Ran) -> list[Failure]:
    """Return what ended the drawing or the judging before its time."""
    return [part.stopped for part in _parts(ran) if part.stopped is not None]


def _models(planned: Sequence[PlannedCase]) -> str | None:
    return _named(item.case.sampling for item in planned)


def _judge_models(plan: Plan) -> str | None:
    judges = [item.case.contract.judge for item in plan.cases]
    of_cases = [judge.sampling for judge in judges if judge is not None]
    return _named([*of_cases, *(item.deck.sampling for item in plan.decks)])


def _named(samplings: Iterable[Sampling]) -> str | None:
    names = sorted({sampling.model for sampling in samplings if sampling.model})
    return ", ".join(names) or None


def sampling_words(planned: Sequence[PlannedCase]) -> tuple[str, ...]:
    """Return the sampling of all cases, a parameter each: ``n 5``, ``temperature 0.7``, ``max tokens 80 or 96``."""
    several = any(item.case.sampling.samples_per_request > 1 for item in planned)
    asked: list[dict[str, JSON]] = [
        {
            "n": item.case.n,
            **({"samples_per_request": item.case.sampling.samples_per_request} if several else {}),
            **fingerprint.parameters(item.case.sampling),
        }
        for item in planned
    ]
    # What is not set is not sent, and a reader has to know whose choice the temperature was.
    shown = [name for name in _SHOWN if name in _ALWAYS or any(name in parameters for parameters in asked)]
    said = {name: f"{name.replace('_', ' ')} {_values(name, asked)}" for name in shown if asked}
    if "max_tokens" in said and all(map(_is_twice_the_budget, planned)):
        said["max_tokens"] += " (twice the budget)"
    return tuple(said.values())


def _is_twice_the_budget(item: PlannedCase) -> bool:
    """Return whether a case's cap is what it is where none is set: an overrun is seen, and not cut off."""
    budget = item.case.contract.max_completion_tokens
    return budget is not None and item.case.sampling.max_tokens == 2 * budget


def _values(name: str, asked: Sequence[Mapping[str, JSON]]) -> str:
    unset = "provider default" if name in _ALWAYS else "not set"
    numbers = {value for parameters in asked if isinstance(value := parameters.get(name), int | Decimal)}
    some = [dumps(value) for value in sorted(numbers)]
    said = [f"{some[0]} to {some[-1]}"] if len(some) > _MOST else some
    return " or ".join([*said, *([unset] if any(name not in parameters for parameters in asked) else [])])


def _repeat(ran: Ran) -> str:
    """Return the command that measures the same thing on a desk; keys and URL come from the environment there."""
    base, head, settings = ran.pair.base, ran.pair.head, ran.settings
    judge = ran.plan.chosen == NO_CASE.words
    words = ["evalaction", "judge" if judge else "check"]
    if base is not None and base.sha is not None:
        words += ["--base", fingerprint.short(base.sha)]
    at = ran.pair.desk_head or head.sha
    if at is not None:
        words += ["--head", fingerprint.short(at)]
    if not judge and (settings.force_all or base is None):
        words.append("--all")
    options = {
        "--config": settings.config,
        "--working-directory": None if settings.root in {"", "."} else settings.root,
        "--golden": None if settings.golden is None else "\n".join(settings.golden),
        "--model": settings.defaults.model,
        "--judge-model": settings.defaults.judge_model,
        **({} if judge else _differing(settings.defaults)),
        "--allow-commands": "true" if settings.allow_commands and not judge else None,
        "--fail-on": _names(settings.fail_on - DEFAULT_FAIL_ON),
        "--warn-on": _names(DEFAULT_FAIL_ON - settings.fail_on),
    }
    words += [word for option, value in options.items() if value for word in (option, value)]
    for option, values in (("--case", settings.cases), ("--tag", settings.tags)):
        words += [word for value in values for word in (option, value)]
    return shlex.join(words)


def _differing(given: Defaults) -> dict[str, str | None]:
    """Return the options for sampling and thresholds that are not the built-in defaults."""
    usual = Defaults()
    asked = Decimal(given.agreement_min.numerator) / given.agreement_min.denominator
    return {
        "--repeat": None if given.n == usual.n else str(given.n),
        "--temperature": None if given.temperature is None else str(given.temperature),
        "--agreement-min": None if given.agreement_min == usual.agreement_min else str(asked),
    }


def _names(gates: frozenset[GateName]) -> str:
    return ",".join(gate for gate in GateName if gate in gates)
