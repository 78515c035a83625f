"""Workflows, run by act on a real engine: one that another repository copied, and the one that checks this project."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.act import ROOT, Ran, build_action, run_act
from support.endpoint import ScriptedEndpoint
from support.fakehub import FakeGitHub, HostedRepository
from support.gitrepo import Repo, new_repo

from evalaction.demo.model import LocalModel

NAME = "acme/evals"
NUMBER = 7
CASES = "".join(
    json.dumps(
        {"id": name, "prompt_file": f"../prompts/{name}.txt", "expect_keys": ["status"], "max_completion_tokens": 20}
    )
    + "\n"
    for name in ("refund", "shipping")
)

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", autouse=True)
def _image() -> None:
    build_action()


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """The fake GitHub, which accepts the job's token."""
    with FakeGitHub() as fake:
        yield fake


@dataclass
class PullRequest:
    """A pull request of a repository that uses the action, at the fake GitHub and as a real repository."""

    folder: Path
    origin: Repo
    hosted: HostedRepository
    fork: str | None = None
    """``owner/name`` of the repository that the head stands in; None for this one."""
    pushes: int = 0

    def push(self, files: Mapping[str, str]) -> tuple[Path, dict[str, Any]]:
        """Change files on its branch; return the checkout of depth 2 of its merge commit, and the event."""
        self.pushes += 1
        self.origin.git("switch", "--quiet", *(["--create"] if self.pushes == 1 else []), "change")
        head = self.origin.commit(files)
        self.origin.git("switch", "--quiet", "--detach", "main")
        self.origin.git("merge", "--quiet", "--no-ff", "--message", "Merge", "change")
        self.origin.git("update-ref", f"refs/pull/{NUMBER}/merge", "HEAD")
        checkout = new_repo(self.folder / f"push-{self.pushes}" / "evals")
        checkout.git("remote", "add", "origin", self.origin.url)
        checkout.git("fetch", "--quiet", "--depth=2", "origin", f"+refs/pull/{NUMBER}/merge:refs/remotes/merge")
        checkout.git("checkout", "--quiet", "refs/remotes/merge")
        base = self.origin.git("rev-parse", "main")
        self.hosted.pull(NUMBER, head_ref="change", head_sha=head, base_sha=base, head_repository=self.fork or NAME)
        return checkout.path, self._event(base=base, head=head)

    def _event(self, *, base: str, head: str) -> dict[str, Any]:
        sides = {
            "base": {"ref": "main", "sha": base, "repo": {"full_name": NAME}},
            "head": {"ref": "change", "sha": head, "repo": {"full_name": self.fork or NAME}},
        }
        return {
            "action": "opened" if self.pushes == 1 else "synchronize",
            "number": NUMBER,
            "pull_request": {"number": NUMBER, **sides},
            "repository": {"full_name": NAME, "default_branch": "main"},
        }


@pytest.fixture
def elsewhere(tmp_path: Path, github: FakeGitHub) -> PullRequest:
    """A pull request of another repository, which has copied the recipe for a provider as it stands."""
    origin = new_repo(tmp_path / "origin")
    origin.commit(
        {
            ".github/workflows/evals.yml": (ROOT / "docs" / "workflows" / "provider.yml").read_text(),
            "evals/support.golden.jsonl": CASES,
            "prompts/refund.txt": "Can order 7 be refunded?\n",
            "prompts/shipping.txt": "Where is order 7?\n",
        }
    )
    return PullRequest(folder=tmp_path, origin=origin, hosted=github.repository(NAME))


def as_comment(checkout: Path) -> str:
    """Return the report file of a run as its comment: with the run's page, and the run in the marker."""
    text = (checkout / "evalaction-report" / "report.md").read_text()
    page = f"[full report](https://github.com/{NAME}/actions/runs/1)"
    return text.replace("full report: `report.json`", page).replace("id=default -->", "id=default run=1 -->")


def run_push(pushed: tuple[Path, dict[str, Any]], *, github: FakeGitHub, base_url: str, key: str = "") -> Ran:
    """Run the workflow for a push to the pull request."""
    checkout, event = pushed
    return run_act(
        checkout,
        event_name="pull_request",
        event=event,
        home=checkout.parent / "act",
        variables={"EVAL_BASE_URL": base_url, "EVAL_MODEL": "m"},
        secrets={"GITHUB_TOKEN": github.token, "EVAL_API_KEY": key},
        environ={"GITHUB_API_URL": github.api_url, "GITHUB_REPOSITORY": NAME},
    )


def test_recipe__flips_then_mended(elsewhere: PullRequest, github: FakeGitHub) -> None:
    """A case that flips fails the job and is in the one comment; a second push that mends it edits that comment."""

    def answers(prompt: str, index: int) -> str:
        return json.dumps({"status": "yes" if index % 2 and "May" in prompt else "no"})

    with ScriptedEndpoint.answering(answers) as endpoint:
        pushed = elsewhere.push({"prompts/refund.txt": "May order 7 be refunded?\n"})
        ran = run_push(pushed, github=github, base_url=endpoint.base_url, key="sk-a-long-key")
        assert ran.jobs == {"evals": "failure"}, ran.log
        assert [request.json["messages"] for request in endpoint.requests] == [
            [{"role": "user", "content": "May order 7 be refunded?"}]
        ] * 5
        assert {request.headers["authorization"] for request in endpoint.requests} == {"Bearer sk-a-long-key"}
        (outputs,) = ran.outputs.values()
        drawn = ("verdict", "exit-code", "cases-total", "cases-selected", "cases-failed", "flip-rate", "calls-made")
        assert [outputs[name] for name in drawn] == ["fail", "1", "2", "1", "1", "0.4", "5"]
        assert ran.summaries["evals"].splitlines()[0] == "### ❌ evalaction: the affected case fails"
        (first,) = elsewhere.hosted.comments(NUMBER)
        assert (first.author, first.body) == ("github-actions[bot]", as_comment(pushed[0]))
        assert outputs["comment-posted"] == "true"
        failed = first.body

        pushed = elsewhere.push({"prompts/refund.txt": "Can order 7 be refunded, yes or no?\n"})
        ran = run_push(pushed, github=github, base_url=endpoint.base_url, key="sk-a-long-key")
        assert ran.jobs == {"evals": "success"}, ran.log
        (second,) = elsewhere.hosted.comments(NUMBER)
        assert second.id == first.id
        assert second.body != failed
        assert second.body.splitlines()[0] == "### ✅ evalaction: the affected case passes"


@pytest.mark.parametrize("has_variables", [False, True], ids=["no variables", "variables"])
def test_recipe__fork(elsewhere: PullRequest, github: FakeGitHub, has_variables: bool) -> None:
    """For a fork, whose token only reads, nothing is sent, whether or not it knows where to; what would be drawn is in
    the summary, nobody is told to set what a fork cannot have, and the job ends as not measured.
    """  # noqa: D205 - one sentence
    github.read_only = True
    elsewhere.fork = "someone/evals"
    pushed = elsewhere.push({"prompts/refund.txt": "May order 7 be refunded?\n"})
    with ScriptedEndpoint.answering(lambda _prompt, _index: "{}") as endpoint:
        ran = run_push(pushed, github=github, base_url=endpoint.base_url if has_variables else "")
    assert ran.jobs == {"evals": "failure"}, ran.log
    assert endpoint.requests == []
    (outputs,) = ran.outputs.values()
    assert (outputs["verdict"], outputs["exit-code"]) == ("unmeasured", "3")
    assert (outputs.get("cases-selected"), outputs.get("calls-made")) == ("1", "0")
    assert "EVAL_BASE_URL" not in ran.summaries["evals"]
    assert outputs["comment-posted"] == "false"
    assert elsewhere.hosted.comments(NUMBER) == []


@pytest.mark.model
def test_self__jobs(tmp_path: Path, github: FakeGitHub) -> None:
    """The jobs by which this project checks itself come out as they must: one passes, and three fail in three ways."""
    origin = new_repo(tmp_path / "origin")
    shutil.copytree(ROOT / ".github" / "evals", origin.path / ".github" / "evals")
    workflow = (ROOT / ".github" / "workflows" / "self.yml").read_text()
    # act has no actions/setup-python, and the model is served by this test: on loopback, which is the host's here.
    workflow = re.sub(r"(?m)^ +- uses: actions/setup-python@.*\n +with:\n +python-version: .*\n", "", workflow)
    workflow = workflow.replace("run: .github/serve", 'run: echo "base-url=$SERVED" >>"$GITHUB_OUTPUT"')
    origin.commit({"action.yml": (ROOT / "action.yml").read_text(), ".github/workflows/self.yml": workflow})
    checkout, event = PullRequest(folder=tmp_path, origin=origin, hosted=github.repository(NAME)).push({"a": "b\n"})
    with LocalModel(log=tmp_path / "model.log") as model:
        ran = run_act(
            checkout,
            event_name="pull_request",
            event=event,
            home=tmp_path / "act",
            secrets={"GITHUB_TOKEN": github.token},
            environ={"GITHUB_API_URL": github.api_url, "GITHUB_REPOSITORY": NAME, "SERVED": model.base_url},
        )
    assert ran.jobs == dict.fromkeys(("passes", "flips", "bad-input", "unreachable"), "success"), ran.log
    (comment,) = github.repository(NAME).comments(NUMBER)
    assert "id=self" in comment.body.splitlines()[-1]
