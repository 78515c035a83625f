"""What started a run on GitHub: the event, and where the job runs."""

from __future__ import annotations

from dataclasses import field

from evalaction.frozen import frozen


def same_repository(one: str, other: str) -> bool:
    """Return whether two ``owner/name`` mean one repository: GitHub's names are ASCII, and their case says nothing.

    Not by case folding, in which other letters than ASCII's equal these.
    """
    return one.lower() == other.lower()


@frozen
class PullRequest:
    """A pull request as its event describes it. All texts are untrusted."""

    number: int
    """Number within the repository, from 1."""
    base_sha: str
    """Full commit id of the base branch when the event was sent."""
    base_ref: str
    """Short name of the base branch."""
    head_sha: str
    """Full commit id of the head."""
    from_fork: bool
    """The head stands in another repository, or in one that is gone; what the event is does not matter."""


@frozen
class Push:
    """Two commits of one branch: before a push and after it, or base and head of a merge group."""

    before: str | None
    """Full commit id; None for a branch that is new, and then nothing can be compared."""
    after: str
    """Full commit id."""
    ref: str
    """Short name of what ``before`` stood on."""


@frozen
class Origin:
    """The run of another workflow that this one follows (``workflow_run``). All texts are untrusted."""

    run_id: int
    """Id of that run."""
    event: str
    """Name of the event that started it."""
    head_sha: str
    """Full commit id that it ran for."""
    head_branch: str
    """Short name of the branch that it ran for; empty when GitHub names none."""
    head_repository: str | None
    """``owner/name`` of the repository that holds the branch; None when that is gone."""


@frozen
class Event:
    """What started a run; ``pull``, ``push`` and ``origin`` exclude one another, and all are None for a schedule,
    for ``workflow_dispatch`` and the like, where all cases are drawn unless a base is named.
    """  # noqa: D205 - one sentence

    name: str
    """As GitHub calls it: ``pull_request``."""
    pull: PullRequest | None = None
    """For the events of a pull request."""
    push: Push | None = None
    """For ``push`` and ``merge_group``."""
    origin: Origin | None = None
    """For ``workflow_run``."""

    @property
    def is_target(self) -> bool:
        """Whether it is ``pull_request_target``: its workflow is the base's own, and has secrets even for a fork."""
        return self.name == "pull_request_target"


@frozen
class Job:
    """Where a run takes place."""

    repository: str
    """``owner/name`` of the repository that the workflow runs in; empty when that is not known."""
    api_url: str = "https://api.github.com"
    """Root of GitHub's REST API; another one on GitHub Enterprise Server."""
    server_url: str = "https://github.com"
    """Root of GitHub's pages."""
    run_id: int | None = None
    """Of the workflow run; ids grow with time. None outside of Actions."""
    token: str | None = field(default=None, repr=False)
    """For GitHub's API; None: no comment, and no tree from there."""

    def page_of(self, run_id: int) -> str:
        """Return the page of a run of this repository."""
        return f"{self.server_url}/{self.repository}/actions/runs/{run_id}"

    @property
    def run_url(self) -> str | None:
        """Page of the run; None when that is not known."""
        return None if self.run_id is None else self.page_of(self.run_id)

    def source_url(self, sha: str | None) -> str | None:
        """Return the address of all files at a commit; None when there is no commit, or it is not known where it is."""
        return f"{self.server_url}/{self.repository}/blob/{sha}" if self.repository and sha is not None else None
