"""Trees in memory, for tests that need files and no git."""

from __future__ import annotations

from collections.abc import Mapping

from evalaction.records.tree import EntryKind


class MemoryTree:
    """A tree made of a mapping from path to content.

    Args:
        files: path → content of every file.
        symlinks: paths at which a symbolic link stands.
        submodules: paths at which a submodule stands.
        sha: commit id; None for a work tree.
        ref: the revision as it was asked for.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        symlinks: tuple[str, ...] = (),
        submodules: tuple[str, ...] = (),
        sha: str | None = None,
        ref: str = "HEAD",
    ) -> None:
        kinds = {
            **dict.fromkeys(files, EntryKind.FILE),
            **dict.fromkeys(symlinks, EntryKind.SYMLINK),
            **dict.fromkeys(submodules, EntryKind.SUBMODULE),
        }
        self.sha = sha
        self.ref = ref
        self.entries: Mapping[str, EntryKind] = {
            path: kinds[path] for path in sorted(kinds, key=lambda path: path.encode("utf-8", "surrogateescape"))
        }
        self.reads: list[str] = []
        """Paths that were read, in order: what a stage looks at is part of what it promises."""
        self._files = dict(files)

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path``.

        Raises:
            KeyError: there is no file at ``path``.
        """
        self.reads.append(path)
        return self._files[path]


def lines(*rows: str) -> bytes:
    """Return the rows as the bytes of a file, each with its line feed."""
    return "".join(row + "\n" for row in rows).encode()
