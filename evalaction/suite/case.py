"""A golden line and its tree → a case: the request it makes, and the contract it is held to. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field, replace

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.case import Case, Contract, Grader, Sampling, Use, UseRole
from evalaction.suite.alike import Parts, parts_of_row, parts_of_text
from evalaction.suite.contract import Contracts, Judges, Row, of_case
from evalaction.suite.files import Files, resolve
from evalaction.suite.given import Given
from evalaction.suite.golden import FIELDS, check_line
from evalaction.suite.lines import read
from evalaction.suite.prompt_yml import SUFFIXES, PromptFile, fill, names_in, read_prompt_file
from evalaction.suite.sampling import sampling_of
from evalaction.suite.templates import Templates, Unused
from evalaction.values import JSON


@frozen
class _Request:
    """The chat that a line asks for, and what it was made from."""

    messages: tuple[Mapping[str, JSON], ...]
    uses: tuple[Use, ...] = ()
    sampling: Mapping[str, JSON] = field(default_factory=dict)
    repeatable: bool = True


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
        self._contracts = Contracts(files, given, judges or {})
        self._templates = Templates(files)
        self._prompts: dict[str, PromptFile] = {}
        self._earlier: dict[Hashable, Case] = {}
        self.unused: dict[str, Unused] = {}
        """Template → what is given to it for nothing."""

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
        if "expect" in own and not _goes_with(own["expect"], contract):
            return None
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
        made: tuple[Contract, tuple[Use, ...]] | None = None
        try:
            request = self._request(row, path, line)
        except BadInput as error:
            problems += of_case(row, error)
        try:
            made = self._contracts.contract(row, path=path)
        except BadInput as error:
            problems += error.problems
        sampling = None if request is None else self._sampling(row, request, problems)
        if request is None or sampling is None or made is None:
            raise BadInput(*problems)
        contract, used = made
        uses = (*request.uses, *used)
        case = Case(
            id=str(row["id"]),
            path=path,
            line=line,
            messages=request.messages,
            n=row.get("n", self.given.n),
            sampling=sampling,
            contract=contract,
            uses=tuple(sorted(uses, key=lambda use: (use.path, use.role))) if len(uses) > 1 else uses,
            tags=tuple(row.get("tags", ())),
            note=row.get("note"),
        )
        # Who judges is for the decks to say, and those of the other side may say something else.
        return case, request.repeatable and contract.judge is None

    def unread(self, cases: Iterable[Case]) -> dict[str, tuple[str, ...]]:
        """Return the prompt files of ``cases`` that say how to check the prompt, and the fields that are not read."""
        uses = (use for case in cases for use in case.uses if use.role is UseRole.TEMPLATE)
        paths = {use.path for use in uses if use.path.endswith(SUFFIXES)}
        found = {path: self._prompt_file(path).unread for path in sorted(paths)}
        return {path: fields for path, fields in found.items() if fields}

    def _request(self, row: Row, golden: str, line: int) -> _Request:
        if "prompt" in row:
            return _Request(messages=(_user(row["prompt"]),))
        if "messages" in row:
            return _Request(messages=tuple(row["messages"]))
        path = resolve(row["prompt_file"], folder=posixpath.dirname(golden))
        variables = row.get("vars", {})
        if path.endswith(SUFFIXES):
            prompt = self._prompt_file(path)
            use = self._files.use(path, UseRole.TEMPLATE)
            request = _Request(messages=fill(prompt, variables), uses=(use,), sampling=prompt.sampling)
            names: frozenset[str] | None = names_in(prompt)
        else:
            rendered = self._templates.render(path, variables)
            if not rendered.text.strip():
                raise BadInput(Problem(message=f"The template {path} renders to nothing."))
            request = _Request(messages=(_user(rendered.text),), uses=rendered.uses, repeatable=rendered.repeatable)
            names = self._templates.names(path) if variables else None
        unused = () if names is None else tuple(name for name in variables if name not in names)
        if unused:
            self.unused.setdefault(path, Unused(place=f"{golden}:{line}", names=unused))
        return request

    def _prompt_file(self, path: str) -> PromptFile:
        if path not in self._prompts:
            self._prompts[path] = read_prompt_file(path, self._files.text(path))
        return self._prompts[path]

    def _sampling(self, row: Row, request: _Request, problems: list[Problem]) -> Sampling | None:
        of_file = request.sampling
        given = replace(self.given, **of_file) if of_file else self.given  # type: ignore[arg-type]
        try:
            return sampling_of(row, given, of_file=of_file, file=request.uses[0].path if of_file else None)
        except BadInput as error:
            problems += error.problems
            return None


def _goes_with(expect: JSON, contract: Contract) -> bool:
    """Tell at a glance that ``expect``, of the kind that the contract has, is right beside its other fields."""
    if contract.compare:  # It names keys of the expected value, and asks for numbers under some of them.
        return _kinds(contract.expect) == _kinds(expect)
    return contract.grader is not Grader.CHOICE or expect in contract.labels


def _kinds(value: JSON) -> dict[str, type]:
    return {key: type(item) for key, item in value.items()} if isinstance(value, dict) else {}


def _user(text: str) -> dict[str, JSON]:
    return {"role": "user", "content": text}
