"""A suite in plain lines: what it holds, and every warning."""

from __future__ import annotations

from support.suites import suite_of

from evalaction.report.lint_lines import lint_lines

FIXTURES = '{"id":"a","task":"t","trace":"x","gold":"pass"}\n{"id":"b","task":"t","trace":"y","gold":"fail"}\n'
DECK = "rubric: r.md\nfixtures: f.jsonl\n"


def test_lint_lines__whole() -> None:
    """Cases, files, decks and what else they hold are counted; each deck names its place, each warning has a line."""
    files = {
        "golden.jsonl": '{"id":"a","prompt":"x","temperature":0}\n{"id":"b","prompt":"x","temperature":0}\n',
        "evalaction.yml": "dependencies: lib.py\ndecks:\n- {name: one, rubric: j/r.md, fixtures: j/f.jsonl}\n",
        "lib.py": "",
        "j/r.md": "Judge.",
        "j/f.jsonl": FIXTURES,
        "j/two.deck.yml": f"{DECK}planted: p.jsonl\nprobes: [steer, twins]\nrubric_variants: [v.md]\n",
        "j/p.jsonl": '{"id":"p","task":"t","trace":"z"}\n',
        "j/v.md": "Judge, please.",
    }
    assert (
        "2 cases in 1 golden file, 2 decks with 4 fixtures, 1 dependency.",
        "Deck: one (evalaction.yml:3): 2 fixtures",
        "Deck: two (j/two.deck.yml:1): 2 fixtures, 1 planted trace, 2 probes, 1 other wording",
        "Warning: golden.jsonl:1 and 1 more: temperature 0 is asked for, which is a request and no promise of equal "
        "answers.",
    ) == lint_lines(suite_of(files))


def test_lint_lines__nothing_to_know() -> None:
    """Where there is nothing to warn of, it is said."""
    suite = suite_of({"golden.jsonl": '{"id":"a","prompt":"x"}\n'})
    assert ("1 case in 1 golden file, 0 decks.", "No warnings.") == lint_lines(suite)


def test_lint_lines__hostile() -> None:
    """What a file says stays on its line and is shown by number where it cannot be seen."""
    suite = suite_of({"golden.jsonl": '{"id":"a","prompt":"x"}\n', "a\u202e\n.deck.yaml": ""})
    assert (
        "1 case in 1 golden file, 0 decks.",
        "Warning: a⟨U+202E⟩⏎.deck.yaml: the file is not read, since a deck file ends in .deck.yml.",
    ) == lint_lines(suite)


def test_lint_lines__judges() -> None:
    """A judge that no deck tests is told, and a first label that would accept nothing; others are not."""
    graded = '{"id":"%s","prompt":"x","grader":"judge","rubric":"%s"%s}\n'
    files = {
        "golden.jsonl": graded % ("a", "r.md", "") + graded % ("b", "s.md", "") + graded % ("c", "s.md", ""),
        "r.md": "Judge.",
        "s.md": "Judge again.",
        "f.jsonl": FIXTURES,
        "one.deck.yml": DECK,
        "two.deck.yml": f"{DECK}labels: [Fail, pass]\n".replace("f.jsonl", "g.jsonl"),
        "g.jsonl": FIXTURES.replace("fail", "Fail"),
    }
    assert [
        "Warning: golden.jsonl:2 and 1 more: no deck tests the judge: none has this rubric and these labels.",
        "Warning: two.deck.yml:1: 'Fail' is the first of the labels, so it counts as the accepting one.",
    ] == [line for line in lint_lines(suite_of(files)) if line.startswith("Warning")]
