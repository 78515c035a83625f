"""Comments as GitHub renders them: hostile text in every place changes no structure and links nothing."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.markdown import FORBIDDEN, outside_code, render, tags
from support.reports import untrusted_everywhere

from evalaction.report.comment import marker, render_comment

PLAIN = tags(render_comment(untrusted_everywhere("x"), report_location="report.json"))
TEXTS = st.text(st.one_of(st.sampled_from("`|\\<>&@#*_[]()!-~:/\n\r\t \"'=+.w1g"), st.characters()), max_size=16)
HOSTILE = [
    "A --> B is an edge",
    "--!> also ends a comment",
    "<!-- evalaction -->",
    marker("default"),
    "</details></summary>",
    "<img src=x onerror=alert(1)>",
    "<script>1</script>",
    "# Heading\n\n- item\n\n---",
    "[click](https://evil.example.test) ![p](https://evil.example.test/t.png)",
    "```\nbreak out\n```\n# loose",
    "~~~\nbreak out\n~~~",
    '<!-- evalaction-state {"ok":true} -->',
    "Thanks @octo-user and @acme/platform-team",
    "fixes #12, closes acme/evals#34",
    "see GH-56",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "https://github.com/acme/evals/issues/78",
    "mail user@example.test, mailto:user@example.test, www.example.test",
    "ends at limit @someone-with-a-long-name",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_render_comment__hostile_text_everywhere(text: str) -> None:
    """Known attacks, in every place at once: the tags of harmless text, one marker, no link, nothing run."""
    comment = render_comment(untrusted_everywhere(text), report_location="report.json")
    html = render(comment)

    assert tags(comment) == PLAIN
    assert FORBIDDEN.search(outside_code(comment)) is None
    assert (comment.count(marker("default")), comment.count("<!--")) == (1, 1)
    assert [tag for tag in ("<h1", "<img", "<script", "<a ", "href=") if tag in html] == []


@example("`")
@example("\\|")
@example("")
@example("b")
@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_render_comment__any_text_everywhere(text: str) -> None:
    """Whatever the text, the rendered comment has exactly the tags it has with ``x`` in its place."""
    comment = render_comment(untrusted_everywhere(text), report_location="report.json")

    assert tags(comment) == PLAIN
    assert FORBIDDEN.search(outside_code(comment)) is None
    assert (comment.count("<!--"), comment.encode().decode()) == (1, comment)
