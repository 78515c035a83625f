"""Where requests go: the request URL made from a base URL, the key that goes with it, and how both are shown.

Pure. What is wrong with a URL or a key is said without repeating it, since both may hold secrets.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from dataclasses import field
from typing import NoReturn
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from evalaction import late
from evalaction.errors import BadInput, Problem
from evalaction.frozen import frozen
from evalaction.inputs import INPUTS
from evalaction.records.settings import Endpoint
from evalaction.redact import MIN_SECRET

COMPLETIONS = "/chat/completions"
"""The path of the operation, below the base URL's own path."""

_UNPRINTABLE = late.pattern(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff]")
_HIGHEST_PORT = 65_535
_URL_NAME = Endpoint(base_url="").url_name
_KEY_NAME = Endpoint(base_url="").key_name
_PUBLIC = {"api-version"}
"""Query parameters whose values are no secret: a date would be blanked wherever it stands."""


@frozen
class Target:
    """An endpoint that can be asked."""

    url: str = field(repr=False)
    """What is requested: without credentials, with the query."""
    shown: str
    """The URL for people: without credentials and without the values of its query."""
    host: str
    """Host and, where the URL has one, port."""
    authorization: str | None = field(default=None, repr=False)
    """Value of the ``Authorization`` header; None: none is sent."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """What must not be shown, of the key and of the base URL; the longest first."""
    loopback: bool = False
    """The host is this machine."""
    in_container: bool = False
    """This machine is a container action's own container."""
    url_name: str = "EVAL_BASE_URL"
    """What messages call the URL: the variable to set."""
    key_name: str = "EVAL_API_KEY"
    """What messages call the key."""
    model_name: str = "EVAL_MODEL"
    """What messages call the model."""

    @property
    def url_setting(self) -> str:
        """The variable that holds the URL, with the Action's input where there is one."""
        return _setting(self.url_name)

    @property
    def key_setting(self) -> str:
        """The variable that holds the key, with the Action's input where there is one."""
        return _setting(self.key_name)


def make_target(endpoint: Endpoint, *, in_container: bool = False) -> Target:
    """Return the endpoint as it is asked.

    A key goes into ``Authorization: Bearer``; without one, credentials in the URL go into
    ``Authorization: Basic``.

    Args:
        endpoint: base URL and key, as they were given.
        in_container: whether this runs in a container action, where loopback is the container itself.

    Raises:
        BadInput: the URL or the key cannot be used; what is wrong with either is named at once.
    """
    problems: list[Problem] = []
    url, key = "", None
    try:
        url = chat_url(endpoint.base_url, name=endpoint.url_name)
    except BadInput as error:
        problems += error.problems
    try:
        key = clean_key(endpoint.api_key, name=endpoint.key_name)
    except BadInput as error:
        problems += error.problems
    if problems:
        raise BadInput(*problems)
    parts = urlsplit(url)
    authorization = f"Bearer {key}" if key else _basic(parts)
    return Target(
        url=urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])),
        shown=shown(url),
        host=host_of(url),
        authorization=authorization,
        secrets=_secrets(parts, authorization),
        loopback=_is_loopback(parts.hostname or ""),
        in_container=in_container,
        url_name=endpoint.url_name,
        key_name=endpoint.key_name,
        model_name=endpoint.model_name,
    )


def chat_url(base_url: str, *, name: str = _URL_NAME) -> str:
    """Return the URL that chat completions are requested from.

    With an empty path, ``/v1/chat/completions`` is appended; a path that ends in ``/chat/completions``
    stays; to any other, ``/chat/completions`` is appended. White space around the URL and slashes at the
    end of its path do not count, a fragment is dropped, and the query is kept.

    Args:
        base_url: as it was given.
        name: what an error calls it.

    Raises:
        BadInput: it is not an ``http`` or ``https`` URL with a host.
    """
    parts = _split(base_url.strip(), name)
    path = parts.path.rstrip("/")
    if not path.endswith(COMPLETIONS):
        path = (path or "/v1") + COMPLETIONS
    url = urlunsplit(parts._replace(path=path, fragment=""))
    from evalaction.draw.lean import httpx  # noqa: PLC0415 - heavy, and only an address that is asked needs it

    try:
        _ = httpx.URL(url).host  # decoded when it is asked for, and then it must not be while requests are sent
    except (httpx.InvalidURL, UnicodeError):
        # Without its cause, whose message repeats parts of the URL.
        _refuse("cannot be read as a URL.", name)
    return url


def secrets_of(base_url: str) -> tuple[str, ...]:
    """Return what must not be shown of a base URL, the longest first; nothing where it cannot be read."""
    try:
        parts = _split(base_url.strip())
    except BadInput:
        return ()
    return _secrets(parts, _basic(parts))


def host_of(url: str) -> str:
    """Return the host of ``url`` and, where it has one, its port; never credentials.

    Raises:
        BadInput: it is not an ``http`` or ``https`` URL with a host.
    """
    return _split(url.strip()).netloc.rpartition("@")[2].lower()


def shown(url: str) -> str:
    """Return ``url`` for people: without credentials, fragment and the values of its query.

    Raises:
        BadInput: it is not an ``http`` or ``https`` URL with a host.
    """
    parts = _split(url.strip())
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    query = "&".join(f"{name}=…" for name in names)
    return urlunsplit((parts.scheme, host_of(url), parts.path, query, ""))


def clean_key(key: str | None, *, name: str = _KEY_NAME) -> str | None:
    """Return ``key`` without the white space around it; None when nothing is left.

    Args:
        key: as it was given.
        name: what an error calls it.

    Raises:
        BadInput: it holds what no header can carry. The HTTP library would say so with the key in its message.
    """
    stripped = (key or "").strip()
    if not re.fullmatch(r"[\x21-\x7e]*", stripped):
        raise BadInput(
            Problem(
                path=name,
                message="the key holds white space, a control character or a character outside ASCII.",
                remedy="Give the key alone, as the provider shows it: no second line, no 'Bearer' before it.",
            )
        )
    return stripped or None


def _split(url: str, name: str = _URL_NAME) -> SplitResult:
    if not url:
        _refuse("is empty.", name)
    if not (url.isascii() and url.isprintable() and " " not in url) and _UNPRINTABLE.search(
        url
    ):  # before urlsplit, which drops line breaks silently
        _refuse("holds white space or a control character.", name)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        _refuse("has no host, or a port that is none.", name)
    if parts.scheme not in {"http", "https"}:
        _refuse("is not a URL that begins with http:// or https://.", name)
    if not parts.hostname or (port is not None and not 0 < port <= _HIGHEST_PORT):
        _refuse("has no host, or a port that is none.", name)
    return parts


def _refuse(message: str, name: str) -> NoReturn:
    raise BadInput(
        Problem(
            path=name,
            message=message,
            remedy="Set it to an OpenAI-compatible endpoint, such as https://llm.example.test/v1.",
        )
    ) from None


def _setting(name: str) -> str:
    inputs = [each.name for each in INPUTS if each.env == name]
    return f"{name} (input {inputs[0]})" if inputs else name


def _basic(parts: SplitResult) -> str | None:
    if not parts.username and not parts.password:
        return None
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode()


def _secrets(parts: SplitResult, authorization: str | None) -> tuple[str, ...]:
    credential = parts.password or parts.username or ""  # a token may stand where a name does
    values = [value for name, value in parse_qsl(parts.query) if name not in _PUBLIC]
    found = [(authorization or "").partition(" ")[2], credential, unquote(credential), *values]
    long = {secret for secret in found if secret and len(secret) >= MIN_SECRET}
    return tuple(sorted(long, key=lambda secret: (-len(secret), secret)))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
