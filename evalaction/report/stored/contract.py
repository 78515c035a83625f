"""The contract of a stored case, as a record again. Pure.

A stranger can have written it: everything that is read, compared or shown by it is of the form and size that a golden
file could have given it. No pattern or schema of it is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evalaction.decimals import is_number
from evalaction.pattern import MAX_PATTERN
from evalaction.records.case import EXACTLY, CaseJudge, Command, Compare, Contract, Grader, Schema
from evalaction.records.command import PASS
from evalaction.report.stored.pieces import Unfit, are_texts, is_encodable, sampling, threshold, whole, whole_or_none
from evalaction.suite.fields import MAX_LABELS, MIN_LABELS
from evalaction.suite.graded import TAKEN
from evalaction.suite.grader_fields import arguments, artifact, comparisons, fence, timeout
from evalaction.values import JSON

_OTHER_FORM = "a contract is of another form than it has to be"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_OWN: Mapping[str, Grader] = {
    "judge": Grader.JUDGE,
    "labels": Grader.CHOICE,
    "regex": Grader.REGEX,
    "command": Grader.COMMAND,
}
"""What one grader needs, and no other has."""
_ONLY: Mapping[str, tuple[Grader, ...]] = {
    **{name: TAKEN[name] for name in ("agree_on", "compare", "fence")},
    "whole": (Grader.NUMBER,),
}
"""What no other graders have."""


def stored_contract(given: Mapping[str, Any], *, expect_path: str | None) -> Contract:
    """Return what the draws of a case are held to.

    Args:
        given: the object that the contract's fingerprint is taken over.
        expect_path: the file that its expected value was read from; None for any other grader than ``diff``.

    Raises:
        Unfit: no golden file can have asked for this.
    """
    # Half of a surrogate pair, which no golden file holds and no comparison takes.
    _check(is_encodable(dict(given)))
    graders = {grader.value: grader for grader in Grader}
    grader = graders.get(name) if isinstance(name := given.get("grader"), str) else None
    _check(grader is not None and all((name in given) == (grader is own) for name, own in _OWN.items()))
    assert grader is not None  # noqa: S101 - just checked
    _check(all(grader in some for name, some in _ONLY.items() if name in given))
    _check((expect_path is not None) == (grader is Grader.DIFF))
    keys, agree_on, schema = given.get("expect_keys", []), given.get("agree_on"), given.get("schema")
    _check(are_texts(keys) and (agree_on is None or are_texts(agree_on)))
    _check(schema is None or (isinstance(schema, list) and bool(schema)))
    _check("labels" not in given or _are_labels(given["labels"]))
    _check("regex" not in given or _is_pattern(given["regex"]))
    _check(_fits(given.get("expect"), grader, given))
    return Contract(
        grader=grader,
        expect_keys=tuple(keys),
        agree_on=None if agree_on is None else tuple(agree_on),
        schema=None if schema is None else _schema(schema),
        expect=given.get("expect"),
        expect_min=threshold(given.get("expect_min")),
        agreement_min=threshold(given.get("agreement_min")),
        max_completion_tokens=whole_or_none(given.get("max_completion_tokens")),
        judge=_judge(given["judge"]) if "judge" in given else None,
        labels=tuple(given.get("labels", ())),
        regex=given.get("regex"),
        compare=_compare(given["compare"]) if "compare" in given else (),
        whole=_whole(given["whole"]) if "whole" in given else EXACTLY,
        fence=_fence(given["fence"]) if "fence" in given else None,
        expect_path=expect_path,
        command=_command(given["command"]) if "command" in given else None,
    )


def _check(fits: bool) -> None:  # noqa: FBT001 - what is checked is the one argument
    if not fits:
        raise Unfit(_OTHER_FORM)


def _fits(expect: JSON, grader: Grader, given: Mapping[str, Any]) -> bool:
    """Return whether an expected value is one that the grader can be given."""
    required = {
        Grader.DIFF: lambda: isinstance(expect, str),
        Grader.COMMAND: lambda: expect == PASS,
    }
    optional: Mapping[Grader, Callable[[], bool]] = {
        Grader.CHOICE: lambda: expect in given["labels"],
        Grader.REGEX: lambda: isinstance(expect, str),
        Grader.NUMBER: lambda: is_number(expect),
    }
    if grader in required:
        return required[grader]()
    return expect is None or optional.get(grader, lambda: True)()


def _is_pattern(value: JSON) -> bool:
    # Many patterns could take long to compile, and none is run.
    return isinstance(value, str) and 0 < len(value) <= MAX_PATTERN


def _are_labels(value: JSON) -> bool:
    return isinstance(value, list) and are_texts(value) and MIN_LABELS <= len(value) <= MAX_LABELS


def _judge(given: Any) -> CaseJudge:
    parts = {"rubric": str, "labels": list, "repeats": int, "sampling": dict}
    _check(
        isinstance(given, dict)
        and given.keys() == parts.keys()
        and all(isinstance(given[name], kind) for name, kind in parts.items())
        and _are_labels(given["labels"])
        and whole(given["repeats"]) > 1
    )
    return CaseJudge(
        rubric_path="",
        rubric=given["rubric"],
        labels=tuple(given["labels"]),
        repeats=given["repeats"],
        sampling=sampling(given["sampling"]),
    )


def _schema(documents: Sequence[JSON]) -> Schema:
    # Where the documents stood is not in the report; their order is.
    resources = tuple((str(number), content) for number, content in enumerate(documents[1:]))
    return Schema(document=documents[0], resources=resources)


def _compare(given: Any) -> tuple[tuple[str, Compare], ...]:
    _check(comparisons(given) is None)
    return tuple((key, Compare(**given[key])) for key in sorted(given))


def _whole(given: Any) -> Compare:
    _check(isinstance(given, dict) and given.keys() <= {"round", "tolerance"} and comparisons({"": given}) is None)
    return Compare(**given)


def _fence(given: Any) -> str:
    _check(given == "" or (isinstance(given, str) and given == given.lower() and fence(given) is None))
    return str(given)


def _command(given: Any) -> Command:
    _check(isinstance(given, dict) and given.keys() == {"argv", "artifact", "files", "timeout"})
    files = given["files"]
    _check(
        arguments(given["argv"]) is None
        and artifact(given["artifact"]) is None
        and timeout(given["timeout"]) is None
        and isinstance(files, dict)
        and all(isinstance(digest, str) and _SHA256.fullmatch(digest) for digest in files.values())
    )
    return Command(
        argv=tuple(given["argv"]),
        artifact=given["artifact"],
        timeout_s=given["timeout"],
        known=tuple(sorted(files.items())),
    )
