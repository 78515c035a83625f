"""Families of the failures that other tools are known for: the value, its place, its nesting and its spelling vary."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.story import lines, run, two_commits

from evalaction.values import dumps, parse

AMBIGUOUS = "ambiguous: more than one JSON value, and they differ"
UNCLOSED = "reasoning without an end: <think> is never closed, so what follows may be a draft"
TRUNCATED = "truncated: the token limit ended the reply (finish_reason {})"
LABELS = ["billing", "refund"]
GRADERS: dict[str, tuple[dict[str, Any], str]] = {
    "json": ({"grader": "json"}, '{"label": "billing"}'),
    "text": ({"grader": "text"}, "billing"),
    "exact": ({"grader": "exact"}, "billing"),
    "choice": ({"grader": "choice", "labels": LABELS}, "billing"),
    "number": ({"grader": "number"}, "42"),
    "regex": ({"grader": "regex", "regex": "is (\\w+)"}, "It is billing"),
    "diff": ({"grader": "diff", "expect_file": "known.txt"}, "a\nb\n"),
}
"""Grader → what a golden line says for it, and a completion that it reads."""


def came_of(tmp_path: Path, asked: list[dict[str, Any]], bodies: list[Any]) -> list[Any]:
    """Check one new case for each line, two draws of one body each; return the answer in a list, or the cause."""
    golden = lines(*({"id": str(number), "prompt": str(number), "n": 2, **each} for number, each in enumerate(asked)))
    files = {"golden.jsonl": golden, "known.txt": "a\nb\n"}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, files)

    def script(_: int, body: Any) -> Answer:
        return answer(bodies[int(body["messages"][0]["content"])])

    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", "--max-calls", str(2 * len(asked)), url=endpoint.base_url)
    assert ended.report is not None, ended.err
    found = {case["id"]: case for case in ended.report["cases"]}
    return [outcome(found[str(number)]) for number in range(len(asked))]


def outcome(case: Any) -> Any:
    """Return the answer of both draws, or the cause why they have none; unreadable ones agree with nothing."""
    if not case["modes"]:
        assert (case["agreement"]["count"], case["verdict"]) == (0, "fail")
        return case["draws"][0]["error"]["message"]
    (mode,) = case["modes"]
    assert mode["count"] == 2
    return [dumps(parse(json.dumps(mode["answer"])))]


def said(*texts: str) -> list[Any]:
    """Return completions that say these texts, each draw of its own."""
    return [completion(text, id=None) for text in texts]


VALUES: list[Any] = [
    {"a": 1},
    {"code": "use `print` here"},
    {"run": "First:\n```bash\nls -l\n```\nthen ~~~ stop."},
    {"é": "日本 😀", "quote": 'say "so"', "slash": "a\\b"},
    {"deep": [{"in": [[{"x": {"y": [None, True, 1.5]}}]]}]},
    {"text": "ends with ,} and ,] inside {x} [1] </div>"},
    {},
]
WRITTEN: list[tuple[str, Callable[[Any], str]]] = [
    ("compact", lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))),
    ("escaped", json.dumps),
    ("indented", lambda value: json.dumps(value, indent=2, ensure_ascii=False)),
]
FENCED = [
    "```json\n{}\n```",
    "````json\n{}\n````",
    "~~~json\n{}\n~~~",
    "``` JSON title\n{}\n`````",
    "```\r\n{}\r\n```\r\n",
    "```  \n{}\n```\n",
    "Here you are [1]:\n\n```json\n{}\n```\nI hope {this} helps.",
    "Set it first:\n```bash\nexport CFG={debug}\n```\nSo:\n```json\n{}\n```\n",
    '<think>\nMaybe:\n```json\n{"no": 1}\n```\n</think>\n```json\n{}\n```',
    "```json\n{}\n```\nor, once more:\n```json\n{}\n```",
    "```json\n{}",
    '```json title="x.json"\n{}\n```\nor {"no": 1}',
    '```json {}\n```\nor {"no": 1}',
]


def test_fences(tmp_path: Path) -> None:
    """Whatever a fence looks like, and whatever the value holds, the value comes back byte for byte."""
    texts = [(fence.replace("{}", write(value)), value) for fence in FENCED for _, write in WRITTEN for value in VALUES]
    expected = [[dumps(parse(json.dumps(value)))] for _, value in texts]
    asked = [{"grader": "json"}] * len(texts)
    assert expected == came_of(tmp_path, asked, said(*(text for text, _ in texts)))


THINKING = [
    ("<think>", "</think>"),
    ("<THINKING >", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<seed:think>", "</seed:think>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
    ("<think mode='slow'>", "</think>"),
    ("<|channel>thought\n", "<channel|>"),
]
DRAFTS = ['Maybe {"label": "refund"}?', '{"label": ', "It is refund, is 7, `x`", "```json\n{}\n```", "{" * 50]


READ = {"json": '{"label":"billing"}', "number": "42", "regex": '"billing"', "diff": '"a\\nb"'}


def test_reasoning__closed(tmp_path: Path) -> None:
    """However reasoning is marked and whatever it drafts, each grader reads what stands behind it."""
    rows = [
        (grader, block)
        for grader in GRADERS
        if grader != "exact"
        for opened, closed in THINKING
        for draft in DRAFTS
        for block in (
            f"{opened}{draft}{closed}",
            f"{draft}{closed}\n",
            f"{opened}{draft}{closed}\n{opened}b{closed}\n\n",
        )
    ]
    expected = [[READ.get(grader, '"billing"')] for grader, _ in rows]
    texts = [block + GRADERS[grader][1] for grader, block in rows]
    assert expected == came_of(tmp_path, [GRADERS[grader][0] for grader, _ in rows], said(*texts))


def test_reasoning__unclosed(tmp_path: Path) -> None:
    """Reasoning without an end leaves no answer to any grader but the one that reads every character."""
    graders = [grader for grader in GRADERS if grader != "exact"]
    asked = [GRADERS[grader][0] for grader in graders for _ in THINKING]
    texts = [f"{opened}I could say\n{GRADERS[grader][1]}" for grader in graders for opened, _ in THINKING]
    assert [UNCLOSED] * len(texts) == came_of(tmp_path, asked, said(*texts))


def test_reasoning__in_strings(tmp_path: Path) -> None:
    """A tag in a string of the answer is text, at every depth, in a key and beside a fence of one's own."""
    tags = [tag for pair in THINKING for tag in pair] + ["<think>x</think>"]
    values: list[Any] = [
        *({"note": f"stray {tag} tag"} for tag in tags),
        *({tag: [[{"k": f"{tag}{tag}"}]]} for tag in tags),
    ]
    wrapped = ["{}", "```json\n{}\n```", "It is {}, I think."]
    texts = [text.replace("{}", json.dumps(value)) for value in values for text in wrapped]
    expected = [[dumps(parse(json.dumps(value)))] for value in values for _ in wrapped]
    assert expected == came_of(tmp_path, [{"grader": "json"}] * len(texts), said(*texts))


BETWEEN = ["\n", "\n\n\n", ", ", " or ", " <think>or</think> ", "\n```\nx\n```\n"]
ONE, OTHER = '{"label": "billing", "n": [1, {"a": 2}]}', '{"label": "billing", "n": [1, {"a": 3}]}'
SAME = '{ "n":[1.0,{"a":2e0}] ,"label":"bill\\u0069ng"}'


ENCLOSED = "no answer in the text: its only JSON object stands inside other brackets"
LISTS: list[tuple[str, str | None]] = [
    ("It is [x, {}].", ENCLOSED),
    ("It is [{}, {}, …]!", None),
    ("It is ['x',\n {}].", ENCLOSED),
    ("So:\n[\n// one\n{},\n{}\n]", ENCLOSED),
    ("So: {}]", "a closing bracket without its opening one"),
    ("So: {}, {}, 7]", "a closing bracket without its opening one"),
    ("So: {}}", "a closing brace without its opening one"),
]


def test_lists(tmp_path: Path) -> None:
    """An item of a list that is no JSON, or was closed too early, is never taken for the answer; one in prose is."""
    texts = [text.replace("{}", value) for text, _ in LISTS for value in (ONE, SAME)]
    found = came_of(tmp_path, [{"grader": "json"}] * len(texts), said(*texts))
    assert all(isinstance(came, str) for came in found)
    causes = [cause for _, cause in LISTS for _ in range(2)]
    assert [] == [(came, cause) for came, cause in zip(found, causes, strict=True) if cause and cause not in came]
    prose = ["[see {}]", "[INFO] {}", "\x1b[32m{}\x1b[0m", "In [0, 1): {} and (0, 1]", "[a](b) {} [1]"]
    texts = [text.replace("{}", ONE) for text in prose]
    assert [[dumps(parse(ONE))]] * len(texts) == came_of(
        tmp_path / "p", [{"grader": "json"}] * len(texts), said(*texts)
    )


EXACT: list[tuple[str, str]] = [
    ("18446744073709551617", "18446744073709551617"),
    ("184467440737095516200000", "184467440737095516200000"),
    ("1844674407370955162e5", "184467440737095516200000"),
    ("0.1000000000000000055", "0.1000000000000000055"),
    ("123456789012345678901234567890.50", "123456789012345678901234567890.5"),
]


def test_numbers__as_they_are(tmp_path: Path) -> None:
    """A number that no double holds keeps every digit, and stands in the comment as people write it."""
    cases = [{"id": str(i), "prompt": str(i), "n": 2, "grader": "json"} for i in range(len(EXACT))]
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(*cases)})

    def script(number: int, body: Any) -> Answer:
        place = int(body["messages"][0]["content"])
        return answer(completion(f'{{"v": [{EXACT[place][0]}, {number}]}}', id=None))

    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    comment = (tmp_path / "report" / "report.md").read_text()
    assert (1, []) == (ended.code, [shown for _, shown in EXACT if f"[{shown}," not in comment])


def test_two_values(tmp_path: Path) -> None:
    """Two values that differ, however little, are ambiguous wherever they stand; two spellings of one are one."""
    places = [("{}{}{}", BETWEEN), ("```json\n{}\n```{}```json\n{}\n```", ["\nor\n", "\n"])]
    texts, expected = [], []
    for second, came in ((OTHER, AMBIGUOUS), (SAME, [dumps(parse(ONE))])):
        for place, betweens in places:
            for between in betweens:
                texts.append(place.format(ONE, between, second))
                expected.append(came)
    assert expected == came_of(tmp_path, [{"grader": "json"}] * len(texts), said(*texts))


TWO: list[tuple[str, str, str]] = [
    ("number", "2 or 3", "ambiguous: 2 and 3"),
    ("number", "2, no: 2.5", "ambiguous: 2 and 2.5"),
    ("number", "2 and 2.0 and 2e0", "2"),
    ("number", "It costs 2 002 €.", 'not written as a number: "2 002"'),
    ("number", "The balance is -$5.", 'not written as a number: "-$5."'),
    ("array", "As [1] and [2] say: [3, 4].", "[3,4]"),
    ("array", "As [1] says.", "no answer in the text: [1] may be a citation mark or a check box"),
    ("choice", "billing or refund", 'none of the labels: "billing or refund"'),
    ("choice", "billing\nbilling", 'none of the labels: "billing\\nbilling"'),
    ("regex", "It is billing, or it is refund", 'ambiguous: the pattern finds "billing" and "refund"'),
    ("regex", "It is billing; yes, it is billing", '"billing"'),
    ("fence", "```\na\n```\n```\nb\n```", "ambiguous: more than one fence, and they differ"),
    ("fence", "```\na\nb\n```\nor\n~~~text\na\nb\n~~~", '"a\\nb"'),
]


def test_two_values__other_graders(tmp_path: Path) -> None:
    """What differs is picked by no grader, and what is said twice counts once."""
    lines_of = {name: line for name, (line, _) in GRADERS.items()}
    lines_of["fence"] = {**lines_of["diff"], "fence": True}
    lines_of["array"] = {"grader": "json", "schema": {"type": "array"}}
    expected = [came if came.startswith(("ambiguous", "no")) else [came] for *_, came in TWO]
    assert expected == came_of(tmp_path, [lines_of[name] for name, *_ in TWO], said(*(text for _, text, _ in TWO)))


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "model_length", "incomplete"])
def test_truncated(tmp_path: Path, reason: str) -> None:
    """A reply that the token limit ended is no answer to any grader, however well it reads."""
    texts = [text for _, text in GRADERS.values()]
    texts += [text[: len(text) // 2] for text in texts]
    bodies = [completion(text, id=None, finish_reason=reason) for text in texts]
    asked = [line for line, _ in GRADERS.values()] * 2
    assert [TRUNCATED.format(reason)] * len(bodies) == came_of(tmp_path, asked, bodies)


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"label":"billing"}'}}
NOTHING: list[tuple[dict[str, Any], str]] = [
    ({"text": None}, "empty: no content"),
    ({"text": ""}, "empty: empty content"),
    ({"text": " \n\t\u00a0"}, "empty: white space only"),
    ({"text": []}, "empty: no content"),
    ({"text": "", "reasoning_content": "42"}, "empty: empty content; the text in the reasoning field is no answer"),
    ({"text": None, "refusal": "I can't."}, "refusal: I can't."),
    ({"text": "42", "refusal": "I can't."}, "refusal: I can't."),
    ({"text": None, "tool_calls": [CALL]}, "tool call: the model called a tool instead of answering"),
    (
        {"text": "42", "finish_reason": "tool_calls"},
        "tool call: the model called a tool instead of answering",
    ),
    (
        {"text": "42", "finish_reason": "content_filter"},
        "content filter: the endpoint withheld the reply (finish_reason content_filter)",
    ),
    (
        {"text": "42", "finish_reason": "abort"},
        "error: the endpoint broke the reply off (finish_reason abort)",
    ),
]


@pytest.mark.parametrize("grader", GRADERS)
def test_nothing(tmp_path: Path, grader: str) -> None:
    """No content, a refusal, a tool call, a withheld reply: each has its own cause, and none is an answer."""
    bodies = [completion(id=None, **fields) for fields, _ in NOTHING]
    assert [cause for _, cause in NOTHING] == came_of(tmp_path, [GRADERS[grader][0]] * len(bodies), bodies)


BROKEN = [
    '{"label": "billing", "tags": ["a", "b",],}',
    "{'label': 'billing', 'note': \"it's\"}",
    "{“label”: “billing”}",
    '{"body": "Dear all,\twe moved."}',
    '{"memo": "the sign said "closed", so we left", "done": false}',
    '{"a": 1, "a": 1}',
    '{"a": NaN}',
    '{"a": 01}',
    '{"a": .5}',
    '{"a": "\\x41"}',
    '{"a": True}',
    '{"a": 1 /* one */}',
    '{"a": undefined}',
    '{"a": "\\udc00"}',
    '{"a": [1, 2}',
    '{"a" 1}',
]


PLACES = [("", ""), ("  \n", "\n"), ("```json\n", "\n```"), ("So:\n\n~~~json\n", "\n~~~\nYes.")]


def test_broken(tmp_path: Path) -> None:
    """What is no strict JSON is never mended, wherever it stands, and the cause names the line it stands in."""
    rows = [(text, before + text + after) for text in BROKEN for before, after in PLACES]
    found = came_of(tmp_path, [{"grader": "json"}] * len(rows), said(*(whole for _, whole in rows)))
    lines_of = [whole[: whole.index(text)].count("\n") + 1 for text, whole in rows]
    assert [f"invalid JSON at line {line}" for line in lines_of] == [str(came).partition(",")[0] for came in found]


SPELLINGS: list[tuple[dict[str, Any], list[str], str]] = [
    ({"grader": "number"}, ["100", "1e2", "100.0", "+100", "It is 100.", "**100**", "0100"], "100"),
    ({"grader": "number", "round": 0.5}, ["2.25", "2.5", "2.74", "2.7400", "24e-1"], "2.5"),
    (
        {"grader": "choice", "labels": LABELS},
        [
            "billing",
            "Billing.",
            " BILLING ",
            "`billing`",
            '"billing"',
            "*billing*!",
            "```\nbilling\n```",
            "billing。",
            "billing…",
        ],
        '"billing"',
    ),
    ({"grader": "text"}, ["Caf\u00e9 au lait", "cafe\u0301  AU lait", " CAF\u00c9\nau\tlait"], '"caf\u00e9 au lait"'),
    ({"grader": "regex", "regex": "is (.+)"}, ["it is caf\u00e9", "No, it is cafe\u0301"], '"caf\u00e9"'),
    ({"grader": "diff", "expect_file": "known.txt"}, ["a\nb", "a\r\nb\r\n", "```\na\nb\n```", "a\nb\n\n\n"], '"a\\nb"'),
    (
        {"grader": "json", "compare": {"t": {"unordered": True, "case_insensitive": True}, "n": {"round": 10}}},
        ['{"t": ["B", "a"], "n": 12}', '{"n": 1.4e1, "t": ["a", "b"]}', 'So {"t": ["A", "b"], "n": 5}'],
        '{"n":10,"t":["a","b"]}',
    ),
    (
        {"grader": "json"},
        ['{"\u00e9": "\u00e9"}', '{"e\\u0301": "e\u0301"}', '{"\\u00e9": "e\\u0301"}'],
        '{"\u00e9":"\u00e9"}',
    ),
]


def test_spellings(tmp_path: Path) -> None:
    """What is equal by the contract is one answer, however each draw spells it."""
    cases = [
        {"id": str(number), "prompt": str(number), "n": len(texts), **line}
        for number, (line, texts, _) in enumerate(SPELLINGS)
    ]
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(*cases), "known.txt": "a\nb\n"})
    left = {str(number): list(texts) for number, (_, texts, _) in enumerate(SPELLINGS)}

    def script(_: int, body: Any) -> Answer:
        return answer(completion(left[body["messages"][0]["content"]].pop(), id=None))

    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    assert ended.report is not None, ended.err
    assert [[(came, len(texts))] for _, texts, came in SPELLINGS] == [
        [(dumps(parse(json.dumps(mode["answer"]))), mode["count"]) for mode in case["modes"]]
        for case in ended.report["cases"]
    ]
