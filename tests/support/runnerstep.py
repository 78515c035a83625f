"""A step of a job as GitHub's runner starts it when its action is an image: one ``docker run``.

After ``ContainerActionHandler.cs``, ``DockerCommandManager.cs`` and ``FileCommandManager.cs`` of
https://github.com/actions/runner: which folders are mounted where, that every variable is passed by its name alone
with its value in the environment of ``docker``, that every input of the action is there, an absent one as an empty
text, and that all files belong to the runner's own user while the container's process is root.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from support.actions_runner import read_outputs
from support.engine import ROOT
from support.gitrepo import Repo
from support.payloads import NUMBER, REPOSITORY, of_pull
from support.pulls import Files, checkout, new_pull

UID = 1001
"""The user ``runner`` on GitHub's own machines."""
OWNER, NAME = REPOSITORY.split("/")
GITCONFIG = "[user]\n\tname = Somebody\n[safe]\n\tdirectory = /somewhere/else\n"
"""The runner's global configuration of git, as an earlier step left it."""
FILES = {
    "PATH": "add_path",
    "ENV": "set_env",
    "STEP_SUMMARY": "step_summary",
    "STATE": "save_state",
    "OUTPUT": "set_output",
}
"""Variable of a file command, without ``GITHUB_`` → beginning of the file's name."""


@dataclass(frozen=True, kw_only=True)
class Left:
    """What a step leaves behind."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str
    report: Any
    """``report.json``, parsed; None when there is none."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step before and while it runs."""

    work: Path
    """The runner's work folder, ``/home/runner/work`` on GitHub's own machines."""
    event: Mapping[str, Any]
    """The payload of a ``pull_request`` event."""
    sha: str
    """What is checked out."""
    name: str = field(default_factory=lambda: f"evalaction-test-{uuid.uuid4().hex}")
    """Of the container."""

    @property
    def checkout(self) -> Repo:
        """The workspace."""
        return Repo(self.work / NAME / NAME)

    @property
    def home(self) -> Path:
        """What is HOME in the container."""
        return self.work / "_temp" / "_github_home"

    def command(self, image: str, *options: str, **inputs: str) -> tuple[list[str], dict[str, str]]:
        """Return the runner's command, and the environment that it is started with.

        Args:
            image: of the action.
            options: more of ``docker run``, such as a job's own ``options``.
            inputs: of the action, with underscores.
        """
        docker = shutil.which("docker")
        assert docker is not None
        variables = {**_inputs(inputs), **self._variables()}
        words = [docker, "run", "--name", self.name, "--label", "6a6825", "--workdir", "/github/workspace", "--rm"]
        words += [word for name in variables for word in ("-e", name)]
        words += ["-e", "GITHUB_ACTIONS=true", "-e", "CI=true", "--network", "host"]
        for here, there in self._mounts().items():
            words += ["-v", f"{here}:{there}"]
        engine = {name: value for name, value in os.environ.items() if name.startswith("DOCKER_")}
        return [*words, *options, image], {**engine, **variables}

    def run(self, image: str, *options: str, **inputs: str) -> Left:
        """Run it to its end; see ``command``."""
        command, environ = self.command(image, *options, **inputs)
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
        return self.left(done.returncode, done.stdout + done.stderr)

    def left(self, code: int, log: str) -> Left:
        """Read what is there after its end."""
        report = self.checkout.path / "evalaction-report" / "report.json"
        return Left(
            code=code,
            log=log,
            outputs=dict(read_outputs(self.file("OUTPUT").read_text())),
            summary=self.file("STEP_SUMMARY").read_text(),
            report=json.loads(report.read_text()) if report.exists() else None,
        )

    def file(self, name: str) -> Path:
        """Return the file behind a variable of ``FILES``."""
        return self.work / "_temp" / "_runner_file_commands" / f"{FILES[name]}_9f1c"

    def _mounts(self) -> dict[Path, str]:
        socket = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")
        temp = self.work / "_temp"
        return {
            Path(socket): "/var/run/docker.sock",
            self.home: "/github/home",
            temp / "_github_workflow": "/github/workflow",
            temp / "_runner_file_commands": "/github/file_commands",
            self.checkout.path: "/github/workspace",
        }

    def _variables(self) -> dict[str, str]:
        pull = self.event["pull_request"]
        files = {f"GITHUB_{name}": f"/github/file_commands/{self.file(name).name}" for name in FILES}
        return {
            "HOME": "/github/home",
            "GITHUB_JOB": "evals",
            "GITHUB_REF": f"refs/pull/{NUMBER}/merge",
            "GITHUB_SHA": self.sha,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REPOSITORY_OWNER": OWNER,
            "GITHUB_RUN_ID": "1",
            "GITHUB_RUN_NUMBER": "1",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_ACTOR": "octo-user",
            "GITHUB_WORKFLOW": "evals",
            "GITHUB_WORKFLOW_REF": f"{REPOSITORY}/.github/workflows/evals.yml@refs/pull/{NUMBER}/merge",
            "GITHUB_HEAD_REF": pull["head"]["ref"],
            "GITHUB_BASE_REF": pull["base"]["ref"],
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": "/github/workflow/event.json",
            # Nothing listens there: no test of a step reaches GitHub.
            "GITHUB_SERVER_URL": "http://127.0.0.1:9",
            "GITHUB_API_URL": "http://127.0.0.1:9",
            "GITHUB_GRAPHQL_URL": "http://127.0.0.1:9/graphql",
            "GITHUB_WORKSPACE": "/github/workspace",
            "GITHUB_ACTION": "__acme_evalaction",
            **files,
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": "X64",
            "RUNNER_TEMP": "/home/runner/work/_temp",
            "RUNNER_TOOL_CACHE": "/opt/hostedtoolcache",
            "RUNNER_WORKSPACE": f"/home/runner/work/{NAME}",
        }


def _inputs(given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of all inputs: those of action.yml, and any other that is given."""
    known = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    texts = {name: "" if "${{" in (default := item.get("default", "")) else default for name, item in known.items()}
    texts |= {name.replace("_", "-"): text for name, text in given.items()}
    return {f"INPUT_{name.upper()}": text for name, text in texts.items()}


def new_step(folder: Path, *, base: Files, main: Files, head: Files) -> Step:
    """Lay out the work folder of a job that checked out a pull request's merge commit at depth 2.

    Args:
        folder: an empty one.
        base: files where the pull request began.
        main: files that the branch ``main`` changed since.
        head: files that the pull request changes.
    """
    pull = new_pull(folder / "origin", base=base, heads=[head], main=main, number=NUMBER)
    event = of_pull("pull_request.opened", base_sha=pull.m1, head_sha=pull.head, branch=pull.branch)
    step = Step(work=folder / "work", event=event, sha=pull.merge)
    checkout(pull, step.checkout.path, ref=pull.ref, depth=2)
    files = {"_github_home/.gitconfig": GITCONFIG, "_github_workflow/event.json": json.dumps(event)}
    files |= {f"_runner_file_commands/{step.file(name).name}": "" for name in FILES}
    Repo(step.work / "_temp").write(files)
    subprocess.run(["chown", "-R", f"{UID}:{UID}", str(step.work)], check=True)
    return step


def contents(folder: Path, *, without: Sequence[str] = ()) -> dict[str, tuple[int, int, bytes]]:
    """Return relative path → mode, owner and bytes of every file below a folder, but for some folders in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not any(relative.is_relative_to(name) for name in without):
            found[relative.as_posix()] = (path.stat().st_mode, path.stat().st_uid, path.read_bytes())
    return found
