"""Renames: which file at head was which file at base, as git's own rename detection says.

Where git has but one of the two sides, files with the same content are told by their blob's id (pure).

I/O: asks git. For the work tree, a temporary index and a temporary object store stand in for the commit
that is not there yet; the repository's own are not written to.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from evalaction.errors import BadInput
from evalaction.records.tree import EntryKind
from evalaction.trees.objects import CommitTree
from evalaction.trees.repository import Repository
from evalaction.trees.worktree import WorkTree

LIMIT = 1000
"""Where removed files times added ones exceed its square, git finds only renames without an edit; its own default."""
UNSURE = "Of renamed files only those without an edit are known"
"""How the note begins where git could not read what it compares."""
MAX_COMPARED_BYTES = 1024 * 1024
"""Size beyond which a new file of the work tree takes no part: prompts and cases are far smaller."""


def find_renames(
    repository: Repository, base: CommitTree, head: CommitTree | WorkTree
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return path at head → path at base for the renamed files; and a note where git could not tell them all.

    Git's own detection reads contents, and a clone with a filter whose remote is out of reach does not have them.

    Args:
        repository: where to ask.
        base: the tree before the change.
        head: the tree with the change.

    Raises:
        BadInput: git cannot even tell the ids of new files in the work tree.
    """
    notes: tuple[str, ...] = ()
    if not base.is_served and not (isinstance(head, CommitTree) and head.is_served):
        try:
            if isinstance(head, WorkTree):
                return renames_to_worktree(repository, base, head), ()
            return renames_between(repository, base.sha, head.sha), ()
        except BadInput as error:
            notes = (f"{UNSURE}: {error.problems[0].message}",)
    oids = _worktree_ids(repository, base, head) if isinstance(head, WorkTree) else head.oids
    return exact_renames(base.oids, oids), notes


def renames_between(
    repository: Repository, base: str, head: str, *, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return path at head → path at base for the files that were renamed, with or without an edit.

    A copy is no rename, and two files that exchanged their contents were not renamed.

    Args:
        repository: where to ask.
        base: id of a commit or tree.
        head: id of a commit or tree.
        extra: variables added to git's environment.
    """
    options = ("-r", "-z", "-M", f"-l{LIMIT}", "--name-status", "--diff-filter=R", "--no-ext-diff", "--no-textconv")
    out = repository.git.run("diff-tree", *options, base, head, "--", extra=extra).out
    fields = [field.decode("utf-8", "surrogateescape") for field in out.split(b"\0")[:-1]]
    return dict(zip(fields[2::3], fields[1::3], strict=True))


def exact_renames(base: Mapping[str, str], head: Mapping[str, str]) -> dict[str, str]:
    """Return path at head → path at base for the files that were renamed without an edit. Pure.

    A file that is gone from base pairs with one that is new at head and has the same content: each once, those
    of the same name first, then in byte order.

    Args:
        base: path → id of its blob, for the files of base.
        head: the same of head.
    """
    gone, new = (sorted(one.keys() - other.keys(), key=_bytes) for one, other in ((base, head), (head, base)))
    renames: dict[str, str] = {}
    for name_of in (_name, lambda _: ""):
        taken = set(renames.values())
        rest: dict[tuple[str, str], list[str]] = {}
        for path in reversed(gone):
            if path not in taken:
                rest.setdefault((base[path], name_of(path)), []).append(path)
        for path in new:
            alike = rest.get((head[path], name_of(path)))
            if alike and path not in renames:
                renames[path] = alike.pop()
    return renames


def renames_to_worktree(repository: Repository, base: CommitTree, head: WorkTree) -> dict[str, str]:
    """Return path in the work tree → path at base for the files that were renamed, added to the index or not."""
    removed = [path for path, kind in base.entries.items() if kind is EntryKind.FILE and path not in head.entries]
    added = _added(base, head)
    if not removed or not added:
        return {}
    with tempfile.TemporaryDirectory(prefix="evalaction-") as folder:
        extra = _elsewhere(repository, folder)
        tree = _tree_without_commit(repository, base, removed=removed, added=added, extra=extra)
        return renames_between(repository, base.sha, tree, extra=extra)


def _added(base: CommitTree, head: WorkTree) -> list[str]:
    """Return the files on disk that base does not have."""
    added = [path for path, kind in head.entries.items() if kind is EntryKind.FILE and path not in base.entries]
    return [path for path in added if path not in head.left_out and _is_small(head.top, path)]


def _worktree_ids(repository: Repository, base: CommitTree, head: WorkTree) -> dict[str, str]:
    """Return path → id of its content, for the new files of the work tree and for those that base has too."""
    kept = {path: oid for path, oid in base.oids.items() if path in head.entries}
    added = _added(base, head)
    return kept | dict(zip(added, _hashed(repository, added), strict=True))


def _hashed(
    repository: Repository, paths: list[str], *options: str, extra: Mapping[str, str] | None = None
) -> list[str]:
    """Return the ids that git gives the contents of files on disk.

    Args:
        repository: in whose work tree they are.
        paths: relative to its root.
        options: of ``git hash-object``.
        extra: variables added to git's environment.
    """
    names = "".join(f"{_quoted(path)}\n" for path in paths).encode()
    hashed = repository.git.run("hash-object", *options, "--no-filters", "--stdin-paths", stdin=names, extra=extra)
    return hashed.line.split("\n") if paths else []


def _elsewhere(repository: Repository, folder: str) -> dict[str, str]:
    """Return the variables that make git write to ``folder`` alone, and read the repository's objects as well."""
    objects = repository.git.run("rev-parse", "--git-path", "objects").line
    return {
        "GIT_INDEX_FILE": f"{folder}/index",
        "GIT_OBJECT_DIRECTORY": folder,
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(str(Path(repository.top, objects))),
    }


def _tree_without_commit(
    repository: Repository, base: CommitTree, *, removed: list[str], added: list[str], extra: Mapping[str, str]
) -> str:
    """Write base's tree less the removed files and with the added ones; return its id."""
    run = repository.git.run
    hashed = _hashed(repository, added, "-w", extra=extra)
    # Removals first: a file may have made room for a folder of its name.
    rows = [f"0 {base.oids[path]}\t{path}\0" for path in removed]
    rows += [f"100644 {oid}\t{path}\0" for oid, path in zip(hashed, added, strict=True)]
    run("read-tree", base.sha, extra=extra)
    run("update-index", "-z", "--index-info", stdin="".join(rows).encode("utf-8", "surrogateescape"), extra=extra)
    return run("write-tree", "--missing-ok", extra=extra).line


def _is_small(top: str, path: str) -> bool:
    try:
        return Path(top, os.fsdecode(path.encode("utf-8", "surrogateescape"))).lstat().st_size <= MAX_COMPARED_BYTES
    except (FileNotFoundError, NotADirectoryError):
        return False


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _quoted(path: str) -> str:
    """Return a path as git's own C-style string, so that a line break or a colon in it separates nothing."""
    return '"' + "".join(f"\\{byte:03o}" for byte in path.encode("utf-8", "surrogateescape")) + '"'
