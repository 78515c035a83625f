"""A comment as a page: GitHub's Markdown in a small stylesheet of our own, and what a browser makes of it.

GitHub shows a comment in three steps. cmark-gfm makes HTML of the Markdown (``body``: in comments, unlike files, every
line feed is a line break); filters make alerts of some quotations (``ALERTS``); others link names, numbers, commits,
addresses and the like in text outside code. The last step is not repeated here: ``LINKED`` is what it looks for, and a
test asks that there is nothing of the kind outside code. Nor is the sanitiser: what it would take away must not be
there in the first place.

The stylesheet is written for these tests. It has the measures that decide what is seen at which width: text of 14 px,
cells padded by 6 and 13 px, tables and fenced blocks that scroll in their own box, long words that break. Colours are
the page's, in two schemes, so that a comment with its own would show.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import cmarkgfm
from cmarkgfm.cmark import Options

_OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES | Options.CMARK_OPT_HARDBREAKS

_STYLE = """
:root { --text: #1f2328; --quiet: #59636e; --page: #ffffff; --box: #eff1f3; --line: #d1d9e0;
  --link: #0969da; --warning: #9a6700; }
@media (prefers-color-scheme: dark) {
  :root { --text: #f0f6fc; --quiet: #9198a1; --page: #0d1117; --box: #262c36; --line: #3d444d;
    --link: #4493f8; --warning: #d29922; } }
body { margin: 0; padding: 16px; background: var(--page); color: var(--text);
  font: 14px/1.5 system-ui, "Noto Sans", sans-serif; overflow-wrap: break-word; }
h3 { font-size: 1.25em; line-height: 1.25; margin: 0 0 16px; }
p, ul, table, pre, details, blockquote, .markdown-alert { margin: 0 0 16px; }
ul { padding-left: 2em; }
a { color: var(--link); }
code, pre { font-family: ui-monospace, "Liberation Mono", monospace; font-size: 85%;
  background: var(--box); border-radius: 6px; }
code { padding: .2em .4em; white-space: break-spaces; }
pre { padding: 16px; overflow: auto; line-height: 1.45; }
pre code { padding: 0; font-size: 100%; white-space: pre; }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }
th, td { padding: 6px 13px; border: 1px solid var(--line); }
sub { font-size: 75%; line-height: 0; position: relative; vertical-align: baseline; bottom: -.25em; }
blockquote { padding: 0 1em; border-left: .25em solid var(--line); color: var(--quiet); }
.markdown-alert { padding: 8px 16px; border-left: .25em solid var(--link); }
.markdown-alert > :last-child { margin-bottom: 0; }
.markdown-alert-title { color: var(--link); font-weight: 500; }
.markdown-alert-warning { border-color: var(--warning); }
.markdown-alert-warning .markdown-alert-title { color: var(--warning); }
"""

ALERTS = r"""() => {
  for (const quote of document.querySelectorAll('article > blockquote')) {
    const first = quote.firstElementChild;
    const kind = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*$/.exec(first?.textContent ?? '')?.[1].toLowerCase();
    if (!kind) continue;
    const alert = document.createElement('div'), title = document.createElement('p');
    alert.className = `markdown-alert markdown-alert-${kind}`;
    title.className = 'markdown-alert-title';
    title.textContent = kind[0].toUpperCase() + kind.slice(1);
    first.remove();
    alert.append(title, ...quote.childNodes);
    quote.replaceWith(alert);
  }
}"""
"""Script that makes alerts of quotations whose first paragraph is ``[!NOTE]`` or the like."""

READ = r"""() => {
  const tags = [], outside = [], comments = [];
  const walk = (node, code) => {
    if (node.nodeType === Node.COMMENT_NODE) {
      comments.push(node.data);
      tags.push('<!---->');
    } else if (node.nodeType !== Node.ELEMENT_NODE) {
      if (!code) outside.push(node.data);
    } else if (node !== document.head) {
      const attributes = [...node.attributes].map((item) => ` ${item.name}="${item.value}"`).join('');
      const inside = node.localName === 'code' || node.localName === 'pre';
      tags.push(`<${node.localName}${attributes}>`);
      if (inside && !code) outside.push('␣');
      node.childNodes.forEach((child) => walk(child, code || inside));
      tags.push(`</${node.localName}>`);
    }
  };
  walk(document.documentElement, false);
  return [tags, outside.join('').trim(), comments, document.head.children.length];
}"""
"""Script that returns the fields of ``Read``."""

DIM = r"""() => {
  const light = (color) => {
    const [red, green, blue] = color.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (node) => {
    const color = getComputedStyle(node).backgroundColor;
    return color === 'rgba(0, 0, 0, 0)' ? behind(node.parentElement) : color;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), dim = [];
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement, style = getComputedStyle(node);
    const [dark, bright] = [light(style.color), light(behind(node))].sort((one, other) => one - other);
    const hidden = style.visibility !== 'visible' || style.opacity !== '1' || style.display === 'none';
    if (texts.currentNode.data.trim() && (hidden || (bright + 0.05) / (dark + 0.05) < 4.5))
      dim.push(texts.currentNode.data);
  }
  return dim;
}"""
"""Script that returns the texts that are hidden, or have a contrast under 4.5 (WCAG 2.2, 1.4.3)."""

BENEATH = r"""() => {
  const blocks = [...document.querySelectorAll('article > h3, article > h3 + p, article > p')];
  return blocks.filter((block, at) => at < 2 || block.textContent.startsWith('Next:'))
    .filter((block) => block.getBoundingClientRect().bottom > FOLD).map((block) => block.textContent);
}"""
"""Script that returns those of verdict, cause and next step that end more than FOLD pixels from the top."""

WRAPPED = r"""() => [...document.querySelectorAll('td:nth-child(3) > code')]
  .filter((strip) => /^[A-Z∅?](\s[A-Z∅?]){0,9}$/.test(strip.textContent) && strip.getClientRects().length > 1)
  .map((strip) => strip.textContent)"""
"""Script that returns the strips of up to ten draws that do not stand on one line."""

LINKED = re.compile(
    r"@\w|#\d|\bGH-\d|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b|\w://|\bwww\.|\bmailto:|:[a-z0-9_+-]+:|\$|\[|<|&\w+;",
    re.IGNORECASE,
)
"""What GitHub makes something of outside code: mentions, mail addresses, references, commits, addresses, emoji, math;
and the beginnings of links, tags and entities that were not read as such."""


class Read(NamedTuple):
    """What a browser made of a page."""

    tags: list[str]
    """Every tag of the body with its attributes, every closing tag, every HTML comment without its text, in order."""
    outside: str
    """The text outside code, with ``␣`` in the place of each piece of code."""
    comments: list[str]
    """The text of every HTML comment."""
    head: int
    """Elements in the page's head."""


def body(text: str) -> str:
    """Return the HTML that GitHub makes of a comment: unsanitised, with footnotes and hard line breaks."""
    return str(cmarkgfm.github_flavored_markdown_to_html(text, options=_OPTIONS))


def document(text: str) -> str:
    """Return a whole page with a comment in it."""
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
    return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body><article>{body(text)}</article></body></html>'
