"""A plan in plain words, for a terminal or a log. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from evalaction.records.judge import Examined
from evalaction.records.plan import Hold, Plan, PlannedCase, PlannedDeck
from evalaction.records.tree import Pair
from evalaction.report import changes, words
from evalaction.report.decks.instrument import stubs_phrase
from evalaction.report.untrusted import Phrase, plain, quoted
from evalaction.stats.chance import SOUND, any_of, chance_of_failure

SHOWN = 20
"""Entries of a list that are shown; the rest is counted, and stands in ``plan --json``."""


def plan_lines(
    plan: Plan, *, pair: Pair, stubs: Sequence[Examined], notes: Sequence[str], hold: Hold | None = None
) -> tuple[str, ...]:
    """Return what would be drawn and why, what a reviewer must not miss, and how many calls it takes.

    Args:
        plan: of the run.
        pair: the two sides.
        stubs: how the stub judges did.
        notes: what else a reader must know.
        hold: why nothing of it is drawn; None when it is.
    """
    base = words.side(*(pair.base.sha, pair.base.ref) if pair.base else (None, None), without="no base")
    head = words.side(pair.head.sha, pair.head.ref, without="work tree", merge_of=pair.desk_head)
    found: list[Phrase] = [(*base, " → ", *head), _headline(plan)]
    found += _listed("", [_case(planned) for planned in plan.cases])
    found += _listed("Deck ", [_deck(planned) for planned in plan.decks])
    found += _listed("Gate loosened: ", [changes.change(item) for item in plan.loosened])
    found += _listed("Expected value edited: ", [changes.change(item) for item in plan.edited_gold])
    found += _listed("Removed: ", [changes.removed(item) for item in plan.removed])
    found += [("Note: ", quoted(note, words.CAUSE)) for note in notes]
    found.append(("Stubs: ", *stubs_phrase(stubs), "."))
    found += [(line,) for line in _calls(plan, held=hold is not None)]
    if hold is None and plan.drawn:
        found.append((_chance(plan),))
    return tuple(plain(phrase) for phrase in found)


def _headline(plan: Plan) -> Phrase:
    judged = f"{words.count(len(plan.decks), 'deck')} to be judged"
    if words.decks_alone(plan.chosen):
        return (f"{judged}, and no case to be drawn." if plan.total else f"{judged}.",)
    blocked = len(plan.cases) - plan.drawn
    drawn = f"{words.count(plan.drawn, 'case')} of {plan.total:,} to be drawn, {plan.unaffected:,} unaffected"
    drawn += f", {blocked:,} blocked" if blocked else ""
    parts = [*([drawn] if plan.total else []), *([judged] if plan.decks or not plan.total else [])]
    if plan.chosen is None:
        return (f"{', '.join(parts)}.",)
    return (
        f"{', '.join(parts)}, {plan.not_chosen:,} affected but not chosen (chosen: ",
        quoted(plan.chosen, 120),
        ").",
    )


def _case(planned: PlannedCase) -> Phrase:
    case, judge = planned.case, planned.case.contract.judge
    place = words.path(case.path, case.line)
    graded = "" if judge is None else f", each judged {judge.repeats} times: {_judge_calls(case.n * judge.repeats)}"
    blocked = "" if planned.blocked is None else f"; not drawn: {planned.blocked}"
    return (place, " ", quoted(case.id, words.ID), ": ", *words.because(planned), f", n {case.n}{graded}{blocked}")


def _deck(planned: PlannedDeck) -> Phrase:
    deck, exam = planned.deck, planned.exam
    again = "once" if deck.repeats == 1 else f"{deck.repeats:,} times"
    orders = f"{words.count(len(deck.fixtures), 'fixture')} in {words.count(exam.orders, 'order')}, each asked {again}"
    worded = sum(len(item.requests) for item in exam.wordings)
    planted = sum(len(item.requests) for item in exam.probes)
    further = [
        *([f"{words.count(len(exam.wordings), 'other wording')} ({worded:,})"] if worded else []),
        *([f"{words.count(len(exam.probes), 'planted trace')} ({planted:,})"] if planted else []),
    ]
    parts = [*planned.reasons, f"{orders} ({len(exam.requests):,})" if further else orders, *further]
    return (
        quoted(deck.name, words.ID),
        " (",
        words.path(deck.path),
        f"): {', '.join(parts)}: {_judge_calls(len(exam.all_requests))}",
    )


def _judge_calls(number: int) -> str:
    return words.count(number, "judge call")


def _calls(plan: Plan, *, held: bool) -> Iterator[str]:
    """Say what the plan costs, before any of it is sent."""
    draws, judged = words.count(plan.draw_calls, "call"), _judge_calls(plan.judge_calls)
    several = f"{plan.draws:,} draws" if plan.draw_calls < plan.draws else "draws"
    if not plan.calls:
        return
    verb = "would be made" if held else "planned"
    first = [f"{draws} {verb} for {several}"] if plan.draws else [f"{judged} {verb}"]
    kinds = [*first, *([judged] if plan.draws and plan.judge_calls else [])]
    if held:
        yield f"{' and '.join(kinds)}, and none is."
        return
    yield f"{' and '.join(kinds)}; a call that fails is tried again."
    if plan.judge_calls:
        yield "A judge's reply that cannot be read is asked for once more (a repair), which is one more call."


def _listed(title: str, items: Sequence[Phrase]) -> Iterator[Phrase]:
    yield from ((title, *item) for item in items[:SHOWN])
    if len(items) > SHOWN:
        yield (f"{title}and {len(items) - SHOWN:,} more",)


def _chance(plan: Plan) -> str:
    """Say what the thresholds do by chance alone: with enough cases a sound suite turns red too."""
    kinds = Counter(
        (planned.case.n, planned.case.contract.agreement_min) for planned in plan.cases if planned.blocked is None
    )
    chances = {kind: chance_of_failure(*kind, SOUND) for kind in kinds}
    (n, asked), worst = max(chances.items(), key=lambda item: item[1])
    one = f"A sound case, whose every draw gives its usual answer with probability {SOUND}, misses"
    one = f"{one} {words.needed(asked, n)} in {_percent(worst)} of runs"
    if plan.drawn == 1:
        return f"{one}."
    some = any_of((chances[kind], number) for kind, number in kinds.items())
    return f"{one}; at least one of {plan.drawn:,} such cases does in {_percent(some)}."


def _percent(chance: float) -> str:
    percent = 100 * chance
    if percent < 0.1:  # noqa: PLR2004 - what one decimal still shows
        return "less than 0.1 %"
    return "more than 99.9 %" if percent > 99.9 else f"{percent:.1f} %"  # noqa: PLR2004 - the same
