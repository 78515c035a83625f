"""A deck's fingerprint: SHA-256 in hex over all that a judge's figures on it depend on. Pure.

When it moves, earlier figures say nothing of what is measured now.
"""

from __future__ import annotations

from evalaction.fingerprint import parameters
from evalaction.judge.planting import FLUENT, STEER
from evalaction.judge.prompt import SYSTEM
from evalaction.judge.reply import REPAIR
from evalaction.judge.request import reply_form
from evalaction.records.deck import Deck, ProbeKind
from evalaction.values import JSON, canonical, sha256

_MADE = 1
"""To be raised when aliases, marks or orders come out otherwise of the same deck, or labels of the same reply."""
_TEXTS = {ProbeKind.STEER: STEER, ProbeKind.FLUENT: FLUENT}


def deck_fingerprint(deck: Deck) -> str:
    """Return a deck's fingerprint.

    It is taken over rubric, fixtures in file order with all their fields and gold labels, labels, shown fields,
    sampling with the model, orders, repeats, probes, planted lines, other wordings, and the texts of our own that
    requests are made of. Thresholds, paths and line numbers are not in it: they change no figure.
    """
    probes: list[JSON] = [[kind.value, _TEXTS.get(kind)] for kind in deck.probes]
    return sha256(
        canonical(
            {
                "request": [_MADE, SYSTEM, REPAIR, reply_form(("alias",), ("label",))],
                "rubric": deck.rubric,
                "fixtures": [{"id": item.id, "gold": item.gold, **item.fields} for item in deck.fixtures],
                "labels": [*deck.labels],
                "show": [*deck.show],
                "sampling": parameters(deck.sampling),
                "max_orders": deck.max_orders,
                "repeats": deck.repeats,
                "probes": probes,
                "planted": [{"id": item.id, **item.fields} for item in deck.planted],
                "wordings": [wording.text for wording in deck.wordings],
            }
        )
    )
