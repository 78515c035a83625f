"""The fuzzer's targets over their seeds, and over everything that was ever found."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz import oracle, run, seeds
from fuzz.targets import TARGETS

from evalaction.answer.reading import Extraction, Reading
from evalaction.records.case import Contract, Grader
from evalaction.records.judge import Labels
from evalaction.values import parse


@pytest.mark.parametrize("target", TARGETS)
def test_fuzz__seeds(target: str) -> None:
    """No text with which the tests are written is a find."""
    found = seeds.seeds(target)
    assert len(found) > 200
    for data in found:
        TARGETS[target](data)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.timeout(60)
def test_fuzz__finds(target: str) -> None:
    """What was found once is found no more, and takes no long time."""
    again = []
    for path in seeds.finds(target):
        try:
            TARGETS[target](path.read_bytes())
        except Exception as error:  # noqa: BLE001 - whatever is raised is a find
            again.append(f"{path.name}: {run.fault_of(error)}")
    assert again == []


def test_fuzz__names() -> None:
    """The fuzzer's command line knows every target, and no other."""
    assert list(TARGETS) == list(run.NAMES)


JSON = Contract(grader=Grader.JSON)
REPAIRED = [
    ('{"a": 1', '{"a": 1}', Extraction.OBJECT, JSON, "a silent repair: the answer does not stand in the text"),
    (
        '<think>{"a": 1}</think> so {"a": 2',
        '{"a": 1}',
        Extraction.OBJECT,
        JSON,
        "a silent repair: the answer does not stand in the text",
    ),
    ('{"a": 1} or {"a": 2}', '{"a": 2}', Extraction.OBJECT, JSON, "one of two objects that differ was picked"),
    (
        '<think>{"a": 1}',
        '{"a": 1}',
        Extraction.OBJECT,
        JSON,
        "an answer beside reasoning that is never closed",
    ),
    ('{"a": 1.0}', '{"a": true}', Extraction.WHOLE, JSON, "the answer is not the value that the text is"),
    ("It is 12.", "1.2", Extraction.NUMBER, Contract(grader=Grader.NUMBER), "the number does not stand in the text"),
    ("no", '"yes"', Extraction.TEXT, Contract(grader=Grader.CHOICE, labels=("yes", "no")), "the label does not stand"),
    ("a\nb", '"a b"', Extraction.TEXT, Contract(grader=Grader.DIFF), "the artifact does not stand in the text"),
]


@pytest.mark.parametrize(("text", "value", "how", "contract", "what"), REPAIRED)
def test_oracle__finds(text: str, value: str, how: Extraction, contract: Contract, what: str) -> None:
    """The oracle itself sees an answer that does not stand in its text, whatever the reader under test says."""
    given = parse(value)
    with pytest.raises(oracle.FindError, match=what):
        oracle.check_reading(text, contract, Reading(value=given, answer=given, extraction=how))


def test_oracle__label_not_said() -> None:
    """The oracle sees a label that does not stand in the reply."""
    said = Labels(by_alias=(("t1", "pass"),))
    with pytest.raises(oracle.FindError, match="a label was read that does not stand in the reply"):
        oracle.check_labels('{"t1": "fail"}', said, aliases=("t1",), labels=("pass", "fail"))


def test_keeping__once_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A find is written down once for each fault, named, and the fuzzing goes on."""

    def target(data: bytes) -> None:
        oracle.require(not data.startswith(b"x"), "it begins with x")
        oracle.require(not data.startswith(b"y"), "it begins with y")

    one = run.keeping(target, tmp_path / "finds")
    for data in (b"x1", b"x2", b"a", b"y"):
        one(data)
    assert sorted(path.read_bytes() for path in (tmp_path / "finds").iterdir()) == [b"x1", b"y"]
    assert capsys.readouterr().err.count("FOUND FindError") == 2
