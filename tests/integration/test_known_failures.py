"""Failures that other tools are known for, each with its exact input, through the command."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.gitrepo import Repo, git
from support.payloads import of_pull
from support.pulls import checkout, new_pull
from support.story import Ended, lines, run, two_commits

from evalaction.action import main

BILLING = {"label": "billing"}
AMBIGUOUS = "ambiguous: more than one JSON value, and they differ"
Body = Mapping[str, Any]


def check_cases(tmp_path: Path, cases: list[Body], reply: Callable[[str, int], Any]) -> tuple[Ended, dict[str, Any]]:
    """Check new cases whose prompts are their ids; ``reply`` gives the body or answer for (id, draw from 0)."""
    seen: dict[str, int] = {}

    def script(_: int, body: Any) -> Answer:
        name = body["messages"][0]["content"]
        seen[name] = seen.get(name, -1) + 1
        given = reply(name, seen[name])
        return given if isinstance(given, Answer) else answer(given)

    golden = lines(*({"prompt": case["id"], "n": 5, **case} for case in cases))
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": golden})
    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", "--max-concurrency", "1", url=endpoint.base_url)
    return ended, {case["id"]: case for case in ended.report["cases"]}


def outcome(case: Any) -> Any:
    """Return the answer of a case's draws, or the cause why they have none; they all have the same."""
    return [case["modes"][0]["answer"]] if case["modes"] else case["draws"][0]["error"]["message"]


COMPLETIONS: list[tuple[str, Any]] = [
    (
        '```json\n{"answer": "Run:\\n```bash\\nls -l\\n```\\nthen stop.", "ok": true}\n```',
        [{"answer": "Run:\n```bash\nls -l\n```\nthen stop.", "ok": True}],
    ),
    (
        "First export the variable:\n\n```bash\nexport CFG={debug}\n```\n\nThen the result is:\n\n"
        '```json\n{"status": "ready", "port": 8080}\n```\n',
        [{"status": "ready", "port": 8080}],
    ),
    ('````json\n{"tip": "Use ``` to open a block"}\n````', [{"tip": "Use ``` to open a block"}]),
    ('```  \r\n{"a": 1}\r\n```\r\n', [{"a": 1}]),
    ('{"code": "use `print` here"}', [{"code": "use `print` here"}]),
    ('```json\n{"a": 1}', [{"a": 1}]),
    (
        '<think>\nMaybe {"label": "refund"}? The user wants one label.\n</think>\n{"label": "billing"}',
        [BILLING],
    ),
    ('First idea {"label": "refund"} but no.\n</think>\n\n{"label": "billing"}', [BILLING]),
    ('<think>{"label": "a"}</think>\n<think>{"label": "b"}</think>\n{"label": "billing"}', [BILLING]),
    (
        '{"note": "ticket says <think>x</think> twice", "label": "other"}',
        [{"note": "ticket says <think>x</think> twice", "label": "other"}],
    ),
    ('{"note": "stray </think> tag", "label": "other"}', [{"note": "stray </think> tag", "label": "other"}]),
    (
        '<think>\nI could answer {"label": "refund"} or perhaps',
        "reasoning without an end: <think> is never closed, so what follows may be a draft",
    ),
    ('{"label": "billing"}\n{"label": "refund"}', AMBIGUOUS),
    ('{"label": "billing"}\n\n\n{"label": "refund"}', AMBIGUOUS),
    ('```json\n{"label": "billing"}\n```\nor\n```json\n{"label": "refund"}\n```', AMBIGUOUS),
    ('{"name": "Mai", "age": 31}, {"name": "Lan", "age": 28}', AMBIGUOUS),
    ('{"label": "billing"}\n{"label": "billing"}', [BILLING]),
    ('{"parts": {"tone": {"score": 1}}, "score": 4}', [{"parts": {"tone": {"score": 1}}, "score": 4}]),
    (
        '{"script": "step 1\\nundo: (db: Store, at: Mark) => boolean;", "keep": true}',
        [{"script": "step 1\nundo: (db: Store, at: Mark) => boolean;", "keep": True}],
    ),
    ('{"text": "ends with ,} and ,] inside", "n": 1}', [{"text": "ends with ,} and ,] inside", "n": 1}]),
    (
        '{"label": "billing", "tags": ["a", "b",],}',
        "invalid JSON at line 1, column 39: a comma before the closing bracket",
    ),
    (
        "{'label': 'billing', 'note': \"it's\"}",
        "invalid JSON at line 1, column 2: Expecting property name enclosed in double quotes",
    ),
    (
        "{“label”: “billing”}",
        "invalid JSON at line 1, column 2: Expecting property name enclosed in double quotes",
    ),
    (
        '{"memo": "the sign said "closed", so we left", "done": false}',
        "invalid JSON at line 1, column 26: Expecting ',' delimiter",
    ),
]


def test_completions(tmp_path: Path) -> None:
    """Fences, reasoning, two objects and broken JSON: each completion gives its exact value or its own cause."""
    cases: list[Body] = [{"id": str(number), "grader": "json", "n": 2} for number in range(len(COMPLETIONS))]
    _, found = check_cases(tmp_path, cases, lambda name, _: completion(COMPLETIONS[int(name)][0], id=None))
    assert [expected for _, expected in COMPLETIONS] == [outcome(found[case["id"]]) for case in cases]


def test_completions__raw_line_break(tmp_path: Path) -> None:
    """A line break inside a string makes a completion unreadable, and the cause points at it."""
    reply = completion('{"body": "Dear all,\nwe moved."}', id=None)
    _, found = check_cases(tmp_path, [{"id": "a", "grader": "json"}], lambda *_: reply)
    assert found["a"]["agreement"] == {"count": 0, "of": 5}
    assert str(outcome(found["a"])).startswith("invalid JSON at line 1, column 20: ")


TRUNCATED = "truncated: the token limit ended the reply (finish_reason length)"
TOOL_CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"label":"billing"}'}}
REPLIES: dict[str, tuple[Any, str, int]] = {
    "cut in array": (
        completion('{"name": "Mai", "items": ["soap", "rice"', finish_reason="length"),
        TRUNCATED,
        12,
    ),
    "cut but valid": (completion('{"name": "Mai", "items": ["soap"]}', finish_reason="length"), TRUNCATED, 12),
    "cut number": (completion('{"name": "Mai", "items": [1, 23', finish_reason="length"), TRUNCATED, 12),
    "all spent on reasoning": (
        completion(
            "",
            finish_reason="length",
            reasoning_content="Let me think about",
            usage={"prompt_tokens": 40, "completion_tokens": 400, "total_tokens": 440},
        ),
        f"{TRUNCATED}, all of it spent on reasoning",
        400,
    ),
    "null and reasoning": (
        completion(None, finish_reason="length", reasoning_content="thinking"),
        f"{TRUNCATED}, all of it spent on reasoning",
        12,
    ),
    "JSON in reasoning": (
        completion("", reasoning_content='{"label": "billing"}'),
        "empty: empty content; the text in the reasoning field is no answer",
        12,
    ),
    "refusal": (completion(None, refusal="I can't help with that."), "refusal: I can't help with that.", 12),
    "tool call": (
        completion(None, finish_reason="tool_calls", tool_calls=[TOOL_CALL]),
        "tool call: the model called a tool instead of answering",
        12,
    ),
    "content filter": (
        completion("", finish_reason="content_filter"),
        "content filter: the endpoint withheld the reply (finish_reason content_filter)",
        12,
    ),
    "no content": (
        completion("", choices=[{"index": 0, "finish_reason": "stop", "message": {"role": "assistant"}}]),
        "empty: no content",
        12,
    ),
    "white space": (completion("  \n\t"), "empty: white space only", 12),
}


def test_replies__no_answer(tmp_path: Path) -> None:
    """Cut off, empty, refused or filtered: five equal ones agree with nothing, and their tokens are counted."""
    schema = {"type": "object", "required": ["name"]}
    cases: list[Body] = [{"id": name, "schema": schema, "max_completion_tokens": 50} for name in REPLIES]
    ended, found = check_cases(tmp_path, cases, lambda name, _: REPLIES[name][0])
    assert ended.code == 1
    expected = {
        name: {"agreement": {"count": 0, "of": 5}, "schema": {"count": 0, "of": 5}, "cause": cause, "length": length}
        for name, (_, cause, length) in REPLIES.items()
    }
    assert expected == {
        name: {
            "agreement": case["agreement"],
            "schema": case["schema"],
            "cause": outcome(case),
            "length": case["length"]["max"],
        }
        for name, case in found.items()
    }


def test_replies__message_null(tmp_path: Path) -> None:
    """A choice whose message is null holds no answer: unreadable draws, which agree with nothing."""
    reply = {"id": "x", "choices": [{"index": 0, "finish_reason": "stop", "message": None}]}
    ended, found = check_cases(tmp_path, [{"id": "a"}], lambda *_: reply)
    assert (ended.code, found["a"]["verdict"], found["a"]["agreement"]) == (1, "fail", {"count": 0, "of": 5})
    assert outcome(found["a"]) == "empty: no content"


EQUAL = [
    ('{"n": 100}', '{"n": 1e2}'),
    ('{"n": 100}', '{"n": 100.0}'),
    ('{"n": 0}', '{"n": -0}'),
    ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
    ("[1.50]", "[1.5]"),
]
DIFFERENT = [
    ('{"n": 1}', '{"n": true}'),
    ('{"n": 0}', '{"n": false}'),
    ("[0]", "[false]"),
    ('{"n": 0}', '{"n": null}'),
    ('{"n": 1}', '{"n": "1"}'),
    ('{"id": 9007199254740993}', '{"id": 9007199254740992}'),
    ('{"id": 18446744073709551616}', '{"id": 18446744073709551617}'),
    ("[1, 2]", "[2, 1]"),
    ('{"a": null}', "{}"),
]


@pytest.mark.parametrize("nested", ["%s", "[%s]", '{"k": [{"z": %s}]}'])
def test_equality(tmp_path: Path, nested: str) -> None:
    """Two spellings of one value are one mode, two values are two, at every depth; integers keep their digits."""
    pairs = [*EQUAL, *DIFFERENT]
    cases: list[Body] = [{"id": str(number), "grader": "json", "n": 2} for number in range(len(pairs))]
    ended, found = check_cases(tmp_path, cases, lambda name, draw: completion(nested % pairs[int(name)][draw], id=None))
    assert [1] * len(EQUAL) + [2] * len(DIFFERENT) == [found[case["id"]]["distinct"] for case in cases]
    written = (tmp_path / "report" / "report.json").read_text()
    assert [digits for digits in ("9007199254740993", "18446744073709551617") if digits not in written] == []
    assert ended.code == 1


BASE = b'{"id": "a", "prompt": "x", "expect": {"n": 1}}\n{"id": "b", "prompt": "y", "expect": {"n": 2}}\n'
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n"


def plan(repo: Repo, *args: str) -> Any:
    """Return the plan as JSON, or the words with which it was refused."""
    ended = run(repo.path, "plan", "--json", *args)
    return json.loads(ended.out) if ended.code == 0 else (ended.code, ended.err)


def selected(planned: Any) -> list[tuple[str, str, int]]:
    return [(case["id"], case["file"], case["line"]) for case in planned["cases"]]


def test_golden__saved_on_windows(tmp_path: Path) -> None:
    """A byte order mark and CRLF change no case: nothing is affected, new or removed."""
    head = b"\xef\xbb\xbf" + BASE.replace(b"\n", b"\r\n")
    planned = plan(two_commits(tmp_path / "repo", {"golden.jsonl": BASE}, {"golden.jsonl": head}))
    assert ([], [], 2) == (planned["cases"], planned["removed"], planned["unaffected"])


def test_golden__blank_lines(tmp_path: Path) -> None:
    """Blank lines are no cases, and the lines of the others are physical ones."""
    first, second = BASE.splitlines()
    head = {"evals/golden.jsonl": b"\n" + first + b"\n\n" + second + b"\n\n\n"}
    planned = plan(two_commits(tmp_path / "repo", {"README.md": "x"}, head))
    assert [("a", "evals/golden.jsonl", 2), ("b", "evals/golden.jsonl", 4)] == selected(planned)


LFS = (
    "This is a Git LFS pointer, not the file itself. Do not store it in LFS (git lfs untrack), "
    "or read the work tree after a checkout with `lfs: true`."
)
REFUSED: list[tuple[str, bytes, str]] = [
    (
        "evals/golden.jsonl",
        BASE.splitlines()[0]
        + b'\n\n   \t\n{"id": "b", "prompt": "y", "expect": {"n": 2,}}\n{"id": "c", "prompt": "z"}\n\n',
        "error: evals/golden.jsonl:4: The line is not JSON: a comma before the closing bracket (character 45). "
        "Write one whole JSON object a line.\n",
    ),
    (
        "evals/golden.jsonl",
        b"// smoke cases\n" + BASE,
        "error: evals/golden.jsonl:1: The line is a comment, and JSON has none. Use the field `note`, or remove it.\n",
    ),
    (
        "golden.jsonl",
        POINTER % (b"3f1ebf8d84deb1d86244120da08b57bdcea46695e1ef40f19245814e367e1711", 88771),
        f"error: golden.jsonl:1: {LFS}\n",
    ),
    (
        "golden.jsonl",
        b'{"id": 1, "prompt": "x"}\n{"id": "1", "prompt": "y"}\n',
        "error: golden.jsonl:2: The id '1' stands in lines 1 and 2. "
        'Give each case of a file its own; 1 and "1" are the same.\n',
    ),
    ("golden.jsonl", b'{"prompt": "x"}\n{"id": "b", "prompt": "y"}\n', "error: golden.jsonl:1: There is no `id`.\n"),
    (
        "golden.jsonl",
        lines(
            {"id": "ok", "prompt": "x", "expect": BILLING},
            {"id": "typo", "prompt": "x", "expectd": BILLING},
            {"id": "empty", "prompt": "x", "expect": {}},
            {"id": "nested", "vars": {"prompt": "x", "expect": BILLING}},
            {"id": "null", "prompt": "x", "expect": None},
        ).encode(),
        "error: golden.jsonl:2: There is no field `expectd`. Did you mean expect?\n"
        "error: golden.jsonl:3: `expect` is {}, which checks nothing.\n"
        "error: golden.jsonl:4: There is no request: a case has exactly one of prompt, messages, prompt_file.\n"
        "error: golden.jsonl:4: `vars` goes with `prompt_file` alone. Put the prompt into a template file.\n"
        "error: golden.jsonl:5: `expect` is null, which checks nothing.\n",
    ),
]


@pytest.mark.parametrize(
    ("path", "content", "message"), REFUSED, ids=["row", "comment", "pointer", "1 and '1'", "no id", "no check"]
)
def test_golden__refused(tmp_path: Path, path: str, content: bytes, message: str) -> None:
    """A line that is no case, or checks nothing, is named with its physical line, and no other line is run."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {path: content})
    assert (2, message) == plan(repo)


def test_golden__pointer_at_base(tmp_path: Path) -> None:
    """Where base and head are pointers and the work tree has the cases, all of them are new, and it is said."""
    pointers = [POINTER % (letter * 64, 88612) for letter in (b"0", b"3")]
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": pointers[0]}, {"golden.jsonl": pointers[1]})
    assert (2, f"error: golden.jsonl:1: {LFS}\n") == plan(repo, "--base", "main", "--head", "HEAD")
    repo.write({"golden.jsonl": BASE})
    planned = plan(repo)
    assert [("a", "golden.jsonl", 1), ("b", "golden.jsonl", 2)] == selected(planned)
    assert [f"At base a problem was found, so that cases may count as new: golden.jsonl:1: {LFS}"] == planned["notes"]


def test_golden__ids_that_look_alike(tmp_path: Path) -> None:
    """Ids that differ in a blank or in case, or stand in two files, are different cases."""
    names = ["a", "a ", "Case-1", "case-1"]
    first = lines(*({"id": name, "prompt": name} for name in names)).encode()
    head = {"a.golden.jsonl": first, "b.golden.jsonl": BASE}
    planned = plan(two_commits(tmp_path / "repo", {"README.md": "x"}, head))
    assert [
        *((name, "a.golden.jsonl", line) for line, name in enumerate(names, start=1)),
        ("a", "b.golden.jsonl", 1),
        ("b", "b.golden.jsonl", 2),
    ] == selected(planned)


TWO = {
    "golden.jsonl": lines({"id": "a", "prompt_file": "prompts/a.txt"}, {"id": "b", "prompt_file": "prompts/b.txt"}),
    "prompts/a.txt": "First\n",
    "prompts/b.txt": "Second\n",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A clone of depth 1 of a pull request's merge commit; the pull request edits a's prompt, main edited b's."""
    pull = new_pull(
        tmp_path / "origin",
        base=TWO,
        heads=[{"prompts/a.txt": "First, edited\n"}],
        main={"prompts/b.txt": "Second, edited\n"},
    )
    event = of_pull("pull_request.opened", base_sha=pull.m1, head_sha=pull.head, branch=pull.branch)
    (tmp_path / "event.json").write_text(json.dumps(event))
    return checkout(pull, tmp_path / "workspace", ref=pull.ref, depth=1).path


def act(workspace: Path) -> tuple[int, Any, list[str]]:
    """Run the Action; return its exit code, its report and the prompts that were asked."""
    folder = workspace.parent
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        environ = {
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "INPUT_BASE-URL": endpoint.base_url,
            "INPUT_MODEL": "m",
        }
        code = main(environ)
    asked = sorted({request.json["messages"][0]["content"] for request in endpoint.requests})
    return code, json.loads((workspace / "evalaction-report" / "report.json").read_text()), asked


def test_shallow__remote_reachable(workspace: Path) -> None:
    """From a clone of depth 1 the base is fetched, and exactly what the pull request changed is drawn."""
    code, report, asked = act(workspace)
    assert (0, 1, ["First, edited"], []) == (code, report["unaffected"], asked, report["manifest"]["notes"])


def test_shallow__remote_gone(workspace: Path) -> None:
    """Where no base can be had every case is drawn, and the report names fetch-depth: 0; never "0 affected"."""
    git(workspace, "remote", "set-url", "origin", f"file://{workspace.parent}/nowhere")
    code, report, asked = act(workspace)
    assert (0, 0, ["First, edited", "Second, edited"]) == (code, report["unaffected"], asked)
    (note,) = report["manifest"]["notes"]
    assert note.startswith(
        "There is no base to compare with, so everything counts as affected. "
        "Check out with fetch-depth: 0 (on a desk: git fetch --unshallow). The cause: "
    )


def test_prompts__swapped(tmp_path: Path) -> None:
    """Two templates that exchange their contents affect both of their cases."""
    head = {"prompts/a.txt": TWO["prompts/b.txt"], "prompts/b.txt": TWO["prompts/a.txt"]}
    planned = plan(two_commits(tmp_path / "repo", TWO, head))
    assert [("a", "golden.jsonl", 1), ("b", "golden.jsonl", 2)] == selected(planned)


REFUND = "".join(f"Rule {number}: be fair.\n" for number in range(30))
R1 = {"golden.jsonl": '{"id": "r1", "prompt_file": "prompts/refund.txt"}\n', "prompts/refund.txt": REFUND}


@pytest.mark.parametrize("moved_to", ["prompts/refund_v2.txt", "archive/refund.txt", None])
def test_prompts__gone(tmp_path: Path, moved_to: str | None) -> None:
    """A template that was renamed, moved out or deleted under its case ends the run, naming case and path."""
    repo = two_commits(tmp_path / "repo", R1, {} if moved_to is None else {moved_to: REFUND})
    repo.git("rm", "--quiet", "prompts/refund.txt")
    repo.git("commit", "--quiet", "--amend", "--no-edit", "--allow-empty")
    ended = run(repo.path, "plan")
    hint = f" Did you mean {moved_to}?" if moved_to == "prompts/refund_v2.txt" else ""
    expected = f"error: golden.jsonl:1: In the case 'r1': prompts/refund.txt does not exist.{hint}\n"
    assert (2, "", expected) == (ended.code, ended.out, ended.err)


SUITE = {
    "golden.jsonl": lines(
        {"id": "a", "prompt_file": "prompts/a.txt", "vars": {"input": "x"}, "schema_file": "schemas/a.json"},
        {"id": "b", "prompt_file": "prompts/b.txt", "vars": {"input": "x"}, "schema_file": "schemas/b.json"},
    ),
    "schemas/a.json": '{"$ref": "common.json#/$defs/label"}',
    "schemas/b.json": '{"type": "object"}',
    "schemas/common.json": '{"$defs": {"label": {"type": "string", "enum": ["billing", "refund"]}}}',
    "prompts/a.txt": "{% include 'prompts/shared/tone.txt' %}\nTicket: {{ input }}",
    "prompts/b.txt": "Ticket: {{ input }}",
    "prompts/shared/tone.txt": "Be brief.",
    "rubrics/quality.md": "Is it kind?",
    "fixtures.jsonl": lines(
        {"id": "t1", "task": "x", "trace": "y", "gold": "pass"}, {"id": "t2", "task": "x", "trace": "z", "gold": "fail"}
    ),
    "evalaction.yml": "model: m1\n",
}
DECK = "decks: [{name: quality, rubric: rubrics/quality.md, fixtures: fixtures.jsonl}]\n"
INDIRECT: list[tuple[str, str, list[str]]] = [
    ("schemas/common.json", SUITE["schemas/common.json"].replace("refund", "return"), ["a"]),
    ("prompts/shared/tone.txt", "Be kind.", ["a"]),
    ("evalaction.yml", "model: m2\n", ["a", "b"]),
    ("evalaction.yml", "model: m1\ndefaults: {temperature: 0.7}\n", ["a", "b"]),
    ("evalaction.yml", "model: m1\ndefaults: {agreement_min: 0.9}\n", ["a", "b"]),
    ("golden.jsonl", SUITE["golden.jsonl"].replace('"schemas/b.json"', '"schemas/b.json", "n": 6'), ["b"]),
    ("README.md", "x", []),
]


@pytest.mark.parametrize(("path", "content", "affected"), INDIRECT, ids=[change[0] for change in INDIRECT])
def test_indirect_dependency(tmp_path: Path, path: str, content: str, affected: list[str]) -> None:
    """What a case refers to affects it when it changes, and nothing else does."""
    planned = plan(two_commits(tmp_path / "repo", SUITE, {path: content}))
    assert affected == [case["id"] for case in planned["cases"]]


def test_indirect_dependency__rubric(tmp_path: Path) -> None:
    """A changed rubric affects its deck, and no case."""
    base = {**SUITE, "evalaction.yml": SUITE["evalaction.yml"] + DECK}
    planned = plan(two_commits(tmp_path / "repo", base, {"rubrics/quality.md": "Is it rude?"}))
    assert ([], [("quality", ["rubric"])]) == (
        planned["cases"],
        [(deck["name"], deck["reasons"]) for deck in planned["decks"]],
    )


TOO_LARGE = answer({"error": {"message": "no"}}, status=413)
DRAWS: dict[str, tuple[str, int, str]] = {
    "three and two errors": ("AAA!!", 3, "unmeasured"),
    "four and one that cannot be read": ("AAAA?", 4, "pass"),
    "two, one and two errors": ("AAB!!", 2, "unmeasured"),
    "one and four errors": ("A!!!!", 1, "unmeasured"),
    "the same garbage five times": ("?????", 0, "fail"),
}


def test_agreement__over_all_draws(tmp_path: Path) -> None:
    """Errors and completions that cannot be read stay in the denominator, and neither agrees with anything."""

    def reply(name: str, draw: int) -> Any:
        sign = DRAWS[name][0][draw]
        text = "Sorry, I can't." if sign == "?" else json.dumps({"label": sign})
        return TOO_LARGE if sign == "!" else completion(text, id=None)

    _, found = check_cases(tmp_path, [{"id": name, "agree_on": ["label"]} for name in DRAWS], reply)
    expected = {name: ({"count": count, "of": 5}, verdict) for name, (_, count, verdict) in DRAWS.items()}
    assert expected == {name: (case["agreement"], case["verdict"]) for name, case in found.items()}


def test_agreement__all_errors(tmp_path: Path) -> None:
    """Where every draw is an error nothing is measured: no 0/0, no 0/5, the provider's words, and not green."""
    ended, found = check_cases(tmp_path, [{"id": "a"}], lambda *_: TOO_LARGE)
    figures = {name: found["a"][name] for name in ("agreement", "flip_rate", "disagreement", "interval", "length")}
    assert (3, dict.fromkeys(figures)) == (ended.code, figures)
    assert [f"draw {draw['index']}: {draw['error']['status']}" for draw in found["a"]["draws"]] == [
        f"draw {index}: 413" for index in range(1, 6)
    ]


THRESHOLDS: list[tuple[int, int, Body, str]] = [
    (4, 5, {"agreement_min": 0.8}, "pass"),
    (7, 10, {"max_flip": 0.3}, "pass"),
    (9, 10, {"max_flip": 0.1}, "pass"),
    (2, 3, {"agreement_min": 0.67}, "fail"),
    (2, 3, {"agreement_min": 0.66}, "pass"),
    (5, 5, {"agreement_min": 1}, "pass"),
    (29, 100, {"agreement_min": 0.29}, "pass"),
    (57, 100, {"agreement_min": 0.58}, "fail"),
]


def test_threshold__as_written(tmp_path: Path) -> None:
    """A threshold is the decimal that was written, met exactly at its value."""
    cases: list[Body] = [{"id": str(number), "n": n, **asked} for number, (_, n, asked, _) in enumerate(THRESHOLDS)]

    def reply(name: str, draw: int) -> Any:
        return completion("yes" if draw < THRESHOLDS[int(name)][0] else f"no {draw}", id=None)

    _, found = check_cases(tmp_path, cases, reply)
    assert [verdict for *_, verdict in THRESHOLDS] == [found[case["id"]]["verdict"] for case in cases]


def test_draws__are_their_own(tmp_path: Path) -> None:
    """Five draws are five requests and five answers; with a seed each one sends its own."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines({"id": "a", "prompt": "Hi"})})
    seeded = lines({"id": "a", "prompt": "Hi", "seed": 7})
    with ScriptedEndpoint(lambda number, _: answer(completion(f"L{number}", id=f"cmpl-{number}"))) as endpoint:
        plain = run(repo.path, "check", url=endpoint.base_url)
        repo.write({"golden.jsonl": seeded})
        run(repo.path, "check", url=endpoint.base_url)
    assert plain.report["cases"][0]["agreement"] == {"count": 1, "of": 5}
    assert [None] * 5 + [7, 8, 9, 10, 11] == [
        *(request.json.get("seed") for request in endpoint.requests[:5]),
        *sorted(request.json["seed"] for request in endpoint.requests[5:]),
    ]
    assert [["messages", "model"]] * 5 == [sorted(request.json) for request in endpoint.requests[:5]]


IN_200: dict[str, tuple[Any, str, int]] = {
    "429": ({"error": {"message": "too many calls", "code": 429}}, "too many calls", 8),
    "400": ({"error": {"message": "no route for this input", "code": 400}}, "no route for this input", 1),
    "in choice": (
        {
            "id": "x",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "error",
                    "error": {"code": 503, "message": "stream closed"},
                    "message": {"role": "assistant", "content": ""},
                }
            ],
        },
        "stream closed",
        8,
    ),
    "no choices": ({"id": "x", "choices": [], "usage": None}, '{"id": "x", "choices": [], "usage": null}', 8),
    "choices null": ({"id": "x", "choices": None}, '{"id": "x", "choices": null}', 8),
    "a string": ({"error": "model is loading"}, "model is loading", 8),
    "a list": ([], "[]", 8),
}


@pytest.mark.parametrize(("body", "words", "requests"), IN_200.values(), ids=IN_200)
def test_error_in_200(tmp_path: Path, body: Any, words: str, requests: int) -> None:
    """An error in the body of a 200 is retried as its status would be; the draws are missing, in its own words."""
    repo = two_commits(
        tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines({"id": "a", "prompt": "x", "n": 2})}
    )
    with ScriptedEndpoint(lambda *_: answer(body)) as endpoint:
        ended = run(repo.path, "check", "--max-concurrency", "1", url=endpoint.base_url)
    (case,) = ended.report["cases"]
    assert (3, requests, None, 2) == (ended.code, len(endpoint.requests), case["agreement"], case["n"])
    assert str(case["draws"][0]["error"]["message"]).endswith(f" It said: {words}")


LONG = json.dumps({"label": "billing " * 200})
USAGE: dict[str, tuple[str, Any, int, bool, str]] = {
    "absent": (json.dumps(BILLING), None, 5, True, "pass"),
    "null field": (
        json.dumps(BILLING),
        {"prompt_tokens": 9, "completion_tokens": None, "total_tokens": None},
        5,
        True,
        "pass",
    ),
    "zeros": (LONG, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, 404, True, "fail"),
    "a string": (
        json.dumps(BILLING),
        {"prompt_tokens": "9", "completion_tokens": "60", "total_tokens": "69"},
        60,
        False,
        "fail",
    ),
    "null details": (
        json.dumps(BILLING),
        {"completion_tokens": 60, "completion_tokens_details": {"reasoning_tokens": None}},
        60,
        False,
        "fail",
    ),
    "exactly the budget": (json.dumps(BILLING), {"completion_tokens": 50}, 50, False, "pass"),
    "one more": (json.dumps(BILLING), {"completion_tokens": 51}, 51, False, "fail"),
}


def test_usage__missing(tmp_path: Path) -> None:
    """Usage that counts nothing becomes an estimate that is marked as one, never 0 tokens; the budget is exact."""
    cases: list[Body] = [{"id": name, "grader": "json", "n": 2, "max_completion_tokens": 50} for name in USAGE]
    _, found = check_cases(tmp_path, cases, lambda name, _: completion(USAGE[name][0], usage=USAGE[name][1], id=None))
    assert {name: (length, estimated, verdict) for name, (_, _, length, estimated, verdict) in USAGE.items()} == {
        name: (
            case["length"]["max"],
            case["length"]["estimated"],
            next(gate["verdict"] for gate in case["gates"] if gate["name"] == "length"),
        )
        for name, case in found.items()
    }


KEY = "sk-test-AAAA1111BBBB2222"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (KEY, f"The key {KEY} is not valid."),
        (f"{KEY}\n", f"The key {KEY} is not valid."),
        (f" {KEY}", f"bad key ' {KEY}': wrong prefix"),
    ],
    ids=["echoed", "line break", "leading space"],
)
def test_key__echoed(tmp_path: Path, key: str, message: str) -> None:
    """A key that a 401 repeats is sent without white space, asked for once, and written nowhere."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines({"id": "a", "prompt": "x"})})
    with ScriptedEndpoint(lambda *_: answer({"error": {"message": message}}, status=401)) as endpoint:
        ended = run(repo.path, "check", "--max-concurrency", "1", url=endpoint.base_url, key=key)
    assert [f"Bearer {KEY}"] == [request.headers["authorization"] for request in endpoint.requests]
    written = [ended.out, ended.err, *(path.read_text() for path in (tmp_path / "report").iterdir())]
    assert (3, []) == (ended.code, [text for text in written if "AAAA1111BBBB2222" in text])
