"""The commands: each reads its options, calls one story and ends with its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalaction.check import Prepared, notes_of, prepare, shown_plan
from evalaction.command_options import inputs, options, selection
from evalaction.doors import ending
from evalaction.errors import BadInput, Problem
from evalaction.forks import COMMANDS_OF_NOBODY, NOT_ALLOWED, why_no_commands
from evalaction.publish.folder import clear_directory
from evalaction.publish.plain import write_lines
from evalaction.publish.progress import progress_on
from evalaction.records.report import Report
from evalaction.records.settings import WORKTREE, Settings
from evalaction.report.decks.instrument import stub_lines
from evalaction.runner import measure
from evalaction.settings import read_settings
from evalaction.sides import sound_suite
from evalaction.trees.pair import find_head, find_pair
from evalaction.trees.repository import open_repository
from evalaction.trees.source import Source

if TYPE_CHECKING:
    from evalaction.publish.pieces import Pieces

_NOT_FOR_PLAN_TEXT = """
    base-url judge-base-url max-concurrency max-total-tokens deadline fail-on warn-on show-completions report-dir
    ledger resume
"""
_NOT_FOR_PLAN = frozenset(_NOT_FOR_PLAN_TEXT.split())
"""Inputs that change nothing about a plan."""
_OF_CASES = {"repeat", "temperature", "agreement-min", "allow-commands"}
"""Inputs that change nothing about a deck."""


@contextmanager
def people_errors() -> Iterator[None]:
    """Turn what ends a command before its time into lines on standard error and an exit code."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every way a run ends has its exit code
        from evalaction.job import secrets_of  # noqa: PLC0415 - where a run ends before its time alone

        lines, code = ending(error, secrets=secrets_of(os.environ))
        for line in lines:
            click.echo(line, err=True)
        sys.exit(code)


def settings_of(
    options: dict[str, str | None], *, repo: str, force_all: bool, cases: tuple[str, ...], tags: tuple[str, ...]
) -> Settings:
    """Read the settings of a command from its options and the environment."""
    given = {name.replace("_", "-"): text for name, text in options.items() if text is not None}
    if force_all:
        given["force-run"] = "true"
    return read_settings(given, environ=os.environ, repo=repo, cases=cases, tags=tags)


@contextmanager
def prepared_in(settings: Settings, *, decks_only: bool = False) -> Iterator[Prepared]:
    """Open the repository and find out what is affected; the trees can be read inside the ``with``.

    Args:
        settings: of the run.
        decks_only: see ``prepare``.
    """
    with open_repository(settings.repo, environ=os.environ) as repository:
        pair = find_pair(repository, base=settings.base, head=settings.head)
        no_commands = _why_no_commands(settings, pair.head.sha)
        yield prepare(settings, pair=pair, decks_only=decks_only, no_commands=no_commands)


def _why_no_commands(settings: Settings, head: str | None) -> str | None:
    """Return why no command may be run. In a job of GitHub's the event decides here as well: it may be a fork's."""
    if not settings.allow_commands:
        return NOT_ALLOWED
    from evalaction.grade.command import can_run  # noqa: PLC0415 - where commands may be run alone
    from evalaction.job import commit_of, event_of  # noqa: PLC0415 - the same

    event = None
    if os.environ.get("GITHUB_ACTIONS") == "true":
        try:
            event = event_of(os.environ, named=True)
        except BadInput:
            return COMMANDS_OF_NOBODY
    commit = commit_of(os.environ)
    return why_no_commands(event, allowed=settings.allow_commands, head=head, commit=commit, able=can_run())


@click.command()
@selection
@inputs(without={"force-run"})
def check(repo: str, force_all: bool, cases: tuple[str, ...], tags: tuple[str, ...], **options: str | None) -> None:  # noqa: FBT001 - click's way
    """Draw the affected cases n times each, and report whether their answers hold.

    By default the files on disk are compared with the merge base with the default branch. The report files
    lie in the report folder; the exit code says how it went: 0 pass, 1 a gate failed, 2 bad input, 3 could
    not measure, 130 interrupted. The endpoint's key is read from EVAL_API_KEY alone.
    """
    with people_errors():
        settings = settings_of(options, repo=repo, force_all=force_all, cases=cases, tags=tags)
        report = _measured(settings, decks_only=False)
    sys.exit(report.exit_code)


def _measured(settings: Settings, *, decks_only: bool) -> Report:
    """Plan, draw, judge, show and write: what ``check`` does, and ``judge`` for the decks alone."""
    folder = Path(settings.report_dir)

    @cache
    def pieces() -> Pieces:
        from evalaction.publish.pieces import Pieces  # noqa: PLC0415 - loaded while replies are awaited

        return Pieces(show=settings.show_completions)

    clear_directory(folder, within=Path.cwd())
    with prepared_in(settings, decks_only=decks_only) as prepared:
        if decks_only and not prepared.plan.decks:
            message = "There is no deck to judge."
            remedy = "Describe one (see docs/judge.md), or give --stubs-only for the stub judges alone."
            raise BadInput(Problem(message=message, remedy=remedy))
        write_lines(shown_plan(prepared), sys.stdout)
        targets = prepared.targets(in_container=False)
        report = measure(prepared, targets=targets, watcher=progress_on(sys.stderr), pieces=pieces)
    from evalaction.publish.desk import show_and_keep  # noqa: PLC0415 - loaded while replies are awaited

    show_and_keep(report, folder, stream=sys.stdout, within=Path.cwd(), pieces=pieces())
    return report


@click.command()
@selection
@inputs(without={"force-run", *_NOT_FOR_PLAN})
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
def plan(
    repo: str,
    force_all: bool,  # noqa: FBT001 - click's way
    cases: tuple[str, ...],
    tags: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 - click's way
    **options: str | None,
) -> None:
    """Show what check would draw, and why, and how many calls that makes. Sends nothing; needs no endpoint."""
    from evalaction.report.plan_document import plan_document  # noqa: PLC0415 - check needs none of these
    from evalaction.report.writer import json_text  # noqa: PLC0415 - the same

    with people_errors():
        settings = settings_of(options, repo=repo, force_all=force_all, cases=cases, tags=tags)
        with prepared_in(settings) as prepared:
            if as_json:
                click.echo(json_text(plan_document(prepared.plan, notes=notes_of(prepared))), nl=False)
            else:
                write_lines(shown_plan(prepared), sys.stdout)


@click.command()
@click.option("--stubs-only", is_flag=True, help="Run the stub judges alone: sends nothing, needs no endpoint.")
@click.option("--repo", default=".", show_default=True, help="A folder of the repository.")
@inputs(without={"force-run", *_OF_CASES})
def judge(stubs_only: bool, repo: str, **options: str | None) -> None:  # noqa: FBT001 - click's way
    """Put all decks to their judges, changed or not, and report what the judges are worth. Draws no case.

    Stub judges run first, over every deck or a built-in one, as on every check and plan: a broken instrument ends the
    run with exit code 3 before anything is sent. Report files and exit codes are those of check. The judge's key is
    read from JUDGE_API_KEY alone, or from EVAL_API_KEY where it is asked at the same origin.
    """
    with people_errors():
        settings = settings_of(options, repo=repo, force_all=False, cases=(), tags=())
        if stubs_only:
            with prepared_in(settings, decks_only=True) as prepared:
                write_lines(stub_lines(prepared.stubs), sys.stdout)
            return
        report = _measured(settings, decks_only=True)
    sys.exit(report.exit_code)


@click.command()
@click.option("--repo", default=".", show_default=True, help="A folder of the repository.")
@options("config", "golden", "working-directory", "head")
def lint(repo: str, **options: str | None) -> None:
    """Check golden files, configuration and decks without a model: what is wrong, and what should be known.

    Looks at the files on disk, or at --head. Sends nothing; needs no endpoint. Ends with 2 when something is wrong
    that would keep check from running, or when nothing is checked of a case; warnings alone end with 0.
    """
    from evalaction.report.lint_lines import lint_lines  # noqa: PLC0415 - check needs neither
    from evalaction.suite.warnings import unchecked  # noqa: PLC0415 - the same

    with people_errors():
        settings = settings_of(options, repo=repo, force_all=False, cases=(), tags=())
        with open_repository(settings.repo, environ=os.environ) as repository:
            tree, _, _ = find_head(Source(repository=repository, objects=None), settings.head or WORKTREE)
            suite = sound_suite(settings, tree)
            idle = unchecked(suite)
            if idle:
                raise BadInput(*idle)
            write_lines(lint_lines(suite), sys.stdout)


@click.command()
@click.argument("report", metavar="REPORT.json", type=click.Path(path_type=Path))
@options("comment-mode", "comment-id", "show-completions")
def comment(report: Path, **options: str | None) -> None:
    """Post the report of another run on its pull request: the second of two workflows, on workflow_run.

    For pull requests from forks, whose own runs may not comment. GITHUB_EVENT_NAME, GITHUB_EVENT_PATH,
    GITHUB_REPOSITORY, GITHUB_API_URL and GITHUB_SERVER_URL are read as GitHub's runner sets them, and the token
    from GITHUB_TOKEN or GH_TOKEN. What GitHub refuses is a notice, and so is that there is no report; the exit code
    stays 0.
    """
    from evalaction.hub import open_hub  # noqa: PLC0415 - nobody else needs it
    from evalaction.job import event_of, job_of  # noqa: PLC0415 - the same
    from evalaction.relay import relay  # noqa: PLC0415 - the same

    with people_errors():
        settings = settings_of(options, repo=".", force_all=False, cases=(), tags=())
        event = event_of(os.environ)
        if event.origin is None:
            message = f"comment is for the second of two workflows, which runs on workflow_run; this is {event.name}."
            raise BadInput(Problem(path="GITHUB_EVENT_NAME", message=message, remedy="See docs/forks.md."))
        token = os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN") or None
        job = job_of(os.environ, token=token)
        relayed = relay(
            report,
            origin=event.origin,
            job=job,
            pulls=open_hub(job, log=lambda said: write_lines((said,), sys.stdout)),
            posting=settings.posting,
            show_completions=settings.show_completions,
        )
        write_lines((*relayed.lines, *relayed.notices), sys.stdout)
        if relayed.unusable is not None:
            raise relayed.unusable


@click.command()
@click.option(
    "--endpoint", metavar="URL", help="Draw from this OpenAI-compatible endpoint in place of the local model."
)
@click.option("--model", metavar="NAME", help="The model to ask that endpoint for. [env: EVAL_MODEL]")
def demo(endpoint: str | None, model: str | None) -> None:
    """Run check on a sample repository and a local model that needs no key, and show the comment.

    The sample's cases were chosen for what this small model answers to their seeds, and its deck, the last of eight
    wordings that were tried, because its labels move with the order. What is drawn is real.
    """
    from evalaction.demo.story import run_demo  # noqa: PLC0415 - nobody else needs the demo

    with people_errors():
        code = run_demo(
            endpoint=endpoint,
            model=model or (os.environ.get("EVAL_MODEL") if endpoint else None),
            environ=os.environ,
            watcher=progress_on(sys.stderr),
            say=click.echo,
        )
    sys.exit(code)
