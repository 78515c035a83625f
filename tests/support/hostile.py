"""Texts that broke out of somewhere, or made something of a reader's page, by what they try."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from evalaction.report.comment import marker

KINDS: Mapping[str, tuple[str, ...]] = {
    "answers that other tools put into comments as they were": (
        "A --> B is an edge",
        "--!> also ends a comment",
        marker("default"),
        "</details></summary>",
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "# Heading\n\n- item\n\n---",
        "[click](https://evil.example.test) ![p](https://evil.example.test/t.png)",
        "```\nbreak out\n```\n# loose",
        "~~~\nbreak out\n~~~",
        '<!-- evalaction-state {"ok":true} -->',
    ),
    "names, numbers and addresses that GitHub links": (
        "Thanks @octo-user and @acme/platform-team",
        "fixes #12, closes acme/evals#34",
        "see GH-56",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "https://github.com/acme/evals/issues/78",
        "mail user@example.test",
        "ends at limit @someone-with-a-long-name",
        "acme/evals@0123456789abcdef0123456789abcdef01234567 acme#1 #1 @a",
        "\uff20octo-user \uff0312 \u200b@octo-user",
        "xmpp:me@example.test/a http://x ftp://example.test mailto:me@example.test",
        "(https://evil.example.test/a_(b),). www.example.test/?a=b&c;",
    ),
    "ways out of code": (
        "`",
        "``",
        "a`b``c```d````e`````f",
        "\\`@octo-user\\`",
        "` @octo-user `",
        "\n````\n@octo-user\n````\n",
        "    indented\n\tcode",
        "</code></pre>@octo-user",
        " ",
        "",
    ),
    "ways out of a table, a list, a quotation, a line": (
        "a | b || c |\n|---|---|\n| d |",
        "\\|",
        "\\",
        "a\r\nb\rc",
        "a\u2028b\u2029c\u0085d\x0be\x0cf",
        "setext\n===\n\n---",
        "- a\n  # b\n1. c\n> d\n> [!CAUTION]\n> e",
        "- [ ] task\n- [x] done",
        "[!NOTE]\n> [!WARNING]",
        "a  \nb\\\nc",
    ),
    "links, images and what they are defined by": (
        "[a]: https://evil.example.test 'b'\n[a] [full report]\n[full report]: https://evil.example.test",
        "a[^1]\n\n[^1]: a note",
        "![](https://evil.example.test/t.png)![x]",
        "<https://evil.example.test> <me@example.test>",
        "[x](javascript:alert(1)) [y](data:text/html,<script>alert(1)</script>)",
    ),
    "HTML": (
        "<details open><summary>x",
        "</sub></b></code></pre></td></table></div></article></body></html>",
        "<!--",
        "<!-- --> -- ->",
        "<!DOCTYPE html><?php ?><![CDATA[x]]>",
        "<style>*{display:none}</style><link rel=stylesheet href=//evil.example.test>",
        "<form action=//evil.example.test><input autofocus onfocus=alert(1)><button>x</button></form>",
        "<base href=//evil.example.test>",
        '"><svg onload=alert(1)><a href="javascript:alert(1)">x</a>',
        "' onmouseover='alert(1)",
        "<iframe srcdoc='<p>x'>",
        "<meta http-equiv=refresh content=0;url=//evil.example.test>",
        "<plaintext>",
        "<textarea>",
        "<title>x",
        "&lt;b&gt; &amp;#64;octo-user &#64;octo-user &commat;octo-user &num;12 &nbsp;&zwj;&NotAnEntity;",
    ),
    "what GitHub draws": (
        ":+1: :shipit: :octocat:",
        "$x$ $$\\frac{a}{b}$$ $`x`$",
        "```mermaid\ngraph TD; A-->B\n```",
        "```math\nx\n```",
        "*a* _b_ **c** ~~d~~ ***",
    ),
    "what cannot be seen, or stands elsewhere than it seems": (
        "a\u202eb\u2066c\u2069",
        "pay\u200bpal\u2060\ufeff\u00ad",
        "שלום @octo-user مرحبا",
        "Z\u0351\u036b\u0343a\u0333\u0321lgo",
        "\x00\x01\x07\x08\x7f\x9b",
        "\x1b[31mred\x1b[0m\x1b]8;;https://evil.example.test\x07x\x1b]8;;\x07",
        "\ud83d half",
        "half \udc00",
        "\U000e0041\U000e007f tags",
        "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪1️⃣",
    ),
    "long words": ("測" * 300, "x" * 350, "a/" * 175, "👩‍👩‍👧‍👦" * 50),
    "what other places than a comment read": (
        "::error::x\n##[error]x",
        "name<<X\nvalue\nX",
        "{{ x }} {% y %} ${{ secrets.X }}",
        "'; rm -rf / #",
        "../../x",
        "null",
    ),
}
"""What a text tries → the texts."""

HOSTILE = tuple(text for texts in KINDS.values() for text in texts)
"""All of them."""

ATOMS = (
    *("`", "``", "```", "````", "~~~", "\n```\n", "```text", "*", "**", "_", "~~", "$", "$$", "\\", "|", "\\|"),
    *("<", ">", "<!--", "-->", "--!>", marker("default"), "<details>", "</details>", "</summary>", "<sub>", "</code>"),
    *("</pre>", "<script>", "<img src=x>", "<br>", "<![CDATA[", "]]>", "<?", "&", "&lt;", "&#64;", "&#0;", "&commat;"),
    *("@octo-user", "@acme/team", "#12", "GH-56", "acme/evals#34", "0123456789abcdef0123456789abcdef01234567"),
    *("http://", "https://evil.example.test", "www.example.test", "me@example.test", "[x](", "![", "][", "]:", "[^1]"),
    *("(", ")", "[", "]", "> ", "- ", "1. ", "# ", "\n===\n", "\n---\n", "    ", "\t", " ", "  \n", "[!NOTE]", "- [ ]"),
    *("\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029", "\0", "\x1b[2J", "\x1b]8;;", "\x07", "\x08", "\x7f"),
    *("\u202e", "\u2066", "\u2069", "\u200b", "\u200d", "\u2060", "\ufeff", "\xad", "\ufe0f", "\u3164", "\u0301"),
    *("\ud83d", "\udc00", "\udcff", "\U000e0041", "\ufffe", "\uffff", "\U0010ffff", "👩‍👧", "🇩🇪", "測", "é", "e\u0301"),
    *("::", "::error::x", "::stop-commands::", "::endgroup::", "##[", "##[error]", "%0A", "%", "=", "<<", ":", ","),
    *("EOF", "ghadelimiter_", "verdict=pass", "\nverdict=pass\n", "'", '"', "{", "}", "{{", "[bold]", "[/]", ":smile:"),
    *("\n|---|\n", "fixes ", "\u3000", ";", "null", "0", "..", "/", "a", "B", "con", "."),
)  # fmt: skip
"""Pieces that mean something to some reader of a report, and harmless ones to stand between them."""


def texts(max_pieces: int = 6, max_size: int = 300) -> st.SearchStrategy[str]:
    """Return any text, mostly of pieces that mean something: fences, markers, tags, mentions, commands, what is unseen.

    Args:
        max_pieces: pieces of one text at most; a piece has 44 characters at most.
        max_size: characters at most; what is more is cut off.
    """
    piece = st.one_of(st.sampled_from(ATOMS), st.sampled_from(ATOMS), st.text(st.characters(), max_size=4))
    return st.lists(piece, max_size=max_pieces).map(lambda pieces: "".join(pieces)[:max_size])
