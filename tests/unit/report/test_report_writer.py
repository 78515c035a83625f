"""Report documents as JSON text."""

from __future__ import annotations

from typing import Any

import pytest

from evalaction.report.writer import json_text
from evalaction.values import parse


@pytest.mark.parametrize("text", ["1" + "0" * 350, "-" + "9" * 400, "0.1", "19.50", "9007199254740993"])
def test_json_text__numbers(text: str) -> None:
    """A number of any size is written with all its digits, and read back as the same value."""
    value: Any = parse(text)
    assert parse(json_text(value)) == value


def test_json_text__not_finite() -> None:
    """A float that JSON does not know is refused rather than written."""
    with pytest.raises(ValueError, match="nan is no JSON number"):
        json_text(float("nan"))
