"""Which parameter an error complains of: by a field that names it, by the place of a validation error, by words. Pure.

The shapes are those that endpoints answer with: an ``error`` with a ``param`` (OpenAI, Azure), an ``error`` that is a
string, a list of validation errors with a ``loc`` each (FastAPI; Mistral puts it into ``message``, old vLLM as text),
an error in the ``metadata`` of another (gateways), plain text (axum).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import field
from typing import Any

from evalaction import late
from evalaction.draw.failure import excerpt, is_page
from evalaction.frozen import mutable

RESPONSE_FORMAT = "response_format"
REFUSING = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses with which endpoints refuse a parameter; some say 500 when they cannot turn a schema into a grammar."""

_FORM = late.pattern(
    r"(?<![a-z])(?:json[ _-]?schema|response[ _-]?format|structured[ _-]?outputs?|guided[ _-]?(?:decoding|json|grammar)"
    r"|constrained[ _-]?decoding|x?grammar|schema in format)(?![a-z])",
    re.IGNORECASE,
)
"""What endpoints call the form asked of a reply, or the machinery behind it, when they refuse it."""
_CHOICES = late.pattern(
    r"""['"`]n['"`]|(?<![\w'\u2019-])n (?:value|parameter|argument|must|should|has to|is|was|cannot|>|<|=)"""
    r"""|(?<![\w'\u2019-])n ?(?:=|>|<|!=|:) ?[0-9]"""
    r"|(?:parameter|argument|field|option|value of|supplied:|unknown|invalid) n\b"
    r"|multiple (?:candidates|choices|completions|generations)|candidate_?count|multi-choice|completion choices?",
    re.IGNORECASE,
)
"""What endpoints call ``n``, a letter that stands in many a sentence."""
_OTHER_NAMES = {RESPONSE_FORMAT: _FORM, "n": _CHOICES}
_REFUSED = late.pattern(
    r"not (?:\w+ ){0,2}support|unsupported|not (?:permitted|allowed|available)|deprecated"
    r"|(?:unknown|unrecogni[sz]ed|unexpected|invalid|extra) (?:\w+ )?"
    r"(?:name|parameter|argument|keyword|field|option|property|input|value)"
    r"|cannot be (?:set|used|specified)",
    re.IGNORECASE,
)
"""What makes a server's own failure (500) the refusal of a parameter that somebody wrote down."""
_SIZE = late.pattern(
    r"context[ _-]?(?:length|window|size)|too (?:large|long|big|high|small|low|many)|at (?:most|least) [0-9]|exceed"
    r"|valid range|range of|out of range|(?:less|greater|more|fewer|smaller|larger|higher|lower) than|[<>]=|[≤≥]"
    r"|[0-9] [<>] [0-9]|(?:maximum|minimum)[ _](?:value|is|of|allowed|output|context|prompt|input)|(?:above|below)[ _]m"
    r"|must be (?:between|positive|at|an? (?:positive|integer|whole))|reduce the length|invalid_value|limit of [0-9]",
    re.IGNORECASE,
)
"""What is said of a number that does not fit, or of a request that is too long with it: the name itself is known."""
_INSTEAD = late.pattern(
    r"(?:use|send|pass|provide|try|by) [`'\"]?max_completion_tokens\b|max_completion_tokens[`'\"]? instead",
    re.IGNORECASE,
)
_CONTEXT = late.pattern(
    r"context[ _-]?(?:length|window|size)|reduce the length|exceed_context|too many tokens|max_new_tokens"
    r"|(?:prompt|input|request|messages?)\W{0,3} (?:\w+ ){0,4}too (?:long|large)|input tokens? (?:exceed|count)"
    r"|maximum (?:prompt|input|model) length",
    re.IGNORECASE,
)
CAPS = ("max_tokens", "max_completion_tokens")
"""Names of the cap on a reply's tokens."""
_OWN_FAILURES = 500
_COMMON_WORDS = frozenset({"model", "stop"})
"""Parameters whose names stand in error messages without being meant."""
_HOLDERS = ("error", "errors", "message", "detail", "metadata", "raw", "code")
_PLACE = late.pattern(r"""['"]loc['"]: [(\[]['"]body['"], ['"](\w+)""")
_PATH = late.pattern(r"[.\[/]")
_PARAM = late.pattern(r"\s*[A-Za-z_][\w.\[\]/'\"-]{0,199}\s*")
"""A parameter, or the path to a part of it; some put a sentence there."""
_DEPTH = 6
_LONGEST = 100
_LENGTH = 4_000
"""Characters of one text that are looked at."""


@mutable
class _Said:
    """What an error body says."""

    params: list[str] = field(default_factory=list)
    """Values of ``param`` fields that could be a parameter's name or the path to a part of it."""
    places: list[str] = field(default_factory=list)
    """Fields of the request that validation errors are about."""
    words: list[str] = field(default_factory=list)
    """Everything else that is said."""

    @property
    def text(self) -> str:
        """All that is said, in one."""
        return "\n".join((*self.words, *self.params))

    @property
    def is_of_size(self) -> bool:
        """It is about a number that does not fit; not about a name that ought to be another."""
        return _SIZE.search(self.text) is not None and _INSTEAD.search(self.text) is None

    @property
    def is_of_context(self) -> bool:
        """It is about a request that is too long."""
        return _CONTEXT.search(self.text) is not None


def parameter_of(content: bytes, sent: Collection[str]) -> str | None:
    """Return the name of the parameter that an error body complains of, for people; None when it names none.

    Args:
        content: the body.
        sent: names of the parameters that the request held; without an own field for it, one of them is looked for
            in the body's words.
    """
    said = _read(content)
    if said.params:
        return excerpt(said.params[0], ())[:_LONGEST]
    if said.places:
        return next((name for name in said.places if name in sent), None)
    return _earliest({name: _OTHER_NAMES.get(name) or _named(name) for name in sent}, said.words)


def refused_parameter(status: int | None, content: bytes, sent: Collection[str]) -> str | None:
    """Return which of some parameters an endpoint refuses; None when it refuses none of them.

    What is meant is looked for in the body alone: the field that names it decides, then the place of a validation
    error, then the words. ``response_format`` and ``n`` go by other names as well. A cap on tokens whose number is out
    of range is not refused: under another name or without it the request would not do what was asked.

    Args:
        status: the HTTP status, or the code of an error inside a 200; None for an error without a code.
        content: the body.
        sent: names of the parameters that may be changed or left out, and that the request held.
    """
    if not sent or (status is not None and status not in REFUSING):
        return None
    said = _read(content)
    name = _meant(said, sent)
    if name in CAPS and said.is_of_size:
        return None
    return name


def is_of_size(content: bytes) -> bool:
    """Say whether an error is about numbers of tokens: a request that is too long, or a cap that is out of range."""
    said = _read(content)
    return said.is_of_size and (said.is_of_context or any(_named(name).search(said.text) for name in CAPS))


def refuses(status: int | None, content: bytes) -> bool:
    """Say whether an error speaks of what it refuses, rather than of a failure of the server's own."""
    return (status is not None and status < _OWN_FAILURES) or _REFUSED.search(_read(content).text) is not None


def _meant(said: _Said, sent: Collection[str]) -> str | None:
    named = [*said.params, *said.places]
    for name in named:
        root = _PATH.split(name)[0]
        if root in sent:
            return root
        if RESPONSE_FORMAT in sent and _FORM.search(name):
            return RESPONSE_FORMAT
    if any(name != "model" for name in named):  # a model that lacks something may be named in place of what it lacks
        return None
    return _earliest({name: _OTHER_NAMES.get(name) or _named(name) for name in sent}, said.words)


def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])", re.IGNORECASE)


def _earliest(patterns: dict[str, re.Pattern[str]], words: list[str]) -> str | None:
    """Return the name that is found first in the first text that has any."""
    for text in words:
        found = {name: match.start() for name, pattern in patterns.items() if (match := pattern.search(text))}
        meant = found.keys() - _COMMON_WORDS
        if meant:
            return min(sorted(meant), key=found.__getitem__)
    return None


def _read(content: bytes) -> _Said:
    said = _Said()
    if is_page(content):  # which nobody wrote who knows of parameters
        return said
    _take(content.decode("utf-8", "replace"), said, depth=0)
    return said


def _take(value: Any, said: _Said, *, depth: int) -> None:
    """Sort what ``value`` says, and what stands in it; JSON in a string is read like any other."""
    if depth > _DEPTH:
        return
    if isinstance(value, str):
        inner = _parsed(value)
        if inner is None:
            _take_text(value[:_LENGTH], said)
        value = inner
    for item in _parts(value):
        place = item.get("loc")
        if isinstance(place, list):
            said.places += [name for name in place if isinstance(name, str) and name != "body"][:1]
            continue
        param = item.get("param")
        if isinstance(param, str) and _PARAM.fullmatch(param):
            said.params.append(param.strip())
        elif isinstance(param, str):
            _take_text(param[:_LENGTH], said)
        errors = [choice.get("error") for choice in _parts(item.get("choices"))]
        for inner in (*(item.get(name) for name in _HOLDERS), *errors):
            _take(inner, said, depth=depth + 1)


def _take_text(text: str, said: _Said) -> None:
    places = _PLACE.findall(text)
    said.places += places
    if text.strip() and not places:
        said.words.append(text)


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects that ``value`` is or lists."""
    items = value if isinstance(value, list) else [value]
    yield from (item for item in items[:20] if isinstance(item, dict))


def _parsed(text: str) -> Any:
    """Return the object or list that a text is as JSON; None for any other text."""
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return None
    try:
        return json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
