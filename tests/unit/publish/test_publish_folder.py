"""The report folder is looked at before anything is spent."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalaction.errors import BadInput
from evalaction.publish.folder import clear_directory

REMEDY = "Name another folder with report-dir, or remove what is there."


def names(folder: Path) -> list[str]:
    """Return the names in a folder, hidden ones included."""
    return sorted(path.name for path in folder.iterdir())


def test_clear_directory__folder_in_place_of_a_file(tmp_path: Path) -> None:
    """A folder that stands where a report file goes is found before anything is spent."""
    (tmp_path / "report.json").mkdir()
    with pytest.raises(BadInput) as caught:
        clear_directory(tmp_path, within=tmp_path)
    assert str(caught.value) == f"In place of the report file {tmp_path / 'report.json'} is a folder. {REMEDY}"


def test_clear_directory__name_too_long(tmp_path: Path) -> None:
    """A name that no disk takes is an error in words."""
    folder = tmp_path / ("x" * 300)
    with pytest.raises(BadInput) as caught:
        clear_directory(folder, within=tmp_path)
    assert str(caught.value) == f"The report folder {folder} cannot be written: File name too long. {REMEDY}"


def test_clear_directory__symbolic_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link that a pull request put in the folder's place, or in that of a parent, is not followed.

    What counts is where the checkout is, not the folder that the run was started in.
    """
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    for start in (tmp_path, tmp_path / "elsewhere", Path("/")):
        monkeypatch.chdir(start)
        for folder in ("link", "link/reports", "link/a/b"):
            with pytest.raises(BadInput) as caught:
                clear_directory(tmp_path / folder, within=tmp_path)
            said = f"The report folder is reached through the symbolic link {tmp_path / 'link'}. {REMEDY}"
            assert str(caught.value) == said
    monkeypatch.chdir(tmp_path)
    for folder in ("link", "link/reports"):
        with pytest.raises(BadInput) as caught:
            clear_directory(Path(folder), within=tmp_path)
        assert str(caught.value) == f"The report folder is reached through the symbolic link link. {REMEDY}"

    assert names(tmp_path / "elsewhere") == []


def test_clear_directory__a_link_of_the_machine(tmp_path: Path) -> None:
    """A link above the checkout, or in the checkout's own place, is the machine's, and is followed."""
    (tmp_path / "disk" / "work").mkdir(parents=True)
    (tmp_path / "home").symlink_to("disk")
    clear_directory(tmp_path / "home" / "work" / "reports", within=tmp_path / "disk" / "work")
    clear_directory(tmp_path / "home" / "work" / "more", within=tmp_path / "home" / "work")
    clear_directory(tmp_path / "home" / "third", within=tmp_path / "home")

    assert names(tmp_path / "disk") == ["third", "work"]
    assert names(tmp_path / "disk" / "work") == ["more", "reports"]


def test_clear_directory__removes_our_own_alone(tmp_path: Path) -> None:
    """Report files of an earlier run, or of a pull request, are removed, and nothing else is."""
    for name in ("report.json", "report.md", "index.html", "report.json.bak"):
        (tmp_path / name).write_text("", encoding="utf-8")
    clear_directory(tmp_path, within=tmp_path)

    assert names(tmp_path) == ["index.html", "report.json.bak"]


def test_clear_directory__a_file(tmp_path: Path) -> None:
    """A file in the folder's place, or in that of a parent, is one clear error."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        clear_directory(tmp_path / "file", within=tmp_path)
    assert str(caught.value) == f"The report folder {tmp_path / 'file'} is a file. {REMEDY}"

    with pytest.raises(BadInput) as caught:
        clear_directory(tmp_path / "file" / "reports", within=tmp_path)
    assert str(caught.value) == (
        f"The report folder {tmp_path / 'file' / 'reports'} cannot be written: Not a directory. {REMEDY}"
    )


def test_clear_directory__not_writable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that nothing may be written to is found before anything is spent."""
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write anywhere, so no mode bits help
    with pytest.raises(BadInput) as caught:
        clear_directory(tmp_path, within=tmp_path)

    assert str(caught.value) == f"Nothing may be written to the report folder {tmp_path}. {REMEDY}"
