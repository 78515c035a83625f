"""The comment's decks: a folded block for each that needs a look, a table of those that pass. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.fingerprint import parameters, short
from evalaction.frozen import frozen
from evalaction.records.deck_result import DeckResult
from evalaction.records.gate import Verdict
from evalaction.records.judge import Examined, Judged
from evalaction.report import fresh, words
from evalaction.report.comment_cases import fold
from evalaction.report.decks import causes as deck_causes
from evalaction.report.decks import figures as deck_figures
from evalaction.report.decks import remedies as deck_remedies
from evalaction.report.decks import rows as deck_rows
from evalaction.report.decks import words as deck_words
from evalaction.report.decks.instrument import figure
from evalaction.report.decks.rows import Row
from evalaction.report.roots import Root
from evalaction.report.untrusted import Phrase, cell, fence, html, markdown, quoted
from evalaction.values import dumps

HEAD = "| verdict | deck | judge flips | gold met | run because |\n|---|---|---|---|---|"
"""Of the table of decks that pass."""
ROWS, FEW_ROWS = 50, 8
"""Fixtures of a deck that are shown, and those where space is short: the worst of them."""

_ON_ONE_LINE = 10
"""Labels whose signs belong together, on a phone too."""
_HARD_SPACE = "\u00a0"
_LISTED = 6
"""Wordings, probes, and fixtures of one order, that are named."""


@frozen
class DeckBlock:
    """A deck's folded block, in forms of any length."""

    result: DeckResult
    stubs: Examined | None
    """How the stub judges did on it."""
    show: bool
    """Whether model text may be shown."""
    root: Root | None = None
    """Why requests were not answered; None where all were."""

    @property
    def title(self) -> str:
        """The verdict, and what it fails on; alone, the shortest form."""
        return html(summary(self.result, self.stubs))

    @property
    def raw(self) -> int:
        """Characters of the longer one of the replies that are shown."""
        found = deck_rows.contradiction(self.result) if self.show else None
        return max((len(_text(judged)) for judged in found[1]), default=0) if found is not None else 0

    def text(self, *, rows: int = ROWS, raw: int | None) -> str:
        """Return the block.

        Args:
            rows: fixtures shown, 1 or more.
            raw: characters of each of two replies that contradict each other; None to leave them out.
        """
        replies = _replies(self.result, raw) if self.show and raw is not None else ""
        table = _table(self.result, rows)
        return fold(
            self.title,
            [
                table,
                _figures(self.result, show=self.show),
                replies,
                _next(self.result, self.root),
                _origin(self.result),
            ],
        )


def needs_look(result: DeckResult) -> bool:
    """Return whether a deck does not pass, warns of something, or moves with the wording."""
    warns = deck_words.warning(result) or fresh.gate_of(result) is not None
    return result.verdict is not Verdict.PASS or bool(warns or deck_words.reworded(result))


def summary(result: DeckResult, stubs: Examined | None) -> Phrase:
    """Return ``❌ fail judge of trace-judge: 1 of 3 fixtures changes its label over 6 orders, …``."""
    proved = ""
    if stubs is not None:
        scores = stubs.scores
        proved = f"; stubs: positional {figure(scores.positional)}, identity {figure(scores.identity)}"
    title = f"{words.verdict(result.verdict)} <b>judge of "
    return (title, deck_words.name(result), f"</b>: {deck_words.why(result)}{proved}")


def _table(result: DeckResult, at_most: int) -> str:
    """Return the table of fixtures: all in the deck's order, or else the worst ones."""
    found = deck_rows.rows(result)
    if not result.answered:
        return ""
    shown = found if len(found) <= at_most else deck_rows.by_weight(result)[:at_most]
    lines = ["| fixture | labels | flips | gold met |", "|---|---|---|---|", *map(_row, shown)]
    more = len(found) - len(shown)
    rest = f" The worst {len(shown):,} of {len(found):,} fixtures." if more else ""
    return "\n".join(lines) + f"\n\n<sub>{markdown(deck_rows.legend(result))}{rest}</sub>"


def _row(row: Row) -> str:
    vector = row.vector.replace(" ", _HARD_SPACE) if row.vector.count(" ") < _ON_ONE_LINE else row.vector
    flips = {True: "**yes**", False: "no", None: words.NOT_MEASURED}[row.flips]
    gold = words.NOT_MEASURED if row.gold is None else f"**{row.gold}**" if row.misses else str(row.gold)
    name, label = (
        cell((quoted(text, limit),)) for text, limit in ((row.fixture.id, words.ID), (row.fixture.gold, words.NAME))
    )
    # Gold stands below the name, so that a phone shows the labels whole.
    return f"| {name}<br><sub>gold {label}</sub> | `{vector}` | {flips} | {gold} |"


def _figures(result: DeckResult, *, show: bool) -> str:
    """Return what the table does not say: places, noise, causes, requests, wordings, probes."""
    asked = len(result.outcomes) + len(result.further)
    came = [outcome for outcome in (*result.outcomes, *result.further) if isinstance(outcome, Judged)]
    repaired = sum(outcome.repaired for outcome in came)
    lost = f", not answered {asked - len(came):,}" if len(came) < asked else ""
    found: list[Phrase] = [
        deck_causes.no_label(result, show=show),
        *_moved(result),
        (f"Requests {asked:,}{lost}, repaired {repaired:,}.",),
        *further(result),
    ]
    return "\n".join(f"- {said}" for said in map(markdown, found) if said)


def _moved(result: DeckResult) -> list[Phrase]:
    """Return with what labels move; nothing of a judge that gives none."""
    if deck_causes.is_silent(result):
        return []
    noise = [said for said in (deck_figures.noise(result), deck_figures.disagreement(result)) if said]
    return [deck_figures.by_position(result), (" ".join(noise),)]


def further(result: DeckResult) -> list[Phrase]:
    """Return a line for each other wording of the rubric, and one for each planted trace."""
    of_wordings: list[Phrase] = [("reworded as ", *deck_words.wording_phrase(item)) for item in result.wordings]
    failed = sorted(result.probes, key=lambda probe: not deck_words.is_failed(probe))
    of_probes: list[Phrase] = [
        ("failed probe " if deck_words.is_failed(probe) else "probe ", *deck_words.probe_phrase(probe))
        for probe in failed
    ]
    lines: list[Phrase] = []
    for found, noun in ((of_wordings, "wording"), (of_probes, "probe")):
        more = len(found) - _LISTED
        lines += [*found[:_LISTED], *([(f"and {words.count(more, f'more {noun}')}",)] if more > 0 else [])]
    return lines


def _replies(result: DeckResult, raw: int) -> str:
    """Return two replies that contradict each other on the worst fixture, as they came."""
    found = deck_rows.contradiction(result)
    if found is None:
        return ""
    row, replies = found
    return "\n\n".join(_reply(result, row, judged, raw) for judged in replies)


def _reply(result: DeckResult, row: Row, judged: Judged, raw: int) -> str:
    request, fixtures = judged.request, result.planned.deck.fixtures
    place = request.order.index(row.index)
    label = deck_rows.label_of(judged, row)
    given: Phrase = _no_label(judged, place) if label is None else (quoted(label, words.NAME),)
    right = ", its gold label" if label == row.fixture.gold else ""
    stood = words.listed([(quoted(fixtures[index].id, words.ID),) for index in request.order], _LISTED)
    where = (
        f" as {deck_figures.ordinal(place + 1)} of {len(request.order):,}, under the name `{request.aliases[place]}`: "
    )
    said = markdown((quoted(row.fixture.id, words.ID), where, *given, f"{right}. In the order ", *stood))
    again = ", asked once more" if judged.repaired else ""
    text = _text(judged)
    return f"{said}{again}:\n\n{fence(text, raw)}" if text else f"{said}{again}: the reply came without text."


def _no_label(judged: Judged, place: int) -> Phrase:
    why = judged.labels.unreadable or dict(judged.labels.causes).get(judged.request.aliases[place])
    return ("no label",) if why is None else ("no label (", quoted(why, words.NAME), ")")


def _text(judged: Judged) -> str:
    """Return a reply as it came, or else in what words the judge declined."""
    reply = judged.draws[-1].reply if judged.draws else None
    return judged.reply or (reply.refusal or "" if reply is not None else "")


def _next(result: DeckResult, root: Root | None) -> str:
    said = deck_remedies.for_deck(result, root)
    return f"Next: {markdown(said)}." if said else ""


def _origin(result: DeckResult) -> str:
    deck = result.planned.deck
    parts = [
        f"run because: {', '.join(result.planned.reasons)}",
        f"judge {markdown((quoted(deck.sampling.model or '', words.NAME), f', {asked(result)}'))}",
        f"rubric {markdown((words.path(deck.rubric_path),))}",
        f"fixtures {markdown((words.path(deck.path),))}",
        f"fingerprint `{short(result.planned.fingerprint)}`",
    ]
    return f"<sub>{' · '.join(parts)}</sub>"


def asked(result: DeckResult) -> str:
    """Return how a deck's judge is asked: ``temperature 0, seed 7``."""
    sampling = {name: value for name, value in parameters(result.planned.deck.sampling).items() if name != "model"}
    numbers = [
        f"{name.replace('_', ' ')} {dumps(value)}"
        for name, value in sampling.items()
        if name in {"temperature", "top_p", "seed", "max_tokens"}
    ]
    return ", ".join(numbers) if "temperature" in sampling else ", ".join(["temperature provider default", *numbers])


def passing_table(results: Sequence[DeckResult]) -> str:
    """Return the table of decks that pass; one at least."""
    return "\n".join([HEAD, *map(_passing_row, results)])


def _passing_row(result: DeckResult) -> str:
    deck, score = result.planned.deck, result.score
    orders = words.count(result.planned.exam.orders, "order")
    repeats = f" × {deck.repeats}" if deck.repeats > 1 else ""
    flips, gold = (words.NOT_MEASURED,) * 2 if score is None else (str(score.judge_flip_rate), str(score.gold))
    cells = (
        f"{words.SYMBOLS[result.verdict]}{_HARD_SPACE}{result.verdict}",
        f"{cell((deck_words.name(result),))}<br><sub>{cell((words.path(deck.path),))}</sub>",
        f"{flips}<br>{orders}{repeats}",
        gold,
        ", ".join(result.planned.reasons),
    )
    return f"| {' | '.join(cells)} |"
