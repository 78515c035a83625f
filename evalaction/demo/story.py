"""The demo: the same check as in production, on the sample repository, and what to see in its result.

I/O: makes a temporary folder, starts the local model, writes lines through ``say``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from evalaction.check import Watcher, notes_of, prepare, target_of
from evalaction.demo.model import NAME, SLOTS, LocalModel
from evalaction.demo.repository import build_sample
from evalaction.errors import ExitCode
from evalaction.publish.files import write_reports
from evalaction.records.gate import GateName, Verdict
from evalaction.records.report import CaseResult, Report
from evalaction.report.comment import render_comment
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
request does not touch, was not drawn at all."""
LOOK_AT_ALL = """\
Look at the strip of draws of each case: one drawn answer would have shown none of the letters after the first.
Then look for a case whose draws agree and whose expected value fails: agreement is not truth."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Role:
    """What a case of the sample is there to show."""

    id: str
    shows: str
    came_out: Callable[[CaseResult | None], bool]
    """Whether a case's result shows it; None stands for a case that was not drawn."""


def _verdict(result: CaseResult | None, gate: GateName) -> Verdict | None:
    gates = result.gates if result is not None else ()
    return next((item.verdict for item in gates if item.name is gate), None)


ROLES = (
    Role(id="invoice-northwind", shows="flips", came_out=lambda result: result is not None and result.flipping),
    Role(
        id="invoice-acme",
        shows="is stable and wrong, caught by its expected value alone",
        came_out=lambda result: (
            _verdict(result, GateName.AGREEMENT) is Verdict.PASS and _verdict(result, GateName.EXPECTED) is Verdict.FAIL
        ),
    ),
    Role(
        id="invoice-initech",
        shows="is stable and right",
        came_out=lambda result: result is not None and result.verdict is Verdict.PASS and not result.flipping,
    ),
    Role(
        id="refund-no-delivery-date",
        shows="should abstain every time (agreement_min 1.0), and does not",
        came_out=lambda result: _verdict(result, GateName.AGREEMENT) is Verdict.FAIL,
    ),
    Role(id="currency-only", shows="is unaffected and not drawn", came_out=lambda result: result is None),
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
    say(f"A sample repository lies in {repository}: its branch rewords the invoice prompt and edits golden lines.")
    with ExitStack() as stack:
        url = endpoint or stack.enter_context(LocalModel(log=folder / "model.log")).base_url
        say(f"Drawing from {'the local model ' + NAME if endpoint is None else 'the endpoint you named'}.")
        inputs = {**INPUTS, "base-url": url, "model": model or NAME, "report-dir": str(folder / "report")}
        settings = read_settings(inputs, environ=environ if endpoint else {}, repo=str(repository))
        opened = stack.enter_context(open_repository(repository, environ=environ))
        prepared = prepare(settings, pair=find_pair(opened, base=settings.base, head=settings.head))
        for line in plan_lines(prepared.plan, pair=prepared.pair, stubs=prepared.stubs, notes=notes_of(prepared)):
            say(line)
        report = measure(prepared, target=target_of(prepared, in_container=False), watcher=watcher)
    paths = write_reports(report, Path(settings.report_dir), within=folder)
    _show(report, say)
    say(f"The report: {paths.json} and {paths.markdown}")
    say(f"evalaction check ended with exit code {report.exit_code} ({report.verdict}).")
    if report.exit_code in {ExitCode.PASS, ExitCode.GATE_FAILED}:
        return ExitCode.PASS
    return report.exit_code


def _show(report: Report, say: Callable[[str], None]) -> None:
    say("")
    say("The comment that a pull request would get:")
    say("")
    say(render_comment(report, report_location="report.json"))
    say("")
    results = {result.planned.case.id: result for result in report.cases}
    missed = [role for role in ROLES if not role.came_out(results.get(role.id))]
    for role in missed:
        say(f"On this machine {role.id} did not come out as it was chosen to: it {role.shows}.")
    say(LOOK_AT if not missed else LOOK_AT_ALL)
