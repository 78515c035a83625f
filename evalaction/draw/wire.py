"""What a request is sent with, and what it brought."""

from __future__ import annotations

from dataclasses import field
from typing import NamedTuple

from evalaction.draw.clock import Clock
from evalaction.draw.endpoint import Target
from evalaction.draw.lean import httpx
from evalaction.frozen import frozen
from evalaction.records.draw import Adaptation, Failure, Reply
from evalaction.records.settings import Limits


class Try(NamedTuple):
    """What one request brought."""

    outcome: tuple[Reply, ...] | Failure
    """What came, one reply a choice in their order, at least one; or why nothing did."""
    retry_after: float | None = None
    """Seconds that the endpoint asked to be left alone; None when it did not say."""
    refused: Adaptation | None = None
    """What is to be changed for the rest of the run, since the endpoint refused it by name: the request can then be
    sent again at once. None: there is nothing to change.
    """
    exhausted: bool = False
    """A quota is used up that does not come back within a run."""


@frozen
class Wire:
    """What every request of a run is sent with."""

    client: httpx.AsyncClient
    """Keeps the connections."""
    target: Target
    """Where requests go, and what must not be shown of it."""
    limits: Limits
    """On time and size."""
    clock: Clock
    """Says what time it is, for a ``Retry-After`` that is a date."""
    blank: httpx.Request = field(init=False, repr=False, compare=False)
    """A request with everything but its body. The client makes it once: to merge headers and URLs takes it as long as
    everything else about a request.
    """

    def __post_init__(self) -> None:
        """Make the blank request."""
        headers = {"Content-Type": "application/json"}
        if self.target.authorization is not None:
            headers["Authorization"] = self.target.authorization
        blank = self.client.build_request("POST", self.target.url, headers=headers)
        blank.headers.pop("Content-Length", None)
        object.__setattr__(self, "blank", blank)

    def request(self, content: bytes) -> httpx.Request:
        """Return a request with ``content`` for its body; how long that is, whoever sends it says."""
        blank, stream = self.blank, httpx.ByteStream(content)
        return httpx.Request("POST", blank.url, headers=blank.headers, stream=stream, extensions=blank.extensions)
