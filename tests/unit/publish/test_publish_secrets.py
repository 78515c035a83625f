"""A key is in no sink, wherever it came from."""

from __future__ import annotations

import io
from pathlib import Path

from support.reports import case_result, report

from evalaction.publish.actions import append_summary, outputs_of, write_outputs
from evalaction.publish.files import write_reports
from evalaction.publish.log import write_log
from evalaction.publish.terminal import console_for, print_report
from evalaction.records.draw import Cause, Failure
from evalaction.records.report import Report
from evalaction.redact import redact
from evalaction.report.comment import render_comment

KEY = "sk-test-AAAA1111BBBB2222"


def leaking() -> Report:
    """Return a run in which an endpoint and a model repeat the key."""
    echo = Failure(cause=Cause.REJECTED, status=401, message=f"The key {KEY} is not valid: b'Bearer {KEY}\\n'")
    url = f"https://user:{KEY}@llm.example.test/v1?key={KEY}"
    return report(
        case_result("echo", "∅ ∅", failure=echo),
        case_result("model", "A B", answers={"A": {"label": KEY}, "B": {KEY: url}}, agreement_min=1),
        case_result("text", "? ?", raw={"?": f"my key is {KEY.lower()}"}),
        manifest={"notes": (url,), "endpoint_host": KEY, "repeat_command": f"evalaction check --base {KEY}"},
    )


def test_redact__no_sink_holds_the_key(tmp_path: Path) -> None:
    """Neither comment, log, terminal, step summary, outputs nor report files hold any part that would do."""
    run = redact(leaking(), [f" {KEY}\n"])
    stream = io.StringIO()
    environ = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "outputs")}
    paths = write_reports(run, tmp_path / "reports", within=tmp_path)
    write_log(run, stream, groups=True)
    print_report(run, console_for(stream, {}, width=130))
    append_summary(run, environ)
    write_outputs(outputs_of(run, paths), environ)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    sinks = [stream.getvalue(), render_comment(run), *(path.read_text(encoding="utf-8") for path in files)]

    assert [path.name for path in sorted(files)] == ["outputs", "report.json", "report.md", "summary"]
    assert ["aaaa1111bbbb2222" in sink.lower() for sink in sinks] == [False] * 6
    assert "‹redacted›" in render_comment(run)
