"""What the fake GitHub answers about comments. Changes the state of the repository that it is given."""

from __future__ import annotations

import json
from typing import Any

from support.fakehub import shapes
from support.fakehub.asked import Asked, missing, page_of
from support.fakehub.exchange import Answer, refused
from support.fakehub.state import StoredComment


def listed(asked: Asked) -> Answer:
    """Return the comments on a pull request, oldest first."""
    number = int(asked.name)
    if number not in asked.repo.pulls:
        return missing()
    return page_of(asked, [_comment(asked, stored) for stored in asked.repo.comments(number)])


def create(asked: Asked) -> Answer:
    """Store a comment by the token's account."""
    pull = asked.repo.pulls.get(int(asked.name))
    if pull is None:
        return missing()
    if pull.locked:
        return refused(403, "Unable to create comment because issue is locked.")
    body = _body(asked)
    if isinstance(body, Answer):
        return body
    kind = "Bot" if asked.site.token_kind == "installation" else "User"
    made = asked.repo.stored[asked.repo.add_comment(pull.number, author=asked.site.viewer, kind=kind, body=body)]
    shown = _comment(asked, made)
    return Answer(status=201, headers={"Location": shown["url"]}, body=shown)


def _stored(asked: Asked) -> StoredComment | None:
    return asked.repo.stored.get(int(asked.name))


def edit(asked: Asked) -> Answer:
    """Give a comment another body, whoever wrote it: a token that may write in the repository may."""
    stored = _stored(asked)
    if stored is None:
        return missing()
    body = _body(asked)
    if isinstance(body, Answer):
        return body
    asked.repo.edit_comment(stored.id, body)
    return Answer(body=_comment(asked, stored))


def delete(asked: Asked) -> Answer:
    """Remove a comment, whoever wrote it."""
    stored = _stored(asked)
    if stored is None:
        return missing()
    asked.repo.delete_comment(stored.id)
    return Answer(status=204)


def _comment(asked: Asked, stored: StoredComment) -> dict[str, Any]:
    return shapes.comment(asked.repo, stored, root=asked.call.root)


def _body(asked: Asked) -> str | Answer:
    """Return the text of a comment, or what GitHub has against it."""
    try:
        said = json.loads(asked.call.body)
        json.dumps(said, ensure_ascii=False).encode()
    except ValueError:  # not JSON, not UTF-8, or half of a surrogate pair
        return refused(400, "Problems parsing JSON")
    body = said.get("body") if isinstance(said, dict) else None
    if not isinstance(body, str):
        return refused(422, """Invalid request.\n\n"body" wasn't supplied.""")
    limit = asked.site.body_limit
    fault = f"body is too long (maximum is {limit} characters)" if len(body) > limit else "body can't be blank"
    if body.strip() and len(body) <= limit:
        return body
    error = {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": fault}
    return refused(422, "Validation Failed", errors=[error])
