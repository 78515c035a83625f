"""A stateful fake of GitHub's REST API on 127.0.0.1, held to GitHub's own description of it.

Use it as a context manager; it listens on a free port of loopback until the block ends::

    with FakeGitHub() as github:
        repo = github.repository("acme/evals")
        repo.pull(7, head_repository="someone/evals")
        github.script("POST", r"/repos/acme/evals/issues/7/comments", bad_gateway(), CLOSED_AFTER)
        ...  # github.api_url is what GITHUB_API_URL would be, and PyGithub's base_url
    assert [request.method for request in github.requests] == ["POST", "POST"]

It knows the requests that the product sends, and no others. Every request, and every answer that the fake makes up
itself, is held to the slice of GitHub's OpenAPI description in ``openapi.json``; so are scripted answers that are
JSON, unless they are marked ``unchecked``. What goes against it, what a hook raises, and what was scripted but never
asked for, is raised as an AssertionError when the block ends.
"""

from support.fakehub.exchange import (
    AS_USUAL,
    CLOSED_AFTER,
    CLOSED_BEFORE,
    Answer,
    Request,
    Special,
    bad_gateway,
    primary_limit,
    refused,
    secondary_limit,
)
from support.fakehub.fake import NOW, FakeGitHub
from support.fakehub.state import HostedRepository, Pull, StoredComment

__all__ = [
    "AS_USUAL",
    "CLOSED_AFTER",
    "CLOSED_BEFORE",
    "NOW",
    "Answer",
    "FakeGitHub",
    "HostedRepository",
    "Pull",
    "Request",
    "Special",
    "StoredComment",
    "bad_gateway",
    "primary_limit",
    "refused",
    "secondary_limit",
]
