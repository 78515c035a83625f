"""Fingerprints: equal exactly when the same thing is asked."""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from evalaction.fingerprint import asked, contract, of_case, parameters, prompt, sampling, short, together
from evalaction.records.case import Case, CaseJudge, Command, Compare, Contract, Grader, Sampling, Schema
from evalaction.records.plan import Fingerprints

PROMPT = 'Which label?\nSay "billing", 100 %, \\n, é and 😀.\n'


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def case_of(**fields: Any) -> Case:
    known: dict[str, Any] = {
        "id": "case",
        "path": "evals/case.golden.jsonl",
        "line": 1,
        "messages": (user(PROMPT),),
        "n": 5,
        "sampling": Sampling(model="m"),
        "contract": Contract(grader=Grader.JSON),
    }
    return Case(**{**known, **fields})


def hex_of(value: Any) -> str:
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def test_prompt__sha256sum() -> None:
    """For one user message it is what ``printf %s "$PROMPT" | sha256sum`` prints."""
    printed = subprocess.run(
        ["/bin/sh", "-c", 'printf %s "$PROMPT" | sha256sum'], env={"PROMPT": PROMPT}, capture_output=True, check=True
    )
    assert printed.stdout.decode().split()[0] == prompt(case_of())


@pytest.mark.parametrize(
    "messages",
    [
        ({"role": "system", "content": "Be brief."}, user("Which label?")),
        ({"role": "system", "content": "Be brief."},),
        ({**user("Which label?"), "name": "a"},),
        (user([{"type": "text", "text": "Which label?"}]),),
    ],
)
def test_prompt__chat(messages: tuple[dict[str, Any], ...]) -> None:
    """For any other chat it is over the canonical bytes of all messages."""
    assert hex_of(list(messages)) == prompt(case_of(messages=messages))


def test_prompt__key_order() -> None:
    """The order in which a message names its fields changes nothing."""
    one, other = (user("a"), {"role": "system", "content": "b"}), (user("a"), {"content": "b", "role": "system"})
    assert prompt(case_of(messages=one)) == prompt(case_of(messages=other))


@pytest.mark.parametrize(
    "change",
    [
        {"id": "other"},
        {"path": "moved.golden.jsonl"},
        {"line": 9},
        {"tags": ("slow",)},
        {"note": "for people"},
    ],
)
def test_of_case__blind(change: dict[str, Any]) -> None:
    """Where a case stands and what is said about it for people is in no fingerprint."""
    assert of_case(case_of()) == of_case(case_of(**change))


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"messages": (user("Which?"),)}, "prompt"),
        ({"contract": Contract(grader=Grader.TEXT)}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, agreement_min=Fraction(1))}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, expect={"a": None})}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, expect_keys=("a",))}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, agree_on=())}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, max_completion_tokens=60)}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, schema=Schema(document=True))}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, labels=("a",))}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, regex="")}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, compare=(("a", Compare(unordered=True)),))}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, whole=Compare(tolerance=0))}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, fence="")}, "contract"),
        ({"contract": Contract(grader=Grader.JSON, command=Command(argv=("x",), artifact="a"))}, "contract"),
        ({"n": 6}, "sampling"),
        ({"sampling": Sampling(model="m2")}, "sampling"),
        ({"sampling": Sampling(model="m", temperature=0)}, "sampling"),
        ({"sampling": Sampling(model="m", seed=0)}, "sampling"),
        ({"sampling": Sampling(model="m", stop=())}, "sampling"),
    ],
)
def test_of_case__differs(change: dict[str, Any], differs: str) -> None:
    """A change of request, contract or sampling moves its own fingerprint and no other."""
    before, after = of_case(case_of()), of_case(case_of(**change))
    names = ("prompt", "contract", "sampling")
    assert [differs] == [name for name in names if getattr(before, name) != getattr(after, name)]


def test_of_case__whole() -> None:
    """The three fingerprints of the plainest case, each over bytes that anybody can make."""
    expected = Fingerprints(
        prompt=hashlib.sha256(PROMPT.encode()).hexdigest(),
        contract=hex_of({"grader": "json", "expect_min": "1/1", "agreement_min": "4/5"}),
        sampling=hex_of({"model": "m", "n": 5}),
    )
    assert expected == of_case(case_of())


def test_contract__all_fields() -> None:
    """A contract is taken over by what it asks, a schema by its content and not by its place."""
    asked = Contract(
        grader=Grader.JSON,
        expect_keys=("a", "b"),
        agree_on=("a",),
        schema=Schema(document={"$ref": "d.json"}, path="s.json", resources=(("d.json", {"type": "object"}),)),
        expect={"a": 1},
        expect_min=Fraction("0.5"),
        agreement_min=Fraction("0.81"),
        max_completion_tokens=60,
    )
    moved = replace(
        asked,
        schema=Schema(document={"$ref": "d.json"}, path="x/s.json", resources=(("x/d.json", {"type": "object"}),)),
    )
    expected = {
        "grader": "json",
        "expect_keys": ["a", "b"],
        "agree_on": ["a"],
        "schema": [{"$ref": "d.json"}, {"type": "object"}],
        "expect": {"a": 1},
        "expect_min": "1/2",
        "agreement_min": "81/100",
        "max_completion_tokens": 60,
    }
    assert [expected, expected] == [contract(asked), contract(moved)]


def test_contract__graders() -> None:
    """What a grader goes by is taken over by its content: files by name and SHA-256, options that are set alone."""
    command = Command(argv=("x", "y"), artifact="a.txt", files=(("b", b"\xff"),), timeout_s=3)
    asked = Contract(
        grader=Grader.COMMAND,
        expect="pass",
        labels=("no", "yes"),
        regex="x",
        compare=(("a", Compare(case_insensitive=True, unordered=True)), ("b", Compare(round=1, tolerance=0))),
        whole=Compare(round=Decimal("0.5")),
        fence="",
        expect_path="good.txt",
        command=command,
    )
    expected = {
        "grader": "command",
        "expect": "pass",
        "expect_min": "1/1",
        "agreement_min": "4/5",
        "labels": ["no", "yes"],
        "regex": "x",
        "compare": {"a": {"case_insensitive": True, "unordered": True}, "b": {"round": 1, "tolerance": 0}},
        "whole": {"round": Decimal("0.5")},
        "fence": "",
        "command": {
            "argv": ["x", "y"],
            "artifact": "a.txt",
            "files": {"b": hashlib.sha256(b"\xff").hexdigest()},
            "timeout": 3,
        },
    }
    moved = replace(asked, expect_path="x/good.txt")
    assert [expected, expected] == [contract(asked), contract(moved)]


JUDGE = CaseJudge(
    rubric_path="rubric.md",
    rubric="Be fair.\n",
    labels=("pass", "fail"),
    repeats=2,
    sampling=Sampling(model="j", temperature=0),
)


def test_contract__judge() -> None:
    """A judge is taken over by all that it is asked with, its rubric by its text and not by its place."""
    expected = {
        "grader": "judge",
        "expect_min": "1/1",
        "agreement_min": "4/5",
        "judge": {
            "rubric": "Be fair.\n",
            "labels": ["pass", "fail"],
            "repeats": 2,
            "sampling": {"model": "j", "temperature": 0},
        },
    }
    moved = replace(JUDGE, rubric_path="x/rubric.md")
    assert [expected, expected] == [contract(Contract(grader=Grader.JUDGE, judge=judge)) for judge in (JUDGE, moved)]


@pytest.mark.parametrize(
    "change",
    [
        {"rubric": "Be fair."},
        {"labels": ("fail", "pass")},
        {"repeats": 3},
        {"sampling": Sampling(model="k", temperature=0)},
        {"sampling": Sampling(model="j")},
        {"sampling": Sampling(model="j", temperature=0, seed=0)},
    ],
)
def test_of_case__other_judge(change: dict[str, Any]) -> None:
    """Another rubric, other labels, another model or another sampling of the judge is another contract, and that
    alone.
    """  # noqa: D205 - one sentence
    before, after = (
        of_case(case_of(contract=Contract(grader=Grader.JUDGE, judge=judge)))
        for judge in (JUDGE, replace(JUDGE, **change))
    )
    assert before.contract != after.contract
    assert replace(before, contract="") == replace(after, contract="")


def test_parameters__all_fields() -> None:
    """Sampling is taken over by the names that a request gives it, set values only."""
    asked = Sampling(
        model="m",
        temperature=Decimal("0.7"),
        top_p=1,
        seed=7,
        stop=("\n",),
        response_format={"type": "json_object"},
        max_tokens=120,
    )
    expected = {
        "model": "m",
        "temperature": Decimal("0.7"),
        "top_p": 1,
        "seed": 7,
        "stop": ["\n"],
        "response_format": {"type": "json_object"},
        "max_tokens": 120,
    }
    assert [expected, {"model": "m"}] == [parameters(asked), parameters(Sampling(model="m"))]


def test_asked__draws_of_one_request() -> None:
    """How many draws one request asks for is said where it is more than one, and there alone; n itself is the case's,
    and none of a request's own names is taken.
    """  # noqa: D205 - one sentence
    found = [asked(Sampling(model="m", samples_per_request=many)) for many in (1, 2)]
    assert [{"model": "m"}, {"model": "m", "samples_per_request": 2}] == found
    assert {"model": "m"} == parameters(Sampling(model="m", samples_per_request=2))


@given(one=st.integers(1, 100), other=st.integers(1, 100), n=st.integers(2, 100))
def test_sampling__draws_of_one_request(one: int, other: int, n: int) -> None:
    """Another number of draws a request is another sampling, and no other of the three fingerprints knows it."""
    both = [of_case(case_of(n=n, sampling=Sampling(model="m", samples_per_request=k))) for k in (one, other)]
    assert (one == other) is (both[0].sampling == both[1].sampling)
    assert replace(both[0], sampling="") == replace(both[1], sampling="")


def test_sampling__equal_numbers() -> None:
    """A temperature of 0.70 is one of 0.7."""
    one, other = (case_of(sampling=Sampling(model="m", temperature=Decimal(text))) for text in ("0.7", "0.70"))
    assert sampling(one) == sampling(other)


def test_together() -> None:
    """Several fingerprints make one, in their order."""
    expected = [hashlib.sha256(text).hexdigest() for text in (b"a\nb", b"b\na", b"")]
    assert expected == [together(["a", "b"]), together(["b", "a"]), together([])]


def test_short() -> None:
    """Twelve characters are shown."""
    assert short("0123456789abcdef" * 4) == "0123456789ab"


def test_prompt__short_form() -> None:
    """The displayed form is ``sha256(prompt)[:12]``."""
    assert hashlib.sha256(json.dumps("x").encode()).hexdigest()[:12] == short(prompt(case_of(messages=(user('"x"'),))))
