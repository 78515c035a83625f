"""The options of the commands: those of the Action's inputs that make sense on a desk, and those that narrow a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from evalaction.inputs import INPUTS

F = TypeVar("F", bound=Callable[..., Any])


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
                alone: dict[str, Any] = {"is_flag": False, "flag_value": "true"} if item.is_switch else {}
                metavar = "[BOOL]" if item.is_switch else "TEXT"
                command = click.option(f"--{item.name}", metavar=metavar, help=item.help + shown + source, **alone)(
                    command
                )
        return command

    return decorate


def selection(command: F) -> F:
    """Give a command the options that say where to look and what to narrow the run to."""
    for option in (
        click.option("--tag", "tags", multiple=True, help="Only cases with this tag; may be repeated."),
        click.option("--case", "cases", multiple=True, metavar="ID|PATH#ID", help="Only this case; may be repeated."),
        click.option("--all", "force_all", is_flag=True, help="Draw all cases and judge all decks, affected or not."),
        click.option("--repo", default=".", show_default=True, help="A folder of the repository."),
    ):
        command = option(command)
    return command
