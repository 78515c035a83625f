"""The git command, run so that neither the environment nor a repository can bend what it says.

I/O: starts git. It writes no configuration, and nothing that git reports is taken for success unless
its exit code was named as acceptable beforehand.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Collection, Mapping
from typing import IO

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.trees.environment import GIT_REMEDY, clean_environment, find_git

LOCAL_TIMEOUT_S = 120
"""Longest time for a command that reads this clone."""
MESSAGE_LIMIT = 600
"""Characters of git's own message that are shown."""
NO_FETCH: Mapping[str, str] = {"GIT_NO_LAZY_FETCH": "1"}
"""Keeps a clone with a filter from asking its remote for what it lacks; an older git asks all the same."""

_FLAGS = ("--no-pager", "--no-optional-locks", "--no-replace-objects")
_CONFIG = (
    # Programs that a repository's configuration can name.
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    # A folder of a pull request that looks like a bare repository is no repository.
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    # A transfer that stands still for a minute is over.
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
)

_CREDENTIALS = late.pattern(r"(?<=://)[^\s/@]*(?:@[^\s/@]*)*@")
_UNPRINTABLE = late.pattern(r"[^\x21-\x7e\u00a1-\ud7ff\ue000-\U0010ffff]+")


@frozen
class Outcome:
    """How one git command ended."""

    code: int | None
    """Exit code; negative for a signal; None when it was stopped after its time."""
    out: bytes
    """Standard output."""
    message: str
    """Standard error as one printable line, without credentials. Untrusted text."""

    @property
    def line(self) -> str:
        """The output as one line, without the newline at its end; bytes that are no UTF-8 as surrogates."""
        return self.out.removesuffix(b"\n").decode("utf-8", "surrogateescape")


def clean_message(text: bytes) -> str:
    """Return what git wrote as one printable line, cut to a size, without credentials in its URLs. Pure."""
    if not text:
        return ""
    line = _UNPRINTABLE.sub(" ", text.decode("utf-8", "replace")).strip()
    line = _CREDENTIALS.sub("", line)
    return line if len(line) <= MESSAGE_LIMIT else f"{line[:MESSAGE_LIMIT]}…"


@frozen
class Git:
    """Runs git in one folder."""

    folder: str
    """Absolute path, symbolic links resolved."""
    environ: Mapping[str, str]
    """The environment for git, whole (see ``clean_environment``)."""
    safe: tuple[str, ...]
    """Absolute paths whose repository is trusted whoever owns it: ``safe.directory``, for each call alone."""
    program: str
    """Absolute path of the command (see ``find_git``)."""

    def run(
        self,
        *args: str,
        accept: Collection[int] = (0,),
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run a command that reads this clone.

        Args:
            args: the subcommand and its arguments.
            accept: the exit codes that mean something here. git exits with 1 for "there are differences",
                for "there is no such revision" and for plain failures, so that no code is taken for granted.
            stdin: what the command reads.
            extra: variables added to the environment.

        Raises:
            BadInput: git cannot be started, took too long, or ended with another code; with git's own message.
        """
        outcome = self.attempt(*args, timeout_s=LOCAL_TIMEOUT_S, stdin=stdin, extra=extra)
        if outcome.code is None:
            raise BadInput(Problem(message=f"git {args[0]} had not ended after {LOCAL_TIMEOUT_S} seconds."))
        if outcome.code not in accept:
            raise BadInput(Problem(message=f"git {args[0]} failed (exit code {outcome.code}): {outcome.message}"))
        return outcome

    def attempt(
        self,
        *args: str,
        timeout_s: float,
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run a command that may fail, and return how it ended.

        Args:
            args: the subcommand and its arguments.
            timeout_s: seconds after which git and what it started are killed.
            stdin: what the command reads.
            extra: variables added to the environment.

        Raises:
            BadInput: git cannot be started.
        """
        with self.start(*args, stderr=subprocess.PIPE, extra=extra) as process:
            try:
                out, err = process.communicate(stdin, timeout=timeout_s)
            except subprocess.TimeoutExpired:
                return Outcome(code=None, out=b"", message=f"no end after {timeout_s:g} seconds")
            finally:
                stop(process)
        return Outcome(code=process.returncode, out=out, message=clean_message(err))

    def start(
        self, *args: str, stderr: int | IO[bytes], extra: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a command with pipes to its input and from its output; the caller stops it.

        Raises:
            BadInput: git cannot be started.
        """
        settings = [f"safe.directory={path}" for path in self.safe] + list(_CONFIG)
        options = [part for setting in settings for part in ("-c", setting)]
        try:
            return subprocess.Popen(  # noqa: S603 - no shell, and every argument is ours or checked
                [self.program, "-C", self.folder, *_FLAGS, *options, *args],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**self.environ, **(extra or {})},
                # A group of its own, so that a fetch's helpers end with it; no terminal to ask for a passphrase on.
                start_new_session=True,
            )
        except OSError as error:
            raise BadInput(Problem(message=f"git cannot be started ({error.strerror}).", remedy=GIT_REMEDY)) from error


def make_git(folder: str, *, environ: Mapping[str, str], safe: tuple[str, ...], checkouts: Collection[str]) -> Git:
    """Return a runner of the git that lies outside of what a pull request can write.

    Args:
        folder: absolute path to run in, symbolic links resolved.
        environ: the caller's environment.
        safe: absolute paths whose repository is trusted whoever owns it.
        checkouts: folders in which files of a pull request may stand, beside the runner's workspace.

    Raises:
        BadInput: there is no such git.
    """
    return Git(
        folder=folder,
        environ=clean_environment(environ, checkouts=checkouts),
        safe=safe,
        program=find_git(environ, checkouts=checkouts),
    )


def stop(process: subprocess.Popen[bytes]) -> None:
    """Kill a command that has not ended, and what it started. Waits for neither."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
