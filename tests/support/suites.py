"""Suites from a few lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.trees import MemoryTree

from evalaction.records.settings import Defaults
from evalaction.records.suite import Suite
from evalaction.suite.load import load_suite

GOLDEN = "golden.jsonl"


def suite_of(files: Mapping[str, str | bytes], **options: Any) -> Suite:
    """Load the suite of a tree that is made of ``files``."""
    tree = MemoryTree({path: data.encode() if isinstance(data, str) else data for path, data in files.items()})
    return load_suite(tree, **{"defaults": Defaults(), **options})


def golden(*rows: str) -> dict[str, str]:
    """Return the files of a suite whose one golden file has these lines."""
    return {GOLDEN: "".join(row + "\n" for row in rows)}


def problems(files: Mapping[str, str | bytes], **options: Any) -> list[str]:
    """Return what is wrong with a suite, as people read it."""
    return [str(problem) for problem in suite_of(files, **options).problems]


def ids(suite: Suite) -> list[str]:
    """Return the ids of a suite's cases, in order."""
    return [case.id for case in suite.cases]
