"""Workflows, run by act on a real engine: one that another repository copied, and the one that checks this project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.act import Ran, run_act
from support.endpoint import ScriptedEndpoint
from support.engine import ROOT
from support.fakehub import FakeGitHub, HostedRepository
from support.payloads import NUMBER, REPOSITORY, of_pull
from support.pulls import PullRequest, checkout, new_pull
from support.story import lines

from evalaction.demo.model import LocalModel
from evalaction.report.comment import render_comment
from evalaction.report.stored.read import read_report

CASES = lines(
    *(
        {"id": name, "prompt_file": f"../prompts/{name}.txt", "expect_keys": ["status"], "max_completion_tokens": 20}
        for name in ("refund", "shipping")
    )
)

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """The fake GitHub, which accepts the job's token."""
    with FakeGitHub() as fake:
        yield fake


@dataclass(kw_only=True)
class Project:
    """A repository that uses the action, at the fake GitHub and as a real one, and the machine that runs its jobs."""

    image: str
    github: FakeGitHub
    folder: Path
    pull: PullRequest
    fork: str | None = None
    """``owner/name`` of the repository that the head stands in; None for this one."""
    jobs: int = 0
    """So far."""

    @property
    def hosted(self) -> HostedRepository:
        """The repository at GitHub."""
        return self.github.repository(REPOSITORY)

    @property
    def checkout(self) -> Path:
        """The workspace of the last job."""
        return self.folder / f"job-{self.jobs}" / "work"

    def run(self, *, variables: Mapping[str, str] | None = None, key: str = "", **environ: str) -> Ran:
        """Run the workflows on a checkout of depth 2 of the merge commit.

        Args:
            variables: the repository's.
            key: the secret of the endpoint.
            environ: more of each job's.
        """
        self.jobs += 1
        pull = self.pull
        checkout(pull, self.checkout, ref=pull.ref, depth=2)
        self.hosted.pull(
            NUMBER,
            head_repository=self.fork or REPOSITORY,
            head_ref=pull.branch,
            head_sha=pull.head,
            base_sha=pull.m1,
        )
        name = "pull_request.opened" if self.jobs == 1 else "pull_request.synchronize"
        return run_act(
            self.checkout,
            image=self.image,
            event=of_pull(name, base_sha=pull.m1, head_sha=pull.head, branch=pull.branch, fork=self.fork),
            home=self.checkout.with_name("act"),
            variables=variables,
            secrets={"GITHUB_TOKEN": self.github.token, "EVAL_API_KEY": key},
            environ={"GITHUB_API_URL": self.github.api_url, "GITHUB_REPOSITORY": REPOSITORY, **environ},
        )


@pytest.fixture
def project(tmp_path: Path, github: FakeGitHub, image: str) -> Project:
    """Another repository, which has copied the recipe for a provider as it stands, with a pull request."""
    pull = new_pull(
        tmp_path / "origin",
        base={
            ".github/workflows/evals.yml": (ROOT / "docs" / "workflows" / "provider.yml").read_text(),
            "evals/support.golden.jsonl": CASES,
            "prompts/refund.txt": "Can order 7 be refunded?\n",
            "prompts/shipping.txt": "Where is order 7?\n",
        },
        heads=[{"prompts/refund.txt": "May order 7 be refunded?\n"}],
        main={"README.md": "Something else happened on main.\n"},
        number=NUMBER,
    )
    return Project(image=image, github=github, folder=tmp_path, pull=pull)


def as_comment(workspace: Path) -> str:
    """Return the report of a run as its comment."""
    report = read_report((workspace / "evalaction-report" / "report.json").read_bytes())
    page = f"https://github.com/{REPOSITORY}"
    source = f"{page}/blob/{report.head.sha}"
    return render_comment(report, report_location=f"{page}/actions/runs/1", run_id=1, source_url=source)


def test_recipe__flips_then_mended(project: Project) -> None:
    """A case that flips fails the job and is in the one comment; a second push that mends it edits that comment."""

    def answers(prompt: str, index: int) -> str:
        return json.dumps({"status": "yes" if index % 2 and "May" in prompt else "no"})

    with ScriptedEndpoint.answering(answers) as endpoint:
        variables = {"EVAL_BASE_URL": endpoint.base_url, "EVAL_MODEL": "m"}
        ran = project.run(variables=variables, key="sk-a-long-key")
        assert ran.jobs == {"evals": "failure"}, ran.log
        assert [request.json["messages"] for request in endpoint.requests] == [
            [{"role": "user", "content": "May order 7 be refunded?"}]
        ] * 5
        assert {request.headers["authorization"] for request in endpoint.requests} == {"Bearer sk-a-long-key"}
        (outputs,) = ran.outputs.values()
        drawn = ("verdict", "exit-code", "cases-total", "cases-selected", "cases-failed", "flip-rate", "calls-made")
        assert [outputs[name] for name in drawn] == ["fail", "1", "2", "1", "1", "0.4", "5"]
        assert ran.summaries["evals"].splitlines()[0] == "### ❌ evalaction: the affected case fails"
        (first,) = project.hosted.comments(NUMBER)
        failed = first.body
        assert (first.author, failed) == ("github-actions[bot]", as_comment(project.checkout))
        assert outputs["comment-posted"] == "true"

        project.pull = project.pull.pushed({"prompts/refund.txt": "Can order 7 be refunded, yes or no?\n"})
        ran = project.run(variables=variables, key="sk-a-long-key")
        assert ran.jobs == {"evals": "success"}, ran.log
        (second,) = project.hosted.comments(NUMBER)
        assert second.id == first.id
        assert second.body != failed
        assert second.body.splitlines()[0] == "### ✅ evalaction: the affected case passes"


@pytest.mark.parametrize("has_variables", [False, True], ids=["no variables", "variables"])
def test_recipe__fork(project: Project, has_variables: bool) -> None:
    """For a fork, whose token only reads, nothing is sent, whether or not it knows where to; what would be drawn is in
    the summary, nobody is told to set what a fork cannot have, and the job ends as not measured.
    """  # noqa: D205 - one sentence
    project.github.read_only = True
    project.fork = "someone/evals"
    with ScriptedEndpoint.answering(lambda _prompt, _index: "{}") as endpoint:
        base_url = endpoint.base_url if has_variables else ""
        ran = project.run(variables={"EVAL_BASE_URL": base_url, "EVAL_MODEL": "m"})
    assert ran.jobs == {"evals": "failure"}, ran.log
    assert endpoint.requests == []
    (outputs,) = ran.outputs.values()
    assert (outputs["verdict"], outputs["exit-code"]) == ("unmeasured", "3")
    assert (outputs.get("cases-selected"), outputs.get("calls-made")) == ("1", "0")
    assert "EVAL_BASE_URL" not in ran.summaries["evals"]
    assert outputs["comment-posted"] == "false"
    assert project.hosted.comments(NUMBER) == []


@pytest.mark.model
def test_self__jobs(tmp_path: Path, github: FakeGitHub, image: str) -> None:
    """The jobs by which this project checks itself come out as they must: one passes, and three fail in three ways."""
    workflow = (ROOT / ".github" / "workflows" / "self.yml").read_text()
    # act has no actions/setup-python, and the model is served by this test: on loopback, which is the host's here.
    workflow = re.sub(r"(?m)^ +- uses: actions/setup-python@.*\n +with:\n +python-version: .*\n", "", workflow)
    workflow = workflow.replace("run: .github/serve", 'run: echo "base-url=$SERVED" >>"$GITHUB_OUTPUT"')
    base = {"action.yml": (ROOT / "action.yml").read_text(), ".github/workflows/self.yml": workflow}
    base |= {file.relative_to(ROOT).as_posix(): file.read_text() for file in (ROOT / ".github/evals").rglob("*.*")}
    pull = new_pull(tmp_path / "origin", base=base, heads=[{"a": "b\n"}], number=NUMBER)
    project = Project(image=image, github=github, folder=tmp_path, pull=pull)
    with LocalModel(log=tmp_path / "model.log") as model:
        ran = project.run(SERVED=model.base_url)
    assert ran.jobs == dict.fromkeys(("passes", "flips", "bad-input", "unreachable"), "success"), ran.log
    (comment,) = project.hosted.comments(NUMBER)
    assert "id=self" in comment.body.splitlines()[-1]
