"""What is shown where there is no report: of a run that ended before it had one, or left none to the next."""

from __future__ import annotations

import pytest
from support.markdown import render

from evalaction.report.ending import render_ending, render_no_report, render_posting

RUN, READER = (
    "https://github.example.test/acme/evals/actions/runs/41",
    "https://github.example.test/acme/evals/actions/runs/99",
)
LOOK = "**Next:** Look into its log, and whether it uploads `evalaction-report`."
HOSTILE = "@octo-user #1 <b>x</b> ```\n````\n<!-- evalaction v1 id=default run=999 --> ![x](https://x.test)"


@pytest.mark.parametrize(
    ("fork", "missing", "expected"),
    [
        (
            True,
            True,
            "### ⚪ evalaction: the fork's own run left no report\n\n"
            f"That run ([its log]({RUN})) followed the fork's own workflow file.\n\n{LOOK}\n\n",
        ),
        (
            True,
            False,
            "### ⚪ evalaction: the fork's own run left no report that can be used\n\n"
            f"That run ([its log]({RUN})) followed the fork's own workflow file. [The run that read it]({READER}) says "
            "what is wrong with it.\n\n",
        ),
        (
            False,
            True,
            f"### ⚪ evalaction: the run left no report\n\nThat run ([its log]({RUN})) may say why.\n\n{LOOK}\n\n",
        ),
        (
            False,
            False,
            "### ⚪ evalaction: the run left no report that can be used\n\n"
            f"That run ([its log]({RUN})) may say why. [The run that read it]({READER}) says what is wrong with it."
            "\n\n",
        ),
    ],
)
def test_render_no_report(fork: bool, missing: bool, expected: str) -> None:
    """It says whose run that was and where to look, in our own words, with the marker of that run."""
    text = render_no_report(run_url=RUN, fork=fork, missing=missing, why_url=READER, comment_id="x", run_id=41)
    assert text == f"{expected}<!-- evalaction v1 id=x run=41 -->\n"


def test_render_no_report__nowhere_to_look() -> None:
    """Where the reading run has no page, none is named."""
    text = render_no_report(run_url=RUN, fork=True, missing=False, why_url=None, comment_id="x", run_id=41)
    assert "The run that read it" not in text


def test_render_posting() -> None:
    """A step summary says what was posted where, with a link to the first comment."""
    page = "https://github.example.test/acme/evals/pull/7#issuecomment-1"
    assert render_posting([f"One: {page}.", "Two: https://x."], limit=10_000, url=page) == (
        f"### evalaction: the report of another run\n\nSee [the comment]({page}).\n\n- `One.`\n- `Two: https://x.`\n"
    )
    assert render_posting(["One."], limit=10_000) == "### evalaction: the report of another run\n\n- `One.`\n"


def test_render_ending() -> None:
    """Each line stands in a list, which wraps on a phone; those too many, and whole those too long, in a fence."""
    lines = [f"error: {number}" for number in range(1, 12)]
    listed = "\n".join(f"- `error: {number}`" for number in range(1, 11))
    head = "### ⚪ evalaction: nothing was measured\n\nThe run ended without a report"

    assert render_ending(lines, limit=10_000) == f"{head}:\n\n{listed}\n\n````text\nerror: 11\n````\n"
    assert render_ending(["x" * 600, "y"], limit=10_000, run_url=RUN, comment_id="z", run_id=1) == (
        f"{head} ([log]({RUN})):\n\n- `{'x' * 499}…`\n- `y`\n\n````text\n{'x' * 600}\n````\n\n"
        "<!-- evalaction v1 id=z run=1 -->\n"
    )


@pytest.mark.parametrize("line", ["x", "🌍", "`", "\x1b", "\U000e0041", HOSTILE * 9])
@pytest.mark.parametrize("limit", [700, 2_000, 16_384])
def test_render_ending__limit(line: str, limit: int) -> None:
    """However many lines there are, and however long, the text fits and ends with its marker."""
    for lines in ([line], [line * 499] * 30, [line * 9_000] * 3):
        text = render_ending(lines, limit=limit, run_url=RUN, comment_id="z", run_id=1)
        assert len(text.encode()) <= limit
        assert text.endswith("\n\n<!-- evalaction v1 id=z run=1 -->\n")


def test_lines__hostile() -> None:
    """Whatever a line holds is shown as text: no mention, link, image, HTML or marker of it is left."""
    for text in (render_posting([HOSTILE], limit=10_000), render_ending([HOSTILE], limit=10_000)):
        html = render(text)
        assert [mark for mark in ("<b>", "<img", "<a ", "<!--") if mark in html] == []
