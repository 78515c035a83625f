"""What started a run, read from the event's payload. Pure.

A payload is untrusted: titles, branch names and what a fork is called are a stranger's. Whatever does not
look as GitHub documents it is refused in words. Whether a pull request comes from a fork is never guessed:
a head of which it cannot be told is refused, or taken for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.event import Event, Origin, PullRequest, Push, same_repository
from evalaction.records.tree import is_oid

PULLS = ("pull_request", "pull_request_target", "pull_request_review")
"""Events of a pull request, whatever their action is."""
UNCOMPARED = ("schedule", "workflow_dispatch", "repository_dispatch")
"""Events that name no two commits: all cases are drawn."""
COMPARED = (*PULLS, "push", "merge_group")
"""Events that name two commits."""
FOLLOWING = "workflow_run"
"""The event of a workflow that follows another one's run."""
EVENTS = (*COMPARED, *UNCOMPARED, FOLLOWING)
"""Every event that is understood."""

PAYLOAD = "GITHUB_EVENT_PATH"
MAX_NUMBER = 2**63 - 1
_FULL_NAME = late.pattern(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_REF = late.pattern(r"refs/(heads|tags)/(?P<short>.+)")
_ZEROS = late.pattern(r"0{40}|0{64}")
_TEXT = late.pattern(r"[^\x00-\x1f\x7f\ud800-\udfff]+")
"""A text that can be said to git and in one line. A branch may hold signs that nobody sees, such as a hard space."""


def read_event(name: str, payload: Any, *, repository: str, named: bool = False) -> Event:
    """Read what started a run.

    Args:
        name: of the event, as in ``GITHUB_EVENT_NAME``.
        payload: the event's file, parsed.
        repository: ``owner/name`` that the workflow runs in, for a payload that does not say which repository a
            pull request goes to; empty when that is not known.
        named: whether the workflow says what to compare: then an event that nobody knows will do too.

    Raises:
        BadInput: the event is one for which nothing is known to be compared, a push that deleted its branch, a
            comment on a pull request, or the payload lacks something or holds something else in its place.
    """
    if name in UNCOMPARED:
        return Event(name=name)
    if name not in EVENTS and not named:
        raise _unknown(name)
    fields = _Fields.of(payload)
    if name not in EVENTS:
        return _other(name, fields, repository=repository)
    if name in PULLS:
        return Event(name=name, pull=_pull_request(fields.object("pull_request"), repository=repository))
    if name == "push":
        return Event(name=name, push=_push(fields))
    if name == "merge_group":
        return Event(name=name, push=_merge_group(fields.object("merge_group")))
    return Event(name=name, origin=_origin(fields.object("workflow_run")))


def _other(name: str, fields: _Fields, *, repository: str) -> Event:
    """Return an event that nobody knows; a pull request in it counts, since it may be a fork's."""
    issue = fields.values.get("issue")
    if isinstance(issue, dict) and issue.get("pull_request") is not None:
        raise BadInput(
            Problem(
                path="GITHUB_EVENT_NAME",
                message=f"{name} does not say whether the pull request comes from a fork, so nothing is drawn for it.",
                remedy="Run on pull_request, with a label or an approval where a person is to decide.",
            )
        )
    pull = fields.object_or_none("pull_request")
    return Event(name=name, pull=None if pull is None else _pull_request(pull, repository=repository))


@frozen
class _Fields:
    """One object of a payload, and where it stands in it."""

    values: Mapping[str, Any]
    place: str

    @classmethod
    def of(cls, value: Any, place: str = "") -> Self:
        """Return the fields of a value that has to be an object."""
        if not isinstance(value, dict):
            raise _wrong(place or "it", "an object", missing=value is None)
        return cls(values=value, place=place)

    def _within(self, name: str) -> str:
        return f"{self.place}.{name}" if self.place else name

    def _refused(self, name: str, wanted: str) -> BadInput:
        return _wrong(self._within(name), wanted, missing=self.values.get(name) is None)

    def object(self, name: str) -> _Fields:
        return _Fields.of(self.values.get(name), self._within(name))

    def object_or_none(self, name: str) -> _Fields | None:
        return None if self.values.get(name) is None else self.object(name)

    def number(self, name: str) -> int:
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_NUMBER:
            raise self._refused(name, "a whole number from 1")
        return value

    def switch(self, name: str) -> bool:
        value = self.values.get(name, False)
        if not isinstance(value, bool):
            raise self._refused(name, "true or false")
        return value

    def text(self, name: str) -> str:
        value = self.values.get(name)
        if not isinstance(value, str) or not _TEXT.fullmatch(value):
            raise self._refused(name, "a text without control characters")
        return value

    def ref(self, name: str) -> str:
        """Return the short name of a branch or a tag that is given with its whole one."""
        whole = _REF.fullmatch(self.text(name))
        if whole is None:
            raise self._refused(name, "a branch or a tag, such as refs/heads/main")
        return whole["short"]

    def oid(self, name: str) -> str:
        value = self.values.get(name)
        if not isinstance(value, str) or not is_oid(value) or _ZEROS.fullmatch(value):
            raise self._refused(name, "a whole commit id")
        return value

    def oid_or_zeros(self, name: str) -> str | None:
        value = self.values.get(name)
        return None if isinstance(value, str) and _ZEROS.fullmatch(value) else self.oid(name)

    def full_name(self) -> str:
        """Return the ``owner/name`` of an object that describes a repository."""
        value = self.values.get("full_name")
        if not isinstance(value, str) or not _FULL_NAME.fullmatch(value):
            raise self._refused("full_name", "a repository's owner/name")
        return value


def _pull_request(pull: _Fields, *, repository: str) -> PullRequest:
    base, head = pull.object("base"), pull.object("head")
    return PullRequest(
        number=pull.number("number"),
        base_sha=base.oid("sha"),
        base_ref=base.text("ref"),
        head_sha=head.oid("sha"),
        from_fork=_from_fork(base, head, repository=repository),
    )


def _from_fork(base: _Fields, head: _Fields, *, repository: str) -> bool:
    """Tell whether the head stands in another repository than the base, or in one that is gone.

    Whether the head's repository is itself a fork (``head.repo.fork``) says nothing: base may be the same one.
    """
    if "repo" not in base.values and "repo" not in head.values:
        # Not GitHub's own payload, which always has both, but one that somebody wrote by hand for a trial.
        return False
    source = head.object_or_none("repo")
    if source is None:
        return True
    target = base.object_or_none("repo") or _Fields(
        values={"full_name": repository or None}, place="pull_request.base.repo"
    )
    return not same_repository(source.full_name(), target.full_name())


def _push(push: _Fields) -> Push:
    if push.switch("deleted") or push.oid_or_zeros("after") is None:
        raise BadInput(
            Problem(
                path=PAYLOAD,
                message="The push deleted its branch or tag, so there is nothing to measure.",
                remedy="Leave such pushes out with `if: ${{ !github.event.deleted }}` at the job.",
            )
        )
    # Of an annotated tag `after` is the tag itself; the commit that it marks is what is checked out.
    commit = push.object_or_none("head_commit")
    after = push.oid("after") if commit is None else commit.oid("id")
    return Push(before=push.oid_or_zeros("before"), after=after, ref=push.ref("ref"))


def _merge_group(group: _Fields) -> Push:
    return Push(before=group.oid("base_sha"), after=group.oid("head_sha"), ref=group.ref("base_ref"))


def _origin(run: _Fields) -> Origin:
    repository = run.object_or_none("head_repository")
    return Origin(
        run_id=run.number("id"),
        event=run.text("event"),
        head_sha=run.oid("head_sha"),
        head_branch="" if run.values.get("head_branch") is None else run.text("head_branch"),
        head_repository=None if repository is None else repository.full_name(),
    )


def _unknown(name: str) -> BadInput:
    return BadInput(
        Problem(
            path="GITHUB_EVENT_NAME",
            message=f"It is not known what to compare for {f'the event {name}' if name else 'no event'}.",
            remedy=f"Run on {', '.join(COMPARED)}, or on {', '.join(UNCOMPARED)} for all cases; or say what to "
            "compare with the inputs base and head.",
        )
    )


def _wrong(place: str, wanted: str, *, missing: bool) -> BadInput:
    what = "is missing" if missing else f"is not {wanted}"
    return BadInput(
        Problem(
            path=PAYLOAD,
            message=f"The event's payload is not as GitHub sends it: {place} {what}.",
            remedy="Run the Action in a workflow of GitHub's own, or with an event file of the same form.",
        )
    )
