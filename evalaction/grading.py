"""Draws as they come → graded cases: each draw is read at once, so that little is left to do when the last has come.

I/O: none, but for the file in which many draws are kept (see ``spool``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from evalaction.draw.schedule import interleave
from evalaction.frozen import mutable
from evalaction.grade.across import Across
from evalaction.grade.case import grade_case, sum_up
from evalaction.grade.draws import Known, grade_draw
from evalaction.grade.judgement import with_judgement
from evalaction.grade.modes import modes_of
from evalaction.grade.schema import Form, compile_form
from evalaction.records.command import CommandRun
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Draw, DrawKey, Failure
from evalaction.records.gate import GateName
from evalaction.records.judge import Outcome
from evalaction.records.plan import Plan, PlannedCase
from evalaction.records.report import CaseResult, GradedDraw
from evalaction.redact import Redactor
from evalaction.stats.case import with_figures

if TYPE_CHECKING:
    from evalaction.spool import Spool

T = TypeVar("T")
Runs: TypeAlias = Mapping[DrawKey, CommandRun | Failure]
"""What came of the command of a draw."""
Opinions: TypeAlias = Mapping[DrawKey, tuple[Outcome, ...]]
"""What its judge said of a draw, by repeat."""

FORMS = 100
"""Compiled schemas that are kept at once. Where more cases have one, each is compiled when all its draws have come."""
SPOOLED = 10_000
"""Draws of a run beyond which they are kept on the disk."""


@mutable
class _Open:
    """A case whose draws have not all come."""

    planned: PlannedCase
    draws: list[int | Draw | GradedDraw | None]
    """By index: graded, or as it came where it is graded later; the place of either in the spool; None: not there."""
    left: int
    """Draws that have not come."""
    form: Form | None = None
    """Compiled when the first draw comes; None before, and where nothing is asked for."""
    known: Known = field(default_factory=dict)
    """What the texts that came were read as."""

    @property
    def waits(self) -> bool:
        """Whether a judge or a command has to be asked before anything can be said."""
        contract = self.planned.case.contract
        return contract.judge is not None or contract.command is not None


class Grading:
    """The cases of a run, while their draws come."""

    def __init__(
        self,
        plan: Plan,
        *,
        fail_on: frozenset[GateName],
        redactor: Redactor,
        on_case: Callable[[CaseResult], None] | None = None,
        spooled: int = SPOOLED,
    ) -> None:
        """Begin with no draw.

        Args:
            plan: whose cases they are.
            fail_on: gates whose failure fails a case; the others warn.
            redactor: takes keys out of what was graded, and never out of what is to be graded.
            on_case: told of each case as it is graded, without keys, in a run whose draws are not kept on the disk.
            spooled: draws of a run beyond which they are kept on the disk.
        """
        self._on_case = on_case
        self._across = Across()
        self._fail_on = fail_on
        self._redactor = redactor
        self._spool: Spool | None = None
        if plan.draws > spooled:
            from evalaction.spool import Spool  # noqa: PLC0415 - for large runs alone

            self._spool = Spool()
        self._at_once = sum(item.case.contract.schema is not None for item in plan.cases) <= FORMS
        self._open: dict[tuple[str, str], _Open] = {}
        self._done: dict[tuple[str, str], CaseResult | None] = {}
        for item in plan.cases:
            self._open[item.case.key] = _Open(planned=item, draws=[None] * item.case.n, left=item.case.n)
            self._done[item.case.key] = None

    def draw(self, draw: Draw) -> None:
        """Take note of a draw of a case; with its last one a case is graded, where neither judge nor command does that.

        Args:
            draw: whatever came of it; each is told once.
        """
        key = (draw.path, draw.id)
        draw = self._across.marked(draw)
        case = self._open[key]
        case.draws[draw.index - 1] = self._kept(draw if case.waits else self._read(case, draw))
        case.left -= 1
        if not case.left and not case.waits:
            self._done[key] = self._graded(self._open.pop(key))

    def waiting(self) -> list[Draw]:
        """Return the draws of the cases that a judge or a command grades: the first of each, then the second."""
        cases = (case for case in self._open.values() if case.waits)
        return interleave([draw for _, draw in self._came(case) if isinstance(draw, Draw)] for case in cases)

    def results(self, *, opinions: Opinions, runs: Runs, decks: Sequence[DeckResult]) -> tuple[CaseResult, ...]:
        """Return every case, graded, in the order of the plan, without keys. No draw may be told afterwards.

        Args:
            opinions: what judges said.
            runs: what came of commands.
            decks: what the judges are worth.
        """
        said, ran = _by_case(opinions), _by_case(runs)
        for key, case in self._open.items():
            if not case.waits:
                self._done[key] = self._graded(case)
                continue
            draws = [draw for _, draw in self._came(case) if isinstance(draw, Draw)]
            result = grade_case(case.planned, draws, fail_on=self._fail_on, opinions=said[key], runs=ran[key])
            self._done[key] = self._settled(with_judgement(with_figures(result), decks))
        self._open.clear()
        return tuple(result for result in self._done.values() if result is not None)

    def _read(self, case: _Open, draw: Draw) -> Draw | GradedDraw:
        """Return a draw, graded; or as it is, where its form is compiled when all have come."""
        contract = case.planned.case.contract
        if contract.schema is not None and not self._at_once:
            return draw
        if case.form is None:
            case.form = compile_form(contract, golden_path=case.planned.case.path)
        # Texts of very many open cases are too much to remember.
        return grade_draw(draw, contract, case.form, known=case.known if self._spool is None else None)

    def _kept(self, item: Draw | GradedDraw) -> int | Draw | GradedDraw:
        """Return an item, or its place in the spool; what holds a key is not written down."""
        if self._spool is None or self._redactor.value(item) is not item:
            return item
        return self._spool.keep(item)

    def _came(self, case: _Open) -> Iterator[tuple[int | Draw | GradedDraw, Draw | GradedDraw]]:
        """Yield what there is of the draws of a case, by index: where it is kept, and itself."""
        for item in case.draws:
            if isinstance(item, int) and self._spool is not None:
                yield item, self._spool.read(item)
            elif not isinstance(item, int | None):
                yield item, item

    def _graded(self, case: _Open) -> CaseResult:
        """Return what the draws of a case say together, those that were not graded as they came graded now."""
        contract, form = case.planned.case.contract, case.form
        came = list(self._came(case))
        if form is None and any(isinstance(item, Draw) for _, item in came):
            form = compile_form(contract, golden_path=case.planned.case.path)
        graded = tuple(
            grade_draw(item, contract, form, known=case.known) if isinstance(item, Draw) else item for _, item in came
        )
        result = sum_up(case.planned, graded, modes_of(graded), fail_on=self._fail_on)
        return self._settled(with_figures(result), [None if isinstance(item, Draw) else place for place, item in came])

    def _settled(self, result: CaseResult, places: Sequence[object] = ()) -> CaseResult:
        """Return a result without keys, its draws in the spool where there is one.

        Args:
            result: of a case.
            places: of its graded draws, by index, where they are in the spool already.
        """
        safe = self._redactor.value(result)
        if self._spool is None:
            if self._on_case is not None:
                self._on_case(safe)
            return safe
        from evalaction.spool import Spooled  # noqa: PLC0415 - the same

        old = places or [None] * len(safe.draws)
        kept = [
            place if isinstance(place, int) else self._spool.keep(draw)
            for place, draw in zip(old, safe.draws, strict=True)
        ]
        return replace(safe, draws=Spooled(self._spool, kept))


def _by_case(found: Mapping[DrawKey, T]) -> defaultdict[tuple[str, str], dict[int, T]]:
    by_case: defaultdict[tuple[str, str], dict[int, T]] = defaultdict(dict)
    for (path, id_, index), item in found.items():
        by_case[path, id_][index] = item
    return by_case
