"""GitHub's side of a repository, without GitHub: objects of a real one, with a record of what was asked."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field

from support.gitrepo import Repo

from evalaction.records.hub import HubFailure, Refusal, ServedEntry
from evalaction.records.tree import kind_of


@dataclass
class GitObjects:
    """A ``records.hub.Objects`` over a repository on disk."""

    repo: Repo
    refuse: tuple[str, ...] = ()
    """Calls that fail: ``merge_base``, ``entries``, ``blob``."""
    asked: list[tuple[str, ...]] = field(default_factory=list)
    """Each call with its arguments, in order."""

    def _asked(self, *call: str) -> None:
        self.asked.append(call)
        if call[0] in self.refuse:
            raise HubFailure(Refusal.LIMITED, "API rate limit exceeded", status=403)

    def _git(self, *args: str) -> bytes:
        done = subprocess.run(["git", "-C", str(self.repo.path), *args], capture_output=True, check=False)
        if done.returncode != 0:
            raise HubFailure(Refusal.FORBIDDEN, "Not Found", status=404)
        return done.stdout

    def merge_base(self, base: str, head: str) -> str:
        """Return the merge base of two commits."""
        self._asked("merge_base", base, head)
        return self._git("merge-base", base, head).decode().strip()

    def entries(self, commit: str) -> list[ServedEntry]:
        """Return every path at a commit, in no order to rely on."""
        self._asked("entries", commit)
        rows = self._git("ls-tree", "-r", "-z", "--full-tree", commit).decode("utf-8", "surrogateescape").split("\0")
        entries = []
        for row in rows[:-1]:
            about, _, path = row.partition("\t")
            mode, _, oid = about.split(" ")
            entries.append(ServedEntry(path=path, kind=kind_of(mode), oid=oid))
        return entries[::-1]

    def blob(self, oid: str) -> bytes:
        """Return a content."""
        self._asked("blob", oid)
        return self._git("cat-file", "blob", oid)
