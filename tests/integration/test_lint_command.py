"""The command ``lint`` over files on disk: what ends it with 2, and what is only a warning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.gitrepo import new_repo

from evalaction.cli import main

SOUND = '{"id": "a", "prompt": "x"}'


def lint(folder: Path, files: dict[str, str | bytes]) -> tuple[int, str]:
    repo = new_repo(folder / "repo")
    repo.commit(files)
    result = CliRunner().invoke(main, ["lint", "--repo", str(repo.path)])
    return result.exit_code, result.output


def test_lint__sound(tmp_path: Path) -> None:
    """A case on which something can fail is sound."""
    assert (0, "1 case in 1 golden file, 0 decks.\nNo warnings.\n") == lint(tmp_path, {"golden.jsonl": SOUND})


def test_lint__nothing_is_checked(tmp_path: Path) -> None:
    """A case on which nothing can fail is an error, with file, line and what to do."""
    row = json.dumps({"id": "b", "prompt": "x", "grader": "choice", "labels": ["a", "b"], "agreement_min": 0})
    expected = (
        "golden.jsonl:3: Nothing is checked of the case 'b': any one of 5 draws meets agreement_min 0, and no draw is "
        "held to anything. Raise agreement_min, or add a budget or an expected value."
    )
    code, output = lint(tmp_path, {"golden.jsonl": f"{SOUND}\n\n{row}\n"})
    assert (2, f"error: {expected}\n") == (code, output)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"expectd": {"label": "billing"}}, "There is no field `expectd`. Did you mean expect?"),
        ({"expect": {}}, "`expect` is {}, which checks nothing."),
        ({"expect": None}, "`expect` is null, which checks nothing."),
        (
            {"vars": {"expect": {"label": "billing"}}},
            "`vars` goes with `prompt_file` alone. Put the prompt into a template file.",
        ),
    ],
)
def test_lint__vacuous(tmp_path: Path, fields: dict[str, object], expected: str) -> None:
    """A check that is misspelt, empty or in the wrong place is an error with its line.

    Source: github.com/promptfoo/promptfoo, issues 3629 and 767.
    """
    row = json.dumps({"id": "b", "prompt": "x", **fields})
    assert (2, f"error: golden.jsonl:2: {expected}\n") == lint(tmp_path, {"golden.jsonl": f"{SOUND}\n{row}\n"})


def test_lint__unused_variable(tmp_path: Path) -> None:
    """An expected value that was put among the variables of a template is a warning that names it."""
    row = json.dumps({"id": "b", "prompt_file": "p.txt", "vars": {"x": "y", "expect": {"label": "billing"}}})
    expected = "Warning: golden.jsonl:1: `vars` has expect, which p.txt does not use.\n"
    assert (0, f"1 case in 1 golden file, 0 decks.\n{expected}") == lint(
        tmp_path, {"golden.jsonl": row, "p.txt": "{{ x }}"}
    )
