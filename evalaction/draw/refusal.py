"""What an HTTP status other than success means, with cause and remedy for the permanent ones. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urljoin, urlsplit

from evalaction import late
from evalaction.draw.endpoint import Target, host_of
from evalaction.draw.failure import ONE_DRAW, TOO_BIG, cause_of, said
from evalaction.draw.parameter import is_of_size, parameter_of
from evalaction.draw.request import MAX_COMPLETION_TOKENS, MAX_TOKENS, named
from evalaction.errors import BadInput
from evalaction.records.draw import Call, Cause, Failure

_REDIRECTS = range(300, 400)
_ERRORS = 400
_SLOWER, _HEAD = 429, 2_048
_TOO_BIG = late.pattern(rb"request too large for", re.IGNORECASE)
"""What OpenAI says with 429 of a request with more tokens than a minute may have: to wait does not help."""
_JUDGE_KEY = "JUDGE_API_KEY"
_APART = "EVAL_API_KEY goes to the origin of EVAL_BASE_URL alone."
"""What to know where a judge elsewhere has no key of its own."""


def status_failure(
    status: int, content: bytes, *, target: Target, call: Call, sent: Collection[str], location: str | None
) -> Failure:
    """Return the failure of an answer whose HTTP status is not a success.

    Args:
        status: the HTTP status: 300 or more, or 101.
        content: the body, or its start.
        target: what was asked.
        call: whose request it was.
        sent: names of the parameters that it held.
        location: the ``Location`` header, if there was one.
    """
    if status in _REDIRECTS:
        return Failure(cause=Cause.REJECTED, message=_redirected(status, target, location), status=status)
    if status >= _ERRORS and cause_of(status) is Cause.REJECTED:
        return rejected(status, content, target=target, call=call, sent=sent)
    too_big = status in ONE_DRAW or (status == _SLOWER and _TOO_BIG.search(content[:_HEAD]) is not None)
    what = f"finds this request too large (HTTP {status})" if too_big else f"answered HTTP {status}"
    return Failure(
        cause=Cause.STATUS,
        message=f"{target.host} {what}.{said(content, target.secrets)}",
        status=status,
        kind=TOO_BIG if too_big and status not in ONE_DRAW else "",
    )


def rejected(
    status: int, content: bytes, *, target: Target, call: Call, sent: Collection[str], kind: str = ""
) -> Failure:
    """Return the failure of an answer that will not get better: what is wrong, what to do, what was said.

    Args:
        status: the HTTP status, or the code of the error in a body, 400 to 499.
        content: the body.
        target: what was asked.
        call: whose request it was.
        sent: names of the parameters that it held.
        kind: the kind for counting, where it is not the status.
    """
    message = f"{_explained(status, content, target, call, sent)}{said(content, target.secrets)}"
    return Failure(cause=Cause.REJECTED, message=message, status=status, kind=kind)


def _redirected(status: int, target: Target, location: str | None) -> str:
    try:
        url = urljoin(target.url, location) if location else ""
        aim, scheme = host_of(url) if url else "nowhere", urlsplit(url).scheme
    except (BadInput, ValueError):
        aim, scheme = "nowhere", ""
    if scheme == "https" and target.url.startswith("http:"):
        aim = f"https on {aim.removesuffix(':443')}"
    elif aim == target.host:
        aim = "another path of the same host"
    return (
        f"{target.shown} redirects to {aim} (HTTP {status}), and redirects are not followed, since they would take "
        f"the key along. Set {target.url_name} to the endpoint's final URL."
    )


def _explained(  # noqa: PLR0911 - one a status
    status: int, content: bytes, target: Target, call: Call, sent: Collection[str]
) -> str:
    model = repr(call.sampling.model)
    match status:
        case 401 if target.authorization is not None:
            return f"{target.host} does not accept the key (HTTP 401). Check {target.key_setting}."
        case 401:
            apart = f" {_APART}" if target.key_name == _JUDGE_KEY else ""
            return f"{target.host} wants a key (HTTP 401), and none was given. Set {target.key_setting}.{apart}"
        case 402:
            return f"{target.host} wants to be paid first (HTTP 402). Check the balance of the account."
        case 403:
            return (
                f"{target.host} forbids the request (HTTP 403). Check that {target.key_setting} may use the "
                f"model {model}."
            )
        case 404 | 405:
            return (
                f"There is nothing to ask at {target.shown} (HTTP {status}), or it has no model {model}. "
                f"Check {target.url_setting} and {target.model_name}."
            )
        case 410:
            return (
                f"{target.shown}, or its model {model}, is gone for good (HTTP 410). "
                f"Set another {target.url_setting} or {target.model_name}."
            )
        case 407:
            return (
                f"The proxy on the way to {target.host} wants other credentials (HTTP 407). Check HTTPS_PROXY, "
                "HTTP_PROXY and NO_PROXY."
            )
        case _:
            return _refused(status, content, target, call, sent)


def _refused(status: int, content: bytes, target: Target, call: Call, sent: Collection[str]) -> str:
    model = repr(call.sampling.model)
    if is_of_size(content):
        lower = (
            "a smaller max_completion_tokens (twice that is the cap)" if call.cap_of_budget else "a lower max_tokens"
        )
        return (
            f"{target.host} finds that the request is too long for the model {model}, or its cap on tokens too high "
            f"(HTTP {status}). Take shorter messages, {lower} or another model for {named(call)}."
        )
    name = parameter_of(content, sent)
    refuses = "the request" if name is None else f"the parameter {name!r}"
    remedy = "Check the model, the messages and the parameters" if name is None else "Change it, or do not set it,"
    if name == MAX_TOKENS and call.cap_of_budget:
        remedy = "It is sent as the cap of twice max_completion_tokens: set neither"
    elif name == MAX_COMPLETION_TOKENS:
        remedy = "It was sent in place of max_tokens, which was refused before: do not set max_tokens"
    return f"{target.host} refuses {refuses} with the model {model} (HTTP {status}). {remedy} for {named(call)}."
