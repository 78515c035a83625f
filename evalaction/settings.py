"""Settings: what the workflow, the command line and the environment say, and the built-in defaults.

Pure: the environment is an argument. Keys never show in a ``repr``. What only a workflow or a command
line may say (endpoint, keys, budgets, gates that fail) is read here and nowhere else, so no file of a
pull request can change it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from evalaction.errors import BadInput, Problem
from evalaction.records.report import GateName
from evalaction.records.settings import DEFAULT_FAIL_ON, DEFAULT_GOLDEN, Defaults, Endpoint, Limits, Settings

MIN_SECRET = 8
"""A key shorter than this many characters is warned about and not redacted: it would blank out words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """One input of the Action, and the option of the same name on the command line."""

    name: str
    """Kebab case."""
    help: str
    """What it says, in one sentence, for ``--help`` and the docs."""
    default: str
    """As a person would write it; empty for none."""
    parse: Callable[[str], Any]
    """Turns trimmed, non-empty text into a value; raises ``ValueError`` with what is allowed."""
    env: str | None = None
    """Environment variable that is read when the input is empty."""
    option: bool = True
    """Whether it is an option on the command line; a key is not, since others can read the process list."""


def _text(text: str) -> str:
    return text


def _lines(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.splitlines() if part.strip())


def _switch(text: str) -> bool:
    if text not in {"true", "false"}:
        raise ValueError("must be true or false")
    return text == "true"


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", text) or not low <= int(text) <= high:
            raise ValueError(f"must be a whole number from {low:,} to {high:,}")
        return int(text)

    return parse


def _number(low: int, high: int) -> Callable[[str], Decimal]:
    def parse(text: str) -> Decimal:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) or not low <= Decimal(text) <= high:
            raise ValueError(f"must be a number from {low} to {high}, such as {low}.5")
        return Decimal(text)

    return parse


def _gates(text: str) -> frozenset[GateName]:
    allowed = ", ".join(gate.value for gate in GateName)
    names = re.split(r"[\s,]+", text)
    unknown = [name for name in names if name not in set(GateName)]
    if unknown:
        raise ValueError(f"names no gate: {', '.join(unknown)}; allowed: {allowed}")
    return frozenset(GateName(name) for name in names)


_DEFAULTS, _LIMITS = Defaults(), Limits()

INPUTS = (
    Input(
        name="base-url",
        help="URL of an OpenAI-compatible chat endpoint; with an empty path, /v1/chat/completions is appended.",
        default="",
        parse=_text,
        env="EVAL_BASE_URL",
    ),
    Input(
        name="model",
        help="Model for cases whose files name none.",
        default="",
        parse=_text,
        env="EVAL_MODEL",
    ),
    Input(
        name="api-key",
        help="Key for the endpoint; without one no Authorization header is sent.",
        default="",
        parse=_text,
        env="EVAL_API_KEY",
        option=False,
    ),
    Input(name="config", help="Path of the configuration file in the repository.", default="", parse=_text),
    Input(
        name="golden",
        help="Globs of golden files, one a line.",
        default="\n".join(DEFAULT_GOLDEN),
        parse=_lines,
    ),
    Input(
        name="working-directory",
        help="Folder to look at: in the Action of the workspace, else of the repository; all of it when empty.",
        default="",
        parse=_text,
    ),
    Input(name="base", help="Revision to compare with.", default="", parse=_text),
    Input(name="head", help="Revision to measure, or WORKTREE for the files on disk.", default="", parse=_text),
    Input(
        name="repeat",
        help="Draws of a case whose files do not say n, 2 to 100.",
        default=str(_DEFAULTS.n),
        parse=_whole(2, 100),
    ),
    Input(
        name="temperature",
        help="Sampling temperature for cases whose files say none; not sent when empty.",
        default="",
        parse=_number(0, 2),
    ),
    Input(
        name="agreement-min",
        help="Share of the draws that must agree, for cases whose files do not say.",
        default=str(float(_DEFAULTS.agreement_min)),
        parse=_number(0, 1),
    ),
    Input(
        name="max-concurrency",
        help="Requests in flight at once, at most.",
        default=str(_LIMITS.max_concurrency),
        parse=_whole(1, 1_000),
    ),
    Input(
        name="max-calls",
        help="Requests in all, retries included; a plan that needs more sends nothing.",
        default=str(_LIMITS.max_calls),
        parse=_whole(0, 10_000_000),
    ),
    Input(
        name="deadline",
        help="Seconds after which nothing more is drawn.",
        default=str(_LIMITS.deadline_s),
        parse=_whole(1, 86_400),
    ),
    Input(
        name="fail-on",
        help="Gates, separated by commas, whose failure fails the run, besides agreement, schema, length and expected.",
        default="",
        parse=_gates,
    ),
    Input(
        name="warn-on",
        help="Gates, separated by commas, whose failure is shown and fails nothing.",
        default="",
        parse=_gates,
    ),
    Input(name="force-run", help="Draw all cases, affected or not.", default="false", parse=_switch),
    Input(
        name="show-completions",
        help="Show model text in report.md, step summary and log; report.json always holds it.",
        default="true",
        parse=_switch,
    ),
    Input(
        name="report-dir",
        help="Folder for the report files; made when it is missing.",
        default=Settings().report_dir,
        parse=_text,
    ),
)
"""Every input there is: ``action.yml``, the options of ``check`` and the docs are held to this table."""


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
        near = difflib.get_close_matches(name, known, n=1)
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
    both = (values.get("fail-on") or frozenset()) & (values.get("warn-on") or frozenset())
    if both:
        names = ", ".join(sorted(both))
        problems.append(Problem(path="warn-on", message=f"names gates that fail-on names too: {names}."))
    if problems:
        raise BadInput(*problems)
    given = {name for name, text in inputs.items() if text.strip()}
    return replace(_settings(values, given=given), repo=repo, cases=cases, tags=tags)


def _settings(values: Mapping[str, Any], *, given: set[str]) -> Settings:
    key = values["api-key"]
    notes: tuple[str, ...] = ()
    if key is not None and len(key) < MIN_SECRET:
        notes = (f"The key has fewer than {MIN_SECRET} characters, so it is not redacted from the reports.",)
    return Settings(
        base=values["base"],
        head=values["head"],
        endpoint=Endpoint(base_url=values["base-url"], api_key=key) if values["base-url"] else None,
        defaults=Defaults(
            model=values["model"],
            n=values["repeat"],
            temperature=values["temperature"],
            agreement_min=Fraction(values["agreement-min"]),
        ),
        limits=Limits(
            max_calls=values["max-calls"],
            deadline_s=values["deadline"],
            max_concurrency=values["max-concurrency"],
        ),
        config=values["config"],
        golden=values["golden"] if "golden" in given else None,
        root=values["working-directory"] or "",
        force_all=values["force-run"],
        fail_on=(DEFAULT_FAIL_ON | (values["fail-on"] or frozenset())) - (values["warn-on"] or frozenset()),
        show_completions=values["show-completions"],
        report_dir=values["report-dir"],
        notes=notes,
    )
