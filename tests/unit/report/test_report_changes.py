"""What is checked differently, in a sentence and in the comment's warning."""

from __future__ import annotations

from decimal import Decimal

import pytest
from support.reports import change, removed, report

from evalaction.report.changes import change as one
from evalaction.report.changes import changes
from evalaction.report.changes import removed as gone
from evalaction.report.comment_parts import warnings
from evalaction.report.untrusted import plain

SOURCE = "https://github.example.test/acme/evals/blob/0a1b"
GOLDEN = "golden/invoices.golden.jsonl"
N = change("a", "n", 5, 3)
AGREEMENT = change("a", "agreement_min", Decimal("0.9"), Decimal("0.8"))
KEY = change("b", "expect_keys.total", True, None, line=2)


def test_changes__of_one_line() -> None:
    """All that changed on one line is said with its case and its place once."""
    assert [plain(one(KEY)), plain(changes([N, AGREEMENT]))] == [
        f"b expect_keys.total true → not set ({GOLDEN}:2)",
        f"a n 5 → 3, agreement_min 0.9 → 0.8 ({GOLDEN}:1)",
    ]


def test_removed__table() -> None:
    """A case is removed from a file, and a file as a whole."""
    assert [plain(gone(removed("a"))), plain(gone(removed(None, kind="file")))] == [
        "case a (golden/old.golden.jsonl)",
        "file golden/old.golden.jsonl",
    ]


@pytest.mark.parametrize(
    ("at_most", "expected"),
    [
        (
            10,
            "**Gates loosened (3):** `a` `n` `5` → `3`, `agreement_min` `0.9` → `0.8` "
            f"([`{GOLDEN}:1`]({SOURCE}/{GOLDEN}#L1)), `b` `expect_keys.total` `true` → not set "
            f"([`{GOLDEN}:2`]({SOURCE}/{GOLDEN}#L2))",
        ),
        (1, f"**Gates loosened (3):** `a` `n` `5` → `3` ([`{GOLDEN}:1`]({SOURCE}/{GOLDEN}#L1)) and 2 more"),
        (0, "**Gates loosened:** 3"),
    ],
)
def test_warnings__loosened(at_most: int, expected: str) -> None:
    """A warning names as many changes as there is room for, links each line once, and counts the others."""
    run = report(loosened=(N, AGREEMENT, KEY))

    assert warnings(run, at_most, source=SOURCE) == f"> [!WARNING]\n> - {expected}"
