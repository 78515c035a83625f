"""A side of the comparison, read as the settings say: tree and settings → suite. Pure, but for the trees' reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from evalaction.errors import BadInput
from evalaction.records.settings import Settings
from evalaction.records.suite import Suite
from evalaction.records.tree import Tree
from evalaction.suite.load import Known, load_suite


def sound_suite(
    settings: Settings,
    tree: Tree,
    *,
    known: Known | None = None,
    before: Callable[[], Iterable[str]] = tuple,
) -> Suite:
    """Return the suite that is measured.

    Args:
        settings: of the run.
        tree: of head.
        known: see ``load_suite``.
        before: returns the golden and fixture files of base, to be named when there is nothing to check.

    Raises:
        BadInput: something in it cannot be read, or there is nothing to check; everything is named at once.
    """
    suite = suite_of(settings, tree, known=known, before=before)
    if suite.problems:
        raise BadInput(*suite.problems)
    return suite


def suite_of(
    settings: Settings,
    tree: Tree,
    *,
    known: Known | None = None,
    before: Callable[[], Iterable[str]] | None = None,
) -> Suite:
    """Return a suite with its problems: of base, which may have nothing to check, unless ``before`` says otherwise."""
    return load_suite(
        tree,
        defaults=settings.defaults,
        golden=settings.golden,
        config=settings.config,
        root=settings.root,
        known=known,
        before=before,
    )


def files_of(settings: Settings, base: Tree | None, known: Known) -> list[str]:
    """Return the golden and fixture files of base; none without one."""
    suite = None if base is None else suite_of(settings, base, known=known)
    return [] if suite is None else [*suite.golden_paths, *(deck.path for deck in suite.decks)]
