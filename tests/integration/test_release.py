"""What a release checks, writes and tags: the script."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.gitrepo import Repo
from support.releasing import CHANGELOG, IMAGE, MODULE, ROOT, SCRIPT, checkout_of, new_origin

import evalaction


def load() -> ModuleType:
    """Import the script, which is part of no package."""
    spec = importlib.util.spec_from_file_location("release", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = load()


def test_check__ready() -> None:
    """A version that package and changelog name, and no tag, can be released; its own prefix is another version."""
    tags = "a" * 40 + "\trefs/tags/v1.2.30\n" + "b" * 40 + "\trefs/tags/v1\n"
    release.check("1.2.3", module=MODULE, changelog=CHANGELOG, tags=tags)


@pytest.mark.parametrize(
    ("version", "changelog", "tags", "message"),
    [
        ("v1.2.3", CHANGELOG, "", "'v1.2.3' is no version: write X.Y.Z, without a v."),
        ("1.2", CHANGELOG, "", "'1.2' is no version: write X.Y.Z, without a v."),
        ("1.2.3\n", CHANGELOG, "", "'1.2.3\\n' is no version: write X.Y.Z, without a v."),
        ("01.2.3", CHANGELOG, "", "'01.2.3' is no version: write X.Y.Z, without a v."),
        ("1.2.4", CHANGELOG, "", "evalaction/__init__.py says 1.2.3, not 1.2.4."),
        (
            "1.2.3",
            CHANGELOG,
            "a" * 40 + "\trefs/tags/v1.2.3\n",
            "v1.2.3 is released already; a released version never changes.",
        ),
        (
            "1.2.3",
            CHANGELOG.replace("## Unreleased\n", "## Unreleased\n\n- Forgotten.\n"),
            "",
            "CHANGELOG.md has entries under Unreleased: put them under 1.2.3, with the date.",
        ),
        (
            "1.2.3",
            CHANGELOG.replace("1.2.3 - 2026-12-01", "1.2.3"),
            "",
            "CHANGELOG.md has no entries under a heading '## 1.2.3 - YYYY-MM-DD'.",
        ),
        (
            "1.2.3",
            CHANGELOG.replace("### Added\n\n- A thing.\n\n", ""),
            "",
            "CHANGELOG.md has no entries under a heading '## 1.2.3 - YYYY-MM-DD'.",
        ),
    ],
)
def test_check__refused(version: str, changelog: str, tags: str, message: str) -> None:
    """What is not ready is refused in words that say what to do."""
    with pytest.raises(release.Refused) as refused:
        release.check(version, module=MODULE, changelog=changelog, tags=tags)
    assert str(refused.value) == message


def test_notes__own() -> None:
    """A version's notes are its own entries alone, the oldest's too."""
    assert release.notes(CHANGELOG, "1.2.3") == "### Added\n\n- A thing.\n"
    assert release.notes(CHANGELOG, "1.2.2") == "### Fixed\n\n- Another.\n"


def test_notes__dots_are_dots() -> None:
    """A version is no pattern."""
    with pytest.raises(release.Refused):
        release.notes(CHANGELOG.replace("1.2.3", "1x2x3"), "1.2.3")


def test_pinned__one_line() -> None:
    """Of the real action.yml one line changes."""
    before = (ROOT / "action.yml").read_text()
    rows = list(zip(before.splitlines(), release.pinned(before, IMAGE).splitlines(), strict=True))
    assert [row for row in rows if row[0] != row[1]] == [("  image: Dockerfile", f"  image: docker://{IMAGE}")]


@given(st.text(max_size=80) | st.from_regex(r"[a-z./:@-]{0,40}[0-9a-f]{63,65}\n?", fullmatch=True))
def test_pinned__digest_or_nothing(image: str) -> None:
    """Nothing but a name in a registry with a whole digest gets into action.yml."""
    if re.fullmatch(r"[a-z0-9.-]+(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}", image):
        return
    with pytest.raises(release.Refused):
        release.pinned("runs:\n  image: Dockerfile\n", image)


@pytest.mark.parametrize("action", ["runs:\n  image: docker://a\n", "  image: Dockerfile\n" * 2])
def test_pinned__unexpected(action: str) -> None:
    """An action.yml without the line, or with two of it, is not guessed at."""
    with pytest.raises(release.Refused) as refused:
        release.pinned(action, IMAGE)
    assert str(refused.value) == "action.yml has to have the line 'image: Dockerfile' exactly once."


@pytest.fixture
def origin(tmp_path: Path) -> Repo:
    """The project's repository."""
    return new_origin(tmp_path)


@pytest.fixture
def checkout(origin: Repo, tmp_path: Path) -> Repo:
    """A checkout of it, as a workflow has it."""
    return checkout_of(origin, tmp_path / "checkout")


def run(checkout: Repo, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the script as the workflow does."""
    command = [sys.executable, str(SCRIPT), *args]
    return subprocess.run(command, cwd=checkout.path, capture_output=True, text=True, check=False)


def test_release__commit_and_tags(checkout: Repo, origin: Repo) -> None:
    """The tagged commit is main's with the image named by digest; the major tag moves to it, and no branch does."""
    main = origin.git("rev-parse", "main")
    assert run(checkout, "check", "1.2.3").returncode == 0
    done = run(checkout, "commit", "1.2.3", IMAGE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    checkout.git("push", "--quiet", "origin", "refs/tags/v1.2.3")
    checkout.git("push", "--quiet", "--force", "origin", "refs/tags/v1")
    assert origin.git("rev-parse", "main", "v1.2.3^", "v1").split() == [main, main, origin.git("rev-parse", "v1.2.3")]
    assert origin.git("diff", "--name-only", "main", "v1.2.3") == "action.yml"
    released = origin.git("show", "v1.2.3:action.yml").splitlines()
    assert [row for row in released if "image:" in row] == [f"  image: docker://{IMAGE}"]
    assert origin.git("for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/main",
        "refs/tags/v1",
        "refs/tags/v1.2.2",
        "refs/tags/v1.2.3",
    ]


def test_release__twice(checkout: Repo) -> None:
    """A version that is tagged at the origin is refused before anything is built."""
    run(checkout, "commit", "1.2.3", IMAGE)
    checkout.git("push", "--quiet", "origin", "refs/tags/v1.2.3")
    done = run(checkout, "check", "1.2.3")
    assert (done.returncode, done.stderr) == (
        1,
        "error: v1.2.3 is released already; a released version never changes.\n",
    )


def test_release__notes(checkout: Repo) -> None:
    """The notes of the release on GitHub are the changelog's entries."""
    assert run(checkout, "notes", "1.2.3").stdout == "### Added\n\n- A thing.\n"


def test_release__usage(checkout: Repo) -> None:
    """Anything else is refused with what is allowed, and nothing is written."""
    for args in ([], ["commit", "1.2.3"], ["commit", "v1", IMAGE], ["commit", "1.2.3", "evalaction:latest"]):
        done = run(checkout, *args)
        assert done.returncode == 1
        assert done.stderr.startswith("error: ")
    assert checkout.git("status", "--porcelain", "--branch") == "## main...origin/main"


def test_release__version() -> None:
    """The package's version has the form that a release wants."""
    assert release.VERSION.fullmatch(evalaction.__version__)
