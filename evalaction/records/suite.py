"""Everything that one tree asks to be checked."""

from __future__ import annotations

from collections.abc import Mapping

from evalaction.errors import Problem
from evalaction.frozen import frozen
from evalaction.records.case import Case
from evalaction.records.deck import Deck


@frozen
class Suite:
    """Everything that one tree asks to be checked."""

    cases: tuple[Case, ...]
    """In byte order of the golden files' paths, then by line."""
    decks: tuple[Deck, ...]
    """In the order of the configuration file, then those of the other deck files, in byte order of their paths."""
    golden_paths: tuple[str, ...]
    """The golden files that were read, sorted."""
    dependencies: Mapping[str, str]
    """Path → SHA-256 of the bytes, for the extra files that ``evalaction.yml`` lists."""
    dataset_sha256: str
    """Identity of the golden, fixture and planted files: over path and raw bytes, paths sorted."""
    config_path: str | None
    """Configuration file, path in the tree; None where there is none."""
    config_sha256: str | None
    """SHA-256 of the configuration file's bytes; None where there is none."""
    problems: tuple[Problem, ...] = ()
    """What could not be read. At head any problem stops the run; at base the cases concerned are missing."""
    warnings: tuple[str, ...] = ()
    """What is allowed and should be known (temperature 0, a case on which nothing is checked)."""
