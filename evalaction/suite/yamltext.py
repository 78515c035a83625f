"""YAML, read strictly into JSON values, with the line of every value. Pure.

Only what JSON can hold: no tags of other types, no merge keys, a key once in its mapping, ``true`` and
``false`` as the only truth values (``no`` is a text), numbers in decimal notation with all their digits.
Aliases are followed, up to a bound on what they expand to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.suite.fields import Check, unknown
from evalaction.values import JSON, InvalidJSON, parse

if TYPE_CHECKING:
    from yaml.nodes import Node

MAX_CHARACTERS = 256_000
MAX_TOKENS = 30_000
"""Marks, scalars and starts and ends of blocks that a file may hold: to read them takes a second, at the most."""
MAX_VALUES = 50_000
"""Values that a file may expand to: a few nested aliases make billions of a few lines."""
MAX_DEPTH = 50

Place = tuple[str | int, ...]
"""Keys and indices from the root to a value."""

_TAG = "tag:yaml.org,2002:"
_NUMBER = late.pattern(r"([-+]?)(\d+|\d*\.\d+|\d+\.)([eE][-+]?\d+)?\Z", re.ASCII)
_TRUTH = {"true": True, "false": False}


@frozen
class Document:
    """A YAML document as a JSON value."""

    path: str
    value: JSON
    lines: dict[Place, int]
    """Place → physical line, from 1, at which the value (for a mapping's entry, its key) stands."""

    def problem(self, place: Place, message: str, *, remedy: str | None = None) -> Problem:
        """Return a problem at ``place``, or at the nearest place around it that has a line."""
        while place and place not in self.lines:
            place = place[:-1]
        return Problem(message=message, path=self.path, line=self.lines.get(place, 1), remedy=remedy)

    def check(
        self,
        place: Place,
        checks: Mapping[str, Check],
        *,
        strange: Callable[[str, Mapping[str, Check]], Problem] = unknown,
    ) -> list[Problem]:
        """Return what is wrong with the fields of the mapping at ``place``, each with its line.

        Args:
            place: where the mapping stands; nothing is wrong where none does.
            checks: field → its check.
            strange: says what is wrong with a field that has no check.
        """
        values = self.at(place)
        problems = []
        for name, value in values.items() if isinstance(values, dict) else ():
            if name not in checks:
                problem = strange(name, checks)
                problems.append(self.problem((*place, name), problem.message, remedy=problem.remedy))
            elif (wrong := checks[name](value)) is not None:
                problems.append(self.problem((*place, name), f"`{name}` {wrong}."))
        return problems

    def at(self, place: Place) -> JSON:
        """Return the value at ``place``; None when there is none."""
        value = self.value
        for step in place:
            if isinstance(value, dict) and isinstance(step, str):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int):
                value = value[step]
            else:
                return None
        return value


def read(path: str, text: str) -> Document:
    """Read the one document of a YAML file.

    Args:
        path: the file's path, for messages.
        text: its text.

    Raises:
        BadInput: it is not YAML, or not of the kind that this module reads; with path and line.
    """
    import yaml  # noqa: PLC0415 - most runs have no YAML file

    if len(text) > MAX_CHARACTERS:
        raise BadInput(Problem(message=f"The file is longer than {MAX_CHARACTERS:,} characters.", path=path))

    class Bounded(yaml.SafeLoader):
        def fetch_more_tokens(self) -> Any:
            # The scanner looks through all open brackets for every mark, so depth is bounded here too.
            if self.tokens_taken + len(self.tokens) > MAX_TOKENS or self.flow_level > MAX_DEPTH:
                raise BadInput(_too_much(path, self.line + 1))
            return super().fetch_more_tokens()

    try:
        root = yaml.compose(text, Loader=Bounded)
    except yaml.YAMLError as error:
        raise BadInput(_invalid(path, text, error)) from error
    except RecursionError as error:
        raise BadInput(Problem(message="The YAML is nested too deeply.", path=path)) from error
    reader = _Reader(path)
    value = None if root is None else reader.value(root, ())
    return Document(path=path, value=value, lines=reader.lines)


def _too_much(path: str, line: int) -> Problem:
    message = "The file holds or expands to too many values, or nests too deeply."
    return Problem(message=message, path=path, line=line, remedy="Make it smaller.")


def _invalid(path: str, text: str, error: Exception) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    line = mark.line + 1 if mark is not None else text.count("\n", 0, position) + 1 if position is not None else None
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    return Problem(message=f"The file is not YAML: {what}.", path=path, line=line)


class _Reader:
    """Turns nodes into values, and keeps count."""

    def __init__(self, path: str) -> None:
        self.lines: dict[Place, int] = {}
        self._path = path
        self._count = 0

    def value(self, node: Node, place: Place) -> JSON:
        """Return the value of ``node``, which stands at ``place``."""
        from yaml.nodes import MappingNode, ScalarNode, SequenceNode  # noqa: PLC0415 - as in read

        self._count += 1
        if self._count > MAX_VALUES or len(place) > MAX_DEPTH:
            raise BadInput(_too_much(self._path, node.start_mark.line + 1))
        self.lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, place)
        if isinstance(node, SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]
        if isinstance(node, ScalarNode) and node.tag.startswith(_TAG):
            return self._scalar(node)
        raise self._refused(node, f"The tag {node.tag} is not read.")

    def _mapping(self, node: Node, place: Place) -> JSON:
        mapping: dict[str, JSON] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key in mapping:
                raise self._refused(key_node, f"The key `{key}` stands twice.", "Remove one of them.")
            self.lines[*place, key] = key_node.start_mark.line + 1
            mapping[key] = self.value(value_node, (*place, key))
        return mapping

    def _key(self, node: Node) -> str:
        if node.tag == f"{_TAG}merge":
            raise self._refused(node, "Merge keys (<<) are not read.", "Write the entries out.")
        if not isinstance(node.value, str):
            raise self._refused(node, "A key has to be a text.")
        return node.value

    def _scalar(self, node: Node) -> JSON:
        text: str = node.value
        kind = node.tag.removeprefix(_TAG)
        if kind == "null":
            return None
        if kind == "bool":
            return _TRUTH.get(text.lower(), text)
        if kind in {"int", "float"}:
            return self._number(node, text)
        if kind in {"str", "timestamp", "value"}:
            return text
        raise self._refused(node, f"The tag {node.tag} is not read.")

    def _number(self, node: Node, text: str) -> JSON:
        match = _NUMBER.match(text)
        if match is None:
            raise self._refused(node, f"The number {text} is not in decimal notation.", "Write digits, or a text.")
        sign, digits, exponent = match.groups()
        whole, _, fraction = digits.partition(".")
        plain = f"{'-' if sign == '-' else ''}{whole.lstrip('0') or '0'}{'.' + fraction if fraction else ''}"
        try:
            return parse(plain + (exponent or ""))
        except InvalidJSON as error:
            raise self._refused(node, f"The number cannot be held: {error}.") from error

    def _refused(self, node: Node, message: str, remedy: str | None = None) -> BadInput:
        return BadInput(Problem(message=message, path=self._path, line=node.start_mark.line + 1, remedy=remedy))
