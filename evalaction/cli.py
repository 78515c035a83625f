"""The command: parse, call, exit. Commands are loaded when they are asked for, so that ``--version`` is quick."""

from __future__ import annotations

import click

from evalaction import __version__
from evalaction.doors import begin_collecting, end_on_signals, ended_by, patient_streams, stop_collecting

COMMANDS = {
    "check": "Draw the affected cases n times each, and report whether their answers hold.",
    "plan": "Show what check would draw, and why; send nothing.",
    "judge": "Put all decks to their judges, and report what the judges are worth.",
    "lint": "Check golden files, configuration and decks without a model.",
    "comment": "Post another run's report on its pull request: the second stage for forks.",
    "demo": "Run check on a sample repository and a local model that needs no key.",
}
"""Command → its one line of help."""


class LazyGroup(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order in which they are met."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return a command by name; None for one that there is not."""
        if cmd_name not in COMMANDS:
            return None
        from evalaction import commands  # noqa: PLC0415 - the point of this class

        begin_collecting()
        command: click.Command = getattr(commands, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the list of commands without loading one."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def run() -> None:
    """Be the command: what ends a run from outside is heard before anything is loaded."""
    stop_collecting()
    end_on_signals()
    patient_streams()
    ended_by(main)


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="evalaction")
def main() -> None:
    """Keep flaky model behaviour out of a main branch.

    Exit codes: 0 pass, 1 a gate failed, 2 bad input, 3 could not measure, 130 interrupted.
    """
