"""What the fields of a golden line mean together with its grader: what it needs, and what it cannot check. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from evalaction.decimals import is_number
from evalaction.errors import Problem
from evalaction.letters import nfc
from evalaction.records.case import Grader
from evalaction.suite.fields import DEFAULT_LABELS, cut
from evalaction.suite.words import kind, listed, near
from evalaction.values import JSON

Row = Mapping[str, JSON]
"""A golden line whose fields are right, each by itself."""

TAKEN: dict[str, tuple[Grader, ...]] = {
    "rubric": (Grader.JUDGE,),
    "labels": (Grader.CHOICE, Grader.JUDGE),
    "judge_repeats": (Grader.JUDGE,),
    "regex": (Grader.REGEX,),
    "round": (Grader.NUMBER,),
    "tolerance": (Grader.NUMBER,),
    "fence": (Grader.DIFF, Grader.COMMAND),
    "command": (Grader.COMMAND,),
    "command_files": (Grader.COMMAND,),
    "command_timeout": (Grader.COMMAND,),
    "artifact": (Grader.COMMAND,),
    "expect_keys": (Grader.JSON, Grader.COMMAND),
    "agree_on": (Grader.JSON,),
    "compare": (Grader.JSON,),
    "schema": (Grader.JSON, Grader.COMMAND),
    "schema_file": (Grader.JSON, Grader.COMMAND),
    "expect_file": (Grader.DIFF,),
}
"""Field → the graders that read it; a field that is not named goes with every grader."""
FORMS = ("expect_keys", "schema", "schema_file")
"""Fields that ask for a JSON value of a form."""

_JSON_ONLY = (*FORMS, "agree_on", "compare")
_EXPECTING = ("expect", "expect_file", "command")
_NEEDED = {
    Grader.JUDGE: ("rubric", "Name the file that says what a good answer is, relative to the golden file."),
    Grader.CHOICE: ("labels", "List what an answer may be."),
    Grader.REGEX: ("regex", "Write the pattern whose first group is the answer."),
    Grader.DIFF: ("expect_file", "Name the file that is known to be good, relative to the golden file."),
    Grader.COMMAND: ("command", "List the program that is run on each draw, and its arguments."),
}


def grader_of(row: Row) -> Grader:
    """Return how a line's answers are read: what it says, or ``json`` where the contract is about JSON."""
    said = row.get("grader")
    if isinstance(said, str):
        return Grader(said)
    about_json = isinstance(row.get("expect"), dict) or any(name in row for name in _JSON_ONLY)
    return Grader.JSON if about_json else Grader.TEXT


def labels_of(row: Row) -> tuple[str, ...]:
    """Return what an answer, or the judge of a line, may be; the line is known to be right."""
    said = row.get("labels")
    return tuple(map(str, said)) if isinstance(said, list) else DEFAULT_LABELS


def graded(row: Row) -> Iterator[Problem]:
    """Yield what a line's grader lacks, and the checks that it cannot make; the problems have no place."""
    read = grader_of(row)
    needed, remedy = _NEEDED.get(read, (None, None))
    if needed is not None and needed not in row:
        yield Problem(
            message=f"The grader {read.value} needs {'a ' if needed == 'rubric' else ''}`{needed}`.", remedy=remedy
        )
    yield from (
        _not_taken(name, read, said="grader" in row) for name in TAKEN if name in row and read not in TAKEN[name]
    )
    if "expect_min" in row and not any(name in row for name in _EXPECTING):
        yield Problem(message="`expect_min` without `expect` checks nothing.")
    if "tolerance" in row and read is Grader.NUMBER and "expect" not in row:
        yield Problem(
            message="`tolerance` without `expect` checks nothing: within a tolerance is no equality of two draws.",
            remedy="Use `round`, or write the expected number into `expect`.",
        )
    if read is Grader.COMMAND and "fence" in row and any(name in row for name in FORMS):
        yield Problem(
            message="`fence` does not go with keys or a schema: the artifact is the JSON value then.",
            remedy="Remove one of them.",
        )
    if "expect" in row:
        yield from _expected_by(read, row["expect"], row)


def _expected_by(read: Grader, expect: JSON, row: Row) -> Iterator[Problem]:
    """Yield why no answer that ``read`` finds can be compared with ``expect``."""
    wrong = _REFUSED[read](expect)
    if wrong is not None:
        yield wrong
    elif read is Grader.JUDGE or (read is Grader.CHOICE and "labels" in row):
        yield from _among(expect, labels_of(row), who="judge" if read is Grader.JUDGE else "draw")


def compared(row: Row) -> Iterator[Problem]:
    """Yield the keys of ``compare`` under which nothing is compared, or not in this way."""
    compare, expect = row.get("compare"), row.get("expect")
    if not isinstance(compare, dict) or grader_of(row) is not Grader.JSON:
        return
    expected = {nfc(key): value for key, value in expect.items()} if isinstance(expect, dict) else {}
    agreed = row.get("agree_on", row.get("expect_keys"))
    known = [*map(nfc, map(str, agreed)), *expected] if isinstance(agreed, list) else None
    for key, options in compare.items():
        if known is not None and nfc(key) not in known:
            yield Problem(
                message=f"`compare` names the key {cut(key)}, which is neither agreed on nor expected.",
                remedy=near(key, known) or f"Such keys are {listed(dict.fromkeys(known))}.",
            )
        elif isinstance(options, dict) and "tolerance" in options and not is_number(expected.get(nfc(key))):
            yield Problem(
                message=f"`compare` has a `tolerance` for {cut(key)}, and `expect` has no number for it: within a "
                "tolerance is no equality of two draws.",
                remedy="Use `round`, or write the expected number into `expect`.",
            )


def _not_taken(name: str, read: Grader, *, said: bool) -> Problem:
    graders = [grader.value for grader in TAKEN[name]]
    return Problem(
        message=f"`{name}` needs the grader {' or '.join(graders)}, not {read.value}.",
        remedy="Change the grader, or remove it." if said else f'Add "grader": "{graders[0]}", or remove it.',
    )


def _among(expect: JSON, known: tuple[str, ...], *, who: str) -> Iterator[Problem]:
    if isinstance(expect, str) and expect not in known:
        yield Problem(
            message=f"`expect` is {cut(expect)}, which no {who} can answer: the labels are {listed(known)}.",
            remedy=near(expect, known),
        )


def _no_object(expect: JSON) -> Problem | None:
    if isinstance(expect, dict):
        return None
    return Problem(
        message=f"`expect` is {kind(expect)}, and the grader json compares the keys of an object.",
        remedy="Use the grader number, or write an object of keys and their values."
        if is_number(expect)
        else "Use the grader text or exact, or write an object of keys and their values.",
    )


def _no_text(read: Grader) -> Callable[[JSON], Problem | None]:
    def refuse(expect: JSON) -> Problem | None:
        if isinstance(expect, str):
            return None
        needed = Grader.JSON if isinstance(expect, dict) else Grader.NUMBER
        return Problem(
            message=f"`expect` is {kind(expect)}, which needs the grader {needed.value}, not {read.value}.",
            remedy=None if isinstance(expect, dict) else f'Write it as a text, or use "grader": "{needed.value}".',
        )

    return refuse


def _no_number(expect: JSON) -> Problem | None:
    if is_number(expect):
        return None
    return Problem(
        message=f"`expect` is {kind(expect)}, and the grader number compares numbers.",
        remedy="Write a number, without quotation marks.",
    )


def _none_at_all(read: Grader, name: str) -> Callable[[JSON], Problem | None]:
    def refuse(expect: JSON) -> Problem | None:  # noqa: ARG001 - whatever it is
        return Problem(
            message=f"`expect` does not go with the grader {read.value}: `{name}` says what is expected.",
            remedy="Remove it.",
        )

    return refuse


_REFUSED: dict[Grader, Callable[[JSON], Problem | None]] = {
    Grader.JSON: _no_object,
    **{read: _no_text(read) for read in (Grader.TEXT, Grader.EXACT, Grader.CHOICE, Grader.REGEX, Grader.JUDGE)},
    Grader.NUMBER: _no_number,
    Grader.DIFF: _none_at_all(Grader.DIFF, "expect_file"),
    Grader.COMMAND: _none_at_all(Grader.COMMAND, "command"),
}
"""Grader → why it cannot compare an expected value."""
