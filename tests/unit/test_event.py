"""What started a run: GitHub's own payloads, those of forks, and what is no payload."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.payloads import NAMES, event_name, fork_gone, from_fork, payload, pushed, scheduled, violations

from evalaction.errors import BadInput
from evalaction.event import read_event
from evalaction.records.event import Event, Origin, PullRequest, Push

HELLO = "Codertocat/Hello-World"
HEAD, BASE = "ec26c3e57ca3a959ca5aad62de7213c562f8c821", "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
ONE, OTHER = "1" * 40, "2" * 40
FORM = "Run the Action in a workflow of GitHub's own, or with an event file of the same form."


def pull(*, from_fork: bool = False) -> PullRequest:
    """The pull request of GitHub's examples."""
    return PullRequest(number=2, base_sha=BASE, base_ref="master", head_sha=HEAD, from_fork=from_fork)


# GitHub's own payloads


@pytest.mark.parametrize("name", NAMES)
def test_payload__valid(name: str) -> None:
    """Every payload that these tests read is as GitHub describes it."""
    assert [] == violations(name, payload(name))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pull_request.opened", {"pull": pull()}),
        ("pull_request.synchronize", {"pull": pull()}),
        ("pull_request.reopened", {"pull": pull()}),
        ("pull_request.labeled", {"pull": pull()}),
        ("pull_request.converted_to_draft", {"pull": pull()}),
        ("pull_request_review.submitted", {"pull": pull()}),
        ("push", {"push": Push(before=None, after="6113728f27ae82c7b1a177c8d03f9e96e0adf246", ref="master")}),
        (
            "merge_group.checks_requested",
            {
                "push": Push(
                    before="380387fbc80638b734a49e1be1c4dfec1c01b33c",
                    after="2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d",
                    ref="main",
                )
            },
        ),
        (
            "workflow_run.completed",
            {
                "origin": Origin(
                    run_id=289782451,
                    event="repository_dispatch",
                    head_sha="3484a3fb816e0859fd6e1cea078d76385ff50625",
                    head_branch="master",
                    head_repository="octo-org/octo-repo",
                )
            },
        ),
        ("workflow_dispatch", {}),
        ("repository_dispatch", {}),
    ],
)
def test_read_event__examples(name: str, expected: dict[str, Any]) -> None:
    """Each of GitHub's examples is read whole."""
    event = event_name(name)
    assert Event(name=event, **expected) == read_event(event, payload(name), repository="")


def test_read_event__schedule() -> None:
    """A schedule names no two commits."""
    assert Event(name="schedule") == read_event("schedule", scheduled("17 4 * * 1"), repository=HELLO)


def test_read_event__pull_request_target() -> None:
    """The payload of ``pull_request_target`` is that of ``pull_request``, and it is told apart."""
    event = read_event("pull_request_target", payload("pull_request.synchronize"), repository=HELLO)
    assert (Event(name="pull_request_target", pull=pull()), True) == (event, event.is_target)


def test_read_event__push() -> None:
    """A push to a branch that was there goes from what it was to what it is."""
    whole = pushed(ONE, OTHER)
    assert [] == violations("push", whole)
    expected = Event(name="push", push=Push(before=ONE, after=OTHER, ref="master"))
    assert expected == read_event("push", whole, repository=HELLO)


def test_read_event__annotated_tag() -> None:
    """Of a tag that is an object of its own, the commit that it marks is what was pushed."""
    whole = {"ref": "refs/tags/v1", "before": "0" * 40, "after": ONE, "head_commit": {"id": OTHER}}
    expected = Event(name="push", push=Push(before=None, after=OTHER, ref="v1"))
    assert expected == read_event("push", whole, repository=HELLO)


@pytest.mark.parametrize("whole", [payload("push.deleted"), {"before": ONE, "after": "0" * 64, "ref": "refs/heads/x"}])
def test_read_event__deleted(whole: dict[str, Any]) -> None:
    """A push that deletes leaves nothing to measure."""
    expected = (
        "GITHUB_EVENT_PATH: The push deleted its branch or tag, so there is nothing to measure. "
        "Leave such pushes out with `if: ${{ !github.event.deleted }}` at the job."
    )
    assert expected == refused("push", whole)


@pytest.mark.parametrize("name", ["issue_comment", "release", "PUSH", "pull_request ", ""])
def test_read_event__unknown(name: str) -> None:
    """An event for which nothing is known to be compared is refused with what would do."""
    what = f"the event {name}" if name else "no event"
    expected = (
        f"GITHUB_EVENT_NAME: It is not known what to compare for {what}. Run on pull_request, pull_request_target, "
        "pull_request_review, push, merge_group, or on schedule, workflow_dispatch, repository_dispatch for all "
        "cases; or say what to compare with the inputs base and head."
    )
    assert expected == refused(name, payload("pull_request.opened"))


# Forks


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("pull_request")])
def test_read_event__fork(name: str) -> None:
    """A head in another repository is a fork's, whatever the action."""
    whole = from_fork(payload(name), "someone/evals")
    assert [] == violations(name, whole)
    event = event_name(name)
    assert Event(name=event, pull=pull(from_fork=True)) == read_event(event, whole, repository=HELLO)


NEVER_NULL = "pull_request.head.repo: None is not of type 'object'"
"""What GitHub's description says for some actions; for others, and in fact, it can be."""


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("pull_request.labeled", []),
        ("pull_request_review.submitted", []),
        ("pull_request.opened", [NEVER_NULL]),
        ("pull_request.synchronize", [NEVER_NULL]),
        ("pull_request.reopened", [NEVER_NULL]),
        ("pull_request.converted_to_draft", [NEVER_NULL]),
    ],
)
def test_read_event__fork_gone(name: str, known: list[str]) -> None:
    """A head whose repository is gone is a fork's; commit and branch are still there."""
    whole = fork_gone(payload(name))
    assert known == violations(name, whole)
    event = event_name(name)
    assert Event(name=event, pull=pull(from_fork=True)) == read_event(event, whole, repository=HELLO)


def test_read_event__run_of_a_fork() -> None:
    """The run for a fork's pull request names the fork; one that is gone is none."""
    whole = from_fork(payload("workflow_run.completed"), "someone/evals")
    assert [] == violations("workflow_run.completed", whole)
    origin = Origin(
        run_id=289782451,
        event="pull_request",
        head_sha="3484a3fb816e0859fd6e1cea078d76385ff50625",
        head_branch="master",
        head_repository="someone/evals",
    )
    assert Event(name="workflow_run", origin=origin) == read_event(
        "workflow_run", whole, repository="octo-org/octo-repo"
    )
    run = whole["workflow_run"]
    for gone in ({"head_repository": None, "head_branch": None}, {}):
        run = {name: value for name, value in run.items() if name not in {"head_repository", "head_branch"}} | gone
        read = read_event("workflow_run", {"workflow_run": run}, repository="octo-org/octo-repo").origin
        assert read is not None
        assert (read.head_repository, read.head_branch) == (None, "")


def evals(repo: Any, *, base: Any = None) -> dict[str, Any]:
    """A pull request to acme/evals whose head stands in ``repo``."""
    return {
        "action": "synchronize",
        "number": 7,
        "pull_request": {
            "number": 7,
            "draft": False,
            "base": {"ref": "main", "sha": ONE, "repo": base or {"full_name": "acme/evals", "fork": False}},
            "head": {"ref": "patch-1", "sha": OTHER, "repo": repo},
        },
        "repository": {"full_name": "acme/evals", "default_branch": "main"},
    }


def without(whole: dict[str, Any], *path: str) -> dict[str, Any]:
    """Return a payload less one of its values."""
    changed = copy.deepcopy(whole)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return changed


SAME = {"full_name": "acme/evals", "fork": False}


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        pytest.param(evals(None), True, id="gone"),
        pytest.param(without(evals(SAME), "pull_request", "head", "repo"), True, id="without a repository"),
        pytest.param(evals({"full_name": "someone/evals", "fork": True}), True, id="fork"),
        pytest.param(evals({"full_name": "someone/evals", "fork": False}), True, id="fork that says it is none"),
        pytest.param(evals({"full_name": "acme/evals2", "fork": False}), True, id="a name that goes on"),
        pytest.param(evals({"full_name": "acme/Evals.git", "fork": False}), True, id="another name"),
        pytest.param(evals(SAME), False, id="same"),
        pytest.param(evals({"full_name": "Acme/Evals", "fork": False}), False, id="same in other case"),
        pytest.param(evals({"full_name": "acme/evals", "fork": True}), False, id="the repository itself is a fork"),
        pytest.param(evals({"full_name": "acme/evals"}), False, id="nothing said of forks"),
        pytest.param(without(evals(SAME), "pull_request", "base", "repo"), False, id="base by the job's repository"),
        pytest.param(
            without(evals({"full_name": "someone/evals"}), "pull_request", "base", "repo"),
            True,
            id="fork by the job's repository",
        ),
    ],
)
@pytest.mark.parametrize("name", ["pull_request", "pull_request_target", "pull_request_review"])
def test_read_event__from_fork(name: str, whole: dict[str, Any], expected: bool) -> None:
    """A fork is told by the names of the two repositories alone, whatever the event and the fork's own flag say."""
    fields = {"number": 7, "base_sha": ONE, "base_ref": "main", "head_sha": OTHER}
    assert Event(name=name, pull=PullRequest(**fields, from_fork=expected)) == read_event(  # type: ignore[arg-type]
        name, whole, repository="acme/evals"
    )


@pytest.mark.parametrize("branch", ["fix\u00a0it", "\u202emain", "caf\u00e9", "a\u200bb", "\U0001f980"])
def test_read_event__branch_names(branch: str) -> None:
    """Git takes signs that nobody sees, and so is every such name taken: a contributor chose it, and cannot fix it."""
    whole = evals(dict(SAME))
    for side in ("base", "head"):
        whole["pull_request"][side]["ref"] = branch
    read = read_event("pull_request", whole, repository="acme/evals").pull
    assert read is not None
    assert (read.base_ref, read.head_sha) == (branch, OTHER)

    pushed_ = {"ref": f"refs/heads/{branch}", "before": ONE, "after": OTHER}
    assert read_event("push", pushed_, repository="acme/evals").push == Push(before=ONE, after=OTHER, ref=branch)


# What is no payload


def refused(name: str, whole: Any, *, repository: str = "acme/evals") -> str:
    with pytest.raises(BadInput) as caught:
        read_event(name, whole, repository=repository)
    return str(caught.value)


def replaced(path: str, value: Any) -> dict[str, Any]:
    """Return the payload of a pull request with another value at a dotted path."""
    whole = evals(dict(SAME))
    *above, last = path.split(".")
    inner: Any = whole
    for name in above:
        inner = inner[name]
    inner[last] = value
    return whole


OBJECT, NUMBER, TEXT = "an object", "a whole number from 1", "a text without control characters"
OID, NAME = "a whole commit id", "a repository's owner/name"


@pytest.mark.parametrize(
    ("path", "value", "wanted"),
    [
        ("pull_request", "x", OBJECT),
        ("pull_request", [], OBJECT),
        ("pull_request.number", "7", NUMBER),
        ("pull_request.number", 7.0, NUMBER),
        ("pull_request.number", True, NUMBER),
        ("pull_request.number", 0, NUMBER),
        ("pull_request.number", -1, NUMBER),
        ("pull_request.number", 2**63, NUMBER),
        ("pull_request.base", "main", OBJECT),
        ("pull_request.base.sha", "main", OID),
        ("pull_request.base.sha", "0" * 40, OID),
        ("pull_request.base.sha", 1, OID),
        ("pull_request.base.ref", "", TEXT),
        ("pull_request.base.ref", "a\nb", TEXT),
        ("pull_request.base.ref", "main\x7f", TEXT),
        ("pull_request.base.ref", "\ud800", TEXT),
        ("pull_request.base.repo", "acme/evals", OBJECT),
        ("pull_request.base.repo.full_name", 7, NAME),
        ("pull_request.head", [ONE], OBJECT),
        ("pull_request.head.sha", "x; rm -rf /", OID),
        ("pull_request.head.sha", ONE.upper().replace("1", "A"), OID),
        ("pull_request.head.sha", ONE[:12], OID),
        ("pull_request.head.sha", f"{ONE}\n", OID),
        ("pull_request.head.repo", "acme/evals", OBJECT),
        ("pull_request.head.repo", False, OBJECT),
        ("pull_request.head.repo", [], OBJECT),
        ("pull_request.head.repo.full_name", "", NAME),
        ("pull_request.head.repo.full_name", "evals", NAME),
        ("pull_request.head.repo.full_name", "acme/evals\n", NAME),
        ("pull_request.head.repo.full_name", "acme/evals/x", NAME),
        ("pull_request.head.repo.full_name", "acme/eval\u017f", NAME),
        ("pull_request.head.repo.full_name", ["acme/evals"], NAME),
    ],
)
def test_read_event__wrong_type(path: str, value: Any, wanted: str) -> None:
    """A value of another kind is refused by its place; a head that cannot be told never passes for our own."""
    expected = f"GITHUB_EVENT_PATH: The event's payload is not as GitHub sends it: {path} is not {wanted}. {FORM}"
    assert expected == refused("pull_request", replaced(path, value))


@pytest.mark.parametrize(
    "path",
    [
        "pull_request",
        "pull_request.number",
        "pull_request.base",
        "pull_request.base.sha",
        "pull_request.base.ref",
        "pull_request.base.repo.full_name",
        "pull_request.head",
        "pull_request.head.sha",
        "pull_request.head.repo.full_name",
    ],
)
def test_read_event__missing(path: str) -> None:
    """What is missing, or null, is named; two repositories without names are not the same one."""
    expected = f"GITHUB_EVENT_PATH: The event's payload is not as GitHub sends it: {path} is missing. {FORM}"
    assert expected == refused("pull_request", without(evals(dict(SAME)), *path.split(".")))
    assert expected == refused("pull_request", replaced(path, None))


def test_read_event__payload_by_hand() -> None:
    """A payload that somebody wrote for a trial, with no repository on either side, is no fork's; null is one's."""
    whole = without(without(evals(SAME), "pull_request", "base", "repo"), "pull_request", "head", "repo")
    read = read_event("pull_request", whole, repository="").pull
    assert read is not None
    assert not read.from_fork
    whole["pull_request"]["head"]["repo"] = None
    read = read_event("pull_request", whole, repository="").pull
    assert read is not None
    assert read.from_fork


def test_read_event__no_repository_at_all() -> None:
    """When nothing says which repository the pull request goes to, it is not taken for the head's."""
    whole = without(evals(SAME), "pull_request", "base", "repo")
    place = "pull_request.base.repo.full_name"
    expected = f"GITHUB_EVENT_PATH: The event's payload is not as GitHub sends it: {place} is missing. {FORM}"
    assert expected == refused("pull_request", whole, repository="")


MERGE_GROUP = {"base_sha": ONE, "head_sha": OTHER, "base_ref": "refs/heads/main"}
RUN = {"id": 1, "event": "pull_request", "head_sha": ONE, "head_branch": "x", "head_repository": SAME}


@pytest.mark.parametrize(
    ("name", "whole", "what"),
    [
        ("push", None, "it is missing"),
        ("push", [1], "it is not an object"),
        ("push", {"before": ONE, "ref": "refs/heads/x"}, "after is missing"),
        ("push", {"after": ONE, "ref": "refs/heads/x"}, "before is missing"),
        ("push", {"before": ONE, "after": OTHER}, "ref is missing"),
        ("push", {"before": ONE, "after": OTHER, "deleted": "false"}, "deleted is not true or false"),
        (
            "push",
            {"before": ONE, "after": OTHER, "ref": "main"},
            "ref is not a branch or a tag, such as refs/heads/main",
        ),
        (
            "push",
            {"before": ONE, "after": OTHER, "ref": "refs/heads/"},
            "ref is not a branch or a tag, such as refs/heads/main",
        ),
        ("push", {"before": ONE, "after": OTHER, "head_commit": {"id": 1}}, "head_commit.id is not a whole commit id"),
        ("push", {"before": "HEAD~1", "after": OTHER, "ref": "refs/heads/x"}, "before is not a whole commit id"),
        ("merge_group", {}, "merge_group is missing"),
        (
            "merge_group",
            {"merge_group": MERGE_GROUP | {"base_sha": "0" * 40}},
            "merge_group.base_sha is not a whole commit id",
        ),
        ("merge_group", {"merge_group": MERGE_GROUP | {"head_sha": None}}, "merge_group.head_sha is missing"),
        ("workflow_run", {}, "workflow_run is missing"),
        ("workflow_run", {"workflow_run": RUN | {"id": "1"}}, "workflow_run.id is not a whole number from 1"),
        ("workflow_run", {"workflow_run": RUN | {"event": ""}}, f"workflow_run.event is not {TEXT}"),
        ("workflow_run", {"workflow_run": RUN | {"head_branch": 1}}, f"workflow_run.head_branch is not {TEXT}"),
        (
            "workflow_run",
            {"workflow_run": RUN | {"head_repository": {"full_name": "x"}}},
            f"workflow_run.head_repository.full_name is not {NAME}",
        ),
    ],
)
def test_read_event__other_payloads(name: str, whole: Any, what: str) -> None:
    """The payloads of the other events are held to their form alike."""
    expected = f"GITHUB_EVENT_PATH: The event's payload is not as GitHub sends it: {what}. {FORM}"
    assert expected == refused(name, whole)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
PATHS = ("head", "head.repo", "head.repo.full_name", "base.repo.full_name", "number", "head.sha", "base.ref")


@given(path=st.sampled_from(PATHS), value=JSON)
def test_read_event__anything(path: str, value: Any) -> None:
    """Whatever stands in a payload, it is read or refused in words, and only our own repository is no fork."""
    whole = replaced(f"pull_request.{path}", value)
    try:
        event = read_event("pull_request", whole, repository="acme/evals")
    except BadInput as error:
        event, message = Event(name=""), str(error)
    if event.pull is None:
        assert re.fullmatch(r"GITHUB_EVENT_PATH: .* pull_request\.[a-z_.]+ is (missing|not [^.]+)\. .*", message)
        return
    head = whole["pull_request"]["head"].get("repo")
    base = whole["pull_request"]["base"]["repo"]
    ours = head is not None and head["full_name"].lower() == base["full_name"].lower()
    assert event.pull.from_fork is not ours
