"""Every place that shows a report, by the structure that its reader sees; and reports with a text in every field.

A structure has no text of the report in it: the tags that GitHub's renderer makes, the commands that its runner obeys,
the names of outputs, the number of lines. So two reports that differ in their texts alone have one structure.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, cast

from support.actions_runner import read_log, read_outputs
from support.grading import COMMAND, command_run
from support.markdown import FORBIDDEN, outside_code, tags
from support.reports import case_result, change, everywhere, report, untrusted_everywhere

from evalaction.answer.equality import normal
from evalaction.forks import FAILS
from evalaction.letters import nfc
from evalaction.publish.actions import outputs_of
from evalaction.publish.annotations import annotation_lines
from evalaction.publish.log import log_lines, write_log
from evalaction.publish.terminal import console_for, print_report
from evalaction.records.case import Command as CaseCommand
from evalaction.records.case import Compare, Grader
from evalaction.records.command import Ended
from evalaction.records.draw import Cause, Failure
from evalaction.records.report import CaseResult, Report
from evalaction.report.comment import marker, render_comment
from evalaction.report.untrusted import output_entry

SOURCE = "https://github.example.test/acme/evals/blob/8a41b77000000000000000000000000000000000"
_MARK = "\ue000untrusted\ue000"
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
"""Some of what no place may hold raw."""


def graders_everywhere(text: str) -> Report:
    """Return a report with a case of each further grader, and ``text`` wherever untrusted text can stand.

    Draws of these are read once more when they are shown, so in those places ``text`` stands from the start.
    """
    place: dict[str, Any] = {"path": f"golden/{_MARK}.jsonl", "changed_files": (f"p/{_MARK}",), "agreement_min": 1}
    two: dict[str, Any] = {**place, "answers": {"A": f"one {_MARK}", "B": f"two {_MARK}"}}
    labels = (f"one {_MARK}", f"two {_MARK}")
    own = CaseCommand(argv=("sh", f"{_MARK}.sh"), artifact=COMMAND.artifact, files=((f"{_MARK}.sh", b"exit 1\n"),))
    runs = {
        "A": command_run(1, f"failed: {_MARK}", cut=True),
        "B": command_run(0, _MARK),
        "C": command_run(None, f"\n{_MARK}\n", ended=Ended.TIME),
    }
    not_run = Failure(cause=Cause.COMMAND, message=f"cannot start {_MARK}")
    made = report(
        case_result(f"{_MARK}choice", "A A B ?", grader=Grader.CHOICE, labels=labels, raw={"?": f"no: {_MARK}"}, **two),
        case_result(
            f"{_MARK}regex",
            "A A B ?",
            grader=Grader.REGEX,
            regex=f"= (.*{_MARK})",
            raw={"?": _MARK, "A": f"= one {_MARK}", "B": f"= two {_MARK}"},
            **place,
        ),
        case_result(
            f"{_MARK}number",
            "A A B ?",
            grader=Grader.NUMBER,
            whole=Compare(tolerance=1),
            expect=3,
            raw={"A": "3", "B": "5", "?": f"12,5 {_MARK}"},
            **place,
        ),
        case_result(
            f"{_MARK}diff",
            "A B A B",
            grader=Grader.DIFF,
            expect=f"first\n{_MARK}\nlast",
            expect_path=f"good/{_MARK}",
            raw={"A": f"first\nother {_MARK}\nlast", "B": f"first\n{_MARK} more\nlast"},
            **place,
        ),
        case_result(
            f"{_MARK}command",
            "A A B C",
            grader=Grader.COMMAND,
            command=own,
            runs=runs,
            raw={letter: f"{letter} {_MARK}" for letter in "ABC"},
            **place,
        ),
        case_result(f"{_MARK}not run", "A A", grader=Grader.COMMAND, command=own, runs={"A": not_run}, **two),
        case_result(
            f"{_MARK}blocked", "∅ ∅", grader=Grader.COMMAND, command=own, blocked=_MARK, failure=not_run, **place
        ),
        loosened=(change(_MARK, f"compare.{_MARK}", None, {"round": _MARK}, path=_MARK),),
    )
    return cast("Report", everywhere(made, _MARK, text))


def held_everywhere(text: str) -> Report:
    """Return a report of a run that was held back, which shows ``text`` as well."""
    return report(held=FAILS, partial=f"only {text}", manifest={"model": text, "notes": (text,)})


def _as_read(made: Report) -> Report:
    """Return a report in which answers are in Unicode NFC, as none is read otherwise."""
    return replace(made, cases=tuple(map(_answers_as_read, made.cases)))


def _answers_as_read(result: CaseResult) -> CaseResult:
    return replace(
        result,
        draws=tuple(replace(graded, answer=normal(graded.answer)) for graded in result.draws),
        modes=tuple(replace(mode, answer=normal(mode.answer)) for mode in result.modes),
        differing_keys=tuple(nfc(key) for key in result.differing_keys),
    )


REPORTS: Mapping[str, Callable[[str], Report]] = {
    "everywhere": lambda text: _as_read(untrusted_everywhere(text)),
    "graders": graders_everywhere,
    "held": held_everywhere,
}
"""What a report is of → the report with a text in its every field."""


def comment(run: Report) -> list[str]:
    """Return the tags of a run's comment, one marker of ours at its end included."""
    shown = render_comment(run, report_location="report.json")
    assert (shown.count("<!--"), shown.count(marker("default"))) == (1, 1)
    return _structure(shown)


def summary(run: Report) -> list[str]:
    """Return the tags of a run's step summary, but for links to pages of files: not every path has one."""
    shown = render_comment(run, comment_id=None, report_location="report.json", source_url=SOURCE)
    assert "<!--" not in shown
    found = _structure(shown)
    assert all(tag.startswith(f"<a href='{SOURCE}/") for tag in found if tag.startswith("<a"))
    return [tag for tag in found if not tag.startswith(("<a", "</a"))]


def relayed(run: Report) -> list[str]:
    """Return the tags of the comment that another run writes of this one."""
    return _structure(render_comment(run, relayed_from="https://github.example.test/acme/evals/actions/runs/1"))


def _structure(shown: str) -> list[str]:
    assert shown.encode().decode() == shown
    assert _UNSEEN.findall(shown) == []
    assert FORBIDDEN.search(outside_code(shown)) is None
    return tags(shown)


def log(run: Report) -> list[str]:
    """Return the log of a run, line by line: the commands that the runner obeys, and ``…`` for a line that is shown."""
    tokens = (f"word{number}" for number in count())
    rows = log_lines(run, groups=True, location="report.json", token=lambda _: next(tokens))
    return [_line(row) for row in rows if not _of_a_diff(row)]


def desk_log(run: Report) -> int:
    """Return the number of lines of a log that knows no commands, in which there is none."""
    stream = io.StringIO(newline="")
    write_log(run, stream, groups=False, location="report.json")
    rows = stream.getvalue().splitlines()
    assert [row for row in rows if read_log(row).commands] == []
    assert _UNSEEN.findall("".join(rows)) == []
    return sum(not _of_a_diff(row) for row in rows)


def _of_a_diff(row: str) -> bool:
    # As many as the texts have lines; none of them begins otherwise.
    return row.lstrip().startswith("| ")


def _line(row: str) -> str:
    assert (row.splitlines() or [""], _UNSEEN.findall(row)) == ([row], [])
    found = read_log(row)
    return f"{found.commands[0].name}" if found.commands else "…"


def annotated(run: Report) -> list[tuple[str, ...]]:
    """Return the annotations of a run, each by its level and its properties, but for the place.

    A file is left out where the runner could not read its name, and with it the line.
    """
    return [_annotation(row) for row in annotation_lines(run)]


def _annotation(row: str) -> tuple[str, ...]:
    assert _UNSEEN.findall(row) == []
    (found,) = read_log(row).commands
    assert set(found.properties) <= {"file", "line", "title"}
    assert re.fullmatch("[0-9]*", found.properties.get("line", ""))
    return (found.name, *sorted(set(found.properties) - {"file", "line"}))


def outputs(run: Report) -> list[tuple[str, str]]:
    """Return the outputs of a run as the runner reads them, with text of the run where an address may stand."""
    values = outputs_of(run, None, comment_url=run.manifest.model)
    entries = "".join(output_entry(name, value, f"delimiter{name}") for name, value in values.items())
    assert _UNSEEN.findall(entries) == []
    return [(name, "…" if name == "comment-url" else value) for name, value in read_outputs(entries)]


def terminal(run: Report, *, width: int = 4_000) -> list[str]:
    """Return what a terminal shows, line by line: ``…``, or nothing for an empty line."""
    stream = io.StringIO(newline="")
    print_report(run, console_for(stream, {"TERM": "xterm-256color"}, width=width), location="report.json")
    rows = stream.getvalue().split("\n")
    assert _UNSEEN.findall("".join(rows)) == []
    return ["…" if row.strip() else "" for row in rows if not _of_a_diff(row)]


PLACES: Mapping[str, Callable[[Report], Any]] = {
    "comment": comment,
    "step summary": summary,
    "comment of another run": relayed,
    "log": log,
    "log on a desk": desk_log,
    "annotations": annotated,
    "outputs": outputs,
    "terminal": terminal,
}
"""Where a report is shown → the structure of that."""
