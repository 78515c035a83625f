"""Which case of base each case of head was."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from support.suites import suite_of

from evalaction.plan.pairs import pair_cases, pair_decks
from evalaction.records.deck import Deck


def pairs(base: dict[str, list[str]], head: dict[str, list[str]], **renames: str) -> tuple[list[str], list[str]]:
    def cases(files: dict[str, list[str]]) -> dict[str, str]:
        return {
            path: "".join(f'{{"id":"{name}","prompt":"{name}"}}\n' for name in names) for path, names in files.items()
        }

    before, after = (suite_of(cases(files), golden=("*",)).cases for files in (base, head))
    found = pair_cases(before, after, renames=renames)
    return (
        [
            f"{case.path}#{case.id} {'new' if old is None else f'{old.path}#{old.id}'}"
            for case, old in zip(after, found.olds, strict=True)
        ],
        [f"{case.path}#{case.id}" for case in found.removed],
    )


def test_pair_cases__by_key() -> None:
    """The same id in the same file is the same case, also when another file has it too."""
    assert (["a#x a#x", "b#x b#x"], []) == pairs({"a": ["x"], "b": ["x"]}, {"a": ["x"], "b": ["x"]})


def test_pair_cases__by_unique_id() -> None:
    """A case that moved to another file is found by its id, if that stands once on both sides."""
    assert (["b#x a#x", "b#y b#y"], []) == pairs({"a": ["x"], "b": ["y"]}, {"b": ["x", "y"]})


def test_pair_cases__id_that_stands_twice() -> None:
    """An id that stands twice on one side says nothing of which case it was."""
    assert (["c#x new"], ["a#x", "b#x"]) == pairs({"a": ["x"], "b": ["x"]}, {"c": ["x"]})


def test_pair_cases__along_renames() -> None:
    """Where ids are not unique, a renamed file tells."""
    base, head = {"a": ["x"], "b": ["x"]}, {"c": ["x"], "d": ["x"]}
    assert (["c#x b#x", "d#x new"], ["a#x"]) == pairs(base, head, c="b")


def test_pair_cases__new_and_removed() -> None:
    """What has no counterpart is new or removed."""
    assert (["a#y new"], ["a#x"]) == pairs({"a": ["x"]}, {"a": ["y"]})


@given(st.lists(st.sampled_from(["a#x", "a#y", "b#x", "b#y", "c#x"]), unique=True), st.randoms())
def test_pair_cases__shared_objects(names: list[str], rng: Random) -> None:
    """Cases that are the very same objects on both sides are paired as equal ones are."""
    files = {path: "".join(f'{{"id":"{name}","prompt":"p"}}\n' for name in "xyz") for path in "abc"}
    base = suite_of(files, golden=("*",)).cases
    head = [case if rng.random() < 0.5 else replace(case) for case in base if f"{case.path}#{case.id}" not in names]
    rng.shuffle(head)
    shared = pair_cases(base, head, renames={})
    copied = pair_cases(base, [replace(case) for case in head], renames={})
    assert (list(copied.olds), copied.removed) == (list(shared.olds), shared.removed)
    assert [case.key for case in head] == [old and old.key for old in shared.olds]


ROWS = '{"id":1,"task":"t","trace":"x","gold":"pass"}\n{"id":2,"task":"t","trace":"y","gold":"fail"}\n'


def decks(*entries: tuple[str, str]) -> tuple[Deck, ...]:
    rows = "".join(f"- {{name: {name}, rubric: r, fixtures: {path}}}\n" for name, path in entries)
    files = {path: ROWS for _, path in entries}
    return suite_of({"evalaction.yml": f"decks:\n{rows}", "r": "x", **files}).decks


def deck_pairs(
    base: tuple[Deck, ...], head: tuple[Deck, ...], **renames: str
) -> tuple[list[tuple[str, str | None]], list[str]]:
    found, removed = pair_decks(base, head, renames=renames)
    return [(deck.name, None if old is None else old.name) for deck, old in found], [deck.name for deck in removed]


def test_pair_decks__by_name_then_file() -> None:
    """Decks are paired by name, and a renamed one by its fixtures file."""
    base, head = decks(("a", "f1"), ("b", "f2"), ("gone", "f3")), decks(("a", "f2"), ("renamed", "f2"))
    assert ([("a", "a"), ("renamed", "b")], ["gone"]) == deck_pairs(base, head)


def test_pair_decks__along_renames() -> None:
    """A deck whose name and fixtures file both changed is found along the file's rename, where one deck was there."""
    base, head = decks(("a", "f1"), ("b", "f2")), decks(("c", "f3"), ("b", "f2"))
    assert ([("c", "a"), ("b", "b")], []) == deck_pairs(base, head, f3="f1")
    assert ([("c", None), ("b", "b")], ["a"]) == deck_pairs(base, head)
    assert ([("c", None)], ["a", "b"]) == deck_pairs(decks(("a", "f1"), ("b", "f1")), decks(("c", "f3")), f3="f1")
