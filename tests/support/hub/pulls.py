"""What the fake GitHub answers about pull requests and comparisons. Runs git, where one is served."""

from __future__ import annotations

from typing import Any

from support.hub import shapes
from support.hub.asked import Asked, missing, page_of, wanted
from support.hub.exchange import Answer, refused
from support.hub.objects import Objects
from support.hub.state import Pull

MOST_COMMITS = 250


def listed(asked: Asked) -> Answer:
    """Return the pull requests that are asked for, newest first."""
    query = asked.call.request.query
    state, head, base = query.get("state", "open"), query.get("head", ""), query.get("base")
    found = [
        pull
        for pull in sorted(asked.repo.pulls.values(), key=lambda pull: -pull.number)
        if state in {pull.state, "all"} and base in {pull.base_ref, None} and _is_head(pull, head)
    ]
    return page_of(asked, [shapes.pull(asked.repo, pull, root=asked.call.root) for pull in found])


def _is_head(pull: Pull, name: str) -> bool:
    """Tell whether ``owner:branch`` names the head; the case of an owner does not matter, that of a branch does.

    Without an owner the filter has no effect, as at GitHub.
    """
    if ":" not in name:
        return True
    owner, _, ref = name.partition(":")
    holder, _, branch = pull.label.partition(":")
    return (owner.casefold(), ref) == (holder.casefold(), branch)


def get(asked: Asked) -> Answer:
    """Return a pull request."""
    pull = asked.repo.pulls.get(int(asked.name))
    if pull is None:
        return missing()
    files, commits = _changes(asked, pull)
    return Answer(body=shapes.whole_pull(asked.repo, pull, root=asked.call.root, commits=commits, files=files))


def files(asked: Asked) -> Answer:
    """Return the files that a pull request changes; where they are cut, nothing says so."""
    pull = asked.repo.pulls.get(int(asked.name))
    if pull is None:
        return missing()
    return page_of(asked, _changes(asked, pull)[0][: asked.repo.pull_files_limit])


def _changes(asked: Asked, pull: Pull) -> tuple[list[dict[str, Any]], int]:
    """Return the files that a pull request changes, and how many commits it has; none where git is not served."""
    objects = asked.objects
    ancestor = None if objects is None else objects.merge_base(pull.base_sha, pull.head_sha)
    if objects is None or ancestor is None:
        return [], 0
    return objects.files(ancestor, pull.head_sha), objects.count(pull.base_sha, pull.head_sha)


def compare(asked: Asked) -> Answer:
    """Return what lies between two commits."""
    objects, (base, dots, head) = asked.objects, asked.name.partition("...")
    if objects is None or not dots:
        return missing()
    one, other = objects.resolve(base), objects.resolve(head)
    if one is None or other is None:
        return missing()
    ancestor = objects.merge_base(one, other)
    if ancestor is None:
        return refused(404, f"No common ancestor between {base} and {head}.")
    return Answer(body=_comparison(asked, objects, one, other, ancestor))


def _comparison(asked: Asked, objects: Objects, base: str, head: str, ancestor: str) -> dict[str, Any]:
    number, size = wanted(asked.call, most=MOST_COMMITS, usual=MOST_COMMITS)
    ahead, behind = objects.count(base, head), objects.count(head, base)
    status = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    commits = objects.commits("--reverse", f"{base}..{head}")
    page = f"{shapes.PAGES}/{asked.repo.full_name}/compare/{base}...{head}"
    (base_commit,), (merge_base,) = objects.commits("--no-walk", base), objects.commits("--no-walk", ancestor)
    whole = {
        "url": f"{asked.call.root}/repos/{asked.repo.full_name}/compare/{base}...{head}",
        "html_url": page,
        "permalink_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": base_commit,
        "merge_base_commit": merge_base,
        "status": status.get((ahead > 0, behind > 0), "identical"),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": commits[(number - 1) * size : number * size],
    }
    if number == 1:  # files stand on the first page alone
        whole["files"] = objects.files(ancestor, head)[: asked.repo.compare_limit]
    return whole
