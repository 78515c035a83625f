"""A request to a repository of the fake GitHub, and pages of lists. Pure, but for the objects that it gives out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode

from support.fakehub.exchange import Answer, Call, refused
from support.fakehub.objects import Objects
from support.fakehub.state import HostedRepository

PER_PAGE, MOST_PER_PAGE = 30, 100


class Site(Protocol):
    """What the routes know of the whole."""

    viewer: str
    token_kind: str
    read_only: bool
    body_limit: int

    def hosted(self, full_name: str) -> HostedRepository | None:
        """Return a repository, whatever the case of its name."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request to a repository that is there."""

    site: Site
    repo: HostedRepository
    call: Call
    name: str
    """What the path names last: a number, an id, a revision."""

    @property
    def objects(self) -> Objects | None:
        """The repository's objects; None where it is empty."""
        if self.repo.git is None:
            return None
        return Objects(git=self.repo.git, full_name=self.repo.full_name, root=self.call.root)


def wanted(call: Call, *, most: int = MOST_PER_PAGE, usual: int = PER_PAGE) -> tuple[int, int]:
    """Return the number of the page that is asked for, from 1, and how much stands on one."""
    query = call.request.query
    return max(1, int(query.get("page", 1))), min(most, max(1, int(query.get("per_page", usual))))


def missing() -> Answer:
    """Return what GitHub says of what is not there."""
    return refused(404, "Not Found")


def page_of(asked: Asked, items: list[dict[str, Any]]) -> Answer:
    """Return one page of a list, with links to the others. These name the repository by its id, as GitHub's do."""
    call = asked.call
    number, size = wanted(call)
    last = max(1, -(-len(items) // size))
    rest = re.sub(r"^/repos/[^/]+/[^/]+", f"/repositories/{asked.repo.id}", call.request.path)
    others = {"prev": number - 1, "next": number + 1, "last": last, "first": 1}
    there = [name for name in others if (number > 1 if name in {"prev", "first"} else number < last)]
    links = [
        f'<{call.root}{rest}?{urlencode({**call.request.query, "page": others[name]})}>; rel="{name}"' for name in there
    ]
    shown = items[(number - 1) * size : number * size]
    return Answer(headers={"Link": ", ".join(links)} if links else {}, body=shown)
