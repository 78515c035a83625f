"""What completions come to: one table, for tests and for docs/answers.md."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from evalaction.records.case import Compare, Contract, Grader, Schema


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a group of completions is read by."""

    words: str
    """As a golden line says it, in Markdown."""
    contract: Contract


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """A completion, and what it comes to."""

    text: str
    answer: str | None = None
    """Canonical JSON of the answer; None for one that cannot be read."""
    how: str = ""
    """How the answer was read."""
    cause: str | None = None
    """Why there is none; None where there is one."""


def read(text: str, answer: str, how: str) -> Completion:
    """Return a completion that has an answer."""
    return Completion(text=text, answer=answer, how=how)


def unread(text: str, cause: str) -> Completion:
    """Return a completion that has none."""
    return Completion(text=text, cause=cause)


AMBIGUOUS = "ambiguous: more than one JSON value, and they differ"
UNCLOSED = "reasoning without an end: <think> is never closed, so what follows may be a draft"
NO_OBJECT = "no JSON object in the text"
ENCLOSED = "no answer in the text: its only JSON object stands inside other brackets"
BILLING = '{"label":"billing"}'

JSON = [
    read('{"label": "billing"}', BILLING, "whole"),
    read('"billing"', '"billing"', "whole"),
    read("[1e2, 100.0, -0]", "[100,100,0]", "whole"),
    read('{"id": 18446744073709551617}', '{"id":18446744073709551617}', "whole"),
    read('{"note": "stray </think> tag"}', '{"note":"stray </think> tag"}', "whole"),
    read('{"text": "ends with ,} inside"}', '{"text":"ends with ,} inside"}', "whole"),
    read('<think>Maybe {"label": "refund"}?</think>\n{"label": "billing"}', BILLING, "whole, after reasoning"),
    read('Or {"label": "refund"}? No.\n</think>\n{"label": "billing"}', BILLING, "whole, after reasoning"),
    read('It is:\n```json\n{"label": "billing"}\n```', BILLING, "fence"),
    read('````\n{"tip": "Use ``` here"}\n````', '{"tip":"Use ``` here"}', "fence"),
    read('```bash\nexport A={b}\n```\n```json\n{"a": 1}\n```', '{"a":1}', "fence"),
    read('```json\n{"a": 1}', '{"a":1}', "fence"),
    read("```json\n42\n```", "42", "fence"),
    read('Sure! {"a": 1} Hope this helps [1].', '{"a":1}', "object in prose"),
    read('{"a": 1}\n{"a": 1.0}', '{"a":1}', "object in prose"),
    read('<think>x</think>It is {"a": 1}', '{"a":1}', "object in prose, after reasoning"),
    unread('{"label": "billing"}\n{"label": "refund"}', AMBIGUOUS),
    unread('```json\n{"a": 1}\n```\nor\n```json\n{"a": 2}\n```', AMBIGUOUS),
    unread('{"a": 1}, {"a": 2}', AMBIGUOUS),
    unread('<think>I could answer {"label": "refund"}', UNCLOSED),
    unread('<think>{"label": "refund"}</think>', "nothing but reasoning"),
    unread('{"a": 1,}', "invalid JSON at line 1, column 8: a comma before the closing bracket"),
    unread("{'a': 1}", "invalid JSON at line 1, column 2: Expecting property name enclosed in double quotes"),
    unread('{"items": ["soap", "rice"', "invalid JSON at line 1, column 26: Expecting ',' delimiter"),
    unread('{"a": 1, "a": 2}', 'invalid JSON at line 1, column 10: the key "a" stands twice in one object'),
    unread('{"a": NaN}', "invalid JSON at line 1, column 7: NaN is not JSON"),
    unread('{"a": "\\ud800"}', "invalid JSON at line 1, column 7: half of a surrogate pair in a string"),
    unread(
        'So: {"a": {"b": 1}}, "c": 2}', "invalid JSON at line 1, column 28: a closing brace without its opening one"
    ),
    unread('It is {{"a": 1}}', ENCLOSED),
    unread('It is [x, {"a": 1}].', ENCLOSED),
    unread('{"a": 1}, {"a": 1}]', "invalid JSON at line 1, column 19: a closing bracket without its opening one"),
    unread('<seed:think>Perhaps {"a": 1}', UNCLOSED),
    unread('They are [{"a": 1}].', ENCLOSED),
    unread("The amounts are [1950, 20].", NO_OBJECT),
    unread("Sorry, I can't.", NO_OBJECT),
]
KEYS = [
    read('{"a": 1, "b": 2}', '{"a":1}', "whole"),
    read('{"b": 2}', "{}", "whole"),
    read('{"a": null}', '{"a":null}', "whole"),
    unread("[1]", "not an object: an array has none of the keys that are asked for"),
]
ARRAY = [
    read("The amounts are [1950, 20].", "[1950,20]", "array in prose"),
    read("```\n[1, 2]\n```", "[1,2]", "fence"),
    read('As [1] says [2]: ["a", "b"]', '["a","b"]', "array in prose"),
    unread("The only amount is [20].", "no answer in the text: [20] may be a citation mark or a check box"),
    unread("There are none.", "no JSON object or array in the text"),
]
COMPARED = [
    read('{"tags": ["B", "a"], "cents": 1952}', '{"cents":1950,"tags":["a","b"]}', "whole"),
    read('{"cents": 1949.5, "tags": ["a", "b"]}', '{"cents":1950,"tags":["a","b"]}', "whole"),
]
TEXT = [
    read(" It is\u00a0 OPEN.\n", '"it is open."', "text"),
    read("<think>Closed?</think> Open", '"open"', "text, after reasoning"),
    unread("<think>Closed?", UNCLOSED),
]
EXACT = [
    read(" Open.\n", '" Open.\\n"', "text"),
    read("<think>x</think>Y", '"<think>x</think>Y"', "text"),
]
CHOICE = [
    read("billing", '"Billing"', "text"),
    read(" BILLING.\n", '"Billing"', "text"),
    read("**Billing**", '"Billing"', "marked text"),
    read('"refund"', '"refund"', "marked text"),
    read("```\nrefund\n```", '"refund"', "marked text"),
    read("<think>Billing?</think>refund", '"refund"', "text, after reasoning"),
    unread("It is billing.", 'none of the labels: "It is billing."'),
    unread("billing or refund", 'none of the labels: "billing or refund"'),
    unread("not billing", 'none of the labels: "not billing"'),
]
NUMBER = [
    read("42", "42", "whole"),
    read("It costs 1,250.50 €.", "1250.5", "number in prose"),
    read("12 + x = **12**", "12", "number in prose"),
    read("−3 °C", "-3", "number in prose"),
    read("GPT4 says 1e2%", "100", "number in prose"),
    unread("2 or 3", "ambiguous: 2 and 3"),
    unread("It is 12,5.", 'not written as a number: "12,5."'),
    unread("3/4", 'not written as a number: "3/4"'),
    unread("2024-11-30", 'not written as a number: "2024-11-30"'),
    unread("at 10:30", 'not written as a number: "10:30"'),
    unread("It is minus 3.", 'not written as a number: "minus 3."'),
    unread(".5", 'not written as a number: ".5"'),
    unread("forty-two", "no number in the text"),
]
ROUNDED = [read("0.25", "0.5", "whole"), read("0.24", "0", "whole")]
REGEX = [
    read("So the answer: Rome.", '"Rome"', "match"),
    read("answer: Rome. Yes, answer: Rome", '"Rome"', "match"),
    unread("answer: Rome, or answer: Milan", 'ambiguous: the pattern finds "Rome" and "Milan"'),
    unread("Rome", "the pattern matches nowhere in the text"),
]
DIFF = [
    read("a\r\nb\n\n", '"a\\nb"', "text"),
    read("```python\na\nb\n```", '"a\\nb"', "fence"),
    read("So:\n```python\na\nb\n```", '"So:\\n```python\\na\\nb\\n```"', "text"),
]
FENCED = [
    read("So:\n```python\na\nb\n```\nDone.", '"a\\nb"', "fence"),
    unread("a\nb", "no fence that says python in the text"),
    unread("```python\na\n```\n```python\nb\n```", "ambiguous: more than one fence that says python, and they differ"),
    unread("```python\na\nb", "a fence that says python is never closed"),
]

_COMPARE = (
    ("cents", Compare(round=50)),
    ("tags", Compare(unordered=True, case_insensitive=True)),
)
TABLE: list[tuple[Asked, list[Completion]]] = [
    (Asked(words="`json`", contract=Contract(grader=Grader.JSON)), JSON),
    (
        Asked(words='`json`, `"expect_keys": ["a"]`', contract=Contract(grader=Grader.JSON, expect_keys=("a",))),
        KEYS,
    ),
    (
        Asked(
            words='`json`, `"schema": {"type": "array"}`',
            contract=Contract(grader=Grader.JSON, schema=Schema(document={"type": "array"})),
        ),
        ARRAY,
    ),
    (
        Asked(
            words='`json`, `"compare": {"cents": {"round": 50}, '
            '"tags": {"unordered": true, "case_insensitive": true}}`',
            contract=Contract(grader=Grader.JSON, compare=_COMPARE),
        ),
        COMPARED,
    ),
    (Asked(words="`text`", contract=Contract(grader=Grader.TEXT)), TEXT),
    (Asked(words="`exact`", contract=Contract(grader=Grader.EXACT)), EXACT),
    (
        Asked(
            words='`choice`, `"labels": ["Billing", "refund"]`',
            contract=Contract(grader=Grader.CHOICE, labels=("Billing", "refund")),
        ),
        CHOICE,
    ),
    (Asked(words="`number`", contract=Contract(grader=Grader.NUMBER)), NUMBER),
    (
        Asked(
            words='`number`, `"round": 0.5`',
            contract=Contract(grader=Grader.NUMBER, whole=Compare(round=Decimal("0.5"))),
        ),
        ROUNDED,
    ),
    (
        Asked(
            words='`regex`, `"regex": "answer: (\\\\w+)"`',
            contract=Contract(grader=Grader.REGEX, regex=r"answer: (\w+)"),
        ),
        REGEX,
    ),
    (Asked(words="`diff`", contract=Contract(grader=Grader.DIFF, expect="a\nb", expect_path="known.txt")), DIFF),
    (
        Asked(
            words='`diff`, `"fence": "python"`',
            contract=Contract(grader=Grader.DIFF, expect="a\nb", expect_path="known.txt", fence="python"),
        ),
        FENCED,
    ),
]
"""What was asked for → completions of which each comes to an answer, or to a cause."""
ROWS = [(asked.contract, each) for asked, completions in TABLE for each in completions]
