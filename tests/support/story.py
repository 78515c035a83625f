"""A repository with a pull request, and the command run in it as a person would."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.gitrepo import Repo, new_repo

from evalaction.cli import main
from evalaction.draw import clock


class QuickClock(clock.SystemClock):
    """The machine's clock, on which a wait is over at once: it is put forward instead."""

    def __init__(self) -> None:
        """Start at the machine's time."""
        self._forward = 0.0

    def now(self) -> float:
        """Return monotonic seconds, waits included."""
        return super().now() + self._forward

    async def sleep(self, seconds: float) -> None:
        """Put the clock forward."""
        self._forward += seconds
        await super().sleep(0)


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str
    report: Any
    """``report.json``, parsed; None when there is none."""


def lines(*cases: Mapping[str, Any]) -> str:
    """Return a golden file of these cases."""
    return "".join(f"{json.dumps(case)}\n" for case in cases)


def two_commits(path: Path, base: Mapping[str, str | bytes], head: Mapping[str, str | bytes]) -> Repo:
    """Make a repository whose branch ``change`` is checked out and differs from ``main`` by the files of ``head``."""
    repo = new_repo(path)
    repo.commit(base)
    repo.git("switch", "--quiet", "--create", "change")
    repo.commit(head)
    return repo


def run(repo: Path, *args: str, url: str | None = None, model: str | None = "m", key: str | None = None) -> Ended:
    """Run the command in a repository; what it reports goes beside the repository, not into it."""
    report_dir = repo.parent / "report"
    if args[0] == "check":
        args = (*args, "--report-dir", str(report_dir))
    environ = {"EVAL_BASE_URL": url, "EVAL_MODEL": model, "EVAL_API_KEY": key}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "SystemClock", QuickClock)
        result = CliRunner().invoke(main, [*args, "--repo", str(repo)], env=environ)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    path = report_dir / "report.json"
    report = json.loads(path.read_text()) if path.exists() else None
    return Ended(code=result.exit_code, out=result.stdout, err=result.stderr, report=report)
