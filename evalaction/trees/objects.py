"""Trees at a commit, read from git's object store.

I/O: one ``git ls-tree`` a tree and one ``git cat-file --batch`` for all blobs of a repository. The files
on disk are never looked at.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from subprocess import Popen
from typing import IO

from evalaction.errors import BadInput, Problem
from evalaction.records.tree import EntryKind
from evalaction.trees.git import Git, clean_message, stop

MAX_FILE_BYTES = 100 * 1024 * 1024
"""Size beyond which a file is refused rather than read into memory; GitHub takes none that is larger."""

_KINDS = {b"120000": EntryKind.SYMLINK, b"160000": EntryKind.SUBMODULE}


class Blobs:
    """Reads blobs by their id through one git process, which starts with the first read.

    Not for several threads. ``close`` it, or use it in a ``with``.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def read(self, oid: str, *, path: str) -> bytes:
        """Return the content of a blob.

        Args:
            oid: the blob's full id.
            path: where it stands, for messages.

        Raises:
            BadInput: the blob is not in this clone and cannot be fetched, or is too large.
        """
        content = self._ask(oid, path=path)
        if content is None:
            raise self._gone(path)
        return content

    def find(self, oid: str, *, path: str) -> bytes | None:
        """Return the content of a blob; None where ``read`` would say that it cannot be had.

        Raises:
            BadInput: it is too large.
        """
        content = self._ask(oid, path=path)
        if content is None:
            self.close()
        return content

    def _ask(self, oid: str, *, path: str) -> bytes | None:
        """Return what git answers; None when that is no blob, and then the process is of no more use."""
        process = self._started()
        if process.stdin is None or process.stdout is None:
            raise ValueError("git was started without pipes")
        try:
            process.stdin.write(oid.encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            return None
        header = process.stdout.readline().split()
        if len(header) != 3 or header[1] != b"blob":  # noqa: PLR2004 - "<id> blob <size>"
            return None
        size = int(header[2])
        if size > MAX_FILE_BYTES:
            self.close()
            raise too_large(path, size)
        content = process.stdout.read(size + 1)
        return content[:-1] if len(content) == size + 1 else None

    def close(self) -> None:
        """End the process. A later read starts another."""
        process, errors = self._process, self._errors
        self._process = self._errors = None
        if process is not None:
            stop(process)
            # What git did not take before it ended is flushed, in vain, when its pipe is closed.
            with contextlib.suppress(BrokenPipeError), process:
                pass
        if errors is not None:
            errors.close()

    def _started(self) -> Popen[bytes]:
        if self._process is None:
            # A file and not a pipe: nobody reads it while git runs, and a full pipe would stop git.
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
            try:
                self._process = self._git.start("cat-file", "--batch", stderr=self._errors)
            except BadInput:
                self.close()
                raise
        return self._process

    def _gone(self, path: str) -> BadInput:
        """Return the error for a blob that git does not give, and start afresh."""
        said = ""
        if self._errors is not None:
            self._errors.seek(0)
            said = clean_message(self._errors.read())
        self.close()
        return BadInput(
            Problem(
                message=f"git cannot read this file's content{f': {said}' if said else '.'}",
                path=path,
                remedy="Fetch it first (a clone with a filter leaves contents out), and see `git fsck`.",
            )
        )


def too_large(path: str, size: int) -> BadInput:
    """Return the error for a file of ``size`` bytes at ``path``."""
    return BadInput(
        Problem(
            message=f"The file has {size:,} bytes; {MAX_FILE_BYTES:,} is the most that is read.",
            path=path,
            remedy="Make it smaller, or keep it out of what cases refer to.",
        )
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitTree:
    """All paths at one commit: a ``records.tree.Tree``. Readable for as long as its repository is open."""

    sha: str
    ref: str
    entries: Mapping[str, EntryKind] = field(repr=False)
    oids: Mapping[str, str] = field(repr=False)
    """Path → id of its blob, for files alone."""
    blobs: Blobs = field(repr=False)

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path`` (see ``records.tree.Tree``)."""
        return self.blobs.read(self.oids[path], path=path)


def read_commit(git: Git, blobs: Blobs, *, sha: str, ref: str) -> CommitTree:
    """List the tree of a commit.

    Args:
        git: runs in the repository.
        blobs: reads contents, when they are asked for.
        sha: full id of a commit that is in this clone.
        ref: the revision as it was asked for.

    Raises:
        BadInput: a tree of that commit is not in this clone.
    """
    entries: dict[str, EntryKind] = {}
    oids: dict[str, str] = {}
    listing = git.run("ls-tree", "-r", "-z", "--full-tree", sha).out
    for row in listing.split(b"\0")[:-1]:
        about, _, name = row.partition(b"\t")
        mode, _, oid = about.split(b" ")
        path = name.decode("utf-8", "surrogateescape")
        entries[path] = kind = _KINDS.get(mode, EntryKind.FILE)
        if kind is EntryKind.FILE:
            oids[path] = oid.decode()
    return CommitTree(sha=sha, ref=ref, entries=entries, oids=oids, blobs=blobs)
