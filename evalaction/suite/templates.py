"""Prompt templates: a file of the tree and its variables → text, with every file that it was made from. Pure.

A template is Jinja2. What it includes, extends or imports is read from the same tree: a name that begins
with ``./`` or ``../`` is seen from the template's own folder, every other from the folder that is looked
at. One line feed at the end of a file is dropped, and line ends become line feeds; apart from that a file
without Jinja's marks is its own text.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.records.case import Use, UseRole
from evalaction.suite.files import Files, resolve
from evalaction.suite.words import near
from evalaction.values import JSON

if TYPE_CHECKING:
    from types import TracebackType

    from evalaction.suite.sandbox import Sandbox

MAX_TEMPLATE = 256_000
"""Characters of one template file."""


@frozen
class Rendered:
    """A rendered template."""

    text: str
    uses: tuple[Use, ...]
    """The template and all that it includes, sorted by path."""
    repeatable: bool
    """The same files give the same text; False when it also hangs on a file that does not exist."""


@frozen
class Unused:
    """Variables that are given to a template and have no place in it."""

    place: str
    """The first line that gives them: path and line."""
    names: tuple[str, ...]
    """In their order there, one at least."""


class Templates:
    """The templates of one tree; each is compiled once.

    Args:
        files: the tree's files.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._sandbox: Sandbox | None = None
        self._names: dict[str, frozenset[str] | None] = {}

    def render(self, path: str, variables: Mapping[str, JSON]) -> Rendered:
        """Render the template at ``path``.

        Raises:
            BadInput: it does not exist, is no template, uses a variable that is not there, or does too
                much work; the problem names template and line, and has no place itself.
        """
        from jinja2.exceptions import TemplateError  # noqa: PLC0415 - costs more than a suite without templates

        sandbox = self._environment()
        sandbox.start()
        self._files.text(path)
        try:
            template = sandbox.get_template(path)
            chunks: list[str] = []
            size = 0
            for chunk in template.root_render_func(template.new_context(dict(variables))):
                size += len(chunk)
                chunks.append(sandbox.made(chunk))
                sandbox.short_enough(size)
        except BadInput as error:
            raise BadInput(_explained(error, path, variables)) from error
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
            raise BadInput(_explained(error, path, variables)) from error
        except (RecursionError, MemoryError, SyntaxError) as error:  # Python's own limits, on what Jinja compiles to
            raise BadInput(
                Problem(message=f"The template {path} includes or calls itself, or nests too deeply.", source_path=path)
            ) from error
        return Rendered(text="".join(chunks), uses=self._uses(path, sandbox.used), repeatable=not sandbox.missed)

    def names(self, path: str) -> frozenset[str] | None:
        """Return the variables that the template at ``path``, and all that it can reach, may take from its context.

        Args:
            path: of a template that was rendered.

        Returns:
            Their names; None when nobody can say, since a name of a template is computed, or one cannot be read.
        """
        if path not in self._names:
            self._names[path] = self._names_within(path)
        return self._names[path]

    def _names_within(self, path: str) -> frozenset[str] | None:
        from jinja2.exceptions import TemplateError  # noqa: PLC0415 - as in render
        from jinja2.meta import find_referenced_templates, find_undeclared_variables  # noqa: PLC0415 - as in render

        sandbox = self._environment()
        names: set[str] = set()
        seen, queue = {path}, [path]
        while queue:
            name = queue.pop()
            try:
                parsed = sandbox.parse(self._files.text(name))
                names |= find_undeclared_variables(parsed)
                reached = [other and sandbox.join_path(other, name) for other in find_referenced_templates(parsed)]
            except (BadInput, TemplateError, RecursionError):
                return None
            if None in reached:
                return None
            queue += [other for other in map(str, reached) if other not in seen and not seen.add(other)]  # type: ignore[func-returns-value]
        return frozenset(names)

    def _uses(self, path: str, used: Mapping[str, None]) -> tuple[Use, ...]:
        return tuple(
            self._files.use(name, UseRole.TEMPLATE if name == path else UseRole.INCLUDE) for name in sorted(used)
        )

    def _environment(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = _environment(self._files)
        return self._sandbox


def _environment(files: Files) -> Sandbox:
    from jinja2 import BaseLoader, Environment, TemplateNotFound  # noqa: PLC0415 - as in render

    from evalaction.suite.sandbox import Sandbox  # noqa: PLC0415 - loads Jinja

    class TreeLoader(BaseLoader):
        def get_source(self, environment: Environment, template: str) -> tuple[str, str, None]:  # noqa: ARG002 - Jinja's signature
            if not files.stands(template):
                raise TemplateNotFound(template)
            text = files.text(template)
            if len(text) > MAX_TEMPLATE:
                raise BadInput(Problem(message=f"{template} is longer than {MAX_TEMPLATE:,} characters."))
            return text, template, None

    class TreeSandbox(Sandbox):
        def join_path(self, template: str, parent: str) -> str:
            near_by = template.startswith(("./", "../"))
            return resolve(template, folder=posixpath.dirname(parent) if near_by else files.root)

    return TreeSandbox(TreeLoader())


def _explained(error: Exception, path: str, variables: Mapping[str, JSON]) -> Problem:
    """Say what went wrong in a template, and where in it."""
    from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError, UndefinedError  # noqa: PLC0415 - as in render

    name, line = _place(error.__traceback__) or (path, None)
    remedy = None
    if isinstance(error, TemplateSyntaxError):
        name, line, what = error.name or name, error.lineno, str(error.message)
    elif isinstance(error, TemplateNotFound):
        what, remedy = f"{error.name} does not exist", _elsewhere(str(error.name), name)
    elif isinstance(error, UndefinedError):
        what = f"{error.message}"
        word = what.split("'")[1] if what.count("'") == 2 else ""  # noqa: PLR2004 - 'name' is undefined
        remedy = near(word, variables) or (f"Give {word} in `vars`." if word else None)
    elif isinstance(error, BadInput):
        what, remedy = error.problems[0].message.rstrip("."), error.problems[0].remedy
    else:
        what = str(error) or type(error).__name__
    place = f"{name}:{line}" if line else name
    message = f"The template {place} cannot be rendered: {what.rstrip('.')}."
    return Problem(message=message, remedy=remedy, source_path=name, source_line=line)


def _elsewhere(missing: str, template: str) -> str | None:
    name = posixpath.basename(missing)
    return f"Names are seen from the folder that is looked at; write ./{name} for a file beside {template}."


def _place(traceback: TracebackType | None) -> tuple[str, int] | None:
    """Return the template and line in which an error was raised; None when it was in none."""
    found = None
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            found = (str(template.name), template.get_corresponding_lineno(traceback.tb_lineno))
        traceback = traceback.tb_next
    return found
