"""What an endpoint does not take of requests as they were asked for, and how they are sent from then on. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from evalaction.records.draw import Adaptation

CHOICES = "n"
"""The parameter with which one request asks for several choices."""
NOT_HONOURED = Adaptation(name=CHOICES, refused=False)
"""The endpoint takes ``n``, and gives one choice all the same."""


_NOTHING: Mapping[str, str | None] = MappingProxyType({})


class Adaptations:
    """Changes of parameters that hold for the rest of a run, for the requests to one model each."""

    def __init__(self, known: Iterable[Adaptation]) -> None:
        """Begin with what earlier parts of the run have found out."""
        self._all = {(each.model, each.name): each for each in known}
        self._sent: dict[str | None, Mapping[str, str | None]] = {}
        for model, _ in self._all:
            self._set(model)
        self.made = 0
        """Changes since then."""

    @property
    def all(self) -> tuple[Adaptation, ...]:
        """Every change, sorted by model and by the name of its parameter."""
        return tuple(sorted(self._all.values(), key=lambda each: (each.model or "", each.name)))

    def of(self, model: str | None) -> Mapping[str, str | None]:
        """Return, by parameter, the name by which requests to a model send it; None: they leave it out.

        What is returned does not change: requests that are on their way keep what they were sent with.
        """
        return self._sent.get(model, _NOTHING)

    def one_choice(self, model: str | None) -> bool:
        """Return whether a request to a model asks for one draw only, whatever it was to ask for."""
        return CHOICES in self.of(model)

    def note(self, change: Adaptation, *, model: str | None) -> None:
        """Note a change for a model, unless that parameter was changed already.

        What is sent by another name and is refused by that name too may still be left out.
        """
        before = self._all.get((model, change.name))
        if before is None or (before.instead is not None and change.instead is None):
            self._all[model, change.name] = replace(change, model=model)
            self._set(model)
            self.made += 1

    def _set(self, model: str | None) -> None:
        changes = {each.name: each.instead for each in self._all.values() if each.model == model}
        self._sent[model] = MappingProxyType(changes)
