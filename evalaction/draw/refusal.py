"""What an HTTP status other than success means, with cause and remedy for the permanent ones. Pure."""

from __future__ import annotations

from urllib.parse import urljoin

from evalaction.draw.endpoint import Target, host_of
from evalaction.draw.failure import ONE_DRAW, cause_of, said
from evalaction.draw.parameter import parameter_of
from evalaction.draw.request import named, sent
from evalaction.errors import BadInput
from evalaction.records.draw import Call, Cause, Failure

_JUDGE_KEY = "JUDGE_API_KEY"
_APART = "EVAL_API_KEY goes to the origin of EVAL_BASE_URL alone."
"""What to know where a judge elsewhere has no key of its own."""


def status_failure(status: int, content: bytes, *, target: Target, call: Call, location: str | None) -> Failure:
    """Return the failure of an answer whose HTTP status is not a success.

    Args:
        status: the HTTP status, 300 or more.
        content: the body, or its start.
        target: what was asked.
        call: whose request it was.
        location: the ``Location`` header, if there was one.
    """
    if status < 400:  # noqa: PLR2004 - where redirects end
        return Failure(cause=Cause.REJECTED, message=_redirected(status, target, location), status=status)
    if cause_of(status) is Cause.REJECTED:
        return rejected(status, content, target=target, call=call)
    what = f"finds this request too large (HTTP {status})" if status in ONE_DRAW else f"answered HTTP {status}"
    return Failure(
        cause=Cause.STATUS,
        message=f"{target.host} {what}.{said(content, target.secrets)}",
        status=status,
    )


def rejected(status: int, content: bytes, *, target: Target, call: Call) -> Failure:
    """Return the failure of an answer that will not get better: what is wrong, what to do, what was said.

    Args:
        status: the HTTP status, or the code of the error in a body, 400 to 499.
        content: the body.
        target: what was asked.
        call: whose request it was.
    """
    message = f"{_explained(status, content, target, call)}{said(content, target.secrets)}"
    return Failure(cause=Cause.REJECTED, message=message, status=status)


def _redirected(status: int, target: Target, location: str | None) -> str:
    try:
        aim = host_of(urljoin(target.url, location)) if location else "nowhere"
    except (BadInput, ValueError):
        aim = "nowhere"
    same = "another path of the same host" if aim == target.host else aim
    return (
        f"{target.shown} redirects to {same} (HTTP {status}), and redirects are not followed, since they would take "
        f"the key along. Set {target.url_name} to the endpoint's final URL."
    )


def _explained(status: int, content: bytes, target: Target, call: Call) -> str:  # noqa: PLR0911 - one a status
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
        case _:
            return _refused(status, content, target, call)


def _refused(status: int, content: bytes, target: Target, call: Call) -> str:
    name = parameter_of(content, tuple(sent(call)))
    refuses = "the request" if name is None else f"the parameter {name!r}"
    remedy = "Check the model, the messages and the parameters" if name is None else "Change it, or do not set it,"
    if name == "max_tokens" and call.cap_of_budget:
        remedy = "It is sent as the cap of twice max_completion_tokens: set neither"
    return (
        f"{target.host} refuses {refuses} with the model {call.sampling.model!r} (HTTP {status}). "
        f"{remedy} for {named(call)}."
    )
