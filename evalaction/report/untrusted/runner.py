"""Untrusted text where GitHub's runner reads: lines of a log, workflow commands, and the file of outputs.

Pure. A line is one line and no command; a command is the one that was meant; an entry ends where it was to end.
"""

from __future__ import annotations

from collections.abc import Mapping

from evalaction.report.untrusted.shown import one_line, visible

_DATA = {ord(mark): f"%{ord(mark):02X}" for mark in "%\r\n"}
_PROPERTY = {ord(mark): f"%{ord(mark):02X}" for mark in "%\r\n:,"}


def log_line(text: str) -> str:
    """Return a whole log line, our words and visible text, that a runner takes for no workflow command.

    A runner looks for ``::`` at the start of a line, white space skipped, and for ``##[`` anywhere in it.
    """
    safe = visible(text).replace("\n", "⏎").replace("##[", "## [")
    return safe.replace("::", ": :", 1) if safe.lstrip().startswith("::") else safe


def command(name: str, text: str, properties: Mapping[str, str]) -> str:
    """Return a workflow command on one line, escaped as GitHub's toolkit does it.

    Args:
        name: of the command, ours.
        text: its message; what cannot be seen is shown by its number, and line feeds and tabs by marks.
        properties: values by name, shown alike. Empty ones are left out; so is one that begins with ``=``, which
            the runner would take away and read as another value.
    """
    said = ",".join(
        f"{key}={_message(value).translate(_PROPERTY)}"
        for key, value in properties.items()
        if value and not value.startswith("=")
    )
    return f"::{name}{' ' if said else ''}{said}::{_message(text).translate(_DATA)}"


def _message(text: str) -> str:
    return one_line(text).replace("##[", "## [")


def mask_command(secret: str) -> str:
    """Return the workflow command that has a runner put ``***`` in place of ``secret``, to the letter."""
    return f"::add-mask::{secret.translate(_DATA)}"


def output_entry(name: str, value: str, delimiter: str) -> str:
    """Return one entry of GITHUB_OUTPUT.

    Args:
        name: documented name of the output.
        value: what it is to hold; what cannot be seen is shown by its number.
        delimiter: random text that cannot be foreseen.

    Raises:
        ValueError: the delimiter stands in the value.
    """
    shown = visible(value)
    if delimiter in shown:
        raise ValueError("the delimiter stands in the value")
    return f"{name}<<{delimiter}\n{shown}\n{delimiter}\n"
