"""The text that a completion hands over to a comparison with a file, or to a command."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.answer.artifact import read_artifact_text
from evalaction.answer.reading import Extraction, Reading, Unreadable


@pytest.mark.parametrize(
    ("text", "fence", "value", "how"),
    [
        ("a\r\nb\n", None, "a\nb\n", Extraction.TEXT),
        ("```py\na\n  b\n```", None, "a\n  b\n", Extraction.FENCE),
        ("\n  ```py\n  a\n    b\n  ```\n\n", None, "a\n  b\n", Extraction.FENCE),
        ("Here:\n```py\na\n```", None, "Here:\n```py\na\n```", Extraction.TEXT),
        ("```py\na", None, "```py\na", Extraction.TEXT),
        ("```\na\n```\n```\nb\n```", None, "```\na\n```\n```\nb\n```", Extraction.TEXT),
        ("```\n```", None, "", Extraction.FENCE),
        ("Here:\r\n```py\r\na\r\n```\r\nDone.", "", "a\n", Extraction.FENCE),
        ("```sh\nb\n```\n```PY x\na\n```", "py", "a\n", Extraction.FENCE),
        ("```py\na\n```\nor\n~~~py\na\n~~~", "py", "a\n", Extraction.FENCE),
        ("```py\na\n```\n```sh\nb", "py", "a\n", Extraction.FENCE),
    ],
)
def test_read_artifact_text__text(text: str, fence: str | None, value: str, how: Extraction) -> None:
    """It is the whole text, or the content of the one fence that is asked for or that stands around all of it."""
    assert Reading(value=value, answer=value, extraction=how) == read_artifact_text(text, fence)


@pytest.mark.parametrize(
    ("text", "fence", "cause"),
    [
        ("a", "", "no fence in the text"),
        ("```sh\na\n```", "py", "no fence that says py in the text"),
        ("```py\na", "py", "a fence that says py is never closed"),
        ("```py\na\n```\n```\nb", "", "a fence is never closed"),
        ("```py\na\n```\n```py\nb\n```", "py", "ambiguous: more than one fence that says py, and they differ"),
        ("```py\na\n```\n```sh\nb\n```", "", "ambiguous: more than one fence, and they differ"),
        ("<think>a", None, "reasoning without an end: <think> is never closed, so what follows may be a draft"),
        ("<think>a</think>", None, "nothing but reasoning"),
        ("\ud800", None, "half of a surrogate pair in the text"),
    ],
)
def test_read_artifact_text__none(text: str, fence: str | None, cause: str) -> None:
    """No fence, one without an end and two that differ hand over nothing."""
    assert Unreadable(cause=cause) == read_artifact_text(text, fence)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<think>```py\nx\n```</think>\n\na\n", "a"),
        ("<think>x</think>\n    return 1\n", "    return 1"),
        ("\n<think>x</think>\n\n<think>y</think>\n\n  a\n b", "  a\n b"),
        ("<think>x</think> a", "a"),
        ("  a\n<think>x</think>", "  a"),
    ],
)
def test_read_artifact_text__after_reasoning(text: str, value: str) -> None:
    """Reasoning goes, and the blank lines where it stood with it; the first line keeps its indentation."""
    expected = Reading(value=value, answer=value, extraction=Extraction.TEXT, after_reasoning=True)
    assert expected == read_artifact_text(text, None)


LINES = st.lists(st.text("ab \t{}", max_size=5), min_size=1, max_size=5)


@given(LINES, st.sampled_from(["```", "~~~~"]), st.integers(0, 3))
def test_read_artifact_text__any_lines(lines: list[str], marker: str, indent: int) -> None:
    """Lines come back as they were from a fence of any kind and indentation."""
    blanks = " " * indent
    fenced = [f"{marker}py", *lines, marker]
    text = "Here it is:\n" + "\n".join(blanks + line for line in fenced) + "\nDone."
    found = read_artifact_text(text, "py")
    assert Reading(value="\n".join(lines) + "\n", answer="\n".join(lines) + "\n", extraction=Extraction.FENCE) == found
