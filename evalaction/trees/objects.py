"""Trees at a commit, read from git's object store.

I/O: one ``git ls-tree`` a tree and one ``git cat-file --batch`` for all blobs of a repository, and GitHub's API for
contents that this clone neither has nor can fetch. The files on disk are never looked at.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import field, replace
from subprocess import Popen
from typing import IO

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.hub import HubFailure, Objects, Refusal
from evalaction.records.tree import EntryKind, kind_of
from evalaction.trees.git import LOCAL_TIMEOUT_S, NO_FETCH, Git, clean_message, stop

MAX_FILE_BYTES = 100 * 1024 * 1024
"""Size beyond which a file is refused rather than read into memory; GitHub takes none that is larger."""
FILTER_REMEDY = (
    "Check out without filter and sparse-checkout, which leave contents out of the clone, or let git fetch them "
    "(persist-credentials: true)."
)
"""What to do where a clone with a filter lacks something."""
FSCK_REMEDY = "See `git fsck`."
"""What to do where a clone without a filter lacks something."""

_PROMISED = r"^(remote\..*\.(promisor|partialclonefilter)|extensions\.partialclone)$"
"""Names in the configuration of a clone with a filter."""
_SHA1_LENGTH = 40
_REFUSED = "not our ref"
"""In the words of a server that has no such object; it may have the next one."""


class Missing(BadInput):
    """Part of a commit can be had neither from this clone, nor by a fetch, nor through GitHub's API."""

    def __init__(self, problem: Problem, *, why: str, failure: HubFailure | None = None) -> None:
        """Keep the cause.

        Args:
            problem: for people.
            why: the cause as a clause. Untrusted text.
            failure: of GitHub's API; None when it was not asked.
        """
        super().__init__(problem)
        self.why = why
        self.failure = failure


class Blobs:
    """Reads blobs by their id through one git process, which starts with the first read.

    In a clone with a filter that process fetches what the clone lacks, until its remote is found to be out of reach:
    each further attempt could take as long as the first. Not for several threads. ``close`` it, or use it in a
    ``with``.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._served: dict[str, bytes] = {}
        self._alone = False
        self._said = ""

    def read(self, oid: str, *, path: str, objects: Objects | None = None) -> bytes:
        """Return the content of a blob.

        Args:
            oid: the blob's full id.
            path: where it stands, for messages.
            objects: asked for what cannot be had otherwise, once for each content; None to do without.

        Raises:
            Missing: it cannot be had.
            BadInput: it is too large.
        """
        content = self._served.get(oid)
        if content is None:
            content = self._ask(oid, path=path)
        if content is None:
            self._end_failed()
            why = f"git could not fetch it ({self._said})" if self._said else "it is not in this clone"
            if objects is None:
                raise self._missing(path, why)
            try:
                content = self._served[oid] = _served(objects, oid)
            except HubFailure as failure:
                why = f"{why}; GitHub's API did not help ({failure.message})"
                raise self._missing(path, why, failure) from failure
        if len(content) > MAX_FILE_BYTES:
            raise too_large(path, len(content))
        return content

    @property
    def remedy(self) -> str:
        """What to do about something that this clone lacks, though it has the commit."""
        promised = self._git.run("config", "--get-regexp", _PROMISED, accept=(0, 1))
        return FILTER_REMEDY if promised.code == 0 else FSCK_REMEDY

    def _missing(self, path: str, why: str, failure: HubFailure | None = None) -> Missing:
        problem = Problem(message=f"This file's content cannot be had: {why}.", path=path, remedy=self.remedy)
        return Missing(problem, why=why, failure=failure)

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

    def _end_failed(self) -> None:
        """End the process that did not give a content, and keep what it said."""
        if self._errors is not None and not self._alone:
            self._errors.seek(0)
            self._said = clean_message(self._errors.read())
            self._alone = bool(self._said) and _REFUSED not in self._said
        self.close()

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
            extra = NO_FETCH if self._alone else None
            try:
                self._process = self._git.start("cat-file", "--batch", stderr=self._errors, extra=extra)
            except BadInput:
                self.close()
                raise
        return self._process


def _served(objects: Objects, oid: str) -> bytes:
    """Return a content as GitHub serves it.

    Raises:
        HubFailure: GitHub does not serve it, or serves another content than the id stands for.
    """
    content = objects.blob(oid)
    header = f"blob {len(content)}\0".encode()
    # Not for its strength: it is how git names a content, and as long as the id it is held against.
    digest = hashlib.sha1(usedforsecurity=False) if len(oid) == _SHA1_LENGTH else hashlib.sha256()
    digest.update(header + content)
    if digest.hexdigest() != oid:
        raise HubFailure(Refusal.UNSURE, f"what it serves as {oid[:12]} is another content")
    return content


def too_large(path: str, size: int) -> BadInput:
    """Return the error for a file of ``size`` bytes at ``path``."""
    return BadInput(
        Problem(
            message=f"The file has {size:,} bytes; {MAX_FILE_BYTES:,} is the most that is read.",
            path=path,
            remedy="Make it smaller, or keep it out of what cases refer to.",
        )
    )


@frozen
class CommitTree:
    """All paths at one commit: a ``records.tree.Tree``. Readable for as long as its repository is open."""

    sha: str
    ref: str
    entries: Mapping[str, EntryKind] = field(repr=False)
    oids: Mapping[str, str] = field(repr=False)
    """Path → id of its blob, for files alone."""
    blobs: Blobs = field(repr=False)
    objects: Objects | None = field(default=None, repr=False)
    """Serves contents that this clone lacks; None to do without."""
    is_served: bool = False
    """Whether GitHub listed the paths: this clone lacks the commit, or a folder of it."""
    remedy: str | None = None
    """Of a tree that is served: what to do so that this clone has it; None when nothing is known to help."""
    is_base: bool = False
    """Whether a run can do without it. A base in which a file seems to be missing would call its cases new."""

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path`` (see ``records.tree.Tree``).

        Raises:
            KeyError: there is no file.
            BadInput: it is too large; or it cannot be had, and this is no base.
            HubFailure: it cannot be had, and this is a base, which the run goes on without (``without_base``).
        """
        try:
            return self.blobs.read(self.oids[path], path=path, objects=self.objects)
        except Missing as missing:
            if self.is_base:
                known = missing.failure if self.is_served else None
                raise known or HubFailure(Refusal.UNSURE, missing.why) from missing
            if self.is_served:
                problem = replace(missing.problems[0], remedy=self.remedy)
                raise Missing(problem, why=missing.why, failure=missing.failure) from missing
            raise


def read_commit(git: Git, blobs: Blobs, *, sha: str, ref: str, objects: Objects | None = None) -> CommitTree:
    """List the tree of a commit.

    Args:
        git: runs in the repository.
        blobs: reads contents, when they are asked for.
        sha: full id of a commit that is in this clone.
        ref: the revision as it was asked for.
        objects: asked for contents that cannot be had otherwise; None to do without.

    Raises:
        Missing: a folder of that commit is not in this clone and cannot be fetched.
    """
    entries: dict[str, EntryKind] = {}
    oids: dict[str, str] = {}
    listing = git.attempt("ls-tree", "-r", "-z", "--full-tree", sha, timeout_s=LOCAL_TIMEOUT_S)
    if listing.code != 0:
        why = f"git cannot list the files of commit {sha[:12]} ({listing.message})"
        raise Missing(Problem(message=f"{why}.", remedy=blobs.remedy), why=why)
    for row in listing.out.split(b"\0")[:-1]:
        about, _, name = row.partition(b"\t")
        mode, _, oid = about.split(b" ")
        path = name.decode("utf-8", "surrogateescape")
        entries[path] = kind = kind_of(mode.decode())
        if kind is EntryKind.FILE:
            oids[path] = oid.decode()
    return CommitTree(sha=sha, ref=ref, entries=entries, oids=oids, blobs=blobs, objects=objects)
