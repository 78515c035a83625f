"""What GitHub's runner makes of what a step leaves: its log, and the file of its outputs.

After ``ActionCommand.cs``, ``ActionCommandManager.cs``, ``OutputManager.cs`` and ``FileCommandManager.cs`` of
https://github.com/actions/runner: a command stands at the start of a line, white space skipped, as
``::name key=value,…::data``, or anywhere in it as ``##[name key=value;…]data``; a line ends at a line feed, at a
carriage return, or at both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

REGISTERED = frozenset({
    "add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice", "remove-matcher",
    "save-state", "set-env", "set-output", "stop-commands", "warning",
})  # fmt: skip
KEPT = 10
"""Annotations of one level that are kept of a step."""

_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
_OLD = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%"))


@dataclass(frozen=True)
class Command:
    """A workflow command that was obeyed."""

    name: str
    data: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Log:
    """What became of a log."""

    commands: list[Command]
    """In their order."""
    shown: list[str]
    """Lines that are no commands, or stand where commands are stopped."""


def read_log(text: str) -> Log:
    """Return the commands of a log, and the lines that are shown."""
    commands: list[Command] = []
    shown: list[str] = []
    stopped: str | None = None
    for line in re.split("\r\n|\r|\n", text):
        known = REGISTERED | ({stopped.lower()} if stopped else set())
        command = _parse(line, known) or _parse_old(line, known)
        if command is None or (stopped is not None and command.name.lower() != stopped.lower()):
            shown.append(line)
            continue
        commands.append(command)
        if stopped is not None:
            stopped = None
        elif command.name == "stop-commands":
            stopped = command.data
    return Log(commands=commands, shown=shown)


def _parse(line: str, known: frozenset[str] | set[str]) -> Command | None:
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    return _command(line[2:end], line[end + 2 :], known, ",", (_PROPERTY, _DATA))


def _parse_old(line: str, known: frozenset[str] | set[str]) -> Command | None:
    start = line.find("##[")
    end = line.find("]", start)
    return None if start < 0 or end < 0 else _command(line[start + 3 : end], line[end + 1 :], known, ";", (_OLD, _OLD))


def _command(
    info: str,
    data: str,
    known: frozenset[str] | set[str],
    separator: str,
    marks: tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]],
) -> Command | None:
    name, _, rest = info.partition(" ")
    if name.lower() not in known:
        return None
    pairs = [part.split("=", 1) for part in rest.strip().split(separator) if part.strip("=")]
    properties = {pair[0]: _unescaped(pair[1].lstrip("="), marks[0]) for pair in pairs if len(pair) == 2 and pair[1]}
    return Command(name=name, data=_unescaped(data, marks[1]), properties=properties)


def _unescaped(text: str, marks: Sequence[tuple[str, str]]) -> str:
    for escaped, mark in marks:
        text = text.replace(escaped, mark)
    return text


def read_outputs(text: str) -> list[tuple[str, str]]:
    """Return outputs by name: ``name=value``, or ``name<<delimiter`` up to a line that is the delimiter."""
    lines, pairs = iter(text.split("\n")), []
    for line in lines:
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if heredoc >= 0 and (equals < 0 or heredoc < equals):
            name, delimiter = line.split("<<", 1)
            value: list[str] = []
            for inner in lines:
                if inner == delimiter:
                    break
                value.append(inner)
            else:
                raise AssertionError("the delimiter never comes")
            pairs.append((name, "\n".join(value)))
        else:
            name, content = line.split("=", 1)
            pairs.append((name, content))
    return pairs
