"""Untrusted text stays text, wherever it is shown."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.markdown import FORBIDDEN, in_code, outside_code, tags

from evalaction.report import untrusted
from evalaction.report.untrusted import Quoted, quoted, shown

HOSTILE = (
    "A --> B is an edge",
    "--!> also ends a comment",
    "<!-- evalaction v1 id=default -->",
    "</details></summary>",
    "<img src=x onerror=alert(1)>",
    "<script>1</script>",
    "# Heading\n\n- item\n\n---",
    "[click](https://evil.example.test) ![p](https://evil.example.test/t.png)",
    "```\nbreak out\n```\n# loose",
    "~~~\nbreak out\n~~~",
    "Thanks @octo-user and @acme/platform-team",
    "fixes #12, closes acme/evals#34",
    "see GH-56",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "https://github.com/acme/evals/issues/78 www.example.test",
    "mail user@example.test",
    "a|b\\|c\\\\|d`|`",
    "`", "``", " ` ", " ", "", "\\", "|", "\t", "\r", "\0",
)  # fmt: skip
# Weighted towards what Markdown, HTML and runners give a meaning to.
TEXTS = st.text(st.one_of(st.sampled_from("`|\\<>&@#*_[]()!-~:/\n\r\t \"'=+.w"), st.characters()), max_size=40)


Test = TypeVar("Test", bound=Callable[..., None])


def _examples(test: Test) -> Test:
    for text in HOSTILE:
        test = example(text)(test)
    return test


@_examples
@given(TEXTS)
def test_code__any_text_in_a_paragraph(text: str) -> None:
    """Whatever the text, a paragraph has one code span, and nothing else comes of it."""
    assert tags(f"before {untrusted.code(text)} after") == ["<p>", "<code>", "</code>", "</p>"]


@_examples
@given(TEXTS)
def test_cell__any_text_in_a_table(text: str) -> None:
    """Whatever the text, a table keeps its two cells, and shows the very text of the paragraph."""
    row = f"| {untrusted.cell((quoted(text),))} | {untrusted.cell((quoted('x'),))} |"
    table = f"| a | b |\n|---|---|\n{row}"

    assert tags(table) == tags("| a | b |\n|---|---|\n| `y` | `x` |")
    assert in_code(table) == [*in_code(untrusted.code(text)), "x"]


@_examples
@given(TEXTS)
def test_html_code__any_text_in_a_summary(text: str) -> None:
    """Whatever the text, a fold keeps its summary, its body and its end."""
    fold = f"<details><summary>{untrusted.html_code(text)}</summary>\n\nbody\n\n</details>"

    assert tags(fold) == tags("<details><summary><code>x</code></summary>\n\nbody\n\n</details>")
    assert in_code(fold) == [untrusted.line(text) or untrusted.EMPTY]


@_examples
@example("\\")
@example("a\\")
@given(TEXTS)
def test_html_code__any_text_in_a_paragraph(text: str) -> None:
    """Even where Markdown is read, and emphasis and addresses in it, no text swallows the tags around it."""
    code = untrusted.html_code(text)
    found = [tag for tag in tags(f"before {code} and {code} after") if not re.match("</?(em|strong|a)[ >]", tag)]

    assert found == ["<p>", "<code>", "</code>", "<code>", "</code>", "</p>"]


@_examples
@given(TEXTS)
def test_fence__any_text(text: str) -> None:
    """Whatever the text, it stays in its fence, and what follows stays out of it."""
    assert tags(f"{untrusted.fence(text, 1_000)}\n\nafter") == tags("````text\nx\n````\n\nafter")


@_examples
@given(TEXTS)
def test_markdown__nothing_that_github_links(text: str) -> None:
    """No text leaves anything outside code that GitHub makes a mention, a reference or a link of."""
    comment = f"{untrusted.code(text)}\n\n<details><summary>{untrusted.html_code(text)}</summary>\n\n</details>"

    assert FORBIDDEN.search(outside_code(comment)) is None


@_examples
@given(TEXTS)
def test_markdown__no_comment_begins(text: str) -> None:
    """No text puts the beginning of an HTML comment, such as the marker's, into the source."""
    shown = untrusted.code(text) + untrusted.html_code(text) + untrusted.fence(text, 1_000)

    assert "<!--" not in shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "`plain`"),
        ("", "`⟨empty⟩`"),
        ("  ", "`␣␣`"),
        ("a`b", "``a`b``"),
        ("`a`", "`` `a` ``"),
        (" a ", "`  a  `"),
        ("a\nb\tc", "`a⏎b⇥c`"),
        ("a\u202eb\ud83dc\u200bd\x1b[1m", "`a⟨U+202E⟩b⟨U+D83D⟩c⟨U+200B⟩d⟨U+001B⟩[1m`"),
        ("<!-- x", "`‹!-- x`"),
        ("👩‍👩‍👧 ⚠️ ✅", "`👩‍👩‍👧 ⚠️ ✅`"),
        ("a\u200db\ufe0f", "`a⟨U+200D⟩b⟨U+FE0F⟩`"),
        ("x" * 201, f"`{'x' * 199}…`"),
    ],
)
def test_code__table(text: str, expected: str) -> None:
    """Text is shown as it is, but for what cannot be seen, what would end the span, and what is too long."""
    assert untrusted.code(text) == expected


def test_visible__everything_that_cannot_be_seen() -> None:
    """Every control, format, surrogate and separator character of Unicode is shown by its number."""
    # Signs of some scripts that stand before a number; they are of the format class and can be seen.
    seen = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    unseen = [
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and code not in {*seen, 0x9, 0xA}
    ]

    assert {code: untrusted.visible(chr(code)) for code in unseen} == {code: f"⟨U+{code:04X}⟩" for code in unseen}


def test_visible__the_quick_look() -> None:
    """Text in which everything is to be seen is returned as it is without a search, and no other text is."""
    search = shown._UNSEEN.search  # noqa: SLF001 - what the quick look is to do without
    found = [chr(code) for code in range(sys.maxunicode + 1) if search(chr(code))]
    assert [sign for sign in found if untrusted.visible(sign) == sign] == []
    assert [sign for sign in found if untrusted.visible(f"a{sign}b") == f"a{sign}b"] == []


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "abc"),
        ("ae\u0301x", 2, "a"),
        ("a👩‍👧b", 3, "a"),
        ("a👍🏽b", 2, "a"),
        ("🇩🇪🇫🇷", 3, "🇩🇪"),
        ("🇩🇪🇫🇷", 2, "🇩🇪"),
        ("a\ud83d\udd34b", 2, "a"),
        ("a\r\nb", 2, "a"),
        ("\u0301\u0301\u0301", 2, "\u0301\u0301"),
    ],
)
def test_cut__table(text: str, limit: int, expected: str) -> None:
    """A cut keeps what is one sign to a reader in one piece, unless that sign alone is too long."""
    assert untrusted.cut(text, limit) == expected


@given(TEXTS, st.integers(1, 50))
def test_cut__is_a_beginning(text: str, limit: int) -> None:
    """A cut is a beginning of the text, not over the limit, and empty only when the text is."""
    kept = untrusted.cut(text, limit)

    assert (text.startswith(kept), len(kept) <= limit, bool(kept)) == (True, True, bool(text))


@pytest.mark.parametrize("limit", [5, 30])
@pytest.mark.parametrize("text", HOSTILE)
def test_code__balanced_after_a_cut(text: str, limit: int) -> None:
    """Cutting comes before quoting, so no cut leaves a backtick open."""
    assert tags(f"{untrusted.code(text, limit)} after") == ["<p>", "<code>", "</code>", "</p>"]


def test_shorten_start__keeps_the_end() -> None:
    """Of a path, the end is kept, and the mark stands for the rest."""
    assert (
        untrusted.plain((Quoted(text="golden/invoices.golden.jsonl:12", limit=16, keep_end=True),))
        == "…golden.jsonl:12"
    )


def test_fence__says_what_was_cut() -> None:
    """A shortened fence says how many characters are missing, outside the fence."""
    assert untrusted.fence("abc\ndef", 4) == "````text\nabc\n\n````\n\n… and 3 more characters."


def test_fence__is_longer_than_any_run_inside() -> None:
    """A completion that holds a long fence gets a longer one around it."""
    assert untrusted.fence("`````\nx", 100) == "``````text\n`````\nx\n``````"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a line", "a line"),
        ("::error::x", ": :error::x"),
        ("  ::add-mask::x", "  : :add-mask::x"),
        (":::x", ": ::x"),
        ("see ##[error]x", "see ## [error]x"),
        ("a\r::error::x", "a⟨U+000D⟩::error::x"),
        ("a\n::error::x", "a⏎::error::x"),
    ],
)
def test_log_line__table(text: str, expected: str) -> None:
    """No log line is a workflow command, nor holds a second line."""
    assert untrusted.log_line(text) == expected


@given(TEXTS)
def test_log_line__never_a_command(text: str) -> None:
    """Whatever the text, a runner finds no command in the line."""
    shown = untrusted.log_line(text)

    assert (shown.lstrip().startswith("::"), "##[" in shown, "\n" in shown, "\r" in shown) == (False,) * 4


@pytest.mark.parametrize(
    ("text", "properties", "expected"),
    [
        ("plain", {}, "::error::plain"),
        ("100 %\r\n::x::", {}, "::error::100 %25⟨U+000D⟩⏎::x::"),
        ("a", {"file": "a,b:c%", "line": ""}, "::error file=a%2Cb%3Ac%25::a"),
        ("a", {"file": "=x", "title": "a=b"}, "::error title=a=b::a"),
        ("##[error]\u202e\ud83d", {"title": "##[a]"}, "::error title=## [a]::## [error]⟨U+202E⟩⟨U+D83D⟩"),
    ],
)
def test_command__table(text: str, properties: dict[str, str], expected: str) -> None:
    """A workflow command is escaped as GitHub's toolkit does it, on one line, without what cannot be seen."""
    assert untrusted.command("error", text, properties) == expected


def test_mask_command__to_the_letter() -> None:
    """A secret is masked as it is: what a reader would be shown is not what has to be found."""
    assert untrusted.mask_command("a%b:c,\u202e\n") == "::add-mask::a%25b:c,\u202e%0A"


@given(st.text(st.characters()))
def test_json_string__round_trip(text: str) -> None:
    """A JSON reader gets the text back, and the source can be encoded."""
    source = untrusted.json_string(text)

    assert json.loads(source) == text
    assert source.encode().decode() == source


def test_json_string__halves_of_surrogate_pairs() -> None:
    """Halves of surrogate pairs, and characters that cannot be seen, are escaped."""
    assert untrusted.json_string("\ud83d \U000e0001 \x7f \u2028 é") == '"\\ud83d \\udb40\\udc01 \\u007f \\u2028 é"'


def test_output_entry__delimiter_in_the_value() -> None:
    """A delimiter that stands in the value is refused: the value would end there."""
    with pytest.raises(ValueError, match=r"^the delimiter stands in the value$"):
        untrusted.output_entry("name", "a\ndelimiter\nb", "delimiter")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (
            "https://github.example.test/a/b/actions/runs/1?x=1",
            "[report](https://github.example.test/a/b/actions/runs/1?x=1)",
        ),
        ("https://x.test/a/pull/2#issuecomment-1", "[report](https://x.test/a/pull/2#issuecomment-1)"),
        ("https://x.test/a#", "report: `https://x.test/a#`"),
        ("https://x.test/a#) @all", "report: `https://x.test/a#) @all`"),
        ("evalaction-report/report.json", "report: `evalaction-report/report.json`"),
        ("javascript:alert(1)", "report: `javascript:alert(1)`"),
        ("https://x.test/) @all", "report: `https://x.test/) @all`"),
    ],
)
def test_link__only_plain_web_addresses(address: str, expected: str) -> None:
    """A link is made of a plain web address alone; anything else is shown as code."""
    assert untrusted.link("report", address) == expected


ROOT = "https://github.example.test/acme/evals/blob/0a1b"


@pytest.mark.parametrize(
    ("root", "path", "line", "expected"),
    [
        (ROOT, "golden/a.golden.jsonl", 3, f"{ROOT}/golden/a.golden.jsonl#L3"),
        (ROOT, "a.jsonl", None, f"{ROOT}/a.jsonl"),
        (ROOT, "a b/c?d#e%f.jsonl", 1, f"{ROOT}/a%20b/c%3Fd%23e%25f.jsonl#L1"),
        (ROOT, "x](y) [z]`|\\<!--\n.jsonl", 1, f"{ROOT}/x%5D%28y%29%20%5Bz%5D%60%7C%5C%3C%21--%0A.jsonl#L1"),
        (ROOT, "ü/\udcff", 1, f"{ROOT}/%C3%BC/%FF#L1"),
        (ROOT, "...", 1, f"{ROOT}/...#L1"),
        (ROOT, "a/../b", 1, None),
        (ROOT, "../b", 1, None),
        (ROOT, "./b", 1, None),
        (ROOT, "a//b", 1, None),
        (ROOT, "/b", 1, None),
        (ROOT, "", 1, None),
        (ROOT, "half\ud800", 1, None),
        (ROOT, "a" * 1_000, 1, None),
        ("javascript:alert(1)//", "a", 1, None),
        ("https://x.test/) [a](", "a", 1, None),
    ],
)
def test_file_page__table(root: str, path: str, line: int | None, expected: str | None) -> None:
    """A path is part of an address only below the root, with whatever could mean something there encoded."""
    assert untrusted.file_page(root, path, line) == expected


@_examples
@given(TEXTS)
def test_file_page__any_path_in_a_table(text: str) -> None:
    """Whatever the path, the row keeps its cells, and its one link is the file's, around the very text of the path."""
    page = untrusted.file_page(ROOT, text, 7)
    row = f"| {untrusted.cell((Quoted(text=text, page=page),))} | {untrusted.cell((quoted('x'),))} |"
    table = f"| a | b |\n|---|---|\n{row}"

    links = [tag for tag in tags(table) if tag.startswith("<a")]
    assert links == ([] if page is None else [f"<a href={page!r}>"])
    assert [tag for tag in tags(table) if tag not in {*links, "</a>"}] == tags("| a | b |\n|---|---|\n| `y` | `x` |")
    assert in_code(table) == [*in_code(untrusted.code(text)), "x"]
    if page is not None:
        assert unquote(page.removeprefix(f"{ROOT}/").removesuffix("#L7"), errors="surrogateescape") == text
