"""No place but one knows how untrusted text is shown: what the source says of it, read as a tree.

Escaping is looked for in the whole package; text put together by hand where people are shown something. What a variable
holds is not followed here: that texts change nothing wherever they stand, tests/integration/test_untrusted_places.py
finds out by putting them there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from evalaction import records

PACKAGE = Path(__file__).parents[2] / "evalaction"
KNOWS = "report/untrusted/"
SHOWS = ("report/", "publish/", "relay.py", "doors.py", "hub.py")
"""What people are shown is made here."""

ESCAPING = {"escape", "unescape", "quoteattr", "quote", "quote_plus", "quote_from_bytes"}
"""Functions that make text safe for one place or another."""
WRITING = {"json.dumps", "json.dump", "repr", "ascii"}
"""Functions that do half of it: not where people are shown something."""
ENCODINGS = {"backslashreplace", "xmlcharrefreplace", "namereplace", "unicode_escape"}
"""Ways to encode that do."""
MARKS = ("`", "|", "<", ">", "&", "@", "#", "*", "[", "]", "<!--", "-->", "::", "##[", '"', "\\", "%0A", "\x1b")
"""What means something to a reader of Markdown, HTML, a log or a terminal."""
OPENS = ("`", "<code>", "](", "[", "<", "=", "@", "<!--", "::", "%", "~~~", '="')
"""Ends of our own words behind which no text can stand by itself."""

_LIBRARY = "the name that a schema has for a library"
_SECRET = "a form that a secret may have"
ESCAPED_ELSEWHERE: Mapping[str, str] = {
    "doors.py backslashreplace": "the encoding of a terminal that lacks signs",
    "draw/failure.py unescape": "the title of a page as a reader of it sees it",
    "grade/schema.py quote": _LIBRARY,
    "hub.py quote": "part of an address that is asked for",
    "judge/prompt.py translate": "JSON in a request to a judge",
    "publish/plain.py backslashreplace": "the encoding of a log that lacks signs",
    "redact.py quote": _SECRET,
    "redact.py quote_plus": _SECRET,
    "report/comment.py quote": "the marker: what is looked for again",
    "report/comment_cases.py quote": "a command for a shell, shown as code",
    "report/writer.py repr": "a number's digits",
    "suite/fields.py backslashreplace": "a message that can be written, shown as text",
    "suite/schemas.py quote": _LIBRARY,
}
"""Module and function → what it is for, where it is not to show something."""

_COUNTS, _OF_OURS = "counts", "one of a few words of ours"
OURS: Mapping[str, str] = {
    "answer.message": "made one visible line by hub_answer.py",
    "comment.id": "a number",
    "each.began": "part of a note, which is shown as text",
    "each.instead": "the name of a parameter, in a note",
    "each.name": "the name of a parameter, in a note",
    "failure.cause": _OF_OURS,
    "found[0].cause": _OF_OURS,
    "gate.name": _OF_OURS,
    "gates[0].name": _OF_OURS,
    "group.cause": _OF_OURS,
    "item.kind": _OF_OURS,
    "mode.label": "a letter of ours",
    "other.label": "a letter of ours",
    "path.name": "of a file of ours",
    "planned.blocked": "why no command may run, in our words",
    "report.headline": "made of our words and counts",
    "report.held.message": "one of a few sentences of ours",
    "report.held.remedy": "one of a few sentences of ours",
    "request.aliases": "letters drawn by us",
    "result.planned.case.id": "quoted for a shell, then shown as code",
    "result.planned.case.path": "quoted for a shell, then shown as code",
    "root.cause": _OF_OURS,
    "row.gold": _COUNTS,
    "said.model": _COUNTS,
    "self._job.api_url": "an address that is asked",
    "wording.gold": _COUNTS,
}
"""Expression → why it is no untrusted text, though a field of that name is."""

BEHIND_MARKS: Mapping[str, str] = {
    "_strip(result)": "letters of ours",
    "index": "a number",
    "part": "a number",
    "quote(comment_id, safe='')": "percent-encoded",
    "request.aliases[place]": "letters drawn by us",
    "run_id": "a number",
    "short(print_)": "hexadecimal digits",
    "short(result.planned.fingerprint)": "hexadecimal digits",
    "title": "our own words and counts",
    "vector": "letters of ours",
    "word": "random hexadecimal digits",
}
"""Expression → why it can stand behind marks of ours."""


def modules(*, showing: bool) -> list[Path]:
    """Return the modules to look at; all but those that know how, or of these the ones that show something."""
    names = {source.relative_to(PACKAGE).as_posix(): source for source in sorted(PACKAGE.rglob("*.py"))}
    return [
        source
        for name, source in names.items()
        if not name.startswith(KNOWS) and (not showing or name.startswith(SHOWS))
    ]


def name_of(source: Path) -> str:
    """Return a module's path within the package."""
    return source.relative_to(PACKAGE).as_posix()


def text_fields() -> set[str]:
    """Return the names of all fields of records that hold text, or values with text in them."""
    found = (import_module(f"{records.__name__}.{module.name}") for module in iter_modules(records.__path__))
    made = [kind for module in found for kind in vars(module).values() if isinstance(kind, type) and is_dataclass(kind)]
    kinds = ("str", "JSON", "bytes")
    return {field.name for kind in made for field in fields(kind) if any(word in str(field.type) for word in kinds)}


def escapes(tree: ast.AST) -> Iterator[str]:
    """Yield the functions that escape, and the ways to encode that do, by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            short = name.rpartition(".")[2]
            given = [each.value for each in node.args if isinstance(each, ast.Constant)]
            if name in WRITING:
                yield name
            elif _escapes(name, given):
                yield short
        elif isinstance(node, ast.Constant) and node.value in ENCODINGS:
            yield str(node.value)


def _escapes(name: str, given: Sequence[object]) -> bool:
    short = name.rpartition(".")[2]
    if short == "replace":
        return bool(given) and given[0] in MARKS
    return name.endswith(".translate") or (short in ESCAPING and not name.startswith("re."))


def test_escaping__in_one_place() -> None:
    """Text is escaped by the package that knows how, or for something else than to be shown."""
    found = {
        f"{name_of(source)} {what}"
        for source in modules(showing=False)
        for what in escapes(read(source))
        if what not in WRITING or name_of(source).startswith(SHOWS)
    }

    assert found == set(ESCAPED_ELSEWHERE)


def read(source: Path) -> ast.Module:
    """Return a module as a tree."""
    return ast.parse(source.read_text(encoding="utf-8"))


def bare(node: ast.AST, names: set[str]) -> Iterator[str]:
    """Yield the expressions in ``node`` that are fields of these names, handed on as they are or only changed a bit.

    What a function makes of a field is another text; what a method of text makes of it is not.
    """
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and hasattr(str, node.func.attr) and node.func.attr != "count":
            yield from bare(node.func.value, names)
            if node.func.attr == "join":
                yield from (each for argument in node.args for each in bare(argument, names))
    elif isinstance(node, ast.Attribute) and node.attr in names:
        yield ast.unparse(node)
    elif isinstance(node, ast.Compare | ast.Constant):
        return
    elif isinstance(node, ast.IfExp):
        yield from (each for branch in (node.body, node.orelse) for each in bare(branch, names))
    else:
        yield from (each for child in ast.iter_child_nodes(node) for each in bare(child, names))


def put_together(tree: ast.AST, names: set[str]) -> Iterator[str]:
    """Yield fields of these names that stand bare in a text or in a sentence of ours."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            holes = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod) and has_words(node):
            holes = [node.left, node.right]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            holes = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Tuple) and any(is_words(part) for part in node.elts):
            holes = list(node.elts)
        else:
            continue
        yield from (each for hole in holes for each in bare(hole, names))


def has_words(node: ast.BinOp) -> bool:
    return is_words(node.left) or is_words(node.right)


def is_words(node: ast.AST) -> bool:
    """Return whether a part is words of ours with spaces in them, as sentences have them."""
    if isinstance(node, ast.JoinedStr):
        return any(is_words(part) for part in node.values)
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value


def test_fields__not_by_hand() -> None:
    """No field that holds text stands bare in a text: only as what the package that knows how makes of it."""
    names = text_fields()
    found = {what: name_of(source) for source in modules(showing=True) for what in put_together(read(source), names)}

    assert {what: module for what, module in found.items() if what not in OURS} == {}
    assert set(OURS) - set(found) == set()


def behind_marks(tree: ast.AST) -> Iterator[str]:
    """Yield what stands behind marks of ours in a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for before, part in zip(node.values, node.values[1:], strict=False):
                said = before.value if isinstance(before, ast.Constant) else ""
                if isinstance(part, ast.FormattedValue) and isinstance(said, str) and said.endswith(OPENS):
                    yield ast.unparse(part.value)


def test_marks__not_by_hand() -> None:
    """No code, link, tag or command is opened by hand around anything but our own words."""
    found = {what: name_of(source) for source in modules(showing=True) for what in behind_marks(read(source))}

    assert {what: module for what, module in found.items() if what not in BEHIND_MARKS} == {}
    assert set(BEHIND_MARKS) - set(found) == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f'a {case.id}'", ["case.id"]),
        ("f'a {case.id.strip()}'", ["case.id"]),
        ("f'a {case.id!r:>5}'", ["case.id"]),
        ("f'a {code(case.id)}'", []),
        ("f'a {len(case.id)}'", []),
        ("'a ' + case.id", ["case.id"]),
        ("'a %s' % case.id", ["case.id"]),
        ("'a {}'.format(case.id)", ["case.id"]),
        ("'a {x}'.format(x=case.id)", ["case.id"]),
        ("('a case ', case.id)", ["case.id"]),
        ("('a case ', quoted(case.id))", []),
        ("(case.path, case.id)", []),
        ("f'a {chr(10).join([case.id])}'", ["case.id"]),
        ("f'{one if case.id else other}'", []),
        ("f'{case.id if one else other}'", ["case.id"]),
        ("f'a {case.n}'", []),
    ],
)
def test_put_together__table(source: str, expected: list[str]) -> None:
    """What is looked for is found, and nothing else."""
    assert list(put_together(ast.parse(source), {"id", "path"})) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("html.escape(x)", ["escape"]),
        ("urllib.parse.quote(x)", ["quote"]),
        ("shlex.quote(x)", ["quote"]),
        ("re.escape(x)", []),
        ("json.dumps(x)", ["json.dumps"]),
        ("dumps(x)", []),
        ("x.replace('`', '')", ["replace"]),
        ("x.replace('_', '-')", []),
        ("x.translate(TABLE)", ["translate"]),
        ("translate(x)", []),
        ("x.encode('ascii', 'backslashreplace')", ["backslashreplace"]),
        ("x.encode('utf-8')", []),
    ],
)
def test_escapes__table(source: str, expected: list[str]) -> None:
    """What escapes is found, and nothing else."""
    assert list(escapes(ast.parse(source))) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f'`{x}`'", ["x"]),
        ("f'[a]({x})'", ["x"]),
        ("f'<code>{x}</code>'", ["x"]),
        ("f'::group::{x}'", ["x"]),
        ("f'a {x}'", []),
    ],
)
def test_behind_marks__table(source: str, expected: list[str]) -> None:
    """What opens code, a link, a tag or a command by hand is found, and nothing else."""
    assert list(behind_marks(ast.parse(source))) == expected
