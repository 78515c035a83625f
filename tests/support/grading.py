"""Cases and draws for tests, in a tiny language.

``draws_of("A A B x -")`` is five draws: two that answer ``{"label": "A"}``, one ``{"label": "B"}``, one that
cannot be read, one that is missing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from evalaction.fingerprint import of_case
from evalaction.records.case import Case, Command, Contract, Grader, Sampling
from evalaction.records.command import CommandRun, Ended
from evalaction.records.draw import Cause, Draw, Failure, Reply, Usage
from evalaction.records.plan import PlannedCase, Reason
from evalaction.records.settings import DEFAULT_FAIL_ON

FAIL_ON = DEFAULT_FAIL_ON
UNIQUE = "9fTqZ3kWm1Yb7LxPA2c4"
"""The end of an id that no two responses have by chance."""
UNREADABLE = "Sorry, I can't."
NOT_RUN = Failure(cause=Cause.COMMAND, message="commands are not allowed: set allow-commands")
COMMAND = Command(argv=("python3", "check.py"), artifact="artifact.txt", files=(("check.py", b"print('ok')\n"),))
NO_REPLY = Failure(cause=Cause.STATUS, message="HTTP 503: overloaded", status=503)


def contract_of(**fields: Any) -> Contract:
    """Return a contract; ``agreement_min`` and ``expect_min`` may be texts (``0.81``)."""
    for name in ("agreement_min", "expect_min"):
        if name in fields:
            fields[name] = Fraction(fields[name])
    return Contract(**{"grader": Grader.JSON, **fields})


def command_contract(**fields: Any) -> Contract:
    """Return a contract whose draws a command grades: ``COMMAND``, unless ``fields`` say otherwise."""
    return contract_of(**{"grader": Grader.COMMAND, "command": COMMAND, "expect": "pass", **fields})


def command_run(
    exit_code: int | None = 0, output: str = "", *, ended: Ended = Ended.EXITED, cut: bool = False
) -> CommandRun:
    """Return one run of a command; one that exited with 0 and wrote nothing, unless said otherwise."""
    return CommandRun(ended=ended, exit_code=exit_code, output=output, cut=cut)


def planned_case(*, n: int = 5, **fields: Any) -> PlannedCase:
    """Return an affected case; ``fields`` are its contract's."""
    case = Case(
        id="case",
        path="evals/case.golden.jsonl",
        line=1,
        messages=({"role": "user", "content": "Which label?"},),
        n=n,
        sampling=Sampling(model="m"),
        contract=contract_of(**fields),
    )
    return PlannedCase(case=case, fingerprints=of_case(case), reasons=(Reason.NEW,))


def reply_of(text: str | None, **fields: Any) -> Reply:
    """Return a reply with its text; 12 completion tokens and finish reason ``stop`` unless said otherwise."""
    return Reply(**{"text": text, "finish_reason": "stop", "usage": Usage(completion=12), **fields})


def draw_of(reply: Reply | None, *, index: int = 1) -> Draw:
    """Return a draw; None for one that is missing."""
    failure = NO_REPLY if reply is None else None
    return Draw(path="evals/case.golden.jsonl", id="case", index=index, seed=None, reply=reply, failure=failure)


def draws_of(strip: str) -> list[Draw]:
    """Return the draws of a strip such as ``A A B x -`` (see the module)."""
    texts = [{"x": UNREADABLE, "-": None}.get(mark, f'{{"label": "{mark}"}}') for mark in strip.split()]
    return [
        draw_of(None if text is None else reply_of(text, id=f"cmpl-{index}"), index=index)
        for index, text in enumerate(texts, start=1)
    ]


def replies(*texts: str) -> list[Draw]:
    """Return one draw for each text."""
    return [draw_of(reply_of(text, id=f"cmpl-{index}"), index=index) for index, text in enumerate(texts, start=1)]
