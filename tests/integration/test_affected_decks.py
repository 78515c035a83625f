"""Which decks a change affects, and what of it a reviewer must not miss, by the command in a real repository."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.gitrepo import new_repo
from support.judges import fixtures
from support.story import lines, run

DECK = {
    "evals/sums.deck.yml": "rubric: rubric.md\nfixtures: sums.jsonl\nmax_orders: 8\n",
    "evals/rubric.md": "A trace passes when its sum is right.\n",
    "evals/sums.jsonl": fixtures("pass", "pass", "fail", "fail"),
}
SAID = DECK["evals/sums.deck.yml"]
IN_CONFIG = """\
decks:
  - {name: sums, rubric: evals/rubric.md, fixtures: evals/sums.jsonl, max_orders: 8}
"""
ROWS = [json.loads(row) for row in DECK["evals/sums.jsonl"].splitlines()]


def rows(*changed: Mapping[str, Any]) -> str:
    """Return the deck's lines with some of the first ones changed."""
    return lines(*({**row, **more} for row, more in zip(ROWS, [*changed, *[{}] * len(ROWS)], strict=False)))


AFFECTED: dict[str, tuple[dict[str, str | None], dict[str, list[str]], list[str]]] = {
    "reformatted": (
        {"evals/sums.jsonl": "\ufeff" + "\r\n\r\n".join(json.dumps(dict(reversed(row.items()))) for row in ROWS)},
        {},
        [],
    ),
    "notes and tags": ({"evals/sums.jsonl": rows({"note": "n", "tags": ["t"]})}, {}, []),
    "a comment": ({"evals/sums.deck.yml": "# Sums\n" + SAID}, {}, []),
    "defaults written": (
        {"evals/sums.deck.yml": SAID + "labels: [pass, fail]\ntemperature: 0\nrepeats: 1\n"},
        {},
        [],
    ),
    "line ends of the rubric": ({"evals/rubric.md": DECK["evals/rubric.md"].replace("\n", "\r\n")}, {}, []),
    "another order of lines": ({"evals/sums.jsonl": lines(*ROWS[::-1])}, {"sums": ["fixtures"]}, []),
    "gold": ({"evals/sums.jsonl": rows({"gold": "fail"})}, {"sums": ["fixtures"]}, ["gold f1"]),
    "a trace": ({"evals/sums.jsonl": rows({"trace": "x"})}, {"sums": ["fixtures"]}, []),
    "a fixture less": ({"evals/sums.jsonl": lines(*ROWS[1:])}, {"sums": ["fixtures"]}, ["removed fixture f1"]),
    "rubric": ({"evals/rubric.md": "Pass what adds up.\n"}, {"sums": ["rubric"]}, []),
    **{
        key: ({"evals/sums.deck.yml": f"{SAID}{key}\n"}, {"sums": [reason]}, loosened)
        for key, reason, loosened in [
            ("judge_model: k", "sampling", []),
            ("temperature: null", "sampling", []),
            ("repeats: 2", "sampling", []),
            ("labels: [fail, pass]", "fixtures", []),
            ("labels: [pass, fail, other]", "fixtures", []),
            ("show: [trace]", "fixtures", []),
            ("judge_flip_max: 0.25", "contract", ["loosened judge_flip_max"]),
            ("gold_min: 0.5", "contract", ["loosened gold_min"]),
            ("probes: [steer]", "contract", []),
        ]
    },
    "a wording": (
        {"evals/sums.deck.yml": SAID + "rubric_variants: [v.md]\n", "evals/v.md": "Reworded.\n"},
        {"sums": ["rubric"]},
        [],
    ),
    "fewer orders": (
        {"evals/sums.deck.yml": SAID.replace("8", "4")},
        {"sums": ["sampling"]},
        ["loosened max_orders"],
    ),
    "a name": ({"evals/sums.deck.yml": SAID + "name: renamed\n"}, {}, []),
    "the file renamed": ({"evals/sums.deck.yml": None, "evals/b.deck.yml": SAID}, {}, []),
    "all moved": (
        {**dict.fromkeys(DECK), **{path.replace("evals", "judge"): text for path, text in DECK.items()}},
        {},
        [],
    ),
    "all moved under another name": (
        {
            **dict.fromkeys(DECK),
            "judge/b.deck.yml": "rubric: rubric.md\nfixtures: b.jsonl\nmax_orders: 8\ngold_min: 0.5\n",
            "judge/b.jsonl": DECK["evals/sums.jsonl"],
            "judge/rubric.md": DECK["evals/rubric.md"],
        },
        {"b": ["contract"]},
        ["loosened gold_min"],
    ),
    "into the configuration": (
        {
            "evals/sums.deck.yml": None,
            "evalaction.yml": IN_CONFIG,
        },
        {},
        [],
    ),
    "removed": (
        {"evals/sums.deck.yml": None, "golden.jsonl": lines({"id": "a", "prompt": "Hi"})},
        {},
        ["removed deck sums"],
    ),
    "a dependency": ({"evalaction.yml": "dependencies: [lib.txt]\n", "lib.txt": "1"}, {"sums": ["dependency"]}, []),
    "another model": ({"evalaction.yml": "model: q\n"}, {"sums": ["sampling"]}, []),
}


@pytest.mark.parametrize(("changed", "affected", "listed"), AFFECTED.values(), ids=AFFECTED.keys())
def test_plan__affected_decks(
    tmp_path: Path, changed: dict[str, str | None], affected: dict[str, list[str]], listed: list[str]
) -> None:
    """A deck runs when what its figures depend on, or its thresholds, changed; moved or rewritten it is the same."""
    repo = new_repo(tmp_path / "repo")
    repo.commit(DECK)
    repo.git("switch", "--quiet", "--create", "change")
    written = {path: text for path, text in changed.items() if text is not None}
    repo.commit(written, remove=tuple(sorted(changed.keys() - written.keys())))
    ended = run(repo.path, "plan", "--json")
    assert (ended.code, ended.err) == (0, "")
    plan = json.loads(ended.out)
    found = [f"loosened {change['field']}" for change in plan["loosened"]]
    found += [f"gold {change['id']}" for change in plan["edited_gold"]]
    found += [f"removed {removed['kind']} {removed['id']}" for removed in plan["removed"]]
    assert ({deck["name"]: deck["reasons"] for deck in plan["decks"]}, found) == (affected, listed)
