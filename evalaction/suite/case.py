"""A golden line and its tree → a case: the request it makes, and the contract it is held to. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from evalaction.errors import BadInput, Problem
from evalaction.records.case import Case, CaseJudge, Contract, Grader, Sampling, Schema, Use, UseRole
from evalaction.records.deck import Deck
from evalaction.suite.alike import Parts, parts_of_row, parts_of_text
from evalaction.suite.fields import fraction
from evalaction.suite.files import Files, resolve
from evalaction.suite.given import Given
from evalaction.suite.golden import FIELDS, MIN_REPEATS, SAMPLING, check_line, grader_of, labels_of
from evalaction.suite.lines import read
from evalaction.suite.prompt_yml import SUFFIXES, PromptFile, fill, read_prompt_file
from evalaction.suite.schemas import read_document, read_schema
from evalaction.suite.templates import Templates
from evalaction.values import JSON

Row = dict[str, Any]
"""A golden line, once ``check_line`` found nothing wrong with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Request:
    """The chat that a line asks for, and what it was made from."""

    messages: tuple[Mapping[str, JSON], ...]
    uses: tuple[Use, ...] = ()
    sampling: Mapping[str, JSON] = field(default_factory=dict)
    repeatable: bool = True


Judges = Mapping[tuple[str, tuple[str, ...]], Deck]
"""(text of a rubric, labels) → the first deck with both."""

MAX_KINDS = 1_000
"""Lines that later ones are compared with, at most."""


class Resolver:
    """Makes cases from the golden lines of one tree.

    Args:
        files: the tree's files.
        given: what holds where a line says nothing.
        judges: the tree's decks. A line that goes by the rubric and labels of one is graded by the very judge that
            the deck puts to the test.
    """

    def __init__(self, files: Files, given: Given, judges: Judges | None = None) -> None:
        self._files = files
        self.given = given
        self._judges = judges or {}
        self._templates = Templates(files)
        self._prompts: dict[str, PromptFile] = {}
        self._earlier: dict[Hashable, Case] = {}

    def case(self, text: str, *, path: str, line: int) -> tuple[Case, bool]:
        """Return the case of a golden line, and whether the same line and files always give the same one.

        Args:
            text: the line, not yet read.
            path: its golden file, path in the tree.
            line: its physical line, from 1.

        Raises:
            BadInput: everything that is wrong with it; a problem without a place belongs to the line.
        """
        of_text = parts_of_text(text)
        case = self._like_earlier(of_text, path=path, line=line)
        if case is not None:
            return case, True
        row = read(text)
        of_row = parts_of_row(row)
        case, repeatable = self._like_earlier(of_row, path=path, line=line), True
        if case is None:
            case, repeatable = self._checked(row, path=path, line=line)
        if not case.uses:
            if len(self._earlier) >= MAX_KINDS:
                self._earlier.clear()
            self._earlier.update((parts[1], case) for parts in (of_text, of_row) if parts is not None)
        return case, repeatable

    def _like_earlier(self, parts: Parts | None, *, path: str, line: int) -> Case | None:
        """Return the case of a line that differs from an earlier one in nothing but what is its own.

        Golden files have many lines with the same thresholds, budgets and keys: these are checked once. None
        when there was no such line, or when this one is wrong; then it is looked at in full.
        """
        earlier = None if parts is None else self._earlier.get(parts[1])
        if parts is None or earlier is None:
            return None
        own: Row = parts[0]
        for name, value in own.items():
            if FIELDS[name](value) is not None:
                return None
        contract = earlier.contract
        return Case(
            id=str(own["id"]),
            path=path,
            line=line,
            messages=(_user(own["prompt"]),) if "prompt" in own else tuple(own["messages"]),
            n=earlier.n,
            sampling=earlier.sampling,
            contract=replace(contract, expect=own["expect"]) if "expect" in own else contract,
            tags=tuple(own["tags"]) if "tags" in own else earlier.tags,
            note=own.get("note", earlier.note),
        )

    def _checked(self, row: Row, *, path: str, line: int) -> tuple[Case, bool]:
        problems = check_line(row)
        if problems:
            raise BadInput(*problems)
        request: _Request | None = None
        schema: tuple[Schema | None, tuple[Use, ...]] = (None, ())
        judge: tuple[CaseJudge | None, tuple[Use, ...]] = (None, ())
        try:
            request = self._request(row, posixpath.dirname(path))
        except BadInput as error:
            problems += _of_case(row, error)
        try:
            schema = self._schema(row, path)
        except BadInput as error:
            problems += _of_case(row, error)
        try:
            judge = self._judge(row, path)
        except BadInput as error:
            problems += _of_case(row, error)
        given = replace(self.given, **request.sampling) if request and request.sampling else self.given  # type: ignore[arg-type]
        agreement = self._agreement(row, given, problems)
        if problems or request is None:
            raise BadInput(*problems)
        uses = (*request.uses, *schema[1], *judge[1])
        case = Case(
            id=str(row["id"]),
            path=path,
            line=line,
            messages=request.messages,
            n=row.get("n", given.n),
            sampling=self._sampling(row, given),
            contract=_contract(row, given, schema=schema[0], judge=judge[0], agreement=agreement),
            uses=tuple(sorted(uses, key=lambda use: (use.path, use.role))) if len(uses) > 1 else uses,
            tags=tuple(row.get("tags", ())),
            note=row.get("note"),
        )
        # Who judges is for the decks to say, and those of the other side may say something else.
        return case, request.repeatable and judge[0] is None

    def unread(self, cases: Iterable[Case]) -> dict[str, tuple[str, ...]]:
        """Return the prompt files of ``cases`` that say how to check the prompt, and the fields that are not read."""
        uses = (use for case in cases for use in case.uses if use.role is UseRole.TEMPLATE)
        paths = {use.path for use in uses if use.path.endswith(SUFFIXES)}
        found = {path: self._prompt_file(path).unread for path in sorted(paths)}
        return {path: fields for path, fields in found.items() if fields}

    def _request(self, row: Row, folder: str) -> _Request:
        if "prompt" in row:
            return _Request(messages=(_user(row["prompt"]),))
        if "messages" in row:
            return _Request(messages=tuple(row["messages"]))
        path = resolve(row["prompt_file"], folder=folder)
        variables = row.get("vars", {})
        if path.endswith(SUFFIXES):
            prompt = self._prompt_file(path)
            use = Use(path=path, role=UseRole.TEMPLATE, sha256=self._files.sha256(path) or "")
            return _Request(messages=fill(prompt, variables), uses=(use,), sampling=prompt.sampling)
        rendered = self._templates.render(path, variables)
        if not rendered.text.strip():
            raise BadInput(Problem(message=f"The template {path} renders to nothing."))
        return _Request(messages=(_user(rendered.text),), uses=rendered.uses, repeatable=rendered.repeatable)

    def _prompt_file(self, path: str) -> PromptFile:
        if path not in self._prompts:
            self._prompts[path] = read_prompt_file(path, self._files.text(path))
        return self._prompts[path]

    def _schema(self, row: Row, path: str) -> tuple[Schema | None, tuple[Use, ...]]:
        if "schema" in row:
            return read_schema(row["schema"], place=path, files=self._files, path=None)
        if "schema_file" not in row:
            return None, ()
        file = resolve(row["schema_file"], folder=posixpath.dirname(path))
        return read_schema(read_document(file, self._files), place=file, files=self._files, path=file)

    def _judge(self, row: Row, path: str) -> tuple[CaseJudge | None, tuple[Use, ...]]:
        if grader_of(row) is not Grader.JUDGE:
            return None, ()
        file = resolve(row["rubric"], folder=posixpath.dirname(path))
        rubric, labels = self._files.rubric(file), labels_of(row)
        deck = self._judges.get((rubric, labels))
        # Not the model of a prompt file: that one is the model whose answers are judged.
        usual = Sampling(model=self.given.judge_model or self.given.model, temperature=0)
        judge = CaseJudge(
            rubric_path=file,
            rubric=rubric,
            labels=labels,
            repeats=row.get("judge_repeats", MIN_REPEATS),
            sampling=deck.sampling if deck else usual,
            unasked=deck.unasked if deck else frozenset({"temperature"}),
        )
        return judge, (Use(path=file, role=UseRole.RUBRIC, sha256=self._files.sha256(file) or ""),)

    def _agreement(self, row: Row, given: Given, problems: list[Problem]) -> Fraction:
        if "max_flip" not in row:
            return fraction(row["agreement_min"]) if "agreement_min" in row else given.agreement_min
        asked = 1 - fraction(row["max_flip"])
        if "agreement_min" in row and fraction(row["agreement_min"]) != asked:
            problems.append(
                Problem(
                    message="`agreement_min` and `max_flip` contradict each other: together they have to make 1.",
                    remedy="Keep one of them.",
                )
            )
        return asked

    def _sampling(self, row: Row, given: Given) -> Sampling:
        stop = row.get("stop", given.stop)
        budget = row.get("max_completion_tokens")
        cap = row.get("max_tokens", given.max_tokens)
        said = {name: row.get(name, getattr(given, name)) for name in SAMPLING}
        return Sampling(
            **{**said, "stop": (stop,) if isinstance(stop, str) else None if stop is None else tuple(stop)},
            model=given.model,
            max_tokens=2 * budget if cap is None and budget is not None else cap,
        )


def _contract(
    row: Row, given: Given, *, schema: Schema | None, judge: CaseJudge | None, agreement: Fraction
) -> Contract:
    return Contract(
        grader=grader_of(row),
        # Which keys there must be, not in which order they are listed.
        expect_keys=tuple(sorted(row.get("expect_keys", ()))),
        agree_on=tuple(sorted(row["agree_on"])) if "agree_on" in row else None,
        schema=schema,
        expect=row.get("expect"),
        expect_min=fraction(row["expect_min"]) if "expect_min" in row else given.expect_min,
        agreement_min=agreement,
        max_completion_tokens=row.get("max_completion_tokens"),
        judge=judge,
    )


def _user(text: str) -> dict[str, JSON]:
    return {"role": "user", "content": text}


def _of_case(row: Row, error: BadInput) -> Iterator[Problem]:
    """Yield the problems of what a case is made from, each with its own place or with the case's name."""
    for problem in error.problems:
        named = f"In the case {str(row['id'])!r}: {problem.message}"
        yield problem if problem.path is not None else replace(problem, message=named)
