"""Patterns that are compiled late do what they would have done at once."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import evalaction
from evalaction import late

LATE = type(late.pattern(""))
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(evalaction.__path__, "evalaction.") if "demo" not in module.name
)


def test_pattern__as_compiled() -> None:
    """Every method gives what the pattern's own does, the first time and again."""
    found, usual = late.pattern(r"(?P<a>b)+", re.IGNORECASE), re.compile(r"(?P<a>b)+", re.IGNORECASE)
    for _ in range(2):
        match = found.search("xBb")
        assert match is not None
        assert match["a"] == "b"
        assert found.sub("-", "xBbx") == "x-x"
        assert found.fullmatch("ab") is None
        assert [each.span() for each in found.finditer("b b")] == [(0, 1), (2, 3)]
    assert (found.pattern, found.flags, found.groups) == (usual.pattern, usual.flags, usual.groups)


def test_pattern__wrong() -> None:
    """A pattern that is none is found out when it is used."""
    wrong = late.pattern("(")
    with pytest.raises(re.error, match="missing \\)"):
        wrong.search("")


@pytest.mark.parametrize("name", MODULES)
def test_pattern__all_compile(name: str) -> None:
    """Every pattern of this program is one."""
    module = importlib.import_module(name)
    patterns = [value for value in vars(module).values() if type(value) is LATE]
    assert [re.compile(each.pattern, each.flags).pattern for each in patterns] == [each.pattern for each in patterns]
