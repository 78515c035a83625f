"""Where a ledger may lie."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.trees import MemoryTree

from evalaction.errors import BadInput
from evalaction.ledger.place import check_place

COMMIT = MemoryTree({"ledger.jsonl": b"", "sub/Draws.jsonl": b""}, sha="a" * 40)
OTHER = " Name another file with ledger (--ledger)."
OF_THE_REPOSITORY = "the ledger belongs to the repository: whoever writes a pull request could write replies into it."


def why_not(path: Path, checkout: Path, trees: Sequence[MemoryTree] = (COMMIT,)) -> str | None:
    """Return why a ledger may not lie at ``path``; None where it may."""
    try:
        check_place(path, within=checkout, report_dir=checkout / "report", trees=trees)
    except BadInput as error:
        return str(error).removesuffix(OTHER).removeprefix(f"{path}: ")
    return None


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout, with links in it and out of it."""
    folder = tmp_path / "checkout"
    (folder / ".git").mkdir(parents=True)
    (folder / "sub").mkdir()
    (folder / "report").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (folder / "out").symlink_to(tmp_path / "elsewhere")
    (folder / "link.jsonl").symlink_to(tmp_path / "elsewhere" / "x.jsonl")
    (tmp_path / "own").symlink_to(tmp_path / "elsewhere")
    return folder


@pytest.mark.parametrize("name", ["draws.jsonl", "sub/new/draws.jsonl", "report/draws.jsonl"])
def test_check_place__good(checkout: Path, name: str) -> None:
    """A file of its own is good, there already or not, also through a link that the machine itself has."""
    assert why_not(checkout / name, checkout) is None
    assert why_not(checkout.parent / "own" / name, checkout) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("link.jsonl", "the ledger is reached through the symbolic link {checkout}/link.jsonl."),
        ("out/x.jsonl", "the ledger is reached through the symbolic link {checkout}/out."),
        ("sub", "the ledger is no file."),
        ("ledger.jsonl", OF_THE_REPOSITORY),
        ("Ledger.jsonl", OF_THE_REPOSITORY),
        ("sub/draws.jsonl", OF_THE_REPOSITORY),
        ("sub/../ledger.jsonl", OF_THE_REPOSITORY),
        ("report/report.json", "the ledger is one of the report files."),
        ("sub/../report/report.md", "the ledger is one of the report files."),
        ("x" * 300, "the ledger cannot be used: File name too long."),
        ("a\0b", "the ledger cannot be used: ValueError."),
    ],
)
def test_check_place__refused(checkout: Path, name: str, why: str) -> None:
    """Neither a link, nor a report file, nor what a pull request could have written is a ledger."""
    assert why.format(checkout=checkout) == why_not(checkout / name, checkout)


def test_check_place__relative(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that is relative to the current folder is held to the same."""
    monkeypatch.chdir(checkout)
    assert "the ledger is reached through the symbolic link out." == why_not(Path("out/x.jsonl"), checkout)
    assert OF_THE_REPOSITORY == why_not(Path("ledger.jsonl"), checkout)
    assert why_not(Path("draws.jsonl"), checkout) is None


def test_check_place__files_on_disk(checkout: Path) -> None:
    """What lies on a person's own disk beside the repository's files is theirs, whatever its name."""
    tree = MemoryTree({"ledger.jsonl": b""}, ref="WORKTREE")
    assert why_not(checkout / "ledger.jsonl", checkout, [tree]) is None


def test_check_place__not_looked_into(checkout: Path) -> None:
    """A file outside of every checkout is nobody's commit, though a commit has a file of that name."""
    assert why_not(checkout.parent / "ledger.jsonl", checkout) is None
