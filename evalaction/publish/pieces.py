"""What the report files and the log say of each case, written as the cases are graded: little is left to do at the end.

Pure.
"""

from __future__ import annotations

from evalaction.frozen import frozen
from evalaction.records.gate import Verdict
from evalaction.records.report import CaseResult
from evalaction.report.case_words import CaseWords
from evalaction.report.comment_cases import Details
from evalaction.report.document import case_document
from evalaction.report.untrusted import Phrase
from evalaction.report.writer import Document, Written, written

_ROWS, _LINES, _DETAILS = 400, 50, 20
"""Cases of one kind of which the comment's line, the log's lines and the comment's block are kept: hardly more of them
are shown.
"""


@frozen
class _Piece:
    """What is kept of a case; None: nothing is."""

    result: CaseResult
    """Whose words these are."""
    row: str
    line: Phrase | None
    lines: list[Phrase] | None
    details: Details | None
    of_passing: list[Phrase] | None


class Pieces(CaseWords):
    """What is written already of a report's cases; what is not is said when it is asked for."""

    def __init__(self, *, show: bool = True) -> None:
        """Begin with nothing.

        Args:
            show: whether model text may be shown.
        """
        self._show = show
        self._written: dict[tuple[str, str], tuple[CaseResult, Written]] = {}
        self._pieces: dict[tuple[str, str], _Piece] = {}
        self._added = {True: 0, False: 0}

    def add(self, result: CaseResult) -> None:
        """Write a case that is graded.

        Args:
            result: as it will stand in the report, secrets already taken out.
        """
        key, passes, show = result.planned.case.key, result.verdict is Verdict.PASS, self._show
        self._written[key] = result, written(case_document(result))
        place = self._added[passes]
        self._added[passes] += 1
        if place >= _ROWS:
            return
        told = not passes and result.measured
        self._pieces[key] = _Piece(
            result=result,
            row=super().row(result, None),
            line=super().line(result) if place < _LINES else None,
            lines=super().lines(result, show=show) if told and place < _LINES else None,
            details=super().details(result, show=show) if told and place < _DETAILS else None,
            of_passing=super().of_passing(result, show=show) if passes else None,
        )

    def of(self, result: CaseResult) -> Document | Written:
        """Return a case of ``report.json``, written where the very same result was added."""
        known, piece = self._written.pop(result.planned.case.key, (None, None))
        return piece if piece is not None and known is result else case_document(result)

    def row(self, result: CaseResult, source: str | None) -> str:
        """See ``CaseWords``, as for the others."""
        piece = self._piece(result)
        return super().row(result, source) if piece is None or source is not None else piece.row

    def details(self, result: CaseResult, *, show: bool) -> Details:  # noqa: D102 - inherited
        piece = self._piece(result, show=show)
        return super().details(result, show=show) if piece is None or piece.details is None else piece.details

    def of_passing(self, result: CaseResult, *, show: bool) -> list[Phrase]:  # noqa: D102 - inherited
        piece = self._piece(result, show=show)
        return super().of_passing(result, show=show) if piece is None or piece.of_passing is None else piece.of_passing

    def line(self, result: CaseResult) -> Phrase:  # noqa: D102 - inherited
        piece = self._piece(result)
        return super().line(result) if piece is None or piece.line is None else piece.line

    def lines(self, result: CaseResult, *, show: bool) -> list[Phrase]:  # noqa: D102 - inherited
        piece = self._piece(result, show=show)
        return super().lines(result, show=show) if piece is None or piece.lines is None else piece.lines

    def _piece(self, result: CaseResult, *, show: bool | None = None) -> _Piece | None:
        """Return what is kept of the very same result, said with the same ``show``."""
        piece = self._pieces.get(result.planned.case.key)
        return piece if piece is not None and piece.result is result and show in {None, self._show} else None
