"""Objects of a real git repository, in the shape of GitHub's answers. Runs git."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.fakehub.shapes import PAGES

LINE = 60
"""Characters of base64 on a line, as GitHub breaks it."""
FIELDS = ("%H", "%T", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B")
UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


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
            revision: an id, or the short name of a branch or tag.
            kind: ``commit``, ``tree``, ``blob``; empty: whatever it is.
        """
        peel = f"^{{{kind}}}" if kind else ""
        return self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}{peel}")

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

    def commits(self, *revisions: str) -> list[dict[str, Any]]:
        """Return commits as GitHub knows them, in git's order.

        Args:
            revisions: arguments of ``git log``.
        """
        return [self._commit(facts, f"{PAGES}/{self.full_name}/commit") for facts in self._log(*revisions)]

    def _commit(self, facts: Mapping[str, str], pages: str) -> dict[str, Any]:
        oid, tree = facts["%H"], facts["%T"]
        return {
            "sha": oid,
            "node_id": f"C_{oid}",
            "commit": {
                "author": {"name": facts["%an"], "email": facts["%ae"], "date": facts["%aI"]},
                "committer": {"name": facts["%cn"], "email": facts["%ce"], "date": facts["%cI"]},
                "message": facts["%B"].rstrip("\n"),
                "tree": {"sha": tree, "url": f"{self._url}/git/trees/{tree}"},
                "url": f"{self._url}/git/commits/{oid}",
                "comment_count": 0,
                "verification": UNSIGNED,
            },
            "url": f"{self._url}/commits/{oid}",
            "html_url": f"{pages}/{oid}",
            "comments_url": f"{self._url}/commits/{oid}/comments",
            "author": None,
            "committer": None,
            "parents": [
                {"sha": parent, "url": f"{self._url}/commits/{parent}", "html_url": f"{pages}/{parent}"}
                for parent in facts["%P"].split()
            ],
        }

    def count(self, base: str, head: str) -> int:
        """Return how many commits ``head`` has that ``base`` has not."""
        return int(self._run("rev-list", "--count", f"{base}..{head}"))

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
        """Return what git prints."""
        return subprocess.run(["git", "-C", str(self.git), *args], capture_output=True, check=True).stdout


def _text(raw: bytes) -> str:
    """Return a name as GitHub shows it: what is not UTF-8 is replaced."""
    return raw.decode("utf-8", "replace")
