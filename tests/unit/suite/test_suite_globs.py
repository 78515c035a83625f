"""Globs over the paths of a tree."""

from __future__ import annotations

import pytest

from evalaction.errors import BadInput
from evalaction.suite.globs import is_glob, matching

PATHS = [
    "golden.jsonl",
    "a/golden.jsonl",
    "a/b/x.golden.jsonl",
    "a/b/golden.jsonl.bak",
    ".github/golden.jsonl",
    "[x].md",
]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("**/golden.jsonl", ["golden.jsonl", "a/golden.jsonl", ".github/golden.jsonl"]),
        ("**/*.golden.jsonl", ["a/b/x.golden.jsonl"]),
        ("*.jsonl", ["golden.jsonl"]),
        ("a/**", ["a/golden.jsonl", "a/b/x.golden.jsonl", "a/b/golden.jsonl.bak"]),
        ("**", PATHS),
        ("a/*/*.jsonl", ["a/b/x.golden.jsonl"]),
        ("**/b/**/x.*", ["a/b/x.golden.jsonl"]),
        ("a/?/*", ["a/b/x.golden.jsonl", "a/b/golden.jsonl.bak"]),
        ("[[]x].md", ["[x].md"]),
        ("./golden.jsonl", ["golden.jsonl"]),
        ("GOLDEN.jsonl", []),
        ("a", []),
    ],
)
def test_matching__kinds(glob: str, expected: list[str]) -> None:
    """``**`` spans folders, none included; ``*`` and ``?`` do not cross a slash; names with a dot are like others."""
    assert expected == matching(glob, PATHS)


@pytest.mark.parametrize("glob", ["", "/a", "a/", "../a", "a//b", "!a"])
def test_matching__refused(glob: str) -> None:
    """A glob that is empty, absolute, climbing or negated is an error that says how to write one."""
    with pytest.raises(BadInput) as caught:
        matching(glob, PATHS)
    remedy = "Write it relative, such as prompts/**/*.golden.jsonl, without .. and no slash at its ends."
    assert f"{glob!r} is not a glob of paths within the repository. {remedy}" == str(caught.value)


def test_matching__many_stars() -> None:
    """A pattern made to backtrack ends at once."""
    assert [] == matching("**/" * 50 + "*a" * 50 + "b", ["/".join(["a" * 200] * 50)])


def test_is_glob() -> None:
    """A wildcard makes a glob."""
    assert [True, True, True, False] == [is_glob(text) for text in ("a*", "a?", "[a]", "a/b.txt")]
