"""One comment on one pull request: found again, brought up to date, made one. I/O: through the thread it is given.

A comment is ours when our token's author wrote it, its first line is a headline of ours and its last one the marker:
people and other bots may quote the marker, and under a job's own token other workflows of the repository write too.
Two runs that end at once may both find none and write one each; so each looks again after writing, keeps the oldest
and removes the others. A run that ends after a newer one leaves the newer one's comment alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from evalaction import late
from evalaction.frozen import frozen
from evalaction.records.hub import Comment, HubFailure, Refusal, Thread
from evalaction.report.comment import LIMIT, marker
from evalaction.report.headline import PRODUCT
from evalaction.report.untrusted import line
from evalaction.report.words import SYMBOLS

WRITES = 2
"""Times that the comment is written at most, when nobody knows what became of it."""
SAID = 300
"""Characters of what GitHub says that are shown."""

_HEADLINE = late.pattern(rf"### ({'|'.join(SYMBOLS.values())}) {PRODUCT}[:,] .*")
"""The first line of every comment of ours."""
_ROUNDS = 8
"""Looks at the thread; each but the first follows a write, or a comment that was gone."""
_UNPROCESSABLE = 422


@frozen
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


class Text:
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
        return self._run_id is not None and (self.run(comment) or 0) > self._run_id

    def run(self, comment: Comment) -> int | None:
        """Return the run that a comment of this kind names, 0 where it names none; None for any other comment."""
        first, *more = (text.removesuffix("\r") for text in comment.body.split("\n"))
        last = next((text for text in reversed(more) if text.strip()), "")
        found = self._marker.fullmatch(last) if _HEADLINE.fullmatch(first) else None
        return None if found is None else int(found[1] or 0)


class Sticky:
    """One comment on its way."""

    def __init__(self, thread: Thread, text: Text, *, wanted: bool) -> None:
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
            said = f"Whether there is a second comment of ours could not be seen to ({line(failure.message, SAID)})."
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
        there = [comment for comment in listed.values() if comment.id not in self._gone]
        marked = [comment for comment in there if self._text.run(comment) is not None]
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
                said = line(failure.message, SAID)
                notices.append(f"A second comment of ours, {comment.id}, could not be removed ({said}).")
        return tuple(notices)


def _shown(comment: Comment, *, notices: tuple[str, ...]) -> Posted:
    return Posted(url=comment.url or None, posted=True, notices=notices)
