"""Renames told by content alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.trees.renames import exact_renames


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        pytest.param({"a": "1"}, {"b": "1"}, {"b": "a"}, id="renamed"),
        pytest.param({"a": "1"}, {"b": "2"}, {}, id="edited"),
        pytest.param({"a": "1"}, {"a": "1", "b": "1"}, {}, id="copied"),
        pytest.param({"a": "1", "b": "2"}, {"a": "2", "b": "1"}, {}, id="swapped"),
        pytest.param({"a": "1"}, {"a/in": "1"}, {"a/in": "a"}, id="to a folder"),
        pytest.param({"a": "1"}, {}, {}, id="deleted"),
        pytest.param({}, {"a": "1"}, {}, id="added"),
        pytest.param(
            {"x/one": "1", "x/two": "1"}, {"y/one": "1", "y/two": "1"}, {"y/one": "x/one", "y/two": "x/two"}, id="moved"
        ),
        pytest.param(
            {"a/z": "1", "b/y": "1"}, {"c/y": "1", "d/z": "1"}, {"c/y": "b/y", "d/z": "a/z"}, id="same names first"
        ),
        pytest.param({"a": "1", "b": "1"}, {"c": "1"}, {"c": "a"}, id="the first of two"),
        pytest.param({"a": "1"}, {"c": "1", "b": "1"}, {"b": "a"}, id="each once"),
        pytest.param({"b": "1", "a": "1"}, {"d": "1", "c": "1"}, {"c": "a", "d": "b"}, id="in byte order"),
        pytest.param({"\udcff": "1", "\uffff": "1"}, {"c": "1"}, {"c": "\uffff"}, id="bytes that are no UTF-8"),
    ],
)
def test_exact_renames__table(base: dict[str, str], head: dict[str, str], expected: dict[str, str]) -> None:
    """A file that is gone and one that is new with the same content are one; a copy or an exchange is no rename."""
    assert expected == exact_renames(base, head)


FILES = st.dictionaries(st.sampled_from(["a/x", "a/y", "b/x", "b/y", "c", "d"]), st.sampled_from("12"))


@given(base=FILES, head=FILES)
def test_exact_renames__any_trees(base: dict[str, str], head: dict[str, str]) -> None:
    """Each pair has one content, is gone and new, and no file is in two; none that could pair is left out."""
    renames = exact_renames(base, head)
    gone, new = base.keys() - head.keys(), head.keys() - base.keys()
    assert all(path in new and old in gone and base[old] == head[path] for path, old in renames.items())
    assert len(set(renames.values())) == len(renames)
    left = {head[path] for path in new - renames.keys()}
    assert left.isdisjoint(base[old] for old in gone - set(renames.values()))


def test_exact_renames__many_alike() -> None:
    """Ten thousand files with one content pair in one go."""
    base = {f"a/{number:05}": "1" for number in range(10_000)}
    head = {f"b/{number + 5_000:05}": "1" for number in range(10_000)}
    renames = exact_renames(base, head)
    assert ("a/05000", "a/00000", 10_000) == (renames["b/05000"], renames["b/10000"], len(renames))
