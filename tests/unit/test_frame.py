"""The shape of the code itself: who may import what, how long things are, what every test says."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalaction.runner import AHEAD

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "evalaction"
SOURCES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))

MAY_IMPORT = {
    "httpx": ("draw/",),
    "github": ("hub.py",),
    "subprocess": ("trees/", "grade/command.py"),
    "click": ("cli.py", "command_options.py", "commands.py"),
    "jsonschema": ("suite/", "grade/", "report/"),
    "referencing": ("suite/", "grade/"),
    "jinja2": ("suite/",),
    "yaml": ("suite/",),
    "rich": ("publish/",),
    "xllamacpp": ("demo/",),
    "fcntl": ("ledger/",),
    "pickle": ("spool.py",),
}
"""Library → the only places that may import it."""


def imports(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("library", MAY_IMPORT)
def test_imports__library(library: str) -> None:
    """A library is imported only where its kind of work is done."""
    users = {source.relative_to(PACKAGE).as_posix() for source in SOURCES if library in imports(source)}
    assert [] == sorted(user for user in users if not user.startswith(MAY_IMPORT[library]))


def test_imports__direction() -> None:
    """A stage imports only the stages before it (the contract is in pyproject.toml)."""
    command = [
        sys.executable,
        "-c",
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))",
    ]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == result.returncode, result.stdout


def test_functions__length() -> None:
    """No function of the package is longer than 50 lines."""
    long = [
        f"{source.relative_to(ROOT)}:{node.lineno} {node.name}"
        for source in SOURCES
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (node.end_lineno or 0) - node.lineno >= 50
    ]
    assert [] == long


def test_modules__length() -> None:
    """No module of the package is longer than 300 lines."""
    assert [] == [str(source.relative_to(ROOT)) for source in SOURCES if len(source.read_text().splitlines()) > 300]


def test_tests__docstrings() -> None:
    """Every test says in a docstring which property it holds."""
    silent = [
        f"{source.relative_to(ROOT)}:{node.lineno} {node.name}"
        for source in TESTS
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert [] == silent


def is_dataclass(node: ast.AST) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
    return any(ast.unparse(decorator).startswith("dataclass") for decorator in decorators)


def test_records__field_docstrings() -> None:
    """Every field of a record says below it what it means; members of enums may speak for themselves."""
    silent = [
        f"{source.relative_to(ROOT)}:{field.lineno} {ast.unparse(field)}"
        for source in sorted((PACKAGE / "records").glob("*.py"))
        for record in ast.walk(ast.parse(source.read_text()))
        if isinstance(record, ast.ClassDef) and is_dataclass(record)
        for field, below in zip(record.body, [*record.body[1:], None], strict=True)
        if isinstance(field, ast.AnnAssign)
        and not (isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant))
    ]
    assert [] == silent


def test_version__cheap() -> None:
    """Neither ``--version`` nor the records pull in what only a run needs."""
    heavy = {"github", "httpx", "jinja2", "jsonschema", "rich", "yaml", "asyncio", "importlib.metadata"}
    code = "import sys, evalaction.cli; print(*sorted(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set() == heavy & set(result.stdout.split())


def test_first_request__cheap() -> None:
    """What answers, grading, reports, decks and schemas need is not loaded before the first request leaves."""
    later = {"answer.read", "grade.case", "judge.exam", "report.comment", "report.document", "report.lines", *AHEAD}
    later |= {"report.stored.pieces", "suite.schemas"}
    code = "import sys, evalaction.commands, evalaction.draw.client, evalaction.draw.run; print(*sorted(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set() == {f"evalaction.{name}" for name in later} & set(result.stdout.split())
    assert all((PACKAGE / f"{name.replace('.', '/')}.py").exists() for name in later)


@pytest.mark.parametrize("door", ["action", "commands"])
def test_doors__cheap(door: str) -> None:
    """What draws, reads files and asks GitHub is loaded where it is done: most runs draw nothing."""
    heavy = {"github", "httpx", "jinja2", "jsonschema", "rich", "yaml"}
    code = f"import sys, evalaction.{door}; print(*sorted(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set() == heavy & set(result.stdout.split())
