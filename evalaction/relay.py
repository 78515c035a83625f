"""The second stage: the comment on a pull request, posted from the report of a run that may not post itself.

I/O: reads the report file; asks GitHub through what it is given. The report is an artifact of a run that a stranger
may have written: only GitHub's own event says which run that was and whose, and only GitHub which pull request it
belongs to. The file is read within a size, and shown as what stands in its records.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from evalaction.errors import BadInput, ExitCode, Problem
from evalaction.fingerprint import short
from evalaction.publish.comment import Posted, Render, post_comment
from evalaction.records.event import Job, Origin
from evalaction.records.hub import HubFailure, OpenPulls, Thread
from evalaction.records.report import Report
from evalaction.records.settings import Posting
from evalaction.report.comment import render_comment
from evalaction.report.read import MAX_BYTES, read_report
from evalaction.report.untrusted import Quoted, line, plain, quoted

EVENTS = ("pull_request", "pull_request_target", "pull_request_review")
"""Events of a first stage whose pull request is looked for."""
_SAID = 300


class Post(Protocol):
    """Writes the comment; ``post_comment`` is one."""

    def __call__(
        self,
        report: Report,
        thread: Thread,
        *,
        posting: Posting,
        location: str | None,
        run_id: int | None,
        render: Render,
    ) -> Posted:
        """Write the comment, or bring the one that is there up to date."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Relayed:
    """What became of a report that another run left."""

    lines: tuple[str, ...]
    """For the log, each in one printable line."""
    posted: bool
    """Whether a comment shows it now."""
    url: str | None
    """Page of that comment, of the first where there are several; None when there is none."""
    code: int
    """0: what GitHub refuses is a notice, and the verdict was that of the first run."""


def relay(
    path: Path,
    *,
    origin: Origin,
    job: Job,
    pulls: OpenPulls,
    thread_of: Callable[[int], Thread],
    posting: Posting,
    show_completions: bool = True,
    post: Post = post_comment,
) -> Relayed:
    """Post the report of another run on the pull request that the run was for.

    The pull request is the open one with the run's head repository, branch and commit, as GitHub lists them: none
    where it was closed or has moved on since, and more than one where the branch is to be merged into several. The
    report says nothing about it.

    Args:
        path: the downloaded ``report.json``.
        origin: the run that left it, as this run's event says.
        job: where this run takes place.
        pulls: the open pull requests of that repository.
        thread_of: returns the comments of a pull request by its number.
        posting: when there is a comment, and which of several it is.
        show_completions: whether model text may be shown; the report's own setting can only forbid it.
        post: writes a comment.

    Raises:
        BadInput: the file is not there, no regular file, too large, or no report (see ``read_report``).
    """
    try:
        _check(origin)
        report = read_report(_content(path), name=path.name)
        numbers = _numbers(origin, pulls)
    except _NoPull as none:
        return Relayed(lines=(f"Nothing was posted. {none}",), posted=False, url=None, code=ExitCode.PASS)
    report = replace(report, show_completions=report.show_completions and show_completions)
    page = f"{job.server_url}/{job.repository}/actions/runs/{origin.run_id}"
    stranger = (origin.head_repository or "").lower() != job.repository.lower()
    render = partial(render_comment, relayed_from=page) if stranger else render_comment
    outcomes = [
        post(report, thread_of(number), posting=posting, location=page, run_id=origin.run_id, render=render)
        for number in numbers
    ]
    return Relayed(
        lines=tuple(_said(numbers, outcomes)),
        posted=any(outcome.posted for outcome in outcomes),
        url=next((outcome.url for outcome in outcomes if outcome.url is not None), None),
        code=ExitCode.PASS,
    )


class _NoPull(Exception):
    """No pull request is to be had. ``str()`` of it says why, in one printable line."""

    def __init__(self, *why: str | Quoted) -> None:
        """Keep the cause.

        Args:
            why: a phrase.
        """
        super().__init__(plain(why))


def _check(origin: Origin) -> None:
    """Check that a run can have had a pull request that is still there.

    Raises:
        _NoPull: it cannot.
    """
    if origin.event not in EVENTS:
        raise _NoPull("The run before was started by ", quoted(origin.event), ", which is for no pull request.")
    if origin.head_repository is None or not origin.head_branch:
        raise _NoPull("The branch that the run before was for is gone, and its pull request cannot be found.")


def _numbers(origin: Origin, pulls: OpenPulls) -> Sequence[int]:
    """Return the pull requests that a run was for, one at least.

    Raises:
        _NoPull: none is open, or they cannot be listed.
    """
    repository, branch, sha = origin.head_repository or "", origin.head_branch, origin.head_sha
    try:
        found = pulls.numbers(head_repository=repository, head_branch=branch, head_sha=sha)
    except HubFailure as failure:
        raise _NoPull("The open pull requests cannot be listed: ", quoted(failure.message, _SAID), ".") from failure
    if not found:
        head = (quoted(branch), " of ", quoted(repository), " at ", quoted(short(sha)))
        raise _NoPull("No open pull request has ", *head, ": it was closed, or has moved on since.")
    return found


def _said(numbers: Sequence[int], outcomes: Sequence[Posted]) -> Iterator[str]:
    for number, outcome in zip(numbers, outcomes, strict=True):
        state = "shows the report" if outcome.posted else "was left as it is"
        where = f": {line(outcome.url, _SAID)}" if outcome.url else ""
        yield f"The comment on pull request {number} {state}{where}."
        yield from outcome.notices


def _content(path: Path) -> bytes:
    """Return what a report file holds.

    Raises:
        BadInput: it is not there, no regular file, or too large.
    """
    # Neither does a link lead elsewhere, nor a pipe hold the run up.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise _unusable(path, "is no regular file")
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = "is a symbolic link" if path.is_symlink() else "cannot be read"
        raise _unusable(path, f"{why} ({getattr(error, 'strerror', None) or error})") from error
    if len(content) > MAX_BYTES:
        raise _unusable(path, f"has more than {MAX_BYTES:,} bytes")
    return content


def _unusable(path: Path, why: str) -> BadInput:
    remedy = "Download the artifact of the run before, and name the report.json in it."
    return BadInput(Problem(path=str(path), message=f"The report {why}.", remedy=remedy))
