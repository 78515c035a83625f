"""What the fake GitHub remembers, in the shape of GitHub's answers. Pure.

``root`` is what links to the API begin with. Pages are always those of github.com: nothing follows them.
"""

from __future__ import annotations

from typing import Any

from support.fakehub.state import HostedRepository, Pull, StoredComment, account_id

PAGES = "https://github.com"
EPOCH = "2026-01-01T00:00:00Z"

USER_LINKS = {
    "events_url": "/events{/privacy}",
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "organizations_url": "/orgs",
    "received_events_url": "/received_events",
    "repos_url": "/repos",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
}
REPOSITORY_LINKS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
COUNTS = ("forks", "forks_count", "open_issues", "open_issues_count", "size", "stargazers_count", "watchers")
COUNTS_OF_ONE = ("network_count", "subscribers_count")
HAS = ("has_discussions", "has_downloads", "has_issues", "has_pages", "has_projects", "has_wiki")
NOTHING = ("description", "homepage", "language", "license", "mirror_url")


def account(login: str, kind: str, *, root: str) -> dict[str, Any]:
    """Return an account as it stands in other answers.

    Args:
        login: its name; that of an app ends in ``[bot]``.
        kind: ``User``, ``Bot`` or ``Organization``.
        root: of links.
    """
    url, number = f"{root}/users/{login}", account_id(login)
    page = f"{PAGES}/apps/{login.removesuffix('[bot]')}" if kind == "Bot" else f"{PAGES}/{login}"
    return {
        "login": login,
        "id": number,
        "node_id": f"U_{number}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{number}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": page,
        **{name: url + rest for name, rest in USER_LINKS.items()},
        "type": kind,
        "user_view_type": "public",
        "site_admin": False,
    }


def viewer(login: str, *, root: str) -> dict[str, Any]:
    """Return the account of a token, as ``GET /user`` gives it."""
    unsaid = dict.fromkeys(("bio", "blog", "company", "email", "hireable", "location", "name"))
    counts = dict.fromkeys(("followers", "following", "public_gists", "public_repos"), 0)
    return {**account(login, "User", root=root), **unsaid, **counts, "created_at": EPOCH, "updated_at": EPOCH}


def repository(full_name: str, *, root: str, fork: bool = False) -> dict[str, Any]:
    """Return a repository, as it stands in a pull request."""
    owner, name = full_name.split("/")
    url, number = f"{root}/repos/{full_name}", account_id(full_name)
    return {
        "id": number,
        "node_id": f"R_{number}",
        "name": name,
        "full_name": full_name,
        "private": False,
        "owner": account(owner, "Organization", root=root),
        "html_url": f"{PAGES}/{full_name}",
        "fork": fork,
        "url": url,
        **{link: url + rest for link, rest in REPOSITORY_LINKS.items()},
        "git_url": f"git://github.com/{full_name}.git",
        "ssh_url": f"git@github.com:{full_name}.git",
        "clone_url": f"{PAGES}/{full_name}.git",
        "svn_url": f"{PAGES}/{full_name}",
        "created_at": EPOCH,
        "updated_at": EPOCH,
        "pushed_at": EPOCH,
        **dict.fromkeys(NOTHING),
        **dict.fromkeys((*COUNTS, "watchers_count"), 0),
        **dict.fromkeys(COUNTS_OF_ONE, 1),
        **dict.fromkeys(HAS, False),
        "archived": False,
        "disabled": False,
        "visibility": "public",
        "default_branch": "main",
    }


def comment(repo: HostedRepository, stored: StoredComment, *, root: str) -> dict[str, Any]:
    """Return a comment."""
    url = f"{root}/repos/{repo.full_name}"
    return {
        "url": f"{url}/issues/comments/{stored.id}",
        "html_url": f"{PAGES}/{repo.full_name}/pull/{stored.number}#issuecomment-{stored.id}",
        "issue_url": f"{url}/issues/{stored.number}",
        "id": stored.id,
        "node_id": f"IC_{stored.id}",
        "user": None if stored.author is None else account(stored.author, stored.kind, root=root),
        "created_at": stored.created_at,
        "updated_at": stored.updated_at,
        "author_association": "NONE",
        "body": stored.body,
        "performed_via_github_app": None,
    }


def pull(repo: HostedRepository, made: Pull, *, root: str) -> dict[str, Any]:
    """Return a pull request, as it stands in a list."""
    url, page = f"{root}/repos/{repo.full_name}", f"{PAGES}/{repo.full_name}/pull/{made.number}"
    self, issue = f"{url}/pulls/{made.number}", f"{url}/issues/{made.number}"
    number = account_id(page)
    links = {
        "self": self,
        "html": page,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{self}/comments",
        "review_comment": f"{url}/pulls/comments{{/number}}",
        "commits": f"{self}/commits",
        "statuses": f"{url}/statuses/{made.head_sha}",
    }
    return {
        "url": self,
        "id": number,
        "node_id": f"PR_{number}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue,
        **{f"{name}_url": links[name] for name in ("commits", "review_comments", "review_comment", "comments")},
        "statuses_url": links["statuses"],
        "number": made.number,
        "state": made.state,
        "locked": made.locked,
        "title": "A change.",
        "user": account(made.head_owner or "ghost", "User", root=root),
        "body": None,
        "created_at": EPOCH,
        "updated_at": EPOCH,
        "closed_at": None if made.state == "open" else EPOCH,
        "merged_at": None,
        "merge_commit_sha": None,
        "assignee": None,
        "milestone": None,
        "labels": [],
        "draft": False,
        "head": _head(repo, made, root=root),
        "base": _base(repo, made, root=root),
        "_links": {name: {"href": href} for name, href in links.items()},
        "author_association": "NONE",
        "auto_merge": None,
    }


def _head(repo: HostedRepository, made: Pull, *, root: str) -> dict[str, Any]:
    fork = made.head_repository is not None and made.head_repository.casefold() != repo.full_name.casefold()
    holder = made.head_repository and repository(made.head_repository, root=root, fork=fork)
    owner = None if made.head_owner is None else account(made.head_owner, "User", root=root)
    return {"label": made.label, "ref": made.head_ref, "sha": made.head_sha, "user": owner, "repo": holder}


def _base(repo: HostedRepository, made: Pull, *, root: str) -> dict[str, Any]:
    owner = repo.full_name.split("/")[0]
    return {
        "label": f"{owner}:{made.base_ref}",
        "ref": made.base_ref,
        "sha": made.base_sha,
        "user": account(owner, "Organization", root=root),
        "repo": repository(repo.full_name, root=root),
    }
