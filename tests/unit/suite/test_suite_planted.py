"""Planted traces: lines without gold, each of which ought to fail."""

from __future__ import annotations

import pytest
from support.suites import problems, suite_of

from evalaction.records.deck import Planted

ROWS = '{"id":"a","task":"t","trace":"x","gold":"pass"}\n{"id":"b","task":"t","trace":"y","gold":"fail"}\n'


def files_with(*rows: str, said: str = "") -> dict[str, str]:
    return {
        "d.deck.yml": f"rubric: r.md\nfixtures: f.jsonl\nplanted: p.jsonl\n{said}",
        "r.md": "Judge.",
        "f.jsonl": ROWS,
        "p.jsonl": "".join(f"{row}\n" for row in rows),
    }


def test_load__planted() -> None:
    """A planted line keeps its line and what may be shown of it; a note that nobody shows is left out."""
    rows = ['{"id":1,"task":"t","trace":{"a":[]},"tags":["x"],"note":"n"}', "", '{"id":"two","task":"t","trace":"y"}']
    suite = suite_of(files_with(*rows))
    assert () == suite.problems
    (deck,) = suite.decks
    assert (
        "p.jsonl",
        (
            Planted(id="1", line=1, fields={"task": "t", "trace": {"a": []}}),
            Planted(id="two", line=3, fields={"task": "t", "trace": "y"}),
        ),
    ) == (deck.planted_path, deck.planted)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((), "p.jsonl:1: The file holds no planted trace. Add a line, or remove the key `planted`."),
        (
            ('{"id":"p","task":"t","trace":"z","gold":"fail"}',),
            "p.jsonl:1: A planted trace has no `gold`: every one of them ought to fail. "
            "Remove it, or move the line to the fixtures.",
        ),
        (
            ('{"id":"p","task":"t"}',),
            "p.jsonl:1: There is no `trace`, which the deck 'd' shows to its judge.",
        ),
        (('{"task":"t","trace":"z"}',), "p.jsonl:1: There is no `id`."),
        (
            ('{"id":"p","task":"t","trace":"z","trase":"z"}',),
            "p.jsonl:1: There is no field `trase`. Did you mean trace?",
        ),
        (
            ('{"id":"p","task":"t","trace":"z"}', '{"id":"b","task":"t","trace":"z"}'),
            "p.jsonl:2: The id 'b' is that of a fixture, in f.jsonl:2. Give the planted trace its own.",
        ),
        (
            ('{"id":"p","task":"t","trace":"z"}', "", '{"id":"p","task":"t","trace":"z"}'),
            "p.jsonl:3: The id 'p' stands in lines 1 and 3. Give each line its own.",
        ),
        (
            ('{"id":"p","task":"t","trace":"x"}',),
            "p.jsonl:1: The planted trace shows what the fixture in f.jsonl:1 shows, whose gold is 'pass'. "
            "A planted trace ought to fail.",
        ),
        (
            ("[]",),
            "p.jsonl:1: The line holds a list, not an object. Write one JSON object a line.",
        ),
        (("<<<<<<< ours",), "p.jsonl:1: The merge-conflict marker <<<<<<< stands here. Resolve the conflict."),
        (
            tuple(f'{{"id":"p{number}","task":"t","trace":"z"}}' for number in range(101)),
            "p.jsonl:101: The file holds 101 planted traces, and a deck takes 100 at most.",
        ),
    ],
)
def test_problems__kinds(rows: tuple[str, ...], expected: str) -> None:
    """Each wrong line is told with its file and line."""
    assert [expected] == problems(files_with(*rows))
