# ruff: noqa: INP001 - a script of its own, part of no package
"""The parts of a release that a workflow cannot say: ``python3 .github/release.py check|notes|commit …``.

Texts go in and come out of pure functions; only ``main`` reads and writes files and asks git. The standard library
is all it needs, so that a runner's own Python is enough.

A release's commit is main's with one line changed: ``action.yml`` names the image by digest instead of the
Dockerfile. The digest is known only when the image is built, so the tag is made last, and the commit lies on no branch.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)")
IMAGE = re.compile(r"[a-z0-9.-]+(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}")
BUILT = "  image: Dockerfile\n"
"""The line of ``action.yml`` that a release changes."""
USAGE = "usage: release.py check VERSION | notes VERSION | commit VERSION IMAGE@sha256:DIGEST"


class Refused(Exception):
    """Why nothing can be released like this, for a person."""


def check(version: str, *, module: str, changelog: str, tags: str) -> None:
    """Say whether a version can be released.

    Args:
        version: ``X.Y.Z``, without a ``v``.
        module: the text of ``evalaction/__init__.py``.
        changelog: the text of ``CHANGELOG.md``.
        tags: what ``git ls-remote --tags`` prints.

    Raises:
        Refused: the version is malformed, not the package's, released already, or the changelog is not ready for it.
    """
    if not VERSION.fullmatch(version):
        raise Refused(f"{version!r} is no version: write X.Y.Z, without a v.")
    found = re.search(r'(?m)^__version__ = "(.*)"$', module)
    if found is None or found[1] != version:
        raise Refused(f"evalaction/__init__.py says {found[1] if found else 'no version'}, not {version}.")
    if f"refs/tags/v{version}" in re.split(r"\s", tags):
        raise Refused(f"v{version} is released already; a released version never changes.")
    if _section(changelog, "Unreleased"):
        raise Refused(f"CHANGELOG.md has entries under Unreleased: put them under {version}, with the date.")
    notes(changelog, version)


def notes(changelog: str, version: str) -> str:
    """Return what the changelog says of a version, without its heading.

    Raises:
        Refused: there is no heading ``## X.Y.Z - YYYY-MM-DD`` for it, or nothing below.
    """
    text = _section(changelog, rf"{re.escape(version)} - [0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}")
    if not text:
        raise Refused(f"CHANGELOG.md has no entries under a heading '## {version} - YYYY-MM-DD'.")
    return text + "\n"


def _section(changelog: str, heading: str) -> str:
    """Return the text below a heading of the second level, up to the next one; empty when there is none."""
    found = re.search(rf"(?ms)^## {heading}$(.*?)(?=^## |\Z)", changelog)
    return found[1].strip() if found else ""


def pinned(action: str, image: str) -> str:
    """Return ``action.yml`` with the image in place of the Dockerfile.

    Args:
        action: the text of ``action.yml`` as it is on main.
        image: ``registry/name@sha256:…``.

    Raises:
        Refused: the image is not named by digest, or the Dockerfile is not named exactly once.
    """
    if not IMAGE.fullmatch(image):
        raise Refused(f"{image!r} names no image by digest: write registry/name@sha256: and 64 hexadecimal digits.")
    if action.count(BUILT) != 1:
        raise Refused(f"action.yml has to have the line {BUILT.strip()!r} exactly once.")
    return action.replace(BUILT, f"  image: docker://{image}\n")


def _git(*args: str) -> str:
    return subprocess.run(["git", *args], stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603, S607 - a runner's own git


def _commit(version: str, image: str) -> None:
    """Commit the pinned action off every branch, and tag it: ``vX.Y.Z``, and ``vX``, which moves."""
    action = Path("action.yml")
    action.write_text(pinned(action.read_text(encoding="utf-8"), image), encoding="utf-8")
    _git("switch", "--quiet", "--detach")
    _git("commit", "--quiet", "--message", f"Release {version}", "--", "action.yml")
    _git("tag", f"v{version}")
    _git("tag", "--force", f"v{version.partition('.')[0]}")


def main(args: list[str]) -> None:
    """Do one part of a release, in the repository's root."""
    changelog = Path("CHANGELOG.md").read_text(encoding="utf-8")
    match args:
        case ["check", version]:
            module = Path("evalaction/__init__.py").read_text(encoding="utf-8")
            check(version, module=module, changelog=changelog, tags=_git("ls-remote", "--tags", "origin"))
        case ["notes", version]:
            sys.stdout.write(notes(changelog, version))
        case ["commit", version, image] if VERSION.fullmatch(version):
            _commit(version, image)
        case _:
            raise Refused(USAGE)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Refused as refused:
        sys.exit(f"error: {refused}")
