"""The fake GitHub, with PyGithub as it is for a client: what it answers, remembers, and reports."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from github import Auth, Github
from github.GithubException import GithubException
from github.Issue import Issue
from github.Repository import Repository
from support.fakehub import (
    CLOSED_AFTER,
    CLOSED_BEFORE,
    Answer,
    FakeGitHub,
    HostedRepository,
    bad_gateway,
    primary_limit,
    refused,
    secondary_limit,
    shapes,
)
from support.fakehub.contract import SLICE
from support.gitrepo import Repo, new_repo
from support.openapi import cut, render
from support.payloads import SCHEMA

COMMENTS, PULLS = "/repos/acme/evals/issues/7/comments", "/repos/acme/evals/pulls"
BOT = "github-actions[bot]"


@contextmanager
def client(github: FakeGitHub, *, prefix: str = "") -> Iterator[Github]:
    """Yield PyGithub, which waits and retries nothing here, and is closed in the end."""
    made = Github(
        base_url=github.api_url + prefix,
        auth=Auth.Token(github.token),
        lazy=True,
        per_page=100,
        retry=None,
        seconds_between_requests=None,
        seconds_between_writes=None,
    )
    try:
        yield made
    finally:
        made.close()


@contextmanager
def thread(github: FakeGitHub, *, prefix: str = "") -> Iterator[Issue]:
    """Yield what PyGithub knows of pull request 7 of ``acme/evals``; nothing is asked for that."""
    with client(github, prefix=prefix) as made:
        yield made.get_repo("acme/evals").get_issue(7)


@contextmanager
def hosted(github: FakeGitHub) -> Iterator[Repository]:
    """Yield what PyGithub knows of ``acme/evals``; nothing is asked for that."""
    with client(github) as made:
        yield made.get_repo("acme/evals")


def with_pull(github: FakeGitHub, **said: Any) -> HostedRepository:
    repo = github.repository("acme/evals")
    repo.pull(7, **said)
    return repo


def bodies(repo: HostedRepository) -> list[tuple[str | None, str]]:
    return [(comment.author, comment.body) for comment in repo.comments(7)]


def raw(github: FakeGitHub, method: str, path: str, body: str | None = None) -> tuple[int, dict[str, str], bytes]:
    """Send what PyGithub would not, and return status, headers and body of the answer."""
    host, port = github.api_url.removeprefix("http://").split(":")
    connection = HTTPConnection(host, int(port))
    try:
        headers = {"Authorization": "Bearer ghs_test", "Content-Type": "application/json"}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def use(act: Callable[[FakeGitHub], object]) -> None:
    """Use a fake, in which there is pull request 7 of ``acme/evals``."""
    with FakeGitHub() as github:
        with_pull(github)
        act(github)


def faults_of(act: Callable[[FakeGitHub], object]) -> list[str]:
    """Return what is raised after ``act`` has used a fake."""
    try:
        use(act)
    except AssertionError as error:
        return str(error).splitlines()
    return []


@pytest.mark.parametrize(("name", "path"), [("rest", SLICE), ("webhooks", SCHEMA)])
def test_slice__made_by_its_script(name: str, path: Path) -> None:
    """A checked-in slice is what the script cuts: cutting it again changes nothing."""
    text = path.read_text(encoding="utf-8")
    described = json.loads(text)
    assert text == render(cut(name, described, version=described["info"]["version"])) + "\n"


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_comments__pages(prefix: str) -> None:
    """150 comments come on two pages, oldest first, at github.com's address and at a server's of one's own."""
    with FakeGitHub() as github, thread(github, prefix=prefix) as issue:
        repo = with_pull(github)
        for number in range(150):
            repo.add_comment(7, author="alice", body=f"comment {number}")
        found = [comment.body for comment in issue.get_comments()]
    assert [f"comment {number}" for number in range(150)] == found
    assert [
        ("GET", COMMENTS, {"per_page": "100"}, None),
        ("GET", COMMENTS, {"per_page": "100", "page": "2"}, None),
    ] == [request[:4] for request in github.requests]


def test_comments__links() -> None:
    """A page in the middle links to all others, by the repository's id; without a size it holds thirty."""
    with FakeGitHub() as github:
        repo = with_pull(github)
        for number in range(100):
            repo.add_comment(7, author="alice", body=str(number))
        _, headers, content = raw(github, "GET", f"{COMMENTS}?page=2")
        root = f"{github.api_url}/repositories/{repo.id}/issues/7/comments?page="
    assert [str(number) for number in range(30, 60)] == [comment["body"] for comment in json.loads(content)]
    wanted = [(1, "prev"), (3, "next"), (4, "last"), (1, "first")]
    assert ", ".join(f'<{root}{page}>; rel="{name}"' for page, name in wanted) == headers["Link"]


def test_comments__written() -> None:
    """A comment is created under the token's account, edited and removed, and the server remembers it."""
    with FakeGitHub() as github, thread(github) as issue:
        repo = with_pull(github)
        repo.add_comment(7, author="alice", body="first", id=5_000)
        made = issue.create_comment("second 🙂")
        seen = [(made.id, made.user.login, made.user.type, made.url)]
        after_create = bodies(repo)
        made.edit("third")
        after_edit = bodies(repo)
        made.delete()
    assert [(5_001, BOT, "Bot", f"{github.api_url}/repos/acme/evals/issues/comments/5001")] == seen
    assert [("alice", "first"), (BOT, "second 🙂")] == after_create
    assert [("alice", "first"), (BOT, "third")] == after_edit
    assert [("alice", "first")] == bodies(repo)
    assert [
        ("POST", COMMENTS, {}, {"body": "second 🙂"}),
        ("PATCH", "/repos/acme/evals/issues/comments/5001", {}, {"body": "third"}),
        ("DELETE", "/repos/acme/evals/issues/comments/5001", {}, None),
    ] == [request[:4] for request in github.requests]


def test_comments__author_gone() -> None:
    """A comment whose account is gone has no user."""
    with FakeGitHub() as github:
        with_pull(github).add_comment(7, author=None, body="orphan")
        (found,) = json.loads(raw(github, "GET", COMMENTS)[2])
    assert (None, "orphan") == (found["user"], found["body"])


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_viewer__installation(prefix: str) -> None:
    """An app's token may not ask for its user, but GraphQL tells its login."""
    with FakeGitHub() as github, client(github, prefix=prefix) as made:
        with pytest.raises(GithubException) as caught:
            _ = made.get_user().login
        _, data = made.requester.graphql_query("query { viewer { login } }", {})
    assert (403, "Resource not accessible by integration") == (caught.value.status, caught.value.message)
    assert {"data": {"viewer": {"login": BOT}}} == data


def test_viewer__user() -> None:
    """A person's token may ask for its user, under which it writes."""
    with FakeGitHub() as github, client(github) as made:
        github.viewer, github.token_kind = "ci-user", "user"
        repo = with_pull(github)
        login = made.get_user().login
        made.get_repo("acme/evals").get_issue(7).create_comment("by a person")
    assert "ci-user" == login
    assert [("ci-user", "User")] == [(comment.author, comment.kind) for comment in repo.comments(7)]


def _read_only(github: FakeGitHub) -> None:
    github.read_only = True


def _locked(github: FakeGitHub) -> None:
    github.repository("acme/evals").pulls[7].locked = True


def _pull_gone(github: FakeGitHub) -> None:
    del github.repository("acme/evals").pulls[7]


def _scripted(*answers: Answer) -> Callable[[FakeGitHub], None]:
    return lambda github: github.script("POST", COMMENTS, *answers)


REFUSALS: dict[str, tuple[Callable[[FakeGitHub], object], str, int, str | None]] = {
    "read-only": (_read_only, "text", 403, "Resource not accessible by integration"),
    "locked": (_locked, "text", 403, "Unable to create comment because issue is locked."),
    "no pull": (_pull_gone, "text", 404, "Not Found"),
    "blank": (lambda _: None, " \n", 422, "Validation Failed"),
    "too long": (lambda _: None, "x" * 65_537, 422, "Validation Failed"),
    "secondary limit": (
        _scripted(secondary_limit(retry_after=1)),
        "text",
        403,
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
    ),
    "primary limit": (
        _scripted(primary_limit(reset=1_767_326_645, status=429)),
        "text",
        429,
        "API rate limit exceeded for installation ID 1.",
    ),
    "gone": (_scripted(refused(410, "This was removed.")), "text", 410, "This was removed."),
    "unavailable": (_scripted(refused(503, "No server is available.")), "text", 503, "No server is available."),
    "bad gateway": (_scripted(bad_gateway()), "text", 502, None),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_comments__refused(name: str) -> None:
    """A comment that is refused is not stored, and the client gets status and words as GitHub sends them."""
    prepare, body, status, message = REFUSALS[name]
    with FakeGitHub() as github, thread(github) as issue:
        repo = with_pull(github)
        prepare(github)
        with pytest.raises(GithubException) as caught:
            issue.create_comment(body)
    data = caught.value.data
    assert (status, message) == (caught.value.status, data.get("message"))
    assert [] == bodies(repo)
    assert 1 == len(github.requests)


def test_comments__longest() -> None:
    """The longest comment has 65,536 characters, whatever their bytes."""
    with FakeGitHub() as github, thread(github) as issue:
        repo = with_pull(github)
        issue.create_comment("🙂" * 65_536)
    assert [(BOT, "🙂" * 65_536)] == bodies(repo)


@pytest.mark.parametrize(("token", "message"), [("other", "Bad credentials"), (None, "Requires authentication")])
def test_token__refused(token: str | None, message: str) -> None:
    """Nothing is answered without the right token."""
    with FakeGitHub(token="ghs_other") as github:
        with_pull(github)
        host, port = github.api_url.removeprefix("http://").split(":")
        connection = HTTPConnection(host, int(port))
        connection.request("GET", COMMENTS, headers={} if token is None else {"Authorization": f"token {token}"})
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())["message"]
        connection.close()
    assert (401, message) == found


def test_connection__kept() -> None:
    """Requests share a connection, each answer says how many requests are left, and no thread outlives the block."""
    before = set(threading.enumerate())
    with FakeGitHub() as github:
        with_pull(github)
        host, port = github.api_url.removeprefix("http://").split(":")
        connection = HTTPConnection(host, int(port))
        left, ports = [], []
        for _ in range(3):
            connection.request("GET", COMMENTS, headers={"Authorization": "token ghs_test"})
            ports.append(connection.sock.getsockname()[1])
            answer = connection.getresponse()
            answer.read()
            left.append(answer.headers["X-RateLimit-Remaining"])
    connection.close()
    assert ["999", "998", "997"] == left
    assert 1 == len(set(ports))
    assert before == set(threading.enumerate())


@pytest.mark.parametrize(("special", "stored"), [(CLOSED_BEFORE, 1), (CLOSED_AFTER, 2)])
def test_script__closed(special: Any, stored: int) -> None:
    """A connection is closed before or after a comment is stored; the next request is answered as usual."""
    with FakeGitHub() as github, thread(github) as issue:
        repo = with_pull(github)
        github.script("POST", COMMENTS, special)
        with pytest.raises(OSError, match="closed"):
            issue.create_comment("text")
        issue.create_comment("text")
    assert [(BOT, "text")] * stored == bodies(repo)


def test_script__carried_out() -> None:
    """An error may hide that the comment was stored."""
    with FakeGitHub() as github, thread(github) as issue:
        repo = with_pull(github)
        github.script("POST", COMMENTS, Answer(status=502, body="<html>", carried_out=True))
        with pytest.raises(GithubException):
            issue.create_comment("text")
    assert [(BOT, "text")] == bodies(repo)


def test_script__repeat() -> None:
    """The last of repeated answers stays, and need not be asked for."""
    with FakeGitHub() as github, thread(github) as issue:
        with_pull(github)
        github.script("POST", COMMENTS, refused(500, "one"), refused(503, "two"), repeat=True)
        github.script("PATCH", COMMENTS, bad_gateway(), repeat=True)
        found = []
        for _ in range(3):
            with pytest.raises(GithubException) as caught:
                issue.create_comment("text")
            found.append((caught.value.status, caught.value.message))
    assert [(500, "one"), (503, "two"), (503, "two")] == found


def test_before__race() -> None:
    """What happens between two requests of ours is seen by the second: once, and only by the one that was meant."""
    with FakeGitHub() as github, thread(github) as issue:
        repo = with_pull(github)
        mine = issue.create_comment("mine")
        github.before("PATCH", rf"/repos/acme/evals/issues/comments/{mine.id}", lambda: repo.delete_comment(mine.id))
        github.before("POST", COMMENTS, lambda: repo.add_comment(7, author=BOT, body="theirs"))
        with pytest.raises(GithubException) as caught:
            mine.edit("newer")
        issue.create_comment("newer")
        issue.create_comment("newest")
    assert 404 == caught.value.status
    assert [(BOT, "theirs"), (BOT, "newer"), (BOT, "newest")] == bodies(repo)


def test_pulls__by_head() -> None:
    """Open pull requests are found by the owner and branch of their head, whichever fork of that owner it is."""
    with FakeGitHub() as github:
        kept = github.repository("acme/evals")
        kept.pull(7, head_ref="feature/a")
        kept.pull(8, head_repository="Someone/evals", head_ref="feature/a", head_sha="8" * 40)
        kept.pull(9, head_repository="someone/evals-2", head_ref="feature/a", head_sha="9" * 40)
        kept.pull(10, head_repository="someone/evals", head_ref="feature/a", state="closed")
        kept.pull(11, head_repository="someone/evals", head_ref="Feature/a")
        kept.pull(12, head_repository=None, head_ref="feature/a")
        kept.pull(13, head_repository=None, head_owner=None, head_ref="feature/a")
        found, everything, unowned = (
            {pull["number"]: pull["head"] for pull in json.loads(raw(github, "GET", f"{PULLS}?{query}")[2])}
            for query in ("state=open&head=someone:feature/a", "state=all", "state=closed&head=main")
        )
    assert [(12, "1", None), (9, "9", "someone/evals-2"), (8, "8", "Someone/evals")] == [
        (number, head["sha"][0], head["repo"] and head["repo"]["full_name"]) for number, head in found.items()
    ]
    assert ([13, 12, 11, 10, 9, 8, 7], [10]) == (list(everything), list(unowned))
    assert {"label": "unknown repository:feature/a", "ref": "feature/a", "sha": "1" * 40} | dict.fromkeys(
        ("user", "repo")
    ) == everything[13]


@pytest.fixture
def history(tmp_path: Path) -> Repo:
    """A real repository: a base, a branch ahead of it, and commits of its own on main."""
    repo = new_repo(tmp_path / "real")
    repo.commit({"a.txt": "one\n", "folder/inner/b.bin": b"\0\xff" * 100, "old name.txt": "same\n" * 9})
    repo.git("branch", "feature/x")
    repo.commit({"main.txt": "later\n"})
    repo.git("checkout", "--quiet", "feature/x")
    (repo.path / "link").symlink_to("a.txt")
    repo.commit({"a.txt": "one\ntwo\n", "ümläut.txt": "same\n" * 9}, remove=("old name.txt",))
    return repo


def test_objects__tree(history: Repo) -> None:
    """A tree is what git lists, whole by its commit, its branch or its own id; a folder has its own."""
    with FakeGitHub() as github, hosted(github) as repo:
        github.repository("acme/evals").serve_git(history.path)
        head = history.git("rev-parse", "HEAD")
        trees = [
            repo.get_git_tree(name, recursive=True) for name in (head, "feature/x", f"{history.git('write-tree')}")
        ]
        flat = repo.get_git_tree(head)
    listed = [
        line.split(None, 3) for line in history.git("-c", "core.quotePath=off", "ls-tree", "-rt", head).splitlines()
    ]
    for tree in trees:
        assert listed == [[entry.mode, entry.type, entry.sha, entry.path] for entry in tree.tree]
        assert tree.raw_data["truncated"] is False
    assert [head, head, history.git("write-tree")] == [tree.sha for tree in trees]
    assert ["a.txt", "folder", "link", "ümläut.txt"] == [entry.path for entry in flat.tree]


def test_objects__tree_cut(history: Repo) -> None:
    """A tree beyond the limit is cut, and says so."""
    with FakeGitHub() as github, hosted(github) as repo:
        kept = github.repository("acme/evals")
        kept.serve_git(history.path)
        kept.tree_limit = 2
        tree = repo.get_git_tree("main", recursive=True)
    assert (["a.txt", "folder"], True) == ([entry.path for entry in tree.tree], tree.raw_data["truncated"])


def test_objects__blob(history: Repo) -> None:
    """A blob's content comes as base64, broken into lines."""
    with FakeGitHub() as github, hosted(github) as repo:
        github.repository("acme/evals").serve_git(history.path)
        blob = repo.get_git_blob(history.git("rev-parse", "HEAD:folder/inner/b.bin"))
        with pytest.raises(GithubException) as caught:
            repo.get_git_blob("0" * 40)
    assert (200, "base64", b"\0\xff" * 100) == (blob.size, blob.encoding, base64.b64decode(blob.content))
    assert [60, 60, 60, 60, 28] == [len(line) for line in blob.content.splitlines()]
    assert 404 == caught.value.status


def test_objects__none() -> None:
    """A repository without git's objects is empty, as GitHub says it; one that is not there is not found."""
    with FakeGitHub() as github, client(github) as made:
        github.repository("acme/evals")
        found = []
        for name in ("ACME/evals", "acme/other"):
            with pytest.raises(GithubException) as caught:
                made.get_repo(name).get_git_tree("main", recursive=True)
            found.append((caught.value.status, caught.value.data["message"]))
    assert [(409, "Git Repository is empty."), (404, "Not Found")] == found


def test_compare__diverged(history: Repo) -> None:
    """A comparison has the merge base, and the commits of the head since, whose trees and parents are git's."""
    with FakeGitHub() as github, hosted(github) as repo:
        github.repository("acme/evals").serve_git(history.path)
        found = repo.compare("main", "feature/x")
        assert history.git("merge-base", "main", "HEAD") == found.merge_base_commit.sha
        assert ("diverged", 1, 1, 1) == (found.status, found.ahead_by, found.behind_by, found.total_commits)
        (commit,) = found.commits
        ids = [commit.sha, commit.commit.tree.sha, *(parent.sha for parent in commit.parents)]
        assert [history.git("rev-parse", name) for name in ("HEAD", "HEAD^{tree}", "HEAD^")] == ids
        assert ("A change.", "A Person") == (commit.commit.message, commit.commit.author.name)


def test_compare__unrelated(history: Repo) -> None:
    """Two histories without a common commit cannot be compared."""
    history.git("checkout", "--quiet", "--orphan", "other")
    history.commit()
    with FakeGitHub() as github, hosted(github) as repo:
        github.repository("acme/evals").serve_git(history.path)
        with pytest.raises(GithubException) as caught:
            _ = repo.compare("main", "other").merge_base_commit
    assert (404, "No common ancestor between main and other.") == (caught.value.status, caught.value.message)


def test_faults__wrong_body() -> None:
    """A request whose body goes against GitHub's description is answered as by GitHub, and reported."""
    found = []
    faults = faults_of(lambda github: found.append(raw(github, "POST", COMMENTS, '{"text": "hello"}')))
    ((status, _, content),) = found
    assert (422, """Invalid request.\n\n"body" wasn't supplied.""") == (status, json.loads(content)["message"])
    assert [f"POST {COMMENTS}: body: 'body' is a required property"] == faults


@pytest.mark.parametrize("body", ["{", '{"body": "\\ud800"}'])
def test_faults__no_json(body: str) -> None:
    """What is not JSON, or not text in it, is refused; that the first is reported is the parser's affair."""
    with FakeGitHub() as github:
        with_pull(github)
        status, _, content = raw(github, "POST", COMMENTS, body)
        github.faults.clear()
    assert (400, "Problems parsing JSON") == (status, json.loads(content)["message"])


@pytest.mark.parametrize(
    ("method", "path", "fault"),
    [
        ("GET", f"{COMMENTS}?perpage=100", f"GET {COMMENTS}?perpage=100: there is no query parameter 'perpage'"),
        ("GET", "/repos/acme/evals", "GET /repos/acme/evals: the slice of GitHub's description has no such operation"),
        ("GET", f"{COMMENTS}?since=2026-01-02T00:00:00Z", f"GET {COMMENTS}: the fake does not know 'since'"),
        ("GET", "/rate_limit", "GET /rate_limit: the slice of GitHub's description has no such operation"),
        ("PUT", COMMENTS, f"PUT {COMMENTS}: the slice of GitHub's description has no such operation"),
        ("POST", "/graphql", "POST /graphql: the fake knows one query, and this is another: None"),
    ],
)
def test_faults__unknown(method: str, path: str, fault: str) -> None:
    """A request that GitHub's description, or the fake, does not know is reported."""
    assert [fault] == faults_of(lambda github: raw(github, method, path))


def test_faults__own_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fake's own answers are held to the description: one with a wrong field and without another is reported."""
    wrong = {key: value for key, value in shapes.account("x", "User", root="").items() if key != "node_id"}
    made = shapes.comment
    monkeypatch.setattr(shapes, "comment", lambda *args, **said: {**made(*args, **said), "user": wrong, "id": "1"})
    assert {
        f"POST {COMMENTS} → 201: body['id']: '1' is not of type 'integer'",
        f"POST {COMMENTS} → 201: body['user']: 'node_id' is a required property",
    } == set(faults_of(lambda github: raw(github, "POST", COMMENTS, '{"body": "text"}')))


@pytest.mark.parametrize(
    ("answer", "faults"),
    [
        (
            refused(422, "Validation Failed", errors=[{"field": "data"}]),
            ["422: body['errors'][0]: 'code' is a required property"],
        ),
        (Answer(status=422, body={"message": "no link"}), ["422: body: 'documentation_url' is a required property"]),
        (Answer(status=422, body={"message": "no link"}, unchecked=True), []),
        (Answer(status=429, body={"message": 7}), ["429: body['message']: 7 is not of type 'string'"]),
        (Answer(status=202, body={}), ["202: this answer is not in GitHub's description"]),
        (bad_gateway(), []),
    ],
)
def test_faults__scripted_answer(answer: Answer, faults: list[str]) -> None:
    """A scripted answer that GitHub would not give is reported, unless it is marked or no JSON."""

    def act(github: FakeGitHub) -> None:
        github.script("POST", COMMENTS, answer)
        raw(github, "POST", COMMENTS, '{"body": "text"}')

    assert [f"POST {COMMENTS} → {fault}" for fault in faults] == faults_of(act)


def test_faults__unused() -> None:
    """What was prepared and never asked for is reported: the test would prove nothing."""

    def act(github: FakeGitHub) -> None:
        github.script("POST", COMMENTS, bad_gateway())
        github.before("PATCH", COMMENTS, lambda: None)

    assert [f"never asked for: POST {COMMENTS}", f"never asked for: PATCH {COMMENTS}"] == faults_of(act)


def test_faults__hook() -> None:
    """What a hook raises is reported, and the client gets a server's error."""
    found = []

    def act(github: FakeGitHub) -> None:
        github.before("GET", COMMENTS, lambda: int("x"))
        found.append(raw(github, "GET", COMMENTS)[0])

    fault = """ValueError("invalid literal for int() with base 10: 'x'")"""
    assert [f"GET {COMMENTS}: {fault}"] == faults_of(act)
    assert [500] == found


def test_faults__beside_an_error() -> None:
    """An error of the test itself is not replaced: the fake's faults are added to it."""
    with pytest.raises(ZeroDivisionError) as caught:
        use(lambda github: divmod(raw(github, "GET", "/rate_limit")[0], 0))
    assert [
        "The fake GitHub says:\nGET /rate_limit: the slice of GitHub's description has no such operation"
    ] == caught.value.__notes__
