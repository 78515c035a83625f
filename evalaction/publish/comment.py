"""The one comment on a pull request: found again, brought up to date, made one. I/O: through the thread it is given.

A comment is a courtesy: whatever GitHub refuses becomes a notice. A comment is ours when the marker stands in it as a
line of its own and our token's author wrote it: people and other bots may quote the marker. Two runs that end at once
may both find none and write one each; so each looks again after writing, keeps the oldest and removes the others. A
run that ends after a newer one leaves the newer one's comment alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from evalaction.records.hub import Comment, HubFailure, Refusal, Thread
from evalaction.records.report import Report, Verdict
from evalaction.records.settings import CommentMode, Posting
from evalaction.report.comment import LIMIT, marker, render_comment
from evalaction.report.ending import render_ending
from evalaction.report.untrusted import line

WRITES = 2
"""Times that the comment is written at most, when nobody knows what became of it."""

_ROUNDS = 8
"""Looks at the thread; each but the first follows a write, or a comment that was gone."""
_SAID = 300
_FORBIDDEN, _UNPROCESSABLE = 403, 422
_KINDS = {
    Refusal.LIMITED: "That lasts longer than a run waits for GitHub; the next run will write it.",
    Refusal.UNSURE: "It may be there or not; the next run will put it right.",
}
_MAY_NOT = (
    "The job needs the permission pull-requests: write. For a pull request from a fork or from Dependabot its token "
    "can only read, whatever the workflow says."
)
_STATUSES: dict[int | None, str] = {
    401: "The token is not valid, or not any more: check the input github-token.",
    403: _MAY_NOT,
    404: _MAY_NOT,
    422: "GitHub does not take the text, or takes none here.",
}
"""HTTP status of a refusal → what a person can do."""


class Render(Protocol):
    """Makes a comment's text; ``render_comment`` is one."""

    def __call__(
        self, report: Report, *, limit: int, report_location: str | None, comment_id: str | None, run_id: int | None
    ) -> str:
        """Return the text, ``limit`` UTF-8 bytes at the most, with the marker as its last line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Posted:
    """What became of the comment."""

    url: str | None
    """Page on which it is seen; None when there is none that shows this run, or its address is not known."""
    posted: bool
    """Whether there is a comment now that shows this run."""
    notices: tuple[str, ...]
    """What a maintainer should know, each in one printable line; none of it changes a verdict."""


NOT_POSTED = Posted(url=None, posted=False, notices=())
"""Nothing was written, and nothing has to be said of it."""


def post_comment(
    report: Report,
    thread: Thread,
    *,
    posting: Posting,
    location: str | None,
    run_id: int | None,
    render: Render = render_comment,
) -> Posted:
    """Write the comment, or bring the one that is there up to date.

    Args:
        report: the run, secrets already taken out.
        thread: the pull request's comments.
        posting: when there is a comment, and which of several it is.
        location: address of the whole report; None when nobody can say.
        run_id: id of the workflow run; a comment of a greater one is left alone. None: all are overwritten.
        render: makes the text.

    Returns:
        What became of it. No failure of GitHub's is raised.
    """

    def make(limit: int) -> str:
        return render(report, limit=limit, report_location=location, comment_id=posting.comment_id, run_id=run_id)

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


def _post(make: Callable[[int], str], thread: Thread, *, posting: Posting, run_id: int | None, wanted: bool) -> Posted:
    if posting.mode is CommentMode.OFF:
        return NOT_POSTED
    try:
        return _Post(thread, _Text(make, comment_id=posting.comment_id, run_id=run_id), wanted=wanted).settle()
    except HubFailure as failure:
        said = f"The comment could not be written ({line(failure.message, _SAID)}). {_remedy(failure)}"
        return Posted(url=None, posted=False, notices=(said,))


def _is_wanted(report: Report, mode: CommentMode) -> bool:
    """Return whether there is to be a comment where there is none yet."""
    if mode is CommentMode.FAILURES:
        return report.verdict is not Verdict.PASS
    if mode is CommentMode.CHANGES:
        return any((report.cases, report.decks, report.loosened, report.edited_gold, report.removed))
    return True


class _Text:
    """The comment's text, shorter once GitHub has refused it."""

    def __init__(self, make: Callable[[int], str], *, comment_id: str, run_id: int | None) -> None:
        self._make, self._run_id = make, run_id
        opening = re.escape(marker(comment_id).removesuffix(" -->"))
        self._marker = re.compile(rf"{opening}(?: run=([1-9][0-9]{{0,18}}))? -->")
        self._limit = LIMIT
        self.body = make(LIMIT)

    def shorten(self) -> bool:
        """Make the text half as long as it may be, and return whether it was not so already."""
        if self._limit < LIMIT:
            return False
        self._limit //= 2
        self.body = self._make(self._limit)
        return True

    def is_in(self, comment: Comment) -> bool:
        """Return whether a comment is this text, however GitHub keeps line ends."""
        return comment.body.replace("\r\n", "\n").rstrip() == self.body.rstrip()

    def is_older_than(self, comment: Comment) -> bool:
        """Return whether a comment shows a run that was started after this one."""
        return self._run_id is not None and max(self.runs(comment), default=0) > self._run_id

    def runs(self, comment: Comment) -> list[int]:
        """Return the run that each marker line in a comment names, 0 where it names none; empty without a marker."""
        found = (self._marker.fullmatch(text.removesuffix("\r")) for text in comment.body.split("\n"))
        return [int(match[1] or 0) for match in found if match is not None]


class _Post:
    """One comment on its way."""

    def __init__(self, thread: Thread, text: _Text, *, wanted: bool) -> None:
        self._thread, self._text, self._wanted = thread, text, wanted
        self._author = ""
        self._created: dict[int, Comment] = {}
        self._gone: set[int] = set()
        self._unsure: list[HubFailure] = []

    def settle(self) -> Posted:
        """Look and write until one comment shows this run, or there is a reason why none does.

        Raises:
            HubFailure: GitHub refused, or nobody knows whether it did.
        """
        try:
            for _ in range(_ROUNDS):
                posted = self._step()
                if posted is not None:
                    return posted
        except HubFailure as failure:
            if not self._created:
                raise
            said = f"Whether there is a second comment of ours could not be seen to ({line(failure.message, _SAID)})."
            return _shown(next(iter(self._created.values())), notices=(said,))
        raise HubFailure(Refusal.UNSURE, "the comments changed whenever they were looked at")

    def _step(self) -> Posted | None:
        """Look once, and write once at the most; None when it has to be looked again."""
        ours = self._ours()
        newer = [comment for comment in ours if self._text.is_older_than(comment)]
        if newer:
            # What was there before the newer one is that run's to tidy up: it looked after writing.
            late = [comment for comment in ours if comment.id > newer[0].id and comment not in newer]
            notices = self._remove(late)
            said = (
                "A newer run has written its comment on the pull request; this run, which ended later, left it alone."
            )
            return Posted(url=None, posted=False, notices=(said, *notices))
        if ours:
            first, *others = ours
            shows = self._text.is_in(first) or first.id in self._created or self._edit(first)
            return _shown(first, notices=self._remove(others)) if shows else None
        if not self._wanted:
            return NOT_POSTED
        self._create()
        return None

    def _ours(self) -> list[Comment]:
        """Return the comments of ours, oldest first."""
        # A list may lag behind what was just written, which is ours whatever it says.
        listed = self._created | {comment.id: comment for comment in self._thread.comments()}
        marked = [comment for comment in listed.values() if comment.id not in self._gone and self._text.runs(comment)]
        if marked and not self._author:
            self._author = self._thread.author()
        author = self._author.casefold()
        ours = {comment.id: comment for comment in marked if author and comment.author.casefold() == author}
        ours |= {id_: listed[id_] for id_ in self._created.keys() - self._gone}
        return [ours[id_] for id_ in sorted(ours)]

    def _create(self) -> None:
        with self._writing():
            comment = self._thread.create(self._text.body)
            self._created[comment.id] = replace(comment, body=self._text.body)
            # Better than what anybody can be asked.
            self._author = comment.author or self._author

    def _edit(self, comment: Comment) -> bool:
        """Return whether it shows this run now."""
        with self._writing():
            if self._thread.edit(comment.id, self._text.body) is not None:
                return True
            self._gone.add(comment.id)
        return False

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let a write that may not have been done be looked after, and one that is too long be done again."""
        if len(self._unsure) == WRITES:
            raise self._unsure[-1]
        try:
            yield
        except HubFailure as failure:
            if failure.refusal is Refusal.UNSURE:
                self._unsure.append(failure)
            elif failure.status != _UNPROCESSABLE or not self._text.shorten():
                raise

    def _remove(self, comments: Sequence[Comment]) -> tuple[str, ...]:
        """Remove comments; return a notice for each that stays."""
        notices = []
        for comment in comments:
            try:
                self._thread.delete(comment.id)
            except HubFailure as failure:
                said = line(failure.message, _SAID)
                notices.append(f"A second comment of ours, {comment.id}, could not be removed ({said}).")
        return tuple(notices)


def _shown(comment: Comment, *, notices: tuple[str, ...]) -> Posted:
    return Posted(url=comment.url or None, posted=True, notices=notices)


def _remedy(failure: HubFailure) -> str:
    """Return what a person can do, in a sentence of our own."""
    if failure.status == _FORBIDDEN and "locked" in failure.message.lower():
        return "The conversation is locked, and this token may not write to it all the same."
    if failure.refusal in _KINDS:
        return _KINDS[failure.refusal]
    return _STATUSES.get(failure.status, "Check the input github-token, GITHUB_API_URL and GITHUB_REPOSITORY.")
