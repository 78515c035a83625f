"""Settings: what the workflow, the command line and the environment say, and the built-in defaults.

Pure: the environment is an argument. Keys never show in a ``repr``. What only a workflow or a command
line may say (endpoint, keys, budgets, gates that fail) is read here and nowhere else, so no file of a
pull request can change it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.inputs import INPUTS
from evalaction.records.settings import DEFAULT_FAIL_ON, Defaults, Endpoint, Limits, Posting, Settings
from evalaction.redact import MIN_SECRET

_AUTHORITY = late.pattern(
    r"(?P<scheme>(?i:https?))://"
    # Credentials: all that can be seen of ASCII, but none of /?#@ and the backslash.
    r'(?:[!"$-.0->A-\[\]-~]*@)?'
    r"(?P<host>[0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[0-9]{0,5}))?"
    r"(?:[/?#]|\Z)",
    re.ASCII,
)
_PORTS = {"http": 80, "https": 443}


def read_settings(
    inputs: Mapping[str, str],
    *,
    environ: Mapping[str, str],
    repo: str = ".",
    cases: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
) -> Settings:
    """Read settings from inputs by name, then from the environment, then from the table's defaults.

    Args:
        inputs: input name in kebab case → text. Text that is empty after trimming counts as not given.
        environ: the environment; only the names in ``INPUTS`` are looked at.
        repo: a folder of the repository.
        cases: what a person narrows the run to, ``ID`` or ``PATH#ID``.
        tags: tags that a person narrows the run to.

    Raises:
        BadInput: naming every unknown or malformed input at once, with what is allowed.
    """
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    known = {item.name: item for item in INPUTS}
    for name in sorted(set(inputs) - set(known)):
        from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

        near = get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Allowed: {', '.join(known)}."
        problems.append(Problem(path=name, message="there is no such input.", remedy=hint))
    for item in INPUTS:
        place, text = item.name, inputs.get(item.name, "").strip()
        if not text and item.env:
            place, text = item.env, environ.get(item.env, "").strip()
        text = text or item.default
        try:
            values[item.name] = item.parse(text) if text else None
        except ValueError as error:
            problems.append(Problem(path=place, message=f"{error}."))
    problems += _together(values)
    if problems:
        raise BadInput(*problems)
    given = {name for name, text in inputs.items() if text.strip()}
    return replace(_settings(values, given=given), repo=repo, cases=cases, tags=tags)


def _together(values: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong with inputs that are right by themselves; those that are not are no part of ``values``."""
    both = (values.get("fail-on") or frozenset()) & (values.get("warn-on") or frozenset())
    if both:
        names = ", ".join(sorted(both))
        yield Problem(path="warn-on", message=f"names gates that fail-on names too: {names}.")
    if values.get("resume") and not values.get("ledger"):
        remedy = "Name it with ledger (--ledger FILE)."
        yield Problem(path="resume", message="there is no ledger to take draws from.", remedy=remedy)


def origin_of(url: str) -> tuple[str, str, int] | None:
    """Return the scheme, host and port that ``url`` leads to; None where that is not beyond doubt.

    Letters are in lower case and the usual port of the scheme is filled in; credentials are no part of it. Hosts that
    are written in another way are others (``a.test.`` is not ``a.test``), and one beyond ASCII is in doubt, since
    programs differ in what they make of it. Source: RFC 6454, sections 4 and 5.
    """
    match = _AUTHORITY.match(url.strip())
    if match is None:
        return None
    scheme, host = match["scheme"].lower(), match["host"].lower()
    return scheme, host, int(match["port"] or _PORTS[scheme])


def _judge_endpoint(values: Mapping[str, Any]) -> Endpoint | None:
    """Return where judges are asked. A key goes to no other origin than the one that it was given for."""
    usual, own = values["base-url"], values["judge-base-url"]
    url, key = own or usual, values["judge-api-key"]
    if not url:
        return None
    at_home = url == usual or (usual is not None and origin_of(url) == origin_of(usual) is not None)
    return Endpoint(
        base_url=url,
        api_key=key or (values["api-key"] if at_home else None),
        url_name="JUDGE_URL" if own else "EVAL_BASE_URL",
        key_name="JUDGE_API_KEY" if key or not at_home else "EVAL_API_KEY",
        model_name="JUDGE_MODEL",
    )


def _notes(values: Mapping[str, Any]) -> tuple[str, ...]:
    keys = (("The key", values["api-key"]), ("The judge's key", values["judge-api-key"]))
    return tuple(
        f"{what} has fewer than {MIN_SECRET} characters, so it is not redacted from the reports."
        for what, key in keys
        if key is not None and len(key) < MIN_SECRET
    )


def _settings(values: Mapping[str, Any], *, given: set[str]) -> Settings:
    url, key = values["base-url"], values["api-key"]
    return Settings(
        base=values["base"],
        head=values["head"],
        endpoint=Endpoint(base_url=url, api_key=key) if url else None,
        judge_endpoint=_judge_endpoint(values),
        defaults=Defaults(
            model=values["model"],
            judge_model=values["judge-model"],
            n=values["repeat"],
            temperature=values["temperature"],
            agreement_min=Fraction(values["agreement-min"]),
        ),
        limits=Limits(
            max_calls=values["max-calls"],
            max_total_tokens=values["max-total-tokens"],
            deadline_s=values["deadline"],
            max_concurrency=values["max-concurrency"],
        ),
        config=values["config"],
        golden=values["golden"] if "golden" in given else None,
        root=values["working-directory"] or "",
        force_all=values["force-run"],
        fail_on=(DEFAULT_FAIL_ON | (values["fail-on"] or frozenset())) - (values["warn-on"] or frozenset()),
        forks=values["forks"],
        posting=Posting(token=values["github-token"], mode=values["comment-mode"], comment_id=values["comment-id"]),
        show_completions=values["show-completions"],
        allow_commands=values["allow-commands"],
        report_dir=values["report-dir"],
        ledger=values["ledger"],
        resume=values["resume"],
        notes=_notes(values),
    )
