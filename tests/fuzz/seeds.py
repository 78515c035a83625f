"""What the fuzzer begins with: every text that the tests of the code under test are written with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fuzz.contracts import NAMES
from fuzz.targets import FINISH, LABELS, TARGETS

HERE = Path(__file__).parent
TESTS = HERE.parent
LONGEST = 4_000
"""Characters of a text beyond which it is no seed."""
_FINDS = HERE / "finds"
_SOURCES = {
    "extraction": ("unit/answer/test_*.py", "unit/test_values.py", "support/completions.py", "support/json_suite.py"),
    "golden": ("unit/suite/test_*.py",),
    "labels": ("unit/judge/test_*.py",),
}
"""Target → the modules whose texts are its seeds."""


def texts(target: str) -> Iterator[str]:
    """Yield the different texts that a target's tests are written with, in their order; docstrings are none."""
    seen: set[str] = set()
    for pattern in _SOURCES[target]:
        for path in sorted(TESTS.glob(pattern)):
            for text in _constants(path):
                if text not in seen and len(text) <= LONGEST:
                    seen.add(text)
                    yield text


@cache
def _constants(path: Path) -> tuple[str, ...]:
    tree = ast.parse(path.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    found = [
        value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
        for value in (node.value for node in constants)
        if isinstance(value, str | bytes)
    ]
    return tuple(text for text in found if text.strip())


def seeds(target: str) -> list[bytes]:
    """Return the inputs of a target's seed corpus."""
    bodies = [text.encode("utf-8", "surrogatepass") for text in texts(target)]
    if target == "golden":
        rows = [body for body in bodies if body.lstrip().startswith(b"{")]
        return [*bodies, b"\n".join(rows[:50])]
    if target == "labels":
        return [bytes([number % len(LABELS), 0]) + body for number, body in enumerate(bodies)]
    picks = [(0, 0), *((number, 0) for number in range(len(NAMES)))]
    found = [bytes(picks[number % len(picks)]) + body for number, body in enumerate(bodies)]
    found += [bytes([0, number % len(FINISH)]) + body for number, body in enumerate(bodies)]
    return list(dict.fromkeys(found))


def finds(target: str) -> list[Path]:
    """Return the files of a target's finds, which stay as tests once they are mended."""
    return sorted((_FINDS / target).glob("*.bin"))


def folder(target: str) -> Path:
    """Return the folder in which a target's finds are kept."""
    assert target in TARGETS
    return _FINDS / target
