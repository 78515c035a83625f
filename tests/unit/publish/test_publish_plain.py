"""Lines in a log that are no report: masks, commands, and what is said on the way."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.actions_runner import read_log

from evalaction.publish.plain import mask_lines, write_commands, write_lines
from evalaction.redact import MIN_SECRET, forms_of


def test_write_lines__no_workflow_command() -> None:
    """Lines of other stages are made safe one by one."""
    stream = io.StringIO()
    write_lines(["a ∅", "::error::x", "b\n::error::x ##[group]"], stream)

    assert stream.getvalue() == "a ∅\n: :error::x\nb⏎::error::x ## [group]\n"


@pytest.mark.parametrize(
    ("secret", "masked"),
    [
        ("sk-test-AAAA1111", ["sk-test-AAAA1111"]),
        ("  sk-test-AAAA1111\n", ["sk-test-AAAA1111"]),
        ("1234567", []),
        ("", []),
        ("12345678", ["12345678"]),
        ("first line\r\nshort\nsecond line", ["first line", "first%20line", "first+line"]),
        ('a/b%c "d', ['a/b%c "d', "a/b%25c%20%22d", "a%2Fb%25c%20%22d", "a%2Fb%25c+%22d", 'a/b%c \\"d']),
        ("schlüssel", ["schlüssel", "schl%C3%BCssel", "schl\\u00fcssel"]),
        ("half \ud83d of a pair", []),
    ],
)
def test_mask_lines__table(secret: str, masked: list[str]) -> None:
    """A secret is masked line by line, trimmed, in each form that it could be shown in, unless it is too short."""
    lines = mask_lines([secret, secret])
    log = read_log("\n".join(lines))
    second = ["second line", "second%20line", "second+line"] if "second" in secret else []

    assert [(command.name, command.data) for command in log.commands] == [
        ("add-mask", form) for form in masked + second
    ]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_mask_lines__what_reports_are_cleared_of(text: str) -> None:
    """Each form of a line of a secret that reports are cleared of is masked, to the letter."""
    secret = f"01234567{text}89"
    masked = {command.data for command in read_log("\n".join(mask_lines([secret]))).commands}
    parts = [part.strip() for part in re.split("[\r\n]", secret)]

    assert masked == {form for part in parts if len(part) >= MIN_SECRET for form in forms_of(part)}


def test_write_commands__as_they_are() -> None:
    """Commands are written as they are."""
    stream = io.StringIO()
    write_commands(["::add-mask::a%0Ab"], stream)

    assert stream.getvalue() == "::add-mask::a%0Ab\n"
