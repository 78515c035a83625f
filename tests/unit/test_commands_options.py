"""Options of the commands: each input of the Action that makes sense on a desk, and how it is given there."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner

from evalaction.cli import main
from evalaction.command_options import options


@click.command()
@options("ledger", "resume", "max-total-tokens")
def echo(**given: str | None) -> None:
    """Print what is given."""
    click.echo(json.dumps(given))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), (None, None, None)),
        (("--ledger", "l.jsonl", "--resume"), ("l.jsonl", "true", None)),
        (("--resume", "--ledger", "l.jsonl"), ("l.jsonl", "true", None)),
        (("--resume", "false", "--max-total-tokens", "9"), (None, "false", "9")),
        (("--resume=true",), (None, "true", None)),
    ],
)
def test_options__switch(words: tuple[str, ...], expected: tuple[str | None, ...]) -> None:
    """A switch that stands alone says true; what an option is not given is not said at all."""
    result = CliRunner().invoke(echo, words)
    names = ("ledger", "resume", "max_total_tokens")
    assert dict(zip(names, expected, strict=True)) == json.loads(result.output)


@pytest.mark.parametrize("command", ["check", "judge"])
def test_commands__resume_without_ledger(command: str) -> None:
    """Going on with no ledger is bad usage, said before anything else is done."""
    result = CliRunner().invoke(main, [command, "--resume"])
    expected = "error: resume: there is no ledger to take draws from. Name it with ledger (--ledger FILE).\n"
    assert (2, expected) == (result.exit_code, result.output)


def test_commands__ledger_where_something_is_drawn() -> None:
    """The commands that draw have the options of a ledger, and the others have not."""
    found = {
        name: [option for option in ("--ledger", "--resume", "--max-total-tokens") if option in _options(name)]
        for name in main.list_commands(click.Context(main))
    }
    all_three = ["--ledger", "--resume", "--max-total-tokens"]
    assert {"check": all_three, "judge": all_three} == {name: given for name, given in found.items() if given}


def _options(name: str) -> list[str]:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return [option for parameter in command.params for option in parameter.opts]
