"""Folders that are closed to other users while commands run."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from evalaction.grade.closing import CannotClose, closed, private_places

MODES = (0o777, 0o755, 0o750, 0o700, 0o2775, 0o1777, 0o000)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_private_places__runner(tmp_path: Path) -> None:
    """Every folder that the runner names is private, and that of every file it names; texts and tools are not."""
    for name in ("home", "workspace", "temp", "tools", "commands", "workflow"):
        (tmp_path / name).mkdir()
    (tmp_path / "commands" / "set_output_1").touch()
    (tmp_path / "workflow" / "event.json").touch()
    (tmp_path / "alias").symlink_to("temp")
    environ = {
        "HOME": str(tmp_path / "home"),
        "GITHUB_WORKSPACE": str(tmp_path / "workspace"),
        "GITHUB_OUTPUT": str(tmp_path / "commands" / "set_output_1"),
        "GITHUB_EVENT_PATH": str(tmp_path / "workflow" / "event.json"),
        "GITHUB_STATE": str(tmp_path / "gone"),
        "GITHUB_REF": "refs/heads/main",
        "RUNNER_TEMP": str(tmp_path / "alias"),
        "RUNNER_TOOL_CACHE": str(tmp_path / "tools"),
        "OTHER": str(tmp_path / "tools"),
    }
    names = ("commands", "commands/set_output_1", "home", "temp", "workflow", "workflow/event.json", "workspace")
    found = private_places(environ, folders=())
    assert tuple(tmp_path / name for name in names) == tuple(path for path in found if path.is_relative_to(tmp_path))


def test_private_places__shared_folder(tmp_path: Path) -> None:
    """A file in a folder of everybody's is private, and that folder is not."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "output").touch()
    found = private_places({"GITHUB_OUTPUT": str(shared / "output")}, folders=())
    assert [shared / "output"] == [path for path in found if path.is_relative_to(tmp_path)]


def test_private_places__repository(tmp_path: Path) -> None:
    """The whole checkout is private whichever folder is named, and of a work tree the repository it belongs to."""
    (tmp_path / "repo" / "docs").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "worktrees" / "tree" / "commondir").write_text("../..\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / ".git").write_text(f"gitdir: {tmp_path}/repo/.git/worktrees/tree\n")

    def found(folder: str) -> list[str]:
        places = private_places({}, folders=(str(tmp_path / folder),))
        return [path.relative_to(tmp_path).as_posix() for path in places if path.is_relative_to(tmp_path)]

    assert ["repo", "repo/docs"] == found("repo/docs")
    assert ["repo/.git", "repo/.git/worktrees/tree", "tree"] == found("tree")


@pytest.mark.parametrize("before", MODES, ids=oct)
def test_closed__folder(tmp_path: Path, before: int) -> None:
    """Others have no rights meanwhile; all permissions are what they were afterwards, after an error too."""
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(before)
    meanwhile = []
    with suppress(KeyboardInterrupt), closed([place], reached=()):
        meanwhile.append(mode(place))
        raise KeyboardInterrupt
    assert [before & ~0o077] == meanwhile
    assert before == mode(place)


def test_closed__moved(tmp_path: Path) -> None:
    """What is opened again is what was closed, whatever bears its name by then."""
    place, other = tmp_path / "place", tmp_path / "other"
    place.mkdir(mode=0o755)
    with closed([place], reached=()):
        place.rename(other)
        place.mkdir(mode=0o700)
    assert (0o700, 0o755) == (mode(place), mode(other))


def test_closed__gone(tmp_path: Path) -> None:
    """What is gone by then needs no closing."""
    with closed([tmp_path / "gone"], reached=()):
        pass


def test_closed__reached(tmp_path: Path) -> None:
    """A folder that holds what a command needs is not closed, and what was closed before it is open again."""
    first, second = tmp_path / "a", tmp_path / "b"
    (second / "bin").mkdir(parents=True)
    first.mkdir(mode=0o755)
    said = f"{second} holds what a command needs, and cannot be closed to it"
    with pytest.raises(CannotClose, match=said), closed([first, second], reached=(str(second / "bin"),)):
        pass
    assert 0o755 == mode(first)


def test_closed__link(tmp_path: Path) -> None:
    """A symbolic link is not followed: what it leads to is not what was named."""
    (tmp_path / "place").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to("place")
    with pytest.raises(CannotClose), closed([tmp_path / "link"], reached=()):
        pass
    assert 0o755 == mode(tmp_path / "place")


def test_closed__keeps_no_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk on which permissions cannot be changed keeps nothing private, and that is said."""
    tmp_path.chmod(0o755)
    monkeypatch.setattr(os, "fchmod", lambda *_: None)
    said = f"{tmp_path} cannot be closed to other users: its disk keeps no permissions"
    with pytest.raises(CannotClose, match=said), closed([tmp_path], reached=()):
        pass
