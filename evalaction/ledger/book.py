"""The ledger as a run uses it: what an earlier run drew of a request, and what this one draws, kept as it comes.

No cache: it is a file that a person names for one measurement that may be interrupted, what is taken from it is told
draw by draw, and each draw in it stands for one draw and never for two.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from evalaction import __version__
from evalaction.draw.request import encode
from evalaction.ledger.file import LedgerFile, open_file
from evalaction.ledger.line import Asked, Began, Entry
from evalaction.ledger.place import check_place
from evalaction.records.draw import Adaptation, Call, Draw
from evalaction.records.tree import Tree
from evalaction.redact import Redactor
from evalaction.targets import Targets
from evalaction.values import sha256

_WITH_KEYS = "Draws that hold a key, or what is taken for one, are not kept in"


class Ledger:
    """An open ledger. Close it (``with``)."""

    def __init__(self, file: LedgerFile, *, redactor: Redactor) -> None:
        """Use an open file.

        Args:
            file: from ``open_file``.
            redactor: a reply that it would change is not kept: no key gets into the file, and no text is another one.
        """
        self._file = file
        self._redactor = redactor

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.__exit__(kind, error, trace)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the file, so far."""
        return tuple(self._file.notes)

    @property
    def is_empty(self) -> bool:
        """Whether no draw of an earlier run is left in it."""
        return self._file.is_empty

    @property
    def begun(self) -> Mapping[str, str]:
        """When each earlier run began whose draws may be taken, by run: ISO 8601, in UTC."""
        return self._file.begun

    def at(self, url: str) -> Book:
        """Return it for the requests to one endpoint.

        Args:
            url: that they are sent to.
        """
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2].lower()
        place = sha256(f"{parts.scheme}://{host}{parts.path}".encode())
        return Book(self._file, self._redactor, endpoint=place)

    def settle(self) -> None:
        """Wait until the disk has everything."""
        self._file.settle()


class Book:
    """The draws that one endpoint gave."""

    def __init__(self, file: LedgerFile, redactor: Redactor, *, endpoint: str) -> None:
        """Use an open file; ``Ledger.at`` is what makes one."""
        self._file = file
        self._redactor = redactor
        self._endpoint = endpoint
        self._adapted: dict[Adaptation, None] = {}

    @property
    def adapted(self) -> tuple[Adaptation, ...]:
        """What the endpoint did not take of the requests whose draws were found; sorted."""
        return tuple(sorted(self._adapted, key=lambda each: (each.model or "", each.name, each.instead or "")))

    def find(self, call: Call) -> tuple[Draw, ...] | None:
        """Return the draws that an earlier run made of a call, the earliest run's, each only once; None without them.

        They were asked for in the very same way: the same draw of the same case or judge, at the same endpoint, with
        the same request. Where one of several is not there, none is.
        """
        if self._file.is_empty:
            return None
        asked = self._asked(call)
        if not all(self._file.holds(each.key) for each in asked):
            return None
        found = [self._file.take(each.key) for each in asked]
        draws = [replace(entry.draw, replay_of=entry.run) for entry in found if entry is not None]
        if len(draws) < len(asked):
            return None
        self._adapted.update(dict.fromkeys(each for entry in found if entry is not None for each in entry.adapted))
        return tuple(draws)

    def add(self, call: Call, draws: Sequence[Draw], *, adapted: Sequence[Adaptation] = ()) -> None:
        """Keep what came of a call, at once; what did not come is not kept, nor what holds a key.

        Args:
            call: as it was asked for.
            draws: of it, each with the index of its own.
            adapted: what the endpoint did not take as it was asked for, as far as the run knows.
        """
        own = tuple(each for each in adapted if each.model == call.sampling.model)
        by_index = {asked.index: asked for asked in self._asked(call)}
        for draw in draws:
            if draw.reply is None or draw.replay_of is not None:
                continue
            if self._redactor.value(draw) != draw:
                self._file.note(f"{_WITH_KEYS} the ledger {self._file.path}.")
                continue
            self._file.append(partial(_entry, asked=by_index[draw.index], draw=draw, adapted=own))

    def _asked(self, call: Call) -> list[Asked]:
        """Return what each draw of a call is asked for."""
        request = sha256(encode(replace(call, choices=1)))
        return [
            Asked(
                whose=call.whose,
                path=call.path,
                id=call.id,
                index=index,
                endpoint=self._endpoint,
                request=request,
                samples=call.sampling.samples_per_request,
            )
            for index in range(call.index, call.index + call.choices)
        ]


def _entry(run: str, at: str, *, asked: Asked, draw: Draw, adapted: tuple[Adaptation, ...]) -> Entry:
    return Entry(run=run, asked=asked, adapted=adapted, draw=draw, at=at)


def open_ledger(
    path: Path, *, resume: bool, targets: Targets, within: Path, report_dir: Path, trees: Collection[Tree]
) -> Ledger:
    """Open the ledger of a run, or begin one.

    Args:
        path: of the file.
        resume: whether draws of earlier runs are taken from it.
        targets: where the run sends its requests; what is secret of them is not kept.
        within: see ``check_place``.
        report_dir: see ``check_place``.
        trees: see ``check_place``.

    Raises:
        BadInput: the file cannot be used, or holds what it must not hold; nothing was sent.
    """
    check_place(path, within=within, report_dir=report_dir, trees=trees)
    redactor = Redactor(targets.secrets)
    hosts = [None if target is None else redactor.text(target.host) for target in (targets.draws, targets.judge)]
    began = Began(
        run=secrets.token_hex(8),
        began=datetime.now(UTC).isoformat(timespec="seconds"),
        endpoint=hosts[0],
        judge=hosts[1],
        version=__version__,
    )
    return Ledger(open_file(path, resume=resume, began=began), redactor=redactor)
