"""What a report file of an earlier version does not say, as far as it was never otherwise then. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_OF_A_REPLY = ("model", "system_fingerprint", "replayed", "replay_of")


def complete(document: Any) -> None:
    """Add to a document, in place, what was not there in earlier versions of the published form.

    Nothing was read from a ledger then, and each request asked for one draw; marks of replays and names of those who
    answered were not kept, and failures were not counted. A gate for independence failed, and now is unmeasured.

    Args:
        document: of the published form.
    """
    manifest = document["manifest"]
    for name in ("faults", "answered_by", "replays"):
        manifest.setdefault(name, [])
    for name, default in (("reasoning", None), ("total", None), ("estimated", False)):
        manifest["tokens"].setdefault(name, default)
    draws = [draw for case in document["cases"] for draw in case["draws"]]
    for draw in draws:
        draw.setdefault("choices", None if draw["choice"] is None else 1)
    for reply in (*draws, *_replies(document)):
        for name in _OF_A_REPLY:
            reply.setdefault(name, None)
    came = sum(draw["replay_of"] is None and _came(draw) for draw in draws)
    for name in ("draws", "answered"):
        manifest["calls"].setdefault(name, came)
    for result in (*document["cases"], *document["decks"]):
        for gate in result["gates"]:
            if gate["name"] == "independence" and gate["verdict"] == "fail" and gate["warns"]:
                gate["verdict"] = "unmeasured"


def _came(draw: Any) -> bool:
    return draw["state"] != "missing" or draw["ungraded"] is not None or bool(draw["judge"])


def _replies(document: Any) -> Iterator[Any]:
    asked = [run for deck in document["decks"] for run in deck["runs"]]
    asked += [said for case in document["cases"] for draw in case["draws"] for said in draw["judge"] or ()]
    for came in asked:
        yield came
        if came["first_reply"] is not None:
            yield came["first_reply"]
