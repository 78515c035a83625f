"""Which git is run, and what it gets of the caller's environment.

Files of a pull request stand in the checkout, and a program called ``git`` or ``ssh`` may be among them. Where PATH
leads there, by an entry of its own or by one that means the current folder, nothing of it is run.

I/O: looks at the folders that the environment names; starts nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from evalaction.errors import BadInput, Problem

GIT_REMEDY = "Install git, 2.30 or later, and have it on PATH, outside of the repository."
"""What to do where git cannot be run."""

_KEPT = frozenset(
    {
        # How a remote is reached: without these a fetch that works in the person's shell would not work here.
        "GIT_ALLOW_PROTOCOL",
        "GIT_ASKPASS",
        "GIT_EXEC_PATH",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        # Where the person's own configuration lies. It names no repository.
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
    }
)
_KEPT_PREFIXES = ("GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_SSL_")

_SECRET_PREFIXES = ("INPUT_", "EVAL_", "JUDGE_", "ACTIONS_")
"""Of the variables by which this program and a runner's steps are given keys and tokens. git needs none of them."""
_TOKENS = frozenset({"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"})
"""What credential helpers on a desk read. In Actions the checkout leaves its credentials in git's configuration."""

_SET = {
    "LC_ALL": "C",
    "LANGUAGE": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GCM_INTERACTIVE": "never",
    "GIT_LITERAL_PATHSPECS": "1",
}

_CONFIGURING = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
"""Where git's configuration lies."""
_DEFAULT_PATH = tuple(os.defpath.split(os.pathsep))
"""The system's own folders of programs."""


def clean_environment(environ: Mapping[str, str], *, checkouts: Collection[str]) -> dict[str, str]:
    """Return the environment for git: the caller's, less what is secret, points git elsewhere or into the checkout.

    - Of the ``GIT_*`` variables only those stay that say how a remote is reached or where the person's own
      configuration lies. ``GIT_DIR``, ``GIT_INDEX_FILE``, ``GIT_CONFIG_COUNT`` and the rest, which git itself
      sets for its hooks, would make every command speak of another repository.
    - PATH, by which git finds ssh and credential helpers, has no folder of the checkout (see ``find_git``), and
      neither has ``GIT_EXEC_PATH``.
    - A HOME, an ``XDG_CONFIG_HOME`` or a configuration file within the runner's workspace is taken away: a pull request
      could configure git.
      On a desk whose home is itself a repository it stays.

    Args:
        environ: the caller's.
        checkouts: absolute paths of folders in which files of a pull request may stand, beside the workspace.
    """
    in_actions = environ.get("GITHUB_ACTIONS") == "true"
    kept = {
        name: value
        for name, value in environ.items()
        if (not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES))
        and not name.startswith(_SECRET_PREFIXES)
        and not (in_actions and name in _TOKENS)
    }
    workspace = _identities(_workspace(environ))
    untrusted = _identities({*checkouts, *_workspace(environ)})
    for name, places in (*((name, workspace) for name in _CONFIGURING), ("GIT_EXEC_PATH", untrusted)):
        if name in kept and not _is_apart(kept[name], places):
            del kept[name]
    return kept | {"PATH": os.pathsep.join(_search_path(environ, checkouts))} | _SET


def find_git(environ: Mapping[str, str], *, checkouts: Collection[str]) -> str:
    """Return the absolute path of git: the first on PATH that does not lie in the checkout, or else the system's.

    Args:
        environ: the caller's.
        checkouts: as for ``clean_environment``.

    Raises:
        BadInput: there is none.
    """
    untrusted = _identities({*checkouts, *_workspace(environ)})
    for folder in _search_path(environ, checkouts):
        program = shutil.which("git", path=folder)
        if program is not None and (folder in _DEFAULT_PATH or _is_apart(program, untrusted)):
            return program
    raise BadInput(Problem(message="There is no git on PATH.", remedy=GIT_REMEDY))


def _search_path(environ: Mapping[str, str], checkouts: Collection[str]) -> list[str]:
    """Return the folders of PATH that are absolute and lie in no checkout; then the system's, so that it has some.

    An empty entry, also that of an empty PATH, means the current folder.
    """
    untrusted = _identities({*checkouts, *_workspace(environ)})
    folders = [folder for folder in environ.get("PATH", "").split(os.pathsep) if _is_apart(folder, untrusted)]
    return folders + [folder for folder in _DEFAULT_PATH if folder not in folders]


def _workspace(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folder into which a runner checks out whatever it checks out; none on a desk."""
    workspace = environ.get("GITHUB_WORKSPACE", "")
    return (workspace,) if workspace else ()


def _is_apart(place: str, untrusted: frozenset[tuple[int, int]]) -> bool:
    """Return whether this is an absolute path that leads into none of the folders with these identities.

    Neither by its name nor in truth: symbolic links lead into a folder and out of it, and a folder can be mounted
    twice or be spelt in two ways.
    """
    if not Path(place).is_absolute():
        return False
    paths = {Path(os.path.normpath(place)), Path(os.path.realpath(place))}
    return not any(_identity(part) in untrusted for path in paths for part in (path, *path.parents))


def _identities(folders: Iterable[str]) -> frozenset[tuple[int, int]]:
    return frozenset(identity for identity in map(_identity, folders) if identity is not None)


def _identity(place: str | Path) -> tuple[int, int] | None:
    """Return what tells a file or a folder from every other one; None when it cannot be looked at."""
    try:
        status = os.stat(place)  # noqa: PTH116 - the same for text and paths
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
