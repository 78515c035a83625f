"""Untrusted text made safe for every place it is shown in: the one package that knows how.

Pure. Whatever a model, a golden file, git or a pull request wrote goes through here: into Markdown only
as code, where GitHub makes no mention, reference, link or image of it; into HTML only as ``<code>`` with
entities; into the address of a link only percent-encoded, behind an address of ours; into a log, a terminal or an
outputs file as one visible line; into XML and into the name of a file without what neither can hold. What cannot be
seen (control, bidirectional and zero-width characters, halves of surrogate pairs) is shown by its number: ⟨U+202E⟩.

A module for each kind of place: ``shown`` (what all have in common, and plain text), ``markup``, ``runner``,
``json_text``, ``xml_text``, ``file_names``.
"""

from evalaction.report.untrusted.file_names import MAX_NAME, file_name
from evalaction.report.untrusted.json_text import json_string
from evalaction.report.untrusted.markup import cell, code, fence, file_page, html, html_code, link, markdown
from evalaction.report.untrusted.runner import command, log_line, mask_command, output_entry
from evalaction.report.untrusted.shown import (
    EMPTY,
    INLINE,
    Phrase,
    Quoted,
    cut,
    line,
    plain,
    quoted,
    shorten,
    shorten_start,
    visible,
)
from evalaction.report.untrusted.xml_text import xml_attribute, xml_text

__all__ = [
    "EMPTY",
    "INLINE",
    "MAX_NAME",
    "Phrase",
    "Quoted",
    "cell",
    "code",
    "command",
    "cut",
    "fence",
    "file_name",
    "file_page",
    "html",
    "html_code",
    "json_string",
    "line",
    "link",
    "log_line",
    "markdown",
    "mask_command",
    "output_entry",
    "plain",
    "quoted",
    "shorten",
    "shorten_start",
    "visible",
    "xml_attribute",
    "xml_text",
]
