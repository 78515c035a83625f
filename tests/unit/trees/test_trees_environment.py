"""What git gets of an environment, and which git is run, whatever PATH says."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.errors import BadInput
from evalaction.trees.environment import clean_environment, find_git

SET = {
    "LC_ALL": "C",
    "LANGUAGE": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GCM_INTERACTIVE": "never",
    "GIT_LITERAL_PATHSPECS": "1",
}
"""What every environment for git has."""
SYSTEM = "/bin:/usr/bin"
"""The path that every environment for git has at its end."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folders with a program called ``git``: ``tools``, and in the checkout ``bin``; links lead in and out."""
    for place in ("tools", "repo", "repo/bin", "other"):
        (tmp_path / place).mkdir()
    for place in ("tools", "repo", "repo/bin"):
        program(tmp_path / place / "git")
    (tmp_path / "in").symlink_to(tmp_path / "repo/bin")
    (tmp_path / "repo/out").symlink_to(tmp_path / "tools")
    return tmp_path


def program(place: Path) -> None:
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)


def test_clean_environment__git_variables() -> None:
    """Only the variables stay that say how a remote is reached or where the person's configuration is."""
    environ = {
        "PATH": SYSTEM,
        "HTTPS_PROXY": "http://proxy.test:3128",
        "LC_ALL": "de_DE.UTF-8",
        "LD_LIBRARY_PATH": "/opt/lib",
        "GIT_DIR": "/other/.git",
        "GIT_WORK_TREE": "/other",
        "GIT_INDEX_FILE": "/other/index",
        "GIT_OBJECT_DIRECTORY": "/other/objects",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.worktree",
        "GIT_CONFIG_VALUE_0": "/other",
        "GIT_EXTERNAL_DIFF": "other",
        "GIT_TRACE": "1",
        "GIT_EXEC_PATH": "/usr/lib/git-core",
        "GIT_SSL_CAINFO": "/ca.pem",
        "GIT_SSH_COMMAND": "ssh -i key",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    expected = {
        "PATH": SYSTEM,
        "HTTPS_PROXY": "http://proxy.test:3128",
        "LD_LIBRARY_PATH": "/opt/lib",
        "GIT_EXEC_PATH": "/usr/lib/git-core",
        "GIT_SSL_CAINFO": "/ca.pem",
        "GIT_SSH_COMMAND": "ssh -i key",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        **SET,
    }
    assert expected == clean_environment(environ, checkouts=())


TOKENS = ("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")


@pytest.mark.parametrize(
    ("flag", "stays"), [({}, TOKENS), ({"GITHUB_ACTIONS": "false"}, TOKENS), ({"GITHUB_ACTIONS": "true"}, ())]
)
def test_clean_environment__secrets(flag: dict[str, str], stays: tuple[str, ...]) -> None:
    """No key reaches git; a token of GitHub's does on a desk alone, where a credential helper may read it."""
    keys = (
        "INPUT_API-KEY",
        "INPUT_GITHUB-TOKEN",
        "EVAL_API_KEY",
        "EVAL_BASE_URL",
        "JUDGE_API_KEY",
        "ACTIONS_RUNTIME_TOKEN",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    )
    environ = {**dict.fromkeys((*keys, *TOKENS), "secret"), "PATH": SYSTEM, "HOME": "/home/me", **flag}
    expected = {"PATH": SYSTEM, "HOME": "/home/me", **flag, **dict.fromkeys(stays, "secret"), **SET}
    assert expected == clean_environment(environ, checkouts=())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ""),
        (":/bin:/usr/bin", ""),
        ("/opt/none::/usr/bin:/bin", "/opt/none:/usr/bin:/bin"),
        ("{0}/tools:.:bin:./node_modules/.bin:~/bin", "{0}/tools:"),
        ("{0}/repo:{0}/repo/bin:{0}/repo/none:{0}/tools", "{0}/tools:"),
        ("{0}/in:{0}/repo/out:{0}/tools", "{0}/tools:"),
        ("{0}/other/../repo/bin:{0}/repo/../tools:{0}/repo/out/../repo/bin", "{0}/repo/../tools:"),
        ("{0}/repository:{0}", "{0}/repository:{0}:"),
    ],
)
def test_clean_environment__search_path(folder: Path, path: str, expected: str) -> None:
    """PATH keeps, in their order, the absolute folders outside of the checkout, and always has the system's."""
    clean = clean_environment({"PATH": path.format(folder)}, checkouts=[str(folder / "repo")])
    whole = expected.format(folder)
    assert (whole if whole.endswith("/usr/bin:/bin") else whole + SYSTEM) == clean["PATH"]


def test_clean_environment__no_search_path() -> None:
    """Without PATH there are the system's own folders: git would make up a path of its own."""
    assert {"PATH": SYSTEM, **SET} == clean_environment({}, checkouts=())


@given(st.lists(st.text(alphabet="./:ab~\n", max_size=8) | st.sampled_from(["/repo", "/repo/bin", "/r", "/usr/bin"])))
def test_clean_environment__any_search_path(entries: list[str]) -> None:
    """Whatever PATH holds, no entry that comes out is relative or leads into the checkout."""
    with tempfile.TemporaryDirectory() as root:
        repo = Path(root, "repo")
        (repo / "bin").mkdir(parents=True)
        path = ":".join(f"{root}{entry}" if entry.startswith("/r") else entry for entry in entries)
        for entry in clean_environment({"PATH": path}, checkouts=[str(repo)])["PATH"].split(":"):
            assert entry.startswith("/")
            assert not Path(os.path.realpath(entry)).is_relative_to(os.path.realpath(repo))


@pytest.mark.parametrize("name", ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"])
@pytest.mark.parametrize(
    ("value", "workspace", "stays"),
    [
        ("{0}/repo", "{0}/repo", False),
        ("{0}/repo/home", "{0}/repo", False),
        ("{0}/in", "{0}/repo", False),
        ("", "{0}/repo", False),
        (".", "", False),
        ("{0}/other", "{0}/repo", True),
        ("/nowhere", "{0}/repo", True),
        ("{0}/repo", "", True),
    ],
)
def test_clean_environment__home(folder: Path, name: str, value: str, workspace: str, *, stays: bool) -> None:
    """The person's configuration is not looked for in the workspace, nor in the current folder.

    On a desk the home may be a repository.
    """
    environ = {"PATH": SYSTEM, "GITHUB_WORKSPACE": workspace.format(folder), name: value.format(folder)}
    expected = {**environ, **SET}
    if not stays:
        del expected[name]
    assert expected == clean_environment(environ, checkouts=[str(folder / "repo")])


@pytest.mark.parametrize("value", ["", "libexec", "{0}/repo/bin", "{0}/in"])
def test_clean_environment__own_programs(folder: Path, value: str) -> None:
    """The programs of git itself are not looked for in the checkout either."""
    environ = {"PATH": SYSTEM, "GIT_EXEC_PATH": value.format(folder)}
    assert {"PATH": SYSTEM, **SET} == clean_environment(environ, checkouts=[str(folder / "repo")])


@pytest.mark.parametrize(
    "path",
    [
        "{0}/tools",
        ":{0}/tools",
        "{0}/repo:{0}/tools",
        "{0}/in:{0}/tools",
        ".:bin:{0}/other:{0}/tools",
        "{0}/o:{0}/tools",
    ],
)
def test_find_git__first_outside(folder: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """The first git outside of the checkout is run: not one of the current folder, nor one that is a link into it."""
    monkeypatch.chdir(folder / "repo")
    (folder / "o").mkdir()
    (folder / "o/git").symlink_to(folder / "repo/git")
    found = find_git({"PATH": path.format(folder)}, checkouts=[str(folder / "repo")])
    assert f"{folder}/tools/git" == found


def test_find_git__workspace(folder: Path) -> None:
    """In Actions nothing of the workspace is run, though the repository that is measured is but a part of it."""
    environ = {"PATH": f"{folder}/repo/bin:{folder}/tools", "GITHUB_WORKSPACE": f"{folder}/repo"}
    assert f"{folder}/tools/git" == find_git(environ, checkouts=[str(folder / "repo/part")])


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands in for the system's own."""
    (tmp_path / "system").mkdir()
    monkeypatch.setattr("evalaction.trees.environment._DEFAULT_PATH", (str(tmp_path / "system"),))
    return tmp_path / "system"


@pytest.mark.parametrize("path", [None, "", "{0}/repo/bin", "{0}/other"])
def test_find_git__of_the_system(folder: Path, system: Path, path: str | None) -> None:
    """Where PATH has no other, the system's is run, also when all of the system is a repository."""
    program(system / "git")
    environ = {} if path is None else {"PATH": path.format(folder)}
    for checkout in (str(folder / "repo"), "/"):
        assert f"{system}/git" == find_git(environ, checkouts=[checkout])


def test_find_git__none(folder: Path, system: Path) -> None:
    """Where there is none but in the checkout, nothing is run, and the message says what to do."""
    with pytest.raises(BadInput) as caught:
        find_git({"PATH": f"{folder}/repo/bin:{folder}/other"}, checkouts=[str(folder / "repo")])
    expected = "There is no git on PATH. Install git, 2.30 or later, and have it on PATH, outside of the repository."
    assert (expected, []) == (str(caught.value), list(system.iterdir()))
