"""The cases of ``report.json``, written as they are graded: little is left to do when the last draw has come. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalaction.records.report import CaseResult

if TYPE_CHECKING:
    from evalaction.report.writer import Document, Written


class Pieces:
    """What is written already of a report's cases."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], tuple[CaseResult, Written]] = {}

    def add(self, result: CaseResult) -> None:
        """Write a case that is graded.

        Args:
            result: as it will stand in the report, secrets already taken out.
        """
        from evalaction.report.document import case_document  # noqa: PLC0415 - loaded while replies are awaited
        from evalaction.report.writer import written  # noqa: PLC0415 - the same

        self._of[result.planned.case.key] = result, written(case_document(result))

    def of(self, result: CaseResult) -> Document | Written:
        """Return a case of the report, written where the very same result was added."""
        from evalaction.report.document import case_document  # noqa: PLC0415 - the same

        known, piece = self._of.pop(result.planned.case.key, (None, None))
        return piece if piece is not None and known is result else case_document(result)
