"""Where a ledger may lie: in a file of its own, which no pull request put there.

I/O: looks at what stands at a path; changes nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from evalaction.errors import BadInput, Problem
from evalaction.publish.folder import NAMES
from evalaction.records.tree import Tree

_OTHER = "Name another file with ledger (--ledger)."


def check_place(path: Path, *, within: Path, report_dir: Path, trees: Collection[Tree]) -> None:
    """Refuse a path at which no ledger may be kept.

    Args:
        path: of the ledger, relative to the current folder or not.
        within: the folder with the checkout, in which a pull request could have put a link: those elsewhere are the
            machine's own.
        report_dir: the report folder; its files are removed at the beginning of every run.
        trees: commits that a run looks at, whose files are a pull request's; the files on disk are no such tree.

    Raises:
        BadInput: it is a symbolic link or reached through one of the checkout's, is no file, is a report's, or belongs
            to a commit: a pull request could hold replies that nobody ever gave.
    """
    for part in (path, *path.parents):
        # os.path's own: that of pathlib raises for a name that is too long.
        if os.path.islink(part) and (part == path or _is_below(part, within)):  # noqa: PTH114 - see above
            raise refused(path, f"is reached through the symbolic link {part}")
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG
    except (OSError, ValueError) as error:
        raise unusable(path, error) from error
    if not stat.S_ISREG(mode):
        raise refused(path, "is no file")
    place = Path(os.path.realpath(path))
    if place in {Path(os.path.realpath(report_dir)) / name for name in NAMES}:
        raise refused(path, "is one of the report files")
    if any(_holds(tree, name) for name in _in_repository(place) for tree in trees):
        raise refused(path, "belongs to the repository: whoever writes a pull request could write replies into it")


def refused(path: Path, why: str) -> BadInput:
    """Return that a file cannot be the ledger."""
    return BadInput(Problem(path=str(path), message=f"the ledger {why}.", remedy=_OTHER))


def unusable(path: Path, error: OSError | ValueError) -> BadInput:
    """Return that the system does not let a file be read or written."""
    reason = getattr(error, "strerror", None) or type(error).__name__
    return BadInput(Problem(path=str(path), message=f"the ledger cannot be used: {reason}.", remedy=_OTHER))


def _is_below(path: Path, folder: Path) -> bool:
    """Return whether a pull request could have put ``path`` into ``folder``; no link is followed to find out."""
    return not path.is_absolute() or folder.absolute() in path.parents


def _in_repository(place: Path) -> Iterator[str]:
    """Yield the path of a place within each checkout that it lies in, the innermost first."""
    for folder in place.parents:
        if (folder / ".git").exists():
            yield place.relative_to(folder).as_posix()


def _holds(tree: Tree, name: str) -> bool:
    """Return whether a commit holds a path, for a disk on which case does not count as well."""
    return tree.sha is not None and name.casefold() in {entry.casefold() for entry in tree.entries}
