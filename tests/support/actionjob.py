"""Jobs of one repository on GitHub: its pull request, checkouts of it, and the Action's door run as a runner runs it.

The door is called in this process, with the variables, files and folder that GitHub's runner gives a step. The
repository, its names and numbers are those of GitHub's own example payloads.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

from support.actions_runner import Command, Log, read_log, read_outputs
from support.endpoint import ScriptedEndpoint
from support.fakehub import FakeGitHub, HostedRepository, Pull, StoredComment
from support.gitrepo import Repo
from support.payloads import NUMBER, REPOSITORY, event_name, fork_gone, of_pull, violations
from support.pulls import PullRequest, checkout, new_pull
from support.story import lines

from evalaction.action import main
from evalaction.forks import desk_commands
from evalaction.inputs import INPUTS
from evalaction.records.report import Report
from evalaction.report.comment import render_comment
from evalaction.report.stored.read import read_report

DESK = desk_commands(NUMBER, "main")
"""How a maintainer draws what was held back."""
FORK = "someone/Hello-World"
SERVER = "https://github.com"
RUN = 101
"""Id of the first run."""
TOKEN = "ghs_0123456789abcdefABCDEF"
CASE = {"id": "a", "prompt": "Hi", "n": 2}
OTHER = {"id": "b", "prompt": "Ho", "n": 2}
BASE = {"golden.jsonl": lines(CASE, OTHER)}
CHANGED = {"golden.jsonl": lines({**CASE, "prompt": "Hey"}, OTHER)}
"""What the pull request makes of it: one case of two is affected, and takes two draws."""
RED = {"golden.jsonl": lines({**CASE, "prompt": "Waver"}, OTHER)}
"""The same, with answers that do not hold."""
URL = f"{SERVER}/{REPOSITORY}/pull/{NUMBER}#issuecomment-1001"
"""Page of the first comment that is written."""
POSTED = {"comment-url": URL, "comment-posted": "true"}
NOT_POSTED = {"comment-url": "", "comment-posted": "false"}
FILES = {"report-json": "evalaction-report/report.json", "report-md": "evalaction-report/report.md"}
PASSED = {
    "verdict": "pass",
    "exit-code": "0",
    "cases-total": "2",
    "cases-selected": "1",
    "cases-failed": "0",
    "flip-rate": "0",
    "judge-flip-rate": "",
    "calls-made": "2",
    **FILES,
}
"""Outputs of a run for ``CHANGED``, but for those of the comment."""
FAILED = {**PASSED, "verdict": "fail", "exit-code": "1", "cases-failed": "1", "flip-rate": "0.5"}
"""Those of a run for ``RED``."""


def steady(prompt: str, index: int) -> str:
    """Return what the endpoint answers: the same to every prompt but one."""
    return "AB"[index % 2] if prompt == "Waver" else "yes"


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What a step leaves behind."""

    code: int
    out: str
    """The log, as it was written."""
    outputs: Mapping[str, str]
    summary: str
    folder: Path
    """The workspace."""
    report_dir: str = "evalaction-report"
    source: str | None = None
    """Address of the repository's files at GitHub, without a commit; None when it is not known."""

    @property
    def log(self) -> Log:
        """The log, as a runner takes it."""
        return read_log(self.out)

    @property
    def annotations(self) -> list[Command]:
        """What the log annotates, in its order."""
        return [command for command in self.log.commands if command.name in {"error", "warning", "notice"}]

    @property
    def said(self) -> list[tuple[str, str]]:
        """Level and text of the annotations that stand at no file."""
        return [(each.name, each.data) for each in self.annotations if "file" not in each.properties]

    @property
    def headline(self) -> str:
        """The first line of the step summary."""
        return self.summary.partition("\n")[0]

    @cached_property
    def document(self) -> Any:
        """``report.json``, parsed; None when there is none."""
        path = self.folder / self.report_dir / "report.json"
        return json.loads(path.read_text()) if path.exists() else None

    @property
    def markdown(self) -> str:
        """``report.md``."""
        return (self.folder / self.report_dir / "report.md").read_text()

    @cached_property
    def report(self) -> Report:
        """What ``report.json`` holds; ``report.md`` shows the same."""
        read = read_report((self.folder / self.report_dir / "report.json").read_bytes())
        assert self.markdown == render_comment(read, report_location="report.json")
        return read

    @property
    def source_url(self) -> str | None:
        """Address of all files at the commit that was measured."""
        sha = self.report.head.sha
        return None if self.source is None or sha is None else f"{self.source}/{sha}"

    def as_comment(self, page: str, run_id: int, *, comment_id: str = "default") -> str:
        """Return the report as it stands in a comment: with the page of the run, and the run in its marker."""
        return render_comment(
            self.report,
            report_location=page,
            comment_id=comment_id,
            run_id=run_id,
            source_url=self.source_url,
            desk=DESK,
        )

    @property
    def as_summary(self) -> str:
        """The report as it stands in the step summary."""
        location = f"{self.report_dir}/report.json"
        return render_comment(
            self.report,
            limit=1_000_000,
            report_location=location,
            comment_id=None,
            source_url=self.source_url,
            desk=DESK,
        )

    @property
    def drawn(self) -> list[tuple[str, list[str]]]:
        """Id and reasons of the affected cases, as the report has them."""
        return [(case["id"], case["reasons"]) for case in self.document["cases"]]

    @property
    def notes(self) -> list[str]:
        """What the report says of how it came about."""
        return list(self.document["manifest"]["notes"])


def _make(path: Path, base: Mapping[str, str], head: Mapping[str, str]) -> PullRequest:
    """Make a repository with a pull request, and write beside it what its commits are."""
    main = {"README.md": "main goes on"}
    pull = new_pull(path, base=base, heads=[head], main=main, number=NUMBER, branch="changes")
    path.with_suffix(".json").write_text(json.dumps([pull.m0, pull.m1, pull.head, pull.merge]))
    return pull


def _kept(path: Path) -> PullRequest | None:
    """Return the pull request of a repository that an earlier test made, to be copied."""
    notes = path.with_suffix(".json")
    if not notes.exists():
        return None
    m0, m1, head, merge = json.loads(notes.read_text())
    return PullRequest(origin=Repo(path), m0=m0, m1=m1, head=head, merge=merge, number=NUMBER, branch="changes")


@dataclass(kw_only=True)
class Project:
    """A repository at GitHub, and the machine on which its jobs run."""

    folder: Path
    github: FakeGitHub
    endpoint: ScriptedEndpoint
    base: Mapping[str, str] = field(default_factory=lambda: dict(BASE))
    """Files of the default branch."""
    head: Mapping[str, str] = field(default_factory=lambda: dict(CHANGED))
    """Those that the pull request changes."""
    prefix: str = ""
    """What stands before the paths of the API: ``/api/v3`` on a GitHub of one's own."""
    server: str = SERVER
    """Where GitHub's pages are."""
    runs: int = 0
    """Jobs so far."""

    def __post_init__(self) -> None:
        """Make the repository and its pull request, here and at GitHub."""
        made = self.folder.parent / f"origin-{crc32(json.dumps([self.base, self.head]).encode())}"
        pull = _kept(made) or _make(made, self.base, self.head)
        shutil.copytree(made, self.folder / "origin")
        self.origin = Repo(self.folder / "origin")
        self._set(replace(pull, origin=self.origin))

    def _set(self, pull: PullRequest) -> None:
        self.pull = pull
        before = self.hosted.pulls.get(NUMBER)
        self.at_github = self.hosted.pull(
            NUMBER,
            head_repository=before.head_repository if before else "",
            head_ref=pull.branch,
            head_sha=pull.head,
            base_sha=pull.m1,
        )

    @property
    def calls(self) -> int:
        """Requests at the endpoint so far."""
        return len(self.endpoint.requests)

    def push(self, files: Mapping[str, str]) -> None:
        """Push to the pull request's branch."""
        self._set(self.pull.pushed(files))

    @property
    def hosted(self) -> HostedRepository:
        """The repository at GitHub."""
        return self.github.repository(REPOSITORY)

    @property
    def comments(self) -> list[StoredComment]:
        """The comments on the pull request, oldest first."""
        return self.hosted.comments(NUMBER)

    @property
    def asked(self) -> list[str]:
        """The requests at GitHub as ``METHOD path``, the repository's own path left out."""
        own = f"/repos/{REPOSITORY}"
        return [f"{each.method} {each.path.removeprefix(own).strip('/')}" for each in self.github.requests]

    @property
    def page(self) -> str:
        """Page of the last job's run."""
        return f"{self.server}/{REPOSITORY}/actions/runs/{self.run_id}"

    @property
    def run_id(self) -> int:
        """Of the last job."""
        return RUN + self.runs - 1

    def fork(self, repository: str | None = FORK) -> Pull:
        """Let the pull request come from a fork, or from one that is gone."""
        self.at_github.head_repository, self.at_github.head_owner = repository, (repository or "someone/").split("/")[0]
        return self.at_github

    def event(self, name: str = "pull_request.opened", *, fork: str | None = "") -> dict[str, Any]:
        """Return the payload of an event of the pull request.

        Args:
            name: of GitHub's example.
            fork: full name of the repository that the head stands in; empty: this one; None: one that is gone.
        """
        pull = self.pull
        whole = of_pull(name, base_sha=pull.m1, head_sha=pull.head, branch=pull.branch, fork=fork or None)
        whole = fork_gone(whole) if fork is None else whole
        assert fork is None or violations(name, whole) == []
        return whole

    def checkout(self, *, ref: str = f"refs/pull/{NUMBER}/merge", depth: int = 2, below: str = "") -> Repo:
        """Check out as a workflow does, into a new workspace or a folder of it."""
        workspace = self.folder / f"work-{self.runs + 1}"
        return checkout(self.pull, workspace / below if below else workspace, ref=ref, depth=depth)

    def run(
        self,
        name: str = "pull_request.opened",
        *,
        event: Any = None,
        checkout: Repo | None = None,
        cwd: Path | None = None,
        given: Mapping[str, str] | None = None,
        **more: str,
    ) -> Ended:
        """Run a job for an event.

        Args:
            name: of the event, and the action after a dot.
            event: its payload; None: that of the pull request.
            checkout: what was checked out; None: the merge commit, as by ``checkout``.
            cwd: the folder that the Action is started in; None: the workspace, as by a runner.
            given: inputs of the Action with underscores, in lower case; variables of the environment in upper case.
            more: the same.
        """
        whole = self.event(name) if event is None else event
        repo = self.checkout() if checkout is None else checkout
        self.runs += 1
        place = self.folder / f"step-{self.runs}"
        place.mkdir()
        (place / "event.json").write_text(whole if isinstance(whole, str) else json.dumps(whole))
        environ = self._environ(place, repo, event_name(name), {**(given or {}), **more})
        workspace = Path(environ["GITHUB_WORKSPACE"])
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.chdir(cwd or workspace):
            code = main(environ)
        outputs, summary = (place / each for each in ("output", "summary"))
        return Ended(
            code=code,
            out=out.getvalue(),
            outputs=dict(read_outputs(outputs.read_text())) if outputs.exists() else {},
            summary=summary.read_text() if summary.exists() else "",
            folder=workspace,
            report_dir=environ["INPUT_REPORT-DIR"] or "evalaction-report",
            source=f"{self.server}/{repository}/blob" if (repository := environ["GITHUB_REPOSITORY"]) else None,
        )

    def _environ(self, place: Path, repo: Repo, event: str, more: Mapping[str, str]) -> dict[str, str]:
        """Return what a runner sets: every input is there, an absent one as an empty text."""
        given = {"base-url": self.endpoint.base_url, "model": "m", "github-token": TOKEN}
        given |= {name.replace("_", "-"): text for name, text in more.items() if name.islower()}
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(place),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.github.api_url + self.prefix,
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": str(place / "event.json"),
            "GITHUB_OUTPUT": str(place / "output"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(self.run_id),
            "GITHUB_SERVER_URL": self.server,
            "GITHUB_STEP_SUMMARY": str(place / "summary"),
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/evals.yml@refs/pull/{NUMBER}/merge",
            "GITHUB_WORKSPACE": str(repo.path),
            **{f"INPUT_{each.name.upper()}": given.get(each.name, "") for each in INPUTS},
            **{name: text for name, text in more.items() if not name.islower()},
        }


@contextlib.contextmanager
def new_project(folder: Path, *, answers: Callable[[str, int], str] = steady, **more: Any) -> Iterator[Project]:
    """Make a repository with a pull request, a GitHub and an endpoint.

    Args:
        folder: empty.
        answers: of the endpoint, by prompt and number of the draw from 0.
        more: fields of the project.
    """
    with FakeGitHub(token=TOKEN) as github, ScriptedEndpoint.answering(answers) as endpoint:
        yield Project(folder=folder, github=github, endpoint=endpoint, **more)
