"""The files of a tree, and references that cannot leave it."""

from __future__ import annotations

import pytest
from support.trees import MemoryTree

from evalaction.errors import BadInput
from evalaction.suite.files import Files, resolve


@pytest.mark.parametrize(
    ("reference", "folder", "expected"),
    [("a.txt", "", "a.txt"), ("a.txt", "x/y", "x/y/a.txt"), ("../a.txt", "x/y", "x/a.txt"), ("./b/../a", "x", "x/a")],
)
def test_resolve__within(reference: str, folder: str, expected: str) -> None:
    """A relative reference is seen from its folder."""
    assert expected == resolve(reference, folder=folder)


@pytest.mark.parametrize(
    ("reference", "folder"), [("/etc/passwd", ""), ("../a", ""), ("../../a", "x"), ("a/../../b", "")]
)
def test_resolve__outside(reference: str, folder: str) -> None:
    """A reference out of the repository is refused."""
    with pytest.raises(BadInput) as caught:
        resolve(reference, folder=folder)
    remedy = "Name a file of this repository by a relative path."
    assert f"{reference!r} leaves the repository. {remedy}" == str(caught.value)


def unreadable(path: str) -> str:
    tree = MemoryTree({"prompts/refund_v2.txt": b""}, symlinks=("link", "dir"), submodules=("vendor",))
    with pytest.raises(BadInput) as caught:
        Files(tree, root="").read(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("prompts/refund.txt", "prompts/refund.txt does not exist. Did you mean prompts/refund_v2.txt?"),
        ("link", "link is a symbolic link, which is never followed. Put the file itself there."),
        (
            "dir/a.txt",
            "dir/a.txt lies beyond dir, which is a symbolic link, which is never followed. Put the file itself there.",
        ),
        (
            "vendor/a",
            "vendor/a lies beyond vendor, which is a submodule, which is never entered. "
            "Keep the file in this repository.",
        ),
    ],
)
def test_read__not_there(path: str, expected: str) -> None:
    """What is missing, linked or in a submodule is said with its remedy, and never followed."""
    assert expected == unreadable(path)


def test_text__bom() -> None:
    """A byte order mark is no part of a text."""
    assert "é" == Files(MemoryTree({"a": b"\xef\xbb\xbf\xc3\xa9"}), root="").text("a")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"ok\n\xff", "a is not UTF-8 (line 2). Save it as UTF-8."),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "a is a Git LFS pointer, not the file itself. Do not store it in LFS (git lfs untrack), "
            "or read the work tree after a checkout with `lfs: true`.",
        ),
    ],
)
def test_text__unreadable(data: bytes, expected: str) -> None:
    """A file that is no text says what it is."""
    with pytest.raises(BadInput) as caught:
        Files(MemoryTree({"a": data}), root="").text("a")
    assert expected == str(caught.value)


def test_read__once() -> None:
    """A file is read once, however often it is asked for."""
    tree = MemoryTree({"a": b"x"})
    files = Files(tree, root="")
    assert (b"x", "x", files.sha256("a")) == (files.read("a"), files.text("a"), files.sha256("a"))
    assert ["a"] == tree.reads


def test_match__root() -> None:
    """Globs are seen from the folder that is looked at."""
    tree = MemoryTree({"golden.jsonl": b"", "svc/golden.jsonl": b"", "svc/x/golden.jsonl": b""})
    assert ["svc/golden.jsonl", "svc/x/golden.jsonl"] == Files(tree, root="svc").match("**/golden.jsonl")
