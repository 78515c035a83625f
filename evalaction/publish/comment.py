"""The comment on a pull request: what is written, when, and what is said where GitHub refuses it.

I/O: through the thread it is given. A comment is a courtesy: whatever GitHub refuses becomes a notice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from evalaction import late
from evalaction.publish.sticky import NOT_POSTED, SAID, Posted, Sticky, Text
from evalaction.records.gate import Verdict
from evalaction.records.hub import HubFailure, Refusal, Thread
from evalaction.records.report import Report
from evalaction.records.settings import CommentMode, Posting
from evalaction.report.comment import render_comment
from evalaction.report.ending import render_ending, render_no_report
from evalaction.report.untrusted import line

__all__ = ["NOT_POSTED", "Posted", "Render", "post_comment", "post_ending", "post_no_report"]

_FORBIDDEN = 403
_KINDS = {
    Refusal.LIMITED: "That lasts longer than a run waits for GitHub; the next run will write it.",
    Refusal.UNSURE: "It may be there or not; the next run will put it right.",
}
_MAY_NOT = (
    "The job needs the permission pull-requests: write. For a pull request from a fork or from Dependabot its token "
    "can only read, whatever the workflow says."
)
_PERMISSION = late.pattern(r"^HTTP 403$|not accessible|not granted|must have|permission", re.IGNORECASE)
"""What a refusal holds, or that it holds nothing, where a permission is missing."""
_AS_IT_SAYS = "No permission of the job's changes that: see to what GitHub says, and the next run tries again."
_STATUSES: dict[int | None, str] = {
    401: "The token is not valid, or not any more: check the input github-token.",
    403: _MAY_NOT,
    404: _MAY_NOT,
    **dict.fromkeys((410, 451), _AS_IT_SAYS),
    422: "GitHub does not take the text, or takes none here.",
    **dict.fromkeys((301, 302, 307, 308), "That is not followed: check GITHUB_API_URL and GITHUB_REPOSITORY."),
}
"""HTTP status of a refusal → what a person can do."""


class Render(Protocol):
    """Makes a comment's text; ``render_comment`` is one."""

    def __call__(
        self,
        report: Report,
        *,
        limit: int,
        report_location: str | None,
        comment_id: str | None,
        run_id: int | None,
        source_url: str | None = None,
    ) -> str:
        """Return the text, ``limit`` UTF-8 bytes at the most, with the marker as its last line."""


def post_comment(
    report: Report,
    thread: Thread,
    *,
    posting: Posting,
    location: str | None,
    run_id: int | None,
    source_url: str | None = None,
    render: Render = render_comment,
) -> Posted:
    """Write the comment, or bring the one that is there up to date.

    Args:
        report: the run, secrets already taken out.
        thread: the pull request's comments.
        posting: when there is a comment, and which of several it is.
        location: address of the whole report; None when nobody can say.
        run_id: id of the workflow run; a comment of a greater one is left alone. None: all are overwritten.
        source_url: address of all files at the commit that was measured, to link golden lines to; None for no links.
        render: makes the text.

    Returns:
        What became of it. No failure of GitHub's is raised.
    """

    def make(limit: int) -> str:
        id_ = posting.comment_id
        return render(
            report, limit=limit, report_location=location, comment_id=id_, run_id=run_id, source_url=source_url
        )

    return _post(make, thread, posting=posting, run_id=run_id, wanted=_is_wanted(report, posting.mode))


def post_ending(
    lines: Sequence[str], thread: Thread, *, posting: Posting, run_url: str | None, run_id: int | None
) -> Posted:
    """Write why a run ended without a report, lest the comment of an earlier one speaks for it.

    Args:
        lines: what the log says, secrets already taken out. Untrusted text.
        thread: the pull request's comments.
        posting: when there is a comment, and which of several it is. A run without a report is no pass.
        run_url: page of the run; None when nobody can say.
        run_id: see ``post_comment``.

    Returns:
        What became of it. No failure of GitHub's is raised.
    """

    def make(limit: int) -> str:
        return render_ending(lines, limit=limit, run_url=run_url, comment_id=posting.comment_id, run_id=run_id)

    return _post(make, thread, posting=posting, run_id=run_id, wanted=True)


def post_no_report(
    thread: Thread, *, posting: Posting, run_url: str, run_id: int, fork: bool, missing: bool, why_url: str | None
) -> Posted:
    """Write that another run left nothing to be posted, lest the comment of an earlier one speaks for it.

    Args:
        thread: the pull request's comments.
        posting: when there is a comment, and which of several it is.
        run_url: page of that run.
        run_id: its id; see ``post_comment``.
        fork: see ``render_no_report``.
        missing: see ``render_no_report``; then no first comment is written.
        why_url: see ``render_no_report``.

    Returns:
        What became of it. No failure of GitHub's is raised.
    """

    def make(_: int) -> str:
        id_ = posting.comment_id
        return render_no_report(
            run_url=run_url, fork=fork, missing=missing, why_url=why_url, comment_id=id_, run_id=run_id
        )

    return _post(make, thread, posting=posting, run_id=run_id, wanted=not missing)


def _post(make: Callable[[int], str], thread: Thread, *, posting: Posting, run_id: int | None, wanted: bool) -> Posted:
    if posting.mode is CommentMode.OFF:
        return NOT_POSTED
    try:
        return Sticky(thread, Text(make, comment_id=posting.comment_id, run_id=run_id), wanted=wanted).settle()
    except HubFailure as failure:
        said = f"The comment could not be written ({line(failure.message, SAID)}). {_remedy(failure)}"
        return Posted(url=None, posted=False, notices=(said,))


def _is_wanted(report: Report, mode: CommentMode) -> bool:
    """Return whether there is to be a comment where there is none yet."""
    if mode is CommentMode.FAILURES:
        return report.verdict is not Verdict.PASS
    if mode is CommentMode.CHANGES:
        return any((report.cases, report.decks, report.loosened, report.edited_gold, report.removed))
    return True


def _remedy(failure: HubFailure) -> str:
    """Return what a person can do, in a sentence of our own."""
    if failure.status == _FORBIDDEN and "locked" in failure.message.lower():
        return "The conversation is locked, and this token may not write to it all the same."
    if failure.refusal in _KINDS:
        return _KINDS[failure.refusal]
    if failure.status == _FORBIDDEN and _PERMISSION.search(failure.message) is None:
        return _AS_IT_SAYS
    return _STATUSES.get(failure.status, "Check the input github-token, GITHUB_API_URL and GITHUB_REPOSITORY.")
