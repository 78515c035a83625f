"""Runs that end before their time though every case still passes: what is missing is said where people look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.story import lines, run, two_commits

KEY_REFUSED = (
    "- 1 draw of 1 case missing, rejected with 401: `{host} wants a key (HTTP 401), and none was given. Set "
    "EVAL_API_KEY (input api-key). It said: no key`."
)
USED_UP = (
    "- 10 draws of 10 cases missing, budget: `2,080 tokens were used, requests and replies together, and "
    "max-total-tokens allows 2,080. Raise max-total-tokens (--max-total-tokens), or narrow the run with --case or "
    "--tag`."
)


@pytest.mark.parametrize(("options", "said"), [((), KEY_REFUSED), (("--max-total-tokens", "2080"), USED_UP)])
def test_check__stopped_and_green(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    """The draws that came are counted, not those that were asked for, and the comment says why the others did not."""

    def script(number: int, _: Any) -> Answer:
        if number >= 40 and not options:
            return answer({"error": {"message": "no key"}}, 401)
        return answer(completion("billing", id=f"chatcmpl-{number:032}"))

    cases = [{"id": f"c{number}", "prompt": f"{number}", "n": 5} for number in range(10)]
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(*cases)})
    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", "--max-concurrency", "1", *options, url=endpoint.base_url)
        host = endpoint.base_url.split("/")[2]
    text = (tmp_path / "report" / "report.md").read_text("utf-8")
    assert (ended.code, len(endpoint.requests)) == (0, 40 if options else 41)
    assert "No answer moved in 40 draws of 10 cases." in text
    (cause,) = [line for line in text.splitlines() if line.startswith("- ")]
    assert said.format(host=host) == cause
    assert "No answer moved in 40 draws of 10 cases." in ended.out
