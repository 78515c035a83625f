"""The fake GitHub itself: what it is told, what it remembers, and what went wrong. Listens on loopback."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self

from support.fakehub import contract, routes
from support.fakehub.exchange import AS_USUAL, CLOSED_BEFORE, Answer, Call, Request, Special, refused
from support.fakehub.server import Wire
from support.fakehub.state import START, Clock, HostedRepository

NOW = int(START.timestamp())
"""The fake's own time, in seconds since 1970."""
LIMIT, RESET = 1_000, NOW + 3_600
"""Requests of an hour, and when the next hour begins."""


class _Scripted(NamedTuple):
    """Answers for the requests that match, one each."""

    method: str
    pattern: str
    answers: deque[Answer | Special]
    repeat: bool
    """Whether the last one stays for ever."""

    def matches(self, request: Request) -> bool:
        """Tell whether it is meant for a request."""
        return bool(self.answers) and _matches(self.method, self.pattern, request)

    def next(self) -> Answer | Special:
        """Return the answer that is due."""
        return self.answers[0] if self.repeat and len(self.answers) == 1 else self.answers.popleft()


class _Hook(NamedTuple):
    """What happens just before the first request that matches is handled."""

    method: str
    pattern: str
    act: Callable[[], object]


class FakeGitHub:
    """The fake. Change its attributes at any time; read ``requests`` during the block or after it."""

    def __init__(self, *, token: str = "ghs_test") -> None:  # noqa: S107 - a token of a fake
        """Keep the token; nothing listens yet.

        Args:
            token: the one that is accepted.
        """
        self.token = token
        self.viewer = "github-actions[bot]"
        """Login under which the token writes."""
        self.token_kind = "installation"
        """``installation``: of an app, which ``GET /user`` refuses; ``user``: of a person."""
        self.read_only = False
        """Whether the token may not write, as that of a fork's run."""
        self.body_limit = 65_536
        """Characters of a comment."""
        self.requests: list[Request] = []
        """In order of arrival."""
        self.faults: list[str] = []
        """What goes against GitHub's description, so far."""
        self._clock = Clock()
        self._repositories: dict[str, HostedRepository] = {}
        self._scripts: list[_Scripted] = []
        self._hooks: list[_Hook] = []
        self._lock = threading.RLock()
        self._wire: Wire | None = None
        self._url = ""

    @property
    def api_url(self) -> str:
        """``http://127.0.0.1:PORT``. A GitHub of one's own answers under ``/api/v3`` of it."""
        return self._url

    @property
    def asked(self) -> list[str]:
        """The requests as ``METHOD path name=value…``."""
        return [
            " ".join([each.method, each.path, *(f"{name}={each.query[name]}" for name in sorted(each.query))])
            for each in self.requests
        ]

    def repository(self, full_name: str) -> HostedRepository:
        """Return a repository; it is made when there is none of that name, whatever its case.

        Args:
            full_name: ``owner/name``.
        """
        made = HostedRepository(full_name=full_name, clock=self._clock)
        return self._repositories.setdefault(full_name.casefold(), made)

    def hosted(self, full_name: str) -> HostedRepository | None:
        """Return a repository, whatever the case of its name."""
        return self._repositories.get(full_name.casefold())

    def script(self, method: str, pattern: str, *answers: Answer | Special, repeat: bool = False) -> None:
        """Answer the next requests that match with these, one each; those after them as usual.

        Args:
            method: of HTTP.
            pattern: regular expression for the whole path, without query.
            answers: ``CLOSED_BEFORE``, ``CLOSED_AFTER`` and ``AS_USUAL`` are possible too.
            repeat: the last one is for all later requests, and none of them need come.
        """
        self._scripts.append(_Scripted(method, pattern, deque(answers), repeat))

    def before(self, method: str, pattern: str, act: Callable[[], object]) -> None:
        """Call ``act`` once, just before the next request that matches is handled. It may block.

        Args:
            method: of HTTP.
            pattern: regular expression for the whole path, without query.
            act: may change the state; what it raises is raised when the block ends.
        """
        self._hooks.append(_Hook(method, pattern, act))

    def __enter__(self) -> Self:
        """Listen."""
        self._wire = Wire(self._reply)
        self._url = self._wire.url
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection, end every thread, and raise what went wrong.

        Raises:
            AssertionError: something went against GitHub's description, or was prepared and never used.
        """
        if self._wire is not None:
            self._wire.close()
        faults = [*self.faults, *(f"never asked for: {each.method} {each.pattern}" for each in self._unused())]
        if faults and error is not None:
            error.add_note("\n".join(["The fake GitHub says:", *faults]))
        elif faults:
            raise AssertionError("\n".join(faults))

    def _unused(self) -> list[_Scripted | _Hook]:
        return [*(script for script in self._scripts if script.answers and not script.repeat), *self._hooks]

    def _reply(self, call: Call) -> Answer | Special:
        """Answer one request, in a thread of its connection."""
        call = self._canonical(call)
        try:
            return self._handle(call)
        except Exception as fault:  # noqa: BLE001 - kept, and raised when the block ends
            with self._lock:
                self.faults.append(f"{call.request.method} {call.request.path}: {fault!r}")
            return refused(500, "The fake GitHub failed.")

    def _canonical(self, call: Call) -> Call:
        """Return a request with its repository by name; links to further pages have its id."""
        match = re.match(r"/repositories/(\d+)(?=/|$)", call.request.path)
        named = {str(repo.id): repo.full_name for repo in self._repositories.values()}
        if match is None or match[1] not in named:
            return call
        path = f"/repos/{named[match[1]]}{call.request.path[match.end() :]}"
        return Call(request=call.request._replace(path=path), root=call.root, body=call.body)

    def _handle(self, call: Call) -> Answer | Special:
        request = call.request
        with self._lock:
            self.requests.append(request)
            hook = next((each for each in self._hooks if _matches(each.method, each.pattern, request)), None)
            if hook is not None:
                self._hooks.remove(hook)
        if hook is not None:
            hook.act()
        with self._lock:
            self.faults += _request_faults(call)
            script = next((each for each in self._scripts if each.matches(request)), None)
            due = AS_USUAL if script is None else script.next()
            if due is CLOSED_BEFORE or (isinstance(due, Answer) and not due.carried_out):
                return self._checked(call, due)
            usual = self._checked(call, self._usual(call))
            return usual if due is AS_USUAL else self._checked(call, due)

    def _usual(self, call: Call) -> Answer:
        """Return what GitHub would say."""
        scheme, _, token = call.request.headers.get("authorization", "").partition(" ")
        if not scheme:
            return refused(401, "Requires authentication")
        if scheme.casefold() not in {"token", "bearer"} or token != self.token:
            return refused(401, "Bad credentials")
        return routes.answer(self, call)

    def _checked(self, call: Call, due: Answer | Special) -> Answer | Special:
        """Hold an answer to the description, and add what GitHub says of limits."""
        if isinstance(due, Special):
            return due
        if call.request.path != "/graphql" and not due.unchecked and (due.is_json or due.body is None):
            self.faults += contract.answer_faults(call.request, due)
        used = len(self.requests)
        limits = {"Limit": LIMIT, "Remaining": max(0, LIMIT - used), "Used": used, "Reset": RESET, "Resource": "core"}
        said = {name.casefold() for name in due.headers}
        headers = {f"X-RateLimit-{name}": str(value) for name, value in limits.items()}
        headers = {name: value for name, value in headers.items() if name.casefold() not in said}
        return Answer(status=due.status, headers={**headers, **due.headers}, body=due.body)


def _matches(method: str, pattern: str, request: Request) -> bool:
    return method == request.method and re.fullmatch(pattern, request.path) is not None


def _request_faults(call: Call) -> list[str]:
    """Return what is wrong with a request."""
    request = call.request
    if request.path != "/graphql":
        unknown = sorted(routes.IGNORED & set(request.query))
        faults = [f"{request.method} {request.path}: the fake does not know {name!r}" for name in unknown]
        return faults + contract.request_faults(request, call.body)
    asked = request.json
    if request.method == "POST" and isinstance(asked, dict) and routes.is_known(asked.get("query")):
        return []
    return [f"{request.method} /graphql: the fake knows one query, and this is another: {asked!r}"]
