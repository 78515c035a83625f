"""Any text in every field of a report changes the structure of none of the places that show it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from support.hostile import KINDS, texts
from support.markdown import FORBIDDEN, outside_code, tags
from support.places import PLACES, REPORTS, SOURCE

from evalaction.report.comment import marker, render_comment

SHOWN = [True, False]
ROOM = 80
"""Characters of a text at which no place has to leave out or to cut anything."""
FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@cache
def plain(kind: str, *, shown: bool) -> dict[str, Any]:
    """Return the structures of a report with ``x`` in every field."""
    return structures(kind, "x", shown=shown)


def structures(kind: str, text: str, *, shown: bool) -> dict[str, Any]:
    """Return the structures of a report with ``text`` in every field, by place."""
    run = replace(REPORTS[kind](text), show_completions=shown)
    return {place: structure(run) for place, structure in PLACES.items()}


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("kind", REPORTS)
@given(text=texts(max_size=ROOM))
@FEW
def test_places__any_text(kind: str, shown: bool, text: str) -> None:
    """Whatever the text, every place has exactly the structure that it has with ``x`` in its stead."""
    assert structures(kind, text, shown=shown) == plain(kind, shown=shown)


@pytest.mark.parametrize("tries", KINDS)
@pytest.mark.parametrize("kind", REPORTS)
def test_places__hostile(kind: str, tries: str) -> None:
    """Known attacks, in every field at once, change no structure."""
    short = [text for text in KINDS[tries] if len(text) <= ROOM]

    assert [text for text in short if structures(kind, text, shown=True) != plain(kind, shown=True)] == []


LONG = [
    "a",
    "測",
    "🔴",
    "👩\u200d👧",
    "`",
    "|",
    "&",
    "<",
    "\n",
    "\\",
    "\u202e",
    "\ud83d",
    "\0",
    "e\u0301",
    "@a ",
    "<!--",
    "::",
]


@pytest.mark.parametrize("limit", [16_384, 65_536])
@pytest.mark.parametrize("unit", LONG)
def test_render_comment__long_texts_everywhere(unit: str, limit: int) -> None:
    """Long texts in every field, of signs that take much room or end what they stand in, leave a comment whole."""
    for made in REPORTS.values():
        shown = render_comment(made(unit * 2_000), limit=limit, report_location="report.json", source_url=SOURCE)
        found = tags(shown)

        assert max(len(shown), len(shown.encode("utf-16-le")) // 2, len(shown.encode())) <= limit
        assert (shown.count("<!--"), found[-1]) == (1, marker("default"))
        assert found.count("<details>") == found.count("</details>")
        assert [tag for tag in found if tag.startswith(("<h1", "<h2", "<img", "<script"))] == []
        assert FORBIDDEN.search(outside_code(shown)) is None
