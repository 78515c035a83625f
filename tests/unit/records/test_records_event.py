"""Where the pages of a job and of its files are."""

from __future__ import annotations

import pytest

from evalaction.records.event import Job

ACME = Job(repository="acme/evals", server_url="https://github.example.test", run_id=41)


@pytest.mark.parametrize(
    ("job", "sha", "expected"),
    [
        (ACME, "0a1b", "https://github.example.test/acme/evals/blob/0a1b"),
        (Job(repository="acme/evals"), "0a1b", "https://github.com/acme/evals/blob/0a1b"),
        (ACME, None, None),
        (Job(repository=""), "0a1b", None),
    ],
)
def test_job__source_url(job: Job, sha: str | None, expected: str | None) -> None:
    """The files of a commit are below one address of the repository's server; a work tree has none."""
    assert job.source_url(sha) == expected


def test_job__run_url() -> None:
    """A run has a page where its id is known."""
    assert [ACME.run_url, Job(repository="acme/evals").run_url] == [
        "https://github.example.test/acme/evals/actions/runs/41",
        None,
    ]
