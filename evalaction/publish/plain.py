"""Lines in a log that are no report: what is said on the way, masks, commands. I/O: writes to the stream it is given.

Loaded before a run, and so without what a report is made with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TextIO

from evalaction.redact import MIN_SECRET, forms_of
from evalaction.report.untrusted import log_line, mask_command


def mask_lines(secrets: Iterable[str]) -> list[str]:
    """Return the workflow commands that keep secrets out of a log, to be written before anything else.

    Args:
        secrets: keys and tokens. Each of their lines is masked, trimmed, in every form that reports are cleared of;
            one of fewer than ``MIN_SECRET`` characters is not, since words would go with it.
    """
    parts = (line.strip() for secret in secrets for line in re.split("[\r\n]", secret))
    # Half of a surrogate pair cannot be written to a log, neither in a mask nor in what it is to hide.
    kept = [part for part in parts if len(part) >= MIN_SECRET and _can_be_written(part)]
    return list(dict.fromkeys(mask_command(form) for part in kept for form in forms_of(part)))


def _can_be_written(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def write_commands(commands: Iterable[str], stream: TextIO) -> None:
    """Write workflow commands as they are: masks first in a log, annotations last."""
    for line in commands:
        _write(stream, line)


def write_lines(lines: Iterable[str], stream: TextIO) -> None:
    """Write other lines to a log, none of which is taken for a workflow command.

    Args:
        lines: one line each, whatever text they hold.
        stream: where to.
    """
    for line in lines:
        _write(stream, log_line(line))


def _write(stream: TextIO, line: str) -> None:
    # A log that knows no ∅ (an ASCII locale) shows its number instead of ending the run.
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
