"""The words and figures that comment, log and terminal share."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support.reports import case_result

from evalaction.records.case import Grader
from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import Share
from evalaction.report import failures, strips, words
from evalaction.report.untrusted import plain


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((0.0, 0.6003), "0 – 60 %"),
        ((0.00505, 0.8213), "0.5 – 82 %"),
        ((0.0, 1.0), "0 – 100 %"),
        ((0.00001, 0.9999), "<0.1 – >99.9 %"),
        ((0.0004, 0.996), "<0.1 – 99.6 %"),
        ((0.009999, 0.5), "1.0 – 50 %"),
        ((0.25, 0.994), "25 – 99 %"),
    ],
)
def test_interval__never_rounds_a_flip_away(bounds: tuple[float, float], expected: str) -> None:
    """What is not 0 never reads 0, and what is not 100 never reads 100."""
    assert words.interval(bounds) == expected


@pytest.mark.parametrize(
    ("strip", "expected"),
    [
        ("A A B A ∅", "A A B A ∅"),
        ("B A A ?", "B A A ?"),
        (" ".join("A" * 20), " ".join("A" * 20)),
        (" ".join("AAAAB" * 5 + "?"), "AAAABAAAAB AAAABAAAAB AAAAB?"),
        (" ".join("AB" * 49 + "A∅"), " ".join(["ABABABABAB"] * 9 + ["ABABABABA∅"])),
    ],
)
def test_strip__table(strip: str, expected: str) -> None:
    """Draws stand in their order, each with a sign of its own; many of them in tens."""
    assert strips.strip(case_result("c", strip)) == expected


def test_strip__a_hundred_answers() -> None:
    """A hundred different answers take a line, not a page."""
    answers = {f"x{index}": index for index in range(100)}
    result = case_result("c", " ".join(answers), answers=answers)

    assert strips.strip(result) == "A B C D E F G H I J K L M N O P Q R S T and 80 more"


def test_strip__counts() -> None:
    """Only where labels have two letters the draws are counted."""
    answers = {f"x{index}": index for index in range(27)}
    result = case_result("c", " ".join([*answers, "x5", "x5", "x3", "∅", "∅", "∅", "∅"]), answers=answers)

    assert strips.strip(result) == "∅×4 A×3 B×2 C D E F G H I J K L M N O P Q R S and 8 more"


def test_legend__says_what_is_there() -> None:
    """The legend speaks of an order where there is one, and explains the signs that are shown."""
    answers = {f"x{index}": index for index in range(27)}
    many, few = case_result("c", " ".join(answers), answers=answers), case_result("c", "A B ?")

    assert [strips.legend([many]), strips.legend([few]), strips.legend([few, many])] == [
        f"More than 26 distinct answers as counts (A×3), in no order. {strips.LEGEND_OF_FIGURES}.",
        f"{strips.LEGEND}; ? something came that is no answer. {strips.LEGEND_OF_FIGURES}.",
        (
            f"{strips.LEGEND}; more than 26 distinct answers as counts (A×3), in no order; ? something came that is no"
            f" answer. {strips.LEGEND_OF_FIGURES}."
        ),
    ]


def test_legend__nothing_measured() -> None:
    """Where nothing was measured no answers, no order and no interval are explained."""
    missing, part, unreadable = (case_result("c", strip) for strip in ("∅ ∅", "A ∅", "? ?"))

    assert [strips.legend(results) for results in ([missing], [part], [missing, part], [unreadable])] == [
        "∅ nothing came.",
        f"{strips.LEGEND}; ∅ nothing came.",
        f"{strips.LEGEND}; ∅ nothing came.",
        f"? something came that is no answer. {strips.LEGEND_OF_FIGURES}.",
    ]


def test_missing__command_is_no_judge() -> None:
    """A draw whose command could not be run is missing for that, and for no judge."""
    failure = Failure(cause=Cause.COMMAND, message="It is not there.")
    result = case_result("c", "A A", grader=Grader.COMMAND, runs={"A": failure})

    assert [group.cause for group in words.missing([result])] == ["command not run"]


def test_missing__by_what_ended_it() -> None:
    """A status tells draws apart where they are missing for it, and not where it is that of a try before."""
    causes = [
        Failure(cause=Cause.STATUS, message="", status=429),
        Failure(cause=Cause.STATUS, message="", status=503),
        Failure(cause=Cause.STOPPED, message=""),
        Failure(cause=Cause.STOPPED, message="", status=429),
        Failure(cause=Cause.DEADLINE, message="", status=429),
        Failure(cause=Cause.DEADLINE, message=""),
    ]
    results = [case_result(str(number), "∅", failure=failure) for number, failure in enumerate(causes)]

    assert [(failures.cause(group.failure), group.cases) for group in words.missing(results)] == [
        ("deadline", 2),
        ("HTTP 429", 1),
        ("HTTP 503", 1),
        ("the run had ended", 2),
    ]


def test_why__expected() -> None:
    """A missing draw is not counted as wrong, and a draw is named whose sign does not show that it misses."""
    results = [
        case_result("c", "C ∅ ∅", expect={"total_cents": 1950}),
        case_result("c", "A B", expect={"total_cents": 1950}, expect_keys=("vendor",)),
        case_result("c", "B B", expect={"total_cents": 1950}, expect_keys=("vendor",), expect_min=Fraction(1, 2)),
    ]

    assert [plain(words.why(result)) for result in results] == [
        "expected value in 0/3 so far, 2 missing: deadline",
        "expected value in 1/2 (not draw 2)",
        "expected value in 0/2 (needs 1/2, not draws 1, 2)",
    ]


@pytest.mark.parametrize(
    ("sha", "ref", "expected"),
    [
        (None, "WORKTREE", "work tree"),
        ("0123456789abcdef", "main", "main (0123456789ab)"),
        ("0123456789abcdef", "0123456789abcdef", "0123456789ab"),
        ("0123456789abcdef", None, "0123456789ab"),
    ],
)
def test_side__table(sha: str | None, ref: str | None, expected: str) -> None:
    """A side is called by its name and its commit, each once."""
    assert plain(words.side(sha, ref, without="work tree")) == expected


def test_side__merge() -> None:
    """A merge made for the run is called after the head that is in it: nobody else has the merge's own commit."""
    assert plain(words.side("9" * 40, "HEAD", without="x", merge_of="8a41b77" + "0" * 33)) == "merge of 8a41b7700000"


@pytest.mark.parametrize(
    ("strip", "agreement", "flip_rate", "why"),
    [
        ("A A A A B", "4/5, needs 4/5", "1/5 (0.5 – 82 %)", ""),
        ("A A B B", "2/4, needs 4/4", "2/4 (7 – 99.6 %)", "agreement"),
        ("A A ∅ ∅ ∅", "2/5 so far, needs 4/5", "not enough draws", "3 missing: deadline"),
        ("∅ ∅", "not measured", "not measured", "2 missing: deadline"),
        ("A B ∅ ∅ ∅", "1/5 so far, needs 4/5", "not enough draws", "3 missing: deadline"),
        ("A B C ∅", "1/4 so far, needs 4/4", "not enough draws", "agreement, 1 missing: deadline"),
    ],
)
def test_figures__table(strip: str, agreement: str, flip_rate: str, why: str) -> None:
    """Fractions stay fractions, and what is not measured is said, never 0."""
    result = case_result("c", strip)

    assert (words.agreement(result), words.flip_rate(result), plain(words.why(result))) == (agreement, flip_rate, why)


def test_needed__rounds_up_exactly() -> None:
    """A threshold asks for whole draws: 0.81 of 5 is 5, and 0.8 of 5 is 4 to the very fraction."""
    assert words.needed(Fraction(81, 100), 5) == Share(count=5, of=5)
    assert words.needed(Fraction(4, 5), 5) == Share(count=4, of=5)


@pytest.mark.parametrize(
    ("number", "noun", "expected"), [(0, "case", "0 cases"), (1, "case", "1 case"), (1_000, "retry", "1,000 retries")]
)
def test_count__plural(number: int, noun: str, expected: str) -> None:
    """Numbers agree with their nouns."""
    assert words.count(number, noun) == expected


def test_listed__says_how_many_more() -> None:
    """A list that is cut says by how many."""
    assert plain(words.listed([("a",), ("b",), ("c",)], 2)) == "a, b and 1 more"


def test_draws__many() -> None:
    """Many indices are counted."""
    assert (words.draws([3]), words.draws([1, 2]), words.draws(range(1, 21))) == (
        "draw 3",
        "draws 1, 2",
        "draws 1, 2, 3, 4, 5, 6, … (20)",
    )
