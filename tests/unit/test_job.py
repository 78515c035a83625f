"""What the runner says of a job: inputs, secrets, servers, the event's file, the workflow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.payloads import payload

from evalaction.errors import BadInput, Problem
from evalaction.inputs import INPUTS
from evalaction.job import commit_of, event_of, given_inputs, job_of, secrets_of, workflow_of
from evalaction.records.event import Event, Job, PullRequest
from evalaction.redact import MIN_SECRET
from evalaction.settings import read_settings

REPOSITORY = "Codertocat/Hello-World"


def test_given_inputs__names() -> None:
    """Inputs are the variables of the runner's prefix, with the hyphens of their names; an empty one is there."""
    environ = {"INPUT_BASE-URL": " http://x ", "INPUT_MODEL": "", "INPUTS": "a", "EVAL_MODEL": "m", "input_x": "b"}
    assert given_inputs(environ) == {"base-url": " http://x ", "model": ""}


@pytest.mark.parametrize("name", ["INPUT_base-url", "INPUT_Base-Url", "INPUT_"])
def test_given_inputs__not_the_runners(name: str) -> None:
    """A variable that is not written as the runner writes them is no input, but an error that names it."""
    given_ = given_inputs({"INPUT_BASE-URL": "http://x", name: "http://y"})
    assert given_ == {"base-url": "http://x", name: "http://y"}
    with pytest.raises(BadInput) as caught:
        read_settings(given_, environ={})
    assert [(problem.path, problem.message) for problem in caught.value.problems] == [(name, "there is no such input.")]


def test_secrets_of__every_place() -> None:
    """A key and a token are secrets wherever they may stand, trimmed, and known before anything is well-formed."""
    keys = ("INPUT_API-KEY", "EVAL_API_KEY", "INPUT_JUDGE-API-KEY", "JUDGE_API_KEY")
    names = (*keys, "INPUT_GITHUB-TOKEN", "GITHUB_TOKEN", "GH_TOKEN")
    assert [item.name for item in INPUTS if item.secret] == ["api-key", "judge-api-key", "github-token"]
    environ = {name: f" {name} of somebody\n" for name in names}
    assert secrets_of({**environ, "INPUT_REPEAT": "not a number"}) == tuple(f"{name} of somebody" for name in names)


@given(st.text(max_size=20))
def test_secrets_of__short(text: str) -> None:
    """A text is a secret when it is long enough not to be a word; what is around it does not count."""
    found = secrets_of({"EVAL_API_KEY": f"\t{text} "})
    assert found == ((text.strip(),) if len(text.strip()) >= MIN_SECRET else ())


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, Job(repository="", token="t")),
        (
            {
                "GITHUB_REPOSITORY": "acme/evals",
                "GITHUB_API_URL": "https://github.example.test/api/v3/",
                "GITHUB_SERVER_URL": "https://github.example.test/",
                "GITHUB_RUN_ID": "41",
            },
            Job(
                repository="acme/evals",
                api_url="https://github.example.test/api/v3",
                server_url="https://github.example.test",
                run_id=41,
                token="t",
            ),
        ),
        (
            {"GITHUB_API_URL": "", "GITHUB_SERVER_URL": ""},
            Job(repository="", api_url="https://api.github.com", server_url="https://github.com", token="t"),
        ),
    ],
    ids=["nothing", "enterprise", "empty"],
)
def test_job_of__servers(environ: dict[str, str], expected: Job) -> None:
    """Where a job runs is as the runner says, on GitHub itself where it says nothing."""
    assert job_of(environ, token="t") == expected


@pytest.mark.parametrize("run_id", ["", "x", "-1", "1.5", " 1", "٣", "1" * 19])
def test_job_of__odd_run(run_id: str) -> None:
    """A run without a number is no run, and has no page."""
    job = job_of({"GITHUB_REPOSITORY": "acme/evals", "GITHUB_RUN_ID": run_id}, token=None)
    assert (job.run_id, job.run_url) == (None, None)


def test_job_of__page() -> None:
    """A run's page is on the server that the job runs on; the token is in no ``repr``."""
    environ = {"GITHUB_REPOSITORY": "acme/evals", "GITHUB_SERVER_URL": "https://github.example.test"}
    job = job_of({**environ, "GITHUB_RUN_ID": "41"}, token="ghs_0123456789")
    assert job.run_url == "https://github.example.test/acme/evals/actions/runs/41"
    assert "ghs_0123456789" not in repr(job)


# The event's file


def of_file(tmp_path: Path, content: bytes, *, name: str = "schedule", named: bool = False) -> Event:
    """Read an event from a file."""
    path = tmp_path / "event.json"
    path.write_bytes(content)
    environ = {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), "GITHUB_REPOSITORY": REPOSITORY}
    return event_of(environ, named=named)


def test_event_of__pull_request(tmp_path: Path) -> None:
    """A pull request is read from the runner's file, whatever stands in its title."""
    whole = payload("pull_request.opened")
    whole["pull_request"]["title"] = "half \ud83d of a pair"
    pull = PullRequest(
        number=2,
        base_sha="f95f852bd8fca8fcc58a9a2d6c842781e32a215e",
        base_ref="master",
        head_sha="ec26c3e57ca3a959ca5aad62de7213c562f8c821",
        from_fork=False,
    )
    assert of_file(tmp_path, json.dumps(whole).encode(), name="pull_request") == Event(name="pull_request", pull=pull)


@pytest.mark.parametrize(
    "content", [b"", b"not JSON", b"\xff\xfe", b"[" * 100_000], ids=["empty", "text", "bytes", "deep"]
)
def test_event_of__unreadable(tmp_path: Path, content: bytes) -> None:
    """A file that is no JSON is one error that names it, for an event of which nothing would be read, too."""
    with pytest.raises(BadInput) as caught:
        of_file(tmp_path, content)
    message = f"The event file {tmp_path / 'event.json'} cannot be read."
    assert caught.value.problems == (Problem(path="GITHUB_EVENT_PATH", message=message),)


@pytest.mark.parametrize("place", ["", "/nowhere/event.json", "/"])
def test_event_of__no_file(place: str) -> None:
    """So is a file that is not there, or is not named."""
    with pytest.raises(BadInput) as caught:
        event_of({"GITHUB_EVENT_NAME": "schedule", "GITHUB_EVENT_PATH": place})
    message = f"The event file {place or '(not set)'} cannot be read."
    assert caught.value.problems == (Problem(path="GITHUB_EVENT_PATH", message=message),)


def test_event_of__named(tmp_path: Path) -> None:
    """An event that nobody knows will do where the workflow says what to compare, and only there."""
    assert of_file(tmp_path, b"{}", name="release", named=True) == Event(name="release")
    with pytest.raises(BadInput, match="It is not known what to compare for the event release"):
        of_file(tmp_path, b"{}", name="release")


# The commit


@pytest.mark.parametrize(("sha", "expected"), [("a" * 40, "a" * 40), ("", None), ("main", None), ("A" * 40, None)])
def test_commit_of__whole_ids(sha: str, expected: str | None) -> None:
    """The commit that a run is for is named by its whole id, or not at all."""
    assert (commit_of({"GITHUB_SHA": sha}), commit_of({})) == (expected, None)


# The workflow


@pytest.mark.parametrize(
    ("ref", "path"),
    [
        ("acme/evals/.github/workflows/evals.yml@refs/pull/7/merge", ".github/workflows/evals.yml"),
        ("acme/evals/.github/workflows/a@b.yaml@refs/heads/x@y.yml", ".github/workflows/a@b.yaml"),
        ("acme/evals/.github/workflows/evals.yml", None),
        ("acme/evals/evals.yml@main", None),
        ("", None),
    ],
)
def test_workflow_of__path(ref: str, path: str | None) -> None:
    """The workflow's file is the part of its ref between repository and revision."""
    assert workflow_of({"GITHUB_WORKFLOW_REF": ref}) == path
    assert workflow_of({}) is None
