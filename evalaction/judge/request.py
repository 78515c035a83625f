"""What a judge is asked: a deck in one order, as messages. Pure.

A request is made of the rubric, the labels and the fields that the deck shows, and of nothing else: gold labels,
ids, notes, tags and the order of the file change no byte of any request. Fixtures go under aliases, made by hash
from what is shown; orders are permutations of the fixtures sorted by alias, and their seed is made from what is
shown. What is shown stands as JSON between two lines that no fixture can hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evalaction.frozen import frozen
from evalaction.judge.names import aliases_of, mark_of
from evalaction.judge.orders import Order, plan_orders
from evalaction.judge.planting import seeds_of, shown
from evalaction.judge.prompt import line_of, messages_of
from evalaction.records.deck import Deck
from evalaction.records.judge import JudgeRequest
from evalaction.values import JSON, canonical, sha256


@frozen
class Frame:
    """What all requests about a deck have in common: its exam, its wordings and its probes."""

    deck: Deck
    """What is asked about."""
    contents: tuple[Mapping[str, JSON], ...]
    """What is shown of each fixture, by its index."""
    aliases: tuple[str, ...]
    """Alias of each fixture, by its index."""
    items: tuple[str, ...]
    """Each fixture as it is put to the judge, by its index."""
    orders: tuple[Order, ...]
    """Every order of the exam: indices of fixtures by position."""
    mark: str
    """The line before and after the data."""
    given: str
    """Everything that any request may hold beside aliases and mark: neither stands in it."""


@frozen
class Extra:
    """One item beside the deck's fixtures: its index is the one that follows theirs."""

    alias: str
    """Its alias."""
    content: Mapping[str, JSON]
    """What is shown of it."""


def requests_of(deck: Deck) -> tuple[JudgeRequest, ...]:
    """Return what a judge is asked about a deck, without wordings and probes.

    Args:
        deck: two fixtures at least. One with more fixtures than its ``max_orders`` is put in as many orders as it
            has fixtures.

    Returns:
        The requests, order by order, all repeats of one after another. Their messages are the same for all decks
        that show the same; ``order`` says which fixture of this deck stands where.

    Raises:
        ValueError: fewer than two fixtures, or fewer than one repeat.
    """
    return exam_requests(frame_of(deck))


def exam_requests(frame: Frame) -> tuple[JudgeRequest, ...]:
    """Return the requests of ``requests_of`` for a deck whose frame is made.

    Raises:
        ValueError: fewer than one repeat.
    """
    repeats = frame.deck.repeats
    if repeats < 1:
        raise ValueError(f"{repeats} repeats: each order is asked once at least")
    return tuple(each for order in frame.orders for each in repeated(ask(frame, order), repeats))


def frame_of(deck: Deck) -> Frame:
    """Return what all requests about a deck have in common.

    Raises:
        ValueError: fewer than two fixtures.
    """
    contents = tuple(shown(fixture.fields, deck.show) for fixture in deck.fixtures)
    texts = [line_of(content) for content in contents]
    # What is told apart from the data must stand nowhere in it, nor in any rubric. What is planted counts too, so
    # that the fixtures have the same aliases beside it as without it.
    planted = [line_of(seed.changes) for seed in seeds_of(deck)]
    rubrics = [deck.rubric, *(wording.text for wording in deck.wordings)]
    given = "\n".join([*rubrics, *deck.labels, *texts, *planted])
    aliases = aliases_of(texts, rubric=deck.rubric, given=given)
    seed = sha256(canonical([deck.rubric, [*deck.labels], [*sorted(texts)]]))
    base = sorted(range(len(texts)), key=aliases.__getitem__)
    # Sorted, as their replies are wherever these stand side by side.
    planned = sorted(plan_orders(len(base), max_orders=max(deck.max_orders, len(base)), seed=seed))
    return Frame(
        deck=deck,
        contents=contents,
        aliases=aliases,
        items=tuple(_item(*each) for each in zip(aliases, contents, strict=True)),
        orders=tuple(tuple(base[number] for number in order) for order in planned),
        mark=mark_of(seed, given=given),
        given=given,
    )


def ask(frame: Frame, order: Order, *, rubric: str | None = None, extra: Extra | None = None) -> JudgeRequest:
    """Return the request that puts a deck to its judge.

    Args:
        frame: of the deck.
        order: indices by position: of all fixtures, and of ``extra`` where there is one.
        rubric: another wording of the rubric; None for the deck's own.
        extra: one item beside the fixtures.
    """
    deck, aliases, items = frame.deck, frame.aliases, frame.items
    if extra is not None:
        aliases, items = (*aliases, extra.alias), (*items, _item(extra.alias, extra.content))
    messages = messages_of(
        [items[index] for index in order],
        rubric=deck.rubric if rubric is None else rubric,
        labels=deck.labels,
        mark=frame.mark,
    )
    return request_for(messages, order=order, aliases=tuple(aliases[index] for index in order), labels=deck.labels)


def _item(alias: str, content: Mapping[str, JSON]) -> str:
    return line_of({"id": alias, **content})


def request_for(
    messages: tuple[Mapping[str, JSON], ...], *, order: Order, aliases: tuple[str, ...], labels: Sequence[str]
) -> JudgeRequest:
    """Return the first asking of a request with these messages."""
    return JudgeRequest(
        order=order,
        repeat=1,
        aliases=aliases,
        messages=messages,
        fingerprint=sha256(canonical([dict(message) for message in messages])),
        form=reply_form(aliases, labels),
    )


def repeated(request: JudgeRequest, repeats: int) -> tuple[JudgeRequest, ...]:
    """Return a request as it is asked 1, 2, … ``repeats`` times."""
    return tuple(replace(request, repeat=number) for number in range(1, repeats + 1))


def reply_form(aliases: Sequence[str], labels: Sequence[str]) -> JSON:
    """Return the ``response_format`` that asks for exactly one label for each of these items.

    Every item is a key that has to be there, and there are no others: a list of verdicts could name an item twice or
    run on, since bounds on a list are refused by some endpoints in strict mode (``'minItems' is not permitted``, a 400
    in public bug reports on OpenAI and Azure OpenAI). The keys stand sorted: the form is the same for all orders of a
    deck, so that no order shows in it, and an endpoint that compiles it does so once.
    """
    names = sorted(aliases)
    label: JSON = {"type": "string", "enum": [*labels]}
    schema: JSON = {
        "type": "object",
        "properties": dict.fromkeys(names, label),
        "required": [*names],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "labels", "strict": True, "schema": schema}}
