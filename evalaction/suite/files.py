"""The files of one tree, as a suite reads them: each once, by a path that cannot leave the repository. Pure.

Symbolic links and submodules are never followed. A failure to read one is a ``BadInput`` without a
place; the caller, who knows which line named the file, adds it (``placed``).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import replace

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.records.case import Use, UseRole
from evalaction.records.tree import EntryKind, Tree
from evalaction.suite.globs import matching
from evalaction.suite.words import near
from evalaction.values import sha256

BOM = b"\xef\xbb\xbf"
LFS = (
    b"version https://git-lfs.github.com/spec/",
    b"version https://hawser.github.com/spec/",
    b"version http://git-media.io/v/",
)
"""How a pointer begins. Source: Git LFS, specification (docs/spec.md), and the names that it had before."""
LFS_REMEDY = "Do not store it in LFS (git lfs untrack), or read the work tree after a checkout with `lfs: true`."

_UNREAD = late.pattern(r"\0|^<{7}(?=[ \n]|\Z)", re.MULTILINE)
"""What no text has that is compared or judged by. Of a conflict's markers the first: in Markdown the others can be
meant.
"""

_FOLLOWED = {
    EntryKind.SYMLINK: ("a symbolic link, which is never followed", "Put the file itself there."),
    EntryKind.SUBMODULE: ("a submodule, which is never entered", "Keep the file in this repository."),
}


def placed(error: BadInput, *, path: str, line: int | None) -> list[Problem]:
    """Return the problems of ``error``, those without a place with this one."""
    return [replace(problem, path=path, line=line) if problem.path is None else problem for problem in error.problems]


def resolve(reference: str, *, folder: str) -> str:
    """Return the path in the tree that ``reference``, seen from ``folder``, means.

    Raises:
        BadInput: it is empty, absolute, or leaves the repository.
    """
    if not reference or "\0" in reference:
        raise BadInput(Problem(message=f"{reference!r} is not a path."))
    path = posixpath.normpath(posixpath.join(folder, reference))
    if reference.startswith("/") or path == ".." or path.startswith("../"):
        raise BadInput(
            Problem(
                message=f"{reference!r} leaves the repository.",
                remedy="Name a file of this repository by a relative path.",
            )
        )
    return path


def _unread(found: re.Match[str], path: str, what: str) -> Problem:
    line = found.string.count("\n", 0, found.start()) + 1
    if found.group() == "\0":
        return Problem(message=f"{what} holds a NUL character.", path=path, line=line, remedy="Save it as UTF-8.")
    message = f"The merge-conflict marker {found.group()} stands here."
    return Problem(message=message, path=path, line=line, remedy="Resolve the conflict.")


MAX_GUESSES = 20
"""Missing files for which a near name is looked for: with many paths each look takes its time."""


class Files:
    """The files of one tree.

    Args:
        tree: where they stand.
        root: the folder that is looked at; empty for all of the tree.
    """

    def __init__(self, tree: Tree, *, root: str) -> None:
        self.root = root
        self._tree = tree
        self._data: dict[str, bytes] = {}
        self._hashes: dict[str, str | None] = {}
        self._filled_texts: dict[str, str] = {}
        self._missed = 0

    def exists(self, path: str) -> bool:
        """Tell whether a file that can be read stands at ``path``."""
        return self._tree.entries.get(path) is EntryKind.FILE

    def stands(self, path: str) -> bool:
        """Tell whether anything stands at ``path``: a file, a symbolic link, a submodule."""
        return path in self._tree.entries

    def read(self, path: str) -> bytes:
        """Return the bytes of the file at ``path``.

        Raises:
            BadInput: no file stands there, or one that is not read: a symbolic link, a submodule, or
                anything beyond one.
        """
        if path not in self._data:
            if not self.exists(path):
                raise BadInput(replace(self.unreadable(path), path=None))
            self._data[path] = self._tree.read(path)
        return self._data[path]

    def whole(self, path: str) -> bytes:
        """Return the bytes of the file at ``path``, of any kind.

        Raises:
            BadInput: as ``read``; or the file is a Git LFS pointer.
        """
        data = self.read(path)
        if data.removeprefix(BOM).startswith(LFS):
            raise BadInput(Problem(message=f"{path} is a Git LFS pointer, not the file itself.", remedy=LFS_REMEDY))
        return data

    def text(self, path: str) -> str:
        """Return the text of the file at ``path``, without a byte order mark.

        Raises:
            BadInput: as ``whole``; or the file is not UTF-8.
        """
        data = self.whole(path)
        try:
            return data.removeprefix(BOM).decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise BadInput(
                Problem(message=f"{path} is not UTF-8 (line {line}).", remedy="Save it as UTF-8.")
            ) from error

    def rubric(self, path: str) -> str:
        """Return the text of the rubric at ``path``, with line feeds for ends of lines.

        Raises:
            BadInput: as ``text``; or there is nothing in it, a NUL character or an unresolved merge
                conflict, which is a fault of that file itself.
        """
        return self._filled(path, "The rubric")

    def known_good(self, path: str) -> str:
        """Return the text of the file at ``path`` that is known to be good; as ``rubric``."""
        return self._filled(path, "The expected file")

    def _filled(self, path: str, what: str) -> str:
        if path not in self._filled_texts:
            text = self.text(path).replace("\r\n", "\n")
            if not text.strip():
                raise BadInput(Problem(message=f"{what} is empty.", path=path))
            unread = _UNREAD.search(text)
            if unread is not None:
                raise BadInput(_unread(unread, path, what))
            self._filled_texts[path] = text
        return self._filled_texts[path]

    def sha256(self, path: str) -> str | None:
        """Return the SHA-256 of the file at ``path`` in hex; None when there is no file to be read."""
        if path not in self._hashes:
            try:
                self._hashes[path] = sha256(self.read(path))
            except BadInput:
                self._hashes[path] = None
        return self._hashes[path]

    def match(self, glob: str) -> list[str]:
        """Return the paths below the root, of whatever kind, that ``glob`` matches.

        Raises:
            BadInput: the glob is not one.
        """
        return [self._prefix + path for path in matching(glob, self._below())]

    @property
    def _prefix(self) -> str:
        return f"{self.root}/" if self.root else ""

    def _below(self) -> Iterable[str]:
        prefix = self._prefix
        if not prefix:
            return self._tree.entries
        return (path.removeprefix(prefix) for path in self._tree.entries if path.startswith(prefix))

    def use(self, path: str, role: UseRole) -> Use:
        """Return that the file at ``path``, which has been read, is used as ``role``."""
        return Use(path=path, role=role, sha256=self.sha256(path) or "")

    def same(self, uses: Iterable[Use]) -> bool:
        """Tell whether every file in ``uses`` has the same content here."""
        return all(self.sha256(use.path) == use.sha256 for use in uses)

    def unreadable(self, path: str) -> Problem:
        """Return why no file can be read at ``path``; the problem's place is that path."""
        parts = path.split("/")
        for count in range(len(parts), 0, -1):
            place = "/".join(parts[:count])
            kind = self._tree.entries.get(place)
            if kind in _FOLLOWED:
                what, remedy = _FOLLOWED[kind]
                where = path if place == path else f"{path} lies beyond {place}, which"
                return Problem(message=f"{where} is {what}.", path=path, remedy=remedy)
        self._missed += 1
        guess = near(path, self._tree.entries) if self._missed <= MAX_GUESSES else None
        return Problem(message=f"{path} does not exist.", path=path, remedy=guess)
