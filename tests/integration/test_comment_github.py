"""The one comment, through PyGithub, at a GitHub that keeps what is written: what is asked, and what is left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Thread as Worker

import pytest
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
)
from support.hub.exchange import Special
from support.reports import case_result, report, with_id

from evalaction.hub import WAIT_CAP_S, open_hub
from evalaction.publish.comment import Posted, post_comment
from evalaction.records.event import Job
from evalaction.records.report import Report
from evalaction.records.settings import CommentMode, Posting
from evalaction.report.comment import LIMIT, marker, render_comment

NOW = 1_767_323_045
ME, BOT = "github-actions[bot]", "helper[bot]"
RUN = 200
PASSING, FAILING = report(case_result("a", "A A")), report(case_result("a", "A B", agreement_min=1))
LONG = report(
    *(
        with_id(
            case_result("f", "A B", agreement_min=1, answers={"A": {"x": "a" * 900}, "B": {"x": "b" * 900}}), str(index)
        )
        for index in range(90)
    )
)
COMMENTS, COMMENT = "/repos/acme/evals/issues/7/comments", r"/repos/acme/evals/issues/comments/\d+"
OLD = f"{marker('default')}\nold"
MAY_NOT = (
    "The job needs the permission pull-requests: write. For a pull request from a fork or from Dependabot its token "
    "can only read, whatever the workflow says."
)
NEW = 1_001
"""The first id that the fake gives."""
LIST, CREATE, WHO = "GET issues/7/comments", "POST issues/7/comments", ["GET user", "POST graphql"]


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """GitHub with one repository and one pull request."""
    with FakeGitHub() as fake:
        fake.repository("acme/evals").pull(7)
        yield fake


@dataclass
class Run:
    """A run that posts."""

    github: FakeGitHub
    report: Report = FAILING
    run_id: int | None = RUN
    token: str | None = "ghs_test"
    prefix: str = ""
    posting: Posting = field(default_factory=Posting)
    slept: list[float] = field(default_factory=list)

    def post(self) -> Posted:
        """Post the comment; waiting takes no time."""
        job = Job(repository="acme/evals", api_url=self.github.api_url + self.prefix, token=self.token)
        hub = open_hub(job, sleep=self.slept.append, now=lambda: NOW + sum(self.slept))
        return post_comment(self.report, hub.thread(7), posting=self.posting, location=None, run_id=self.run_id)


def hosted(github: FakeGitHub) -> HostedRepository:
    return github.repository("acme/evals")


def asked(github: FakeGitHub) -> list[str]:
    """Return the requests as ``METHOD path``, the repository's own path left out."""
    return [f"{each.method} {each.path.removeprefix('/repos/acme/evals').strip('/')}" for each in github.requests]


def left(github: FakeGitHub) -> list[tuple[int, str, str]]:
    """Return id, author and last line of each comment."""
    return [(each.id, each.author or "", each.body.splitlines()[-1]) for each in hosted(github).comments(7)]


def edit(id_: int) -> str:
    return f"PATCH issues/comments/{id_}"


def shown(github: FakeGitHub, *notices: str, id_: int | None = None) -> Posted:
    """Return what is said of the comment with an id, or of the only one."""
    id_ = hosted(github).comments(7)[0].id if id_ is None else id_
    return Posted(url=f"https://github.com/acme/evals/pull/7#issuecomment-{id_}", posted=True, notices=notices)


def not_shown(message: str, remedy: str) -> Posted:
    return Posted(url=None, posted=False, notices=(f"The comment could not be written ({message}). {remedy}",))


@pytest.mark.parametrize(
    ("total", "ours", "requests"),
    [
        (35, 33, [LIST, *WHO, edit(33)]),
        (150, 130, [LIST, LIST, *WHO, edit(130)]),
        (250, 250, [LIST, LIST, LIST, *WHO, edit(250)]),
    ],
)
@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_comment__any_page(github: FakeGitHub, prefix: str, total: int, ours: int, requests: list[str]) -> None:
    """Ours is found on whatever page it stands, on GitHub and on a GitHub of one's own: one edit, and no new one."""
    for id_ in range(1, total + 1):
        hosted(github).add_comment(
            7, id=id_, author=ME if id_ == ours else "someone", body=OLD if id_ == ours else "hm"
        )

    posted = Run(github, prefix=prefix).post()
    assert (posted, asked(github)) == (shown(github, id_=ours), requests)
    assert hosted(github).stored[ours].body == render_comment(FAILING, run_id=RUN)


@pytest.mark.parametrize(
    ("stored", "viewer", "requests", "expected"),
    [
        (
            [(1, "alice", f"{marker('default')} looks wrong")],
            ME,
            [LIST, CREATE, LIST],
            [(1, "alice", f"{marker('default')} looks wrong"), (NEW, ME, marker("default", RUN))],
        ),
        (
            [(1, BOT, f"> {marker('default')}"), (2, ME, OLD)],
            ME,
            [LIST, *WHO, edit(2)],
            [(1, BOT, f"> {marker('default')}"), (2, ME, marker("default", RUN))],
        ),
        (
            [(5, ME, OLD), (9, ME, f"{OLD} 2")],
            ME,
            [LIST, *WHO, edit(5), "DELETE issues/comments/9"],
            [(5, ME, marker("default", RUN))],
        ),
        ([(3, "ci-user", OLD)], "ci-user", [LIST, "GET user", edit(3)], [(3, "ci-user", marker("default", RUN))]),
        (
            [(4, ME, marker("a"))],
            ME,
            [LIST, CREATE, LIST],
            [(4, ME, marker("a")), (NEW, ME, marker("default", RUN))],
        ),
    ],
    ids=[
        "person_quotes_marker",
        "other_bot_quotes_marker",
        "two_of_mine",
        "custom_token_user",
        "second_instance_other_key",
    ],
)
def test_comment__whose(
    github: FakeGitHub,
    stored: list[tuple[int, str, str]],
    viewer: str,
    requests: list[str],
    expected: list[tuple[int, str, str]],
) -> None:
    """Only comments of our own author with our own id are ours; whatever else quotes the marker stays as it is."""
    github.viewer, github.token_kind = viewer, "installation" if viewer == ME else "user"
    for id_, author, body in stored:
        hosted(github).add_comment(7, id=id_, author=author, body=body)

    posted = Run(github).post()
    assert (posted.posted, posted.notices) == (True, ())
    assert (asked(github), left(github)) == (requests, expected)


def test_comment__deleted_between(github: FakeGitHub) -> None:
    """A comment that is deleted after we saw it is replaced by one new one."""
    id_ = hosted(github).add_comment(7, author=ME, body=OLD)
    github.before("PATCH", COMMENT, lambda: hosted(github).delete_comment(id_))

    assert Run(github).post() == shown(github)
    assert asked(github) == [LIST, *WHO, edit(id_), LIST, CREATE, LIST]


def test_comment__pushed_again(github: FakeGitHub) -> None:
    """Run after run edits the same comment, red turns green, and one that changes nothing sends nothing."""
    posted = [
        Run(github, report=run, run_id=run_id).post()
        for run, run_id in ((FAILING, 1), (FAILING, 2), (PASSING, 3), (PASSING, 3))
    ]
    (comment,) = hosted(github).comments(7)

    assert posted == [shown(github)] * 4
    assert comment.body == render_comment(PASSING, run_id=3)
    again = [LIST, *WHO, edit(comment.id)]
    assert asked(github) == [LIST, CREATE, LIST, *again, *again, LIST, *WHO]


@pytest.mark.parametrize(("theirs", "body"), [(100, RUN), (RUN, RUN), (300, 300)])
def test_comment__second_run_meanwhile(github: FakeGitHub, theirs: int, body: int) -> None:
    """A run that posts between our look and our writing leaves one comment with us, that of the newer run."""
    github.before("POST", COMMENTS, lambda: Run(github, report=PASSING, run_id=theirs).post())
    posted = Run(github).post()
    (comment,) = hosted(github).comments(7)

    late = "A newer run has written its comment on the pull request; this run, which ended later, left it alone."
    assert posted == (shown(github) if body == RUN else Posted(url=None, posted=False, notices=(late,)))
    assert comment.body == render_comment(PASSING if body == 300 else FAILING, run_id=body)


def test_comment__at_once(github: FakeGitHub) -> None:
    """Runs that post at the same time leave one comment."""
    workers = [Worker(target=Run(github, run_id=run_id).post) for run_id in (1, 2, 3, 4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert [line for _, _, line in left(github)] in [[marker("default", run_id)] for run_id in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("answers", "requests", "slept"),
    [
        ([secondary_limit(retry_after=1)], [LIST, CREATE, CREATE, LIST], [1]),
        ([secondary_limit()], [LIST, CREATE, CREATE, LIST], [60]),
        ([primary_limit(reset=NOW + 100)], [LIST, CREATE, CREATE, LIST], [101]),
        ([refused(429, "Slow down", headers={"Retry-After": "3"})], [LIST, CREATE, CREATE, LIST], [3]),
        ([CLOSED_AFTER], [LIST, CREATE, LIST, *WHO], []),
        ([CLOSED_BEFORE], [LIST, CREATE, LIST, CREATE, LIST], []),
        ([bad_gateway()], [LIST, CREATE, LIST, CREATE, LIST], []),
        ([Answer(status=502, body="<html>", carried_out=True)], [LIST, CREATE, LIST, *WHO], []),
        ([Answer(status=201, body="<html>", carried_out=True)], [LIST, CREATE, LIST, *WHO], []),
    ],
    ids=[
        "secondary_then_ok",
        "secondary_without_retry_after",
        "primary_soon",
        "429",
        "post_times_out_but_was_created",
        "post_is_not_heard",
        "502_on_post",
        "502_but_was_created",
        "answer_is_cut",
    ],
)
def test_comment__one_in_the_end(
    github: FakeGitHub, answers: list[Answer | Special], requests: list[str], slept: list[float]
) -> None:
    """Limits are waited out, and a write of which nobody knows is looked for first: there is one comment in the end."""
    github.script("POST", COMMENTS, *answers)
    run = Run(github)

    assert (run.post(), run.slept, asked(github)) == (shown(github), slept, requests)
    assert [line for _, _, line in left(github)] == [marker("default", RUN)]
    assert sum(run.slept) <= WAIT_CAP_S


@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_comment__primary_reset_in_40_minutes(github: FakeGitHub, verb: str) -> None:
    """A limit of 40 minutes is given up at once: a job that sleeps costs more than the comment is worth."""
    github.script(verb, COMMENTS, primary_limit(reset=NOW + 2_400))
    run = Run(github)

    limit = "HTTP 403: API rate limit exceeded for installation ID 1."
    assert run.post() == not_shown(limit, "That lasts longer than a run waits for GitHub; the next run will write it.")
    assert (run.slept, left(github)) == ([], [])


def test_comment__server_in_trouble(github: FakeGitHub) -> None:
    """A list that GitHub cannot give at first is asked for again."""
    github.script("GET", COMMENTS, bad_gateway(), CLOSED_BEFORE)
    run = Run(github)

    assert (run.post(), run.slept) == (shown(github), [1, 2])


@pytest.mark.parametrize("run", [PASSING, FAILING], ids=["gate_passes", "gate_fails"])
def test_comment__read_only(github: FakeGitHub, run: Report) -> None:
    """The token of a fork's run is refused once, and a notice says what it takes."""
    github.read_only = True
    posting = Run(github, report=run)

    assert posting.post() == not_shown("HTTP 403: Resource not accessible by integration", MAY_NOT)
    assert (asked(github), posting.slept, left(github)) == ([LIST, CREATE], [], [])


@pytest.mark.parametrize(
    ("verb", "answer", "message", "remedy", "requests"),
    [
        (
            "GET",
            refused(403, "Resource not accessible by integration"),
            "HTTP 403: Resource not accessible by integration",
            MAY_NOT,
            [LIST],
        ),
        ("POST", refused(404, "Not Found"), "HTTP 404: Not Found", MAY_NOT, [LIST, CREATE]),
        (
            "GET",
            refused(401, "Bad credentials"),
            "HTTP 401: Bad credentials",
            "The token is not valid, or not any more: check the input github-token.",
            [LIST],
        ),
        (
            "POST",
            refused(403, "@all\r\n::error::x\x1b[2J\u202e|`<!-- evalaction v1 id=default -->"),
            "HTTP 403: @all⟨U+000D⟩⏎::error::x⟨U+001B⟩[2J⟨U+202E⟩|`<!-- evalaction v1 id=default -->",
            MAY_NOT,
            [LIST, CREATE],
        ),
    ],
    ids=["list_also_403", "comment_404", "bad_credentials", "hostile_message"],
)
def test_comment__refused(
    github: FakeGitHub, verb: str, answer: Answer, message: str, remedy: str, requests: list[str]
) -> None:
    """Whatever GitHub refuses is asked for once, and becomes one notice in one visible line."""
    github.script(verb, COMMENTS, answer)
    run = Run(github)

    assert (run.post(), run.slept, asked(github)) == (not_shown(message, remedy), [], requests)


def test_comment__no_token_at_all(github: FakeGitHub) -> None:
    """Without a token nothing is sent, and a notice says so."""
    posted = Run(github, token=None).post()

    remedy = "Check the input github-token, GITHUB_API_URL and GITHUB_REPOSITORY."
    assert (posted, asked(github)) == (not_shown("there is no token for GitHub", remedy), [])


def test_comment__locked(github: FakeGitHub) -> None:
    """A locked conversation is a notice of its own."""
    hosted(github).pull(7, locked=True)

    assert Run(github).post() == not_shown(
        "HTTP 403: Unable to create comment because issue is locked.",
        "The conversation is locked, and this token may not write to it all the same.",
    )


def test_comment__deletion_refused(github: FakeGitHub) -> None:
    """A second comment that GitHub does not let us remove is named; the first shows the run."""
    for id_ in (5, 9):
        hosted(github).add_comment(7, id=id_, author=ME, body=OLD)
    github.script("DELETE", COMMENT, refused(403, "Resource not accessible by integration"))
    notice = "A second comment of ours, 9, could not be removed (HTTP 403: Resource not accessible by integration)."

    assert Run(github).post() == shown(github, notice, id_=5)
    assert left(github) == [(5, ME, marker("default", RUN)), (9, ME, "old")]


@pytest.mark.parametrize("limit", [LIMIT, 40_000])
@pytest.mark.parametrize("before", [False, True])
def test_comment__long(github: FakeGitHub, before: bool, limit: int) -> None:
    """A comment keeps GitHub's limit, written or edited; where GitHub takes less, half the text is sent."""
    github.body_limit = limit
    if before:
        hosted(github).add_comment(7, author=ME, body=OLD)

    assert Run(github, report=LONG).post() == shown(github)
    (comment,) = hosted(github).comments(7)
    assert comment.body == render_comment(LONG, limit=LIMIT if limit == LIMIT else LIMIT // 2, run_id=RUN)
    assert 40_000 < len(render_comment(LONG)) <= LIMIT


@pytest.mark.parametrize(("mode", "requests"), [("off", []), ("failures", [LIST]), ("changes", [LIST])])
def test_comment__not_wanted(github: FakeGitHub, mode: str, requests: list[str]) -> None:
    """A run that is not to have a comment looks for one to bring up to date, and writes none."""
    run = Run(github, report=report(), posting=Posting(mode=CommentMode(mode)))

    assert (run.post(), asked(github), left(github)) == (Posted(url=None, posted=False, notices=()), requests, [])
