"""The second stage: which pull request gets a report, and what of it is believed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from support import reports
from support.reports import case_result

from evalaction.errors import BadInput
from evalaction.publish.comment import Posted, Render
from evalaction.records.event import Job, Origin
from evalaction.records.hub import Comment, HubFailure, Refusal, Thread
from evalaction.records.report import Report
from evalaction.records.settings import CommentMode, Posting
from evalaction.relay import Relayed, relay
from evalaction.report.comment import render_comment
from evalaction.report.document import report_document
from evalaction.report.read import MAX_BYTES
from evalaction.report.writer import json_text

SHA = "1" * 40
JOB = Job(repository="acme/evals", server_url="https://github.example.test", run_id=99)
PAGE = "https://github.example.test/acme/evals/actions/runs/41"
FORK = Origin(run_id=41, event="pull_request", head_sha=SHA, head_branch="patch-1", head_repository="someone/evals")
OWN = replace(FORK, head_repository="acme/evals")
POSTING = Posting(mode=CommentMode.CHANGES, comment_id="x")
PASSING = reports.report(case_result("a", "A A"))


@dataclass
class Pulls:
    """Open pull requests, and what was asked for."""

    found: Sequence[int] = (7,)
    failure: HubFailure | None = None
    asked: list[dict[str, str]] = field(default_factory=list)

    def numbers(self, *, head_repository: str, head_branch: str, head_sha: str) -> Sequence[int]:
        """Note what is asked for, and answer or fail."""
        self.asked.append({"repository": head_repository, "branch": head_branch, "sha": head_sha})
        if self.failure is not None:
            raise self.failure
        return self.found


@dataclass(frozen=True)
class Untouched:
    """A thread of which only the number is looked at."""

    number: int

    def author(self) -> str:
        """Nobody asks."""
        raise AssertionError

    def comments(self) -> Sequence[Comment]:
        """Nobody asks."""
        raise AssertionError

    def create(self, body: str) -> Comment:
        """Nobody writes."""
        raise AssertionError(body)

    def edit(self, comment_id: int, body: str) -> Comment | None:
        """Nobody writes."""
        raise AssertionError(comment_id, body)

    def delete(self, comment_id: int) -> None:
        """Nobody deletes."""
        raise AssertionError(comment_id)


@dataclass
class Poster:
    """Keeps what is posted: (number, text, location, run id)."""

    outcomes: Sequence[Posted] = (Posted(url="https://github.example.test/c/1", posted=True, notices=()),)
    posted: list[tuple[int, str, str | None, int | None]] = field(default_factory=list)

    def __call__(
        self,
        report: Report,
        thread: Thread,
        *,
        posting: Posting,
        location: str | None,
        run_id: int | None,
        render: Render,
    ) -> Posted:
        """Render, and keep the text."""
        assert isinstance(thread, Untouched)
        assert posting is POSTING
        text = render(report, limit=65_536, report_location=location, comment_id=posting.comment_id, run_id=run_id)
        self.posted.append((thread.number, text, location, run_id))
        return self.outcomes[(len(self.posted) - 1) % len(self.outcomes)]


def stored(folder: Path, run: Report = PASSING) -> Path:
    path = folder / "report.json"
    path.write_text(json_text(report_document(run)))
    return path


def relayed(
    path: Path, *, origin: Origin = FORK, pulls: Pulls | None = None, show: bool = True
) -> tuple[Relayed, Poster]:
    poster = Poster()
    done = relay(
        path,
        origin=origin,
        job=JOB,
        pulls=pulls or Pulls(),
        thread_of=Untouched,
        posting=POSTING,
        show_completions=show,
        post=poster,
    )
    return done, poster


def test_relay__fork(tmp_path: Path) -> None:
    """A fork's report is posted where GitHub finds its head, as the fork's own, under the id of the fork's run."""
    pulls = Pulls()
    done, poster = relayed(stored(tmp_path), pulls=pulls)

    text = render_comment(PASSING, report_location=PAGE, comment_id="x", run_id=41, relayed_from=PAGE)
    assert poster.posted == [(7, text, PAGE, 41)]
    assert pulls.asked == [{"repository": "someone/evals", "branch": "patch-1", "sha": SHA}]
    assert done == Relayed(
        lines=("The comment on pull request 7 shows the report: https://github.example.test/c/1.",),
        posted=True,
        url="https://github.example.test/c/1",
        code=0,
    )


@pytest.mark.parametrize("name", ["acme/evals", "Acme/Evals"])
def test_relay__own(tmp_path: Path, name: str) -> None:
    """The report of a run of this repository is posted as usual, however its name is written."""
    _, poster = relayed(stored(tmp_path), origin=replace(OWN, head_repository=name))

    assert poster.posted == [(7, render_comment(PASSING, report_location=PAGE, comment_id="x", run_id=41), PAGE, 41)]


def test_relay__several(tmp_path: Path) -> None:
    """A head that is to be merged into several branches gets a comment on each pull request; notices are told."""
    poster = Poster(
        outcomes=(
            Posted(url=None, posted=False, notices=("GitHub said no.",)),
            Posted(url="u", posted=True, notices=()),
        )
    )
    done = relay(
        stored(tmp_path),
        origin=FORK,
        job=JOB,
        pulls=Pulls(found=(7, 9)),
        thread_of=Untouched,
        posting=POSTING,
        post=poster,
    )

    assert [number for number, *_ in poster.posted] == [7, 9]
    assert done == Relayed(
        lines=(
            "The comment on pull request 7 was left as it is.",
            "GitHub said no.",
            "The comment on pull request 9 shows the report: u.",
        ),
        posted=True,
        url="u",
        code=0,
    )


@pytest.mark.parametrize(
    ("origin", "pulls", "line"),
    [
        (
            FORK,
            Pulls(found=()),
            "No open pull request has patch-1 of someone/evals at 111111111111: it was closed, or has moved on since.",
        ),
        (
            replace(FORK, event="push"),
            Pulls(),
            "The run before was started by push, which is for no pull request.",
        ),
        (
            replace(FORK, head_repository=None),
            Pulls(),
            "The branch that the run before was for is gone, and its pull request cannot be found.",
        ),
        (
            replace(FORK, head_branch=""),
            Pulls(),
            "The branch that the run before was for is gone, and its pull request cannot be found.",
        ),
        (
            FORK,
            Pulls(failure=HubFailure(Refusal.LIMITED, "slow down")),
            "The open pull requests cannot be listed: slow down.",
        ),
    ],
    ids=["none", "push", "gone", "unnamed", "limited"],
)
def test_relay__nothing(tmp_path: Path, origin: Origin, pulls: Pulls, line: str) -> None:
    """Where no pull request is to be found nothing is posted, and that is a notice and no failure."""
    done, poster = relayed(stored(tmp_path), origin=origin, pulls=pulls)

    assert poster.posted == []
    assert done == Relayed(lines=(f"Nothing was posted. {line}",), posted=False, url=None, code=0)


@pytest.mark.parametrize(("theirs", "ours"), [(True, False), (False, True), (False, False)])
def test_relay__completions(tmp_path: Path, theirs: bool, ours: bool) -> None:
    """Model text is shown only where the first run and the second stage both allow it."""
    run = reports.report(
        case_result("a", "A B", agreement_min=1, raw={"B": "a model said this"}), show_completions=theirs
    )
    _, poster = relayed(stored(tmp_path, run), show=ours)
    assert "a model said this" not in poster.posted[0][1]

    _, poster = relayed(stored(tmp_path, replace(run, show_completions=True)))
    assert "a model said this" in poster.posted[0][1]


def refusal(path: Path) -> str:
    """Return why a file is refused, without the folder of the test."""
    pulls = Pulls()
    with pytest.raises(BadInput) as refused:
        relayed(path, pulls=pulls)
    assert pulls.asked == []
    return str(refused.value).replace(f"{path.parent}/", "")


REMEDY = "Download the artifact of the run before, and name the report.json in it."


def test_relay__no_file(tmp_path: Path) -> None:
    """Only a regular file is read: no link, no folder, no pipe, nothing larger than a report can be."""
    secret = tmp_path / "secret"
    secret.write_text("x")
    (tmp_path / "link.json").symlink_to(secret)
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    names = ("none", "link", "pipe", "folder", "large")

    assert [refusal(tmp_path / f"{name}.json") for name in names] == [
        f"none.json: The report cannot be read (No such file or directory). {REMEDY}",
        f"link.json: The report is a symbolic link (Too many levels of symbolic links). {REMEDY}",
        f"pipe.json: The report is no regular file. {REMEDY}",
        f"folder.json: The report is no regular file. {REMEDY}",
        f"large.json: The report has more than 67,108,864 bytes. {REMEDY}",
    ]


def test_relay__no_report(tmp_path: Path) -> None:
    """A file that is no report is refused before GitHub is asked for anything."""
    (tmp_path / "report.json").write_text('{"schema_version": 1}')

    assert refusal(tmp_path / "report.json") == (
        "report.json: The report cannot be used: it has not the published form at $. Give the report.json of a run of "
        "this version, as it was written."
    )
