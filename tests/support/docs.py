"""The parts of the documentation that are made from code. ``python tests/support/docs.py`` writes them."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import yaml

from evalaction import errors
from evalaction.cli import COMMANDS, main
from evalaction.errors import ExitCode
from evalaction.inputs import INPUTS
from evalaction.records.settings import Limits

ROOT = Path(__file__).parents[2]
SETTINGS = ROOT / "docs" / "settings.md"
README = ROOT / "README.md"


def field_docs(source: Any) -> dict[str, str]:
    """Return the text under each field or member of a class, whole, by its name."""
    (body,) = (node for node in ast.parse(inspect.getsource(source)).body if isinstance(node, ast.ClassDef))
    docs: dict[str, str] = {}
    for before, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            target = before.target if isinstance(before, ast.AnnAssign) else getattr(before, "targets", [None])[0]
            if isinstance(target, ast.Name):
                docs[target.id] = " ".join(str(after.value.value).split())
    return docs


def table(*rows: tuple[str, ...]) -> str:
    """Return a Markdown table; the first row is its head."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def inputs() -> str:
    """Return the table of inputs."""
    rows = [("input", "what it says", "default", "environment")]
    for item in INPUTS:
        default = ", ".join(f"`{part}`" for part in item.default.splitlines())
        rows.append((f"`{item.name}`", item.help, default, f"`{item.env}`" if item.env else ""))
    return table(*rows)


def outputs() -> str:
    """Return the table of outputs, from action.yml."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    rows = [("output", "what it holds")]
    return table(*rows, *((f"`{name}`", item["description"]) for name, item in action["outputs"].items()))


def limits() -> str:
    """Return the table of limits, those included that are inputs."""
    docs, defaults = field_docs(Limits), Limits()
    rows = [("limit", "value", "what it bounds")]
    for field in fields(Limits):
        value = getattr(defaults, field.name)
        rows.append((f"`{field.name}`", f"{value:,}", docs.get(field.name, "")))
    return table(*rows)


def exit_codes() -> str:
    """Return the table of exit codes."""
    docs = field_docs(errors.ExitCode)
    return table(("code", "meaning"), *((str(int(code)), docs[code.name]) for code in ExitCode))


def help_texts() -> str:
    """Return what ``--help`` says, of the command and of each of its own."""
    texts = []
    context = click.Context(
        main, info_name="evalaction", terminal_width=100, max_content_width=100, **main.context_settings
    )
    texts.append(main.get_help(context))
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, terminal_width=100, max_content_width=100)
        texts.append(command.get_help(inner))
    return "\n\n".join(f"```text\n{text}\n```" for text in texts)


PARTS = {
    "inputs": inputs,
    "outputs": outputs,
    "limits": limits,
    "exit codes": exit_codes,
    "help": help_texts,
}


def rendered(text: str) -> str:
    """Return a document with each of its parts made anew."""
    return re.sub(
        r"(?s)(<!-- (?P<name>[a-z ]+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}\n{PARTS[found['name']]()}\n\n{found[3]}",
        text,
    )


if __name__ == "__main__":
    for document in (SETTINGS, README):
        document.write_text(rendered(document.read_text()))
