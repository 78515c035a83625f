"""Records whose methods are made when they are first needed: what is imported, but not used, costs next to nothing.

Pure. ``dataclass(frozen=True, kw_only=True, slots=True)`` compiles six methods for each class when its module is
imported, which was 40 % of the time that a command took to start. A class that is marked ``frozen`` is such a dataclass
to whoever asks (``fields``, ``replace``, ``asdict``, pickles), but it shares all methods with the others, save
``__init__``, which is compiled once there are many instances. ``mutable`` is the same for what changes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, dataclass_transform

T = TypeVar("T")
Values = tuple[Any, ...]


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class a dataclass that is frozen, has slots, and takes its fields by name.

    What a class brings itself (``__eq__``, ``__repr__``, ``__post_init__``) stays. All that is annotated is a field.
    """
    return _made(cls, _OF_FROZEN)


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """Make a class a dataclass that has slots, takes its fields by name, and is equal to itself alone."""
    return _made(cls, {})


def _made(cls: type[T], methods: dict[str, Any]) -> type[T]:
    names = tuple(inspect.get_annotations(cls))
    source = _Source(cls, names)
    body = {**_SHARED, **methods, **cls.__dict__, "__qualname__": cls.__qualname__, "__slots__": names}
    for name in (*names, *_NOT_KEPT):
        body.pop(name, None)
    # Without a docstring a dataclass writes its own, for which it would need __init__.
    cls.__doc__ = body["__doc__"] = cls.__doc__ or cls.__name__
    body |= {name: _Late(name, make, source) for name, make in _LATE.items()}
    body["__init__"] = _LateInit("__init__", _init_of, source)
    made: Any = type(cls.__name__, cls.__bases__, body)
    result: type[T] = made
    return result


class _Source:
    """A class as it was written."""

    def __init__(self, cls: Any, names: tuple[str, ...]) -> None:
        self.cls, self._names = cls, names

    @cached_property
    def given(self) -> dict[str, Field[Any]]:
        """Field → what was said of it."""
        return {name: _field_of(self.cls.__dict__.get(name, MISSING)) for name in self._names}


def _field_of(given: Any) -> Field[Any]:
    """Return what is said of a field by its default, ``MISSING`` for none, or by what ``field`` returned."""
    found: Field[Any] = given if isinstance(given, Field) else field(default=given)
    return found


class _Late:
    """Stands for an attribute of a class until somebody asks for it, and puts it in its own place then."""

    def __init__(self, name: str, make: Callable[[Any, _Source], Any], source: _Source) -> None:
        self._name, self._make, self._source = name, make, source

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        cls = self._owner(owner or type(instance))
        made = self._make(cls, self._source)
        type.__setattr__(cls, self._name, made)
        return made

    def _owner(self, cls: Any) -> Any:
        return next(base for base in cls.__mro__ if base.__dict__.get(self._name) is self)


class _LateInit(_Late):
    """Stands for an ``__init__`` that is not worth compiling for a few instances: it takes as long as to set 50."""

    _left = 50
    _any: Callable[..., None] | None = None

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        self._left -= 1
        if instance is None or self._left < 0:
            made = super().__get__(instance, owner)
            return made if instance is None else made.__get__(instance)
        if self._any is None:
            self._any = _any_init_of(self._owner(type(instance)), self._source)
        return partial(self._any, instance)


class _Shape(NamedTuple):
    """What the shared methods know of a class: its fields in their order."""

    values: Callable[[Any], Values]
    """Gives the values of a record."""
    compared: Callable[[Any], Values]
    """Gives those that make two records equal."""
    setters: tuple[Callable[[Any, Any], None], ...]
    """Set one field of a record each."""


def _shape_of(cls: Any, source: _Source) -> _Shape:
    return _Shape(
        values=_values_of([*source.given]),
        compared=_values_of([name for name, given in source.given.items() if given.compare]),
        setters=tuple(getattr(cls, name).__set__ for name in source.given),
    )


def _values_of(names: list[str]) -> Callable[[Any], Values]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple([getattr(record, name) for name in names])


def _fields_of(_: Any, source: _Source) -> dict[str, Field[Any]]:
    """Return what ``fields`` reads, as a dataclass has it that is made of the class as it was written."""
    _ = source.given  # read first: a dataclass takes away what was said of its fields
    usual: Any = dataclass(init=False, repr=False, eq=False, kw_only=True)(source.cls)
    found: dict[str, Field[Any]] = usual.__dataclass_fields__
    return found


def _params_of(cls: Any, source: _Source) -> Any:
    _ = fields(cls)  # which makes the source a dataclass
    return source.cls.__dataclass_params__


def _any_init_of(cls: Any, source: _Source) -> Callable[..., None]:
    """Return what does as the method that sets all fields, slowly; a wrong call is left to that one."""
    known = {
        name: (getattr(cls, name).__set__, given.default, given.default_factory)
        for name, given in source.given.items()
        if given.init
    }
    needed = {name for name, (_, default, factory) in known.items() if default is MISSING and factory is MISSING}
    prepares = hasattr(cls, "__post_init__")

    def set_all(self: Any, /, *wrong: Any, **given: Any) -> None:
        if wrong or not (needed <= given.keys() <= known.keys()):
            cls.__init__(self, *wrong, **given)
            return
        for name, (put, default, factory) in known.items():
            if name in given:
                put(self, given[name])
            else:
                put(self, default if factory is MISSING else factory())
        if prepares:
            self.__post_init__()

    return set_all


def _init_of(cls: Any, source: _Source) -> Any:
    """Return the method that sets all fields, each by its slot."""
    names: dict[str, Any] = {"MISSING": MISSING}
    taken, lines = [], []
    for name, given in source.given.items():
        if not given.init:
            continue
        names[f"_set_{name}"] = getattr(cls, name).__set__
        if given.default_factory is not MISSING:
            names[f"_default_{name}"] = given.default_factory
            taken.append(f"{name}=MISSING")
            lines.append(f"if {name} is MISSING: {name} = _default_{name}()")
        elif given.default is not MISSING:
            names[f"_default_{name}"] = given.default
            taken.append(f"{name}=_default_{name}")
        else:
            taken.append(name)
        lines.append(f"_set_{name}(self, {name})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n  ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(['self', '*', *taken] if taken else ['self'])}):\n  {body}", names)  # noqa: S102 - as dataclasses do
    made = names["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    types = inspect.get_annotations(source.cls)
    made.__annotations__ = {name: types[name] for name, given in source.given.items() if given.init} | {"return": None}
    return made


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    compared = self.__frozen__.compared
    return compared(self) == compared(other)


def _hash(self: Any) -> int:
    return hash(self.__frozen__.compared(self))


def _repr(self: Any) -> str:
    shown = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr]
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: Any, name: str, value: object) -> None:  # noqa: ARG001 - the signature of a method
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:  # noqa: ARG001 - the same
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> Values:
    return self.__frozen__.values(self)  # type: ignore[no-any-return] # a tuple


def _restore(self: Any, state: Values) -> None:
    for put, value in zip(self.__frozen__.setters, state, strict=True):
        put(self, value)


_NOT_KEPT = frozenset({"__dict__", "__weakref__"})
"""What a class with slots has not."""
_LATE: dict[str, Callable[[Any, _Source], Any]] = {
    "__frozen__": _shape_of,
    "__dataclass_fields__": _fields_of,
    "__dataclass_params__": _params_of,
}
"""Attribute that tells of a class, to the shared methods or to whoever knows dataclasses → what makes it."""
_SHARED: dict[str, Any] = {
    "__repr__": _repr,
    "__getstate__": _state,
    "__setstate__": _restore,
    "__match_args__": (),
}
"""Name → method, for the methods that all such classes share."""
_OF_FROZEN: dict[str, Any] = {
    "__eq__": _equal,
    "__hash__": _hash,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
}
"""The same, of those that cannot be changed."""
