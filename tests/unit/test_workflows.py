"""The workflows: those of this project, and those for others to copy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.docs import ACTION, RECIPES, ROOT
from support.suites import ids, problems, suite_of

from evalaction.inputs import INPUTS
from evalaction.publish.folder import NAMES

OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
COPIED = sorted(RECIPES.glob("*.yml"))
PLACEHOLDER = "OWNER/evalaction@COMMIT"
CALLED = "OWNER/evalaction/.github/workflows/evalaction.yml@COMMIT"
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+")
each_workflow = pytest.mark.parametrize("path", [*OWN, *COPIED], ids=lambda path: path.name)
each_copied = pytest.mark.parametrize("path", COPIED, ids=lambda path: path.name)
CALLABLE = ROOT / ".github" / "workflows" / "evalaction.yml"


def parsed(path: Path) -> dict[str, Any]:
    """Return a workflow; YAML 1.1 takes the word ``on`` for true."""
    workflow: dict[Any, Any] = yaml.safe_load(path.read_text())
    return {"on" if key is True else key: value for key, value in workflow.items()}


def steps(path: Path) -> Iterator[Mapping[str, Any]]:
    """Return the steps of all jobs."""
    for job in parsed(path)["jobs"].values():
        yield from job.get("steps", ())


def own_steps(path: Path) -> list[Mapping[str, Any]]:
    """Return the steps that run this action."""
    return [step for step in steps(path) if step.get("uses") in {PLACEHOLDER, "./", "./action"}]


@each_workflow
def test_permissions__least(path: Path) -> None:
    """Nothing is granted at the top, each job names what it needs, and each grant has its reason beside it."""
    workflow = parsed(path)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        for scope, level in job["permissions"].items():
            assert re.search(rf"(?m)^ +{scope}: {level} # \S", path.read_text()), f"{scope}: {level} has no reason"


@each_workflow
def test_jobs__end(path: Path) -> None:
    """Every job ends by itself, one that calls a workflow excepted: there the called one says when."""
    for name, job in parsed(path)["jobs"].items():
        assert ("timeout-minutes" in job) != (job.get("uses") == CALLED), name


@each_workflow
def test_concurrency__named(path: Path) -> None:
    """Every workflow says what becomes of an older run of it; a called one leaves that to its caller."""
    workflow = parsed(path)
    if "workflow_call" in workflow["on"]:
        assert "concurrency" not in workflow
    else:
        assert workflow["concurrency"].keys() == {"group", "cancel-in-progress"}


@each_workflow
def test_uses__pinned(path: Path) -> None:
    """Whatever others wrote is pinned to a commit, with its version beside it."""
    used = re.findall(r"(?m)^ +(?:- )?uses: (.+)$", path.read_text())
    loose = [each for each in used if not PINNED.fullmatch(each) and not each.startswith(("./", PLACEHOLDER, CALLED))]
    assert used
    assert loose == []


def test_uses__one_version_each() -> None:
    """An action is pinned to the same commit wherever it is used."""
    pins: dict[str, set[str]] = {}
    for path in (*OWN, *COPIED):
        for name, pin in re.findall(r"uses: ([\w./-]+)@([0-9a-f]{40} # \S+)", path.read_text()):
            pins.setdefault(name, set()).add(pin)
    assert {name: found for name, found in pins.items() if len(found) > 1} == {}


@each_workflow
def test_checkout__no_credentials(path: Path) -> None:
    """No checkout leaves its token in the clone."""
    checkouts = [step for step in steps(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert [step for step in checkouts if step["with"].get("persist-credentials") is not False] == []


@each_workflow
def test_scripts__no_expressions(path: Path) -> None:
    """No expression stands in the text of a script, where a pull request could end a quote."""
    assert [step["run"] for step in steps(path) if "${{" in step.get("run", "")] == []


@each_workflow
def test_events__no_pull_request_target(path: Path) -> None:
    """No workflow gives a stranger's pull request the token of the default branch."""
    assert "pull_request_target" not in parsed(path)["on"]


@each_workflow
def test_inputs__known(path: Path) -> None:
    """Only inputs that the action has are given to it."""
    assert [step for step in own_steps(path) if not step.get("with", {}).keys() <= ACTION["inputs"].keys()] == []


@each_workflow
def test_outputs__known(path: Path) -> None:
    """What is read of a step or a job is one that has outputs; of this action, only outputs that it has."""
    workflow = parsed(path)
    for name, job in workflow["jobs"].items():
        known = {step["id"]: step for step in job.get("steps", ()) if "id" in step}
        for step, output in re.findall(r"\bsteps\.([\w-]+)\.outputs\.([\w-]+)", json.dumps(job)):
            assert step in known, f"{name}: no step {step}"
            assert known[step] not in own_steps(path) or output in ACTION["outputs"], f"{name}: no output {output}"
    for name, output in re.findall(r"\b(?:needs|jobs)\.([\w-]+)\.outputs\.([\w-]+)", json.dumps(workflow)):
        assert output in workflow["jobs"][name]["outputs"], f"{name} has no output {output}"


@each_copied
def test_recipes__use_this(path: Path) -> None:
    """Every workflow to copy runs this action once, or calls the workflow that does."""
    called = [job for job in parsed(path)["jobs"].values() if job.get("uses") == CALLED]
    assert len(own_steps(path)) + len(called) == 1


def test_recipes__first() -> None:
    """The first recipe asks its own service, at its name, for the model that it pulled, and needs no key."""
    (job,) = parsed(RECIPES / "service.yml")["jobs"].values()
    (service, described), *others = job["services"].items()
    pull = next(step for step in job["steps"] if "run" in step)
    given = job["steps"][-1]["with"]
    assert others == []
    assert re.fullmatch(r"ollama/ollama:[0-9.]+", described["image"])
    assert "--health-cmd" in described["options"]
    assert pull["env"] == {"OLLAMA": f"${{{{ job.services.{service}.id }}}}"}
    assert pull["run"] == f'docker exec "$OLLAMA" ollama pull {given["model"]}'
    assert given["base-url"] == f"http://{service}:11434"
    assert "secrets." not in (RECIPES / "service.yml").read_text()


def test_recipes__golden_file() -> None:
    """The golden file that goes with the first recipe is one: two cases, whose answers are known beforehand."""
    golden = (RECIPES / "returns.golden.jsonl").read_text()
    files = {"evals/returns.golden.jsonl": golden}
    assert problems(files) == []
    assert ids(suite_of(files)) == ["in-time", "too-late"]
    assert [json.loads(line)["expect"] for line in golden.splitlines()] == [{"accepted": True}, {"accepted": False}]


def test_recipes__fork_pair() -> None:
    """The second workflow follows the first by its name, takes the artifact that it keeps, and runs nothing of it."""
    first, second = parsed(RECIPES / "forks.yml"), parsed(RECIPES / "forks-comment.yml")
    (measures,), (comments,) = first["jobs"].values(), second["jobs"].values()
    kept, taken, posts = measures["steps"][-1], comments["steps"][0], comments["steps"][1]
    assert second["on"] == {"workflow_run": {"workflows": [first["name"]], "types": ["completed"]}}
    assert kept["if"] == "always()"
    assert kept["with"]["name"] == taken["with"]["name"]
    folder = taken["with"]["path"]
    # The folder that the files of an artifact have in common is left out of it.
    assert kept["with"]["path"].split() == [f"{folder}/{name}" for name in NAMES]
    assert posts["with"]["report-dir"] == folder
    # That there is no artifact is for the step to say: the comment of an earlier push must not speak for this one.
    assert (taken["continue-on-error"], "if" in posts) == (True, False)
    assert comments["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert [step.get("uses", step.get("run")) for step in comments["steps"]] == [taken["uses"], PLACEHOLDER]


def test_callable__inputs() -> None:
    """The workflow to call passes on each of its inputs, with the action's defaults; its outputs are the action's."""
    call = parsed(CALLABLE)["on"]["workflow_call"]
    (step,) = own_steps(CALLABLE)
    secrets = [item.name for item in INPUTS if item.secret and item.env]
    assert list(call["secrets"]) == secrets
    sources = {name: "secrets" if name in secrets else "inputs" for name in step["with"]}
    passed = {**step["with"], "working-directory": "${{ inputs.working-directory }}"}
    assert passed == {name: f"${{{{ {source}.{name} }}}}" for name, source in sources.items()}
    own = {"artifact", "timeout-minutes"}
    assert call["inputs"].keys() == passed.keys() - set(secrets) | own
    # With two checkouts side by side, head and the report's folder are not the caller's to choose, and on a fresh
    # machine there is no ledger to go on with.
    left_out = {"head", "report-dir", "ledger", "resume", "github-token"}
    assert {item.name for item in INPUTS} - passed.keys() == left_out
    usual = {item.name: item.default for item in INPUTS}
    said = {name: given["default"] for name, given in call["inputs"].items() if name not in own and "default" in given}
    assert {name: json.dumps(value).strip('"') for name, value in said.items()} == {
        name: "" if name == "golden" else usual[name] for name in said
    }
    assert call["outputs"].keys() <= ACTION["outputs"].keys()


def test_callable__own_commit() -> None:
    """The workflow to call runs the action of the commit that it is from, beside the caller's files, not among them."""
    _, action, repository, run, _ = steps(CALLABLE)
    assert action["with"]["repository"] == "${{ steps.self.outputs.repository }}"
    assert action["with"]["ref"] == "${{ steps.self.outputs.commit }}"
    assert "repository" not in repository["with"]
    assert {action["with"]["path"], repository["with"]["path"]} == {"action", "repository"}
    assert run["uses"] == f"./{action['with']['path']}"
    assert run["with"]["working-directory"].startswith("${{ format('repository/{0}',")


def test_self__checked() -> None:
    """Each job of the self-check runs the action of this checkout on golden files that are there, and says what has
    to come of it; those that must fail go on, all but one post nothing, and none asks anything but its own model.
    """  # noqa: D205 - one sentence
    path = ROOT / ".github" / "workflows" / "self.yml"
    wanted, writes = {}, []
    for name, job in parsed(path)["jobs"].items():
        evals, check = job["steps"][-2:]
        given = evals["with"]
        assert (evals["id"], evals["uses"]) == ("evals", "./")
        assert check["env"]["GOT"].startswith("${{ steps.evals.outcome }} ${{ steps.evals.outputs.verdict }}")
        assert (ROOT / given.get("golden", ".github/evals")).exists()
        assert given["base-url"] in {"${{ steps.model.outputs.base-url }}", "http://127.0.0.1:9/v1"}
        assert ("comment-mode", "off") in given.items() or "pull-requests" in job["permissions"]
        assert job["steps"][0]["with"]["fetch-depth"] == 2
        wanted[name] = (evals.get("continue-on-error", False), check["run"])
        writes += [name for level in job["permissions"].values() if level == "write"]
    assert writes == ["passes"]
    assert wanted == {
        "passes": (False, 'test "$GOT" = "success pass 0 5"'),
        "flips": (True, 'test "$GOT" = "failure fail 1 1"'),
        "bad-input": (True, 'test "$GOT" = "failure unmeasured 2"'),
        "unreachable": (True, 'test "$GOT" = "failure unmeasured 3 "'),
    }
