"""What comment, log and terminal say of a deck: the same words everywhere. Pure.

A deck's name, ids, labels and paths are text of the repository, and untrusted; figures and signs are our own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalaction.frozen import frozen
from evalaction.records.deck_result import DeckResult, ProbeScore, WordingScore
from evalaction.records.draw import Cause, Failure
from evalaction.records.gate import GateName, Verdict
from evalaction.records.judge import Judged, Unjudged
from evalaction.records.plan import Reason
from evalaction.report import failures, fresh, words
from evalaction.report.decks import causes as deck_causes
from evalaction.report.decks import figures as deck_figures
from evalaction.report.decks.rows import Row, rows, worst
from evalaction.report.untrusted import Phrase, Quoted, quoted


def name(result: DeckResult) -> Quoted:
    """Return a deck's name as it is shown."""
    return quoted(result.planned.deck.name, words.ID)


def failing(result: DeckResult) -> tuple[GateName, ...]:
    """Return the gates that fail a deck."""
    return tuple(gate.name for gate in result.gates if gate.verdict is Verdict.FAIL and not gate.warns)


def warning(result: DeckResult) -> tuple[GateName, ...]:
    """Return the gates that fail, and only warn."""
    return tuple(gate.name for gate in result.gates if gate.verdict is Verdict.FAIL and gate.warns)


def is_held(result: DeckResult) -> bool:
    """Return whether its judge was not asked since it was all held back."""
    failures = [unjudged.draw.failure for unjudged in _unjudged(result)]
    return bool(failures) and all(failure is not None and failure.cause is Cause.HELD for failure in failures)


def kind(results: Sequence[DeckResult], partial: str | None) -> str:
    """Return what the decks of a run are called: ``affected deck``, or ``deck`` where nothing was compared."""
    compared = any(reason is not Reason.ALL for result in results for reason in result.planned.reasons)
    return "affected deck" if compared and partial is None else "deck"


def clause(result: DeckResult) -> str:
    """Return what is wrong with the judge of a failing deck, for a headline: ``the judge flips on 1 of 3 fixtures``."""
    gates, fixtures = failing(result), words.count(len(result.planned.deck.fixtures), "fixture")
    missed = sum(row.misses for row in rows(result))
    if deck_causes.is_silent(result):
        return deck_causes.every(result)
    if GateName.JUDGE_FLIP in gates and result.score is not None:
        flips = result.score.judge_flip_rate.count
        # With two labels a fixture that flips misses gold somewhere: only more than these are news.
        more = f" and misses gold on {missed:,}" if GateName.JUDGE_GOLD in gates and missed > flips else ""
        return f"the judge flips on {flips:,} of {fixtures}{more or deck_causes.how(result)}"
    if GateName.JUDGE_GOLD in gates:
        return f"the judge misses gold on {missed:,} of {fixtures}"
    if GateName.JUDGE_PROBE in gates:
        return f"the judge {_probes(result, 'fails')}"
    return "the judge fails"


def why(result: DeckResult) -> str:
    """Return what a deck fails on, with its figures, and what is missing; of one that passes, what it was found to be.

    ``1 of 3 fixtures changes its label over 6 orders, gold missed in 2 of 18 labels``
    """
    gates = failing(result)
    doubt = [fresh.what(result)] if fresh.gate_of(result) is not None else []
    cause = fresh.is_cause(result)
    parts = [*(doubt if cause else []), *unanswered(result)]
    if deck_causes.is_silent(result):
        return ", ".join([*parts, f"no label at all, {deck_causes.most_frequent(result)}"])
    if result.score is not None and (not gates or GateName.JUDGE_FLIP in gates):
        favoured = deck_figures.favoured(result)
        parts.append(f"{flips(result)}{f', accepting {favoured}' if favoured else ''}")
    if not gates or GateName.JUDGE_GOLD in gates:
        parts += _gold(result)
    if GateName.JUDGE_PROBE in gates:
        parts.append(_probes(result, "failed", after=True))
    elif GateName.JUDGE_PROBE in warning(result):
        parts.append(f"{_probes(result, 'failed', after=True)} (warns)")
    parts += [] if cause else doubt
    return ", ".join([*parts, *([] if gates else reworded(result))])


def reworded(result: DeckResult) -> list[str]:
    """Return the most fixtures whose label another wording of the rubric moves, in words; nothing where none does."""
    moved = [wording.flips for wording in result.wordings if wording.flips is not None and wording.flips.count]
    if not moved:
        return []
    most = max(moved, key=lambda share: share.count)
    verb = "gets another label" if most.count == 1 else "get another label"
    return [f"{most.count:,} of {words.count(most.of, 'fixture')} {verb} under another wording of the rubric"]


def _gold(result: DeckResult) -> list[str]:
    """Return how often gold was missed in all that came, and how often there was no label."""
    labels = [(label, row.fixture.gold) for row in rows(result) for label in row.labels]
    if not labels:
        return []
    missed = sum(label != gold for label, gold in labels)
    without = sum(label is None for label, _ in labels)
    of = f"{len(labels):,} labels"
    parts = [f"gold missed in {missed:,} of {of}" if missed else f"gold met in all {of}"]
    return [*parts, f"no label in {without:,} of them ({deck_causes.most_frequent(result)})"] if without else parts


def flips(result: DeckResult) -> str:
    """Return ``1 of 3 fixtures changes its label over 6 orders``; of the orders that were answered."""
    if result.score is None:
        return f"flips {words.NOT_MEASURED}"
    rate = result.score.judge_flip_rate
    verb = "changes its label" if rate.count == 1 else "change their label"
    orders = {outcome.request.order for outcome in result.outcomes if isinstance(outcome, Judged)}
    return f"{rate.count:,} of {words.count(rate.of, 'fixture')} {verb} over {words.count(len(orders), 'order')}"


def unanswered(result: DeckResult) -> list[str]:
    """Return ``3 of 6 requests not answered: HTTP 500`` where requests were not; the most frequent cause alone."""
    found = missing([result])
    if not found:
        return []
    asked = len(result.outcomes) + len(result.further)
    number = sum(group.requests for group in found)
    return [f"{number:,} of {words.count(asked, 'request')} not answered: {found[0].cause}"]


def _probes(result: DeckResult, verb: str, *, after: bool = False) -> str:
    number, of = sum(map(is_failed, result.probes)), words.count(len(result.probes), "probe")
    return f"{number:,} of {of} {verb}" if after else f"{verb} {number:,} of {of}"


def is_failed(probe: ProbeScore) -> bool:
    """Return whether a judge did with a planted trace what it must not."""
    return any(share is not None and share.count > 0 for share in (probe.accepted, probe.apart, probe.moved))


@frozen
class Unanswered:
    """Requests to judges that are missing for the same reason."""

    failure: Failure
    """Of the first of them."""
    requests: int
    decks: int

    @property
    def cause(self) -> str:
        """Why, in our own words."""
        return failures.cause(self.failure)


def missing(results: Iterable[DeckResult]) -> tuple[Unanswered, ...]:
    """Return the requests that were not answered, by cause: what ended the run first, then the most."""
    groups: dict[tuple[Cause, int | None], list[tuple[Failure, str]]] = {}
    for result in results:
        for unjudged in _unjudged(result):
            failure = unjudged.draw.failure
            if failure is not None:
                groups.setdefault((failure.cause, failures.status(failure)), []).append(
                    (failure, result.planned.deck.name)
                )
    ordered = sorted(groups.values(), key=lambda group: (group[0][0].cause is Cause.STOPPED, -len(group)))
    return tuple(
        Unanswered(failure=group[0][0], requests=len(group), decks=len({deck for _, deck in group}))
        for group in ordered
    )


def _unjudged(result: DeckResult) -> list[Unjudged]:
    return [outcome for outcome in (*result.outcomes, *result.further) if isinstance(outcome, Unjudged)]


def sentence(result: DeckResult, *, show: bool, because: Phrase = ()) -> Phrase:
    """Return the worst thing about a deck's judge in a sentence.

    Args:
        result: a deck that failed or could not be measured.
        show: whether what a reply says may be shown.
        because: why requests were not answered, as the end of a sentence; empty where all were.
    """
    who: Phrase = ("The judge of ", name(result))
    gates = failing(result)
    fixture = worst(result)
    if fixture is not None and {GateName.JUDGE_FLIP, GateName.JUDGE_GOLD} & set(gates):
        return (*who, *_wrong(result, fixture, show=show), ".")
    probe = next((probe for probe in result.probes if is_failed(probe)), None)
    if probe is not None and GateName.JUDGE_PROBE in gates:
        return (*who, " fails the probe ", *probe_phrase(probe), ".")
    if fresh.is_cause(result):
        return (*who, " could not be measured: ", *fresh.seen(result, show=show), ".")
    if not because:
        return (*who, " could not be measured.")
    asked = len(result.outcomes) + len(result.further)
    came = asked - len(_unjudged(result))
    return (*who, f" answered {came:,} of {words.count(asked, 'request')}: ", *because)


def _wrong(result: DeckResult, row: Row, *, show: bool) -> Phrase:
    """Return what a judge did to its worst fixture, and how, where that is one thing."""
    if deck_causes.is_silent(result):
        return (" ", *deck_causes.silence(result, show=show))
    favoured = deck_figures.favoured(result)
    if favoured:
        label = quoted(result.planned.deck.labels[0], words.NAME)
        return (" gave ", label, f" to {favoured}, and to nothing else. It gave ", *_given(row))
    lost = deck_causes.no_label(result, show=show)
    turning = deck_figures.turning_place(result)
    how: Phrase = (". In all, ", *lost[:-1]) if lost else ()
    if turning is not None:
        how = (f". {deck_figures.turned(result, turning).removesuffix('.')}",)
    return (" gave ", *_given(row), *how)


def _given(row: Row) -> Phrase:
    """Return ``t1 (gold fail) 2 labels: fail in 4 of 6 replies, pass in 2``."""
    of = sum(number for _, number in row.counts)
    about: Phrase = (quoted(row.fixture.id, words.ID), " (gold ", quoted(row.fixture.gold, words.NAME), ")")
    given: list[Phrase] = [
        (*(("no label",) if label is None else (quoted(label, words.NAME),)), f" in {number:,}")
        for label, number in row.counts
    ]
    if len(given) == 1:
        label = row.counts[0][0]
        what: Phrase = ("no label",) if label is None else ("the label ", quoted(label, words.NAME))
        return (*about, " ", *what, f" in {'the one reply' if of == 1 else f'all {of:,} replies'}")
    given[0] = (*given[0], f" of {words.count(of, 'reply')}")
    labels = sum(label is not None for label, _ in row.counts)
    many = f" {words.count(labels, 'label')}: " if labels > 1 else " "
    return (*about, many, *words.listed(given, 4))


def probe_phrase(probe: ProbeScore) -> Phrase:
    """Return what a judge made of a planted trace: ``steer: accepted in 2 of 2 requests, 1 of 4 other labels moved``.

    Figures are over what was answered; what was asked in vain is said.
    """
    said = [
        f"{what} in {share.count:,} of {words.count(share.of, 'request')}"
        for what, share in (("accepted", probe.accepted), ("twins told apart", probe.apart))
        if share is not None
    ]
    if probe.moved is not None:
        said.append(f"{probe.moved.count:,} of {words.count(probe.moved.of, 'other label')} moved")
    lost = probe.asked - len(probe.labels)
    if lost:
        said.append(f"{lost:,} of {words.count(probe.asked, 'request')} not answered")
    own = () if probe.id == probe.kind else (" ", quoted(probe.id, words.ID))
    return (str(probe.kind), *own, f": {', '.join(said)}")


def wording_phrase(wording: WordingScore) -> Phrase:
    """Return what a judge said under another wording of the rubric, against the deck's own."""
    parts = []
    if wording.flips is not None:
        parts.append(f"{wording.flips} fixtures get another label than under the deck's own rubric, order by order")
    if wording.gold is not None:
        parts.append(f"gold met {wording.gold}")
    if wording.answered < wording.asked:
        lost = wording.asked - wording.answered
        parts.append(f"{lost:,} of {words.count(wording.asked, 'request')} not answered")
    return (words.path(wording.path), f": {', '.join(parts)}")


def holds(results: Sequence[DeckResult]) -> Phrase:
    """Return a sentence on decks that pass: what moved all the same, or that nothing did."""
    moving = [result for result in results if result.score is not None and result.score.judge_flip_rate.count]
    if moving:
        score = moving[0].score
        rate = score.judge_flip_rate if score is not None else ""
        return ("The judge of ", name(moving[0]), f" passes, and still flips on {rate} fixtures.")
    fixtures = sum(len(result.planned.deck.fixtures) for result in results)
    doubted = sum(fresh.gate_of(result) is not None for result in results)
    about = f" about {words.count(doubted, 'deck')}" if len(results) > 1 else ""
    but = f", but replies{about} may not be fresh" if doubted else ""
    if len(results) > 1:
        kept = f"kept their label for each of {fixtures:,} fixtures, whatever the order"
        return (f"The judges of {len(results):,} decks {kept}{but}.",)
    over = f"{words.count(fixtures, 'fixture')} over {words.count(results[0].planned.exam.orders, 'order')}"
    gold = ", ".join(_gold(results[0]))
    return ("The judge of ", name(results[0]), f" kept its label for each of {over}: {gold}{but}.")
