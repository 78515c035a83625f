"""Errors that stand in place of a reply, from the endpoint to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.story import lines, run, two_commits

FILTERED = (400, {"error": {"message": "The response was filtered", "code": "content_filter", "param": "prompt"}})
UNFINISHED = (
    400,
    {"error": {"message": "Could not finish the message because max_tokens or model output limit was reached."}},
)
NO_MESSAGE = (200, {"choices": [{"index": 0, "finish_reason": "content_filter: PROHIBITED_CONTENT"}]})
NOT_JSON = (400, {"error": {"message": "Failed to generate JSON.", "code": "json_validate_failed"}})
WITHHELD = "content filter: the endpoint withheld the reply (finish_reason content_filter"


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (FILTERED, f"{WITHHELD})"),
        (NO_MESSAGE, f"{WITHHELD}: PROHIBITED_CONTENT)"),
        (UNFINISHED, "truncated: the token limit ended the reply (finish_reason length)"),
        (NOT_JSON, "error: the endpoint broke the reply off (finish_reason json_validate_failed)"),
    ],
)
def test_check__withheld(error: tuple[int, Any], cause: str, tmp_path: Path) -> None:
    """One of five draws is withheld: it is not drawn again, its case flips and fails, and the other case is drawn."""
    met: list[str] = []

    def script(number: int, body: Any) -> Answer:
        met.append(body["messages"][0]["content"])
        if met[-1] == "bad" and met.count("bad") == 3:
            status, content = error
            return answer(content, status)
        return answer(completion("billing", id=f"chatcmpl-{number:032}"))

    cases = [{"id": name, "prompt": name, "n": 5, "max_tokens": 9, "max_flip": 0} for name in ("bad", "good")]
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(*cases)})
    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", "--max-concurrency", "1", url=endpoint.base_url)
    assert ended.report is not None
    shown = {
        case["id"]: (case["verdict"], [(draw["state"], (draw["error"] or {}).get("message")) for draw in case["draws"]])
        for case in ended.report["cases"]
    }
    answered = ("answered", None)
    assert shown == {
        "bad": ("fail", [answered, answered, ("unreadable", cause), answered, answered]),
        "good": ("pass", [answered] * 5),
    }
    assert (ended.code, len(endpoint.requests), ended.report["manifest"]["adapted"]) == (1, 10, [])
