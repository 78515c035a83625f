"""Puts what a Jinja2 template makes under the sandbox's budget, before it is compiled. Pure.

Loops, texts put together and collections are wrapped into filters that no template can name, which the
sandbox provides: ``COUNTED`` charges each item of a loop, ``PRINTED`` turns a value into its text, ``MADE``
charges a value.
"""

from __future__ import annotations

from typing import Any

from jinja2 import nodes

COUNTED, PRINTED, MADE = "counted item", "printed value", "made value"
CHARACTERS_PER_UNIT = 100
"""Characters that cost one unit of the budget."""


def meter(template: nodes.Template) -> None:
    """Change a parsed template in place."""
    for loop in list(template.find_all(nodes.For)):
        size = sum(len(data.data) for data in loop.find_all(nodes.TemplateData))
        # In the body too, which a recursive loop runs for items that did not come through its head.
        tick = nodes.Call(
            nodes.EnvironmentAttribute("charge"), [nodes.Const(1 + size // CHARACTERS_PER_UNIT)], [], None, None
        )
        loop.body.insert(0, nodes.ExprStmt(tick, lineno=loop.lineno))
        loop.iter = _filter(COUNTED, loop.iter)
    for concat in template.find_all(nodes.Concat):
        concat.nodes = [_filter(PRINTED, node) for node in concat.nodes]
    _wrap(template)


def _filter(name: str, node: Any) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _wrap(node: nodes.Node) -> None:
    """Put every collection and text that an expression makes below ``node`` through ``made``."""
    for name, value in list(node.iter_fields()):
        if isinstance(value, nodes.Node):
            _wrap(value)
            setattr(node, name, _made(node, value))
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, nodes.Node):
                    _wrap(item)
            setattr(node, name, [_made(node, item) for item in value])


def _made(parent: nodes.Node, child: Any) -> Any:
    loads = getattr(child, "ctx", "load") == "load"
    makes = isinstance(child, nodes.List | nodes.Tuple | nodes.Dict | nodes.Concat)
    into_namespace = (
        isinstance(parent, nodes.Assign) and isinstance(parent.target, nodes.NSRef) and child is parent.node
    )
    # What include and import name is read by Jinja at compile time, not evaluated.
    named = isinstance(parent, nodes.Include | nodes.FromImport | nodes.Import)
    return _filter(MADE, child) if loads and (makes or into_namespace) and not named else child
