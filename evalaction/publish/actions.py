"""What GitHub's runner reads after a step: the step summary and the outputs.

I/O: appends to the two files that the runner names in the environment. Neither can change a verdict: what
cannot be written becomes a notice.
"""

from __future__ import annotations

import errno
import os
import secrets
import select
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from evalaction.publish.files import ReportPaths
from evalaction.records.gate import Share, Verdict
from evalaction.records.report import Report
from evalaction.report.comment import DoesNotFit, render_comment
from evalaction.report.ending import render_ending, render_posting
from evalaction.report.untrusted import line, output_entry

SUMMARY_LIMIT = 1_048_576
"""Bytes beyond which the runner drops a whole step summary."""
SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"
"""Environment variables in which the runner names its files."""
PATIENCE_S = 10
"""Seconds that a pipe may stay full before it is given up."""

_DIGITS, _ADDRESS = 4, 2_000
"""Digits of a flip rate behind the point, and characters of an address."""


def append_summary(
    report: Report,
    environ: Mapping[str, str],
    *,
    report_location: str | None = None,
    source_url: str | None = None,
    desk: Sequence[str] = (),
) -> tuple[str, ...]:
    """Append the comment's text to the step summary; what the step wrote before stays.

    Args:
        report: the run, secrets already taken out.
        environ: names the file in ``GITHUB_STEP_SUMMARY``.
        report_location: path or address of the whole report.
        source_url: address of all files at the commit that was measured, to link golden lines to; None for no links.
        desk: see ``render_comment``.

    Returns:
        Notices: why there is no summary, or nothing.
    """
    return _append(
        lambda room: render_comment(
            report,
            limit=room,
            report_location=report_location,
            comment_id=None,
            source_url=source_url,
            desk=desk,
        ),
        environ,
    )


def append_ending(lines: Sequence[str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """Append why a run ended without a report to the step summary.

    Args:
        lines: what the log says. Untrusted text, shown as text.
        environ: names the file in ``GITHUB_STEP_SUMMARY``.

    Returns:
        Notices: why there is no summary, or nothing.
    """
    return _append(lambda room: render_ending(lines, limit=room), environ)


def append_posting(lines: Sequence[str], environ: Mapping[str, str], *, url: str | None) -> tuple[str, ...]:
    """Append what became of another run's report to the step summary.

    Args:
        lines: what the log says. Untrusted text, shown as text.
        environ: names the file in ``GITHUB_STEP_SUMMARY``.
        url: page of the comment that was written; None without one.

    Returns:
        Notices: why there is no summary, or nothing.
    """
    return _append(lambda room: render_posting(lines, limit=room, url=url), environ)


def _append(render: Callable[[int], str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """Append what ``render`` makes for the room that is left, in bytes."""
    name = environ.get(SUMMARY)
    if not name:
        return (f"No step summary: {SUMMARY} is not set.",)
    size = 0
    try:
        size, gap = _end(Path(name))
        text = render(SUMMARY_LIMIT - size - len(gap) - 1)
        _write(name, gap + text.encode())
    except DoesNotFit:
        return (f"No step summary: {size:,} bytes are in it already, and a runner takes {SUMMARY_LIMIT:,}.",)
    except OSError as error:
        return (f"No step summary: {SUMMARY} cannot be written ({error.strerror}).",)
    return ()


def _end(path: Path) -> tuple[int, bytes]:
    """Return the bytes in a file, and what makes an empty line after them; of a pipe or a device nothing is read."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return 0, b""
    if not stat.S_ISREG(about.st_mode) or not about.st_size:
        return 0, b""
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return about.st_size, b"\n" if file.read() == b"\n" else b"\n\n"


def _write(path: str, data: bytes) -> None:
    """Append to a file, or write to a pipe or a device, where nobody may be reading.

    Raises:
        OSError: it cannot be written, or nobody reads for ``PATIENCE_S``.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o666)
    before = os.fstat(descriptor)
    try:
        ready = select.poll()
        ready.register(descriptor, select.POLLOUT)
        while data:
            if not ready.poll(PATIENCE_S * 1_000):
                raise TimeoutError(errno.ETIMEDOUT, "nobody reads it")
            data = data[os.write(descriptor, data) :]
    except OSError:
        # Half an entry would make the runner fail the step.
        if stat.S_ISREG(before.st_mode):
            os.ftruncate(descriptor, before.st_size)
        raise
    finally:
        os.close(descriptor)


def outputs_of(
    report: Report, paths: ReportPaths | None, *, comment_url: str | None = None, comment_posted: bool = False
) -> dict[str, str]:
    """Return the Action's outputs by name, each on one line.

    Args:
        report: the run.
        paths: of the report files, relative to the workspace; None when none were written.
        comment_url: page of the comment that is there; None without one. Untrusted text.
        comment_posted: whether that comment tells of this run.
    """
    failed = sum(result.verdict is Verdict.FAIL for result in report.cases)
    return {
        "verdict": str(report.verdict),
        "exit-code": str(int(report.exit_code)),
        "cases-total": str(report.manifest.items),
        "cases-selected": str(len(report.cases)),
        "cases-failed": str(failed),
        "flip-rate": _largest_flip_rate(report),
        "judge-flip-rate": _largest_judge_flip_rate(report),
        "calls-made": str(report.manifest.calls.made),
        "report-json": "" if paths is None else paths.json.as_posix(),
        "report-md": "" if paths is None else paths.markdown.as_posix(),
        **_comment_outputs(url=comment_url, posted=comment_posted),
    }


def outputs_without_report(
    exit_code: int,
    *,
    verdict: Verdict = Verdict.UNMEASURED,
    comment_url: str | None = None,
    comment_posted: bool = False,
) -> dict[str, str]:
    """Return the outputs of a run that has no report of its own.

    Args:
        exit_code: how it ended.
        verdict: that of another run's report, which was read.
        comment_url: see ``outputs_of``.
        comment_posted: see ``outputs_of``.
    """
    comment = _comment_outputs(url=comment_url, posted=comment_posted)
    return {"verdict": str(verdict), "exit-code": str(int(exit_code)), **comment}


def _comment_outputs(*, url: str | None, posted: bool) -> dict[str, str]:
    return {"comment-url": line(url or "", _ADDRESS), "comment-posted": "true" if posted else "false"}


def _largest_flip_rate(report: Report) -> str:
    """Return the largest flip rate as a decimal (``0.2``), over cases whose draws all came; empty without any."""
    return _largest(
        result.flip_rate
        for result in report.cases
        if result.flip_rate is not None and result.measured == result.planned.case.n
    )


def _largest_judge_flip_rate(report: Report) -> str:
    """Return the same over decks all of whose orders were answered."""
    return _largest(
        result.score.judge_flip_rate
        for result in report.decks
        if result.score is not None and result.answered == len(result.outcomes)
    )


def _largest(rates: Iterable[Share]) -> str:
    fractions = [rate.fraction for rate in rates]
    return f"{float(max(fractions)):.{_DIGITS}f}".rstrip("0").rstrip(".") if fractions else ""


def write_outputs(
    outputs: Mapping[str, str], environ: Mapping[str, str], *, token: Callable[[int], str] = secrets.token_hex
) -> tuple[str, ...]:
    """Append the outputs to the runner's file, each between random delimiters.

    Args:
        outputs: value by name.
        environ: names the file in ``GITHUB_OUTPUT``.
        token: makes random text in hex of the given number of bytes.

    Returns:
        Notices: why there are no outputs, or nothing.
    """
    name = environ.get(OUTPUT)
    if not name:
        return (f"No outputs: {OUTPUT} is not set.",)
    text = "".join([output_entry(name, value, _delimiter(value, token)) for name, value in outputs.items()])
    try:
        _write(name, text.encode())
    except OSError as error:
        return (f"No outputs: {OUTPUT} cannot be written ({error.strerror}).",)
    return ()


def _delimiter(value: str, token: Callable[[int], str]) -> str:
    delimiter = f"evalaction_{token(16)}"
    while delimiter in value:
        delimiter = f"evalaction_{token(16)}"
    return delimiter
