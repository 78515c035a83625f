"""What is said of a case in each of the places where it is shown. Pure."""

from __future__ import annotations

from evalaction.records.report import CaseResult
from evalaction.report import comment_cases, findings, lines
from evalaction.report.untrusted import Phrase


class CaseWords:
    """Says it when it is asked for; see the functions that each method calls."""

    def row(self, result: CaseResult, source: str | None) -> str:
        """Return a case's line of the comment's table."""
        return comment_cases.row(result, source)

    def details(self, result: CaseResult, *, show: bool) -> comment_cases.Details:
        """Return its folded block in the comment."""
        return comment_cases.details(result, show=show)

    def of_passing(self, result: CaseResult, *, show: bool) -> list[Phrase]:
        """Return what the comment says of it below the table of those that pass."""
        return findings.of_passing(result, show=show)

    def line(self, result: CaseResult) -> Phrase:
        """Return its line of a log."""
        return lines.case_line(result)

    def lines(self, result: CaseResult, *, show: bool) -> list[Phrase]:
        """Return what stands below that line."""
        return lines.case_details(result, show=show)


WHEN_ASKED = CaseWords()
"""Says everything when it is asked for."""
