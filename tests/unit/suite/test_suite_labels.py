"""What a judge may answer, as files say it, against how its replies are read."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from evalaction.judge.labels import read_labels
from evalaction.suite.fields import END, label_form, labels

TEXTS = st.text(max_size=6) | st.text(st.sampled_from("aAßsS éé.!? \n"), max_size=4)
ENDS = st.text(st.sampled_from(END), max_size=3)
SPACE = st.text(st.sampled_from(" \t\n"), max_size=2)


def read(text: str, known: list[str]) -> str | None:
    """Return the label that a judge's reply is read as when it gives this text."""
    reply = json.dumps([{"id": "item", "label": text}])
    return dict(read_labels(reply, aliases=("item",), labels=tuple(known)).by_alias)["item"]


@given(known=st.lists(TEXTS, min_size=2, max_size=3), data=st.data())
def test_labels__each_can_be_given(known: list[str], data: st.DataObject) -> None:
    """Each label of a list that is accepted is read to the letter, and with what does not count around it."""
    if labels([*known]) is not None:
        return
    for label in known:
        around = f"{data.draw(SPACE)}{label.strip().rstrip(END).rstrip()}{data.draw(ENDS)}{data.draw(SPACE)}"
        assert label == read(label, known)
        assert label == read(around, known)


@given(label=TEXTS, other=TEXTS)
def test_labels__refused_where_one_would_be_lost(label: str, other: str) -> None:
    """Two labels of one form are refused, since a reply that gives the form could mean either."""
    if label_form(label) == label_form(other):
        assert labels([label, other]) is not None


@given(label=st.text(st.characters(categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=2))
def test_labels__no_control(label: str) -> None:
    """Half a surrogate pair, a control character or a line break is in no label, and in no message about one."""
    wrong = labels(["pass", f"x{label}y"])
    assert wrong is not None
    assert wrong.encode().startswith(b'holds "x')


def test_labels__own_words() -> None:
    """The usual labels, and those of other languages and lengths, are labels."""
    for known in (["pass", "fail"], ["correct", "incorrect"], ["1", "2", "3"], ["好", "坏"], ["in part", "not at all"]):
        assert labels([*known]) is None


def test_labels__bounded() -> None:
    """There are a hundred labels of two hundred characters at most, since each is compared with in every reply."""
    most = [f"{number:03}{'x' * 197}" for number in range(100)]
    assert [
        None,
        "holds 101 labels, and 100 are the most",
        f'holds "{"x" * 57}…, and a label has 200 characters at most'.replace("x" * 57, "x" * 59),
    ] == [labels([*most]), labels([*most, "y"]), labels(["x" * 201, "y"])]
