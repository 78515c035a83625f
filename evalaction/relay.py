"""The second stage: the comment on a pull request, posted from the report of a run that may not post itself.

I/O: reads the report file; asks GitHub through what it is given. The report is an artifact of a run that a stranger
may have written: only GitHub's own event says which run that was and whose, and only GitHub which pull request it
belongs to. The file is read within a size, and shown as what stands in its records.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from evalaction.errors import BadInput, Problem
from evalaction.event import PULLS
from evalaction.fingerprint import short
from evalaction.forks import desk_commands
from evalaction.frozen import frozen
from evalaction.publish.comment import NOT_POSTED, Posted, post_comment, post_no_report
from evalaction.records.event import Job, Origin, same_repository
from evalaction.records.gate import Verdict
from evalaction.records.hub import HubFailure, OpenPull, OpenPulls, Thread
from evalaction.records.report import Report
from evalaction.records.settings import Posting
from evalaction.report.comment import DoesNotFit, render_comment
from evalaction.report.stored.read import MAX_BYTES, read_report, refused
from evalaction.report.untrusted import Quoted, line, plain, quoted

_SAID = 300


@frozen
class Relayed:
    """What became of a report that another run left."""

    lines: tuple[str, ...]
    """What was posted where, or why nothing was, each in one printable line."""
    notices: tuple[str, ...] = ()
    """What a maintainer should know besides, each in one printable line."""
    posted: bool = False
    """Whether a comment shows it now, or that there is none that can be used."""
    url: str | None = None
    """Page of that comment, of the first where there are several; None when there is none."""
    verdict: Verdict = Verdict.UNMEASURED
    """That of the report, posted or not; a claim where it is a fork's. Unmeasured where none was read."""
    unusable: BadInput | None = None
    """Why the report cannot be used; None when it can, and when there is none."""
    missing: bool = False
    """Whether the run left none, on a pull request that is still open."""


def relay(
    path: Path,
    *,
    origin: Origin,
    job: Job,
    pulls: OpenPulls,
    posting: Posting,
    show_completions: bool = True,
    within: Path | None = None,
) -> Relayed:
    """Post the report of another run on the pull request that the run was for.

    The pull request is the open one with the run's head repository, branch and commit, as GitHub lists them: none
    where it was closed or has moved on since, and more than one where the branch is to be merged into several. The
    report says nothing about it. Where the report cannot be used the comment says so, and where there is none, a
    comment that is there already: what an earlier run measured does not speak for this one.

    Args:
        path: the downloaded ``report.json``.
        origin: the run that left it, as this run's event says.
        job: where this run takes place.
        pulls: the open pull requests of that repository.
        posting: when there is a comment, and which of several it is.
        show_completions: whether model text may be shown; the report's own setting can only forbid it.
        within: a folder above ``path``, from which the path is named; None to name it as it is.

    Returns:
        What became of it. Neither a report that cannot be used nor a failure of GitHub's is raised.
    """
    stage = _Stage(origin=origin, job=job, pulls=pulls, posting=posting)
    report, shown_path = None, path if within is None else path.relative_to(within)
    try:
        _check(origin)
        if not os.path.lexists(path):
            found = ("There is no ", quoted(str(shown_path), _SAID), ": the run before left no report.")
            return stage.without_report((plain(found),), missing=True)
        report = read_report(_content(path, shown_path), name=path.name)
        shown = replace(report, show_completions=report.show_completions and show_completions)
        return stage.with_report(shown, name=path.name)
    except _NoPull as none:
        return Relayed(lines=(f"Nothing was posted. {none}",), verdict=_verdict(report))
    except BadInput as error:
        try:
            return replace(stage.without_report((), missing=False), unusable=error)
        except _NoPull as none:
            return Relayed(lines=(f"Nothing was posted. {none}",), unusable=error)


def _verdict(report: Report | None) -> Verdict:
    return Verdict.UNMEASURED if report is None else report.verdict


@frozen
class _Stage:
    """One second stage: the run before, and the pull requests that it was for."""

    origin: Origin
    job: Job
    pulls: OpenPulls
    posting: Posting

    @property
    def page(self) -> str:
        """Page of the run before."""
        return self.job.page_of(self.origin.run_id)

    @property
    def is_fork(self) -> bool:
        """Whether the run before followed another repository's workflow file."""
        return not same_repository(self.origin.head_repository or "", self.job.repository)

    def with_report(self, report: Report, *, name: str) -> Relayed:
        """Post a report.

        Raises:
            BadInput: it does not fit into a comment, which no run's own does.
            _NoPull: there is nothing to post it on.
        """

        def post(pull: OpenPull, thread: Thread) -> Posted:
            render = render_comment
            if self.is_fork:
                desk = desk_commands(pull.number, pull.base_ref)
                render = partial(render_comment, relayed_from=self.page, desk=desk)
            return post_comment(
                report,
                thread,
                posting=self.posting,
                location=self.page,
                run_id=self.origin.run_id,
                source_url=self.job.source_url(report.head.sha),
                render=render,
            )

        try:
            done = self._on_each(post, shows="the report")
        except DoesNotFit as error:
            raise refused(name, "it does not fit into a comment") from error
        return replace(done, verdict=report.verdict)

    def without_report(self, lines: tuple[str, ...], *, missing: bool) -> Relayed:
        """Say on each pull request that there is no report, or none that can be used.

        Raises:
            _NoPull: there is nothing to say it on.
        """

        def post(_: OpenPull, thread: Thread) -> Posted:
            return post_no_report(
                thread,
                posting=self.posting,
                run_url=self.page,
                run_id=self.origin.run_id,
                fork=self.is_fork,
                missing=missing,
                why_url=self.job.run_url,
            )

        done = self._on_each(post, shows="that there is none" if missing else "that none can be used")
        return replace(done, lines=(*lines, *done.lines), missing=missing)

    def _on_each(self, post: Callable[[OpenPull, Thread], Posted], *, shows: str) -> Relayed:
        found = _pulls(self.origin, self.pulls)
        outcomes = [post(pull, self.pulls.thread(pull.number)) for pull in found]
        return Relayed(
            lines=tuple(_said(found, outcomes, shows=shows)),
            notices=tuple(notice for outcome in outcomes for notice in outcome.notices),
            posted=any(outcome.posted for outcome in outcomes),
            url=next((outcome.url for outcome in outcomes if outcome.url is not None), None),
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
    if origin.event not in PULLS:
        raise _NoPull("The run before was started by ", quoted(origin.event), ", which is for no pull request.")
    if origin.head_repository is None or not origin.head_branch:
        raise _NoPull("The branch that the run before was for is gone, and its pull request cannot be found.")


def _pulls(origin: Origin, pulls: OpenPulls) -> Sequence[OpenPull]:
    """Return the pull requests that a run was for, one at least.

    Raises:
        _NoPull: none is open, or they cannot be listed.
    """
    repository, branch, sha = origin.head_repository or "", origin.head_branch, origin.head_sha
    try:
        found = pulls.pulls(head_repository=repository, head_branch=branch, head_sha=sha)
    except HubFailure as failure:
        raise _NoPull("The open pull requests cannot be listed: ", quoted(failure.message, _SAID), ".") from failure
    if not found:
        head = (quoted(branch), " of ", quoted(repository), " at ", quoted(short(sha)))
        raise _NoPull("No open pull request has ", *head, ": it was closed, or has moved on since.")
    return found


def _said(pulls: Sequence[OpenPull], outcomes: Sequence[Posted], *, shows: str) -> Iterator[str]:
    for pull, outcome in zip(pulls, outcomes, strict=True):
        if outcome == NOT_POSTED:
            yield f"Pull request {pull.number} has no comment, and none was written."
            continue
        state = f"shows {shows}" if outcome.posted else "was left as it is"
        where = f": {line(outcome.url, _SAID)}" if outcome.url else ""
        yield f"The comment on pull request {pull.number} {state}{where}."


def _content(path: Path, shown: Path) -> bytes:
    """Return what a report file holds.

    Args:
        path: of the file.
        shown: what an error calls it.

    Raises:
        BadInput: it is not there, no regular file, or too large.
    """
    # Neither does a link lead elsewhere, nor a pipe hold the run up.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise _unusable(shown, "is no regular file")
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = "is a symbolic link" if path.is_symlink() else "cannot be read"
        raise _unusable(shown, f"{why} ({getattr(error, 'strerror', None) or error})") from error
    if len(content) > MAX_BYTES:
        raise _unusable(shown, f"has more than {MAX_BYTES:,} bytes")
    return content


def _unusable(path: Path, why: str) -> BadInput:
    remedy = "Download the artifact of the run before, and name the report.json in it."
    return BadInput(Problem(path=str(path), message=f"The report {why}.", remedy=remedy))
