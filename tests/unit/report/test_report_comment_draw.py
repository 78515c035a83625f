"""The draw that a comment shows: whole, bounded, and hidden where it is to be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.example_graders import GOOD, WROTE, command, diff
from support.grading import command_run
from support.markdown import outside_code, tags
from support.reports import case_result

from evalaction.records.case import Grader
from evalaction.records.report import CaseResult, Report
from evalaction.report.comment import render_comment
from evalaction.report.comment_draw import ShownDraw
from evalaction.report.lines import case_details
from evalaction.report.untrusted import plain


def shown(text: str, *, output: str | None = None, raw: int = 2_000) -> str:
    """Return the first draw of a case that gave ``text``, against a known-good file or with what a command wrote."""
    if output is None:
        result = case_result(
            "c", "A A", grader=Grader.DIFF, expect="good", expect_path="a.txt", answers={"A": text}, raw={"A": text}
        )
    else:
        runs = {"A": command_run(1, output)}
        result = case_result("c", "A A", grader=Grader.COMMAND, answers={"A": text}, runs=runs)
    return ShownDraw(result=result, graded=result.draws[0]).text(raw)


@given(st.text(st.sampled_from("`~x \n-+@<>&!#|\u202e"), min_size=1, max_size=40).map(lambda text: f"x{text}x"))
def test_shown_draw__no_way_out(text: str) -> None:
    """Whatever a draw or a command writes stands in its fence, and nothing else of Markdown or HTML is made of it."""
    for made, plainly in ((shown(text), shown("x")), (shown("fine", output=text), shown("fine", output="x"))):
        assert (tags(made), outside_code(made)) == (tags(plainly), outside_code(plainly))


@pytest.mark.parametrize("raw", [1, 300, 2_000])
def test_shown_draw__bounded(raw: int) -> None:
    """A diff takes no more room than is given, but for its first lines, and says what was cut."""
    made = shown("\n".join(f"line {number}" for number in range(90_000)), raw=raw)

    assert len(made) <= max(raw, 80) + 200
    assert made.endswith("89,850 more lines, which were not compared.")


@pytest.mark.parametrize(
    ("run", "texts"), [(diff(), (*GOOD.split("\n")[1:], "@@")), (command(), (*WROTE.strip().split("\n"), "print("))]
)
def test_render_comment__graders_without_completions(run: Report, texts: tuple[str, ...]) -> None:
    """Without completions neither a diff nor the output of a command is in a comment; exit codes are."""
    comment = render_comment(replace(run, show_completions=False))

    assert [text for text in texts if text in comment] == []
    assert ("exit code 1 in draws 2, 5" in comment) == (WROTE.split("\n", maxsplit=1)[0] in texts)


def test_case_details__a_diff() -> None:
    """In a log a diff stands line by line, each behind a mark of ours; without completions there is none."""
    result: CaseResult = diff().cases[1]

    assert [plain(line) for line in case_details(result, show=True)] == [
        "A differs in 1 line",
        "draw 1 against golden/invoice.ini:",
        "| @@ -1,5 +1,5 @@",
        "|  [invoice]",
        "| -vendor = Acme Tools",
        "| +vendor = Acme⟨U+00A0⟩Tools",
        "|  total = 1950",
        "|  currency = EUR",
        "|  terms = net 30",
        "they look alike, and are not: U+0020 against U+00A0 at character 14 of line 2",
    ]
    assert [plain(line) for line in case_details(result, show=False)] == ["A differs in 1 line"]
    assert plain(case_details(diff().cases[0], show=True)[0]) == "A is the known-good file, B differs in 2 lines"
