"""The commands: each reads its options, calls one story and ends with its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from evalaction.check import Prepared, notes_of, prepare, target_of
from evalaction.doors import ending
from evalaction.errors import BadInput, Problem
from evalaction.inputs import INPUTS
from evalaction.job import event_of, job_of, secrets_of
from evalaction.publish.files import clear_directory, write_reports
from evalaction.publish.log import write_lines, write_log
from evalaction.publish.progress import progress_on
from evalaction.publish.terminal import console_for, print_report
from evalaction.records.report import Report
from evalaction.records.settings import Settings
from evalaction.report.instrument import stub_lines
from evalaction.report.plan_document import plan_document
from evalaction.report.plan_lines import plan_lines
from evalaction.report.writer import json_text
from evalaction.runner import measure
from evalaction.settings import read_settings
from evalaction.trees.pair import find_pair
from evalaction.trees.repository import open_repository

F = TypeVar("F", bound=Callable[..., Any])

_NOT_FOR_PLAN = {"report-dir", "show-completions", "max-concurrency", "deadline", "fail-on", "warn-on", "base-url"}
"""Inputs that change nothing about a plan."""


def inputs(*, without: frozenset[str] | set[str] = frozenset()) -> Callable[[F], F]:
    """Give a command an option for each of the Action's inputs that makes sense on a desk."""
    return options(*(item.name for item in INPUTS if item.option and item.name not in without))


def options(*names: str) -> Callable[[F], F]:
    """Give a command an option for each of these inputs of the Action."""

    def decorate(command: F) -> F:
        for item in reversed(INPUTS):
            if item.name in names:
                shown = f" [default: {item.default.replace(chr(10), ', ')}]" if item.default else ""
                source = f" [env: {item.env}]" if item.env else ""
                command = click.option(f"--{item.name}", metavar="TEXT", help=item.help + shown + source)(command)
        return command

    return decorate


def selection(command: F) -> F:
    """Give a command the options that say where to look and what to narrow the run to."""
    for option in (
        click.option("--tag", "tags", multiple=True, help="Only cases with this tag; may be repeated."),
        click.option("--case", "cases", multiple=True, metavar="ID|PATH#ID", help="Only this case; may be repeated."),
        click.option("--all", "force_all", is_flag=True, help="Draw all cases, affected or not."),
        click.option("--repo", default=".", show_default=True, help="A folder of the repository."),
    ):
        command = option(command)
    return command


@contextmanager
def people_errors() -> Iterator[None]:
    """Turn what ends a command before its time into lines on standard error and an exit code."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every way a run ends has its exit code
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
def prepared_in(settings: Settings) -> Iterator[Prepared]:
    """Open the repository and find out what is affected; the trees can be read inside the ``with``."""
    with open_repository(settings.repo, environ=os.environ) as repository:
        pair = find_pair(repository, base=settings.base, head=settings.head)
        yield prepare(settings, pair=pair)


def show(report: Report, *, location: str) -> None:
    """Print a report: a table on a terminal, plain lines in a log."""
    if sys.stdout.isatty():
        print_report(report, console_for(sys.stdout), location=location)
    else:
        write_log(report, sys.stdout, groups=False, location=location)


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
        clear_directory(Path(settings.report_dir), within=Path.cwd())
        with prepared_in(settings) as prepared:
            write_lines(
                plan_lines(prepared.plan, pair=prepared.pair, stubs=prepared.stubs, notes=notes_of(prepared)),
                sys.stdout,
            )
            target = target_of(prepared, in_container=False)
            report = measure(prepared, target=target, watcher=progress_on(sys.stderr))
        # Shown first: what was paid for is seen even where it cannot be kept.
        show(report, location=str(Path(settings.report_dir) / "report.json"))
        write_reports(report, Path(settings.report_dir), within=Path.cwd())
    sys.exit(report.exit_code)


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
    with people_errors():
        settings = settings_of(options, repo=repo, force_all=force_all, cases=cases, tags=tags)
        with prepared_in(settings) as prepared:
            if as_json:
                click.echo(json_text(plan_document(prepared.plan, notes=notes_of(prepared))), nl=False)
            else:
                write_lines(
                    plan_lines(prepared.plan, pair=prepared.pair, stubs=prepared.stubs, notes=notes_of(prepared)),
                    sys.stdout,
                )


@click.command()
@click.option("--stubs-only", is_flag=True, help="Run the stub judges alone. Required: this version judges no deck.")
@click.option("--repo", default=".", show_default=True, help="A folder of the repository.")
@options("config", "golden", "working-directory")
def judge(stubs_only: bool, repo: str, **options: str | None) -> None:  # noqa: FBT001 - click's way
    """Run the stub judges over the repository's decks, or the built-in one, and show what they come to.

    Sends nothing; needs no endpoint. Every check and plan does the same first: a broken instrument ends it with exit
    code 3.
    """
    with people_errors():
        if not stubs_only:
            message = "This version judges no deck."
            raise BadInput(Problem(message=message, remedy="Give --stubs-only for the stub judges alone."))
        settings = settings_of(options, repo=repo, force_all=False, cases=(), tags=())
        with prepared_in(settings) as prepared:
            write_lines(stub_lines(prepared.stubs), sys.stdout)


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

    The sample's cases were chosen for what this small model answers to their seeds; what is drawn is real.
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
