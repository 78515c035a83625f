"""A comment's decks, and its cases that a judge grades."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.decks import deck_result, judged_case, trace_deck
from support.example_decks import TRACES, failing, fluent_last, unmeasured
from support.judging import Order, gold_of, in_prose, last_passes, verdicts
from support.markdown import render
from support.reports import STUBS, case_result, deck, report, with_id

from evalaction.forks import FAILS
from evalaction.publish.log import log_lines
from evalaction.records.deck import Deck, Fixture
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Cause, Failure
from evalaction.records.report import Report
from evalaction.report.comment import LIMIT, marker, render_comment

SHORTENED = "**Shortened to fit.** Left out or cut: "
HELD = Failure(cause=Cause.HELD, message=FAILS.message)


def large(mark: str = "") -> DeckResult:
    """Return a judge that passes whatever stands last of 50 fixtures in 50 orders; ``mark`` stands in every name."""
    fixtures = tuple(
        Fixture(id=f"{mark}{n}", line=n, fields={"trace": f"t{n}"}, gold="pass" if n % 3 else "fail")
        for n in range(1, 51)
    )
    asked = trace_deck(name=f"{mark}deck", fixtures=fixtures, show=("trace",), max_orders=50)
    return deck_result(asked, last_passes)


LARGE, HOSTILE = large(), large("\u202e" * 190)


def named(result: DeckResult, name: str) -> DeckResult:
    """Return a deck under another name, as cheaply as can be."""
    planned = result.planned
    return replace(result, planned=replace(planned, deck=replace(planned.deck, name=name)))


def run_of(result: DeckResult, number: int, cases: int) -> Report:
    """Return a run with a deck several times, beside failing cases of long names."""
    case = case_result("x", "A B", agreement_min=1, path="\u202e" * 200)
    decks = tuple(named(result, f"{index}{result.planned.deck.name}") for index in range(number))
    made = report(*(with_id(case, f"{index}{'x' * 190}") for index in range(cases)))
    return replace(made, decks=decks, stubs=STUBS)


@pytest.mark.parametrize("limit", [16_384, LIMIT])
@pytest.mark.parametrize("cases", [0, 100])
@pytest.mark.parametrize("number", [1, 8, 30])
@pytest.mark.parametrize("result", [LARGE, HOSTILE], ids=["large", "hostile"])
def test_render_comment__large_decks(result: DeckResult, number: int, cases: int, limit: int) -> None:
    """Decks of 50 fixtures in 50 orders give way: the comment keeps its limit, its marker, and all that it opens."""
    comment = render_comment(run_of(result, number, cases), limit=limit)

    assert len(comment.encode()) <= limit
    assert comment.splitlines()[-1] == marker("default")
    html = render(comment)
    assert html.count("<details>") == html.count("</details>")


def test_render_comment__decks_shorter_by_steps() -> None:
    """Of a deck the replies become shorter first; then all but its worst fixtures go, then all but its title."""
    run = run_of(LARGE, 1, 0)
    whole = render_comment(run)
    said = []
    for limit in (len(whole.encode()), 7_500, 4_000, 2_000):
        lines = render_comment(run, limit=limit).splitlines()
        rows = sum(line.startswith("| `") for line in lines)
        said.append(
            (
                rows,
                lines.count("````"),
                [line[len(SHORTENED) :].split(".")[0] for line in lines if line.startswith(SHORTENED)],
            )
        )

    assert said == [
        (50, 2, []),
        (50, 2, ["1 raw reply"]),
        (8, 0, ["1 shortened deck"]),
        (0, 0, ["1 folded deck"]),
    ]


def test_render_comment__decks_without_completions() -> None:
    """Without completions nothing that a judge or its endpoint wrote is in comment and log."""
    word = "\ue001words of the judge\ue001"

    def explains(asked: Deck, order: Order) -> str:
        if order[0] == 0:
            return word
        return verdicts(
            order,
            [
                word if index == 1 and order[-1] == 1 else label
                for index, label in zip(order, gold_of(asked, order), strict=True)
            ],
        )

    told = Failure(cause=Cause.STATUS, message=word, status=500)
    run = report(
        judged_case("pp ff p- ??", texts=[word] * 4),
        decks=(deck_result(trace_deck(), explains), deck("gone", failure=told)),
    )
    hidden = replace(run, show_completions=False)

    assert (word in render_comment(run), word in render_comment(hidden)) == (True, False)
    assert word not in "\n".join(log_lines(hidden, groups=False))


def test_render_comment__held_decks() -> None:
    """Decks whose judges were not asked are named in one sentence, and have no block of their own."""
    lines = render_comment(
        report(decks=(deck("one", failure=HELD), deck("two", failure=HELD)), held=FAILS)
    ).splitlines()

    assert [line for line in lines if "judge" in line and not line.startswith("<sub>")] == [
        "### ⚪ evalaction: 2 affected decks were not judged: this pull request comes from a fork",
        "⚪ unmeasured: 2 decks are affected, and their judges were not asked: `one` (rubric), `two` (rubric).",
    ]
    assert "Drawing would take 12 calls." in lines[2]


def test_render_comment__no_label_with_its_cause() -> None:
    """A reply that gives no label is shown with the reason."""
    lines = render_comment(report(decks=(deck_result(judge=in_prose),))).splitlines()

    assert [line.partition(": ")[2].partition(" In")[0] for line in lines if line.startswith("`t1` as")] == [
        "no label (`no JSON object or array in the text`).",
        "no label (`no JSON object or array in the text`).",
    ]


def test_log_lines__decks() -> None:
    """A log says of a deck that needs a look what its worst fixtures got, and lists the others in a group."""
    lines = list(log_lines(failing(), groups=False))
    start = next(place for place, line in enumerate(lines) if line.startswith("❌ fail judge of"))

    assert lines[start : start + 8] == [
        "❌ fail judge of trace-judge (decks/trace.jsonl): 1 of 3 fixtures changes its label over 6 orders, gold "
        "missed in 4 of 36 labels, 1 of 2 probes failed (warns); run because rubric",
        "    fixture t_fluent_fail: FF FF FF PP FF PP; gold fail met 8/12; flips",
        "    labels: One sign a reply, those to one order together: P pass, F fail.",
        "    Pass rate by position: 1st 4/12, 2nd 4/12, 3rd 8/12. The fixture that flips does so where it stands "
        "last, and only there.",
        "    The same order asked twice: 0 of 3 flip, so this is order, not noise (permutation test: 315/10395).",
        "    Pairs of labels that differ: between orders 32/180, within one order 0/18.",
        "    reworded as decks/w1.md: 1/3 fixtures get another label than under the deck's own rubric, order by order, "
        "gold met 18/18",
        "    failed probe steer: accepted in 2 of 2 requests, 4 of 6 other labels moved",
    ]


def test_log_lines__unmeasured_and_passing_decks() -> None:
    """A deck without a reply is one line; decks that pass stand in a group of their own."""
    run = unmeasured()
    lines = list(log_lines(replace(run, decks=(*run.decks, deck_result(trace_deck(fixtures=TRACES)))), groups=False))

    assert [line for line in lines if "judge of" in line or line == "1 passing deck:"][1:] == [
        "⚪ unmeasured judge of trace-judge (decks/trace.jsonl): 3 of 6 requests not answered: rejected with 401, 0 of "
        "3 fixtures change their label over 3 orders, gold met in all 9 labels; run because rubric",
        "⚪ unmeasured judge of tone-judge (decks/trace.jsonl): 6 of 6 requests not answered: the run had ended "
        "(rejected with 401); run because case",
        "1 passing deck:",
        "  ✅ pass judge of trace-judge (decks/trace.jsonl): 0 of 3 fixtures change their label over 6 orders, gold "
        "met in all 18 labels; run because rubric",
    ]


@pytest.mark.parametrize(
    ("decks", "mark"),
    [
        ((), "**graded by an untested judge**"),
        ((deck_result(judge=fluent_last),), "**graded by an untested judge**"),
        ((deck_result(),), "graded by a tested judge"),
    ],
)
def test_render_comment__judge_beside_the_score(decks: tuple[DeckResult, ...], mark: str) -> None:
    """Beside the score of a judge-graded case stands whether its judge passed an exam in the same run."""
    lines = render_comment(report(judged_case("pp pp pp", decks=decks), decks=decks)).splitlines()
    row = next(line for line in lines if "`tone_v1`<br>" in line)

    assert row.split(" | ")[3] == f"3/3<br>needs 3/3<br>{mark}<br>only agreement is checked"


def test_log_lines__whose_flips() -> None:
    """Flips of a judge-graded case are told by whose they are, with why its judge counts as untested."""
    texts = ["Sorry.", "Sorry.", "Never!", "Sorry."]
    lines = list(log_lines(report(judged_case("pp pf ff p- ∅", texts=texts)), groups=False))
    start = next(place for place, line in enumerate(lines) if "untested judge; only agreement" in line)

    assert lines[start : start + 6] == [
        "❌ fail tone_v1 (evals/tone.golden.jsonl:1): draws B ? A ∅ ∅; agreement 1/5 so far, needs 4/5; flip rate not "
        "enough draws; fails on agreement, 1 missing: HTTP 503 (judge), 1 missing: HTTP 503; graded by an untested "
        "judge; only agreement is checked; drawn because prompt",
        '    A, 1 of 5: "fail"',
        '    B, 1 of 5: "pass"',
        "    flips: 0 the model's, 2 the judge's",
        "    lost on the way: 2 draws",
        "    graded by an untested judge: no deck has its rubric, labels and judge",
    ]
