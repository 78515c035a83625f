"""GitHub: comments, open pull requests, git's objects. I/O: nothing else sends requests to GitHub.

PyGithub is the client; it is imported with the first request. The patience is our own, since PyGithub's knows no
cap for all waits together: limits of the rate, errors of the server and broken connections are waited out within
``WAIT_CAP_S``, a refusal is none of these, and a write is never repeated where it may have been done. No address
in an answer is followed but that of the next page and of a repository that has moved, and only on the API's own
origin: the token goes nowhere else.
"""

from __future__ import annotations

import itertools
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from evalaction import late
from evalaction.hub_answer import Answer, comment_at, hide_location, origin, read_answer, text_at, value_at
from evalaction.records.event import Job, same_repository
from evalaction.records.hub import Comment, HubFailure, OpenPull, Refusal, ServedEntry
from evalaction.records.tree import is_oid, kind_of
from evalaction.redact import Redactor
from evalaction.report.untrusted import line

if TYPE_CHECKING:
    from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester

WAIT_CAP_S = 300
"""Seconds that all waits of a hub may add up to."""
TRIES = 4
"""Requests for one reading, the first included, while the server is in trouble."""
HOPS = 3
"""Redirects that are followed for one request."""
TIMEOUT_S = 30
"""For a connection, and for each piece of an answer."""
JOB_AUTHOR = "github-actions[bot]"
"""Under which a job's own token writes."""

_PER_PAGE = 100
_UNAUTHORIZED, _NOT_FOUND = 401, 404
_REPOSITORY = late.pattern(r"[\w.-]+/[\w.-]+", re.ASCII)
_FOLDER = "040000"


def open_hub(
    job: Job,
    *,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.time,
    log: Callable[[str], None] = lambda _: None,
) -> Hub:
    """Return a hub; nothing is sent yet, and what is wrong with the job is said when something is asked for.

    Args:
        job: the repository, the root of the API (``https://host/api/v3`` on GitHub Enterprise Server), the token.
        sleep: waits for that many seconds.
        now: returns seconds since 1970.
        log: told of each wait, in a line of our own words.
    """
    return Hub(job, sleep=sleep, now=now, log=log)


class Hub:
    """One repository at GitHub, as one token sees it: ``OpenPulls``, ``Objects``, and threads of comments."""

    def __init__(
        self, job: Job, *, sleep: Callable[[float], None], now: Callable[[], float], log: Callable[[str], None]
    ) -> None:
        """See ``open_hub``."""
        self._job, self._sleep, self._now, self._log = job, sleep, now, log
        self._token = (job.token or "").strip()
        self._redactor = Redactor([self._token])
        self._waited = 0.0

    def thread(self, number: int) -> HubThread:
        """Return the comments of a pull request."""
        return HubThread(self, number)

    def pulls(self, *, head_repository: str, head_branch: str, head_sha: str) -> Sequence[OpenPull]:
        """See ``OpenPulls``."""
        query = {"state": "open", "head": f"{head_repository.partition('/')[0]}:{head_branch}"}
        found = []
        for pull in self.every(self.path("pulls"), query):
            # Looked at again: GitHub drops a filter that it cannot make sense of.
            repository, number = text_at(pull, "head", "repo", "full_name"), value_at(pull, "number")
            is_head = (text_at(pull, "head", "ref"), text_at(pull, "head", "sha")) == (head_branch, head_sha)
            if is_head and same_repository(repository, head_repository) and isinstance(number, int):
                found.append(OpenPull(number=number, base_ref=text_at(pull, "base", "ref")))
        return found

    def merge_base(self, base: str, head: str) -> str:
        """See ``Objects``."""
        pair = f"{quote(base, safe='')}...{quote(head, safe='')}"
        answer = self.ask("GET", self.path("compare", pair), query={"per_page": 1})
        oid = text_at(answer.data, "merge_base_commit", "sha")
        if not is_oid(oid):
            raise answer.failure()
        return oid

    def entries(self, commit: str) -> Sequence[ServedEntry]:
        """See ``Objects``."""
        found: list[ServedEntry] = []
        folders = [("", commit)]
        while folders:
            prefix, oid = folders.pop()
            tree = self.path("git/trees", quote(oid, safe=""))
            items, whole = self.ask("GET", tree, query={"recursive": 1}).folder()
            if not whole:  # beyond 100,000 paths or 7 MB: this folder alone, then each folder in it
                items, whole = self.ask("GET", tree).folder()
                folders += [(f"{prefix}{path}/", oid) for path, mode, oid in items if mode == _FOLDER]
            if not whole:
                raise HubFailure(Refusal.FORBIDDEN, f"GitHub does not list all of {line(prefix) or 'the tree'}")
            found += [
                ServedEntry(path=prefix + path, kind=kind_of(mode), oid=oid)
                for path, mode, oid in items
                if mode != _FOLDER
            ]
        return sorted(found, key=lambda entry: entry.path)

    def blob(self, oid: str) -> bytes:
        """See ``Objects``."""
        return self.ask("GET", self.path("git/blobs", quote(oid, safe=""))).content()

    def path(self, *parts: str) -> str:
        """Return a path below the repository's, from the root of the API.

        Raises:
            HubFailure: the job names no repository.
        """
        if not _REPOSITORY.fullmatch(self._job.repository):
            raise HubFailure(Refusal.FORBIDDEN, f"GITHUB_REPOSITORY is {line(self._job.repository) or 'not set'}")
        return "/".join(("/repos", self._job.repository, *parts))

    def every(self, path: str, query: Mapping[str, str | int] | None = None) -> list[Any]:
        """Return all items of a list, over all pages.

        Raises:
            HubFailure: it cannot be read, or another server is to have the next page.
        """
        items: list[Any] = []
        parameters: Mapping[str, str | int] = {**(query or {}), "per_page": _PER_PAGE}
        url: str | None = path
        seen: set[str] = set()
        root = self._job.api_url.rstrip("/") + "/"
        while url is not None and url not in seen:
            seen.add(url)
            answer = self.ask("GET", url, query=parameters)
            if not isinstance(answer.data, list):
                raise answer.failure()
            items += answer.data
            url, parameters = answer.next_page(root), {}
        return items

    def ask(
        self, verb: str, url: str, *, query: Mapping[str, str | int] | None = None, body: Any = None, reads: bool = True
    ) -> Answer:
        """Send a request, and wait and send it again where that is allowed and can help.

        Args:
            verb: HTTP method.
            url: path from the root of the API, or an address on its origin.
            query: parameters.
            body: a JSON value.
            reads: whether it changes nothing, so that it may be repeated when nobody knows what became of it.

        Raises:
            HubFailure: it did not succeed.
        """
        for tries in itertools.count(1):
            answer = self._send(verb, url, query, body)
            if answer.refusal is None:
                return answer
            pause = answer.pause(tries=tries, now=self._now())
            again = answer.refusal is Refusal.LIMITED or (answer.refusal is Refusal.UNSURE and reads and tries < TRIES)
            if not again or self._waited + pause > WAIT_CAP_S:
                raise answer.failure()
            self._waited += pause
            self._log(f"waiting {pause:,.0f} s for GitHub ({answer.message})")
            self._sleep(pause)
        raise AssertionError  # pragma: no cover - the count has no end

    def _send(self, verb: str, url: str, query: Mapping[str, str | int] | None, body: Any) -> Answer:
        """Send a request, also to where it is redirected: the same one, since GitHub redirects writes like readings."""
        root, given = f"{self._job.api_url.rstrip('/')}/", dict(query or {})
        for _ in range(HOPS):
            answer = self._send_once(verb, url, given, body)
            there = answer.moved_to(root)
            if there is None:
                return answer
            url, given = there, {} if urlsplit(there).query else given
        return self._send_once(verb, url, given, body)

    def _send_once(self, verb: str, url: str, query: dict[str, str | int], body: Any) -> Answer:
        client, connection = self._client
        try:
            # Without its check, which takes a redirect for a success; it sends to its own origin alone.
            status, headers, text = client.requestJson(verb, url, query, None, body, connection)
        except (OSError, RuntimeError, ValueError, ArithmeticError) as error:
            # All of requests' are OSErrors; the others are PyGithub's, at odd headers. Their texts may hold the token.
            return Answer(status=None, headers={}, data=None, said=type(error).__name__)
        return read_answer(status, headers, text, redactor=self._redactor)

    @cached_property
    def _client(self) -> tuple[Requester, HTTPRequestsConnectionClass | HTTPSRequestsConnectionClass]:
        if not self._token:
            raise HubFailure(Refusal.FORBIDDEN, "there is no token for GitHub")
        if not (self._token.isascii() and self._token.isprintable()):
            raise HubFailure(Refusal.FORBIDDEN, "the token for GitHub holds characters that no header may hold")
        server = origin(self._job.api_url)
        if server is None:
            raise HubFailure(Refusal.FORBIDDEN, f"GITHUB_API_URL is no address of a server: {line(self._job.api_url)}")
        import github.Requester  # noqa: PLC0415 - heavy

        github.set_log_level(logging.CRITICAL)  # else it writes to stderr
        # No pauses and, since the connection is not its own, no retries but ours: see above.
        client = github.Github(
            base_url=self._job.api_url,
            auth=github.Auth.Token(self._token),
            user_agent="evalaction",
            seconds_between_requests=None,
            seconds_between_writes=None,
        ).requester
        wire, (scheme, host, port) = github.Requester, server
        kind = wire.HTTPSRequestsConnectionClass if scheme == "https" else wire.HTTPRequestsConnectionClass
        connection = kind(host, port, timeout=TIMEOUT_S)
        connection.session.hooks["response"].append(lambda response, **_: hide_location(response.headers))
        return client, connection

    @cached_property
    def author(self) -> str:
        """The login under which the token writes.

        Raises:
            HubFailure: GitHub cannot be asked.
        """
        for verb, url, body, path in (
            ("GET", "/user", None, ("login",)),
            ("POST", self._client[0].graphql_url, {"query": "{viewer{login}}"}, ("data", "viewer", "login")),
        ):
            try:
                login = text_at(self.ask(verb, url, body=body).data, *path)
            except HubFailure as failure:
                # A person's token may ask the first question, an App's only the second.
                if failure.refusal is not Refusal.FORBIDDEN or (verb, failure.status) == ("GET", _UNAUTHORIZED):
                    raise
            else:
                if login:
                    return login
        return JOB_AUTHOR


class HubThread:
    """The comments of one pull request: a ``Thread``."""

    def __init__(self, hub: Hub, number: int) -> None:
        """See ``Hub.thread``."""
        self._hub, self._number = hub, number

    def author(self) -> str:
        """See ``Thread``."""
        return self._hub.author

    def comments(self) -> Sequence[Comment]:
        """See ``Thread``."""
        found = map(comment_at, self._hub.every(self._hub.path("issues", str(self._number), "comments")))
        return sorted((comment for comment in found if comment is not None), key=lambda comment: comment.id)

    def create(self, body: str) -> Comment:
        """See ``Thread``."""
        answer = self._write("POST", self._hub.path("issues", str(self._number), "comments"), body)
        comment = comment_at(answer.data, body=body)
        if comment is None:
            raise answer.failure()
        return comment

    def edit(self, comment_id: int, body: str) -> Comment | None:
        """See ``Thread``."""
        try:
            answer = self._write("PATCH", self._hub.path("issues/comments", str(comment_id)), body)
        except HubFailure as failure:
            if failure.status == _NOT_FOUND:
                return None
            raise
        return comment_at(answer.data, body=body) or Comment(id=comment_id, author="", body=body, url="")

    def delete(self, comment_id: int) -> None:
        """See ``Thread``."""
        try:
            self._write("DELETE", self._hub.path("issues/comments", str(comment_id)))
        except HubFailure as failure:
            if failure.status != _NOT_FOUND:
                raise

    def _write(self, verb: str, path: str, body: str | None = None) -> Answer:
        return self._hub.ask(verb, path, body=None if body is None else {"body": body}, reads=False)
