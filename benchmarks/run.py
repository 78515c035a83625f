"""Measurements, as ratios taken side by side in one run: ``make bench``.

No figure here is a test: machines differ, and these are to be looked at when something is changed.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.trees import MemoryTree

from evalaction.answer.read import read_answer
from evalaction.answer.reply import MAX_TEXT
from evalaction.grade.schema import Form, compile_form
from evalaction.plan.make import make_plan
from evalaction.records.case import Contract, Grader, Schema
from evalaction.records.draw import Reply
from evalaction.records.settings import Defaults
from evalaction.suite.load import Known, load_suite
from evalaction.values import JSON

LINES = 100_000
CHANGED = 10
SCHEMA: JSON = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["vendor", "currency", "lines"],
    "additionalProperties": False,
    "properties": {
        "vendor": {"type": "string", "minLength": 1},
        "currency": {"pattern": "^[A-Z]{3}$"},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
    },
    "$defs": {
        "line": {
            "type": "object",
            "required": ["text", "cents"],
            "properties": {"text": {"type": "string"}, "cents": {"type": "integer"}},
        }
    },
}
"""Of the size that a case commonly has."""


def cpu_of(command: list[str], runs: int = 9) -> float:
    """Return the median CPU seconds, user and system, of a command."""
    spent = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own commands
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(spent)


def seconds(work: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def start_up() -> None:
    """CPU of ``evalaction --version`` against that of an empty Python."""
    nothing = cpu_of([sys.executable, "-c", "pass"])
    version = cpu_of([sys.executable, "-m", "evalaction", "--version"])
    print(f"start-up: --version takes {version / nothing:.1f} times the CPU of python -c pass (goal: at most 6)")


def selection() -> None:
    """Both sides of a large golden file, loaded and planned, against parsing its lines once."""
    rows = [
        json.dumps(
            {
                "id": f"case_{number}",
                "prompt": f"Extract vendor and total from invoice number {number}.",
                "expect_keys": ["vendor", "total_cents"],
                "max_completion_tokens": 80,
                "n": 5,
                "agreement_min": 0.8,
            }
        )
        for number in range(LINES)
    ]
    base = "\n".join(rows).encode()
    for number in range(0, LINES, LINES // CHANGED):
        rows[number] = rows[number].replace("Extract", "Give")
    head = "\n".join(rows).encode()
    trees = [MemoryTree({"golden.jsonl": side}) for side in (head, base)]

    def select() -> None:
        known: Known = {}
        suites = [load_suite(tree, defaults=Defaults(model="m"), known=known) for tree in trees]
        plan = make_plan(suites[1], suites[0], renames={})
        if len(plan.cases) != CHANGED:
            raise SystemExit(f"{len(plan.cases)} cases are affected, and {CHANGED} were changed")

    parsing = min(seconds(lambda: [json.loads(line) for line in head.split(b"\n")]) for _ in range(3))
    whole = min(seconds(select) for _ in range(3))
    print(
        f"selection: {LINES:,} lines with {CHANGED} changed take {whole:.2f} s, "
        f"{whole / parsing:.1f} times json.loads of one side"
    )


def schemas() -> None:
    """Compiling a schema, once for each case, against holding one answer to it, once for each draw."""
    schema = Schema(document=SCHEMA, path="invoice.schema.json")
    contract = Contract(grader=Grader.JSON, schema=schema)
    answer: JSON = {"vendor": "ACME", "currency": "EUR", "lines": [{"text": "x", "cents": 100}] * 10}

    def compiled() -> Form:
        form = compile_form(contract, golden_path="golden.jsonl")
        if form is None or form.errors(answer):
            raise SystemExit("the answer does not meet the schema")
        return form

    form = compiled()  # what is imported on first use is imported
    both = min(seconds(compiled) for _ in range(50))
    holding = min(seconds(lambda: form.errors(answer)) for _ in range(50))
    print(
        f"schemas: compiling one takes {(both - holding) * 1000:.2f} ms, "
        f"{(both - holding) / holding:.1f} times holding one answer to it"
    )


def filled(unit: str) -> str:
    """Return a text of a unit, again and again, as long as any that is read."""
    return unit * (MAX_TEXT // len(unit))


def completions() -> None:
    """Reading completions that are made to take long, against json.loads of an array of numbers as long."""
    numbers = f"[{filled('1,')[2:]}1]"
    unit = min(seconds(lambda: json.loads(numbers)) for _ in range(3))
    json_of = Contract(grader=Grader.JSON)
    texts = {
        "objects in prose": (json_of, filled('{"a":1} ')),
        "broken objects and tags": (json_of, filled('{"a": x</think>')),
        "100,000 numbers": (json_of, f"[{'0.25,' * 99_999}1]"),
        "a key twice": (json_of, "{" + "".join(f'"k{number}":0,' for number in range(70_000)) + '"k69999":1}'),
        "openings of tags": (Contract(grader=Grader.TEXT), filled("<")),
        "combining marks": (Contract(grader=Grader.TEXT), filled("e" + "\u0301\u0323" * 50)),
        "digits": (Contract(grader=Grader.NUMBER), filled("1-")),
        "fences": (Contract(grader=Grader.DIFF, fence=""), filled("~~~\n```\n")),
    }
    for name, (contract, text) in texts.items():
        reply = Reply(text=text, finish_reason="stop")
        taken = min(seconds(lambda reply=reply, contract=contract: read_answer(reply, contract)) for _ in range(3))  # type: ignore[misc]
        print(f"completions: {name}: {taken:.2f} s, {taken / unit:.0f} times json.loads of as many characters")


if __name__ == "__main__":
    start_up()
    completions()
    selection()
    schemas()
