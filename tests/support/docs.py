"""The parts of the documentation that are made from code. ``python tests/support/docs.py`` writes them."""

from __future__ import annotations

import ast
import html
import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import yaml
from support.completions import TABLE

from evalaction import errors
from evalaction.cli import COMMANDS, main
from evalaction.errors import ExitCode
from evalaction.forks import hold_for
from evalaction.inputs import INPUTS
from evalaction.records.event import Event, PullRequest
from evalaction.records.gate import Verdict
from evalaction.records.settings import CommentMode, Forks, Limits, Posting, Settings
from evalaction.verdict import exit_code, is_excused

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
RECIPES = ROOT / "docs" / "workflows"
"""Workflows to copy, and the golden file that goes with the first of them."""
ALL = [path for folder in (ROOT, ROOT / "docs", ROOT / ".github") for path in sorted(folder.glob("*.md"))]
"""Every document for people, but for those among the tests."""


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
    rows = [("output", "what it holds")]
    return table(*rows, *((f"`{name}`", item["description"]) for name, item in ACTION["outputs"].items()))


def limits() -> str:
    """Return the table of limits, those included that are inputs."""
    docs, defaults = field_docs(Limits), Limits()
    rows = [("limit", "value", "what it bounds")]
    for field in fields(Limits):
        value = getattr(defaults, field.name)
        rows.append((f"`{field.name}`", "none" if value is None else f"{value:,}", docs.get(field.name, "")))
    return table(*rows)


def exit_codes() -> str:
    """Return the table of exit codes."""
    docs = field_docs(errors.ExitCode)
    return table(("code", "meaning"), *((str(int(code)), docs[code.name]) for code in ExitCode))


def comment_modes() -> str:
    """Return the table of comment modes."""
    docs = field_docs(CommentMode)
    return table(
        ("`comment-mode`", "a first comment is written"), *((_choice(mode), docs[mode.name]) for mode in CommentMode)
    )


def forks() -> str:
    """Return what becomes of the affected cases of a fork, as the code decides it."""
    pull = PullRequest(number=1, base_sha="0", base_ref="main", head_sha="1", from_fork=True)
    rows = [("`forks`", "sends", "verdict", "exit code")]
    for choice in Forks:
        hold = hold_for(Event(name="pull_request", pull=pull), choice)
        if hold is None:
            rows.append((_choice(choice), "what every other pull request sends", "as measured", "as ever"))
        else:
            code = exit_code(Verdict.UNMEASURED, excused=is_excused(hold, ()))
            rows.append((_choice(choice), "nothing", str(Verdict.UNMEASURED), str(int(code))))
    return table(*rows)


def _choice(choice: CommentMode | Forks) -> str:
    return f"`{choice}`" + (" (default)" if choice in {Posting().mode, Settings().forks} else "")


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


def first_recipe() -> str:
    """Return the workflow with a model server beside the job, whole."""
    return f"```yaml\n{(RECIPES / 'service.yml').read_text()}```"


def provider_steps() -> str:
    """Return the steps of the workflow that asks a provider."""
    _, steps = (RECIPES / "provider.yml").read_text().split("    steps:\n")
    return f"```yaml\n    steps:\n{steps}```"


def golden_example() -> str:
    """Return the golden file that goes with the first recipe."""
    return f"```json\n{(RECIPES / 'returns.golden.jsonl').read_text()}```"


def permissions() -> str:
    """Return which permissions the job of each recipe has, and why."""
    rows = [("workflow", "permissions of its job")]
    for path in sorted(RECIPES.glob("*.yml")):
        granted = re.findall(r"(?m)^      ([a-z-]+: (?:read|write)) # (.+)$", path.read_text())
        cell = "<br>".join(f"`{scope}`: {why}" for scope, why in granted)
        rows.append((f"[{path.name}](workflows/{path.name})", cell))
    return table(*rows)


def in_code(text: str) -> str:
    """Return a text as code in a cell of a table: what would break the cell is shown by a sign."""
    shown = text.replace("\r", "␍").replace("\n", "↵").replace("\u00a0", "⍽").replace("|", "\\|")
    marks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    edge = " " if len(marks) > 1 or shown != shown.strip() else ""
    return f"{marks}{edge}{shown}{edge}{marks}"


def completions() -> str:
    """Return the table of completions, which is also what the reader of answers is tested by."""
    rows = [("grader", "completion", "answer, or why there is none", "read as")]
    for asked, group in TABLE:
        for number, each in enumerate(group):
            came, how = html.escape(each.cause or "", quote=False), "*unreadable*"
            if each.answer is not None:
                came, how = in_code(each.answer), each.how
            rows.append(("" if number else asked.words, in_code(each.text), came, how))
    return table(*rows)


PARTS = {
    "completions": completions,
    "inputs": inputs,
    "outputs": outputs,
    "limits": limits,
    "exit codes": exit_codes,
    "comment modes": comment_modes,
    "forks": forks,
    "help": help_texts,
    "golden example": golden_example,
    "first recipe": first_recipe,
    "provider steps": provider_steps,
    "permissions": permissions,
}


def parts(text: str) -> list[str]:
    """Return the names of a document's parts that are made from code or quoted from files."""
    return [name for name in re.findall(r"<!-- ([a-z ]+) -->\n", text) if name != "end"]


def rendered(text: str) -> str:
    """Return a document with each of its parts made anew."""
    return re.sub(
        r"(?s)(<!-- (?P<name>[a-z ]+) -->\n).*?(<!-- end -->)",
        lambda found: f"{found[1]}\n{PARTS[found['name']]()}\n\n{found[3]}",
        text,
    )


if __name__ == "__main__":
    for document in ALL:
        document.write_text(rendered(document.read_text()))
