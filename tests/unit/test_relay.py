"""The second stage: which pull request gets a report, and what of it is believed."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from support import reports
from support.reports import case_result

from evalaction.forks import desk_commands
from evalaction.records.event import Job, Origin
from evalaction.records.gate import Verdict
from evalaction.records.hub import Comment, HubFailure, OpenPull, Refusal
from evalaction.records.report import Report
from evalaction.records.settings import CommentMode, Posting
from evalaction.relay import Relayed, relay
from evalaction.report.comment import DoesNotFit, render_comment
from evalaction.report.document import report_document
from evalaction.report.ending import render_no_report
from evalaction.report.stored.read import MAX_BYTES
from evalaction.report.writer import json_text

SHA = "1" * 40
JOB = Job(repository="acme/evals", server_url="https://github.example.test", run_id=99)
PAGE = "https://github.example.test/acme/evals/actions/runs/41"
FORK = Origin(run_id=41, event="pull_request", head_sha=SHA, head_branch="patch-1", head_repository="someone/evals")
OWN = replace(FORK, head_repository="acme/evals")
POSTING = Posting(mode=CommentMode.CHANGES, comment_id="x")
PASSING = reports.report(case_result("a", "A A"))


ME = "github-actions[bot]"
URL = "https://github.example.test/c/1"


@dataclass
class Remarks:
    """The comments of one pull request, in memory, and what is refused."""

    stored: list[Comment] = field(default_factory=list)
    failure: HubFailure | None = None

    def author(self) -> str:
        """Return who writes."""
        return ME

    def comments(self) -> Sequence[Comment]:
        """Return them, or fail."""
        if self.failure is not None:
            raise self.failure
        return [*self.stored]

    def create(self, body: str) -> Comment:
        """Store one."""
        made = Comment(id=1, author=ME, body=body, url=URL)
        self.stored.append(made)
        return made

    def edit(self, comment_id: int, body: str) -> Comment | None:
        """Change one."""
        self.stored = [replace(each, body=body) if each.id == comment_id else each for each in self.stored]
        return next(each for each in self.stored if each.id == comment_id)

    def delete(self, comment_id: int) -> None:
        """Nobody deletes."""
        raise AssertionError(comment_id)


@dataclass
class Pulls:
    """Open pull requests with their comments, and what was asked for."""

    found: Sequence[int] = (7,)
    failure: HubFailure | None = None
    asked: list[dict[str, str]] = field(default_factory=list)
    threads: dict[int, Remarks] = field(default_factory=dict)

    def pulls(self, *, head_repository: str, head_branch: str, head_sha: str) -> Sequence[OpenPull]:
        """Note what is asked for, and answer or fail."""
        self.asked.append({"repository": head_repository, "branch": head_branch, "sha": head_sha})
        if self.failure is not None:
            raise self.failure
        return [OpenPull(number=number, base_ref="main") for number in self.found]

    def thread(self, number: int) -> Remarks:
        """Return the comments of a pull request."""
        return self.threads.setdefault(number, Remarks())

    @property
    def bodies(self) -> dict[int, list[str]]:
        """What stands on each pull request that was looked at."""
        return {number: [comment.body for comment in thread.stored] for number, thread in self.threads.items()}


DESK = desk_commands(7, "main")


def stored(folder: Path, run: Report = PASSING) -> Path:
    path = folder / "report.json"
    path.write_text(json_text(report_document(run)))
    return path


def relayed(
    path: Path, *, origin: Origin = FORK, pulls: Pulls | None = None, show: bool = True, posting: Posting = POSTING
) -> tuple[Relayed, Pulls]:
    pulls = pulls or Pulls()
    return relay(path, origin=origin, job=JOB, pulls=pulls, posting=posting, show_completions=show), pulls


def test_relay__fork(tmp_path: Path) -> None:
    """A fork's report is posted where GitHub finds its head, as the fork's own, under the id of the fork's run."""
    done, pulls = relayed(stored(tmp_path))

    text = render_comment(PASSING, report_location=PAGE, comment_id="x", run_id=41, relayed_from=PAGE, desk=DESK)
    assert pulls.bodies == {7: [text]}
    assert pulls.asked == [{"repository": "someone/evals", "branch": "patch-1", "sha": SHA}]
    assert done == Relayed(
        lines=(f"The comment on pull request 7 shows the report: {URL}.",),
        posted=True,
        url=URL,
        verdict=Verdict.PASS,
    )


@pytest.mark.parametrize("name", ["acme/evals", "Acme/Evals"])
def test_relay__own(tmp_path: Path, name: str) -> None:
    """The report of a run of this repository is posted as usual, however its name is written, with its links."""
    _, pulls = relayed(stored(tmp_path), origin=replace(OWN, head_repository=name))

    source = f"https://github.example.test/acme/evals/blob/{PASSING.head.sha}"
    text = render_comment(PASSING, report_location=PAGE, comment_id="x", run_id=41, source_url=source)
    assert pulls.bodies == {7: [text]}


def test_relay__several(tmp_path: Path) -> None:
    """A head that is to be merged into several branches gets a comment on each pull request; notices are told."""
    refusal = HubFailure(Refusal.FORBIDDEN, "HTTP 401: Bad credentials", status=401)
    pulls = Pulls(found=(7, 9), threads={7: Remarks(failure=refusal)})
    done, _ = relayed(stored(tmp_path), pulls=pulls)

    assert {number: len(bodies) for number, bodies in pulls.bodies.items()} == {7: 0, 9: 1}
    assert done == Relayed(
        lines=(
            "The comment on pull request 7 was left as it is.",
            f"The comment on pull request 9 shows the report: {URL}.",
        ),
        notices=(
            "The comment could not be written (HTTP 401: Bad credentials). The token is not valid, or not any more: "
            "check the input github-token.",
        ),
        posted=True,
        url=URL,
        verdict=Verdict.PASS,
    )


NOTHING: list[tuple[Origin, Pulls, str, Verdict]] = [
    (
        FORK,
        Pulls(found=()),
        "No open pull request has patch-1 of someone/evals at 111111111111: it was closed, or has moved on since.",
        Verdict.PASS,
    ),
    (
        replace(FORK, event="push"),
        Pulls(),
        "The run before was started by push, which is for no pull request.",
        Verdict.UNMEASURED,
    ),
    *(
        (
            replace(FORK, **gone),
            Pulls(),
            "The branch that the run before was for is gone, and its pull request cannot be found.",
            Verdict.UNMEASURED,
        )
        for gone in ({"head_repository": None}, {"head_branch": ""})
    ),
    (
        FORK,
        Pulls(failure=HubFailure(Refusal.LIMITED, "slow down")),
        "The open pull requests cannot be listed: slow down.",
        Verdict.PASS,
    ),
]
"""Run, what GitHub lists → why nothing is posted, and the verdict of what was read."""


@pytest.mark.parametrize(
    ("origin", "pulls", "line", "verdict"), NOTHING, ids=["none", "push", "gone", "unnamed", "limited"]
)
def test_relay__nothing(tmp_path: Path, origin: Origin, pulls: Pulls, line: str, verdict: Verdict) -> None:
    """Where no pull request is to be found nothing is posted, and that is a notice and no failure."""
    done, _ = relayed(stored(tmp_path), origin=origin, pulls=pulls)

    assert pulls.bodies == {}
    assert done == Relayed(lines=(f"Nothing was posted. {line}",), verdict=verdict)


@pytest.mark.parametrize(("theirs", "ours"), [(True, False), (False, True), (False, False)])
def test_relay__completions(tmp_path: Path, theirs: bool, ours: bool) -> None:
    """Model text is shown only where the first run and the second stage both allow it."""
    run = reports.report(
        case_result("a", "A B", agreement_min=1, raw={"B": "a model said this"}), show_completions=theirs
    )
    _, pulls = relayed(stored(tmp_path, run), show=ours)
    assert "a model said this" not in pulls.bodies[7][0]

    _, pulls = relayed(stored(tmp_path, replace(run, show_completions=True)))
    assert "a model said this" in pulls.bodies[7][0]


# Where there is no report, or none that can be used


def unusable(path: Path, *, origin: Origin = FORK) -> str:
    """Return why a file cannot be used, without the folder of the test; the comment says that it cannot."""
    done, pulls = relayed(path, origin=origin)
    assert done.unusable is not None
    no_report = render_no_report(
        run_url=PAGE, fork=origin is FORK, missing=False, why_url=JOB.run_url, comment_id="x", run_id=41
    )
    assert pulls.bodies == {7: [no_report]}
    assert done == Relayed(
        lines=(f"The comment on pull request 7 shows that none can be used: {URL}.",),
        posted=True,
        url=URL,
        unusable=done.unusable,
    )
    return str(done.unusable).replace(f"{path.parent}/", "")


REMEDY = "Download the artifact of the run before, and name the report.json in it."
GIVE = "Give the report.json of a run of this version, as it was written."


def test_relay__no_file(tmp_path: Path) -> None:
    """Only a regular file is read: no link, no folder, no pipe, nothing larger than a report can be."""
    secret = tmp_path / "secret"
    secret.write_text("x")
    (tmp_path / "link.json").symlink_to(secret)
    (tmp_path / "nowhere.json").symlink_to(tmp_path / "none")
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    names = ("link", "nowhere", "pipe", "folder", "large")

    assert [unusable(tmp_path / f"{name}.json") for name in names] == [
        f"link.json: The report is a symbolic link (Too many levels of symbolic links). {REMEDY}",
        f"nowhere.json: The report is a symbolic link (Too many levels of symbolic links). {REMEDY}",
        f"pipe.json: The report is no regular file. {REMEDY}",
        f"folder.json: The report is no regular file. {REMEDY}",
        f"large.json: The report has more than 67,108,864 bytes. {REMEDY}",
    ]


@pytest.mark.parametrize("origin", [FORK, OWN], ids=["fork", "own"])
def test_relay__no_report(tmp_path: Path, origin: Origin) -> None:
    """A file that is no report is refused in words, and the comment says so in words of our own alone."""
    (tmp_path / "report.json").write_text('{"schema_version": 1, "<b>@octo-user</b>": 2}')

    said = "report.json: The report cannot be used: it has not the published form at $."
    assert unusable(tmp_path / "report.json", origin=origin) == f"{said} {GIVE}"


def test_relay__does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report that fits into no comment, however it is shortened, is one that cannot be used: never a fault."""

    def render(*_: object, **__: object) -> str:
        raise DoesNotFit

    monkeypatch.setattr("evalaction.relay.render_comment", render)
    said = "report.json: The report cannot be used: it does not fit into a comment."
    for origin in (FORK, OWN):
        assert unusable(stored(tmp_path), origin=origin) == f"{said} {GIVE}"


@pytest.mark.parametrize("where", ["cases", "decks"])
def test_relay__reasons_without_end(tmp_path: Path, where: str) -> None:
    """Reasons are few, and each stands there once: no list of them swells a comment beyond every limit."""
    run = reports.report(case_result("a", "A A"), decks=(reports.deck("d"),))
    document = json.loads(json_text(report_document(run)))
    document[where][0]["reasons"] *= 20_000
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document))

    said = f"report.json: The report cannot be used: it has not the published form at $.{where}[0].reasons."
    assert unusable(path) == f"{said} {GIVE}"


def test_relay__unusable_and_nowhere_to_say_so(tmp_path: Path) -> None:
    """Where no pull request is left, a report that cannot be used is refused all the same."""
    (tmp_path / "report.json").write_text("[]")
    done, pulls = relayed(tmp_path / "report.json", pulls=Pulls(found=()))

    line = "No open pull request has patch-1 of someone/evals at 111111111111: it was closed, or has moved on since."
    assert (done.lines, done.posted, pulls.bodies) == ((f"Nothing was posted. {line}",), False, {})
    assert done.unusable is not None


OLD = "### ✅ evalaction, reported by the fork's own run: all well\n\n<!-- evalaction v1 id=x run=40 -->\n"


@pytest.mark.parametrize("fork", [True, False])
@pytest.mark.parametrize("mode", [CommentMode.ALWAYS, CommentMode.FAILURES])
def test_relay__missing(tmp_path: Path, fork: bool, mode: CommentMode) -> None:
    """A run that left no report takes the comment of an earlier one back, and writes no first one."""
    posting = replace(POSTING, mode=mode)
    pulls = Pulls(found=(7, 9), threads={7: Remarks([Comment(id=3, author=ME, body=OLD, url="u")])})
    done, _ = relayed(tmp_path / "report.json", pulls=pulls, origin=FORK if fork else OWN, posting=posting)

    text = render_no_report(run_url=PAGE, fork=fork, missing=True, why_url=JOB.run_url, comment_id="x", run_id=41)
    assert pulls.bodies == {7: [text], 9: []}
    assert done == Relayed(
        lines=(
            f"There is no {tmp_path / 'report.json'}: the run before left no report.",
            "The comment on pull request 7 shows that there is none: u.",
            "Pull request 9 has no comment, and none was written.",
        ),
        posted=True,
        url="u",
        missing=True,
    )


def test_relay__named_from_the_workspace(tmp_path: Path) -> None:
    """The report is named from the workspace, in whatever folder of a runner that lies."""
    folder = tmp_path / "evalaction-report"
    folder.mkdir()
    path, pulls = folder / "report.json", Pulls()
    missing = relay(path, origin=FORK, job=JOB, pulls=pulls, posting=POSTING, within=tmp_path)
    path.mkdir()
    unusable = relay(path, origin=FORK, job=JOB, pulls=pulls, posting=POSTING, within=tmp_path).unusable

    assert missing.lines[0] == "There is no evalaction-report/report.json: the run before left no report."
    assert unusable is not None
    assert str(unusable).startswith("evalaction-report/report.json: The report is no regular file.")


def test_relay__off(tmp_path: Path) -> None:
    """Switched off, neither a report nor that there is none touches a comment."""
    posting = replace(POSTING, mode=CommentMode.OFF)
    for path in (stored(tmp_path), tmp_path / "none"):
        done, pulls = relayed(path, posting=posting)
        assert (done.posted, pulls.bodies) == (False, {7: []})
