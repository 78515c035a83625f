"""A Jinja2 environment in which a template of a stranger can do no harm, and always renders the same. Pure.

On top of Jinja's immutable sandbox: no filter or global whose result depends on chance or on memory
addresses; only JSON values can be printed; and everything a template makes is charged against a budget, so
that nested loops, doubled texts and huge numbers end in an error instead of hours or gigabytes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import wraps
from typing import Any

from jinja2 import BaseLoader, StrictUndefined, Template, Undefined, nodes
from jinja2.exceptions import SecurityError, TemplateNotFound, TemplateRuntimeError
from jinja2.filters import do_indent
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from evalaction.suite.metering import CHARACTERS_PER_UNIT, COUNTED, MADE, PRINTED, meter
from evalaction.suite.words import indented
from evalaction.values import dumps

MAX_TEXT = 1_000_000
"""Characters that a rendered prompt, or any text on the way to it, may have."""
BUDGET = 1_000_000
"""Units of work for one rendering: an item of a loop, an element, or 100 characters are one each."""
CALL = 10
"""Units that a call costs."""
MAX_INDENT = 16
MAX_BITS = 10_000
"""Size of an integer on the way, in bits."""

_FILTERS_TEXT = """
    abs batch capitalize count d default dictsort e escape first float groupby indent int items join
    last length list lower map max min reject rejectattr replace reverse round select selectattr slice
    sort string sum title tojson trim truncate unique upper urlencode wordcount
"""
_FILTERS = frozenset(_FILTERS_TEXT.split())
_TEXT_METHODS_TEXT = """
    capitalize casefold count endswith find isalnum isalpha isdigit islower isspace isupper lower lstrip
    removeprefix removesuffix rstrip split splitlines startswith strip title upper
"""
_TEXT_METHODS = frozenset(_TEXT_METHODS_TEXT.split())
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "**": operator.pow,
    "%": operator.mod,
}


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment. ``start`` refills the budget and forgets which templates were used."""

    intercepted_binops = frozenset(_OPERATORS)

    def __init__(self, loader: BaseLoader) -> None:
        super().__init__(loader=loader, undefined=StrictUndefined, autoescape=False, finalize=self.printed)
        self.left = BUDGET
        self.used: dict[str, None] = {}
        """Templates that were asked for since ``start``, in that order."""
        self.missed = False
        """A template was asked for that does not exist, which ``ignore missing`` lets pass."""
        self.filters = {name: self._charged(self.filters[name]) for name in _FILTERS}
        self.filters |= {"tojson": self._tojson, "string": self.printed, "replace": self._replace, "join": self._join}
        self.filters |= {"indent": self._indent, "sum": self._sum}
        self.filters |= {MADE: self.made, PRINTED: self.printed, COUNTED: self._counted}
        self.globals = {name: self.globals[name] for name in ("dict", "cycler", "joiner", "namespace")}
        self.globals["range"] = self._range

    def start(self) -> None:
        """Make ready for the next rendering."""
        self.left, self.used, self.missed = BUDGET, {}, False

    def charge(self, units: int) -> str:
        """Take ``units`` from the budget.

        Raises:
            SecurityError: there is not that much left.
        """
        self.left -= units
        if self.left < 0:
            raise SecurityError("the template does too much work: it loops or grows without an end in sight")
        return ""

    def made(self, value: Any) -> Any:
        """Charge a value that the template made, and return it.

        Raises:
            SecurityError: the value, or all of them together, are too large.
        """
        if isinstance(value, str):
            self.short_enough(len(value))
            self.charge(len(value) // CHARACTERS_PER_UNIT)
        elif isinstance(value, int) and value.bit_length() > MAX_BITS:
            raise SecurityError("a number grows too large")
        elif isinstance(value, list | tuple | set | frozenset):
            self._elements(value)
        elif isinstance(value, dict):
            self._elements(value.values())
        elif isinstance(value, Namespace):
            raise SecurityError("a namespace cannot be kept in another value")
        return value

    def short_enough(self, length: int) -> None:
        """Check the length of a text, in characters.

        Raises:
            SecurityError: it is too long.
        """
        if length > MAX_TEXT:
            raise SecurityError(f"a text grows beyond {MAX_TEXT:,} characters")

    def printed(self, value: Any) -> Any:
        """Return the text of a value: a text as it is, every other JSON value as canonical JSON.

        Raises:
            TemplateRuntimeError: the value is no JSON value (a function, a generator).
        """
        if isinstance(value, str | Undefined):
            return self.made(value)
        return self.made(dumps(self._json(value)))

    def get_template(self, name: Any, parent: str | None = None, globals: Any = None) -> Template:  # noqa: A002 - Jinja's name for it
        """Return a template by its path, and remember that it was used."""
        if not isinstance(name, str) or isinstance(name, Undefined):
            raise TemplateRuntimeError(f"a template is named by a text, not by {type(name).__name__}")
        path = self.join_path(name, parent) if parent is not None else name
        try:
            template = super().get_template(path, None, globals)
        except TemplateNotFound:
            self.missed = True
            raise
        self.used.setdefault(path)
        self.charge(CALL)
        return template

    def select_template(self, names: Any, parent: str | None = None, globals: Any = None) -> Template:  # noqa: A002, ARG002 - Jinja's signature
        """Refuse a list of templates: which one is read would depend on files that are not there."""
        raise TemplateRuntimeError("name one template, not a list of them")

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call ``obj`` for a template, and charge the call and what it makes."""
        self.charge(CALL)
        for argument in (*args, *kwargs.values()):
            self._modest(argument)
        result = super().call(context, obj, *args, **kwargs)
        return result if isinstance(result, Namespace) else self.made(result)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ARG002 - Jinja's signature
        """Compute a product, sum, power or remainder, unless the result would be too large to make."""
        if operator == "%" and isinstance(left, str):
            raise SecurityError("texts are not formatted with %; put the parts together with ~")
        if operator == "**" and not (abs(left) <= MAX_TEXT and abs(right) <= CHARACTERS_PER_UNIT):
            raise SecurityError("a power is too large")
        for one, other in ((left, right), (right, left)):
            if operator == "*" and isinstance(one, str | list | tuple):
                self._modest(other)
                self.charge(len(one) * max(other, 0) // (CHARACTERS_PER_UNIT if isinstance(one, str) else 1))
        return self.made(_OPERATORS[operator](left, right))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Allow what Jinja's sandbox allows, save methods of texts that can multiply them, and all of numbers."""
        if isinstance(obj, str):
            return attr in _TEXT_METHODS
        return not isinstance(obj, int | float | Decimal) and super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> None:
        """Offer no ``str.format``: a width in it makes texts of any length."""

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        """Compile a template after everything that it makes was put under the budget."""
        meter(source)
        source.set_environment(self)
        return super()._generate(source, *args, **kwargs)

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.charge(1)
            yield item

    def _elements(self, items: Iterable[Any]) -> None:
        stack = [iter(items)]
        while stack:
            for item in stack[-1]:
                self.charge(1)
                if isinstance(item, list | tuple):
                    stack.append(iter(item))
                    break
                if isinstance(item, dict):
                    stack.append(iter(item.values()))
                    break
                self.made(item)
            else:
                stack.pop()

    def _modest(self, argument: Any) -> None:
        if isinstance(argument, int | Decimal) and not -MAX_TEXT <= argument <= MAX_TEXT:
            raise SecurityError(f"a number beyond {MAX_TEXT:,} is handed to a function or a product")
        if isinstance(argument, Namespace):
            raise SecurityError("a namespace cannot be kept in another value")

    def _charged(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def charged(*args: Any, **kwargs: Any) -> Any:
            self.charge(1)
            for argument in (*args, *kwargs.values()):
                self._modest(argument)
                if isinstance(argument, list | tuple | dict):
                    self.made(argument)  # What a filter is given, it may walk through, or turn into a text.
            return self.made(function(*args, **kwargs))

        return charged

    def _range(self, *bounds: int) -> range:
        numbers = range(*bounds)
        self.charge(len(numbers) if abs(numbers.stop - numbers.start) <= BUDGET else BUDGET + 1)
        return numbers

    def _replace(self, text: Any, old: str, new: str, count: int = -1) -> str:
        """Replace ``old`` by ``new``, all of them or the first ``count``."""
        text, old, new = self.printed(text), self.printed(old), self.printed(new)
        found = text.count(old) if count < 0 else min(text.count(old), count)
        self.charge((len(text) + found * len(new)) // CHARACTERS_PER_UNIT)
        return str(self.made(text.replace(old, new, count)))

    def _join(self, items: Iterable[Any], separator: str = "", attribute: str | None = None) -> str:
        """Join the texts of ``items``, or of one attribute of each."""
        if attribute is not None:
            items = (self.getitem(item, attribute) for item in items)
        separator = self.printed(separator)
        texts = [self.printed(item) for item in self._counted(items)]
        self.short_enough(sum(map(len, texts)) + len(separator) * len(texts))
        return str(self.made(separator.join(texts)))

    def _indent(self, text: Any, width: int = 4, first: bool = False, blank: bool = False) -> str:  # noqa: FBT001, FBT002 - Jinja's signature
        """Indent the lines of a text by ``width`` blanks."""
        text = self.printed(text)
        self._modest(width)
        self.short_enough(len(text) + (text.count("\n") + 1) * width)
        return str(self.made(do_indent(text, width, first, blank)))

    def _sum(self, items: Iterable[Any], attribute: str | None = None) -> Any:
        """Add up the numbers of ``items``, or one attribute of each."""
        total: Any = 0
        for item in self._counted(items):
            number = item if attribute is None else self.getitem(item, attribute)
            if not isinstance(number, int | Decimal | float):
                raise TemplateRuntimeError("sum adds up numbers")
            total = self.made(total + number)
        return total

    def _tojson(self, value: Any, indent: int | None = None) -> str:
        """Return a value as canonical JSON, or with ``indent`` spaces a level, one entry a line."""
        value = self._json(value)
        return str(self.made(dumps(value) if indent is None else indented(value, step=" " * min(indent, MAX_INDENT))))

    def _json(self, value: Any) -> Any:
        self.charge(1)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, str):
            return self.made(str(value))
        if isinstance(value, Decimal | float) and Decimal(value).is_finite():
            return Decimal(repr(value)) if isinstance(value, float) else value
        if isinstance(value, list | tuple):
            return [self._json(item) for item in value]
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return {key: self._json(item) for key, item in value.items()}
        raise TemplateRuntimeError(f"a value of type {type(value).__name__} cannot be printed; use |list or |join")
