"""The whole story: a real repository, a scripted endpoint on loopback, the command as a person runs it."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from support.endpoint import Answer, ScriptedEndpoint, answer, completion
from support.story import Ended, lines, run, two_commits

PROMPT = "Extract vendor, total_cents and currency as JSON. Invoice: Acme Tools, total $19.50 USD"
CASE = {
    "id": "invoice_extract_v3",
    "prompt": PROMPT,
    "expect_keys": ["vendor", "total_cents", "currency"],
    "max_completion_tokens": 80,
    "n": 5,
    "agreement_min": 0.8,
}
RIGHT = {"vendor": "Acme Tools", "total_cents": 1950, "currency": "USD"}
WRONG = {**RIGHT, "total_cents": 19.5}


def check_invoice(tmp_path: Path, **fields: Any) -> Ended:
    """Check one new case whose third draw of five says 19.5 where the others say 1950."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines({**CASE, **fields})})
    with ScriptedEndpoint.answering(lambda _, index: json.dumps(WRONG if index == 2 else RIGHT)) as endpoint:
        return run(repo.path, "check", url=endpoint.base_url)


@pytest.mark.parametrize(("asked", "verdict", "code"), [(0.8, "pass", 0), (0.81, "fail", 1), (1.0, "fail", 1)], ids=str)
def test_check__historical_numbers(tmp_path: Path, asked: float, verdict: str, code: int) -> None:
    """One draw of five that differs: agreement 4/5, which meets 0.8 exactly and neither 0.81 nor 1.0."""
    ended = check_invoice(tmp_path, agreement_min=asked)
    assert ended.code == code, ended.out
    (case,) = ended.report["cases"]
    expected = {
        "verdict": verdict,
        "n": 5,
        "measured": 5,
        "agreement": {"count": 4, "of": 5},
        "flip_rate": {"count": 1, "of": 5},
        "distinct": 2,
        "modes": [{"answer": RIGHT, "count": 4}, {"answer": WRONG, "count": 1}],
        "differing_keys": ["total_cents"],
        "schema": {"count": 5, "of": 5},
        "length": {"mean": 12, "max": 12, "budget": 80, "unit": "tokens", "estimated": False},
    }
    draws = [mode.pop("draws") for mode in case["modes"]]  # which one is the third to arrive is left to the threads
    assert ([len(indices) for indices in draws], sorted([*draws[0], *draws[1]])) == ([4, 1], [1, 2, 3, 4, 5])
    assert expected == {name: case[name] for name in expected}
    assert case["fingerprints"]["prompt"] == hashlib.sha256(PROMPT.encode()).hexdigest()


def test_check__expected_value(tmp_path: Path) -> None:
    """The same draws fail ``expected`` when 1950 is frozen, though they agree as much as is asked."""
    ended = check_invoice(tmp_path, expect={"total_cents": 1950})
    assert ended.code == 1
    (case,) = ended.report["cases"]
    assert {gate["name"]: gate["verdict"] for gate in case["gates"]} == {
        "agreement": "pass",
        "schema": "pass",
        "length": "pass",
        "expected": "fail",
    }


def thousand(changed: int | None = None) -> list[dict[str, Any]]:
    """Return 1,000 cases, of which one may say something else."""
    return [
        {"id": f"case_{number}", "prompt": f"Say {number}{' again' if number == changed else ''}.", "n": 2}
        for number in range(1_000)
    ]


@pytest.mark.parametrize(
    ("head", "drawn"),
    [
        ({"golden.jsonl": lines(*thousand(changed=417))}, ["Say 417 again."]),
        (
            {
                "golden.jsonl": b"\xef\xbb\xbf"
                + "\r\n\r\n".join(
                    json.dumps(dict(reversed(case.items())), indent=None, separators=(" ,", " : "))
                    for case in reversed(thousand())
                ).encode()
            },
            [],
        ),
        ({"README.md": "Something else."}, []),
    ],
    ids=["one line of 1,000", "reformatted, reordered, re-encoded", "another file"],
)
def test_check__selection(tmp_path: Path, head: dict[str, str | bytes], drawn: list[str]) -> None:
    """Of 1,000 cases exactly those are drawn whose request changed; the endpoint gets no other call."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": lines(*thousand())}, head)
    with ScriptedEndpoint.answering(lambda *_: "{}") as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    asked = [request.json["messages"][-1]["content"] for request in endpoint.requests]
    assert asked == [prompt for prompt in drawn for _ in range(2)]
    assert ended.code == 0, ended.out
    assert ended.report["unaffected"] == 1_000 - len(drawn)


def test_check__include(tmp_path: Path) -> None:
    """A changed include affects the cases whose rendering it changes, names the file, and affects no other."""
    base = {
        "golden.jsonl": lines(
            {"id": "a", "prompt_file": "prompts/a.txt", "n": 2}, {"id": "b", "prompt_file": "prompts/b.txt", "n": 2}
        ),
        "prompts/a.txt": "{% include 'prompts/shared/tone.txt' %} Where is order 7?",
        "prompts/b.txt": "Where is order 8?",
        "prompts/shared/tone.txt": "Be brief.",
    }
    repo = two_commits(tmp_path / "repo", base, {"prompts/shared/tone.txt": "Be kind."})
    with ScriptedEndpoint.answering(lambda *_: "In transit.") as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    assert [request.json["messages"][-1]["content"] for request in endpoint.requests] == [
        "Be kind. Where is order 7?"
    ] * 2
    assert [(case["id"], case["reasons"], case["changed_files"]) for case in ended.report["cases"]] == [
        ("a", ["prompt"], ["prompts/shared/tone.txt"])
    ]


def test_check__nothing_affected(tmp_path: Path) -> None:
    """With nothing affected the run passes and says so, needs no endpoint, and sends nothing."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": lines(CASE)}, {"README.md": "x"})
    ended = run(repo.path, "check", url=None, model=None)
    assert (ended.code, ended.err) == (0, "")
    assert ended.report["headline"] == "evalaction: nothing affected"
    assert ended.report["manifest"]["calls"] == {
        "planned": 0,
        "made": 0,
        "retried": 0,
        "judge": 0,
        "repaired": 0,
        "draws": 0,
        "answered": 0,
    }


def test_check__equal_requests(tmp_path: Path) -> None:
    """Two cases with one request are drawn for each: nothing is shared, on this run or the next."""
    cases = lines({"id": "a", "prompt": "Hi", "n": 5}, {"id": "b", "prompt": "Hi", "n": 5})
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": cases})
    numbers = itertools.count()
    with ScriptedEndpoint.answering(lambda *_: f"L{next(numbers)}") as endpoint:
        ended = [run(repo.path, "check", url=endpoint.base_url) for _ in range(2)]
    assert len(endpoint.requests) == 20
    assert [case["agreement"] for case in ended[1].report["cases"]] == [{"count": 1, "of": 5}] * 2


def test_check__one_reply_for_all(tmp_path: Path) -> None:
    """A gateway that answers every draw with one stored reply is found out, and it is said."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines({"id": "a", "prompt": "Hi"})})
    with ScriptedEndpoint(lambda *_: answer(completion("yes"))) as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    (case,) = ended.report["cases"]
    assert [gate for gate in case["gates"] if gate["name"] == "independence"] == [
        {
            "name": "independence",
            "verdict": "unmeasured",
            "detail": "5 of 5 draws share a response id: they may be one reply shown again",
            "warns": True,
        }
    ]


def test_check__marked_replies(tmp_path: Path) -> None:
    """What a cache marks as kept is told with its mark; where independence is asked for, nothing was measured."""
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines({"id": "a", "prompt": "Hi"})})

    def script(number: int, _: Any) -> Answer:
        return answer(completion("yes", id=f"cmpl-{number}"), headers={"X-Cache": "HIT"} if number > 1 else {})

    with ScriptedEndpoint(script) as endpoint:
        warned = run(repo.path, "check", "--max-concurrency", "1", url=endpoint.base_url)
    with ScriptedEndpoint(script) as endpoint:
        asked = run(repo.path, "check", "--max-concurrency", "1", "--fail-on", "independence", url=endpoint.base_url)
    said = "3 of 5 draws are marked as replayed (x-cache: HIT)"

    assert [(ended.code, ended.report["verdict"]) for ended in (warned, asked)] == [(0, "pass"), (3, "unmeasured")]
    assert [ended.report["cases"][0]["gates"][-1] for ended in (warned, asked)] == [
        {"name": "independence", "verdict": "unmeasured", "detail": said, "warns": warns} for warns in (True, False)
    ]
    assert f"warning: draws not independent: a: {said}" in warned.out
    assert f"a could not be measured: {said}." in asked.out


@pytest.mark.parametrize(("given", "code", "warns"), [((), 0, True), (("--fail-on", "independence"), 3, False)])
def test_check__a_cache_between_two_cases(tmp_path: Path, given: tuple[str, ...], code: int, *, warns: bool) -> None:
    """A cache by the whole request gives a case the draws of another that sends the same: they are no fresh ones."""
    cases = lines(*({"id": id_, "prompt": "Hi", "seed": 7} for id_ in ("a", "b")))
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": cases})
    kept: dict[str, Any] = {}

    def script(number: int, body: Any) -> Answer:
        return answer(kept.setdefault(json.dumps(body), completion("yes", id=f"chatcmpl-9fTqZ3kWm1Yb7LxPA{number:03}")))

    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", "--max-concurrency", "1", *given, url=endpoint.base_url)
    said = "5 of 5 draws are marked as replayed (response id of golden.jsonl#a)"
    gates = {
        case["id"]: [gate for gate in case["gates"] if gate["name"] == "independence"] for case in ended.report["cases"]
    }
    doubt = {"name": "independence", "verdict": "unmeasured", "detail": said, "warns": warns}
    assert (len(endpoint.requests), len(kept), ended.code) == (10, 5, code)
    assert gates == {"a": [], "b": [doubt]}
    assert said in ended.out
    assert said.partition(" (")[0] in (tmp_path / "report" / "report.md").read_text()


def test_check__several_draws_a_request(tmp_path: Path) -> None:
    """Where one request asks for several draws, requests are counted as requests, and lengths are estimated."""
    case = {"id": "a", "prompt": "Hi", "n": 5, "samples_per_request": 5, "max_completion_tokens": 9}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(case)})

    def script(_: int, body: Any) -> Answer:
        made = completion("yes", id="chatcmpl-9fTqZ3kWm1Yb7LxPA2c4")
        made["choices"] = [{**made["choices"][0], "index": place} for place in range(body["n"])]
        return answer({**made, "usage": {"prompt_tokens": 10, "completion_tokens": 50}})

    with ScriptedEndpoint(script) as endpoint:
        ended = run(repo.path, "check", url=endpoint.base_url)
    manifest, (measured,) = ended.report["manifest"], ended.report["cases"]

    assert (ended.code, len(endpoint.requests)) == (0, 1)
    assert manifest["calls"] == {
        "planned": 1,
        "made": 1,
        "retried": 0,
        "judge": 0,
        "repaired": 0,
        "draws": 5,
        "answered": 1,
    }
    assert [manifest["tokens"][kind] for kind in ("prompt", "completion", "total", "estimated")] == [10, 50, 60, False]
    assert [draw["length"] for draw in measured["draws"]] == [{"tokens": 1, "estimated": True}] * 5
    assert [gate["name"] for gate in measured["gates"]] == ["agreement", "length"]
    assert "5 draws in 1 request" in ended.out


def test_check__one_case_again(tmp_path: Path) -> None:
    """``--case`` draws that case whether or not it is affected, and the verdict says that it is for the choice."""
    cases = lines({"id": "a", "prompt": "Hi", "n": 2}, {"id": "b", "prompt": "Ho", "n": 2})
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": cases}, {"README.md": "x"})
    with ScriptedEndpoint.answering(lambda *_: "yes") as endpoint:
        ended = run(repo.path, "check", "--case", "golden.jsonl#b", url=endpoint.base_url)
    assert [request.json["messages"][0]["content"] for request in endpoint.requests] == ["Ho", "Ho"]
    assert (ended.code, ended.report["partial"]) == (0, "case golden.jsonl#b")
    assert ended.report["headline"] == "evalaction: the chosen case passes"


def test_plan__sends_nothing(tmp_path: Path) -> None:
    """``plan`` says what would run, why, and how many calls; the endpoint gets none."""
    repo = two_commits(tmp_path / "repo", {"golden.jsonl": lines(CASE)}, {"golden.jsonl": lines({**CASE, "n": 3})})
    with ScriptedEndpoint.answering(lambda *_: "{}") as endpoint:
        ended = run(repo.path, "plan", "--json", url=endpoint.base_url)
    assert endpoint.requests == []
    assert json.loads(ended.out) == {
        "cases": [
            {
                "id": "invoice_extract_v3",
                "file": "golden.jsonl",
                "line": 1,
                "reasons": ["sampling"],
                "changed_files": [],
                "n": 3,
                "blocked": None,
                "judge_calls": 0,
            }
        ],
        "decks": [],
        "removed": [],
        "loosened": [
            {"id": "invoice_extract_v3", "file": "golden.jsonl", "line": 1, "field": "n", "before": 5, "after": 3}
        ],
        "edited_gold": [],
        "unaffected": 0,
        "not_chosen": 0,
        "total": 1,
        "chosen": None,
        "notes": [],
        "calls": {"draws": 3, "judge": 0, "baseline_at_most": 0},
    }


def test_check__key_nowhere(tmp_path: Path) -> None:
    """A key that the endpoint, the model and the URL repeat stands in nothing that is written or printed."""
    key = "sk-test-AAAA1111BBBB2222"
    case = {"id": "a", "prompt": "Hi", "expect_keys": ["label"], "n": 2}
    repo = two_commits(tmp_path / "repo", {"README.md": "x"}, {"golden.jsonl": lines(case)})
    with ScriptedEndpoint.answering(lambda *_: json.dumps({"label": key})) as endpoint:
        url = endpoint.base_url.replace("http://", f"http://user:{key}@") + f"?key={key}"
        ended = run(repo.path, "check", url=url, key=f" {key}\n")
    assert [request.headers["authorization"] for request in endpoint.requests] == [f"Bearer {key}"] * 2
    files = [path.read_text() for path in (tmp_path / "report").iterdir()]
    assert [text for text in (ended.out, ended.err, *files) if "AAAA1111BBBB2222" in text] == []
    assert ended.report["cases"][0]["modes"] == [{"answer": {"label": "‹redacted›"}, "count": 2, "draws": [1, 2]}]
