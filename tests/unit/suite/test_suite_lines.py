"""Golden files as bytes: lines, and everything that is not one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.suites import golden, ids, problems, suite_of

ROW = '{"id": "a", "prompt": "x"}'
OTHER = '{"id": "b", "prompt": "y"}'


def wrong(data: bytes) -> list[str]:
    return problems({"evals/golden.jsonl": data})


@pytest.mark.parametrize(
    "data",
    [
        f"{ROW}\n{OTHER}\n".encode(),
        f"{ROW}\n{OTHER}".encode(),
        b"\xef\xbb\xbf" + f"{ROW}\r\n{OTHER}\r\n".encode(),
        f"\n{ROW}\n\n  \t\n{OTHER}\n\n\n".encode(),
        f"\f\n{ROW}\r\n\r\n\v\r\n\r\r\n{OTHER}\n\f".encode(),
        f"  {ROW}\t\r\r\n\t{OTHER} \r".encode(),
    ],
)
def test_split__same_cases(data: bytes) -> None:
    """A byte order mark, CRLF, white space around lines, blank lines and a missing last line end change no case."""
    suite = suite_of({"golden.jsonl": data})
    assert [("a", "x"), ("b", "y")] == [(case.id, case.messages[0]["content"]) for case in suite.cases]
    assert () == suite.problems


def test_split__physical_lines() -> None:
    """Cases keep the physical line that they stand on."""
    suite = suite_of({"golden.jsonl": f"\n{ROW}\n\n{OTHER}\n"})
    assert [2, 4] == [case.line for case in suite.cases]


def test_split__other_line_ends() -> None:
    """Only a line feed ends a line: other separators of Unicode stand within a text."""
    suite = suite_of(golden('{"id": "a", "prompt": "x\u2028y\u0085z"}'))
    assert ["x\u2028y\u0085z"] == [case.messages[0]["content"] for case in suite.cases]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b'{"id":"a","prompt":"x"}\n\n   \t\n{"id":"b","prompt":"y",}\n{"id":"c","prompt":"z"}\n',
            "evals/golden.jsonl:4: The line is not JSON: a comma before the closing bracket (character 23). "
            "Write one whole JSON object a line.",
        ),
        (
            b'// smoke cases\n{"id":"a","prompt":"x"}\n',
            "evals/golden.jsonl:1: The line is a comment, and JSON has none. Use the field `note`, or remove it.",
        ),
        (
            b'# smoke\n{"id":"a","prompt":"x"}\n',
            "evals/golden.jsonl:1: The line is a comment, and JSON has none. Use the field `note`, or remove it.",
        ),
        (b"", "evals/golden.jsonl: The file holds no case (0 cases). Add a line, or remove the file."),
        (b"\n \n", "evals/golden.jsonl: The file holds no case (0 cases). Add a line, or remove the file."),
        (b'["a"]\n', "evals/golden.jsonl:1: The line holds a list, not an object. Write one JSON object a line."),
        (b"null\n", "evals/golden.jsonl:1: The line holds null, not an object. Write one JSON object a line."),
        (
            b'{"id":"a","prompt":"\xff"}\n',
            "evals/golden.jsonl:1: Byte 21 of the line is not UTF-8. Save the file as UTF-8.",
        ),
        (
            b'{"id":"a","prompt":"x\x00"}\n',
            "evals/golden.jsonl:1: The line holds a NUL byte. Save the file as UTF-8, and write \\u0000 in a text.",
        ),
        (b"\xff\xfe{\x00", "evals/golden.jsonl:1: The file is UTF-16. Save it as UTF-8."),
        (b"\xff\xfe\0\0{\0\0\0", "evals/golden.jsonl:1: The file is UTF-32. Save it as UTF-8."),
        (ROW.encode("utf-16-le"), "evals/golden.jsonl:1: The file is UTF-16. Save it as UTF-8."),
        (ROW.encode("utf-16-be"), "evals/golden.jsonl:1: The file is UTF-16. Save it as UTF-8."),
        (ROW.encode("utf-32-be"), "evals/golden.jsonl:1: The file is UTF-32. Save it as UTF-8."),
        (
            f"{ROW}\n\ufeff{OTHER}\n".encode(),
            "evals/golden.jsonl:2: A byte order mark stands at the start of the line, and only a file may begin with "
            "one. Remove it: two files were put together.",
        ),
        (
            f"{ROW}\r{OTHER}\r".encode(),
            "evals/golden.jsonl:1: The line holds a carriage return between its values, and only a line feed ends a "
            "line. Save the file with line feeds, or with carriage returns before them.",
        ),
        (
            f"{ROW}\n\u2028\n".encode(),
            "evals/golden.jsonl:2: The line is not JSON: Expecting value (character 1). "
            "Write one whole JSON object a line.",
        ),
        (
            b'{"id":"a","prompt":"\\ud800"}\n',
            "evals/golden.jsonl:1: The line is not JSON: half of a surrogate pair in a string (character 20). "
            "Write one whole JSON object a line.",
        ),
        (
            b'{"id":"a","id":"b","prompt":"x"}\n',
            'evals/golden.jsonl:1: The line is not JSON: the key "id" stands twice in one object (character 11). '
            "Write one whole JSON object a line.",
        ),
        (
            b'{"id":"a","prompt":"x","temperature":NaN}\n',
            "evals/golden.jsonl:1: The line is not JSON: NaN is not JSON (character 38). "
            "Write one whole JSON object a line.",
        ),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0111\nsize 88612\n",
            "evals/golden.jsonl:1: This is a Git LFS pointer, not the file itself. Do not store it in LFS "
            "(git lfs untrack), or read the work tree after a checkout with `lfs: true`.",
        ),
        (
            b'{"id":"a","prompt":"x"}\n<<<<<<< HEAD\n{"id":"b"}\n=======\n{"id":"b"}\n>>>>>>> topic\n',
            "evals/golden.jsonl:2: The merge-conflict marker <<<<<<< stands here. Resolve the conflict.",
        ),
        (
            b'{"id":"a","prompt":"x"}\r\n=======\r\n',
            "evals/golden.jsonl:2: The merge-conflict marker ======= stands here. Resolve the conflict.",
        ),
        *(
            (
                b"\xef\xbb\xbf" + f"{marker}\r\n{ROW}\r\n=======\r\n".encode(),
                f"evals/golden.jsonl:1: The merge-conflict marker {marker[:7]} stands here. Resolve the conflict.",
            )
            for marker in ("<<<<<<< HEAD", "<<<<<<<", "||||||| 0a1b2c3", ">>>>>>> topic")
        ),
        *(
            (
                f"{start}\r\noid sha256:0111\r\nsize 88612\r\n".encode(),
                "evals/golden.jsonl:1: This is a Git LFS pointer, not the file itself. Do not store it in LFS "
                "(git lfs untrack), or read the work tree after a checkout with `lfs: true`.",
            )
            for start in (
                "version https://git-lfs.github.com/spec/v1",
                "\ufeffversion https://git-lfs.github.com/spec/v1",
                "version https://hawser.github.com/spec/v1",
                "version http://git-media.io/v/2",
            )
        ),
    ],
)
def test_problems__one_clear_error(data: bytes, expected: str) -> None:
    """Each kind of unusable file is one error that names file, physical line and remedy."""
    assert expected == " ".join(wrong(data))


def test_problems__markers_within_texts() -> None:
    """Markers that stand within a prompt are no conflict."""
    assert [] == wrong(b'{"id":"a","prompt":"<<<<<<< a ======= b >>>>>>>"}\n')


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((ROW, OTHER, '{"id": "a", "prompt": "z"}'), ("a", 1, 3)),
        (('{"id": 1, "prompt": "x"}', '{"id": "1", "prompt": "y"}'), ("1", 1, 2)),
        (('{"id": 1, "prompt": "x"}', '{"id": 1.0, "prompt": "y"}'), ("1", 1, 2)),
        (('{"id": "10", "prompt": "x"}', '{"prompt": "y", "id": 1e1}'), ("10", 1, 2)),
        (('{"id": 0, "prompt": "x"}', '{"id": -0.0, "prompt": "y"}'), ("0", 1, 2)),
        (('{"id": "a", "prompt": "x"}', '{"id": "\\u0061", "prompt": "y"}'), ("a", 1, 2)),
        ((ROW, ROW), ("a", 1, 2)),
    ],
)
def test_problems__duplicate_id(rows: tuple[str, ...], expected: tuple[str, int, int]) -> None:
    """An id that stands twice names both lines, whatever its type."""
    name, first, second = expected
    message = f"The id {name!r} stands in lines {first} and {second}."
    remedy = 'Give each case of a file its own; 1 and "1" are the same.'
    assert [f"golden.jsonl:{second}: {message} {remedy}"] == problems(golden(*rows))


def test_ids__kept_apart() -> None:
    """Ids that differ in case, a space or the characters they are spelt with, or stand in two files, are different."""
    names = ["a", "a ", "A", "\u0430", "1", "01", "1.0", "\u0661", "\uff11", "true", "\u00e9", "e\u0301", "a\u200b"]
    files = {
        "a.golden.jsonl": "".join(json.dumps({"id": name, "prompt": "x"}) + "\n" for name in names),
        "b.golden.jsonl": '{"id":"a","prompt":"x"}\n',
    }
    suite = suite_of(files)
    assert () == suite.problems
    expected = [("a.golden.jsonl", name) for name in names] + [("b.golden.jsonl", "a")]
    assert expected == [case.key for case in suite.cases]


def test_problems__all_of_them() -> None:
    """Every wrong line of every file is named at once, and the right ones are there."""
    files = {"a.golden.jsonl": "{\n" + ROW + "\n[]\n", "b.golden.jsonl": "null\n"}
    suite = suite_of(files)
    places = [(problem.path, problem.line) for problem in suite.problems]
    assert [("a.golden.jsonl", 1), ("a.golden.jsonl", 3), ("b.golden.jsonl", 1)] == places
    assert ["a"] == ids(suite)


def test_problems__flood() -> None:
    """A file of nothing but rubbish does not bury the other problems."""
    found = problems({"golden.jsonl": "rubbish\n" * 1000})
    assert (51, "golden.jsonl: There are 950 more problems in this file.") == (len(found), found[-1])


@given(data=st.binary(max_size=200))
def test_load__any_bytes(data: bytes) -> None:
    """Whatever bytes a golden file holds, there are cases or problems, and never a crash."""
    suite = suite_of({"golden.jsonl": data})
    assert suite.cases or suite.problems
