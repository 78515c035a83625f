"""The Action's entry: the runner's environment in; comment, step summary, annotations, outputs and exit code out.

I/O: reads the event file, appends to the files that the runner names, prints the log, asks GitHub.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from evalaction.check import Prepared, prepare, shown_plan
from evalaction.doors import Interrupted, ending
from evalaction.draw.endpoint import secrets_of as secrets_in
from evalaction.errors import BadInput, EvalactionError, ExitCode, Problem
from evalaction.event import FOLLOWING
from evalaction.forks import desk_of, event_notes, hold_for, hold_without_means, why_no_commands
from evalaction.frozen import frozen
from evalaction.grade.command import can_run
from evalaction.hub import Hub, open_hub
from evalaction.job import commit_of, event_of, given_inputs, inside, job_of, secrets_of, workflow_of
from evalaction.publish.actions import (
    append_ending,
    append_posting,
    append_summary,
    outputs_of,
    outputs_without_report,
    write_outputs,
)
from evalaction.publish.annotations import annotation_lines, message_lines, problem_lines
from evalaction.publish.comment import NOT_POSTED, Posted, Render, post_comment, post_ending
from evalaction.publish.files import ReportPaths, write_reports
from evalaction.publish.folder import clear_directory
from evalaction.publish.log import write_log
from evalaction.publish.plain import mask_lines, write_commands, write_lines
from evalaction.publish.progress import PlainProgress
from evalaction.records.event import Event, Job, Origin
from evalaction.records.hub import Thread
from evalaction.records.report import Report
from evalaction.records.settings import CommentMode, Settings
from evalaction.redact import redact
from evalaction.relay import relay
from evalaction.report.comment import render_comment
from evalaction.runner import measure
from evalaction.settings import read_settings
from evalaction.targets import has_endpoint, has_judges, has_models
from evalaction.trees.named_pair import check_edited, find_job_pair
from evalaction.trees.repository import Repository, open_repository

_FOR_THE_COMMENT = ("base", "head", "github-token", "comment-mode", "comment-id")
"""Inputs that suffice to say on the pull request that other inputs cannot be used."""
_ERROR = "error: "
"""With which a line of the log begins that tells a person what is wrong."""


@frozen
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
        return inside(self.workspace, self.settings.report_dir, name="report-dir")

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
    write_commands(mask_lines(_secrets(environ)), sys.stdout)
    try:
        _clear(environ)
        step = _step(environ, given_inputs(environ))
    except (Exception, KeyboardInterrupt, Interrupted) as error:  # noqa: BLE001 - every way a run ends has its exit code
        return _end(error, environ, _commenting(error, environ))
    try:
        return _run(step) if step.event.origin is None else _second_stage(step, step.event.origin)
    except (Exception, KeyboardInterrupt, Interrupted) as error:  # noqa: BLE001 - see above
        return _end(error, environ, step)


def _clear(environ: Mapping[str, str]) -> None:
    """Make room for the report before anything else can end the run: a file that a pull request holds is no report.

    In the second stage the folder holds what is to be posted.
    """
    if environ.get("GITHUB_EVENT_NAME") != FOLLOWING:
        workspace, folder = _workspace(environ), given_inputs(environ).get("report-dir", "").strip()
        directory = inside(workspace, folder or Settings().report_dir, name="report-dir")
        clear_directory(workspace / directory, within=workspace)


def _workspace(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("GITHUB_WORKSPACE", "."))


def _secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is never to be shown: keys, tokens, and what an endpoint's address holds of them."""
    names = ("INPUT_BASE-URL", "EVAL_BASE_URL", "INPUT_JUDGE-BASE-URL", "JUDGE_URL")
    urls = [environ.get(name, "") for name in names]
    return (*secrets_of(environ), *(secret for url in urls for secret in secrets_in(url)))


def _step(environ: Mapping[str, str], inputs: Mapping[str, str]) -> _Step:
    workspace = _workspace(environ)
    settings = read_settings(inputs, environ=environ, repo=str(workspace))
    job = job_of(environ, token=settings.posting.token)
    hub = open_hub(job, log=_say) if job.token and job.repository else None
    event = event_of(environ, named=settings.base is not None or settings.head is not None)
    return _Step(environ=environ, workspace=workspace, settings=settings, job=job, event=event, hub=hub)


def _commenting(error: BaseException, environ: Mapping[str, str]) -> _Step | None:
    """Return a step for the comment alone, where bad input kept us from having a whole one; None without any."""
    inputs = {name: text for name, text in given_inputs(environ).items() if name in _FOR_THE_COMMENT}
    with suppress(BadInput):
        if isinstance(error, BadInput):
            return _step(environ, inputs)
    return None


def _run(step: _Step) -> int:
    """Measure, and tell everybody."""
    settings, environ = step.settings, step.environ
    # The checkout may lie deeper than the workspace: the repository is the one that the folder belongs to.
    folder = step.workspace / inside(step.workspace, settings.root, name="working-directory")
    with open_repository(folder, environ=environ) as repository:
        settings = replace(
            settings,
            root=Path(os.path.realpath(folder)).relative_to(repository.top).as_posix(),
            ledger=_in_workspace(step, settings.ledger),
        )
        prepared = _prepared(replace(step, settings=settings), repository)
        write_lines(shown_plan(prepared), sys.stdout)
        targets = prepared.targets(in_container=True)
        report = measure(prepared, targets=targets, watcher=PlainProgress(sys.stdout))
    _publish(report, step, prepared)
    return report.exit_code


def _in_workspace(step: _Step, ledger: str | None) -> str | None:
    """Return the path of the ledger from here; other steps see nothing but the workspace."""
    return None if ledger is None else str(step.workspace / inside(step.workspace, ledger, name="ledger"))


def _prepared(step: _Step, repository: Repository) -> Prepared:
    settings, event = step.settings, step.event
    pair = find_job_pair(
        repository,
        event,
        base=settings.base,
        head=settings.head,
        objects=step.hub,
        commit=commit_of(step.environ),
        may_be_same=settings.force_all,
    )
    pair = replace(pair, notes=(*event_notes(event), *pair.notes))
    # Under pull_request_target the workflow is the base's own, whatever stands in the pull request.
    workflow = None if event.is_target else workflow_of(step.environ)
    hold = hold_for(event, settings.forks)
    no_commands = why_no_commands(
        event, allowed=settings.allow_commands, head=pair.head.sha, commit=commit_of(step.environ), able=can_run()
    )
    prepared = prepare(settings, pair=pair, workflow=workflow, hold=hold, no_commands=no_commands)
    plan = prepared.plan
    if not plan.cases and event.pull is None and not settings.force_all:
        check_edited(repository, pair)
    if hold is None and (plan.cases or plan.decks):
        hold = hold_without_means(
            event,
            endpoint=has_endpoint(plan, settings),
            model=has_models(plan),
            judge=has_judges(plan, settings),
        )
    return replace(prepared, hold=hold)


def _publish(report: Report, step: _Step, prepared: Prepared) -> None:
    """Show a report wherever it is looked for. Only the files can fail: all else becomes a notice."""
    environ, location, source = step.environ, str(step.directory / "report.json"), step.job.source_url(report.head.sha)
    # Shown first: what was paid for is seen even where it cannot be kept.
    write_log(report, sys.stdout, groups=True, location=location)
    desk = desk_of(step.event)
    summary = append_summary(report, environ, report_location=location, source_url=source, desk=desk)
    write_lines(summary, sys.stdout)
    written = write_reports(report, step.workspace / step.directory, within=step.workspace)
    paths = ReportPaths(
        json=written.json.relative_to(step.workspace), markdown=written.markdown.relative_to(step.workspace)
    )
    posted = _comment(report, step, partial(render_comment, desk=desk))
    outputs = outputs_of(report, paths, comment_url=posted.url, comment_posted=posted.posted)
    notices = (*posted.notices, *write_outputs(outputs, environ))
    annotations = annotation_lines(report, paths=prepared.pair.head.entries)
    write_commands((*annotations, *message_lines(notices)), sys.stdout)


def _comment(report: Report, step: _Step, render: Render) -> Posted:
    """Write the comment, where there is a pull request to write it on."""
    thread, posting, job = step.thread, step.settings.posting, step.job
    if step.event.pull is None or posting.mode is CommentMode.OFF:
        return NOT_POSTED
    if thread is None:
        missing = "github-token is empty" if job.token is None else "GITHUB_REPOSITORY is not set"
        return Posted(url=None, posted=False, notices=(f"There is no comment: {missing}.",))
    if report.exit_code == ExitCode.INTERRUPTED:
        # The run that took this one's place writes it; and a cancelled job has a few seconds left.
        return Posted(url=None, posted=False, notices=("The run was interrupted: the comment was left alone.",))
    page, run, source = job.run_url, job.run_id, job.source_url(report.head.sha)
    return post_comment(report, thread, posting=posting, location=page, run_id=run, source_url=source, render=render)


def _second_stage(step: _Step, origin: Origin) -> int:
    """Post the report of the run that this one follows, which was downloaded into the report folder."""
    settings = step.settings
    if settings.base is not None or settings.head is not None:
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
        posting=settings.posting,
        show_completions=settings.show_completions,
        within=step.workspace,
    )
    # Nobody looks into the log of a job that is green: there stands that a report was posted, and only that.
    done = relayed.posted and not relayed.missing
    log, notices = (relayed.lines, relayed.notices) if done else ((), (*relayed.lines, *relayed.notices))
    write_lines(log, sys.stdout)
    posted = Posted(url=relayed.url, posted=relayed.posted, notices=notices)
    if relayed.unusable is not None:
        return _end(relayed.unusable, step.environ, step, posted=posted)
    notices += append_posting((*relayed.lines, *relayed.notices), step.environ, url=relayed.url)
    outputs = outputs_without_report(
        ExitCode.PASS, verdict=relayed.verdict, comment_url=relayed.url, comment_posted=relayed.posted
    )
    write_commands(message_lines((*notices, *write_outputs(outputs, step.environ))), sys.stdout)
    return ExitCode.PASS


def _end(error: BaseException, environ: Mapping[str, str], step: _Step | None, *, posted: Posted | None = None) -> int:
    """Tell everybody why there is no report, and return the exit code.

    Args:
        error: what ended the run.
        environ: of the runner.
        step: with the pull request's comments; None without them.
        posted: what became of the comment; None to write it now.
    """
    secrets = _secrets(environ)
    lines, code = ending(error, secrets=secrets)
    write_lines((*lines, *append_ending(lines, environ)), sys.stdout)
    posted = posted or _ending_comment(lines, code, step)
    outputs = outputs_without_report(code, comment_url=posted.url, comment_posted=posted.posted)
    last = Problem(message=lines[-1].removeprefix(_ERROR))
    problems = redact(error.problems, secrets) if isinstance(error, EvalactionError) else (last,)
    notices = (*posted.notices, *write_outputs(outputs, environ))
    write_commands((*problem_lines(problems), *message_lines(notices)), sys.stdout)
    return code


def _ending_comment(lines: Sequence[str], code: int, step: _Step | None) -> Posted:
    """Let the comment of an earlier push not stand there as if it spoke of this one."""
    thread = None if step is None else step.thread
    if step is None or thread is None or code == ExitCode.INTERRUPTED:
        return NOT_POSTED
    said = [line for line in lines if line.startswith(_ERROR)]
    return post_ending(said, thread, posting=step.settings.posting, run_url=step.job.run_url, run_id=step.job.run_id)


def _say(text: str) -> None:
    write_lines((text,), sys.stdout)
