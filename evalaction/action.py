"""The Action's entry: the runner's environment in; comment, step summary, annotations, outputs and exit code out.

I/O: reads the event file, appends to the files that the runner names, prints the log, asks GitHub.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evalaction.check import Prepared, notes_of, prepare, target_of
from evalaction.doors import ending
from evalaction.errors import BadInput, EvalactionError, ExitCode, Problem
from evalaction.event import EVENTS
from evalaction.forks import event_notes, hold_for
from evalaction.hub import Hub, open_hub
from evalaction.job import event_of, given_inputs, job_of, secrets_of, workflow_of
from evalaction.publish.actions import append_ending, append_summary, outputs_of, outputs_without_report, write_outputs
from evalaction.publish.annotations import annotation_lines, message_lines, problem_lines
from evalaction.publish.comment import NOT_POSTED, Posted, post_comment, post_ending
from evalaction.publish.files import ReportPaths, clear_directory, write_reports
from evalaction.publish.log import mask_lines, write_commands, write_lines, write_log
from evalaction.publish.progress import PlainProgress
from evalaction.records.event import Event, Job
from evalaction.records.hub import HubFailure, Thread
from evalaction.records.report import Report
from evalaction.records.settings import Settings
from evalaction.records.tree import Pair
from evalaction.redact import redact
from evalaction.relay import relay
from evalaction.report.plan_lines import plan_lines
from evalaction.runner import measure
from evalaction.settings import read_settings
from evalaction.trees.event_pair import find_event_pair, without_base
from evalaction.trees.pair import find_pair
from evalaction.trees.repository import Repository, open_repository


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    """What is known of a step before it measures anything."""

    environ: Mapping[str, str]
    workspace: Path
    settings: Settings
    job: Job
    event: Event
    hub: Hub | None
    """None without a token or a repository to ask about."""

    @property
    def directory(self) -> Path:
        """The report folder, relative to the workspace."""
        return _inside(self.workspace, self.settings.report_dir, name="report-dir")

    @property
    def thread(self) -> Thread | None:
        """The comments of the pull request; None without one, or without a hub."""
        pull = self.event.pull
        return None if pull is None or self.hub is None else self.hub.thread(pull.number)


def main(environ: Mapping[str, str]) -> int:
    """Run the Action.

    Args:
        environ: as GitHub's runner sets it for a container action.

    Returns:
        The exit code.
    """
    write_commands(mask_lines(secrets_of(environ)), sys.stdout)
    try:
        step = _step(environ)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every way a run ends has its exit code
        return _end(error, environ, None)
    try:
        return _second_stage(step) if step.event.origin is not None else _run(step)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - see above
        return _end(error, environ, step)


def _step(environ: Mapping[str, str]) -> _Step:
    workspace = Path(environ.get("GITHUB_WORKSPACE", "."))
    settings = read_settings(given_inputs(environ), environ=environ, repo=str(workspace))
    job = job_of(environ, token=settings.posting.token)
    hub = open_hub(job, log=_say) if job.token and job.repository else None
    event = _event(settings, environ)
    return _Step(environ=environ, workspace=workspace, settings=settings, job=job, event=event, hub=hub)


def _event(settings: Settings, environ: Mapping[str, str]) -> Event:
    """Return what started the run. With base or head named, an event that nobody knows will do too."""
    name = environ.get("GITHUB_EVENT_NAME", "")
    named = settings.base is not None or settings.head is not None
    return Event(name=name) if named and name not in EVENTS else event_of(environ)


def _run(step: _Step) -> int:
    """Measure, and tell everybody."""
    settings, environ = step.settings, step.environ
    clear_directory(step.workspace / step.directory)
    # The checkout may lie deeper than the workspace: the repository is the one that the folder belongs to.
    folder = step.workspace / _inside(step.workspace, settings.root, name="working-directory")
    with open_repository(folder, environ=environ) as repository:
        settings = replace(settings, root=Path(os.path.realpath(folder)).relative_to(repository.top).as_posix())
        prepared = _prepared(replace(step, settings=settings), repository)
        target = target_of(prepared, in_container=True)
        write_lines(
            plan_lines(prepared.plan, pair=prepared.pair, notes=notes_of(prepared), hold=prepared.held), sys.stdout
        )
        report = measure(prepared, target=target, watcher=PlainProgress(sys.stdout))
    _publish(report, step)
    return report.exit_code


def _prepared(step: _Step, repository: Repository) -> Prepared:
    settings, event = step.settings, step.event
    pair = _pair(settings, repository, event, step.hub)
    pair = replace(pair, notes=(*event_notes(event), *pair.notes))
    # Under pull_request_target the workflow is the base's own, whatever stands in the pull request.
    workflow = None if event.trusts_base_alone else workflow_of(step.environ)
    hold = hold_for(event, settings.forks)
    try:
        return prepare(settings, pair=pair, workflow=workflow, hold=hold)
    except HubFailure as failure:  # GitHub serves a file when it is read, and did not serve this one
        return prepare(settings, pair=without_base(pair, failure), workflow=workflow, hold=hold)


def _pair(settings: Settings, repository: Repository, event: Event, hub: Hub | None) -> Pair:
    """Return the trees to compare: those that the inputs name, or else the event's.

    Raises:
        BadInput: base and head are one commit, and nothing would be compared.
    """
    if settings.base is None and settings.head is None:
        pair = find_event_pair(repository, event, objects=hub)
    else:
        pair = find_pair(repository, base=settings.base, head=settings.head or "HEAD")
    # A pull request may bring nothing new; a branch that is compared with itself would be green for ever.
    if pair.same and event.pull is None and not settings.force_all:
        raise BadInput(
            Problem(
                path="base",
                message=f"Head {(pair.head.sha or '')[:12]} is base, or in it already: nothing would be compared.",
                remedy="Name an older commit, or leave base empty to draw all cases.",
            )
        )
    return pair


def _publish(report: Report, step: _Step) -> None:
    """Show a report wherever it is looked for. Only the files can fail: all else becomes a notice."""
    environ, location = step.environ, str(step.directory / "report.json")
    # Shown first: what was paid for is seen even where it cannot be kept.
    write_log(report, sys.stdout, groups=True, location=location)
    write_lines(append_summary(report, environ, report_location=location), sys.stdout)
    written = write_reports(report, step.workspace / step.directory)
    paths = ReportPaths(
        json=written.json.relative_to(step.workspace), markdown=written.markdown.relative_to(step.workspace)
    )
    posted = _comment(report, step)
    outputs = outputs_of(report, paths, comment_url=posted.url, comment_posted=posted.posted)
    notices = (*posted.notices, *write_outputs(outputs, environ))
    write_commands((*annotation_lines(report), *message_lines(notices)), sys.stdout)


def _comment(report: Report, step: _Step) -> Posted:
    """Write the comment, where there is a pull request to write it on."""
    if step.event.pull is None:
        return NOT_POSTED
    thread, posting = step.thread, step.settings.posting
    if thread is None:
        missing = "github-token is empty" if step.job.token is None else "GITHUB_REPOSITORY is not set"
        return Posted(url=None, posted=False, notices=(f"There is no comment: {missing}.",))
    if report.exit_code == ExitCode.INTERRUPTED:
        # The run that took this one's place writes it; and a cancelled job has a few seconds left.
        return Posted(url=None, posted=False, notices=("The run was interrupted: the comment was left alone.",))
    return post_comment(report, thread, posting=posting, location=step.job.run_url, run_id=step.job.run_id)


def _second_stage(step: _Step) -> int:
    """Post the report of the run that this one follows, which was downloaded into the report folder."""
    settings, origin = step.settings, step.event.origin
    if origin is None or settings.base is not None or settings.head is not None:
        message = "After another workflow's run its report is posted, and nothing is compared."
        raise BadInput(Problem(path="base", message=message, remedy="Leave the inputs base and head empty."))
    if step.hub is None:
        message = "Without a token and a repository nothing can be posted."
        raise BadInput(Problem(path="github-token", message=message, remedy="Leave the input out for the job's own."))
    relayed = relay(
        step.workspace / step.directory / "report.json",
        origin=origin,
        job=step.job,
        pulls=step.hub,
        thread_of=step.hub.thread,
        posting=settings.posting,
        show_completions=settings.show_completions,
    )
    outputs = outputs_without_report(relayed.code, comment_url=relayed.url, comment_posted=relayed.posted)
    write_lines((*relayed.lines, *write_outputs(outputs, step.environ)), sys.stdout)
    return relayed.code


def _end(error: BaseException, environ: Mapping[str, str], step: _Step | None) -> int:
    """Tell everybody why there is no report, and return the exit code."""
    secrets = secrets_of(environ)
    lines, code = ending(error, secrets=secrets)
    write_lines((*lines, *append_ending(lines, environ)), sys.stdout)
    posted = _ending_comment(lines, code, step)
    outputs = outputs_without_report(code, comment_url=posted.url, comment_posted=posted.posted)
    problems = redact(error.problems, secrets) if isinstance(error, EvalactionError) else ()
    notices = (*posted.notices, *write_outputs(outputs, environ))
    write_commands((*problem_lines(problems), *message_lines(notices)), sys.stdout)
    return code


def _ending_comment(lines: list[str], code: int, step: _Step | None) -> Posted:
    """Let the comment of an earlier push not stand there as if it spoke of this one."""
    thread = None if step is None else step.thread
    if step is None or thread is None or code == ExitCode.INTERRUPTED:
        return NOT_POSTED
    said = [line for line in lines if line.startswith("error: ")]
    return post_ending(said, thread, posting=step.settings.posting, run_url=step.job.run_url, run_id=step.job.run_id)


def _inside(workspace: Path, folder: str, *, name: str) -> Path:
    """Return a folder relative to the workspace; other steps see nothing else of the container.

    Raises:
        BadInput: it lies elsewhere.
    """
    path = (workspace / folder).absolute()
    if ".." in path.parts or not path.is_relative_to(workspace.absolute()):
        raise BadInput(Problem(path=name, message=f"{folder} is not inside the workspace."))
    return path.relative_to(workspace.absolute())


def _say(text: str) -> None:
    write_lines((text,), sys.stdout)
