"""GitHub through PyGithub: what is asked, how long is waited, and where the token goes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from support.fakehub import (
    AS_USUAL,
    CLOSED_AFTER,
    CLOSED_BEFORE,
    NOW,
    Answer,
    FakeGitHub,
    Special,
    bad_gateway,
    primary_limit,
    refused,
    secondary_limit,
)
from support.gitrepo import new_repo

from evalaction.hub import Hub, open_hub
from evalaction.records.event import Job
from evalaction.records.hub import Comment, HubFailure, OpenPull, Refusal, ServedEntry
from evalaction.records.tree import EntryKind

LIST = r"/repos/acme/evals/issues/7/comments"
ONE = r"/repos/acme/evals/issues/comments/\d+"
TOKEN = "ghs_test"


@dataclass
class Waits:
    """Waiting that takes no time."""

    slept: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def now(self) -> float:
        """Return the time, which goes on while somebody waits."""
        return NOW + sum(self.slept)


def hub_of(github: FakeGitHub, waits: Waits | None = None, **said: Any) -> Hub:
    """Return a hub for the fake; ``said`` are fields of its job."""
    waits = waits or Waits()
    job = replace(Job(repository="acme/evals", api_url=github.api_url, token=TOKEN), **said)
    return open_hub(job, sleep=waits.slept.append, now=waits.now, log=waits.said.append)


def failure_of(call: Callable[[], object]) -> tuple[Refusal, str, int | None]:
    """Return how a call fails."""
    with pytest.raises(HubFailure) as caught:
        call()
    return caught.value.refusal, caught.value.message, caught.value.status


def test_hub__lazy() -> None:
    """PyGithub is loaded with the first request, and not before."""
    code = "import sys, evalaction.hub as hub; hub.open_hub(hub.Job(repository='a/b')); print('github' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_comments__all_pages(github: FakeGitHub, prefix: str) -> None:
    """All comments are read, over all pages, oldest first, on GitHub and on a GitHub of one's own."""
    repo = github.repository("acme/evals")
    ids = [
        repo.add_comment(7, author=None if index % 50 == 1 else "someone", body=f"n° {index}") for index in range(150)
    ]

    comments = hub_of(github, api_url=github.api_url + prefix).thread(7).comments()
    assert [(each.id, each.author, each.body) for each in comments] == [
        (id_, "" if index % 50 == 1 else "someone", f"n° {index}") for index, id_ in enumerate(ids)
    ]
    assert github.asked == [
        f"GET {LIST} per_page=100",
        f"GET {LIST} page=2 per_page=100",
    ]
    assert {request.headers["authorization"] for request in github.requests} == {f"token {TOKEN}"}


def test_thread__writes(github: FakeGitHub) -> None:
    """A comment is written, edited and removed by its id, in one request each; what is gone is no failure."""
    thread = hub_of(github).thread(7)
    made = thread.create("one <b>\n🔴")
    edited = thread.edit(made.id, "two")
    thread.delete(made.id)

    assert made == Comment(id=made.id, author="github-actions[bot]", body="one <b>\n🔴", url=made.url)
    assert (edited, made.url.rpartition("-")[2]) == (replace(made, body="two"), str(made.id))
    assert (thread.edit(made.id, "three"), thread.delete(made.id)) == (None, None)  # type: ignore[func-returns-value]
    ours = f"/repos/acme/evals/issues/comments/{made.id}"
    assert github.asked == [f"POST {LIST}", *[f"PATCH {ours}", f"DELETE {ours}"] * 2]


@pytest.mark.parametrize("status", [201, 200])
def test_thread__odd_success(github: FakeGitHub, status: int) -> None:
    """A success that names no comment may have written one; one that names its id alone has."""
    odd = [Answer(status=status, body=body, unchecked=True) for body in ({"id": 10}, {}, "<html>", None)]
    github.script("POST", LIST, *odd)
    thread = hub_of(github).thread(7)

    assert thread.create("text") == Comment(id=10, author="", body="text", url="")
    nothing = (Refusal.UNSURE, "the answer does not hold what was asked for", status)
    failures = [failure_of(lambda: thread.create("text")) for _ in range(3)]
    assert failures == [nothing, (Refusal.UNSURE, "no answer (it is not JSON)", None), nothing]


@pytest.mark.parametrize(
    ("answers", "slept"),
    [
        ([secondary_limit(retry_after=1)], [1]),
        ([secondary_limit()], [60]),
        ([secondary_limit(), secondary_limit()], [60, 120]),
        ([primary_limit(reset=NOW + 10)], [11]),
        ([primary_limit(reset=NOW + 10, status=429)], [11]),
        ([primary_limit(reset=NOW - 10)], [1]),
        ([primary_limit(reset=NOW + 299)], [300]),
        ([refused(429, "Slow down")], [60]),
        ([bad_gateway()], [1]),
        ([bad_gateway(), CLOSED_BEFORE, CLOSED_AFTER], [1, 2, 4]),
        ([refused(503, "Unavailable", headers={"Retry-After": "7"})], [7]),
        ([Answer(body="<html>", unchecked=True)], [1]),
        ([Answer(body=[], headers={"Content-Length": "100"})], [1]),
        ([Answer(body=[], headers={"X-RateLimit-Remaining": "many"})], [1]),
    ],
)
def test_ask__waited_out(github: FakeGitHub, answers: list[Answer | Special], slept: list[float]) -> None:
    """Limits, errors of the server and broken connections are waited out when something is read, and each is said."""
    github.script("GET", LIST, *answers)
    waits = Waits()

    assert hub_of(github, waits).thread(7).comments() == []
    assert (waits.slept, len(github.requests)) == (slept, len(slept) + 1)
    assert [said.partition(" for GitHub (")[0] for said in waits.said] == [f"waiting {each} s" for each in slept]


@pytest.mark.parametrize(
    ("answers", "failure", "slept"),
    [
        (
            [primary_limit(reset=NOW + 2_400)],
            (Refusal.LIMITED, "HTTP 403: API rate limit exceeded for installation ID 1.", 403),
            [],
        ),
        (
            [primary_limit(reset=NOW + 300)],
            (Refusal.LIMITED, "HTTP 403: API rate limit exceeded for installation ID 1.", 403),
            [],
        ),
        ([refused(429, "Slow down")] * 3, (Refusal.LIMITED, "HTTP 429: Slow down", 429), [60, 120]),
        ([refused(429, "Slow", headers={"Retry-After": "999999999"})], (Refusal.LIMITED, "HTTP 429: Slow", 429), []),
        ([bad_gateway()] * 4, (Refusal.UNSURE, "HTTP 502", 502), [1, 2, 4]),
        ([CLOSED_BEFORE] * 4, (Refusal.UNSURE, "no answer (ConnectionError)", None), [1, 2, 4]),
        ([refused(503, "", headers={"Retry-After": "400"})], (Refusal.UNSURE, "HTTP 503", 503), []),
    ],
)
def test_ask__given_up(
    github: FakeGitHub,
    answers: list[Answer | Special],
    failure: tuple[Refusal, str, int | None],
    slept: list[float],
) -> None:
    """What lasts longer than the cap, or goes on, is given up without waiting for it."""
    github.script("GET", LIST, *answers)
    waits = Waits()
    thread = hub_of(github, waits).thread(7)

    assert (failure_of(thread.comments), waits.slept) == (failure, slept)
    assert len(github.requests) == len(slept) + 1


def test_ask__cap_of_all_waits(github: FakeGitHub) -> None:
    """The cap is for all waits of a hub together."""
    limit = secondary_limit(retry_after=140)
    github.script("GET", LIST, limit, AS_USUAL, limit, AS_USUAL, limit)
    waits = Waits()
    hub = hub_of(github, waits)
    hub.thread(7).comments()
    hub.thread(7).comments()

    assert failure_of(hub.thread(7).comments)[0] is Refusal.LIMITED
    assert waits.slept == [140, 140]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Problems parsing JSON"),
        (401, "Bad credentials"),
        (403, "Resource not accessible by integration"),
        (403, "Unable to create comment because issue is locked."),
        (404, "Not Found"),
        (410, "This issue was deleted"),
        (422, "Validation Failed"),
    ],
)
@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_ask__refused_at_once(github: FakeGitHub, verb: str, status: int, message: str) -> None:
    """A refusal for good is asked for once, and nothing is waited for."""
    github.script(verb, LIST, refused(status, message))
    waits = Waits()
    thread = hub_of(github, waits).thread(7)

    failure = failure_of(thread.comments if verb == "GET" else lambda: thread.create("text"))
    assert failure == (Refusal.FORBIDDEN, f"HTTP {status}: {message}", status)
    assert (waits.slept, len(github.requests)) == ([], 1)


@pytest.mark.parametrize(
    ("answer", "message", "status", "stored"),
    [
        (bad_gateway(), "HTTP 502", 502, 0),
        (CLOSED_BEFORE, "no answer (ConnectionError)", None, 0),
        (CLOSED_AFTER, "no answer (ConnectionError)", None, 1),
    ],
)
def test_ask__write_not_repeated(
    github: FakeGitHub, answer: Answer | Special, message: str, status: int | None, stored: int
) -> None:
    """A write of which nobody knows whether it was done is not sent again."""
    github.script("POST", LIST, answer)
    waits = Waits()
    thread = hub_of(github, waits).thread(7)

    assert failure_of(lambda: thread.create("text")) == (Refusal.UNSURE, message, status)
    assert (waits.slept, len(github.requests)) == ([], 1)
    assert len(github.repository("acme/evals").comments(7)) == stored


def test_ask__write_after_limit(github: FakeGitHub) -> None:
    """A write that a limit refused was not done, and is sent again after the wait."""
    github.script("POST", LIST, secondary_limit(retry_after=1))
    waits = Waits()
    hub_of(github, waits).thread(7).create("text")

    assert (waits.slept, len(github.repository("acme/evals").comments(7))) == ([1], 1)
    limit = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    assert waits.said == [f"waiting 1 s for GitHub (HTTP 403: {limit})"]


def test_ask__nobody_there() -> None:
    """A server that does not answer at all is a failure, not an exception of a library's."""
    waits = Waits()
    job = Job(repository="acme/evals", api_url="http://127.0.0.1:9", token=TOKEN)
    thread = open_hub(job, sleep=waits.slept.append, now=waits.now).thread(7)

    assert failure_of(thread.comments) == (Refusal.UNSURE, "no answer (ConnectionError)", None)
    assert waits.slept == [1, 2, 4]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"token": None}, "there is no token for GitHub"),
        ({"token": " \n"}, "there is no token for GitHub"),
        ({"token": "ghs_te\nst"}, "the token for GitHub holds characters that no header may hold"),
        ({"token": "ghs_tést"}, "the token for GitHub holds characters that no header may hold"),
        ({"repository": ""}, "GITHUB_REPOSITORY is not set"),
        ({"repository": "acme/evals/../x"}, "GITHUB_REPOSITORY is acme/evals/../x"),
        ({"repository": "acme/evals?\n"}, "GITHUB_REPOSITORY is acme/evals?⏎"),
        ({"api_url": "ftp://host"}, "GITHUB_API_URL is no address of a server: ftp://host"),
        ({"api_url": "https://[::1"}, "GITHUB_API_URL is no address of a server: https://[::1"),
        ({"api_url": ""}, "GITHUB_API_URL is no address of a server: "),
    ],
)
def test_hub__job_without(github: FakeGitHub, said: dict[str, Any], message: str) -> None:
    """A job that GitHub cannot be asked for says so when something is asked for, and nothing is sent."""
    thread = hub_of(github, **said).thread(7)

    assert failure_of(thread.comments) == (Refusal.FORBIDDEN, message, None)
    assert github.requests == []


def test_hub__token_with_line_feed(github: FakeGitHub) -> None:
    """The line feed that a secret is pasted with belongs to no token."""
    assert hub_of(github, token=f"{TOKEN}\n").thread(7).comments() == []


def test_hub__token_redacted(github: FakeGitHub) -> None:
    """A message of GitHub's that repeats the token is shown without it."""
    github.script("GET", LIST, refused(403, f"The token {TOKEN} may not\r\n::error::that"))

    assert failure_of(hub_of(github).thread(7).comments)[1] == (
        "HTTP 403: The token ‹redacted› may not⟨U+000D⟩⏎::error::that"
    )


MOVED = (301, 302, 307, 308)


def moved(status: int, there: str) -> Answer:
    """Return an answer that leads elsewhere."""
    body = {"message": "Moved Permanently", "url": there}
    return Answer(status=status, headers={"Location": there}, body=body, unchecked=True)


def test_hub__token_stays(github: FakeGitHub) -> None:
    """Neither the next page of a list nor a redirect takes the token to another server, whatever it is called."""
    with FakeGitHub() as other:
        there = f"{other.api_url}{LIST}?page=2"
        near = github.api_url.replace("127.0.0.1", "localhost") + LIST
        github.script(
            "GET",
            LIST,
            Answer(body=[], headers={"Link": f'<{there}>; rel="next"'}),
            *[moved(status, there) for status in MOVED],
            moved(301, near),
        )
        github.script("POST", LIST, moved(307, there))
        thread = hub_of(github).thread(7)
        failures = [failure_of(thread.comments) for _ in range(6)]

        assert failures == [
            (Refusal.FORBIDDEN, "GitHub's next page lies on another server", 200),
            *[(Refusal.FORBIDDEN, f"HTTP {status}: it leads to {there}", status) for status in MOVED],
            (Refusal.FORBIDDEN, f"HTTP 301: it leads to {near}", 301),
        ]
        assert failure_of(lambda: thread.create("text")) == (
            Refusal.FORBIDDEN,
            f"HTTP 307: it leads to {there}",
            307,
        )
        assert (len(github.requests), other.requests) == (7, [])


@pytest.mark.parametrize("location", [None, "", "http://[::1", "mailto:someone"])
def test_hub__moved_nowhere(github: FakeGitHub, location: str | None) -> None:
    """A redirect that leads nowhere is a refusal."""
    headers = {} if location is None else {"Location": location}
    github.script("GET", LIST, Answer(status=301, headers=headers, unchecked=True))
    said = f"HTTP 301: it leads to {location}" if location else "HTTP 301"

    assert failure_of(hub_of(github).thread(7).comments) == (Refusal.FORBIDDEN, said, 301)


@pytest.mark.parametrize("query", ["", "?per_page=100"])
@pytest.mark.parametrize("prefix", ["", "/api/v3"])
@pytest.mark.parametrize("status", MOVED)
def test_hub__renamed(
    github: FakeGitHub, caplog: pytest.LogCaptureFixture, status: int, prefix: str, query: str
) -> None:
    """The comments of a repository that has another name by now are read, each once, and nobody speaks of it."""
    repo = github.repository("acme/evals")
    ids = [repo.add_comment(7, author="someone", body="text") for _ in range(105)]
    there = f"{github.api_url}{prefix}/repositories/{repo.id}/issues/7/comments{query}"
    github.script("GET", "/repos/acme/old/.*", moved(status, there))
    hub = hub_of(github, repository="acme/old", api_url=github.api_url + prefix)

    assert [each.id for each in hub.thread(7).comments()] == ids
    assert github.asked == [
        "GET /repos/acme/old/issues/7/comments per_page=100",
        f"GET {LIST} per_page=100",
        f"GET {LIST} page=2 per_page=100",
    ]
    assert caplog.records == []


@pytest.mark.parametrize("status", MOVED)
def test_thread__renamed(github: FakeGitHub, status: int) -> None:
    """A write goes to where the repository is now, with its method and its text, and is done once."""
    repo = github.repository("acme/evals")
    there = f"{github.api_url}/repositories/{repo.id}/issues"
    github.script("POST", "/repos/acme/old/.*", moved(status, f"{there}/7/comments"))
    thread = hub_of(github, repository="acme/old").thread(7)
    made = thread.create("one")
    for method in ("PATCH", "DELETE"):
        github.script(method, "/repos/acme/old/.*", moved(status, f"{there}/comments/{made.id}"))
    edited = thread.edit(made.id, "two")
    stored = [each.body for each in repo.comments(7)]
    thread.delete(made.id)

    assert (made.body, edited, stored, repo.comments(7)) == ("one", replace(made, body="two"), ["two"], [])
    old, new = f"/repos/acme/old/issues/comments/{made.id}", f"/repos/acme/evals/issues/comments/{made.id}"
    assert github.asked == [
        *["POST /repos/acme/old/issues/7/comments", f"POST {LIST}"],
        *[f"PATCH {old}", f"PATCH {new}", f"DELETE {old}", f"DELETE {new}"],
    ]


def test_objects__renamed(github: FakeGitHub, tmp_path: Path) -> None:
    """A tree is read whole after a redirect too: what was asked for is asked for there."""
    git = new_repo(tmp_path / "git")
    head = git.commit({"a/b/c.txt": "x"})
    repo = github.repository("acme/evals")
    repo.serve_git(git.path)
    there = f"{github.api_url}/repositories/{repo.id}/git/trees/{head}"
    github.script("GET", "/repos/acme/old/.*", moved(301, there))

    assert [entry.path for entry in hub_of(github, repository="acme/old").entries(head)] == ["a/b/c.txt"]


@pytest.mark.parametrize(("hops", "found"), [(3, True), (4, False)])
def test_hub__moved_on_and_on(github: FakeGitHub, hops: int, found: bool) -> None:
    """Redirects are followed three times, and no further."""
    here = f"{github.api_url}{LIST}"
    github.script("GET", LIST, *[moved(307, here)] * hops)
    thread = hub_of(github).thread(7)

    if found:
        assert thread.comments() == []
    else:
        assert failure_of(thread.comments) == (Refusal.FORBIDDEN, f"HTTP 307: it leads to {here}", 307)
    assert len(github.requests) == 4


@pytest.mark.parametrize(
    ("answer", "slept"),
    [
        (primary_limit(reset=NOW + 3_630), 31),
        (refused(429, "Slow down", headers={"Retry-After": "Fri, 02 Jan 2026 04:04:35 GMT"}), 30),
        (primary_limit(reset=NOW + 3_590), 1),
    ],
)
def test_ask__clocks_differ(github: FakeGitHub, answer: Answer, slept: float) -> None:
    """A time that GitHub names is meant by its own clock, which may be an hour ahead of ours."""
    answer = replace(answer, headers={**answer.headers, "Date": "Fri, 02 Jan 2026 04:04:05 GMT"})
    github.script("POST", LIST, answer)
    waits = Waits()
    hub_of(github, waits).thread(7).create("text")

    assert waits.slept == [slept]


def test_hub__pages_in_a_circle(github: FakeGitHub) -> None:
    """A list whose next page is one that was read already ends there."""
    link = {"Link": f'<{github.api_url}/repos/acme/evals/issues/7/comments?page=1>; rel="next"'}
    github.script("GET", LIST, *[Answer(body=[], headers=link)] * 2)

    assert hub_of(github).thread(7).comments() == []


@pytest.mark.parametrize("body", [{}, {"message": "no list"}, "text", None, 7])
def test_hub__no_list(github: FakeGitHub, body: object) -> None:
    """A success that is no list is a failure, not an empty list."""
    github.script("GET", LIST, Answer(body=body, unchecked=True), repeat=True)

    assert failure_of(hub_of(github).thread(7).comments)[0] is Refusal.UNSURE


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
@pytest.mark.parametrize(
    ("kind", "viewer", "requests"),
    [
        ("user", "ci-user", ["GET /user"]),
        ("installation", "github-actions[bot]", ["GET /user", "POST /graphql"]),
        ("installation", "acme-evals[bot]", ["GET /user", "POST /graphql"]),
    ],
)
def test_author__kinds(github: FakeGitHub, prefix: str, kind: str, viewer: str, requests: list[str]) -> None:
    """A person's token says who it is, an App's is asked in the other way, and each is asked once."""
    github.token_kind, github.viewer = kind, viewer
    hub = hub_of(github, api_url=github.api_url + prefix)

    assert (hub.thread(7).author(), hub.thread(8).author(), github.asked) == (viewer, viewer, requests)


@pytest.mark.parametrize(
    ("user", "graphql"),
    [
        (refused(404, "Not Found"), refused(404, "Not Found")),
        (refused(403, "Resource not accessible by integration"), refused(401, "Bad credentials")),
        (refused(403, "Resource not accessible by integration"), Answer(body={"errors": [{"message": "no"}]})),
        (refused(403, "Resource not accessible by integration"), Answer(body={"data": {"viewer": None}})),
        (Answer(body={"login": None}, unchecked=True), Answer(body=[])),
    ],
)
def test_author__unknown(github: FakeGitHub, user: Answer, graphql: Answer) -> None:
    """Where GitHub does not say who writes, it is the job's own token."""
    github.script("GET", "/user", user)
    github.script("POST", "/graphql", graphql)

    assert hub_of(github).thread(7).author() == "github-actions[bot]"


@pytest.mark.parametrize(
    ("user", "failure"),
    [
        ([refused(401, "Bad credentials")], (Refusal.FORBIDDEN, "HTTP 401: Bad credentials", 401)),
        ([bad_gateway()] * 4, (Refusal.UNSURE, "HTTP 502", 502)),
        (
            [primary_limit(reset=NOW + 2_400)],
            (Refusal.LIMITED, "HTTP 403: API rate limit exceeded for installation ID 1.", 403),
        ),
    ],
)
def test_author__failure(github: FakeGitHub, user: list[Answer], failure: tuple[Refusal, str, int]) -> None:
    """A guess is made only where the token may not ask: else a second comment could be the price."""
    github.script("GET", "/user", *user)

    assert failure_of(hub_of(github).thread(7).author) == failure


FORK: dict[str, str] = {"head_repository": "someone/evals", "head_branch": "feature/a#b&c", "head_sha": "a" * 40}


def test_pulls__one(github: FakeGitHub) -> None:
    """The open pull request of this repository, branch and commit is found, and no other."""
    repo = github.repository("acme/evals")
    fork: dict[str, Any] = {"head_ref": FORK["head_branch"], "head_sha": FORK["head_sha"]}
    repo.pull(11, head_repository="SomeOne/Evals", **fork)
    repo.pull(12, head_repository="someone/other", **fork)
    repo.pull(13, head_repository="someone/evals", head_ref="feature", head_sha=fork["head_sha"])
    repo.pull(14, head_repository="someone/evals", head_ref=fork["head_ref"], head_sha="b" * 40)
    repo.pull(15, head_repository="someone/evals", state="closed", **fork)
    repo.pull(16, head_repository=None, head_owner="someone", **fork)

    assert hub_of(github).pulls(**FORK) == [OpenPull(number=11, base_ref="main")]
    assert github.asked == ["GET /repos/acme/evals/pulls head=someone:feature/a#b&c per_page=100 state=open"]


def test_pulls__many(github: FakeGitHub) -> None:
    """All pages are looked through; one branch may be the head of several pull requests, or of none."""
    repo = github.repository("acme/evals")
    for number in range(100, 205):
        sha = FORK["head_sha"] if number in {100, 204} else "b" * 40
        repo.pull(number, head_repository="someone/evals", head_ref=FORK["head_branch"], head_sha=sha)

    hub = hub_of(github)
    assert [pull.number for pull in hub.pulls(**FORK)] == [204, 100]
    assert hub.pulls(**{**FORK, "head_sha": "c" * 40}) == []
    assert len(github.requests) == 4


def test_objects__real_repository(github: FakeGitHub, tmp_path: Path) -> None:
    """The merge base takes one request however many files differ, and contents come as they are."""
    git = new_repo(tmp_path / "git")
    start = git.commit({"prompts/a.txt": "one", "b.bin": bytes(range(256)), "leer é.txt": ""})
    base = git.commit({"c.txt": "base"})
    git.git("checkout", "--quiet", "-b", "topic", start)
    (git.path / "link").symlink_to("b.bin")
    git.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    git.commit({f"many/{index}.txt": str(index) for index in range(310)})
    git.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    git.git("commit", "--quiet", "--message", "A module.")
    head = git.git("rev-parse", "HEAD")
    github.repository("acme/evals").serve_git(git.path)
    hub = hub_of(github)

    assert hub.merge_base(base, head) == start
    assert github.asked == [f"GET /repos/acme/evals/compare/{base}...{head} per_page=1"]
    entries = hub.entries(head)
    oids = {path: git.git("rev-parse", f"{head}:{path}") for path in ("b.bin", "leer é.txt", "link", "prompts/a.txt")}
    assert [entry for entry in entries if not entry.path.startswith("many/")] == [
        ServedEntry(path="b.bin", kind=EntryKind.FILE, oid=oids["b.bin"]),
        ServedEntry(path="leer é.txt", kind=EntryKind.FILE, oid=oids["leer é.txt"]),
        ServedEntry(path="link", kind=EntryKind.SYMLINK, oid=oids["link"]),
        ServedEntry(path="module", kind=EntryKind.SUBMODULE, oid="1" * 40),
        ServedEntry(path="prompts/a.txt", kind=EntryKind.FILE, oid=oids["prompts/a.txt"]),
    ]
    assert (len(entries), len(github.requests)) == (315, 2)
    assert [hub.blob(oids[path]) for path in ("b.bin", "leer é.txt", "prompts/a.txt")] == [
        bytes(range(256)),
        b"",
        b"one",
    ]


def test_objects__tree_is_cut(github: FakeGitHub, tmp_path: Path) -> None:
    """A tree that GitHub cuts is read folder by folder, as deep as it takes, and is the same then."""
    git = new_repo(tmp_path / "git")
    head = git.commit({f"{folder}{index}.txt": "x" for folder in ("", "a/", "a/b/", "c/") for index in range(3)})
    repo = github.repository("acme/evals")
    repo.serve_git(git.path)
    whole = hub_of(github).entries(head)
    repo.tree_limit = 5

    assert hub_of(github).entries(head) == whole
    assert [entry.path for entry in whole] == [
        *[f"{index}.txt" for index in range(3)],
        *[f"a/{index}.txt" for index in range(3)],
        *[f"a/b/{index}.txt" for index in range(3)],
        *[f"c/{index}.txt" for index in range(3)],
    ]
    # Whole; then, cut: all, the root alone, c, a with its folder, a alone, a/b.
    assert [request.query.get("recursive", "") for request in github.requests] == ["1", "1", "", "1", "1", "", "1"]


def test_objects__folder_is_cut(github: FakeGitHub, tmp_path: Path) -> None:
    """A single folder with more than GitHub lists is said, rather than taken for less."""
    git = new_repo(tmp_path / "git")
    head = git.commit({f"a/b/{index}.txt": "x" for index in range(9)})
    repo = github.repository("acme/evals")
    repo.serve_git(git.path)
    repo.tree_limit = 8

    assert failure_of(lambda: hub_of(github).entries(head)) == (
        Refusal.FORBIDDEN,
        "GitHub does not list all of a/b/",
        None,
    )


def test_objects__not_there(github: FakeGitHub, tmp_path: Path) -> None:
    """What GitHub does not have, or two histories without a common commit, are refused for good."""
    git = new_repo(tmp_path / "git")
    one = git.commit({"a": "1"})
    git.git("checkout", "--quiet", "--orphan", "other")
    other = git.commit({"a": "2"})
    github.repository("acme/evals").serve_git(git.path)
    hub, missing = hub_of(github), "d" * 40

    assert [failure_of(call) for call in (lambda: hub.merge_base(one, other), lambda: hub.entries(missing))] == [
        (Refusal.FORBIDDEN, f"HTTP 404: No common ancestor between {one} and {other}.", 404),
        (Refusal.FORBIDDEN, "HTTP 404: Not Found", 404),
    ]
    assert failure_of(lambda: hub.blob(missing))[0] is Refusal.FORBIDDEN


@pytest.mark.parametrize(
    ("pattern", "call", "bodies"),
    [
        (
            "/compare/.*",
            lambda hub: hub.merge_base("a" * 40, "b" * 40),
            [{}, [], {"merge_base_commit": {"sha": "main"}}],
        ),
        ("/git/trees/.*", lambda hub: hub.entries("a" * 40), [{}, [], {"tree": {}}, {"tree": [{}]}, {"tree": [7]}]),
        (
            "/git/blobs/.*",
            lambda hub: hub.blob("a" * 40),
            [{}, [], {"encoding": "utf-8", "content": "a"}, {"encoding": "base64", "content": "a"}],
        ),
    ],
    ids=["merge_base", "entries", "blob"],
)
def test_objects__odd_answers(
    github: FakeGitHub, pattern: str, call: Callable[[Hub], object], bodies: list[object]
) -> None:
    """An answer that does not hold what was asked for is a failure."""
    github.script("GET", f"/repos/acme/evals{pattern}", *[Answer(body=body, unchecked=True) for body in bodies])
    hub = hub_of(github)

    nothing = (Refusal.UNSURE, "the answer does not hold what was asked for", 200)
    assert [failure_of(lambda: call(hub)) for _ in bodies] == [nothing] * len(bodies)
