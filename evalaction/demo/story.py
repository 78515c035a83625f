"""The demo: the same check as in production, on the sample repository, and what to see in its result.

I/O: makes a temporary folder, starts the local model, writes lines through ``say``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from evalaction.check import notes_of, prepare
from evalaction.demo.model import NAME, SLOTS, LocalModel
from evalaction.demo.repository import build_sample
from evalaction.errors import ExitCode
from evalaction.frozen import frozen
from evalaction.measuring import Watcher
from evalaction.publish.files import write_reports
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import GateName, Verdict
from evalaction.records.report import CaseResult, Report
from evalaction.report.comment import render_comment
from evalaction.report.decks.figures import LIKELY
from evalaction.report.plan_lines import plan_lines
from evalaction.runner import measure
from evalaction.settings import read_settings
from evalaction.trees.pair import find_pair
from evalaction.trees.repository import open_repository

INPUTS = {"base": "main", "head": "HEAD", "max-concurrency": str(SLOTS)}
"""What the demo says as a person would on the command line; no more at once than the local model has places."""

LOOK_AT = """\
Look at invoice-acme first: all five draws agree, so agreement alone would have passed it, and only its expected value \
shows that this stable answer is wrong.
Then look at the two cases that flip: one drawn answer would have shown none of it, and currency-only, which the pull \
request does not touch, was not drawn at all.
Last, look at the judge of the deck refunds: it is shown the same traces in six orders, each of them twice, and their \
labels move with the order, more than they do when one order is asked again. Asked once, it would have shown nothing."""
LOOK_AT_ALL = """\
Look at the strip of draws of each case: one drawn answer would have shown none of the letters after the first.
Then look for a case whose draws agree and whose expected value fails: agreement is not truth.
Last, look at the labels of the deck refunds: a label that is not the same in every order is the order's, not the \
trace's."""


@frozen
class Role:
    """What a case or a deck of the sample is there to show."""

    id: str
    """Of the case, or the name of the deck."""
    shows: str
    came_out: Callable[[Report], bool]
    """Whether a report shows it."""


def _case(name: str, shows: str, came_out: Callable[[CaseResult | None], bool]) -> Role:
    """Return the role of a case, whose result is None where it was not drawn."""

    def asks(report: Report) -> bool:
        return came_out(next((result for result in report.cases if result.planned.case.id == name), None))

    return Role(id=name, shows=shows, came_out=asks)


def _deck(name: str, shows: str, came_out: Callable[[DeckResult], bool]) -> Role:
    """Return the role of a deck; one that was not judged shows nothing."""

    def asks(report: Report) -> bool:
        return any(came_out(result) for result in report.decks if result.planned.deck.name == name)

    return Role(id=name, shows=shows, came_out=asks)


def _verdict(result: CaseResult | DeckResult | None, gate: GateName) -> Verdict | None:
    gates = result.gates if result is not None else ()
    return next((item.verdict for item in gates if item.name is gate), None)


def _moves_with_the_order(result: DeckResult) -> bool:
    """Return whether some trace got two labels, a missing one not counted, and it is order and not noise."""
    fixtures = result.score.fixtures if result.score is not None else ()
    told = result.effect.as_telling if result.effect is not None else None
    return (
        _verdict(result, GateName.JUDGE_FLIP) is Verdict.FAIL
        and any(len({*fixture.labels} - {None}) > 1 for fixture in fixtures)
        and told is not None
        and told.fraction <= LIKELY
    )


ROLES = (
    _case("invoice-northwind", "flips", lambda result: result is not None and result.flipping),
    _case(
        "invoice-acme",
        "is stable and wrong, caught by its expected value alone",
        lambda result: (
            _verdict(result, GateName.AGREEMENT) is Verdict.PASS and _verdict(result, GateName.EXPECTED) is Verdict.FAIL
        ),
    ),
    _case(
        "invoice-initech",
        "is stable and right",
        lambda result: result is not None and result.verdict is Verdict.PASS and not result.flipping,
    ),
    _case(
        "refund-no-delivery-date",
        "should abstain every time (agreement_min 1.0), and does not",
        lambda result: _verdict(result, GateName.AGREEMENT) is Verdict.FAIL,
    ),
    _case("currency-only", "is unaffected and not drawn", lambda result: result is None),
    _deck("refunds", "has a judge whose labels move with the order, beyond its noise", _moves_with_the_order),
)


def run_demo(
    *,
    endpoint: str | None,
    model: str | None,
    environ: Mapping[str, str],
    watcher: Watcher,
    say: Callable[[str], None],
) -> int:
    """Run the demo.

    Args:
        endpoint: URL to draw from; None for the local model.
        model: name to ask that endpoint for; None for the local model's.
        environ: the caller's environment; only a key for ``endpoint`` is read from it, and what git needs.
        watcher: told of each draw.
        say: takes one line of output.

    Returns:
        0 when the check could measure, whatever its verdict; otherwise the check's own exit code.

    Raises:
        EvalactionError: git or the local model is missing, or the endpoint cannot be used.
    """
    folder = Path(tempfile.mkdtemp(prefix="evalaction-demo-"))
    repository = folder / "repository"
    build_sample(repository, environ=environ)
    say(
        f"A sample repository lies in {repository}: its branch rewords the invoice prompt and the rubric of a judge, "
        "and edits golden lines."
    )
    with ExitStack() as stack:
        url = endpoint or stack.enter_context(LocalModel(log=folder / "model.log")).base_url
        asked = f"the local model {NAME}" if endpoint is None else "the endpoint you named"
        say(f"Drawing from {asked}, and asking it as the judge.")
        inputs = _inputs(url, model=model or NAME, report_dir=folder / "report")
        settings = read_settings(inputs, environ=environ if endpoint else {}, repo=str(repository))
        opened = stack.enter_context(open_repository(repository, environ=environ))
        prepared = prepare(settings, pair=find_pair(opened, base=settings.base, head=settings.head))
        for line in plan_lines(prepared.plan, pair=prepared.pair, stubs=prepared.stubs, notes=notes_of(prepared)):
            say(line)
        report = measure(prepared, targets=prepared.targets(in_container=False), watcher=watcher)
    paths = write_reports(report, Path(settings.report_dir), within=folder)
    _show(report, say)
    say(f"The report: {paths.json} and {paths.markdown}")
    say(f"evalaction check ended with exit code {report.exit_code} ({report.verdict}).")
    if report.exit_code in {ExitCode.PASS, ExitCode.GATE_FAILED}:
        return ExitCode.PASS
    return report.exit_code


def _inputs(url: str, *, model: str, report_dir: Path) -> dict[str, str]:
    """Return the inputs of the run: one endpoint and one model for draws and judge, whatever the environment names."""
    asked = {"base-url": url, "model": model, "judge-base-url": url, "judge-model": model}
    return {**INPUTS, **asked, "report-dir": str(report_dir)}


def _show(report: Report, say: Callable[[str], None]) -> None:
    say("")
    say("The comment that a pull request would get:")
    say("")
    say(render_comment(report, report_location="report.json"))
    say("")
    missed = [role for role in ROLES if not role.came_out(report)]
    for role in missed:
        say(f"On this machine {role.id} did not come out as it was chosen to: it {role.shows}.")
    say(LOOK_AT if not missed else LOOK_AT_ALL)
