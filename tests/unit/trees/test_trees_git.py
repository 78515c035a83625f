"""The git runner: how git is called, what its messages become, which exit codes count."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.errors import BadInput
from evalaction.trees import git as runner
from evalaction.trees.git import MESSAGE_LIMIT, Git, Outcome, clean_message


def fake(tmp_path: Path, script: str) -> Git:
    """Return a runner of a shell script in git's place."""
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Git(folder=str(tmp_path), environ={"PATH": os.defpath}, safe=(str(tmp_path),), program=str(program))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", ""),
        (b"fatal: bad object\n\nhint: none\n", "fatal: bad object hint: none"),
        (b"fatal: 'https://x:ghs_0123@host.test/a.git'", "fatal: 'https://host.test/a.git'"),
        (b"fatal: 'https://ghs_0123@host.test/a.git' not found", "fatal: 'https://host.test/a.git' not found"),
        (b"https://a:p@ss@w0rd@host.test and ssh://git@host.test", "https://host.test and ssh://host.test"),
        (b"\x1b[31m::error::\xff\x00x\xc2\x85y", "[31m::error::\ufffd x y"),
    ],
)
def test_clean_message__hostile(text: bytes, expected: str) -> None:
    """A message is one line without control characters and without credentials."""
    assert expected == clean_message(text)


@given(st.binary())
def test_clean_message__any_bytes(text: bytes) -> None:
    """Whatever git writes becomes one printable line that UTF-8 can hold and that is not endless."""
    line = clean_message(text * 40)
    assert line.encode().decode() == line
    assert "\n" not in line
    assert len(line) <= MESSAGE_LIMIT + 1


@given(st.text(alphabet=st.characters(exclude_characters="/", codec="utf-8"), min_size=1))
def test_clean_message__secret_in_address(secret: str) -> None:
    """No user information of a URL survives, whatever characters it holds."""
    squeezed = "".join(secret.split())
    line = clean_message(f"fatal: https://{squeezed}:{squeezed}@host.test/x\n".encode())
    assert line.endswith("host.test/x")
    assert f"{squeezed}:{squeezed}@" not in line


@pytest.mark.parametrize("code", [1, 2, 128, 129])
def test_run__other_exit_code(tmp_path: Path, code: int) -> None:
    """An exit code that was not named as acceptable is an error with git's own message, 1 as well."""
    git = fake(tmp_path, f"echo 'error: Could not access main' >&2; exit {code}")
    with pytest.raises(BadInput) as caught:
        git.run("diff", "main")
    assert f"git diff failed (exit code {code}): error: Could not access main" == str(caught.value)


def test_run__accepted_exit_code(tmp_path: Path) -> None:
    """An exit code that was named comes back, for the caller to tell apart."""
    git = fake(tmp_path, "cat; echo said >&2; exit 1")
    assert Outcome(code=1, out=b"abc\n", message="said") == git.run("x", accept=(0, 1), stdin=b"abc\n")


def test_attempt__too_slow(tmp_path: Path) -> None:
    """A command that does not end is stopped, together with what it started."""
    git = fake(tmp_path, "sleep 60 & sleep 60")
    assert Outcome(code=None, out=b"", message="no end after 0.1 seconds") == git.attempt("fetch", timeout_s=0.1)


def test_run__too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command for this clone that does not end is an error that names it."""
    monkeypatch.setattr(runner, "LOCAL_TIMEOUT_S", 0.1)
    with pytest.raises(BadInput) as caught:
        fake(tmp_path, "sleep 60").run("ls-tree")
    expected = "git ls-tree had not ended after 0.1 seconds."
    assert expected == str(caught.value)


def test_run__arguments(tmp_path: Path) -> None:
    """Every call names its folder and its settings itself, and hands the arguments on as they are."""
    git = fake(tmp_path, 'printf "%s\\n" "$@"')
    expected = [
        *("-C", str(tmp_path)),
        *("--no-pager", "--no-optional-locks", "--no-replace-objects"),
        *("-c", f"safe.directory={tmp_path}"),
        *("-c", "core.fsmonitor=false"),
        *("-c", "core.hooksPath=/dev/null"),
        *("-c", "safe.bareRepository=explicit"),
        *("-c", "submodule.recurse=false"),
        *("-c", "gc.auto=0"),
        *("-c", "maintenance.auto=false"),
        *("-c", "http.lowSpeedLimit=1"),
        *("-c", "http.lowSpeedTime=60"),
        *("show", "a b"),
    ]
    assert expected == git.run("show", "a b").line.split("\n")


def test_run__git_gone(tmp_path: Path) -> None:
    """A git that is no longer there is told as that."""
    git = Git(folder=str(tmp_path), environ={}, safe=(), program=str(tmp_path / "git"))
    with pytest.raises(BadInput) as caught:
        git.run("version")
    remedy = "Install git, 2.30 or later, and have it on PATH, outside of the repository."
    assert f"git cannot be started (No such file or directory). {remedy}" == str(caught.value)


def test_line__bytes() -> None:
    """One newline is taken off, and bytes that are no UTF-8 can be had back."""
    line = Outcome(code=0, out=b"a\xff\n\n", message="").line
    assert line.encode("utf-8", "surrogateescape") == b"a\xff\n"
