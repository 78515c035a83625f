"""Records whose methods are made when they are needed are the dataclasses that they would be otherwise."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalaction.frozen import frozen, mutable

T = TypeVar("T")


@frozen
class Point:
    """A place."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


@frozen
class Named:
    """A place with a name."""

    point: Point
    name: str | None = None


@frozen
class One:  # noqa: D101 - that it has no docstring is the point
    only: tuple[int, ...]


@frozen
class Nothing:
    """No field at all."""


@frozen
class Made:
    """A field that is made of another."""

    text: str
    size: int = field(init=False)

    def __post_init__(self) -> None:
        """Make the other field."""
        object.__setattr__(self, "size", len(self.text))

    def __repr__(self) -> str:
        """Show it in its own way."""
        return f"<{self.text}>"


@mutable
class Counted:
    """Something that changes."""

    most: int
    seen: int = 0
    names: list[str] = field(default_factory=list)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        """Begin with all of it."""
        self.left = self.most


@dataclass(frozen=True, kw_only=True, slots=True)
class Usual:
    """A place, as dataclasses make it."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


VALUES = st.fixed_dictionaries(
    {"x": st.integers()}, optional={"y": st.integers(), "tags": st.lists(st.text()), "note": st.text()}
)


@given(VALUES, VALUES)
def test_frozen__as_a_dataclass(one: dict[str, Any], other: dict[str, Any]) -> None:
    """What it holds, shows and equals is what a dataclass of these fields does."""
    mine, usual = (Point(**one), Point(**other)), (Usual(**one), Usual(**other))
    assert [asdict(item) for item in mine] == [asdict(item) for item in usual]
    assert [repr(item) for item in mine] == [repr(item).replace("Usual", "Point") for item in usual]
    assert (mine[0] == mine[1]) is (usual[0] == usual[1])
    stranger: object = usual[0]
    assert mine[0] != stranger
    assert asdict(replace(mine[0], **other)) == asdict(replace(usual[0], **other))


@given(VALUES)
def test_frozen__copied(values: dict[str, Any]) -> None:
    """A pickle, and a copy, is equal in every field."""
    item = Named(point=Point(**values), name="a")
    for copied in (_pickled(item), copy.copy(item), copy.deepcopy(item)):
        assert copied == item
        assert copied.point.note == item.point.note
    for small in (One(only=(1, 2)), Nothing()):
        assert _pickled(small) == small


def _pickled(item: T) -> T:
    return cast("T", pickle.loads(pickle.dumps(item)))  # noqa: S301 - our own


def test_frozen__many() -> None:
    """Records are the same, and wrong calls refused in the same words, before and after ``__init__`` is compiled."""

    def kind() -> Any:
        @frozen
        class Item:
            """Something."""

            a: int
            b: str = "b"
            c: list[int] = field(default_factory=list)
            size: int = field(init=False)

            def __post_init__(self) -> None:
                object.__setattr__(self, "size", self.a)

        return Item

    def refused(cls: Any, *given: Any, **named: Any) -> str:
        with pytest.raises(TypeError) as caught:
            cls(*given, **named)
        return str(caught.value)

    early, late = kind(), kind()
    assert len(inspect.signature(late).parameters) == 3  # which needs the compiled one
    wrong: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((), {}), ((1,), {"a": 1}), ((), {"a": 1, "z": 2})]
    assert [refused(early, *given, **named) for given, named in wrong] == [
        refused(late, *given, **named) for given, named in wrong
    ]
    first = kind()
    many = [first(a=number, c=[number]) for number in range(200)]
    assert [asdict(item) for item in many] == [
        {"a": number, "b": "b", "c": [number], "size": number} for number in range(200)
    ]
    assert many[-1].c is not many[-2].c


def test_mutable() -> None:
    """What changes takes its fields by name, has no others, and is equal to itself alone."""
    one, other = Counted(most=3), Counted(most=3)
    one.seen += 1
    one.names.append("a")
    assert (asdict(one), asdict(other)) == (
        {"most": 3, "seen": 1, "names": ["a"], "left": 3},
        {"most": 3, "seen": 0, "names": [], "left": 3},
    )
    assert one != Counted(most=3, seen=1, names=["a"])
    assert len({one, other, one}) == 2
    assert repr(one) == "Counted(most=3, seen=1, names=['a'], left=3)"
    unchecked: Any = one
    with pytest.raises(AttributeError):
        unchecked.other = 1
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'most'"):
        type(unchecked)()


def test_frozen__hash() -> None:
    """Equal records have one hash; what is not compared is not hashed."""
    assert hash(One(only=(1,))) == hash(One(only=(1,)))
    assert len({Made(text="a"), Made(text="a"), Made(text="b")}) == 2
    assert hash(Nothing()) == hash(Nothing())


def test_frozen__cannot_be_changed() -> None:
    """No field can be set or deleted, and no other attribute be given."""
    point: Any = Point(x=1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'z'"):
        point.z = 3
    assert not hasattr(point, "__dict__")


def test_frozen__arguments() -> None:
    """Fields are given by name; a default that is made is made anew for each record."""
    unchecked: Any = Point
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        unchecked(x=1, z=1)
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'x'"):
        unchecked()
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        unchecked(1)
    assert Point(x=1).tags is not Point(x=1).tags
    assert list(inspect.signature(Point).parameters) == ["x", "y", "tags", "note"]
    assert list(inspect.signature(Nothing).parameters) == []


def test_frozen__own_methods() -> None:
    """What a class brings itself stays, and a field may be made when the others are there."""
    assert Made(text="abc").size == 3
    assert repr(Made(text="abc")) == "<abc>"
    assert repr(One(only=(1,))) == "One(only=(1,))"
    assert replace(Made(text="abc"), text="a").size == 1


def test_frozen__is_a_dataclass() -> None:
    """Whoever asks is told that it is one, with a docstring even where none was written."""
    assert is_dataclass(Point)
    assert [each.name for each in fields(Made)] == ["text", "size"]
    assert One.__doc__ == "One"
    assert Point.__doc__ == "A place."
