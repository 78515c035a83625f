"""The folder of the report files, looked at before anything is spent on what they would hold.

I/O: makes the folder and removes report files of an earlier run from it. A pull request may hold a symbolic link in the
folder's place; it is not followed.
"""

from __future__ import annotations

import os
from pathlib import Path

from evalaction.errors import BadInput, Problem

NAMES = ("report.json", "report.md")
"""The report files."""

_REMEDY = "Name another folder with report-dir, or remove what is there."


def clear_directory(directory: Path, *, within: Path) -> None:
    """Make sure that report files can be written, before anything is spent on what they would hold.

    Those of an earlier run are removed: whatever becomes of this one, no file tells of another.

    Args:
        directory: made with its parents where it is not there yet; nothing but report files is removed from it.
        within: the folder with the checkout (in the Action the workspace), in which a pull request could have put a
            link: those elsewhere are the machine's own.

    Raises:
        BadInput: it cannot be made or written to, is no folder, is a symbolic link, or is reached through one that
            lies in ``within``.
    """
    for part in (directory, *directory.parents):
        # os.path's own: that of pathlib raises for a name that is too long.
        if os.path.islink(part) and (part == directory or _is_below(part, within)):  # noqa: PTH114 - see above
            raise BadInput(
                Problem(message=f"The report folder is reached through the symbolic link {part}.", remedy=_REMEDY)
            )
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise BadInput(Problem(message=f"The report folder {directory} is a file.", remedy=_REMEDY)) from error
    except OSError as error:
        raise unwritable(directory, error) from error
    if not os.access(directory, os.W_OK | os.X_OK):
        raise BadInput(Problem(message=f"Nothing may be written to the report folder {directory}.", remedy=_REMEDY))
    for name in NAMES:
        path = directory / name
        if path.is_dir():
            message = f"In place of the report file {path} is a folder."
            raise BadInput(Problem(message=message, remedy=_REMEDY))
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(directory, error) from error


def _is_below(path: Path, folder: Path) -> bool:
    """Return whether a pull request could have put ``path`` into ``folder``; no link is followed to find out."""
    return not path.is_absolute() or folder.absolute() in path.parents


def unwritable(directory: Path, error: OSError) -> BadInput:
    """Return the error for a report folder that the system does not let be written to."""
    reason = error.strerror or type(error).__name__
    return BadInput(Problem(message=f"The report folder {directory} cannot be written: {reason}.", remedy=_REMEDY))
