"""The shapes in which models send JSON, and what each of them gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.answer.json_text import AMBIGUOUS, UNCLOSED, read_json
from evalaction.answer.reading import Extraction, Reading, Unreadable
from evalaction.values import InvalidJSON, canonical, parse

NOTHING = Unreadable(cause="no JSON object in the text")
ENCLOSED = Unreadable(cause="no answer in the text: its only JSON object stands inside other brackets")


def reading(value: Any, how: Extraction, *, after_reasoning: bool = False) -> Reading:
    return Reading(value=value, answer=value, extraction=how, after_reasoning=after_reasoning)


@pytest.mark.parametrize(
    ("text", "value", "how"),
    [
        ('{"a": 1}', {"a": 1}, Extraction.WHOLE),
        (' \r\n{"a": 1}\t\n', {"a": 1}, Extraction.WHOLE),
        ("[1]", [1], Extraction.WHOLE),
        ('"billing"', "billing", Extraction.WHOLE),
        ("null", None, Extraction.WHOLE),
        ('{"code": "use `print` here"}', {"code": "use `print` here"}, Extraction.WHOLE),
        (
            '{"parts": {"tone": {"score": 1}}, "score": 4}',
            {"parts": {"tone": {"score": 1}}, "score": 4},
            Extraction.WHOLE,
        ),
        (
            '{"script": "step 1\\nundo: (db: Store, at: Mark) => boolean;", "keep": true}',
            {"script": "step 1\nundo: (db: Store, at: Mark) => boolean;", "keep": True},
            Extraction.WHOLE,
        ),
        (
            '{"text": "ends with ,} and ,] inside", "n": 1}',
            {"text": "ends with ,} and ,] inside", "n": 1},
            Extraction.WHOLE,
        ),
    ],
)
def test_read_json__whole(text: str, value: Any, how: Extraction) -> None:
    """A completion that is one strict JSON value is that value, byte for byte inside its strings."""
    assert reading(value, how) == read_json(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            '```json\n{"answer": "Run:\\n```bash\\nls -l\\n```\\nthen stop.", "ok": true}\n```',
            {"answer": "Run:\n```bash\nls -l\n```\nthen stop.", "ok": True},
        ),
        (
            'Set it:\n\n```bash\nexport CFG={debug}\n```\n\nSo:\n```json\n{"status": "ready", "port": 8080}\n```\n',
            {"status": "ready", "port": 8080},
        ),
        ('````json\n{"tip": "Use ``` to open a block"}\n````', {"tip": "Use ``` to open a block"}),
        ('```  \r\n{"a": 1}\r\n```\r\n', {"a": 1}),
        ('~~~ JSON title\n{"a": 1}\n~~~~', {"a": 1}),
        ('1. It is:\n\n    ```json\n    {"a": 1}\n    ```\n', {"a": 1}),
        ('The input {"q": 1} gives\n```json\n{"a": 1}\n```', {"a": 1}),
        ("```json\n42\n```", 42),
        ("```json\n[1, 2]\n```", [1, 2]),
        ('```\nnot JSON\n```\n```json\n{"a": 1}\n```', {"a": 1}),
        ('```json\n{"a": 1}\n```\nor, again,\n```json\n{"a": 1.0}\n```', {"a": 1}),
        ('```json\n// the result\n{"a": 1}\n```', {"a": 1}),
        ('```json\n{"a": 1}', {"a": 1}),
        ('```\ncurl -d \'{"b": $B}\'\n```\n```json\n{"a": 1}\n```', {"a": 1}),
        ('```\n{"a": 1}', {"a": 1}),
        ('So:\n```javascript\n{"a": 1}\n```', {"a": 1}),
        ('```json {"a": 1}\n```\nor {"b": 2}', {"a": 1}),
        ('```json title="x"\n{"a": 1}\n```\nor {"b": 2}', {"a": 1}),
    ],
)
def test_read_json__fence(text: str, value: Any) -> None:
    """A fence that says JSON, or nothing, gives what it holds, and prose beside it counts for nothing."""
    assert reading(value, Extraction.FENCE) == read_json(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('Sure! {"a": 1} Hope this helps [1].', {"a": 1}),
        ('{"label": "billing"}\n{"label": "billing"}', {"label": "billing"}),
        ('See [1] and [link](https://example.test/{id}), then {"a": [1]}', {"a": [1]}),
        ('For every x in {x | x > 0}: {"a": 1}', {"a": 1}),
        ('```bash\nif true; then {\n```\n{"a": 1}', {"a": 1}),
        ('```python\nprint({"b": 2})\n```\n{"a": 1}', {"a": 1}),
        ('[see {"a": 1}]', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
    ],
)
def test_read_json__object_in_prose(text: str, value: Any) -> None:
    """One object in prose is the answer; citation marks, placeholders and code are not JSON beside it."""
    assert reading(value, Extraction.OBJECT) == read_json(text)


def test_read_json__array_in_prose() -> None:
    """An array in prose is an answer only where one is asked for."""
    text = "The amounts are [1950, 20] cents."
    assert (NOTHING, reading([1950, 20], Extraction.ARRAY)) == (read_json(text), read_json(text, arrays=True))


@pytest.mark.parametrize("mark", ["[1]", "[27]", "[0][999]", "[ ]", "[1](https://a.test)", "items[3]"])
def test_read_json__citation_mark(mark: str) -> None:
    """What is written like a citation mark or a check box counts for nothing beside other text, and is no answer."""
    text = f"As {mark} says: %s. {mark}"
    written = mark[mark.index("[") : mark.index("]") + 1]
    expected = Unreadable(cause=f"no answer in the text: {written} may be a citation mark or a check box")
    assert [reading(["a", 2], Extraction.ARRAY), reading({"a": 2}, Extraction.OBJECT), expected] == [
        read_json(text % answer, arrays=True) for answer in ('["a", 2]', '{"a": 2}', "so")
    ]


@pytest.mark.parametrize(("text", "how"), [("[7]", Extraction.WHOLE), ("```\n [7]\n```", Extraction.FENCE)])
def test_read_json__no_citation_mark(text: str, how: Extraction) -> None:
    """What stands alone, or alone in a fence, cites nothing."""
    assert read_json(text, arrays=True) == reading([7], how)


def test_read_json__array_in_bare_fence() -> None:
    """An array in a fence without a language is an answer only where one is asked for."""
    text = 'So:\n```\n[{"a": 1}]\n```'
    assert (ENCLOSED, reading([{"a": 1}], Extraction.FENCE)) == (read_json(text), read_json(text, arrays=True))


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "billing"}\n{"label": "refund"}',
        '{"label": "billing"}\n\n\n{"label": "refund"}',
        '```json\n{"label": "billing"}\n```\nor\n```json\n{"label": "refund"}\n```',
        '```json\n{"label": "billing"}\n{"label": "refund"}\n```',
        '{"name": "Mai", "age": 31}, {"name": "Lan", "age": 28}',
        '```\n{"label": "billing"}\n```\n```json\n{"label": "refund"}\n```',
        '{"label": "a"} <think>or</think> {"label": "b"}',
        'so {"label": "a"}\n```python\n{"label": "b"}\n```',
        '{"a": 1}\n```\nor {"a": 2}',
        '```json {"a": "`"} ```\n```\n{"a": 2}',
    ],
)
def test_read_json__ambiguous(text: str) -> None:
    """Two values that differ are no answer, wherever they stand: none is picked, nothing is merged."""
    assert Unreadable(cause=AMBIGUOUS) == read_json(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "billing", "tags": ["a", "b",],}',
        "{'label': 'billing', 'note': \"it's\"}",
        "{“label”: “billing”}",
        '{"body": "Dear all,\nwe moved."}',
        '{"memo": "the sign said "closed", so we left", "done": false}',
        '{"name": "Mai", "items": ["soap", "rice"',
        '{"name": "Mai", "item": {"id": 1}',
        '{"label": "billing", "meta": {"a": 1},}',
    ],
)
def test_read_json__invalid(text: str) -> None:
    """Invalid JSON is never repaired, no inner object is taken out of it, and the cause says where the fault is."""
    with pytest.raises(InvalidJSON) as fault:
        parse(text)
    line = text.count("\n", 0, fault.value.position) + 1
    column = fault.value.position - text.rfind("\n", 0, fault.value.position)
    assert Unreadable(cause=f"invalid JSON at line {line}, column {column}: {fault.value}") == read_json(text)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('{"a": 1,\n "b": 2,\n "a": 3}', 'line 3, column 2: the key "a" stands twice in one object'),
        ('So:\n{"b": [{"a": 1}, {"a": 1, "\\u0061": 2}]}', 'line 2, column 27: the key "a" stands twice in one object'),
        ('```json\n{"a": {"a": 1},\n "a": 2}\n```', 'line 3, column 2: the key "a" stands twice in one object'),
        ('{"a":\n NaN}', "line 2, column 2: NaN is not JSON"),
        ('{"a": [-Infinity]}', "line 1, column 8: -Infinity is not JSON"),
        ('{"b": "\\ud83d\\ude00",\n "a": "\\ud800"}', "line 2, column 7: half of a surrogate pair in a string"),
        ('{"a": 1e9999999999}', "line 1, column 7: a number out of range: 1e9999999999"),
        ('{"a":' + "1" * 4_001 + "}", "line 1, column 6: a number of 4,001 characters"),
        ('{"a":' + "[" * 200 + "]" * 200 + "}", "line 1, column 205: nested too deeply"),
    ],
    ids=lambda text: text[:20],
)
def test_read_json__place(text: str, cause: str) -> None:
    """What strict JSON does not allow is named where it stands, however deep and wherever the value is."""
    assert Unreadable(cause=f"invalid JSON at {cause}") == read_json(text)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", NOTHING.cause),
        ("Sorry, I can't.", NOTHING.cause),
        ("{name} is missing", "invalid JSON at line 1, column 2: Expecting property name enclosed in double quotes"),
        ('It is {{"a": 1}}', ENCLOSED.cause),
        ('const x = {a: {"b": 1}}', ENCLOSED.cause),
        ('It is [{"a": 1}, {"a": 1}].', ENCLOSED.cause),
        ('So: {"a": {"b": 1}}, "c": 2}', "invalid JSON at line 1, column 28: a closing brace without its opening one"),
        ('So: {"a": 1} {', "invalid JSON at line 1, column 15: an opening brace without its closing one"),
        ('Hm\n```json\n{"a": 1, "b"}\n```', "invalid JSON at line 3, column 13: Expecting ':' delimiter"),
        ('```json\n{"a" 1}\n```\n```json\n{"a": 1}\n```', "invalid JSON at line 2, column 6: Expecting ':' delimiter"),
        ('Not {"a": x} but {"a": 1}', "invalid JSON at line 1, column 11: Expecting value"),
        ("```json\nnone\n```", "invalid JSON at line 2, column 1: Expecting value"),
        ("```json\n\n```", NOTHING.cause),
        ('It is [1, {"a": 1}, x]', "invalid JSON at line 1, column 21: Expecting value"),
    ],
)
def test_read_json__nothing(text: str, cause: str) -> None:
    """Without exactly one whole value there is no answer, and the cause is named with its place in the completion."""
    assert Unreadable(cause=cause) == read_json(text)


@pytest.mark.parametrize(
    ("text", "value", "how"),
    [
        (
            '<think>\nMaybe {"label": "refund"}? The user wants one label.\n</think>\n{"label": "billing"}',
            {"label": "billing"},
            Extraction.WHOLE,
        ),
        (
            'First idea {"label": "refund"} but no.\n</think>\n\n{"label": "billing"}',
            {"label": "billing"},
            Extraction.WHOLE,
        ),
        (
            '<think>{"label": "a"}</think>\n<think>{"label": "b"}</think>\n{"label": "billing"}',
            {"label": "billing"},
            Extraction.WHOLE,
        ),
        ('<think>{"a": </think>So:\n```json\n{"a": 1}\n```', {"a": 1}, Extraction.FENCE),
        ('<think>x</think>It is {"a": "a </think> tag"}', {"a": "a </think> tag"}, Extraction.OBJECT),
        ('<think>the tag </think> ends</think>{"a": 1}', {"a": 1}, Extraction.WHOLE),
    ],
)
def test_read_json__after_reasoning(text: str, value: Any, how: Extraction) -> None:
    """Reasoning is taken away first, however it is tagged, and its drafts are no answers."""
    assert reading(value, how, after_reasoning=True) == read_json(text)


@pytest.mark.parametrize(
    "value",
    [
        {"note": "ticket says <think>x</think> twice", "label": "other"},
        {"note": "stray </think> tag", "label": "other"},
        {"note": "stray <think> tag"},
    ],
)
@pytest.mark.parametrize(
    ("before", "after", "how"),
    [("", "", Extraction.WHOLE), ("```json\n", "\n```", Extraction.FENCE), ("It is ", ".", Extraction.OBJECT)],
)
def test_read_json__tag_in_string(value: Any, before: str, after: str, how: Extraction) -> None:
    """A tag inside a string of the answer is text, and stays."""
    assert reading(value, how) == read_json(before + json.dumps(value) + after)


def test_read_json__unclosed_reasoning() -> None:
    """Reasoning without an end holds drafts at most, never the answer."""
    assert Unreadable(cause=UNCLOSED) == read_json('<think>\nI could answer {"label": "refund"} or perhaps')


def test_read_json__nothing_but_reasoning() -> None:
    """A completion that ends with its reasoning has no answer."""
    assert Unreadable(cause="nothing but reasoning") == read_json('<think>{"label": "refund"}</think>\n')


@pytest.mark.parametrize(
    "text",
    [
        "{" * 400_000,
        '{"a":' * 80_000,
        "[" * 400_000,
        "{}" * 200_000,
        '{"é": 1}' * 40_000,
        "[1x" * 130_000,
        '<think>{"a": ' * 30_000 + "</think>",
        "<think" + " a=1" * 100_000,
        "<think    " * 50_000,
        '{"a": x</think>' * 25_000,
        '{"' * 200_000 + "</think>",
        "```\n" * 100_000,
        '```json\n{"a": 1}\n```\n' * 16_000,
        " " * 400_000,
        '"' * 400_000,
    ],
    ids=lambda text: text[:12],
)
@pytest.mark.parametrize("arrays", [False, True])
@pytest.mark.timeout(60)
def test_read_json__large(text: str, arrays: bool) -> None:
    """Half a megabyte of anything is read in linear time: a quadratic search would run for minutes."""
    assert isinstance(read_json(text, arrays=arrays), Reading | Unreadable)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


LETTERS = st.text('ab`{}[]<>/\\"\n~\u00e9', max_size=8)
ANSWERS = st.dictionaries(LETTERS, JSON_VALUES | LETTERS, max_size=3)
REASONING = (
    "",
    '<think>Perhaps {"a": 0}?</think>\n',
    '[1] I think {"a":\n</think>\n',
    "<think></think><think>x</think>",
)


@given(JSON_VALUES, st.sampled_from(REASONING))
def test_read_json__wrapped_value(value: Any, reasoning: str) -> None:
    """Any value is read back alike from itself and from a fence that says JSON, behind reasoning or not."""
    text = json.dumps(value, ensure_ascii=False)
    wrapped = [text, f" \n{text}\r\n", f"```json\n{text}\n```", f"So:\n~~~~ JSON\r\n{text}\r\n~~~~\nDone {{x}}."]
    read = [getattr(read_json(reasoning + each), "value", "none") for each in wrapped]
    assert [canonical(parse(text))] * 4 == [canonical(each) for each in read]


@given(ANSWERS, st.sampled_from(REASONING))
def test_read_json__wrapped(value: dict[str, Any], reasoning: str) -> None:
    """Any object is read back alike from every documented place, behind reasoning or not."""
    text, again = json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1)
    wrapped = [
        text,
        f"```json\n{text}\n```",
        f"````\r\n{text}\r\n````",
        f"```json\n{text}",
        f"It is {text}, I think [1].",
        f"{text}\n{again}",
        f"```json\n{text}\n```\nor\n```json\n{again}\n```",
        f"```python\n{text}\n```",
    ]
    read = [getattr(read_json(reasoning + each), "value", "none") for each in wrapped]
    assert [canonical(parse(text))] * 8 == [canonical(each) for each in read]


@given(st.text('{}[]"`~:,1a\n <think>/', max_size=60), st.booleans())
def test_read_json__total(text: str, arrays: bool) -> None:
    """Any text gives an answer or a cause, the same one every time."""
    assert read_json(text, arrays=arrays) == read_json(text, arrays=arrays)


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ("<think>", "</think>"),
        ("<Think>", "</THINK>"),
        ("<think >", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
        ("<seed:think>", "</seed:think>"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("<|begin_of_thought|>", "<|end_of_thought|>"),
        ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
        ("<think type='deep' depth=\"2\" n=3>", "</think>"),
        ("<|think|>", "<|/think|>"),
        ("<|channel>thought", "<channel|>"),
        ("<unused94>thought", "<unused95>"),
    ],
)
def test_read_json__spellings_of_reasoning(opened: str, closed: str) -> None:
    """However reasoning is marked, a draft in it is never the answer, closed or not."""
    draft = '{"label": "refund"}'
    read = read_json(f'{opened}\nMaybe {draft}?\n{closed}\n{{"label": "billing"}}')
    assert isinstance(read, Reading)
    assert read.value == {"label": "billing"}
    assert isinstance(read_json(f"{opened}\nI could answer {draft} or perhaps"), Unreadable)
    assert isinstance(read_json(f"I could answer {draft} but no.\n{closed}"), Unreadable)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,\n```sh\nls\n```\n"b": 2}', "column 1: Expecting property name enclosed in double quotes"),
        ('x {"a":\n```\nb\n```\n1}', "column 1: Expecting value"),
        ('{"a":\n~~~py\n{"a": 2}\n~~~\n1}', "column 1: Expecting value"),
    ],
)
def test_read_json__across_a_fence(text: str, place: str) -> None:
    """What stands before a fenced block and after it is never joined to one value."""
    assert Unreadable(cause=f"invalid JSON at line 2, {place}") == read_json(text)
