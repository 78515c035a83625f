"""Events that nobody knows, where the workflow says what to compare: whose pull request it is counts all the same."""

from __future__ import annotations

from typing import Any

import pytest
from support.payloads import NAMES, event_name, fork_gone, from_fork, payload

from evalaction.errors import BadInput, Problem
from evalaction.event import read_event
from evalaction.records.event import Event

HELLO = "Codertocat/Hello-World"
REVIEW = payload("pull_request_review.submitted")


@pytest.mark.parametrize("name", NAMES)
def test_read_event__named_known(name: str) -> None:
    """An event that is known is read as ever."""
    if name == "push.deleted":
        with pytest.raises(BadInput, match="deleted its branch"):
            read_event("push", payload(name), repository=HELLO, named=True)
        return
    event = event_name(name)
    plain = read_event(event, payload(name), repository=HELLO)
    assert plain == read_event(event, payload(name), repository=HELLO, named=True)


@pytest.mark.parametrize(
    ("whole", "fork"), [(REVIEW, False), (from_fork(REVIEW, "someone/Hello-World"), True), (fork_gone(REVIEW), True)]
)
def test_read_event__named_pull(whole: dict[str, Any], fork: bool) -> None:
    """A pull request in it is that of the run, a fork's where its head stands in another repository or in none."""
    event = read_event("pull_request_review_comment", whole, repository=HELLO, named=True)
    known = read_event("pull_request_review", whole, repository=HELLO)
    assert event == Event(name="pull_request_review_comment", pull=known.pull)
    assert event.pull is not None
    assert event.pull.from_fork is fork


@pytest.mark.parametrize("whole", [{}, {"action": "published"}, {"pull_request": None}, {"issue": {"number": 2}}])
def test_read_event__named_other(whole: dict[str, Any]) -> None:
    """One without a pull request will do: an issue is none."""
    assert read_event("release", whole, repository=HELLO, named=True) == Event(name="release")


def test_read_event__named_comment() -> None:
    """A comment on a pull request, which does not say where the head stands, is refused and not guessed."""
    whole = {"issue": {"number": 2, "pull_request": {"url": "https://api.github.com/repos/acme/evals/pulls/2"}}}
    with pytest.raises(BadInput) as caught:
        read_event("issue_comment", whole, repository=HELLO, named=True)
    message = "issue_comment does not say whether the pull request comes from a fork, so nothing is drawn for it."
    remedy = "Run on pull_request, with a label or an approval where a person is to decide."
    assert caught.value.problems == (Problem(path="GITHUB_EVENT_NAME", message=message, remedy=remedy),)


@pytest.mark.parametrize("whole", [None, [], "x", {"pull_request": "x"}, {"pull_request": {"number": 2}}])
def test_read_event__named_odd(whole: Any) -> None:
    """What is no payload, or no pull request, is refused as elsewhere."""
    with pytest.raises(BadInput, match="The event's payload is not as GitHub sends it"):
        read_event("release", whole, repository=HELLO, named=True)
