"""The one comment, through PyGithub, at a GitHub that keeps what is written: what is asked, and what is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Thread as Worker

import pytest
from support.fakehub import (
    CLOSED_AFTER,
    CLOSED_BEFORE,
    NOW,
    Answer,
    FakeGitHub,
    Special,
    StoredComment,
    bad_gateway,
    primary_limit,
    refused,
    secondary_limit,
)
from support.reports import case_result, report, with_id

from evalaction.hub import open_hub
from evalaction.publish.comment import Posted, post_comment
from evalaction.records.event import Job
from evalaction.records.report import Report
from evalaction.records.settings import Posting
from evalaction.report.comment import LIMIT, marker, render_comment

ME, RUN = "github-actions[bot]", 200
FAILING = report(case_result("a", "A B", agreement_min=1))
LONG = report(
    *(
        with_id(
            case_result("f", "A B", agreement_min=1, answers={"A": {"x": "a" * 900}, "B": {"x": "b" * 900}}), str(index)
        )
        for index in range(90)
    )
)
REPO = "/repos/acme/evals"
COMMENTS = f"{REPO}/issues/7/comments"
LIST, CREATE, WHO = f"GET {COMMENTS} per_page=100", f"POST {COMMENTS}", ["GET /user", "POST /graphql"]
OLD = f"### ⚪ evalaction: old\n\n{marker('default')}"
MAY_NOT = (
    "The job needs the permission pull-requests: write. For a pull request from a fork or from Dependabot its token "
    "can only read, whatever the workflow says."
)


@dataclass
class Run:
    """A run that posts."""

    github: FakeGitHub
    report: Report = FAILING
    run_id: int = RUN
    prefix: str = ""
    slept: list[float] = field(default_factory=list)

    def post(self) -> Posted:
        """Post the comment; waiting takes no time."""
        job = Job(repository="acme/evals", api_url=self.github.api_url + self.prefix, token=self.github.token)
        hub = open_hub(job, sleep=self.slept.append, now=lambda: NOW + sum(self.slept))
        return post_comment(self.report, hub.thread(7), posting=Posting(), location=None, run_id=self.run_id)


def comments(github: FakeGitHub) -> list[StoredComment]:
    """Return the comments on the pull request."""
    return github.repository("acme/evals").comments(7)


def shown(github: FakeGitHub, *, of: int = 0) -> Posted:
    """Return what is said of one of the comments: of the first, where it does not matter."""
    comment = comments(github)[of]
    return Posted(url=f"https://github.com/acme/evals/pull/7#issuecomment-{comment.id}", posted=True, notices=())


def not_shown(message: str, remedy: str) -> Posted:
    return Posted(url=None, posted=False, notices=(f"The comment could not be written ({message}). {remedy}",))


@pytest.mark.parametrize(("total", "ours", "pages"), [(35, 33, 1), (150, 130, 2), (250, 250, 3)])
@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_comment__any_page(github: FakeGitHub, prefix: str, total: int, ours: int, pages: int) -> None:
    """Ours is found on whatever page it stands, on GitHub and on a GitHub of one's own: one edit, and no new one."""
    repo = github.repository("acme/evals")
    for id_ in range(1, total + 1):
        repo.add_comment(7, id=id_, author=ME if id_ == ours else "someone", body=OLD if id_ == ours else "hm")

    assert Run(github, prefix=prefix).post() == shown(github, of=ours - 1)
    more = [f"GET {COMMENTS} page={page} per_page=100" for page in range(2, pages + 1)]
    assert github.asked == [LIST, *more, *WHO, f"PATCH {REPO}/issues/comments/{ours}"]
    assert repo.stored[ours].body == render_comment(FAILING, run_id=RUN)


def test_comment__at_once(github: FakeGitHub) -> None:
    """Runs that post at the same time leave one comment."""
    workers = [Worker(target=Run(github, run_id=run_id).post) for run_id in (1, 2, 3, 4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    (comment,) = comments(github)
    assert comment.body in [render_comment(FAILING, run_id=run_id) for run_id in (1, 2, 3, 4)]


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

    assert (run.post(), run.slept, github.asked) == (shown(github), slept, requests)
    assert [comment.body for comment in comments(github)] == [render_comment(FAILING, run_id=RUN)]


@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_comment__primary_reset_in_40_minutes(github: FakeGitHub, verb: str) -> None:
    """A limit of 40 minutes is given up at once: a job that sleeps costs more than the comment is worth."""
    github.script(verb, COMMENTS, primary_limit(reset=NOW + 2_400))
    run = Run(github)

    limit = "HTTP 403: API rate limit exceeded for installation ID 1."
    assert run.post() == not_shown(limit, "That lasts longer than a run waits for GitHub; the next run will write it.")
    assert (run.slept, comments(github)) == ([], [])


def test_comment__read_only(github: FakeGitHub) -> None:
    """The token of a fork's run is refused once, and a notice says what it takes."""
    github.read_only = True
    run = Run(github)

    assert run.post() == not_shown("HTTP 403: Resource not accessible by integration", MAY_NOT)
    assert (github.asked, run.slept, comments(github)) == ([LIST, CREATE], [], [])


def test_comment__locked(github: FakeGitHub) -> None:
    """A locked conversation is a notice of its own."""
    github.repository("acme/evals").pull(7, locked=True)

    assert Run(github).post() == not_shown(
        "HTTP 403: Unable to create comment because issue is locked.",
        "The conversation is locked, and this token may not write to it all the same.",
    )


@pytest.mark.parametrize("limit", [LIMIT, 40_000])
@pytest.mark.parametrize("before", [False, True])
def test_comment__long(github: FakeGitHub, before: bool, limit: int) -> None:
    """A comment keeps GitHub's limit, written or edited; where GitHub takes less, half the text is sent."""
    github.body_limit = limit
    if before:
        github.repository("acme/evals").add_comment(7, author=ME, body=OLD)

    assert Run(github, report=LONG).post() == shown(github)
    (comment,) = comments(github)
    assert comment.body == render_comment(LONG, limit=LIMIT if limit == LIMIT else LIMIT // 2, run_id=RUN)
    assert 40_000 < len(render_comment(LONG)) <= LIMIT
