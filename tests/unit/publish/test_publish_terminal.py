"""A run on a terminal, wide and narrow, and the progress of its drawing."""

from __future__ import annotations

import io
from typing import Any

import pytest
from support.example_reports import mixed
from support.reports import case_result, report, untrusted_everywhere, with_id

from evalaction.publish.progress import LiveProgress, PlainProgress, progress_on
from evalaction.publish.terminal import console_for, print_report
from evalaction.records.draw import Cause, Failure
from evalaction.records.report import Report

PLAIN = {"TERM": "dumb", "NO_COLOR": "1"}


def printed(run: Report, width: int, environ: dict[str, str] | None = None, *, terminal: bool = False) -> str:
    """Return what is printed on ``width`` columns."""
    stream = Terminal() if terminal else io.StringIO()
    print_report(run, console_for(stream, environ or PLAIN, width=width), location="out/report.json")
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


WIDE = """\
❌ evalaction: 1 of 2 affected cases fails
refund_v1 gave 2 answers in 3 draws: 2 of 3 agree, 3 are needed. 198 cases are unaffected and were not drawn.
next: Have the prompt settle which answer is right.

  verdict   case        draws   agreement        flip rate (95 %)   why         drawn because
 ─────────────────────────────────────────────────────────────────────────────────────────────
  ❌ fail   refund_v1   A A B   2/3, needs 3/3   1/3 (0.8 – 99 %)   agreement   prompt
  ✅ pass   fine_v1     A A     2/2, needs 2/2   0/2 (0 – 98 %)                 prompt


❌ fail refund_v1 (golden/invoices.golden.jsonl:1)
  what differs: status: "unknown" in 2 of 3, "eligible" in 1
  A, 2 of 3: {"status":"unknown"}
  B, 1 of 3: {"status":"eligible"}

Draws in their order, one letter for each distinct answer, A the most frequent. 95 % interval: for the chance that
one more draw differs from the likeliest answer.
Agreement is not truth: none of the 2 cases has an expected value, so a stable wrong answer passes.
compared: main (1f0c2d900000) → HEAD (8a41b7700000)
model m-1, 2 of 200 cases, 5 calls, 0 retried, 14 s
stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck
again on a desk: evalaction check --base 1f0c2d9 --head 8a41b77
full report: out/report.json"""

NARROW = """\
❌ evalaction: 1 of 2 affected cases fails
refund_v1 gave 2 answers in 3 draws: 2 of 3 agree,
3 are needed. 198 cases are unaffected and were
not drawn.
next: Have the prompt settle which answer is
right.
❌ fail refund_v1
(golden/invoices.golden.jsonl:1): draws A A B;
agreement 2/3, needs 3/3; flip rate 1/3 (0.8 – 99
%); fails on agreement; drawn because prompt
✅ pass fine_v1 (golden/invoices.golden.jsonl:1):
draws A A; agreement 2/2, needs 2/2; flip rate 0/2
(0 – 98 %); drawn because prompt

❌ fail refund_v1 (golden/invoices.golden.jsonl:1)
  what differs: status: "unknown" in 2 of 3,
  "eligible" in 1
  A, 2 of 3: {"status":"unknown"}
  B, 1 of 3: {"status":"eligible"}

Draws in their order, one letter for each distinct
answer, A the most frequent. 95 % interval: for
the chance that one more draw differs from the
likeliest answer.
Agreement is not truth: none of the 2 cases has an
expected value, so a stable wrong answer passes.
compared: main (1f0c2d900000) → HEAD
(8a41b7700000)
model m-1, 2 of 200 cases, 5 calls, 0 retried, 14
s
stubs: positional 1.00 (3/3), identity 0.00 (0/3)
on the built-in deck
again on a desk: evalaction check --base 1f0c2d9
--head 8a41b77
full report: out/report.json"""


@pytest.mark.parametrize(("width", "expected"), [(115, WIDE), (50, NARROW)])
def test_print_report__widths(width: int, expected: str) -> None:
    """A wide terminal gets a table, a narrow one a paragraph a case; both get the comment's words."""
    answers = {"A": {"status": "unknown"}, "B": {"status": "eligible"}}
    run = report(
        case_result("refund_v1", "A A B", answers=answers, agreement_min=1, expect_keys=("status",)),
        case_result("fine_v1", "A A", expect_keys=("vendor",)),
    )

    assert printed(run, width) == expected


LONG = [
    "  verdict   case        draws                              agreement            flip rate (95 %)   why"
    "         drawn because",
    " " + "─" * 124,
    "  ✅ pass   c           AAAABAAAAB AAAABAAAAB AAAABAAAAB   32/40, needs 32/40   8/40 (9 – 37 %)   "
    "             prompt",
    "                        AAAABAAAAB",
]
SHORT = [
    "  verdict   case        draws                              agreement            why",
    " " + "─" * 89,
    "  ✅ pass   c           AAAABAAAAB AAAABAAAAB AAAABAAAAB   32/40, needs 32/40",
    "                        AAAABAAAAB",
]
PARAGRAPH = [
    "✅ pass c (golden/invoices.golden.jsonl:1): draws AAAABAAAAB AAAABAAAAB AAAABAAAAB",
    "AAAABAAAAB; agreement 32/40, needs 32/40; flip rate 8/40 (9 – 37 %); drawn because prompt",
]


@pytest.mark.parametrize(("width", "expected"), [(126, LONG), (100, SHORT), (90, PARAGRAPH)])
def test_print_report__long_strip(width: int, expected: list[str]) -> None:
    """A long strip takes several lines; a narrow terminal does without columns, and a narrower one without a table."""
    output = printed(report(case_result("c", " ".join("AAAAB" * 8), expect_keys=("total_cents",))), width)

    assert [line for line in output.splitlines()[2:] if line][: len(expected)] == expected


@pytest.mark.parametrize("width", [1, 20, 60, 99, 100, 300])
def test_print_report__any_width(width: int) -> None:
    """No width ends the run."""
    assert printed(mixed(), width)


@pytest.mark.parametrize("width", [50, 130])
def test_print_report__hostile_text(width: int) -> None:
    """No text moves the cursor, changes a colour or is taken for markup."""
    output = printed(untrusted_everywhere("\x1b[2J[bold]\r:smile:\u202e"), width)

    assert [sign for sign in ("\x1b", "\r", "\u202e", "😄") if sign in output] == []
    assert "⟨U+001B⟩[2J[bold]⟨U+000D⟩:smile:⟨U+202E⟩" in output.replace("\n", "").replace("  ", "")


@pytest.mark.parametrize(
    ("environ", "coloured"), [({"TERM": "xterm-256color"}, True), ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False)]
)
def test_print_report__no_color(environ: dict[str, str], *, coloured: bool) -> None:
    """A terminal gets colours, unless NO_COLOR is set."""
    assert ("\x1b[32m" in printed(report(), 80, environ, terminal=True)) is coloured


def test_print_report__many_cases() -> None:
    """A terminal is bounded as well, and says what it leaves out."""
    run = report(*(with_id(case_result("c", "A A"), str(index)) for index in range(60)))

    assert "and 10 more cases" in printed(run, 130).splitlines()


def draws(strip: str) -> list[Any]:
    """Return the draws of a strip."""
    return [graded.draw for graded in case_result("c", strip).draws]


def test_plain_progress__bounded() -> None:
    """However many draws there are, a log gets ten lines, the last with all of them."""
    stream = io.StringIO()
    progress = progress_on(stream)
    progress.start(100)
    for draw in draws(" ".join(["A", "∅"] * 50)):
        progress.draw(draw)
    progress.finish()

    assert stream.getvalue().splitlines() == [
        f"requests {done} of 100, {done // 2} missing" for done in range(10, 101, 10)
    ]


def test_plain_progress__stopped() -> None:
    """A drawing that ends early says how far it came; one that never began says nothing."""
    stream = io.StringIO()
    progress = PlainProgress(stream)
    progress.finish()
    progress.start(20)
    for draw in draws("A A A"):
        progress.draw(draw)
    progress.finish()

    assert stream.getvalue().splitlines() == ["requests 2 of 20", "requests 3 of 20"]


def test_plain_progress__pauses() -> None:
    """A log says for what a long pause is, in ten lines at most; of short ones nothing."""
    stream = io.StringIO()
    progress = PlainProgress(stream)
    progress.start(20)
    busy = Failure(cause=Cause.STATUS, message="x\n::error::busy", status=429)
    for seconds in (0.4, 4.9, 5, 29.6, 240, *range(30, 50)):
        progress.pause(busy, seconds)
    said = stream.getvalue().splitlines()
    times = ["5.0 s", "30 s", "4 min 0 s", *(f"{seconds} s" for seconds in range(30, 37))]
    assert said == [f"waiting {time} before the next request: HTTP 429" for time in times]


@pytest.mark.parametrize(("draw", "shown"), [("", "waiting 12 s before the next request: timeout"), ("∅", "1 missing")])
def test_live_progress__pause(draw: str, shown: str) -> None:
    """A bar says what is waited for until the next draw comes."""
    stream = Terminal()
    progress = LiveProgress(console_for(stream, {"TERM": "xterm", "NO_COLOR": "1"}, width=120))
    progress.start(2)
    progress.pause(Failure(cause=Cause.TIMEOUT, message="slow"), 12)
    for item in draws(draw) if draw else ():
        progress.draw(item)
    progress.finish()

    last = stream.getvalue().rpartition("requests ━")[2]
    assert (shown in last, "waiting" in last) == (True, not draw)


def test_live_progress__gone_at_the_end() -> None:
    """On a terminal the bar is live, counts missing draws, and leaves no line behind."""
    stream = Terminal()
    progress = LiveProgress(console_for(stream, {"TERM": "xterm", "NO_COLOR": "1"}, width=80))
    progress.start(2)
    for draw in draws("A ∅"):
        progress.draw(draw)
    progress.finish()

    assert "2/2 1 missing" in stream.getvalue()
    assert stream.getvalue().rstrip().endswith("\x1b[2K")


def test_progress_on__a_terminal() -> None:
    """A terminal gets the live bar; ending it before it began is allowed."""
    progress = progress_on(Terminal())
    progress.finish()

    assert isinstance(progress, LiveProgress)
