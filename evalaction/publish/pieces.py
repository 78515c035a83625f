"""What the report files say of each case, written as the cases are graded: little is left to do at the end.

Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalaction.records.report import CaseResult

if TYPE_CHECKING:
    from evalaction.report.writer import Document, Written

_ROWS = 400
"""Cases whose line of the comment is kept: hardly more of them fit into one."""


class Pieces:
    """What is written already of a report's cases."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], tuple[CaseResult, Written]] = {}
        self._rows: dict[tuple[str, str], tuple[CaseResult, str]] = {}

    def add(self, result: CaseResult) -> None:
        """Write a case that is graded.

        Args:
            result: as it will stand in the report, secrets already taken out.
        """
        from evalaction.report.comment_cases import row  # noqa: PLC0415 - loaded while replies are awaited
        from evalaction.report.document import case_document  # noqa: PLC0415 - the same
        from evalaction.report.writer import written  # noqa: PLC0415 - the same

        key = result.planned.case.key
        self._of[key] = result, written(case_document(result))
        if len(self._rows) < _ROWS:
            self._rows[key] = result, row(result, None)

    def of(self, result: CaseResult) -> Document | Written:
        """Return a case of ``report.json``, written where the very same result was added."""
        from evalaction.report.document import case_document  # noqa: PLC0415 - the same

        known, piece = self._of.pop(result.planned.case.key, (None, None))
        return piece if piece is not None and known is result else case_document(result)

    def row(self, result: CaseResult, source: str | None) -> str:
        """Return a case's line of the comment's table; see ``comment_cases.row``."""
        from evalaction.report.comment_cases import row  # noqa: PLC0415 - the same

        known, line = self._rows.get(result.planned.case.key, (None, ""))
        return line if known is result and source is None else row(result, source)
