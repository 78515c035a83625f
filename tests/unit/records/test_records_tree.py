"""What is said of trees without reading them."""

from __future__ import annotations

import pytest
from support.trees import MemoryTree

from evalaction.records.tree import EntryKind, Pair, is_oid, kind_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" * 40, True),
        ("0" * 64, True),
        ("a" * 39, False),
        ("a" * 41, False),
        ("A" * 40, False),
        ("g" * 40, False),
        ("\u0661" * 40, False),
        ("a" * 39 + "\n", False),
        ("main", False),
        ("", False),
    ],
)
def test_is_oid__forms(text: str, expected: bool) -> None:
    """A whole id is 40 or 64 hex digits in lower case."""
    assert expected == is_oid(text)


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (MemoryTree({}, sha="a" * 40), MemoryTree({}, sha="a" * 40, ref="main"), True),
        (MemoryTree({}, sha="a" * 40), MemoryTree({}, sha="b" * 40), False),
        (MemoryTree({}, sha="a" * 40), MemoryTree({}), False),
        (None, MemoryTree({}, sha="a" * 40), False),
        (None, MemoryTree({}), False),
    ],
)
def test_same__one_commit(base: MemoryTree | None, head: MemoryTree, expected: bool) -> None:
    """A pair is of one commit when its ids say so: not without a base, nor for a work tree, whatever it holds."""
    assert expected == Pair(base=base, head=head, renames={}).same


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("100644", EntryKind.FILE),
        ("100755", EntryKind.FILE),
        ("100664", EntryKind.FILE),
        ("120000", EntryKind.SYMLINK),
        ("160000", EntryKind.SUBMODULE),
    ],
)
def test_kind_of__modes(mode: str, expected: EntryKind) -> None:
    """Executable or not, a file is a file; a link and a submodule are none."""
    assert expected is kind_of(mode)
