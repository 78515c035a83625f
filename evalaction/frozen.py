"""Records whose methods are made when they are first needed: what is imported, but not used, costs next to nothing.

Pure. ``dataclass(frozen=True, kw_only=True, slots=True)`` compiles six methods for each class when its module is
imported, which was 40 % of the time that a command took to start. A class that is marked ``frozen`` is the same
dataclass (``fields``, ``replace``, ``asdict`` and pickles know it), but it shares all methods with the others, save
``__init__``, which is compiled with the first instance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """Make a class a dataclass that is frozen, has slots, and takes its fields by name.

    What a class brings itself (``__eq__``, ``__repr__``, ``__post_init__``) stays.
    """
    # Without a docstring a dataclass writes its own, for which it would need __init__.
    cls.__doc__ = cls.__doc__ or cls.__name__
    for name, method in _SHARED.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    made: Any = dataclass(init=False, repr=False, eq=False, kw_only=True, slots=True)(cls)
    made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    made.__frozen__ = _Shape(
        values=_values_of([each.name for each in fields(made)]),
        compared=_values_of([each.name for each in fields(made) if each.compare]),
        setters=tuple(getattr(made, each.name).__set__ for each in fields(made)),
    )
    result: type[T] = made
    return result


class _Shape(NamedTuple):
    """What the shared methods know of a class: its fields in their order."""

    values: Callable[[Any], tuple[Any, ...]]
    """Gives the values of a record."""
    compared: Callable[[Any], tuple[Any, ...]]
    """Gives those that make two records equal."""
    setters: tuple[Callable[[Any, Any], None], ...]
    """Set one field of a record each."""


def _values_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple([getattr(record, name) for name in names])


class _Init:
    """Stands for ``__init__`` until somebody asks for it, and puts the method in its own place then."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        cls = next(base for base in (owner or type(instance)).__mro__ if base.__dict__.get("__init__") is self)
        made = _init_of(cls)
        type.__setattr__(cls, "__init__", made)
        return made if instance is None else made.__get__(instance, owner)


def _init_of(cls: Any) -> Any:
    """Return the method that sets all fields, each by its slot."""
    names: dict[str, Any] = {"MISSING": MISSING}
    taken, lines = [], []
    for each in fields(cls):
        name = each.name
        if not each.init:
            continue
        names[f"_set_{name}"] = getattr(cls, name).__set__
        if each.default_factory is not MISSING:
            names[f"_default_{name}"] = each.default_factory
            taken.append(f"{name}=MISSING")
            lines.append(f"if {name} is MISSING: {name} = _default_{name}()")
        elif each.default is not MISSING:
            names[f"_default_{name}"] = each.default
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
    made.__annotations__ = {each.name: each.type for each in fields(cls) if each.init} | {"return": None}
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


def _state(self: Any) -> tuple[Any, ...]:
    return self.__frozen__.values(self)  # type: ignore[no-any-return] # a tuple


def _restore(self: Any, state: tuple[Any, ...]) -> None:
    for put, value in zip(self.__frozen__.setters, state, strict=True):
        put(self, value)


_SHARED: dict[str, Any] = {
    "__init__": _Init(),
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _repr,
    "__getstate__": _state,
    "__setstate__": _restore,
}
"""Name → method, for the methods that all such classes share."""
