"""The draw of a case that a comment shows: its completion, its diff, or what its command wrote. Pure."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from evalaction.frozen import frozen
from evalaction.records.report import CaseResult, DrawState, GradedDraw
from evalaction.report import checks, findings, words
from evalaction.report.known_good import diff_of
from evalaction.report.unified import Unified
from evalaction.report.untrusted import fence, html, markdown, plain

_HEAD = 4
"""Lines of a diff that are shown however little room there is: whose it is, where, and the first one."""


@frozen
class ShownDraw:
    """A draw that is shown, but for how much of it."""

    result: CaseResult
    graded: GradedDraw

    @property
    def raw(self) -> int:
        """Characters of the longest text in it, or of more than is ever shown of a diff."""
        good = self.result.planned.case.contract.expect
        compared = len(good) if isinstance(good, str) else 0
        return max(len(self._text) + compared, len(self._output))

    def text(self, raw: int) -> str:
        """Return what is shown of it in Markdown, each text cut to ``raw`` characters."""
        found = diff_of(self.result, self.graded)
        if found is not None:
            return self._diff(found, raw)
        parts = [self._completion(raw), self._written(raw)]
        return "\n\n".join(part for part in parts if part)

    @property
    def _title(self) -> str:
        return f"Draw {self.graded.draw.index} ({findings.label(self.result.modes, self.graded)})"

    @property
    def _text(self) -> str:
        """Return the draw's completion, or else in what words the model declined."""
        reply = self.graded.draw.reply
        return (reply.text or reply.refusal or "") if reply is not None else ""

    @property
    def _output(self) -> str:
        return "" if self.graded.command is None else self.graded.command.output

    def _completion(self, raw: int) -> str:
        why = ""
        if self.graded.state is DrawState.UNREADABLE:
            why = markdown((", unreadable", *findings.cause(self.graded, show=True)))
        if not self._text:
            return f"{self._title}{why}: it came without text."
        refused = "" if self.graded.draw.reply and self.graded.draw.reply.text else ", a refusal"
        return f"{self._title}{why}{refused}, as it came:\n\n{fence(self._text, raw)}"

    def _diff(self, found: Unified, raw: int) -> str:
        contract = self.result.planned.case.contract
        path = words.path(contract.expect_path or "")
        lines = [f"--- {plain((path,))}", f"+++ draw {self.graded.draw.index}", *found.lines]
        kept = max(_HEAD, bisect_right([*accumulate(len(line) + 1 for line in lines)], raw))
        more = [words.count(len(lines) - kept, "more line")] if len(lines) > kept else []
        more += [found.left_out] if found.left_out else []
        shown = "\n".join(lines[:kept])
        parts = [
            f"{self._title} against {markdown((path,))}:",
            fence(shown, max(1, len(shown)), "diff"),
            f"… and {', and '.join(more)}." if more else "",
            f"They look alike, and are not: {found.alike}." if found.alike else "",
        ]
        return "\n\n".join(part for part in parts if part)

    def _written(self, raw: int) -> str:
        """Return what the command wrote, folded away; empty where none was run."""
        run = self.graded.command
        if run is None:
            return ""
        ended = checks.ending(run, self.result)
        if not run.output:
            return f"The command wrote nothing: {ended}."
        title = html((f"What the command wrote: {ended}",))
        cut = "\n\nIt wrote more, which was not kept." if run.cut else ""
        return f"<details><summary>{title}</summary>\n\n{fence(run.output, raw)}{cut}\n\n</details>"
