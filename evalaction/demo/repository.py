"""The sample repository: a pull request that rewords an invoice prompt and a judge's rubric, and edits golden lines.

I/O: writes files and commits them with git.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from evalaction.trees.git import Git, make_git

FILES = Path(__file__).parent / "sample"
"""``base/`` is the whole repository, ``head/`` holds the files that the pull request changes."""

_WHO = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "evalaction demo"), ("EMAIL", "demo@example.invalid"))
}


def build_sample(folder: Path, *, environ: Mapping[str, str]) -> None:
    """Make the repository: ``main`` as it was, and the branch ``clearer-invoice-prompt`` checked out.

    Args:
        folder: empty or not there yet.
        environ: the caller's environment.

    Raises:
        BadInput: git is missing or fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    top = os.path.realpath(folder)
    git = make_git(top, environ=environ, safe=(top,), checkouts=(top,))
    git.run("init", "--quiet", "--initial-branch=main")
    _commit(git, FILES / "base", "Extract invoices, answer refund questions, judge replies")
    git.run("switch", "--quiet", "--create", "clearer-invoice-prompt")
    _commit(git, FILES / "head", "Say more clearly what to extract, and more briefly how to judge")


def _commit(git: Git, files: Path, message: str) -> None:
    shutil.copytree(files, git.folder, dirs_exist_ok=True)
    git.run("add", "--all")
    git.run("commit", "--quiet", "--no-gpg-sign", f"--message={message}", extra=_WHO)
