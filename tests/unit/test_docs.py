"""What is written for people says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import docs

from evalaction.inputs import INPUTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("document", docs.DOCUMENTS, ids=lambda path: path.name)
def test_documents__made_parts(document: Path) -> None:
    """Tables and help texts are those of the code, and quoted workflows and golden files are those to copy."""
    assert docs.rendered(document.read_text()) == document.read_text()


def test_action__inputs() -> None:
    """action.yml has exactly the inputs that are read, says their defaults, and sets none but the job's token."""
    expected = {}
    for item in INPUTS:
        default = f" Default: {', '.join(item.default.splitlines())}." if item.default else ""
        expected[item.name] = {"description": item.help + default, "required": False}
        if item.expression:
            expected[item.name]["default"] = item.expression
    assert expected == docs.ACTION["inputs"]


def test_action__outputs() -> None:
    """action.yml has exactly the outputs that a run writes."""
    from support.reports import report  # noqa: PLC0415 - builds records

    from evalaction.publish.actions import outputs_of  # noqa: PLC0415

    assert list(docs.ACTION["outputs"]) == list(outputs_of(report(), None))


@pytest.mark.parametrize("document", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")], ids=lambda path: path.name)
def test_documents__links(document: Path) -> None:
    """Every relative link leads to a file."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []
