"""A deck of a stored report, as records again, with everything read and counted anew from its judge's replies. Pure.

The document follows the published schema already. What that cannot say is looked for here: that every order was asked
as often as any other, and that no run is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalaction.grade.deck import grade_deck
from evalaction.records.deck import Deck, Fixture, Planted, ProbeKind, Wording
from evalaction.records.deck_result import DeckResult
from evalaction.records.draw import Draw
from evalaction.records.exam import Exam, Probe, Reworded
from evalaction.records.gate import GateName
from evalaction.records.judge import JudgeRequest, Labels, Outcome
from evalaction.records.plan import PlannedDeck
from evalaction.report.stored.pieces import Unfit, reasons, sampling, threshold, whole
from evalaction.report.stored.reply import names, outcome

_PLACES = 2
"""A planted trace stands before the deck, and after it."""
_OTHER_RUNS = "the runs of a deck are not those of its exam, its wordings and its probes"


def deck_result(document: Any) -> DeckResult:
    """Return what a judge is worth on a deck, counted anew.

    Raises:
        Unfit: no run can have left this.
    """
    deck = _deck(document)
    runs = document["runs"]
    requests = [_request(run, deck) for run in runs]
    exam = Exam(
        requests=tuple(request for run, request in zip(runs, requests, strict=True) if run["part"] == "exam"),
        wordings=tuple(_wordings(document, requests)),
        probes=tuple(_probes(document, requests, deck)),
    )
    if exam.all_requests != tuple(requests):
        raise Unfit(_OTHER_RUNS)
    _check_exam(exam, deck, orders=document["orders"])
    _check_further(exam, deck)
    planned = PlannedDeck(deck=deck, fingerprint=document["fingerprint"], reasons=reasons(document), exam=exam)
    fail_on = frozenset(GateName(gate["name"]) for gate in document["gates"] if not gate["warns"])
    came = [
        _outcome(run, request, deck, index) for index, (run, request) in enumerate(zip(runs, requests, strict=True), 1)
    ]
    return grade_deck(planned, came, fail_on=fail_on)


def _deck(document: Any) -> Deck:
    labels, limits = tuple(document["labels"]), document["thresholds"]
    fixtures = tuple(Fixture(id=item["id"], line=1, fields={}, gold=item["gold"]) for item in document["fixtures"])
    if len({fixture.id for fixture in fixtures}) != len(fixtures):
        raise Unfit("a fixture stands twice in a deck")
    gold = {fixture.gold for fixture in fixtures}
    if not gold <= set(labels) or len(gold) == 1:
        raise Unfit("the gold labels of a deck are not some of its labels, or all alike")
    probes = [(ProbeKind(item["kind"]), item["id"]) for item in document["probes"]]
    return Deck(
        name=document["name"],
        path=document["file"],
        config_path=document["config_file"],
        line=whole(document["line"]),
        rubric_path=document["rubric_file"],
        rubric=document["rubric"],
        labels=labels,
        show=tuple(document["show"]),
        fixtures=fixtures,
        repeats=whole(document["repeats"]),
        sampling=sampling(document["sampling"]),
        judge_flip_max=threshold(limits["judge_flip_max"]),
        gold_min=threshold(limits["gold_min"]),
        probes=tuple(kind for kind, _ in probes if kind is not ProbeKind.PLANTED),
        planted=tuple(Planted(id=id_, line=1, fields={}) for kind, id_ in probes if kind is ProbeKind.PLANTED),
        wordings=tuple(Wording(path=item["file"], text="") for item in document["wordings"]),
    )


def _request(run: Any, deck: Deck) -> JudgeRequest:
    index: dict[str | None, int] = {fixture.id: number for number, fixture in enumerate(deck.fixtures)}
    if run["part"] == "probe":
        # What is planted has no id.
        index[None] = len(index)
    order = tuple(index.get(id_, -1) for id_ in run["order"])
    if sorted(order) != list(range(len(index))) or len(run["aliases"]) != len(order):
        raise Unfit("a judge was asked about other fixtures than those of its deck")
    return JudgeRequest(
        order=order,
        repeat=whole(run["repeat"]),
        aliases=names(run["aliases"]),
        messages=(),
        fingerprint=run["fingerprint"],
    )


def _wordings(document: Any, requests: Sequence[JudgeRequest]) -> Iterator[Reworded]:
    """Yield the wordings as they follow one another in the runs; those of the document, or it is refused later."""
    groups = _groups(document, requests, "wording", document["orders"])
    if [path for path, _ in groups] != [item["file"] for item in document["wordings"]]:
        raise Unfit(_OTHER_RUNS)
    for path, asked in groups:
        yield Reworded(path=path, requests=asked)


def _probes(document: Any, requests: Sequence[JudgeRequest], deck: Deck) -> Iterator[Probe]:
    groups = _groups(document, requests, "probe", _PLACES)
    listed = [{"kind": item["kind"], "id": item["id"]} for item in document["probes"]]
    kinds = [ProbeKind(item["kind"]) for item in listed]
    single = [kind for kind in kinds if kind is not ProbeKind.PLANTED]
    if [probe for probe, _ in groups] != listed or kinds != [
        kind for kind in ProbeKind for _ in range(kinds.count(kind))
    ]:
        raise Unfit(_OTHER_RUNS)
    if len(set(single)) != len(single):
        raise Unfit("a probe stands twice in a deck")
    index = {fixture.id: number for number, fixture in enumerate(deck.fixtures)}
    for (probe, asked), kind in zip(groups, kinds, strict=True):
        twin = kind is ProbeKind.TWINS
        named = probe["id"] in index if twin else kind is ProbeKind.PLANTED or probe["id"] == kind
        if not named:
            raise Unfit("a probe has another name than its kind gives it")
        place = index[probe["id"]] if twin else None
        gold = deck.labels[1] if place is None else deck.fixtures[place].gold
        planted = Fixture(id=probe["id"], line=1, fields={}, gold=gold)
        yield Probe(kind=kind, planted=planted, twin_of=place, requests=asked)


def _groups(
    document: Any, requests: Sequence[JudgeRequest], part: str, size: int
) -> list[tuple[Any, tuple[JudgeRequest, ...]]]:
    """Return the runs of one part in groups of ``size``, with what each belongs to.

    Raises:
        Unfit: a group belongs to more than one thing.
    """
    pairs = [
        (run[part], request) for run, request in zip(document["runs"], requests, strict=True) if run["part"] == part
    ]
    groups = [pairs[start : start + size] for start in range(0, len(pairs), size)]
    if any(whose != group[0][0] for group in groups for whose, _ in group):
        raise Unfit(_OTHER_RUNS)
    return [(group[0][0], tuple(request for _, request in group)) for group in groups]


def _check_exam(exam: Exam, deck: Deck, *, orders: int) -> None:
    """Check that each order was asked as often as any other, and that the orders are balanced.

    Raises:
        Unfit: that is not so.
    """
    asked, repeats, k = exam.requests, deck.repeats, len(deck.fixtures)
    firsts = asked[::repeats]
    places = Counter((index, place) for request in firsts for place, index in enumerate(request.order))
    aliases = {(index, alias) for request in asked for index, alias in zip(request.order, request.aliases, strict=True)}
    fits = (
        len(firsts) == orders == exam.orders > 1
        and all(
            (request.order, request.repeat, request.fingerprint)
            == (firsts[number // repeats].order, number % repeats + 1, firsts[number // repeats].fingerprint)
            for number, request in enumerate(asked)
        )
        and len(asked) == orders * repeats
        and len(aliases) == k
        # Every fixture stands equally often at every place, whatever the orders are.
        and set(places.values()) == {orders // k}
        and len(places) == k * k
    )
    if not fits:
        raise Unfit("the orders of a deck are none that a judge is asked in")


def _check_further(exam: Exam, deck: Deck) -> None:
    """Check that wordings and planted traces were put to the judge in the exam's own orders and under its names.

    Raises:
        Unfit: they were not.
    """
    firsts = exam.requests[:: deck.repeats]
    own = [(request.order, request.aliases, 1) for request in firsts]
    order, last = firsts[0].order, len(deck.fixtures)
    alias = dict(zip(order, firsts[0].aliases, strict=True))
    for reworded in exam.wordings:
        if [(request.order, request.aliases, request.repeat) for request in reworded.requests] != own:
            raise Unfit("a wording was not put to the judge as the deck was")
    for probe in exam.probes:
        planted = {request.order: _by_index(request) for request in probe.requests}
        named = {**alias, last: planted.get((last, *order), {}).get(last, "")}
        if [request.order for request in probe.requests] != [(last, *order), (*order, last)] or any(
            request.repeat != 1 or _by_index(request) != named for request in probe.requests
        ):
            raise Unfit("a planted trace was not put to the judge before and after the deck")


def _by_index(request: JudgeRequest) -> Mapping[int, str]:
    return dict(zip(request.order, request.aliases, strict=True))


def _outcome(run: Any, request: JudgeRequest, deck: Deck, index: int) -> Outcome:
    k = len(request.aliases)
    labels, causes = run["labels"] or [None] * k, run["causes"] or [None] * k
    if len(labels) != k or len(causes) != k or (run["labels"] is None) != (run["state"] == "missing"):
        raise Unfit("a judge's labels are not as many as it was asked for")
    said = Labels(
        by_alias=tuple(zip(request.aliases, labels, strict=True)),
        causes=tuple((alias, why) for alias, why in zip(request.aliases, causes, strict=True) if why is not None),
        strange=tuple(run["strange"]),
        unreadable=run["unreadable"],
    )
    return outcome(
        run,
        request,
        here=Draw(path=deck.path, id=deck.name, index=index, seed=None),
        labels=deck.labels,
        said=said,
    )
