"""Objects of a real git repository, in the shape of GitHub's answers. Runs git."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from support.hub.shapes import PAGES

LINE = 60
"""Characters of base64 on a line, as GitHub breaks it."""
FIELDS = ("%H", "%T", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B")
STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


@dataclass(frozen=True, kw_only=True)
class Change:
    """A file that differs between two commits."""

    path: str
    before: str | None
    """Its former path; None where that is the same."""
    status: str
    """In GitHub's words."""
    oid: str
    """Of its content; of the former one, where it is gone."""
    added: int
    """Lines."""
    removed: int


@dataclass(frozen=True, kw_only=True)
class Objects:
    """The objects of one repository."""

    git: Path
    full_name: str
    root: str
    """Of links."""

    @property
    def _url(self) -> str:
        return f"{self.root}/repos/{self.full_name}"

    def resolve(self, revision: str, kind: str = "commit") -> str | None:
        """Return the full id of what a revision names, or leads to.

        Args:
            revision: an id, or the short name of a branch or tag; ``owner:`` before it is dropped.
            kind: ``commit``, ``tree``, ``blob``; empty: whatever it is.
        """
        name = revision.rpartition(":")[2]
        peel = f"^{{{kind}}}" if kind else ""
        return self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}{peel}")

    def merge_base(self, base: str, head: str) -> str | None:
        """Return the best common ancestor of two commits, or None."""
        return self._ask("merge-base", base, head)

    def blob(self, oid: str) -> dict[str, Any]:
        """Return a blob that is there."""
        content = self._run("cat-file", "blob", oid)
        coded = base64.b64encode(content).decode()
        lines = [coded[at : at + LINE] + "\n" for at in range(0, len(coded), LINE)]
        return {
            "sha": oid,
            "node_id": f"B_{oid}",
            "size": len(content),
            "url": f"{self._url}/git/blobs/{oid}",
            "content": "".join(lines),
            "encoding": "base64",
        }

    def tree(self, oid: str, *, recursive: bool, limit: int) -> dict[str, Any]:
        """Return a tree.

        Args:
            oid: of the tree, or of a commit; the answer repeats it.
            recursive: with what is in its folders.
            limit: entries beyond which it is cut.
        """
        listed = self._run("ls-tree", "-z", "--long", *(("-r", "-t") if recursive else ()), oid)
        entries = [self._entry(line) for line in listed.split(b"\0") if line]
        return {
            "sha": oid,
            "url": f"{self._url}/git/trees/{oid}",
            "tree": entries[:limit],
            "truncated": len(entries) > limit,
        }

    def _entry(self, line: bytes) -> dict[str, Any]:
        facts, _, path = line.partition(b"\t")
        mode, kind, oid, size = facts.decode().split()
        entry: dict[str, Any] = {"path": _text(path), "mode": mode, "type": kind, "sha": oid}
        if kind == "blob":
            entry["size"] = int(size)
        if kind != "commit":  # a submodule stands in another repository
            entry["url"] = f"{self._url}/git/{kind}s/{oid}"
        return entry

    def git_commit(self, oid: str) -> dict[str, Any]:
        """Return a commit as git knows it."""
        (facts,) = self._log("--no-walk", oid)
        return {
            "sha": oid,
            "node_id": f"C_{oid}",
            "url": f"{self._url}/git/commits/{oid}",
            "html_url": f"{PAGES}/{self.full_name}/commit/{oid}",
            **self._said(facts),
            "parents": self._parents(facts, "git/commits"),
            "verification": UNSIGNED,
        }

    def commits(self, *revisions: str) -> list[dict[str, Any]]:
        """Return commits as GitHub knows them, in git's order.

        Args:
            revisions: arguments of ``git log``.
        """
        return [
            {
                "sha": facts["%H"],
                "node_id": f"C_{facts['%H']}",
                "commit": {
                    **self._said(facts),
                    "url": f"{self._url}/git/commits/{facts['%H']}",
                    "comment_count": 0,
                    "verification": UNSIGNED,
                },
                "url": f"{self._url}/commits/{facts['%H']}",
                "html_url": f"{PAGES}/{self.full_name}/commit/{facts['%H']}",
                "comments_url": f"{self._url}/commits/{facts['%H']}/comments",
                "author": None,
                "committer": None,
                "parents": self._parents(facts, "commits"),
            }
            for facts in self._log(*revisions)
        ]

    def count(self, base: str, head: str) -> int:
        """Return how many commits ``head`` has that ``base`` has not."""
        return int(self._run("rev-list", "--count", f"{base}..{head}"))

    def files(self, base: str, head: str) -> list[dict[str, Any]]:
        """Return what differs between two commits, sorted by path."""
        return [self._file(change, head) for change in changes(self.git, base, head)]

    def _file(self, change: Change, head: str) -> dict[str, Any]:
        place = quote(change.path)
        return {
            "sha": change.oid,
            "filename": change.path,
            "status": change.status,
            "additions": change.added,
            "deletions": change.removed,
            "changes": change.added + change.removed,
            "blob_url": f"{PAGES}/{self.full_name}/blob/{head}/{place}",
            "raw_url": f"{PAGES}/{self.full_name}/raw/{head}/{place}",
            "contents_url": f"{self._url}/contents/{place}?ref={head}",
            **({} if change.before is None else {"previous_filename": change.before}),
        }

    def _said(self, facts: Mapping[str, str]) -> dict[str, Any]:
        return {
            "author": {"name": facts["%an"], "email": facts["%ae"], "date": facts["%aI"]},
            "committer": {"name": facts["%cn"], "email": facts["%ce"], "date": facts["%cI"]},
            "message": facts["%B"].rstrip("\n"),
            "tree": {"sha": facts["%T"], "url": f"{self._url}/git/trees/{facts['%T']}"},
        }

    def _parents(self, facts: Mapping[str, str], kind: str) -> list[dict[str, str]]:
        page = f"{PAGES}/{self.full_name}/commit"
        return [
            {"sha": oid, "url": f"{self._url}/{kind}/{oid}", "html_url": f"{page}/{oid}"} for oid in facts["%P"].split()
        ]

    def _log(self, *revisions: str) -> list[dict[str, str]]:
        """Return what git says of commits, by the names of ``FIELDS``."""
        pieces = self._run("log", f"--format={'%x00'.join(FIELDS)}%x00", *revisions).split(b"\0")[:-1]
        texts = [_text(piece) for piece in pieces]
        rows = [texts[at : at + len(FIELDS)] for at in range(0, len(texts), len(FIELDS))]
        return [dict(zip(FIELDS, [row[0].lstrip("\n"), *row[1:]], strict=True)) for row in rows]

    def _ask(self, *args: str) -> str | None:
        """Return what git prints, or None where it says no."""
        done = subprocess.run(["git", "-C", str(self.git), *args], capture_output=True, check=False)
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def _run(self, *args: str) -> bytes:
        return _run(self.git, *args)


@lru_cache(maxsize=8)  # asked for once a page
def changes(git: Path, base: str, head: str) -> tuple[Change, ...]:
    """Return what differs between two commits, sorted by path.

    Args:
        git: folder of the repository.
        base: full commit id.
        head: full commit id.
    """
    lines = _lines(git, base, head)
    parts = iter(_run(git, "diff", "--raw", "-z", "--no-abbrev", "-M", base, head).split(b"\0")[:-1])
    found = []
    for facts in parts:
        _, _, old, new, letters = facts.decode().split()
        path, before = _text(next(parts)), None
        status = STATUS[letters[0]]
        if status in {"renamed", "copied"}:
            path, before = _text(next(parts)), path
        added, removed = lines[path]
        oid = old if status == "removed" else new
        found.append(Change(path=path, before=before, status=status, oid=oid, added=added, removed=removed))
    return tuple(found)


def _lines(git: Path, base: str, head: str) -> dict[str, tuple[int, int]]:
    """Return path → lines added and removed; none of a binary file."""
    parts = iter(_run(git, "diff", "--numstat", "-z", "-M", base, head).split(b"\0")[:-1])
    found = {}
    for facts in parts:
        added, removed, path = facts.split(b"\t", 2)
        if not path:  # renamed: the old name and the new one follow
            next(parts)
            path = next(parts)
        found[_text(path)] = (0, 0) if added == b"-" else (int(added), int(removed))
    return found


def _run(git: Path, *args: str) -> bytes:
    """Return what git prints."""
    return subprocess.run(["git", "-C", str(git), *args], capture_output=True, check=True).stdout


def _text(raw: bytes) -> str:
    """Return a name as GitHub shows it: what is not UTF-8 is replaced."""
    return raw.decode("utf-8", "replace")
