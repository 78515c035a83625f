"""The stub judges' scores, read back from a report. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evalaction.judge.stubs import broken
from evalaction.records.gate import Share
from evalaction.records.judge import Examined, StubScores
from evalaction.report.decks.instrument import NAMES
from evalaction.report.stored.pieces import Unfit, whole


def stored_stubs(documents: Sequence[Any], *, decks: Sequence[str]) -> tuple[Examined, ...]:
    """Return what ``instrument_document`` was made from.

    Args:
        documents: of the published form.
        decks: names of decks that have to be among them.

    Raises:
        Unfit: no run can have left this: with a broken instrument there is no report.
    """
    stubs = tuple(Examined(deck=item["deck"], scores=_scores(item["stubs"])) for item in documents)
    names = [each.deck for each in stubs]
    if len(set(names)) != len(names) or not set(decks) <= set(names) or (None in names and len(names) > 1):
        raise Unfit("a deck is missing, or stands twice, where its stubs are")
    return stubs


def _scores(document: Any) -> StubScores:
    shares = {name: Share(**{key: whole(number) for key, number in document[name].items()}) for name in NAMES}
    scores = StubScores(**shares)
    fixtures, labels = scores.positional.of, scores.gold.of
    over_fixtures = (scores.positional_first, scores.identity, scores.forgetful)
    if (
        fixtures < 2  # noqa: PLR2004 - one fixture has no order
        or any(share.of != fixtures for share in over_fixtures)
        or labels < 2 * fixtures
        or labels % fixtures
        # One label throughout is right on the same fixtures in every request.
        or scores.stamp.of != labels
        or scores.stamp.count % (labels // fixtures)
    ):
        raise Unfit("the scores of its stubs are not those of one deck")
    if broken(scores) is not None:
        raise Unfit("its stubs did not come to what they have to")
    return scores
