"""Forks: when a pull request's affected cases are not drawn, and what is said of it. Pure.

A fork's prompts are a stranger's. Under ``pull_request`` its run has no secrets and a token that only reads;
under ``pull_request_target`` it has both, and what a stranger wrote would be sent with the project's own key.
"""

from __future__ import annotations

import shlex

from evalaction.records.event import Event
from evalaction.records.plan import Hold
from evalaction.records.settings import Forks

FORK = "this pull request comes from a fork"
"""Why cases are not drawn, for the verdict in one line."""

NOT_ALLOWED = "it is graded by a command, and commands are run only where allow-commands is true"
COMMANDS_OF_FORK = "it is graded by a command, and a fork's commands are never run"
COMMANDS_OF_NOBODY = (
    "it is graded by a command, and what is measured is not the commit that the run is for: it may be a fork's"
)
COMMANDS_NEED_ROOT = "it is graded by a command, and commands are run on Linux alone, by root, each as another user"
COMMANDS_NEVER = frozenset({NOT_ALLOWED, COMMANDS_OF_FORK, COMMANDS_OF_NOBODY, COMMANDS_NEED_ROOT})
"""Every reason for which no command is run, and no case drawn that one grades."""

_ON_A_DESK = "A maintainer who has read the change can draw it on a desk, or push the branch to this repository"

FAILS = Hold(
    message="A fork's prompts are a stranger's: nothing was sent.",
    remedy=f"{_ON_A_DESK}.",
    excused=False,
)
SKIPPED = Hold(
    message="The workflow says forks: skip: nothing was sent, and that does not fail the check.",
    remedy=f"{_ON_A_DESK}.",
    excused=True,
)
NEVER_THERE = Hold(
    message="Under pull_request_target no fork is drawn for, whatever forks says: nothing was sent.",
    remedy=f"{_ON_A_DESK}; a workflow on pull_request, followed by one on workflow_run, needs no pull_request_target.",
    excused=False,
)
_NOTHING_GIVEN = "GitHub gives a fork's run neither variables nor secrets, and no {missing} is given: nothing was sent."
_IN_THE_FILE = (
    f"{_ON_A_DESK}; where strangers may draw, write the input base-url and the input model into the workflow file, for "
    "an endpoint that needs no key."
)
_JUDGE_IN_THE_FILE = (
    f"{_ON_A_DESK}; where strangers may draw, write the input judge-base-url and the input judge-model into the "
    "workflow file, for an endpoint that needs no key."
)
NO_ENDPOINT = Hold(message=_NOTHING_GIVEN.format(missing="endpoint"), remedy=_IN_THE_FILE, excused=False)
NO_MODEL = Hold(message=_NOTHING_GIVEN.format(missing="model"), remedy=_IN_THE_FILE, excused=False)
NO_JUDGE = Hold(
    message=_NOTHING_GIVEN.format(missing="endpoint or model of a judge"), remedy=_JUDGE_IN_THE_FILE, excused=False
)
HOLDS = (FAILS, SKIPPED, NEVER_THERE, NO_ENDPOINT, NO_MODEL, NO_JUDGE)
"""Every hold there is."""

TARGET_NOTE = (
    "This run was started by pull_request_target, which has the secrets of the base even for a fork: never check out "
    "the head there, and use pull_request, followed by workflow_run for the comment, instead."
)


WARNINGS = (TARGET_NOTE,)
"""Notes on the event that nobody is to miss."""


def hold_for(event: Event | None, forks: Forks) -> Hold | None:
    """Return why nothing is drawn in a run, should anything be affected; None when it may be drawn.

    Args:
        event: what started the run; None on a desk.
        forks: what the workflow says of pull requests from forks.

    Returns:
        None for everything that is no pull request from a fork. Under ``pull_request_target`` ``forks: draw``
        counts as ``fail``.
    """
    if event is None or event.pull is None or not event.pull.from_fork:
        return None
    if forks is Forks.SKIP:
        return SKIPPED
    if event.is_target:
        return NEVER_THERE
    return None if forks is Forks.DRAW else FAILS


def hold_without_means(event: Event | None, *, endpoint: bool, model: bool, judge: bool) -> Hold | None:
    """Return why a fork is not drawn for that may be: what GitHub keeps from its run is not that run's bad input.

    Args:
        event: what started the run; None on a desk.
        endpoint: whether an endpoint is given for the draws; True where no case is to be drawn.
        model: whether every case to be drawn has a model.
        judge: whether every judge to be asked has an endpoint and a model; True where none is.

    Returns:
        None for everything that is no pull request from a fork, and where all of it is there.
    """
    if event is None or event.pull is None or not event.pull.from_fork:
        return None
    lacking = [hold for given, hold in ((endpoint, NO_ENDPOINT), (model, NO_MODEL), (judge, NO_JUDGE)) if not given]
    return lacking[0] if lacking else None


def why_no_commands(
    event: Event | None, *, allowed: bool, head: str | None, commit: str | None, able: bool = True
) -> str | None:
    """Return why no command of the head may be run; None when they may be.

    A command is a program that the head names. It is run where the workflow, or the person at the desk, allows that,
    and where it is beyond doubt that the head is the repository's own.

    Args:
        event: what started the run; None on a desk.
        allowed: whether commands are allowed at all.
        head: full id of the commit that is measured; None for files on disk.
        commit: full id of the commit that the runner says the run is for; None when it does not say.
        able: whether this process could run one: what is drawn for it otherwise is drawn for nothing.
    """
    if not allowed:
        return NOT_ALLOWED
    if event is not None and event.pull is not None and event.pull.from_fork:
        return COMMANDS_OF_FORK
    # A workflow on any other event can have checked out, or can name, whatever a stranger pushed to a fork.
    if event is not None and event.pull is None and (head is None or head != commit):
        return COMMANDS_OF_NOBODY
    return None if able else COMMANDS_NEED_ROOT


def event_notes(event: Event | None) -> tuple[str, ...]:
    """Return what a reader must know of the event itself, whatever is affected.

    Args:
        event: what started the run; None on a desk.
    """
    return (TARGET_NOTE,) if event is not None and event.is_target else ()


def desk_commands(number: int, base_ref: str) -> tuple[str, ...]:
    """Return the commands by which a maintainer draws a fork's pull request in a clone of the base's repository.

    Args:
        number: of the pull request.
        base_ref: short name of the branch that it is to be merged into. Untrusted text: quoted for a shell.

    Returns:
        Two commands; none where the name could be read as an option, or is not known.
    """
    if not base_ref or base_ref[0] in "-+":
        return ()
    # FETCH_HEAD is the first that is named; the other brings origin/… up to date.
    return (
        shlex.join(["git", "fetch", "origin", f"pull/{number}/head", base_ref]),
        shlex.join(["evalaction", "check", "--base", f"origin/{base_ref}", "--head", "FETCH_HEAD"]),
    )


def desk_of(event: Event) -> tuple[str, ...]:
    """Return the commands of ``desk_commands`` for a pull request from a fork; none for anything else."""
    pull = event.pull
    return () if pull is None or not pull.from_fork else desk_commands(pull.number, pull.base_ref)
