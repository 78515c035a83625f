"""What single draws come to: which pass their own checks, how they were read, how their command ended. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from evalaction.answer.reading import Extraction
from evalaction.records.command import CommandRun, Ended
from evalaction.records.gate import Verdict
from evalaction.records.report import CaseResult
from evalaction.report import equal, words
from evalaction.report.untrusted import Phrase, Quoted, quoted

AGREEMENT_ALONE = "only agreement is checked"
"""Said of a case whose draws are held to nothing."""

_POWERS = (2, 5)
"""The numbers of draws that pass^k is given for, beside n."""
_EXACT = 100
"""Choices of k draws beyond which their share is given in per cent."""
_OUR_WORDS = frozenset(map(str, Extraction))


def verdict_flip(result: CaseResult) -> Phrase:
    """Return which draws do not pass their own checks where others do; empty where all are alike or none is checked.

    ``4 of 5 draws pass their checks, not draw 3 (pass^2 6/10, pass^5 0)``; without pass^k while draws are missing.
    pass^k is the chance that k draws, taken from these without putting back, all pass (Yao et al. 2024, tau-bench,
    arXiv:2406.12045).
    """
    passes, n = result.passes, result.planned.case.n
    if passes is None or not result.verdict_flip or not result.planned.case.contract.checks:
        return ()
    they, others = (
        [graded.draw.index for graded in result.draws if graded.passes is passed] for passed in (True, False)
    )
    which = f": {words.draws(they)}" if len(they) < len(others) else f", not {words.draws(others)}"
    came = f"{n} draws" if passes.of == n else f"the {words.count(passes.of, 'draw')} that came"
    do = "passes its" if passes.count == 1 else "pass their"
    figures = "" if result.pass_hat is None else f" ({_pass_hat(passes.count, n)})"
    return (f"{passes.count} of {came} {do} checks{which}{figures}",)


def _pass_hat(count: int, n: int) -> str:
    powers = sorted({k for k in (*_POWERS, n) if k <= n})
    return ", ".join(f"pass^{k} {_share(comb(count, k), comb(n, k))}" for k in powers)


def _share(count: int, of: int) -> str:
    if not count:
        return "0"
    return f"{count}/{of}" if of <= _EXACT else f"{words.percent(count / of)} %"


def reading_paths(result: CaseResult) -> Phrase:
    """Return how the draws were read, where not all were read in one way; empty where they were.

    ``read as: whole in draws 1, 2, 4; fence in draws 3, 5``
    """
    if len(result.extractions) <= 1:
        return ()
    parts: list[str | Quoted] = []
    for how, indices in result.extractions:
        said = how if how in _OUR_WORDS else quoted(how, words.NAME)
        parts += ["; " if parts else "read as: ", said, f" in {words.draws(indices)}"]
    return tuple(parts)


def command_endings(result: CaseResult) -> Phrase:
    """Return how the command ended that did not pass a draw: ``command: exit code 1 in draws 2, 4``; empty for none."""
    found: dict[str, list[int]] = {}
    for graded in result.draws:
        if graded.command is not None and not graded.command.passed:
            found.setdefault(ending(graded.command, result), []).append(graded.draw.index)
    return (f"command: {'; '.join(_ended_in(how, indices) for how, indices in found.items())}",) if found else ()


def _ended_in(how: str, indices: Sequence[int]) -> str:
    return f"{how} in {words.draws(indices)}"


def ending(run: CommandRun, result: CaseResult) -> str:
    """Return how a command ended: ``exit code 1``, ``signal 9``, ``ended at the time limit of 10 s``."""
    if run.ended is Ended.OUTPUT:
        return "ended at the output limit"
    if run.ended is Ended.TIME:
        command = result.planned.case.contract.command
        return "ended at the time limit" + ("" if command is None else f" of {command.timeout_s} s")
    code = run.exit_code if run.exit_code is not None else 0
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def asides(result: CaseResult) -> list[Phrase]:
    """Return what a line about a case says beside its figures, even where it passes.

    Of a case that does not pass, all but the last stands among its findings. Nothing of it is a model's.
    """
    said: list[Phrase] = []
    if result.verdict is Verdict.PASS:
        told = (verdict_flip(result), reading_paths(result), *equal.set_aside(result, show=False))
        said = [phrase for phrase in told if phrase]
    return [*said, *([(AGREEMENT_ALONE,)] if is_agreement_alone(result) else [])]


def is_agreement_alone(result: CaseResult) -> bool:
    """Return whether draws came, and were held to nothing but agreeing with each other."""
    return result.measured > 0 and not result.planned.case.contract.checks
