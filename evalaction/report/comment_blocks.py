"""The comment's cases as blocks that give way: tables, folded blocks, the fold of those that pass. Pure.

What can never fit is not built. Things give way from the last, so once those before one take all the room by
themselves, neither it nor any behind it will be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import islice

from evalaction.frozen import frozen
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Verdict
from evalaction.records.report import CaseResult, Report
from evalaction.report import comment_cases, roots, strips, words
from evalaction.report.blocks import GAP, Block, Form, size
from evalaction.report.case_words import CaseWords
from evalaction.report.decks.comment import FEW_ROWS, DeckBlock, needs_look, passing_table
from evalaction.report.untrusted import markdown

LIMIT = 65_536
"""GitHub's limit for a comment. Characters, UTF-16 units and UTF-8 bytes all stay under it."""

_RAW, _SHORT_RAW = 2_000, 300
"""Characters of a raw completion, and those left of it when space is short."""
_RAW_SHARE = 16
"""One completion takes at most this part of the limit: a sixteenth of a comment, much of a file."""
_CUT = 64
"""Bytes that a block is longer by, at the most, for saying that a completion is cut."""
_PASSING = 20
"""Passing cases listed when space is short."""
_TOLD = 200
"""Passing cases that are looked through for something to say."""
_DETAIL, _ROW = 400, 100
"""Bytes that a folded block and a table row have at the least."""
_FIRST = 20
"""Cases that are seen without a click; the others are folded together, and give way before these."""
_MOST_ROWS = 100
"""Cases that a comment names; whoever has more of them reads the report."""


class Step(IntEnum):
    """The order in which things give way."""

    SHORTER_RAW = 1
    FEWER_PASSING = 2
    NO_PASSING = 3
    SHORTER_DECKS = 4
    NO_DETAILS = 5
    NO_ROWS = 6
    NO_FIRST_DETAILS = 7
    NO_DECKS = 8
    NO_FIRST_ROWS = 9
    SHORTER = 10
    """Lists of other things."""
    SHORTEST = 11


@frozen
class Shown:
    """What a comment shows, and where."""

    report: Report
    limit: int
    """UTF-8 bytes of the whole text."""
    source: str | None
    """Address of all files at head, to link golden lines to; None for no links."""
    relayed: bool
    """The report is that of a fork's own run."""
    said: CaseWords
    """Says what there is to say of a case."""

    @property
    def urgent(self) -> list[CaseResult]:
        """The cases that failed or could not be measured."""
        return [result for result in self.report.cases if result.verdict is not Verdict.PASS]

    @property
    def rows(self) -> list[CaseResult]:
        """Those of them that may have a line of the table."""
        fit = max(1, self.limit // _ROW)
        return self.urgent[: min(fit, _MOST_ROWS) if self._small else fit]

    @property
    def folded(self) -> list[CaseResult]:
        """Those of them that may have a folded block: something came for them."""
        fit = self.limit // _DETAIL
        return self._measured[: min(fit, _FIRST) if self._small else fit]

    @property
    def left_out(self) -> dict[str, int]:
        """How many have neither, whatever the others take."""
        return {
            "table row": len(self.urgent) - len(self.rows),
            "folded case": len(self._measured) - len(self.folded),
            "folded deck": len(self._decks) - len(self.decks),
        }

    @property
    def decks(self) -> list[DeckResult]:
        """The decks that have a folded block."""
        return self._decks[:_FIRST]

    @property
    def _decks(self) -> list[DeckResult]:
        return [] if self.report.held is not None else [deck for deck in self.report.decks if needs_look(deck)]

    @property
    def raw(self) -> int:
        """Characters of one raw completion."""
        return max(_RAW, self.limit // _RAW_SHARE) if self.limit > LIMIT else _RAW

    @property
    def _measured(self) -> list[CaseResult]:
        return [result for result in self.urgent if result.measured]

    @property
    def _small(self) -> bool:
        return self.limit <= LIMIT


def urgent_blocks(shown: Shown, causes: Sequence[Block]) -> list[Block]:
    """Return table and folds of the cases that need a look, all but the first ones in one fold of their own.

    Args:
        shown: what is shown.
        causes: why draws are missing; said below the table, and where there is none, too.
    """
    rows = shown.rows
    if not rows:
        return [*causes]
    if shown.report.held is not None:
        return _held(shown, rows)
    table, details = _rows(shown, rows), _details(shown)
    first = [*table[:_FIRST], Block(text=f"<sub>{strips.legend(rows)}</sub>"), *causes, *details[:_FIRST]]
    if len(rows) <= _FIRST:
        return first
    title = f"{words.count(len(rows) - _FIRST, 'more case')} that failed or could not be measured"
    return [*first, *_more(title, [*table[_FIRST:], *details[_FIRST:]])]


def _held(shown: Shown, rows: Sequence[CaseResult]) -> list[Block]:
    """Return the table of what would be drawn, all but the first rows in a fold."""
    table = _rows(shown, rows, held=True)
    more = _more(f"{words.count(len(rows) - _FIRST, 'more case')} not drawn", table[_FIRST:])
    return [*table[:_FIRST], *(more if len(rows) > _FIRST else [])]


def _more(title: str, blocks: Sequence[Block]) -> list[Block]:
    return [Block(text=f"<details><summary>{title}</summary>"), *blocks, Block(text="</details>")]


def _rows(shown: Shown, results: Sequence[CaseResult], *, held: bool = False) -> list[Block]:
    """Return the rows, a block each, of the table and of the one in the fold; the very first one stays."""
    head, row = (comment_cases.HELD_HEAD, comment_cases.held_row) if held else (comment_cases.HEAD, shown.said.row)
    blocks, left = [], shown.limit
    for index, result in enumerate(results):
        opens, text = index in {0, _FIRST}, None
        if left >= 0:
            text = f"{head}\n{row(result, shown.source)}" if opens else row(result, shown.source)
            left -= size(text)
        gone = Form(text="", step=Step.NO_FIRST_ROWS if index < _FIRST else Step.NO_ROWS, lost="table row")
        blocks.append(Block(text=text, glue=GAP if opens else "\n", forms=(gone,) if index else ()))
    return blocks


def _details(shown: Shown) -> list[Block]:
    """Return the folded blocks, each with a shorter completion as its shorter form."""
    report, limit = shown.report, shown.limit
    command = report.manifest.repeat_command or None if report.partial is None else None
    raw = shown.raw
    blocks, left, whole_left = [], limit, limit
    for index, result in enumerate(shown.folded):
        step = Step.NO_FIRST_DETAILS if index < _FIRST else Step.NO_DETAILS
        gone = Form(text="", step=step, lost="folded case")
        if left < 0:
            blocks.append(Block(text=None, forms=(gone,)))
            continue
        details = shown.said.details(result, show=report.show_completions)
        short = details.text(_SHORT_RAW, repeat=command)
        left -= max(0, size(short) - _CUT)
        if details.raw <= _SHORT_RAW:
            blocks.append(Block(text=short, forms=(gone,)))
            continue
        whole = details.text(raw, repeat=command) if whole_left >= 0 else None
        whole_left -= size(whole or short)
        blocks.append(Block(text=whole, forms=(Form(text=short, step=Step.SHORTER_RAW, lost="raw completion"), gone)))
    return blocks


def deck_blocks(shown: Shown) -> list[Block]:
    """Return the folded blocks of the decks that need a look: in short they are their titles."""
    stubs = {each.deck: each for each in shown.report.stubs}
    raw = shown.raw
    blocks = []
    for result in shown.decks:
        block = DeckBlock(
            result=result,
            stubs=stubs.get(result.planned.deck.name),
            show=shown.report.show_completions,
            root=roots.of_deck(result, shown.report),
        )
        forms = [
            Form(text=block.text(raw=_SHORT_RAW), step=Step.SHORTER_RAW, lost="raw reply"),
            Form(text=block.text(rows=FEW_ROWS, raw=None), step=Step.SHORTER_DECKS, lost="shortened deck"),
            Form(text=block.title, step=Step.NO_DECKS, lost="folded deck"),
            Form(text="", step=Step.SHORTEST, lost="deck"),
        ]
        blocks.append(_shorter_only(block.text(raw=raw), forms))
    return blocks


def _shorter_only(text: str, forms: Sequence[Form]) -> Block:
    """Return a block without those of the forms that are no shorter than what stands before them."""
    kept: list[Form] = []
    for form in forms:
        if size(form.text) < size(kept[-1].text if kept else text):
            kept.append(form)
    return Block(text=text, forms=tuple(kept))


def passing_blocks(shown: Shown) -> list[Block]:
    """Return the fold with the cases and the decks that pass; nothing where none does."""
    report = shown.report
    passing = [result for result in report.cases if result.verdict is Verdict.PASS]
    decks = [result for result in report.decks if result.verdict is Verdict.PASS]
    number = len(passing) + len(decks)
    if not number:
        return []
    nouns = [words.count(len(found), noun) for found, noun in ((passing, "case"), (decks, "deck")) if found]
    title = f"{' and '.join(nouns)} {'passes' if number == 1 else 'pass'}"
    title = f"{title}, the fork's run reports" if shown.relayed else f"{words.SYMBOLS[Verdict.PASS]} {title}"
    # What the table of the others explains is not explained again.
    rows = shown.rows
    known = bool(rows) and strips.legend([*rows, *passing]) == strips.legend(rows)
    legend = "" if known or not passing else f"<sub>{strips.legend(passing)}</sub>"
    fold, lost = (
        _Fold(shown, title, passing, (legend, _passing_decks(decks))),
        "passing case" if passing else "passing deck",
    )
    forms = [Form(text=title, step=Step.NO_PASSING, lost=lost, number=number)]
    if len(passing) > _PASSING:
        fewer = fold.text(_PASSING) or title
        forms.insert(0, Form(text=fewer, step=Step.FEWER_PASSING, lost=lost, number=len(passing) - _PASSING))
    return [Block(text=fold.text(len(passing)), forms=tuple(forms))]


def _passing_decks(decks: Sequence[DeckResult]) -> str:
    if not decks:
        return ""
    more = len(decks) - _PASSING
    rest = f"\n\nand {words.count(more, 'more deck')}." if more > 0 else ""
    return f"{passing_table(decks[:_PASSING])}{rest}"


class _Fold:
    """The fold of the cases that pass, in forms of any length: what both show is made once."""

    def __init__(self, shown: Shown, title: str, passing: Sequence[CaseResult], below: tuple[str, str]) -> None:
        """Make the lines of its table, as far as they may fit.

        Args:
            shown: what is shown.
            title: of the fold.
            passing: cases.
            below: what the table of cases means, and the table of decks; empty for none.
        """
        self._title, self._below = title, below
        self._rows: list[str] = []
        left = shown.limit
        for result in passing:
            if left < 0:
                break
            self._rows.append(shown.said.row(result, shown.source))
            left -= size(self._rows[-1])
        self._fits = len(self._rows) if left >= 0 else len(self._rows) - 1
        show = shown.report.show_completions
        told = (
            (place, f"- {markdown((words.case_id(result), ': ', *words.joined(about)))}")
            for place, result in enumerate(passing[:_TOLD])
            if (about := shown.said.of_passing(result, show=show))
        )
        self._said = list(islice(told, _PASSING))

    def text(self, cases: int) -> str | None:
        """Return the fold with its first cases; None when their table alone takes all the room."""
        if cases > self._fits:
            return None
        rows, (legend, decks) = self._rows[:cases], self._below
        table = "\n".join([comment_cases.HEAD, *rows]) if rows else ""
        said = "\n".join(line for place, line in self._said if place < cases)
        return comment_cases.fold(self._title, [table, legend, said, decks])
