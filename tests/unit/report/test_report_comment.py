"""Whole comments, as they are posted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support.example_reports import SOURCE, example_reports, linked_reports, mixed
from support.markdown import tags
from support.reports import ANSWERS, case_result, change, deck, report, untrusted_everywhere, with_id

from evalaction.records.case import Grader
from evalaction.records.plan import Reason
from evalaction.records.report import CaseResult, Report
from evalaction.report import comment_blocks, comment_cases, strips
from evalaction.report.comment import LIMIT, DoesNotFit, marker, render_comment

EXAMPLES = Path(__file__).parents[2] / "examples"
LOCATION = "https://github.example.test/acme/evals/actions/runs/1"
LEGENDS = [f"<sub>{strips.LEGEND}. {strips.LEGEND_OF_FIGURES}.</sub>", "<sub>∅ nothing came.</sub>"]
SHORTENED = "**Shortened to fit.** Left out or cut: "


@pytest.mark.parametrize("name", sorted(example_reports()))
def test_render_comment__examples(name: str) -> None:
    """A comment is the very text in its example's folder; ``UPDATE_EXAMPLES=1`` writes it anew."""
    path = EXAMPLES / name / "comment.md"
    comment = render_comment(example_reports()[name], report_location="evalaction-report/report.json")
    if os.environ.get("UPDATE_EXAMPLES"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(comment, encoding="utf-8")

    assert comment == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(linked_reports()))
def test_render_comment__linked(name: str) -> None:
    """With the page of the commit known, golden lines are links; ``UPDATE_EXAMPLES=1`` writes the example anew."""
    path = EXAMPLES / name / "comment.md"
    comment = render_comment(linked_reports()[name], report_location=LOCATION, source_url=SOURCE)
    if os.environ.get("UPDATE_EXAMPLES"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(comment, encoding="utf-8")

    assert comment == path.read_text(encoding="utf-8")


def many(number: int, letter: str, repeat: int) -> Report:
    """Return a run with ``number`` failing cases whose text answers are long, and 30 passing ones."""
    answers = {"A": letter * repeat, "B": f"b{letter * repeat}"}
    failing = case_result("f", "A B", agreement_min=1, grader=Grader.TEXT, answers=answers)
    passing = case_result("p", "A A")
    return report(
        *(with_id(failing, f"failing_{index}") for index in range(number)),
        *(with_id(passing, f"passing_{index}") for index in range(30)),
        manifest={"items": 1_000},
    )


def assert_whole(comment: str, limit: int = LIMIT) -> None:
    """Check what holds for every comment, shortened or not."""
    assert max(len(comment), len(comment.encode("utf-16-le")) // 2, len(comment.encode())) <= limit
    assert (comment.count("<!-- evalaction"), comment.splitlines()[-1]) == (1, marker("default"))
    rendered = tags(comment)
    assert rendered.count("<details>") == rendered.count("</details>")
    assert rendered[-1] == f"{marker('default')}"
    assert sum(line.startswith("````") for line in comment.splitlines()) % 2 == 0


@pytest.mark.parametrize(
    ("number", "letter", "repeat"), [(400, "a", 2_000), (400, "測", 1_000), (400, "🔴", 1_000), (1, "x", 500_000)]
)
def test_render_comment__too_long(number: int, letter: str, repeat: int) -> None:
    """A comment that would be too long keeps verdict, counts and marker, and says what is missing and where it is."""
    comment = render_comment(many(number, letter, repeat), report_location=LOCATION)
    lines = comment.splitlines()

    assert_whole(comment)
    verb = "fails" if number == 1 else "fail"
    assert lines[0] == f"### ❌ evalaction: {number} of {number + 30} affected cases {verb}"
    shortened = [line for line in lines if line.startswith(SHORTENED)]
    assert [line.endswith(f"Everything is in the [full report]({LOCATION}).") for line in shortened] == [True] * (
        number > 1
    )


def test_render_comment__many_cases() -> None:
    """The first twenty cases that fail are seen without a click, some more are named, and the rest is counted."""
    lines = render_comment(many(400, "a", 10)).splitlines()

    assert lines[2] == f"{SHORTENED}300 table rows, 380 folded cases. Everything is in the run's report files."
    assert [line for line in lines if line.startswith("<details><summary>") and "failing" not in line] == [
        "<details><summary>80 more cases that failed or could not be measured</summary>",
        "<details><summary>✅ 30 cases pass</summary>",
    ]
    assert sum(line.startswith("<details><summary>❌ fail <b><code>failing_") for line in lines) == 20


def test_render_comment__failing_before_passing() -> None:
    """What is kept of a long comment are failing cases from the first, and passing cases go before them."""
    comment = render_comment(many(400, "a", 2_000), limit=30_000)

    assert "✅ 30 cases pass" in comment.splitlines()
    assert "<b><code>failing_9</code></b>" in comment


def test_render_comment__hostile_and_long() -> None:
    """Many cases with ids and paths of 200 characters, each of which takes a dozen bytes, still fit."""
    result = case_result("x", "A B", agreement_min=1, path="\u202e" * 200, changed_files=("\u202e" * 200,))
    run = report(
        *(with_id(result, str(index) + "\u202e" * 195) for index in range(400)),
        manifest={"notes": ("\u202e" * 500,) * 50},
    )

    assert_whole(render_comment(run))


def test_render_comment__long_links() -> None:
    """Links to files with long names fit into the smallest limit that suffices for any report."""
    path = "\u202e" * 90
    result = case_result("x", "A B", agreement_min=1, path=path)
    run = report(
        *(with_id(result, str(index) + "\u202e" * 195) for index in range(400)),
        loosened=tuple(change("\u202e" * 195, "n", 5, 3, path=path, line=index) for index in range(1, 99)),
    )

    comment = render_comment(run, limit=16_384, source_url=SOURCE)
    assert_whole(comment, 16_384)
    assert f"]({SOURCE}/{'%E2%80%AE' * 90}#L1)" in comment


@pytest.mark.parametrize(
    ("without", "cases", "expected"),
    [
        (0, 2, None),
        (1, 1, "Agreement is not truth: the case has no expected value, so a stable wrong answer passes."),
        (2, 2, "Agreement is not truth: none of the 2 cases has an expected value, so a stable wrong answer passes."),
        (
            1,
            3,
            "Agreement is not truth: 1 of 3 cases has no expected value, so a stable wrong answer passes there: `c0`.",
        ),
    ],
)
def test_render_comment__truth(without: int, cases: int, expected: str | None) -> None:
    """The comment says which cases have no expected value, without a list where none has one."""
    results = [
        case_result(f"c{at}", "A A", expect={"total_cents": 1950} if at >= without else None) for at in range(cases)
    ]
    lines = render_comment(report(*results)).splitlines()

    assert [line for line in lines if line.startswith("Agreement is not truth")] == ([expected] if expected else [])


def test_render_comment__exactly_the_limit() -> None:
    """A comment of exactly the limit is whole; at one byte less it is shortened, and says so."""
    run = mixed()
    whole = render_comment(run)
    size = len(whole.encode())

    assert render_comment(run, limit=size) == whole
    shorter = render_comment(run, limit=size - 1)
    assert_whole(shorter, size - 1)
    assert sum(line.startswith(SHORTENED) for line in shorter.splitlines()) == 1


def unseen(number: int) -> Report:
    """Return a run with ``number`` failing cases whose answers have a thousand characters that are shown by number."""
    answers = {"A": "\u200b" * 1_000, "B": "b" + "\u200b" * 1_000}
    failing = case_result("f", "A B", agreement_min=1, grader=Grader.TEXT, answers=answers)
    return report(*(with_id(failing, f"failing_{index}") for index in range(number)), manifest={"items": 3_000})


def test_render_comment__only_what_can_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two thousand cases those are built that can be shown, and few others."""
    built: list[str] = []
    details = comment_cases.details

    def counted(result: CaseResult, **said: Any) -> comment_cases.Details:
        built.append(result.planned.case.id)
        return details(result, **said)

    monkeypatch.setattr(comment_cases, "details", counted)
    summary = render_comment(unseen(2_000), limit=1_048_576, comment_id=None)

    folds = sum(line.startswith("<details><summary>❌ fail") for line in summary.splitlines())
    assert (folds > 50, folds <= len(built) <= 2 * folds) == (True, True)


@pytest.mark.parametrize("limit", [16_384, 30_000, LIMIT, LIMIT + 1, 100_000, 400_000, 1_048_576])
@pytest.mark.parametrize("run", [mixed(), many(150, "a", 310), unseen(60)], ids=["mixed", "many", "unseen"])
def test_render_comment__as_if_all_were_built(run: Report, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not to build what can never fit changes no character."""
    comment = render_comment(run, limit=limit)
    monkeypatch.setattr(comment_blocks, "size", lambda _: 0)

    assert comment == render_comment(run, limit=limit)


def test_render_comment__what_the_signs_mean() -> None:
    """Passing cases have a legend of their own where the table above them does not explain their signs."""
    passing, failing = case_result("p", "A A"), case_result("f", "A B", agreement_min=1)
    missing = case_result("m", "∅ ∅")
    runs = [report(passing), report(failing, passing), report(missing, passing), report(missing)]

    legends = [[line for line in render_comment(run).splitlines() if line in LEGENDS] for run in runs]
    assert legends == [LEGENDS[:1], LEGENDS[:1], LEGENDS[::-1], LEGENDS[1:]]


@pytest.mark.parametrize("limit", [4_000, 5_000, 7_000, 10_000, 20_000])
def test_render_comment__every_step(limit: int) -> None:
    """At any limit the comment is whole in itself."""
    assert_whole(render_comment(many(40, "a", 2_000), limit=limit), limit)


def test_render_comment__no_room() -> None:
    """A limit under the shortest form is refused, rather than overrun."""
    with pytest.raises(DoesNotFit):
        render_comment(many(1, "a", 1), limit=300)


def test_render_comment__without_marker() -> None:
    """A text that nobody looks for has no marker."""
    assert render_comment(report(), comment_id=None) + "\n" + marker("a b-->") == render_comment(
        report(), comment_id="a b-->"
    ).removesuffix("\n")


def test_render_comment__no_model_text() -> None:
    """Without completions, nothing that the model wrote is in the comment."""
    words = "\ue001words of the model\ue001"
    answers = {"A": {"status": words, words: 1}, "B": {"status": f"{words}!", words: 2}}
    run = report(
        case_result("a", "A B ?", answers=answers, raw={"?": words}, agreement_min=1, expect_keys=("status",)),
        case_result("b", "A A", answers=answers, expect={"status": "x"}),
        case_result("c", "A B", answers=answers, agreement_min="0.5"),
        show_completions=False,
    )

    assert words not in render_comment(run)


def test_render_comment__all_kinds_are_whole() -> None:
    """Reports of every kind, hostile text in every place, end with their marker and close what they open."""
    for run in (*example_reports().values(), untrusted_everywhere("x"), report(decks=(deck("d"),) * 30)):
        assert_whole(render_comment(run))


def test_render_comment__same_report_same_text() -> None:
    """Two renderings of one run are equal, byte for byte."""
    assert render_comment(mixed()) == render_comment(mixed())


def test_render_comment__cases_that_were_all_asked_for() -> None:
    """Where nothing was compared, the headline does not say that cases are affected."""
    run = report(case_result("a", "A A", answers=ANSWERS, reasons=(Reason.ALL,)))

    assert render_comment(run).splitlines()[0] == "### ✅ evalaction: the case passes"


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (report(manifest={"items": 3}), "0 of 3 cases"),
        (report(case_result("a", "∅ ∅"), manifest={"items": 3}), "1 of 3 cases"),
        (report(case_result("a", "A A"), manifest={"items": 3}), "1 of 3 cases (few)"),
    ],
)
def test_render_comment__few_cases(run: Report, expected: str) -> None:
    """Totals are said to say little only where there are totals."""
    small_print = render_comment(run, comment_id=None).splitlines()[-1]

    assert [part for part in small_print.split(" · ") if " cases" in part] == [expected]
