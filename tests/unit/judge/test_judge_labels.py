"""What a judge's reply says, in every shape that is read, and that nothing else is ever a label."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.judge.labels import read_labels
from evalaction.records.judge import Labels

PASS_FAIL = ("pass", "fail")
THREE = ("f1", "f2", "f3")
MISSING = "missing: the reply does not name it"
CLEAR = {"f1": "pass", "f2": "fail", "f3": "fail"}


def listed(said: dict[str, str]) -> list[dict[str, str]]:
    return [{"id": alias, "label": label} for alias, label in said.items()]


def labels(
    by_alias: dict[str, str | None],
    causes: dict[str, str] | None = None,
    *,
    strange: tuple[str, ...] = (),
    unreadable: str | None = None,
) -> Labels:
    return Labels(
        by_alias=tuple(by_alias.items()),
        causes=tuple((causes or {}).items()),
        strange=strange,
        unreadable=unreadable,
    )


def unreadable(aliases: tuple[str, ...], cause: str) -> Labels:
    return labels(dict.fromkeys(aliases), dict.fromkeys(aliases, "the reply cannot be read"), unreadable=cause)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("correct", "correct"),
        ("CORRECT", "correct"),
        ("Correct.", "correct"),
        (" correct \n", "correct"),
        ("correct ?!. ", "correct"),
        ("correct\u00a0!", "correct"),
        ("incorrect", "incorrect"),
        ("INCORRECT", "incorrect"),
        ("Incorrect!", "incorrect"),
        ("**correct**", None),
        ("cor\u200brect", None),
        ("\ufeffcorrect", None),
        ("not correct", None),
        ("in correct", None),
        ("partially correct", None),
        ("correctly", None),
        ("correct|incorrect", None),
        ("correct, not incorrect", None),
        ("correct. .", "correct"),
        ("correct)", None),
        ('"correct"', None),
        ("label: correct", None),
        ("c0rrect", None),
        ("сorrect", None),  # noqa: RUF001 - a Cyrillic letter is what is tested
        ("yes", None),
        ("true", None),
        ("", None),
        (".", None),
    ],
)
def test_read_labels__text(text: str, label: str | None) -> None:
    """A label is compared whole, after trimming, case folding and end punctuation; nothing is near it."""
    quoted = json.dumps(text, ensure_ascii=False)
    cause = f"not one of the labels: {quoted if len(quoted) <= 80 else quoted[:79] + '…'}"
    expected = labels({"f1": label}, {} if label else {"f1": cause})
    reply = json.dumps([{"id": "f1", "label": text}])
    assert expected == read_labels(reply, aliases=("f1",), labels=("correct", "incorrect"))
    assert expected == read_labels(reply, aliases=("f1",), labels=("incorrect", "correct"))


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (True, "its label is a boolean, not a string"),
        (1, "its label is a number, not a string"),
        (0.5, "its label is a number, not a string"),
        (None, "no label given"),
        (["correct"], "its label is an array, not a string"),
        ({"label": "correct"}, "its label is an object, not a string"),
    ],
)
def test_read_labels__no_string(value: Any, cause: str) -> None:
    """What is no string is no label, in either shape, even where the deck's labels look like it."""
    expected = labels({"f1": None}, {"f1": cause})
    for reply in ([{"id": "f1", "label": value}], {"f1": value}):
        read = read_labels(json.dumps(reply), aliases=("f1",), labels=("correct", "True", "true", "1", "0.5", "None"))
        assert expected == read


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('[{"id": "f1", "reason": "The answer is wrong."}]', labels({"f1": None}, {"f1": "no label given"})),
        ('[{"id": "f1", "label": null}]', labels({"f1": None}, {"f1": "no label given"})),
        ('[{"id": "f1", "label": ""}]', labels({"f1": None}, {"f1": 'not one of the labels: ""'})),
        ('[{"id": "f1", "score": 0}]', labels({"f1": None}, {"f1": "no label given"})),
        ('[{"id": "f1", "label": "unsure"}]', labels({"f1": None}, {"f1": 'not one of the labels: "unsure"'})),
        ('[{"id": "f1", "label": "false"}]', labels({"f1": None}, {"f1": 'not one of the labels: "false"'})),
        ('[{"id": "f1", "pass": "false"}]', labels({"f1": None}, {"f1": "no label given"})),
        ("{}", unreadable(("f1",), "an object without `verdicts` that names no fixture")),
        ("[]", labels({"f1": None}, {"f1": MISSING})),
        ("null", unreadable(("f1",), "the reply is null, not a list of verdicts")),
        ('""', unreadable(("f1",), "the reply is a string, not a list of verdicts")),
        ('[{"label": "pass"}]', unreadable(("f1",), "verdict 1 has no `id`")),
    ],
)
def test_read_labels__no_verdict(reply: str, expected: Labels) -> None:
    """A reply without its verdict is neither a pass nor a fail, not even where one fixture alone was asked for."""
    assert expected == read_labels(reply, aliases=("f1",), labels=PASS_FAIL)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            [{"id": "f1", "label": "pass"}],
            labels({"f1": "pass", "f2": None, "f3": None}, {"f2": MISSING, "f3": MISSING}),
        ),
        ([], labels(dict.fromkeys(THREE), dict.fromkeys(THREE, MISSING))),
        (
            [{"id": "f1", "label": "pass"}, *listed(CLEAR)],
            labels({**CLEAR, "f1": None}, {"f1": "named 2 times"}),
        ),
        (
            [{"id": "f1", "label": "pass"}, {**listed(CLEAR)[0], "label": "fail"}, *listed(CLEAR)[1:]],
            labels({**CLEAR, "f1": None}, {"f1": "named 2 times"}),
        ),
        (
            listed({"f1": "pass", "f2": "fail", "f9": "fail"}),
            labels({"f1": "pass", "f2": "fail", "f3": None}, {"f3": MISSING}, strange=("f9",)),
        ),
        (
            [{"id": number, "label": label} for number, label in enumerate(CLEAR.values(), 1)],
            labels(dict.fromkeys(THREE), dict.fromkeys(THREE, MISSING), strange=("1", "2", "3")),
        ),
        (
            listed({"F1": "pass", "F2": "fail", "F3": "fail"}),
            labels(dict.fromkeys(THREE), dict.fromkeys(THREE, MISSING), strange=("F1", "F2", "F3")),
        ),
        (listed({"f3": "fail", "f1": "pass", "f2": "fail"}), labels(dict(CLEAR))),
        (listed({" f1\n": "pass", "f2 ": "fail", "f3": "fail"}), labels(dict(CLEAR))),
        (
            listed({"f1": "pass", "f2": "fail", "f3.": "fail", "f3": "fail", "": "pass"}),
            labels(dict(CLEAR), strange=("f3.", "")),
        ),
    ],
    ids=[
        "one_of_three",
        "empty",
        "duplicate_same",
        "duplicate_conflict",
        "unknown_id",
        "one_based_index",
        "id_case",
        "other_order",
        "blanks",
        "near_names",
    ],
)
def test_read_labels__names(reply: list[Any], expected: Labels) -> None:
    """Every name that was asked for is answered for by that very name and once; nothing goes by its place."""
    assert expected == read_labels(json.dumps(reply), aliases=THREE, labels=PASS_FAIL)
    assert expected == read_labels(json.dumps({"verdicts": reply}), aliases=THREE, labels=PASS_FAIL)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            [{"id": "f1, f2", "label": "pass"}, {"id": "f3", "label": "fail"}],
            labels(
                {"f1": None, "f2": None, "f3": "fail"},
                dict.fromkeys(("f1", "f2"), "merged: one verdict for f1, f2"),
                strange=("f1, f2",),
            ),
        ),
        (
            [{"id": ["f1", "f2", "f3"], "label": "pass"}],
            labels(
                dict.fromkeys(THREE),
                dict.fromkeys(THREE, 'merged: one verdict for ["f1","f2","f3"]'),
                strange=('["f1","f2","f3"]',),
            ),
        ),
        (
            {"f1 and f3": "pass", "f1": "pass", "f2": "fail"},
            labels(
                {"f1": None, "f2": "fail", "f3": None},
                dict.fromkeys(("f1", "f3"), "merged: one verdict for f1 and f3"),
                strange=("f1 and f3",),
            ),
        ),
        (
            [{"id": ["f1"], "label": "pass"}, {"id": [], "label": "pass"}, *listed({"f2": "fail", "f3": "fail"})],
            labels({**CLEAR, "f1": None}, {"f1": MISSING}, strange=('["f1"]', "[]")),
        ),
        (
            [{"id": {"f1": 1, "f2": 2}, "label": "pass"}, *listed(CLEAR)],
            labels(dict(CLEAR), strange=('{"f1":1,"f2":2}',)),
        ),
        (
            {"id": "f1, f2, f3", "label": "pass"},
            unreadable(THREE, "merged: one verdict for f1, f2, f3, and no list"),
        ),
    ],
)
def test_read_labels__merged(reply: Any, expected: Labels) -> None:
    """One verdict for several fixtures labels none of them, and takes the label of one that has its own besides."""
    assert expected == read_labels(json.dumps(reply), aliases=THREE, labels=PASS_FAIL)


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        ("I would pass f1 and fail the others.", "no JSON object or array in the text"),
        ("", "no JSON object or array in the text"),
        ('{"verdicts": {"f1": "pass"}}', "`verdicts` is an object, not a list of verdicts"),
        ('{"verdicts": null, "f1": "pass"}', "`verdicts` is null, not a list of verdicts"),
        ('["pass", "fail", "fail"]', "verdict 1 is a string, not an object"),
        ('[{"id": "f1", "label": "pass"}, ["f2", "fail"]]', "verdict 2 is an array, not an object"),
        ('{"id": "f1", "label": "pass"}', "an object without `verdicts` that names no fixture"),
        ('[{"f1": "pass"}, {"f2": "fail"}]', "verdict 1 has no `id`"),
        (
            json.dumps({"f1": "pass" + "\u0301" * 101}),
            "more than 100 combining marks in a row in a string",
        ),
        ('{"f1": "pass", "f1": "pass"}', 'invalid JSON at line 1, column 16: the key "f1" stands twice in one object'),
        (
            '{"f1": "pass"}\n{"f2": "fail"}',
            "ambiguous: more than one JSON value, and they differ",
        ),
        ('<think>{"f1": "pass"}', "reasoning without an end: <think> is never closed, so what follows may be a draft"),
    ],
)
def test_read_labels__unreadable(reply: str, cause: str) -> None:
    """A reply in no documented shape labels nothing, and says why."""
    assert unreadable(THREE, cause) == read_labels(reply, aliases=THREE, labels=PASS_FAIL)


def test_read_labels__rest() -> None:
    """What else an object holds is not read; in an object of names it is a strange one."""
    reply = {"verdicts": [{"id": "f1", "label": "pass", "reason": "fail", "score": 0}], "f1": "fail", "summary": "fail"}
    assert labels({"f1": "pass"}) == read_labels(json.dumps(reply), aliases=("f1",), labels=PASS_FAIL)
    read = read_labels('{"f1": "pass", "summary": "fail"}', aliases=("f1",), labels=PASS_FAIL)
    assert labels({"f1": "pass"}, strange=("summary",)) == read


def test_read_labels__alike() -> None:
    """Labels that differ in case or end punctuation alone are told apart to the letter, and by no other form."""
    reply = json.dumps({"a": "Yes", "b": "yes", "c": "YES", "d": "?", "e": "No.", "f": " ? "})
    expected = labels(
        {"a": "Yes", "b": "yes", "c": None, "d": "?", "e": "no", "f": None},
        {"c": 'not one of the labels: "YES"', "f": 'not one of the labels: " ? "'},
    )
    assert expected == read_labels(reply, aliases=tuple("abcdef"), labels=("Yes", "yes", "?", "no"))


def test_read_labels__heavy_label(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a label of which no reply can give the normal form, none is ever made."""
    made: list[str] = []

    def form(text: str) -> str:
        made.append(text)
        return text.lower()

    monkeypatch.setattr("evalaction.judge.labels.label_form", form)
    heavy = "a" + "\u0301\u0316" * 51
    found = read_labels('{"f1": "PASS"}', aliases=("f1",), labels=("pass", heavy))
    assert (labels({"f1": "pass"}), {"pass", "PASS"}) == (found, {*made})


def test_read_labels__long_names() -> None:
    """A name or label of any length is cut where it is quoted."""
    reply = json.dumps({"f1": "x" * 1000, "y" * 1000: "pass"})
    expected = labels({"f1": None}, {"f1": 'not one of the labels: "' + "x" * 78 + "…"}, strange=("y" * 79 + "…",))
    assert expected == read_labels(reply, aliases=("f1",), labels=PASS_FAIL)


NAMES = st.text(min_size=1, max_size=8).map(str.strip).filter(lambda name: name not in ("", "verdicts"))
WRAPPINGS = [
    "{}",
    " \n{}\r\n",
    "```json\n{}\n```",
    "Here is what I found:\n\n```json\n{}\n```\nTell me if you need more.",
    "<think>f1 may be a [pass], or {{}}.</think>\n{}",
    "My verdicts: {} as asked.",
]


@given(
    st.lists(NAMES, min_size=1, max_size=6, unique=True),
    st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True),
    st.sampled_from(WRAPPINGS),
    st.booleans(),
    st.data(),
)
def test_read_labels__round_trip(
    aliases: list[str], known: list[str], wrapping: str, escaped: bool, data: st.DataObject
) -> None:
    """Any assignment of any labels is read back exactly, in every documented shape and wrapping."""
    said = {alias: data.draw(st.sampled_from(known)) for alias in aliases}
    shuffled = dict(data.draw(st.permutations(list(said.items()))))
    shape: Any = data.draw(st.sampled_from([listed(shuffled), {"verdicts": listed(shuffled)}, shuffled]))
    reply = wrapping.replace("{{}}", "{ }").replace("{}", json.dumps(shape, ensure_ascii=escaped))
    assert labels(dict(said)) == read_labels(reply, aliases=tuple(aliases), labels=tuple(known))


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["f1", "f2", "pass", "f1,f2"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "label", "verdicts", "f1", "f2", "f1 f2", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.text() | st.text(alphabet='[]{}",: f12pas\n`id\ud800') | JSONS.map(json.dumps))
def test_read_labels__anything(text: str) -> None:
    """No text makes it raise; every name has an answer, and a cause exactly where that is none."""
    read = read_labels(text, aliases=("f1", "f2"), labels=PASS_FAIL)
    assert ["f1", "f2"] == [alias for alias, _ in read.by_alias]
    assert {None, *PASS_FAIL} >= {label for _, label in read.by_alias}
    assert [alias for alias, label in read.by_alias if label is None] == [alias for alias, _ in read.causes]
    assert read.unreadable is None or (len(read.causes), read.strange) == (2, ())


@given(st.text(max_size=12), st.sampled_from(PASS_FAIL))
def test_read_labels__never_near(text: str, label: str) -> None:
    """A text with a letter or digit beside a label, on either side, is never that label or the other."""
    for beside in (f"{text}x{label}", f"{label}x{text}", f"{text} {label} 1", f"not {label}{text}"):
        read = read_labels(json.dumps({"f1": beside}), aliases=("f1",), labels=PASS_FAIL)
        assert (("f1", None),) == read.by_alias
