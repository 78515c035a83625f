"""Jinja templates: predictable texts, tracked files, and no way to do harm."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.suites import problems, suite_of
from support.trees import MemoryTree

from evalaction.errors import BadInput
from evalaction.records.case import Use, UseRole
from evalaction.suite.files import Files
from evalaction.suite.templates import Rendered, Templates
from evalaction.values import parse, sha256


def rendered(template: str, others: dict[str, str] | None = None, **variables: Any) -> Rendered:
    files = {"p/t.txt": template, **(others or {})}
    tree = MemoryTree({path: text.encode() for path, text in files.items()}, symlinks=("p/link",))
    values: Any = parse(json.dumps(variables))
    return Templates(Files(tree, root="")).render("p/t.txt", values)


def text(template: str, others: dict[str, str] | None = None, **variables: Any) -> str:
    return rendered(template, others, **variables).text


def refused(template: str, others: dict[str, str] | None = None, **variables: Any) -> str:
    with pytest.raises(BadInput) as caught:
        rendered(template, others, **variables)
    return str(caught.value)


@given(content=st.text().filter(lambda text: not any(mark in text for mark in ("{{", "{%", "{#", "\ufeff"))))
def test_render__plain_text_is_itself(content: str) -> None:
    """A file without Jinja's marks is its own text: line ends become line feeds, and the last one is dropped."""
    lines = content.replace("\r\n", "\n").replace("\r", "\n")
    assert lines.removesuffix("\n") == text(content)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{{ y }}", "{{ y }}"),
        ("<a> & 'b'", "<a> & 'b'"),
        (19.5, "19.5"),
        (100.0, "100"),
        (True, "true"),
        (None, "null"),
        ([1, "b", None], '[1,"b",null]'),
        ({"b": 1, "a": {}}, '{"a":{},"b":1}'),
    ],
)
def test_render__values_are_data(value: Any, expected: str) -> None:
    """A text is put in as it is and never rendered again; any other value is canonical JSON."""
    assert expected == text("{{ x }}", x=value)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{% for i in x %}{{ loop.index }}:{{ i|upper }}{{ ', ' if not loop.last }}{% endfor %}", "1:A, 2:B"),
        ("{{ x|join('-') }}{{ x|length }}{{ x[0] ~ 1 }}", "a-b2a1"),
        ("{% set ns = namespace(n=0) %}{% for i in x %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}", "2"),
        ("{% macro f(a, b='y') %}({{ a }}{{ b }}){% endmacro %}{{ f('x') }}{{ f(b='z', a=1) }}", "(xy)(1z)"),
        ("{{ y|default('none') }}{{ y is defined }}{{ range(3)|list }}", "nonefalse[0,1,2]"),
        ("{{ d|tojson }}{{ d|tojson(indent=1) }}", '{"k":"<&>"}{\n "k": "<&>"\n}'),
        ("{{ d.k|replace('<', '(') }}{% for k, v in d.items() %}{{ k }}={{ v }}{% endfor %}", "(&>k=<&>"),
        ("{% set b %}in{% endset %}{{ b }}{{ 7 // 2 }}{{ 1 / 2 }}{{ [x, x]|list }}", 'in30.5[["a","b"],["a","b"]]'),
        ("{% for i in [1] recursive %}{{ i }}{{ loop([]) }}{% endfor %}", "1"),
    ],
)
def test_render__language(template: str, expected: str) -> None:
    """What templates are written with works."""
    assert expected == text(template, x=["a", "b"], d={"k": "<&>"})


def test_render__files() -> None:
    """Includes, parents and macros are read from the same tree, and every file is tracked with its hash."""
    others = {
        "p/base.txt": "<{% block a %}{% endblock %}>\n",
        "p/sub/near.txt": "{% include '../up.txt' %}\n",
        "p/up.txt": "up",
        "lib/m.txt": "{% macro m(x) %}[{{ x }}]{% endmacro %}",
        "lib/unused.txt": "",
    }
    template = (
        "{% extends './base.txt' %}{% from 'lib/m.txt' import m %}"
        "{% block a %}{{ m('q') }}{% include './sub/near.txt' %}{% endblock %}"
    )
    use = {
        path: Use(path=path, role=UseRole.INCLUDE, sha256=sha256(content.encode())) for path, content in others.items()
    }
    own = Use(path="p/t.txt", role=UseRole.TEMPLATE, sha256=sha256(template.encode()))
    uses = (use["lib/m.txt"], use["p/base.txt"], use["p/sub/near.txt"], own, use["p/up.txt"])
    assert Rendered(text="<[q]up>", uses=uses, repeatable=True) == rendered(template, others)


def test_render__compiled_once() -> None:
    """A template that was compiled for one case is tracked for the next."""
    templates = Templates(Files(MemoryTree({"a": b"{% include 'b' %}{{ x }}", "b": b"b"}), root=""))
    first, second = templates.render("a", {"x": "1"}), templates.render("a", {"x": "2"})
    assert (("b1", "b2"), first.uses) == ((first.text, second.text), second.uses)


def test_render__missing_that_may_be() -> None:
    """A text that hangs on a file being absent is not taken as given by the files that are there."""
    assert ("ok", False) == (
        (found := rendered("{% include 'nope.txt' ignore missing %}ok")).text,
        found.repeatable,
    )


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("a\n{{ xame }}", "The template p/t.txt:2 cannot be rendered: 'xame' is undefined. Did you mean name?"),
        ("{{ other }}", "The template p/t.txt:1 cannot be rendered: 'other' is undefined. Give other in `vars`."),
        ("{{ d.x }}", "The template p/t.txt:1 cannot be rendered: 'dict object' has no attribute 'x'."),
        (
            "{% include 'u.txt' %}",
            "The template u.txt:3 cannot be rendered: 'inner' is undefined. Give inner in `vars`.",
        ),
        (
            "\n{% if %}",
            "The template p/t.txt:2 cannot be rendered: Expected an expression, got 'end of statement block'.",
        ),
        ("{{ 1 / 0 }}", "The template p/t.txt:1 cannot be rendered: division by zero."),
        (
            "{% include 'x.txt' %}",
            "The template p/t.txt:1 cannot be rendered: x.txt does not exist. "
            "Names are seen from the folder that is looked at; write ./x.txt for a file beside p/t.txt.",
        ),
        (
            "{% include '../../x' %}",
            "The template p/t.txt:1 cannot be rendered: '../../x' leaves the repository. "
            "Name a file of this repository by a relative path.",
        ),
        (
            "{% include '/etc/passwd' %}",
            "The template p/t.txt:1 cannot be rendered: '/etc/passwd' leaves the repository. "
            "Name a file of this repository by a relative path.",
        ),
        (
            "{% include './link' %}",
            "The template p/t.txt:1 cannot be rendered: p/link is a symbolic link, which is never followed. "
            "Put the file itself there.",
        ),
        ("{% include './t.txt' %}", "The template p/t.txt includes or calls itself, or nests too deeply."),
        (
            "{{ " + "(" * 300 + "1" + ")" * 300 + " }}",
            "The template p/t.txt includes or calls itself, or nests too deeply.",
        ),
        (
            "{% for i in [1] %}" * 30 + "{% endfor %}" * 30,
            "The template p/t.txt includes or calls itself, or nests too deeply.",
        ),
        (
            "{% include ['a', 'b'] %}",
            "The template p/t.txt:1 cannot be rendered: name one template, not a list of them.",
        ),
    ],
)
def test_render__refused(template: str, expected: str) -> None:
    """What cannot be rendered names the template, the line and the cause."""
    assert expected == refused(template, {"u.txt": "\n\n{{ inner }}"}, name="n", d={})


UNSAFE = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ x.__init__.__globals__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ cycler.__init__.__globals__.os.environ }}",
    "{{ range.__func__.__globals__ }}",
    "{{ lipsum() }}",
    "{{ [1, 2]|random }}",
    "{{ 'x'|attr('__class__') }}",
    "{{ '{0.__class__}'.format(1) }}",
    "{{ '%s' % 1 }}",
    "{{ range }}",
    "{{ self }}",
    "{{ [1]|map('string') }}",
    "{{ x.append(1) }}",
    "{% set _ = d.update({'a': 1}) %}",
    "{{ (1).bit_length() }}",
    "{% import 'os' as os %}",
    "{% include d %}",
]


@pytest.mark.parametrize("template", UNSAFE)
def test_render__sandboxed(template: str) -> None:
    """A template reaches no code, no environment, no chance and no memory address, and changes no value."""
    assert refused(template, None, x=[1], d={}).startswith("The template p/t.txt:1 cannot be rendered: ")


GROW = "{% set ns = namespace(x=START) %}{% for i in range(60) %}{% set ns.x = STEP %}{% endfor %}{{ ns.x }}"
EXPLODING = [
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% for i in range(9999) %}{% for j in range(9999) if false %}{% endfor %}{% endfor %}",
    "{% for i in range(9999) %}{% set x = range(9999)|sum %}{% endfor %}",
    "{% for i in range(9999) %}" + "y" * 2_000 + "{% endfor %}",
    "{% set x %}{% for i in range(9999) %}" + "y" * 20_000 + "{% endfor %}{% endset %}",
    "{% for i in range(9999) %}{% include 'big.txt' %}{% endfor %}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "{{ 'x' * 1000000000 }}",
    "{{ [1] * 1000000 * 1000 }}",
    "{{ 9 ** 9 ** 9 }}",
    "{{ 2 ** 1000000000 }}",
    "{{ big|replace('', big) }}",
    "{{ 'a'|indent(1000000000) }}",
    "{{ 'a'|batch(1000000000, 'x')|list }}",
    "{{ range(1000000000)|list }}",
    GROW.replace("START", "'aaaa'").replace("STEP", "ns.x ~ ns.x"),
    GROW.replace("START", "'aaaa'").replace("STEP", "ns.x + ns.x"),
    GROW.replace("START", "'aaaa'").replace("STEP", "[ns.x, ns.x]|join"),
    GROW.replace("START", "2").replace("STEP", "ns.x * ns.x"),
    GROW.replace("START", "[1]").replace("STEP", "[ns.x, ns.x]"),
    GROW.replace("START", "[1]").replace("STEP", "(ns.x, ns.x)"),
    GROW.replace("START", "[1]").replace("STEP", "{'a': ns.x, 'b': ns.x}"),
    GROW.replace("START", "[1]").replace("STEP", "dict(a=ns.x, b=ns.x)"),
    GROW.replace("START", "1").replace("STEP", "namespace(a=ns.x, b=ns.x)"),
]


@pytest.mark.parametrize("template", EXPLODING)
def test_render__bounded(template: str) -> None:
    """A template that loops or grows without an end in sight is stopped."""
    message = refused(template, {"big.txt": "y" * 200_000}, big="y" * 900_000)
    assert message.startswith("The template p/t.txt")


def test_case__names_golden_line_template_and_variable() -> None:
    """An unknown variable names the golden line, the template with its line, and the variable."""
    files = {"g/golden.jsonl": '\n{"id":"a","prompt_file":"../p/t.txt"}\n', "p/t.txt": "x\n{{ total }}\n"}
    expected = "The template p/t.txt:2 cannot be rendered: 'total' is undefined. Give total in `vars`."
    assert [f"g/golden.jsonl:2: In the case 'a': {expected}"] == problems(files)


def test_case__missing_template() -> None:
    """A template that is gone names its path and the line of the case."""
    files = {"golden.jsonl": '{"id":"r1","prompt_file":"prompts/refund.txt"}', "prompts/refund_v2.txt": "x"}
    expected = "prompts/refund.txt does not exist. Did you mean prompts/refund_v2.txt?"
    assert [f"golden.jsonl:1: In the case 'r1': {expected}"] == problems(files)


def test_case__rendered_once_only() -> None:
    """The rendered template is one user message, and its values are not looked into."""
    files = {"golden.jsonl": '{"id":"a","prompt_file":"t.txt","vars":{"x":"{{ 7*7 }}"}}', "t.txt": "v: {{ x }}\n"}
    assert [({"role": "user", "content": "v: {{ 7*7 }}"},)] == [case.messages for case in suite_of(files).cases]


def test_case__empty_rendering() -> None:
    """A template that renders to nothing is no request."""
    files = {"golden.jsonl": '{"id":"a","prompt_file":"t.txt"}', "t.txt": "{# nothing #}\n"}
    assert ["golden.jsonl:1: In the case 'a': The template t.txt renders to nothing."] == problems(files)


@pytest.mark.parametrize(
    "source",
    [
        "{{ x|int }}",
        "{{ range(5000)|join('x' * 1000000) }}",
        "{{ ('a\\n' * 5000)|indent(1000000) }}",
        "{{ ([[1]] * 100000)|sum(start=[])|length }}",
    ],
)
def test_render__explosions_stopped(source: str) -> None:
    """A filter that would make hours or gigabytes of work is refused before it does."""
    files = {"golden.jsonl": '{"id":"a","prompt_file":"t.txt","vars":{"x":1e99999999}}\n', "t.txt": source}
    (problem,) = problems(files)
    assert problem.startswith("golden.jsonl:1: In the case 'a': The template t.txt")
