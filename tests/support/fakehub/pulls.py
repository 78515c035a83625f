"""What the fake GitHub answers about pull requests and comparisons. Runs git, where one is served."""

from __future__ import annotations

from typing import Any

from support.fakehub import shapes
from support.fakehub.asked import Asked, missing, page_of, wanted
from support.fakehub.exchange import Answer, refused
from support.fakehub.objects import Objects
from support.fakehub.state import Pull

MOST_COMMITS = 250


def listed(asked: Asked) -> Answer:
    """Return the pull requests that are asked for, newest first."""
    query = asked.call.request.query
    state, head = query.get("state", "open"), query.get("head", "")
    found = [
        pull
        for pull in sorted(asked.repo.pulls.values(), key=lambda pull: -pull.number)
        if state in {pull.state, "all"} and _is_head(pull, head)
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


def compare(asked: Asked) -> Answer:
    """Return what lies between two commits, but for the files that differ."""
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
    return {
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
