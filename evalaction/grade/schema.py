"""The form that a contract asks of a draw: keys that must be there, and a JSON Schema. Pure; nothing is fetched.

``jsonschema`` is imported when the first schema is compiled. Numbers stay exact: ``multipleOf``, ``integer``,
``enum``, ``const`` and ``uniqueItems`` go by the value, never by a float, and ``true`` is not 1. ``format`` is an
annotation, as JSON Schema 2020-12 has it by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from evalaction.answer.reading import a_kind
from evalaction.frozen import frozen
from evalaction.grade.effort import EFFORT, Effort
from evalaction.pattern import PatternError, TooSlow
from evalaction.records.case import Contract, Schema
from evalaction.values import JSON

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_COLLECTED = 200
"""Violations of one draw that are looked for; the shown ones are the first of these by place."""
MAX_SHOWN = 10
MAX_LENGTH = 200
"""Characters of one violation."""

ROOT = "(root)"
"""Stands for the empty JSON pointer."""


@frozen
class Form:
    """A contract's form, compiled once for all draws of its case."""

    keys: tuple[str, ...]
    validator: Validator | None

    def errors(self, value: JSON) -> tuple[str, ...]:
        """Return what ``value`` lacks of the form, as ``pointer: what``; empty when it has it all.

        Returns:
            Texts in order of place, the last one saying so when there are more. Untrusted text.
        """
        found = dict.fromkeys([*self._absent(value), *self._violations(value)])
        shown = [text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…" for text in found]
        if len(shown) > MAX_SHOWN:
            return (*shown[:MAX_SHOWN], "and more")
        return tuple(shown)

    def _absent(self, value: JSON) -> Iterator[str]:
        if not self.keys:
            return
        if isinstance(value, dict):
            yield from (_absent(key) for key in self.keys if key not in value)
        else:
            yield f"{ROOT}: {a_kind(value)} is not an object"

    def _violations(self, value: Any) -> list[str]:
        if self.validator is None:
            return []
        from referencing.exceptions import Unresolvable  # noqa: PLC0415 - only once there is a schema

        effort = EFFORT.set(Effort())
        try:
            errors = list(islice(self.validator.iter_errors(value), MAX_COLLECTED))
        except Unresolvable as error:
            return [f"the schema cannot be applied: {error.ref} is not to be found"]
        except PatternError as error:
            return [f"the schema cannot be applied: a pattern is no regular expression ({error})"]
        except TooSlow as error:
            return [f"the schema cannot be applied: {error}"]
        except RecursionError:
            return ["the schema cannot be applied: it goes too deep for this value"]
        finally:
            EFFORT.reset(effort)
        return sorted(f"{_pointer(error.absolute_path)}: {error.message}" for error in errors)


def compile_form(contract: Contract, *, golden_path: str) -> Form | None:
    """Compile the form that ``contract`` asks for.

    Args:
        contract: of the case.
        golden_path: golden file of the case, which references of a schema written into it are relative to.

    Returns:
        The form, or None when the contract asks for none.
    """
    if contract.schema is None:
        return Form(keys=contract.expect_keys, validator=None) if contract.expect_keys else None
    return Form(keys=contract.expect_keys, validator=_validator(contract.schema, golden_path))


def _validator(schema: Schema, golden_path: str) -> Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - heavy, and only once there is a schema
    from jsonschema.validators import validator_for  # noqa: PLC0415 - slow to import
    from referencing import Registry, Specification  # noqa: PLC0415 - slow to import
    from referencing.jsonschema import specification_with  # noqa: PLC0415 - slow to import

    from evalaction.grade.keywords import exact  # noqa: PLC0415 - slow to import

    document: Any = schema.document
    draft = validator_for(document, default=Draft202012Validator)
    dialect: Specification[Any] = specification_with(str(draft.META_SCHEMA["$schema"]))
    start = _uri(schema.path or golden_path)
    resources: dict[str, Any] = {}
    for uri, content in ((start, document), *((_uri(path), other) for path, other in schema.resources)):
        kind = dialect if isinstance(content, dict | bool) else Specification.OPAQUE
        resource = kind.create_resource(_without_identity(content))
        resources.setdefault(uri, resource)
        for name in _identities(content):
            resources.setdefault(name.rstrip("#"), resource)
    registry: Registry[Any] = Registry().with_resources(resources.items())
    validator: Validator = exact(draft)({"$ref": start}, registry=registry)
    return validator


def _identities(document: JSON) -> list[str]:
    if not isinstance(document, dict):
        return []
    return [name for key in ("$id", "id") if isinstance(name := document.get(key), str)]


def _without_identity(document: JSON) -> JSON:
    # A reference is relative to the file that holds it, whatever address the file gives itself; and one draft
    # holds for all files, since jsonschema would change back to its own classes at another "$schema".
    if not isinstance(document, dict):
        return document
    own = {"$schema", "$id", "id"}
    return {key: value for key, value in document.items() if not (key in own and isinstance(value, str))}


def _uri(path: str) -> str:
    return "file:///" + quote(path, errors="surrogateescape")


def _pointer(path: Iterable[str | int]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path) or ROOT


def _absent(key: str) -> str:
    return f"{_pointer([key])}: key absent"
