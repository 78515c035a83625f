"""The comment's parts that are not about one case: warnings, notes, decks, the footer. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evalaction.fingerprint import short
from evalaction.records.plan import Change
from evalaction.records.report import Report
from evalaction.report import changes, spent, words
from evalaction.report.comment_cases import COMMAND
from evalaction.report.decks import graded as graded_words
from evalaction.report.decks import words as deck_words
from evalaction.report.decks.instrument import stubs_phrase
from evalaction.report.lead import failed_probes, missing_draws, not_independent, not_looked_for, warned
from evalaction.report.lead import notes as notes_of
from evalaction.report.untrusted import Phrase, code, link, markdown, quoted

FEW = 10
"""Cases below which a suite's totals say little."""
_RUNS = 3
"""Earlier runs that are named."""


def warnings(report: Report, at_most: int, *, source: str | None = None) -> str:
    """Return the alert on what a reviewer must not miss; empty when there is nothing.

    Args:
        report: the run.
        at_most: items shown of each kind, 0 or more.
        source: address of all files at head, to link lines to; None for no links.
    """
    lines = [
        *_kind("How the run was started", "How the run was started", warned(report), at_most),
        *_kind("Not measured", "Not measured", not_looked_for(report), at_most),
        *_kind("Probe failed", "Probes failed", failed_probes(report), at_most),
        *_kind("Draws not independent", "Draws not independent", not_independent(report), at_most),
        *_kind("Graded by an untested judge", "", [said] if (said := graded_words.untested(report)) else [], at_most),
        *_changes("Gate loosened", "Gates loosened", report.loosened, at_most, source),
        *_changes("Expected value edited", "Expected values edited", report.edited_gold, at_most, source),
        *_kind("Removed", "Removed", [changes.removed(item) for item in report.removed], at_most),
    ]
    return _alert("WARNING", lines)


def _kind(one: str, many: str, items: Sequence[Phrase], at_most: int) -> list[str]:
    return _titled(one, many, len(items), words.listed(items, at_most) if at_most else ())


def _changes(one: str, many: str, items: Sequence[Change], at_most: int, source: str | None) -> list[str]:
    """Return what ``_kind`` does, with all that changed on one line of a file together."""
    lines: dict[tuple[str, str, int], list[Change]] = {}
    for item in items[:at_most]:
        lines.setdefault((item.path, item.id, item.line), []).append(item)
    listed = words.listed([changes.changes(together, source=source) for together in lines.values()], at_most)
    more = len(items) - at_most
    return _titled(one, many, len(items), (*listed, f" and {more:,} more") if listed and more > 0 else listed)


def _titled(one: str, many: str, number: int, listed: Phrase) -> list[str]:
    """Return a line with a title and what it is about, or how many there are where nothing is listed."""
    if not number:
        return []
    if not listed:
        return [f"**{one if number == 1 else many}:** {number:,}"]
    return [f"**{one if number == 1 else f'{many} ({number:,})'}:** {markdown(listed)}"]


def notes(report: Report, at_most: int) -> str:
    """Return the alert with the manifest's notes; empty when there are none."""
    items = notes_of(report)
    lines = [code(note, words.CAUSE) for note in items[:at_most]]
    more = len(items) - len(lines)
    if more > 0:
        lines.append(f"and {more:,} more" if lines else words.count(more, "note"))
    return _alert("NOTE", lines)


def missing(report: Report, at_most: int) -> str:
    """Return why draws are missing, each cause once; empty when none is, or the lead says it all."""
    phrases = missing_draws(report)
    more = len(phrases) - at_most
    lines = [f"- {markdown(phrase)}" for phrase in phrases[:at_most]]
    lines += [f"- {words.count(more, 'more cause' if lines else 'cause')}"] if more > 0 else []
    return "\n".join(lines)


def _alert(kind: str, lines: Sequence[str]) -> str:
    return "\n".join([f"> [!{kind}]", *(f"> - {line}" for line in lines)]) if lines else ""


def held_decks(report: Report, at_most: int) -> str:
    """Return a sentence on the affected decks whose judges were not asked; empty where nothing was held back."""
    if not report.decks or report.held is None:
        return ""
    names = [(deck_words.name(deck), f" ({', '.join(deck.planned.reasons)})") for deck in report.decks[:at_most]]
    which = f": {markdown(words.listed(names, at_most))}" if names else ""
    more = len(report.decks) - len(names)
    rest = f" and {more:,} more" if names and more else ""
    were = "is affected, and its judge was" if len(report.decks) == 1 else "are affected, and their judges were"
    return f"⚪ unmeasured: {words.count(len(report.decks), 'deck')} {were} not asked{which}{rest}."


def truth(report: Report, at_most: int) -> str:
    """Return which cases have no expected value; empty when all have one, or nothing was measured."""
    return markdown(truth_phrase(report, at_most))


def truth_phrase(report: Report, at_most: int) -> Phrase:
    """Return the sentence of ``truth``, for any place."""
    without = [(words.case_id(result),) for result in report.cases if not result.has_expected]
    if not without or not any(result.measured for result in report.cases):
        return ()
    drawn, start = len(report.cases), "Agreement is not truth:"
    if len(without) == drawn:
        none = "the case has no" if drawn == 1 else f"none of the {drawn:,} cases has an"
        return (f"{start} {none} expected value, so a stable wrong answer passes.",)
    some = f"{len(without):,} of {drawn:,} cases {'has' if len(without) == 1 else 'have'}"
    sentence = f"{start} {some} no expected value, so a stable wrong answer passes there"
    return (sentence, *((": ", *words.listed(without, at_most)) if at_most else ()), ".")


def footer(report: Report, *, full: bool, location: str | None) -> str:
    """Return the manifest in small print.

    Args:
        report: the run.
        full: False for the shortest form that still identifies the run.
        location: where the whole report is; None when nobody can say.
    """
    manifest = report.manifest
    parts = [*_asked(report), *_spent(report)]
    parts += [f"stubs: {markdown(stubs_phrase(report.stubs))}", *_identity(report)]
    if full:
        parts += [code(f"{name} {version}", words.NAME) for name, version in manifest.versions]
        if 0 < len(manifest.repeat_command) <= COMMAND:
            parts.append(f"again on a desk: {code(manifest.repeat_command, COMMAND)}")
    else:
        parts = [*parts[:1], *_identity(report)]
    if location is not None:
        parts.append(link("full report", location))
    return f"<sub>{' · '.join(parts)}</sub>"


def _asked(report: Report) -> list[str]:
    manifest = report.manifest
    parts = [f"model {code(manifest.model, words.NAME)}"] if manifest.model is not None else []
    if manifest.endpoint_host is not None:
        parts.append(f"endpoint {code(manifest.endpoint_host, words.NAME)}")
    if manifest.judge_model not in {None, manifest.model}:
        parts.append(f"judge {code(manifest.judge_model or '', words.NAME)}")
    if manifest.judge_host not in {None, manifest.endpoint_host}:
        parts.append(f"judge's endpoint {code(manifest.judge_host or '', words.NAME)}")
    if manifest.sampling:
        parts.append(code(", ".join(manifest.sampling), words.CAUSE))
    measured = any(result.measured for result in report.cases)
    few = " (few)" if measured and manifest.items < FEW else ""
    if manifest.items:
        parts.append(f"{len(report.cases):,} of {words.count(manifest.items, 'case')}{few}")
    if report.decks:
        parts.append(words.count(len(report.decks), "deck"))
    return parts


def _spent(report: Report) -> list[str]:
    manifest = report.manifest
    parts = spent.calls_words(report)
    parts += [markdown(faults)] if (faults := spent.faults_words(report)) else []
    if manifest.calls.made:
        parts += [spent.tokens_words(manifest.tokens), spent.seconds(manifest.wall_s)]
    return [*parts, *_replayed(report)]


def _replayed(report: Report) -> list[str]:
    replays = report.manifest.replays
    if not replays:
        return []
    runs = words.listed([(quoted(short(each.run)),) for each in replays], _RUNS)
    what, _ = spent.replayed(report.cases, report.decks, replays)
    return [markdown((f"{what} from the ledger of {'run' if len(replays) == 1 else 'runs'} ", *runs))]


def _identity(report: Report) -> list[str]:
    manifest = report.manifest
    prints = [("golden", manifest.dataset_sha256)]
    if report.cases:
        prints += [("prompts", manifest.prompts_sha256), ("sampling", manifest.sampling_sha256)]
    if manifest.config_sha256 is not None:
        prints.append(("config", manifest.config_sha256))
    shown = [f"{name} `{short(print_)}`" for name, print_ in prints]
    return [*shown, f"compared {markdown(compared(report))}"]


def compared(report: Report) -> Phrase:
    """Return ``main (1f0c2d900000) → merge of 8a41b7700000``: what was held against what."""
    base, head = report.base, report.head
    return (
        *words.side(base.sha, base.ref, without="no base"),
        " → ",
        *words.side(head.sha, head.ref, without="work tree", merge_of=head.merge_of),
    )
