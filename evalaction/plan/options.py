"""When the options of a case's grader ask for less than they did. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from evalaction.letters import nfc
from evalaction.records.case import Compare, Contract, Grader
from evalaction.suite.fields import label_form
from evalaction.values import JSON

Looser = tuple[str, JSON, JSON]
"""(field, what it was, what it is); None: not set."""

_WHOLE = {Grader.JSON, Grader.CHOICE, Grader.EXACT, Grader.TEXT, Grader.DIFF}
"""Graders to which all of an artifact is the answer."""
_WEAKER = {
    (Grader.EXACT, Grader.TEXT),
    (Grader.DIFF, Grader.TEXT),
    *((strong, weak) for strong in (Grader.JSON, Grader.CHOICE) for weak in (Grader.TEXT, Grader.EXACT)),
    *((whole, part) for whole in _WHOLE for part in (Grader.REGEX, Grader.NUMBER)),
    *((any_other, Grader.JUDGE) for any_other in Grader if any_other is not Grader.JUDGE),
    *((any_other, Grader.COMMAND) for any_other in Grader if any_other not in {Grader.JUDGE, Grader.COMMAND}),
}


def is_weaker(before: Grader, after: Grader) -> bool:
    """Tell whether ``after`` folds away what ``before`` tells apart, reads less of a text, or asks for no form.

    A judge folds all answers that get one label, a command all that pass it.
    """
    return (before, after) in _WEAKER


def looser(old: Contract, new: Contract) -> Iterator[Looser]:
    """Yield every option of a grader that asks for less: what counts as equal, what is read, what may be answered.

    Another pattern or command is a changed contract, and is not judged here. Nor are options of different graders.

    Args:
        old: the contract at base.
        new: the contract at head.
    """
    if old.command is not None and new.command is None:
        yield "command", list(old.command.argv), None
    if old.grader is not new.grader:
        return
    if {label_form(label) for label in new.labels} - {label_form(label) for label in old.labels}:
        yield "labels", list(old.labels), list(new.labels)
    yield from _fold_more("", old.whole, new.whole)
    for key, compare in ((nfc(name), compare) for name, compare in new.compare):
        if _was_compared(old, key):
            yield from _fold_more(f"compare.{key}.", old.compared(key), compare)
    if _reach(new.fence) > _reach(old.fence):
        yield "fence", _fence(old.fence), _fence(new.fence)
    if old.command is not None and new.command is not None and new.command.timeout_s > old.command.timeout_s:
        yield "command_timeout", old.command.timeout_s, new.command.timeout_s


def _fold_more(place: str, old: Compare, new: Compare) -> Iterator[Looser]:
    if new.case_insensitive and not old.case_insensitive:
        yield f"{place}case_insensitive", None, True
    if new.unordered and not old.unordered:
        yield f"{place}unordered", None, True
    if new.round is not None and (old.round is None or new.round > old.round):
        yield f"{place}round", old.round, new.round
    if (new.tolerance or 0) > (old.tolerance or 0):
        yield f"{place}tolerance", old.tolerance, new.tolerance


def _was_compared(old: Contract, key: str) -> bool:
    """Tell whether draws had to agree on a key, or meet a value under it."""
    expected = old.expect if isinstance(old.expect, dict) else {}
    return not old.projection or key in map(nfc, (*old.projection, *expected))


def _reach(fence: str | None) -> int:
    """Return how much of a text may stand around the artifact, or in its place: nothing, prose, other blocks too."""
    return 0 if fence is None else 1 if fence else 2


def _fence(fence: str | None) -> JSON:
    return True if fence == "" else fence  # as golden files write it
