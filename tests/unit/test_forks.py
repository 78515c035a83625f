"""When a pull request's affected cases are not drawn."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from evalaction.event import COMPARED
from evalaction.forks import (
    COMMANDS_NEED_ROOT,
    COMMANDS_OF_FORK,
    COMMANDS_OF_NOBODY,
    FAILS,
    FORK,
    HOLDS,
    NEVER_THERE,
    NO_ENDPOINT,
    NO_JUDGE,
    NO_MODEL,
    NOT_ALLOWED,
    SKIPPED,
    TARGET_NOTE,
    WARNINGS,
    desk_commands,
    desk_of,
    event_notes,
    hold_for,
    hold_without_means,
    why_no_commands,
)
from evalaction.records.event import Event, Origin, PullRequest, Push
from evalaction.records.plan import Hold
from evalaction.records.settings import Forks

OID = "1" * 40


def pull_event(name: str, *, from_fork: bool) -> Event:
    pull = PullRequest(number=7, base_sha=OID, base_ref="main", head_sha=OID, from_fork=from_fork)
    return Event(name=name, pull=pull)


@pytest.mark.parametrize(
    ("name", "forks", "expected"),
    [
        ("pull_request", Forks.FAIL, FAILS),
        ("pull_request", Forks.SKIP, SKIPPED),
        ("pull_request", Forks.DRAW, None),
        ("pull_request_review", Forks.FAIL, FAILS),
        ("pull_request_target", Forks.FAIL, NEVER_THERE),
        ("pull_request_target", Forks.SKIP, SKIPPED),
        ("pull_request_target", Forks.DRAW, NEVER_THERE),
    ],
)
def test_hold_for__fork(name: str, forks: Forks, expected: Hold | None) -> None:
    """A fork is held back unless ``draw`` is asked for, and always where a stranger's text meets the base's secrets."""
    assert expected == hold_for(pull_event(name, from_fork=True), forks)


@pytest.mark.parametrize(
    "event",
    [
        None,
        *(pull_event(name, from_fork=False) for name in ("pull_request", "pull_request_target")),
        Event(name="push", push=Push(before=OID, after=OID, ref="main")),
        Event(name="schedule"),
        Event(
            name="workflow_run",
            origin=Origin(
                run_id=1, event="pull_request", head_sha=OID, head_branch="x", head_repository="someone/evals"
            ),
        ),
    ],
    ids=lambda event: "none" if event is None else event.name,
)
def test_hold_for__no_fork(event: Event | None) -> None:
    """Nothing but a pull request from a fork is held back, whatever ``forks`` says and whatever is not given."""
    assert [hold_for(event, forks) for forks in Forks] == [None, None, None]
    assert hold_without_means(event, endpoint=False, model=False, judge=False) is None


def test_hold_without_means__fork() -> None:
    """A fork's run that may draw, and was not told where or what, is held back in words."""
    fork = pull_event("pull_request", from_fork=True)
    held = {
        given: hold_without_means(fork, endpoint=given[0], model=given[1], judge=given[2])
        for given in product((True, False), repeat=3)
    }
    assert held == {
        (True, True, True): None,
        (True, True, False): NO_JUDGE,
        **{(True, False, judge): NO_MODEL for judge in (True, False)},
        **{(False, model, judge): NO_ENDPOINT for model in (True, False) for judge in (True, False)},
    }
    assert NO_JUDGE.message == (
        "GitHub gives a fork's run neither variables nor secrets, and no endpoint or model of a judge is given: "
        "nothing was sent."
    )
    assert NO_ENDPOINT.message == (
        "GitHub gives a fork's run neither variables nor secrets, and no endpoint is given: nothing was sent."
    )


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (None, ()),
        (Event(name="schedule"), ()),
        *((pull_event("pull_request", from_fork=fork), ()) for fork in (True, False)),
        *((pull_event("pull_request_target", from_fork=fork), (TARGET_NOTE,)) for fork in (True, False)),
    ],
)
def test_event_notes(event: Event | None, expected: tuple[str, ...]) -> None:
    """Any run under ``pull_request_target`` carries a warning, a fork's or not."""
    assert expected == event_notes(event)
    assert set(expected) <= set(WARNINGS)


def test_holds__words() -> None:
    """Every hold says that nothing was sent, and not again what the headline says; its remedy begins with who can do
    something; only the one asked for is excused.
    """  # noqa: D205 - one sentence
    who = "A maintainer who has read the change can draw it on a desk"
    assert {hold.remedy[: len(who)] for hold in HOLDS} == {who}
    assert [hold for hold in HOLDS if "nothing was sent" not in hold.message or FORK in hold.message.lower()] == []
    assert [hold for hold in HOLDS if hold.excused] == [SKIPPED]


@pytest.mark.parametrize(
    ("base_ref", "fetch", "base"),
    [
        ("main", "main", "origin/main"),
        ("release/1.x", "release/1.x", "origin/release/1.x"),
        ("a;$(id)`b'", "'a;$(id)`b'\"'\"''", "'origin/a;$(id)`b'\"'\"''"),
    ],
)
def test_desk_commands(base_ref: str, fetch: str, base: str) -> None:
    """A maintainer fetches the pull request first, for FETCH_HEAD, and its base; a branch's name stays one word."""
    assert desk_commands(7, base_ref) == (
        f"git fetch origin pull/7/head {fetch}",
        f"evalaction check --base {base} --head FETCH_HEAD",
    )


@pytest.mark.parametrize("base_ref", ["", "--upload-pack=id", "+x"])
def test_desk_commands__no_branch(base_ref: str) -> None:
    """A name that is not known, or that git would read as something else, makes no command."""
    assert desk_commands(7, base_ref) == ()


def test_desk_of() -> None:
    """Only for a pull request from a fork there is something to be fetched by its number."""
    fork, own = (pull_event("pull_request", from_fork=from_fork) for from_fork in (True, False))
    assert fork.pull is not None
    assert desk_of(fork) == desk_commands(fork.pull.number, fork.pull.base_ref)
    assert (desk_of(own), desk_of(Event(name="schedule"))) == ((), ())


SHA, OTHER_SHA = "a" * 40, "b" * 40
OWN = PullRequest(number=7, base_sha="1" * 40, base_ref="main", head_sha=SHA, from_fork=False)
FORKS_OWN = replace(OWN, from_fork=True)
NAMES = (*COMPARED, "issues")
PUSH = Push(before="1" * 40, after=SHA, ref="main")


@pytest.mark.parametrize(
    ("event", "head", "why"),
    [
        *((Event(name=name, pull=FORKS_OWN), head, COMMANDS_OF_FORK) for name in NAMES for head in (SHA, None)),
        *((Event(name=name, pull=OWN), head, None) for name in NAMES for head in (SHA, OTHER_SHA, None)),
        (Event(name="push", push=PUSH), SHA, None),
        (Event(name="push", push=PUSH), OTHER_SHA, COMMANDS_OF_NOBODY),
        (Event(name="merge_group", push=PUSH), SHA, None),
        (Event(name="schedule"), SHA, None),
        (Event(name="schedule"), None, COMMANDS_OF_NOBODY),
        (Event(name="workflow_dispatch"), OTHER_SHA, COMMANDS_OF_NOBODY),
        (Event(name="issue_comment"), OTHER_SHA, COMMANDS_OF_NOBODY),
        (None, None, None),
        (None, OTHER_SHA, None),
    ],
)
def test_why_no_commands__event(event: Event | None, head: str | None, why: str | None) -> None:
    """Of a fork none is run, whatever the event; without a pull request only of the commit that the run is for."""
    assert why == why_no_commands(event, allowed=True, head=head, commit=SHA)
    # Whether one could be run says nothing where none may be.
    assert (why or COMMANDS_NEED_ROOT) == why_no_commands(event, allowed=True, head=head, commit=SHA, able=False)
    assert NOT_ALLOWED == why_no_commands(event, allowed=False, head=head, commit=SHA)


def test_why_no_commands__no_commit() -> None:
    """Where the runner does not say which commit the run is for, and there is no pull request, none is run."""
    for head in (SHA, None):
        assert COMMANDS_OF_NOBODY == why_no_commands(
            Event(name="push", push=PUSH), allowed=True, head=head, commit=None
        )
