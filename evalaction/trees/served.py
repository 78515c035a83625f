"""Trees that GitHub serves, for commits that neither this clone has nor a fetch brings.

I/O: asks GitHub for a commit's paths when the tree is made, and for a content when it is read. A content that
this clone holds is taken from there: of two trees that differ in a few files, those few are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evalaction.records.hub import HubFailure, Objects, Refusal
from evalaction.records.tree import EntryKind, is_oid
from evalaction.trees.objects import MAX_FILE_BYTES, Blobs, too_large


@dataclass(frozen=True, kw_only=True, slots=True)
class ServedTree:
    """All paths at one commit, as GitHub has them: a ``records.tree.Tree``. Readable as long as its repository."""

    sha: str
    ref: str
    entries: Mapping[str, EntryKind] = field(repr=False)
    oids: Mapping[str, str] = field(repr=False)
    """Path → id of its blob, for files alone."""
    objects: Objects = field(repr=False)
    """Serves what this clone lacks."""
    blobs: Blobs = field(repr=False)
    """Reads what this clone has."""
    _contents: dict[str, bytes] = field(default_factory=dict, repr=False, compare=False)
    """Blob id → its content, for what was served: it is asked for once."""

    def read(self, path: str) -> bytes:
        """Return the content of the file at ``path`` (see ``records.tree.Tree``).

        Raises:
            KeyError: there is no file.
            BadInput: it is too large.
            HubFailure: GitHub does not serve it (see ``event_pair.without_base``).
        """
        oid = self.oids[path]
        if oid in self._contents:
            return self._contents[oid]
        content = self.blobs.find(oid, path=path)
        if content is None:
            content = self._contents[oid] = self.objects.blob(oid)
        if len(content) > MAX_FILE_BYTES:
            raise too_large(path, len(content))
        return content


def read_served(objects: Objects, blobs: Blobs, *, sha: str, ref: str) -> ServedTree:
    """List the tree of a commit at GitHub.

    Args:
        objects: GitHub's side of the repository.
        blobs: this clone's contents.
        sha: full id of the commit.
        ref: the revision as it was asked for.

    Raises:
        HubFailure: GitHub does not serve it, or names what is no object.
    """
    if not is_oid(sha):
        raise HubFailure(Refusal.UNSURE, "what it names is no commit")
    served = sorted(objects.entries(sha), key=lambda entry: entry.path.encode("utf-8", "surrogateescape"))
    if not all(is_oid(entry.oid) for entry in served):
        raise HubFailure(Refusal.UNSURE, f"the tree of {sha[:12]} names something that is no object")
    return ServedTree(
        sha=sha,
        ref=ref,
        entries={entry.path: entry.kind for entry in served},
        oids={entry.path: entry.oid for entry in served if entry.kind is EntryKind.FILE},
        objects=objects,
        blobs=blobs,
    )
