"""A golden line and its tree → the contract that its answers are held to, with the files it was made from. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from evalaction.errors import BadInput, Problem
from evalaction.records.case import (
    EXACTLY,
    TIMEOUT_S,
    CaseJudge,
    Command,
    Compare,
    Contract,
    Grader,
    Sampling,
    Schema,
    Use,
    UseRole,
)
from evalaction.records.command import PASS
from evalaction.records.deck import Deck
from evalaction.suite.fields import fraction
from evalaction.suite.files import Files, resolve
from evalaction.suite.given import Given
from evalaction.suite.golden import MIN_REPEATS
from evalaction.suite.graded import FORMS, grader_of, labels_of
from evalaction.values import JSON

Row = dict[str, Any]
"""A golden line, once ``check_line`` found nothing wrong with it."""
Uses = tuple[Use, ...]
Judges = Mapping[tuple[str, tuple[str, ...]], Deck]
"""(text of a rubric, labels) → the first deck with both."""
Made = TypeVar("Made")

MAX_EXPECTED = 1_000_000
"""Characters of a file that is known to be good."""
MAX_BYTES = 10_000_000
"""Bytes of all files that a command finds beside the artifact."""


class Contracts:
    """Makes the contracts of one tree's lines.

    Args:
        files: the tree's files.
        given: what holds where a line says nothing.
        judges: the tree's decks. A line that goes by the rubric and labels of one is graded by the very judge that
            the deck puts to the test.
    """

    def __init__(self, files: Files, given: Given, judges: Judges) -> None:
        self._files = files
        self._given = given
        self._judges = judges

    def contract(self, row: Row, *, path: str) -> tuple[Contract, Uses]:
        """Return the contract of a line of the golden file at ``path``, and the files that it was made from.

        Raises:
            BadInput: everything that is wrong with it; a problem without a place belongs to the line.
        """
        problems: list[Problem] = []

        def part(make: Callable[[Row, str], tuple[Made | None, Uses]]) -> tuple[Made | None, Uses]:
            try:
                return make(row, path)
            except BadInput as error:
                problems.extend(of_case(row, error))
                return None, ()

        schema, of_schema = part(self._schema)
        judge, of_judge = part(self._judge)
        good, of_good = part(self._expected_file)
        command, of_command = part(self._command)
        agreement = self._agreement(row, problems)
        if problems:
            raise BadInput(*problems)
        read = grader_of(row)
        contract = Contract(
            grader=read,
            # Which keys there must be, not in which order they are listed.
            expect_keys=tuple(sorted(row.get("expect_keys", ()))),
            agree_on=tuple(sorted(row["agree_on"])) if "agree_on" in row else None,
            schema=schema,
            expect=PASS if read is Grader.COMMAND else row.get("expect", good),
            expect_min=fraction(row["expect_min"]) if "expect_min" in row else self._given.expect_min,
            agreement_min=agreement,
            max_completion_tokens=row.get("max_completion_tokens"),
            judge=judge,
            labels=tuple(sorted(labels_of(row))) if read is Grader.CHOICE else (),
            regex=row.get("regex"),
            compare=tuple(sorted((key, Compare(**options)) for key, options in row.get("compare", {}).items())),
            whole=_whole(row),
            fence=_fence(row.get("fence")),
            expect_path=of_good[0].path if of_good else None,
            command=command,
        )
        return contract, (*of_schema, *of_judge, *of_good, *of_command)

    def _schema(self, row: Row, path: str) -> tuple[Schema | None, Uses]:
        if "schema" not in row and "schema_file" not in row:
            return None, ()
        from evalaction.suite.schemas import read_document, read_schema  # noqa: PLC0415 - where there is one alone

        if "schema" in row:
            return read_schema(row["schema"], place=path, files=self._files, path=None)
        file = resolve(row["schema_file"], folder=posixpath.dirname(path))
        return read_schema(read_document(file, self._files), place=file, files=self._files, path=file)

    def _judge(self, row: Row, path: str) -> tuple[CaseJudge | None, Uses]:
        if grader_of(row) is not Grader.JUDGE:
            return None, ()
        file = resolve(row["rubric"], folder=posixpath.dirname(path))
        rubric, labels = self._files.rubric(file), labels_of(row)
        deck = self._judges.get((rubric, labels))
        # Not the model of a prompt file: that one is the model whose answers are judged.
        usual = Sampling(model=self._given.judge_model or self._given.model, temperature=0)
        judge = CaseJudge(
            rubric_path=file,
            rubric=rubric,
            labels=labels,
            repeats=row.get("judge_repeats", MIN_REPEATS),
            sampling=deck.sampling if deck else usual,
            unasked=deck.unasked if deck else frozenset({"temperature"}),
        )
        return judge, (self._files.use(file, UseRole.RUBRIC),)

    def _expected_file(self, row: Row, path: str) -> tuple[str | None, Uses]:
        if "expect_file" not in row:
            return None, ()
        file = resolve(row["expect_file"], folder=posixpath.dirname(path))
        # Line feeds at the very end are no part of an artifact, so none of what is expected either.
        text = self._files.known_good(file).rstrip("\n")
        if len(text) > MAX_EXPECTED:
            raise BadInput(Problem(message=f"The file is longer than {MAX_EXPECTED:,} characters.", path=file))
        return text, (self._files.use(file, UseRole.EXPECTED),)

    def _command(self, row: Row, path: str) -> tuple[Command | None, Uses]:
        if grader_of(row) is not Grader.COMMAND:
            return None, ()
        of_form = any(name in row for name in FORMS)
        artifact = row.get("artifact", "artifact.json" if of_form else "artifact.txt")
        paths = [resolve(name, folder=posixpath.dirname(path)) for name in row.get("command_files", ())]
        _apart(paths, artifact)
        contents = [(posixpath.basename(file), self._files.whole(file)) for file in paths]
        if sum(len(content) for _, content in contents) > MAX_BYTES:
            raise BadInput(Problem(message=f"`command_files` are larger than {MAX_BYTES:,} bytes together."))
        command = Command(
            argv=tuple(row["command"]),
            artifact=artifact,
            files=tuple(sorted(contents)),
            timeout_s=row.get("command_timeout", TIMEOUT_S),
        )
        return command, tuple(self._files.use(file, UseRole.COMMAND) for file in paths)

    def _agreement(self, row: Row, problems: list[Problem]) -> Fraction:
        if "max_flip" not in row:
            return fraction(row["agreement_min"]) if "agreement_min" in row else self._given.agreement_min
        asked = 1 - fraction(row["max_flip"])
        if "agreement_min" in row and fraction(row["agreement_min"]) != asked:
            problems.append(
                Problem(
                    message="`agreement_min` and `max_flip` contradict each other: together they have to make 1.",
                    remedy="Keep one of them.",
                )
            )
        return asked


def _whole(row: Row) -> Compare:
    if "round" not in row and "tolerance" not in row:
        return EXACTLY
    return Compare(round=row.get("round"), tolerance=row.get("tolerance"))


def _fence(said: JSON) -> str | None:
    return None if said is None else said.lower() if isinstance(said, str) else ""


def _apart(paths: Iterable[str], artifact: str) -> None:
    """Refuse files that would stand under one name in the scratch folder, or under the artifact's."""
    names: dict[str, str] = {}
    for path in paths:
        name = posixpath.basename(path)
        if name == artifact:
            message = f"`command_files` puts {path} into one folder with the artifact, which is named {name} too."
            raise BadInput(Problem(message=message, remedy="Name the artifact otherwise, in `artifact`."))
        if name in names:
            message = f"`command_files` puts {names[name]} and {path} into one folder, and both are named {name}."
            raise BadInput(Problem(message=message, remedy="Rename one of them, or name it once."))
        names[name] = path


def of_case(row: Row, error: BadInput) -> Iterator[Problem]:
    """Yield the problems of what a case is made from, each with its own place or with the case's name."""
    for problem in error.problems:
        named = f"In the case {str(row['id'])!r}: {problem.message}"
        yield problem if problem.path is not None else replace(problem, message=named)
