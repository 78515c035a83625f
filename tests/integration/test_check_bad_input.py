"""What bad input gets: one clear message with place and remedy, the right exit code, nothing half-written."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import ScriptedEndpoint, answer, completion
from support.gitrepo import new_repo
from support.story import lines, run, two_commits

CASE = {"id": "a", "prompt": "Hi", "n": 2}
GOOD = lines(CASE)


def test_check__no_repository(tmp_path: Path) -> None:
    """A folder in no repository is named, with what to do."""
    ended = run(tmp_path, "check", url="http://127.0.0.1:9")
    assert (ended.code, ended.out, ended.err) == (
        2,
        "",
        f"error: {tmp_path}: This folder is in no git repository. "
        "Name one that is (--repo), or check the repository out first.\n",
    )


def test_check__unknown_revision(tmp_path: Path) -> None:
    """A revision that there is not is named."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": GOOD}, {"README.md": "x"})
    ended = run(repo.path, "check", "--base", "mian", url="http://127.0.0.1:9")
    assert (ended.code, ended.out, ended.err) == (
        2,
        "",
        "error: This repository has no revision 'mian'. See `git branch --all` and `git tag` for what there is.\n",
    )


FILES: list[tuple[dict[str, str | bytes], str]] = [
    (
        {"golden.jsonl": b"", "README.md": "x"},
        "golden.jsonl: The file holds no case (0 cases). Add a line, or remove the file.",
    ),
    (
        {"prompts.jsonl": GOOD},
        "No golden file matches **/*.golden.jsonl, **/golden.jsonl, and no deck is configured. "
        "Add a file such as prompts/golden.jsonl, one case a line.",
    ),
    (
        {"golden.jsonl": GOOD + '\n{"id": "b", "prompt": "Ho",}\n'},
        "golden.jsonl:3: The line is not JSON: a comma before the closing bracket (character 27). "
        "Write one whole JSON object a line.",
    ),
    (
        {"golden.jsonl": lines({**CASE, "expectd": {"x": 1}})},
        "golden.jsonl:1: There is no field `expectd`. Did you mean expect?",
    ),
    (
        {"golden.jsonl": GOOD + lines({"id": "b", "prompt": "x"}, {"id": "a", "prompt": "y"})},
        "golden.jsonl:3: The id 'a' stands in lines 1 and 3. "
        'Give each case of a file its own; 1 and "1" are the same.',
    ),
    (
        {"golden.jsonl": lines({**CASE, "n": 1})},
        "golden.jsonl:1: `n` is 1, and one draw measures nothing: it takes 2 to 100.",
    ),
    (
        {"golden.jsonl": lines({**CASE, "agreement_min": 0.9, "max_flip": 0.3})},
        "golden.jsonl:1: `agreement_min` and `max_flip` contradict each other: together they have to make 1. "
        "Keep one of them.",
    ),
    (
        {"golden.jsonl": lines({"id": "a", "prompt_file": "p.txt"}), "p.txt": "Dear {{ name }},\n"},
        "golden.jsonl:1: In the case 'a': The template p.txt:1 cannot be rendered: 'name' is undefined. "
        "Give name in `vars`.",
    ),
    (
        {"golden.jsonl": lines({"id": "a", "prompt_file": "../../etc/passwd"})},
        "golden.jsonl:1: In the case 'a': '../../etc/passwd' leaves the repository. "
        "Name a file of this repository by a relative path.",
    ),
    (
        {"golden.jsonl": lines({"id": "a", "prompt_file": "gone.txt"})},
        "golden.jsonl:1: In the case 'a': gone.txt does not exist.",
    ),
    (
        {"golden.jsonl": b"<<<<<<< HEAD\n" + GOOD.encode() + b"=======\n>>>>>>> x\n"},
        "golden.jsonl:1: The merge-conflict marker <<<<<<< stands here. Resolve the conflict.",
    ),
]


@pytest.mark.parametrize(("files", "message"), FILES, ids=[message[:40] for _, message in FILES])
def test_check__bad_file(tmp_path: Path, files: dict[str, str | bytes], message: str) -> None:
    """A file that cannot be used is named with its physical line; nothing is sent and nothing written."""
    repo = two_commits(tmp_path / "repo", {"README.md": "y"}, files)
    with ScriptedEndpoint.answering(lambda *_: "x") as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    assert (ended.code, ended.out, ended.err) == (2, "", f"error: {message}\n")
    assert endpoint.requests == []
    assert list((tmp_path / "report").iterdir()) == []


def test_check__no_endpoint_and_no_model(tmp_path: Path) -> None:
    """What is missing to draw is named at once, below what would be drawn."""
    repo = two_commits(tmp_path / "repo", {"README.md": "y"}, {"golden.jsonl": GOOD})
    ended = run(repo.path, "check", url=None, model=None)
    base = repo.git("rev-parse", "main")[:12]
    assert (ended.code, ended.out, ended.err) == (
        2,
        f"main ({base}) → work tree\n"
        "1 case of 1 to be drawn, 0 unaffected.\n"
        "golden.jsonl:1 a: new, n 2\n"
        "Stubs: positional 1.00 (3/3), identity 0.00 (0/3) on the built-in deck.\n"
        "2 calls planned for draws; a call that fails is tried again.\n"
        "A sound case, whose every draw gives its usual answer with probability 0.95, misses 2/2 in 9.8 % of runs.\n",
        "error: No endpoint is given, and 1 case has to be drawn. "
        "Set EVAL_BASE_URL (the input base-url), such as http://127.0.0.1:8080/v1.\n"
        "error: golden.jsonl:1: No model is named for the case 'a'. "
        "Set EVAL_MODEL (the input model), or model in evalaction.yml.\n",
    )


def test_check__too_many_calls(tmp_path: Path) -> None:
    """A plan over max-calls sends nothing; the run is unmeasured and says what to raise."""
    repo = two_commits(tmp_path / "repo", {"README.md": "y"}, {"golden.jsonl": GOOD})
    with ScriptedEndpoint.answering(lambda *_: "x") as endpoint:
        ended = run(repo.path, "check", "--max-calls", "1", url=endpoint.base_url)
    assert endpoint.requests == []
    assert ended.code == 3
    assert ended.report["verdict"] == "unmeasured"
    assert ended.report["manifest"]["notes"] == [
        "The plan makes 2 calls for 1 case, and max-calls allows 1: nothing is sent. "
        "Raise max-calls (--max-calls), or narrow the run with --case or --tag."
    ]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_check__unreachable(tmp_path: Path) -> None:
    """An endpoint that does not listen makes the run unmeasured: not a regression, not green."""
    repo = two_commits(tmp_path / "repo", {"README.md": "y"}, {"golden.jsonl": GOOD})
    port = free_port()
    ended = run(repo.path, "check", url=f"http://127.0.0.1:{port}")
    assert ended.code == 3
    (case,) = ended.report["cases"]
    assert (case["verdict"], case["agreement"], case["flip_rate"]) == ("unmeasured", None, None)
    assert [draw["error"] for draw in case["draws"]] == [
        {
            "cause": "transport",
            "status": None,
            "message": f"127.0.0.1:{port} refuses the connection: nothing listens there.",
        }
    ] * 2


def refuses(status: int, body: Any) -> ScriptedEndpoint:
    """Return an endpoint that answers one draw and refuses every other."""
    good = answer(completion("yes", id="cmpl-0"))
    return ScriptedEndpoint(lambda number, _: good if number == 0 else answer(body, status=status))


ERRORS = [
    (
        401,
        {"error": {"message": "Incorrect API key provided."}},
        None,
        "{host} wants a key (HTTP 401), and none was given. Set EVAL_API_KEY (input api-key). "
        "It said: Incorrect API key provided.",
    ),
    (
        404,
        {"error": {"message": "The model `m` does not exist."}},
        "sk-0123456789",
        "There is nothing to ask at http://{host}/v1/chat/completions (HTTP 404), or it has no model 'm'. "
        "Check EVAL_BASE_URL (input base-url) and EVAL_MODEL. It said: The model `m` does not exist.",
    ),
]


@pytest.mark.parametrize(("status", "body", "key", "note"), ERRORS, ids=["key", "model"])
def test_check__refused(tmp_path: Path, status: int, body: Any, key: str | None, note: str) -> None:
    """A refusal ends the run with one message and one call more; the draw already paid for is kept."""
    repo = two_commits(tmp_path / "repo", {"README.md": "y"}, {"golden.jsonl": lines({**CASE, "n": 5})})
    with refuses(status, body) as endpoint:
        ended = run(repo.path, "check", "--max-concurrency", "1", url=endpoint.base_url, key=key)
        host = endpoint.base_url.split("/")[2]
    assert (ended.code, len(endpoint.requests)) == (3, 2)
    (case,) = ended.report["cases"]
    assert (case["verdict"], case["agreement"]) == ("unmeasured", {"count": 1, "of": 5})
    assert [draw["text"] for draw in case["draws"]] == ["yes", None, None, None, None]
    assert ended.report["manifest"]["notes"] == [note.format(host=host)]


def test_check__rubbish(tmp_path: Path) -> None:
    """An endpoint that answers no completion is asked four times a draw, and nothing counts as measured."""
    repo = two_commits(tmp_path / "repo", {"README.md": "y"}, {"golden.jsonl": GOOD})
    page = b"<html><body>Welcome to the proxy</body></html>"
    with ScriptedEndpoint(lambda *_: (200, {"Content-Type": "text/html", "Retry-After": "0"}, page)) as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    assert (ended.code, len(endpoint.requests)) == (3, 8)
    assert [draw["state"] for draw in ended.report["cases"][0]["draws"]] == ["missing", "missing"]


def test_check__bad_options(tmp_path: Path) -> None:
    """Malformed options are all named at once, with what is allowed."""
    repo = new_repo(tmp_path / "repo")
    ended = run(repo.path, "check", "--repeat", "1", "--deadline", "soon", "--fail-on", "agreement,speed", url="x")
    assert (ended.code, ended.out, ended.err) == (
        2,
        "",
        "error: repeat: must be a whole number from 2 to 100.\n"
        "error: deadline: must be a whole number from 1 to 86,400.\n"
        "error: fail-on: names no gate: speed; allowed: agreement, schema, length, expected, contract, independence, "
        "judge-flip, judge-gold, judge-probe.\n",
    )


def test_check__short_key(tmp_path: Path) -> None:
    """A key too short to be redacted works, and the report warns of it."""
    repo = two_commits(tmp_path / "repo", {"README.md": "y"}, {"golden.jsonl": GOOD})
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url, key="short")
    assert ended.code == 0
    assert ended.report["manifest"]["notes"] == [
        "The key has fewer than 8 characters, so it is not redacted from the reports."
    ]
    assert json.loads(endpoint.requests[0].body)["model"] == "m"


STRICT = lines({**CASE, "agreement_min": 0.9})
BASES: list[tuple[dict[str, str | bytes], str]] = [
    (
        {"golden.jsonl": b"\xff" + STRICT.encode()},
        "golden.jsonl:1: Byte 1 of the line is not UTF-8. Save the file as UTF-8.",
    ),
    (
        {"golden.jsonl": f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 1\n"},
        "golden.jsonl:1: This is a Git LFS pointer, not the file itself. Do not store it in LFS (git lfs untrack), or "
        "read the work tree after a checkout with `lfs: true`.",
    ),
    (
        {"golden.jsonl": lines({**CASE, "agreement_min": 0.9, "expectd": 1})},
        "golden.jsonl:1: There is no field `expectd`. Did you mean expect?",
    ),
    (
        {"golden.jsonl": lines({"id": "a", "prompt_file": "gone.txt", "n": 2, "agreement_min": 0.9})},
        "golden.jsonl:1: In the case 'a': gone.txt does not exist.",
    ),
    (
        {"golden.jsonl": GOOD, "evalaction.yml": "defaults: {agreement_min: 0.9, topp: 1}\n"},
        "evalaction.yml:1: There is no field `topp`. Did you mean top_p?",
    ),
]
UNREAD = "base could not be read whole, so that nobody could look for all loosened gates"


@pytest.mark.parametrize(("base", "problem"), BASES, ids=["not UTF-8", "pointer", "field", "template", "configuration"])
def test_check__base_in_part(tmp_path: Path, base: dict[str, str | bytes], problem: str) -> None:
    """A loosened gate that nobody could look for is no pass where it would fail the run, and else a warning."""
    repo = two_commits(tmp_path / "repo", base, {"golden.jsonl": GOOD, "evalaction.yml": "model: m\n"})
    with ScriptedEndpoint.answering(lambda *_: "x") as endpoint:
        fails, warns = (
            run(repo.path, "check", *asked, url=endpoint.base_url) for asked in (("--fail-on", "contract"), ())
        )
    note = f"At base a problem was found, so that cases may count as new: {problem}"
    assert note == fails.report["manifest"]["notes"][0]
    gates = [{"name": "contract", "verdict": "unmeasured", "detail": UNREAD, "warns": warns} for warns in (False, True)]
    assert [(ended.code, ended.report["verdict"], ended.report["gates"]) for ended in (fails, warns)] == [
        (3, "unmeasured", gates[:1]),
        (0, "pass", gates[1:]),
    ]
    text = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert [row for row in text.splitlines() if row.startswith("> ")][:2] == [
        "> [!WARNING]",
        f"> - **Not measured:** the gate contract: `{UNREAD}`",
    ]


def test_check__last_golden_file_removed(tmp_path: Path) -> None:
    """A change that takes away the last golden file is told so, with what it took away."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": GOOD, "b.golden.jsonl": GOOD}, {"README.md": "x"})
    repo.git("rm", "--quiet", "golden.jsonl", "b.golden.jsonl")
    repo.commit({})
    ended = run(repo.path, "check", url="http://127.0.0.1:9")
    assert (ended.code, ended.out, ended.err) == (
        2,
        "",
        "error: No golden file matches **/*.golden.jsonl, **/golden.jsonl, and no deck is configured. "
        "Base has b.golden.jsonl, golden.jsonl. "
        "Bring one back, or add a file such as prompts/golden.jsonl, one case a line.\n",
    )
