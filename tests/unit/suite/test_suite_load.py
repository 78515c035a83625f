"""A tree as a whole: which files are read, what they are worth, and what is shared between two trees."""

from __future__ import annotations

import gc

import pytest
from support.suites import ids, problems, suite_of
from support.trees import MemoryTree, lines

from evalaction.records.settings import Defaults
from evalaction.suite.load import Known, load_suite
from evalaction.values import sha256

ROW = '{"id":"a","prompt":"x"}'


def test_load__nothing_to_run() -> None:
    """A tree without golden files and decks says what was looked for."""
    expected = (
        "No golden file matches **/*.golden.jsonl, **/golden.jsonl, and no deck is configured. "
        "Add a file such as prompts/golden.jsonl, one case a line."
    )
    assert [expected] == problems({"README.md": "x"})


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (["a.golden.jsonl"], "Base has a.golden.jsonl. Bring it back, or add a file"),
        (["a", "b", "c", "d", "e"], "Base has a, b, c, d, e. Bring one back, or add a file"),
        ([f"{index}" for index in range(1_006)], "Base has 0, 1, 2, 3, 4, 1,001 more. Bring one back, or add a file"),
    ],
)
def test_load__nothing_left(before: list[str], expected: str) -> None:
    """Where there was something before, that is named."""
    message = (
        "No golden file matches **/*.golden.jsonl, **/golden.jsonl, and no deck is configured. "
        f"{expected} such as prompts/golden.jsonl, one case a line."
    )
    assert [message] == problems({"README.md": "x"}, before=lambda: before)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"before": None}, []),
        ({}, ["golden.jsonl: The file holds no case (0 cases). Add a line, or remove the file."]),
    ],
)
def test_load__file_without_case(options: dict[str, None], expected: list[str]) -> None:
    """A golden file without a case is a problem, but not where there need be none yet."""
    assert expected == problems({"golden.jsonl": "\n"}, **options)


def test_load__glob_without_files() -> None:
    """A glob that was asked for and matches nothing is said."""
    suite = suite_of({"a.jsonl": ROW}, golden=("a.jsonl", "b/*.jsonl"))
    assert (("No file matches b/*.jsonl.",), ()) == (suite.warnings, suite.problems)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"symlinks": ("golden.jsonl",)},
            "golden.jsonl: golden.jsonl is a symbolic link, which is never followed. Put the file itself there.",
        ),
        (
            {"submodules": ("golden.jsonl",)},
            "golden.jsonl: golden.jsonl is a submodule, which is never entered. Keep the file in this repository.",
        ),
    ],
)
def test_load__linked_golden_file(options: dict[str, tuple[str, ...]], expected: str) -> None:
    """A golden file that is a symbolic link or a submodule is an error, and is not read."""
    tree = MemoryTree({"a.golden.jsonl": lines(ROW)}, **options)  # type: ignore[arg-type]
    suite = load_suite(tree, defaults=Defaults())
    assert ([expected], ["a"]) == ([str(problem) for problem in suite.problems], ids(suite))
    assert ["a.golden.jsonl"] == tree.reads


def test_load__order_and_identity() -> None:
    """Files come in byte order of their paths, and the identity is over their paths and bytes."""
    files = {"b.golden.jsonl": ROW, "B.golden.jsonl": ROW, "é.golden.jsonl": ROW}
    suite = suite_of(files)
    paths = ["B.golden.jsonl", "b.golden.jsonl", "é.golden.jsonl"]
    assert paths == list(suite.golden_paths)
    manifest = "".join(f"{sha256(ROW.encode())}  {path}\n" for path in paths)
    assert sha256(manifest.encode()) == suite.dataset_sha256
    assert suite.dataset_sha256 != suite_of({**files, "b.golden.jsonl": ROW + "\n"}).dataset_sha256


def test_load__path_that_is_not_utf8() -> None:
    """A file whose name is no UTF-8 is read like any other."""
    suite = suite_of({"\udcff.golden.jsonl": ROW})
    assert [("\udcff.golden.jsonl", "a")] == [case.key for case in suite.cases]


def both(base: dict[str, bytes], head: dict[str, bytes]) -> list[bool]:
    """Load two trees with one memory, and tell for each case of head whether it is an object of base."""
    known: Known = {}
    first, second = (load_suite(MemoryTree(files), defaults=Defaults(), known=known) for files in (base, head))
    objects = {id(case.contract): case for case in first.cases}
    return [id(case.contract) in objects for case in second.cases]


def test_known__equal_lines_are_one_object() -> None:
    """A line that stands in both trees is resolved once, wherever it stands in its file."""
    base = {"golden.jsonl": lines(ROW, '{"id":"b","prompt":"y"}')}
    known: Known = {}
    first = load_suite(MemoryTree(base), defaults=Defaults(), known=known)
    second = load_suite(MemoryTree(base), defaults=Defaults(), known=known)
    assert all(one is other for one, other in zip(first.cases, second.cases, strict=True))
    moved = load_suite(MemoryTree({"golden.jsonl": lines("", "", ROW)}), defaults=Defaults(), known=known)
    assert ([3], True) == ([case.line for case in moved.cases], moved.cases[0].messages is first.cases[0].messages)


@pytest.mark.parametrize(
    ("changed", "shared"),
    [
        ({}, True),
        ({"golden.jsonl": b'\xef\xbb\xbf{"id":"a","prompt_file":"t.txt","schema_file":"s.json"}\r\n'}, True),
        ({"t.txt": b"{% include 'i.txt' %}!"}, False),
        ({"i.txt": b"other"}, False),
        ({"s.json": b'{"type":"array"}'}, False),
        ({"r.json": b'{"type":"string"}'}, False),
        ({"unrelated": b"x"}, True),
    ],
)
def test_known__only_while_its_files_are_the_same(changed: dict[str, bytes], shared: bool) -> None:
    """A case is taken over only when every file that it was made from is the same in the other tree."""
    base = {
        "golden.jsonl": lines('{"id":"a","prompt_file":"t.txt","schema_file":"s.json"}'),
        "t.txt": b"{% include 'i.txt' %}",
        "i.txt": b"inc",
        "s.json": b'{"items":{"$ref":"r.json"}}',
        "r.json": b'{"type":"number"}',
    }
    assert [shared] == both(base, {**base, **changed})


def test_known__not_while_a_file_is_missing() -> None:
    """A text that hangs on an absent file is rendered again, since the file may be there in the other tree."""
    base = {"golden.jsonl": lines('{"id":"a","prompt_file":"t.txt"}'), "t.txt": b"x{% include 'i' ignore missing %}"}
    known: Known = {}
    texts = [
        load_suite(MemoryTree(files), defaults=Defaults(), known=known).cases[0].messages[0]["content"]
        for files in (base, {**base, "i": b"y"})
    ]
    assert ["x", "xy"] == texts


def test_load__collector_as_before() -> None:
    """The collector of cycles is left as it was found, whatever the file holds."""
    before = gc.get_threshold()
    suite_of({"golden.jsonl": "rubbish"})
    assert before == gc.get_threshold()


def test_known__not_under_other_defaults() -> None:
    """A line under another configuration is another case."""
    base = {"golden.jsonl": lines(ROW)}
    assert [False] == both(base, {**base, "evalaction.yml": b"defaults: {n: 9}"})
