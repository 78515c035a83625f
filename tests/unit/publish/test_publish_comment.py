"""The one comment: which it is, when there is one, and what becomes of it when GitHub says no."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from threading import Semaphore
from threading import Thread as Worker
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reports import case_result, change, deck, removed, report

from evalaction.publish.comment import Posted, post_comment
from evalaction.records.hub import Comment, HubFailure, Refusal
from evalaction.records.report import Report
from evalaction.records.settings import CommentMode, Posting
from evalaction.report.comment import LIMIT, marker, render_comment
from evalaction.report.ending import render_ending, render_no_report

ME = "github-actions[bot]"
PASSING, FAILING = report(case_result("a", "A A")), report(case_result("a", "A B", agreement_min=1))
NOTHING = report()
RUN = 200
LOCATION = "https://github.example.test/acme/evals/actions/runs/200"
FORBIDDEN = HubFailure(Refusal.FORBIDDEN, "HTTP 403: Resource not accessible by integration", status=403)
LOST = HubFailure(Refusal.UNSURE, "no answer (ReadTimeout)")
TOO_LONG = HubFailure(Refusal.FORBIDDEN, "HTTP 422: Validation Failed; body is too long", status=422)
MAY_NOT = (
    "The job needs the permission pull-requests: write. For a pull request from a fork or from Dependabot its token "
    "can only read, whatever the workflow says."
)
AS_IT_SAYS = "No permission of the job's changes that: see to what GitHub says, and the next run tries again."
NOT_FOLLOWED = "That is not followed: check GITHUB_API_URL and GITHUB_REPOSITORY."


def url_of(id_: int) -> str:
    return f"https://github.example.test/acme/evals/pull/7#issuecomment-{id_}"


def comment(id_: int, body: str, author: str = ME) -> Comment:
    return Comment(id=id_, author=author, body=body, url=url_of(id_))


@dataclass
class Remarks:
    """A thread in memory."""

    stored: list[Comment] = field(default_factory=list)
    me: str = ME
    refusals: dict[str, list[HubFailure | None]] = field(default_factory=dict)
    """Name of a call → what it raises, one a call; None for success, and at the end."""
    stores_anyway: bool = False
    """Whether a call that raises was carried out."""
    after: dict[str, list[Callable[[], None]]] = field(default_factory=dict)
    """Name of a call → what somebody else does after it, one a call."""
    calls: list[str] = field(default_factory=list)
    hidden: set[int] = field(default_factory=set)
    """Ids that a list leaves out."""
    gone: set[int] = field(default_factory=set)
    """Ids that cannot be edited any more, although a list holds them."""

    def _call(self, name: str, said: str, carry_out: Callable[[], None] = lambda: None) -> None:
        self.calls.append(said)
        failure = self.refusals[name].pop(0) if self.refusals.get(name) else None
        if failure is None or self.stores_anyway:
            carry_out()
        if self.after.get(name):
            self.after[name].pop(0)()
        if failure is not None:
            raise failure

    def add(self, item: Comment) -> None:
        """Store what somebody else writes."""
        self.stored = [*self.stored, item]

    def author(self) -> str:
        """Return who writes."""
        self._call("author", "author")
        return self.me

    def comments(self) -> Sequence[Comment]:
        """Return what is seen."""
        seen = [item for item in self.stored if item.id not in self.hidden]
        self._call("list", "list")
        return sorted(seen, key=lambda item: item.id)

    def create(self, body: str) -> Comment:
        """Store one."""
        made = comment(1 + max((item.id for item in self.stored), default=0), body, self.me)
        self._call("create", "create", lambda: self.stored.append(made))
        return made

    def edit(self, comment_id: int, body: str) -> Comment | None:
        """Change one."""
        there = [item for item in self.stored if item.id == comment_id and comment_id not in self.gone]

        def carry_out() -> None:
            self.stored = [replace(item, body=body) if item in there else item for item in self.stored]

        self._call("edit", f"edit {comment_id}", carry_out)
        return replace(there[0], body=body) if there else None

    def delete(self, comment_id: int) -> None:
        """Remove one."""

        def carry_out() -> None:
            self.stored = [item for item in self.stored if item.id != comment_id]

        self._call("delete", f"delete {comment_id}", carry_out)

    @property
    def ours(self) -> list[tuple[int, str]]:
        """Id and marker line of each comment that is left."""
        return [(item.id, item.body.rstrip().rpartition("\n")[2]) for item in self.stored]


def post(thread: Remarks, run: Report = FAILING, *, run_id: int | None = RUN, **said: str) -> Posted:
    """Post with ``said`` in place of the defaults of ``Posting``."""
    posting = Posting(mode=CommentMode(said.get("mode", "always")), comment_id=said.get("comment_id", "default"))
    return post_comment(run, thread, posting=posting, location=LOCATION, run_id=run_id)


def shown(id_: int, *notices: str) -> Posted:
    return Posted(url=url_of(id_), posted=True, notices=notices)


def not_shown(*notices: str) -> Posted:
    return Posted(url=None, posted=False, notices=notices)


def body(run: Report = FAILING, run_id: int | None = RUN, comment_id: str = "default") -> str:
    return render_comment(run, report_location=LOCATION, comment_id=comment_id, run_id=run_id)


def test_marker__run() -> None:
    """The marker is one line, with the run where there is one, and it is the last line of a comment."""
    assert marker("a b") == "<!-- evalaction v1 id=a%20b -->"
    assert marker("a b", 7) == "<!-- evalaction v1 id=a%20b run=7 -->"
    assert body(comment_id="a b", run_id=7).splitlines()[-1] == marker("a b", 7)


def written(said: str = "old", run_id: int | None = None, comment_id: str = "default") -> str:
    """Return a comment of ours: a headline, something said, the marker."""
    return f"### ⚪ evalaction: {said}\n\nSaid.\n\n{marker(comment_id, run_id)}\n"


MARKED = written()


def chatter(ids: Iterable[int]) -> list[Comment]:
    return [comment(id_, "Looks good.", "someone") for id_ in ids]


BOT = "helper[bot]"
FOUND: dict[str, tuple[list[Comment], list[str], list[int]]] = {
    "none": ([], ["list", "create", "list"], [1]),
    "position_33_of_35": (
        [*chatter(range(1, 33)), comment(33, MARKED), *chatter((34, 35))],
        ["list", "author", "edit 33"],
        [*range(1, 36)],
    ),
    "position_130_of_150": (
        [*chatter(range(1, 130)), comment(130, MARKED), *chatter(range(131, 151))],
        ["list", "author", "edit 130"],
        [*range(1, 151)],
    ),
    "person_quotes_marker": (
        [comment(1, f"{marker('default')} looks wrong", "alice")],
        ["list", "create", "list"],
        [1, 2],
    ),
    "person_copies_comment": ([comment(1, MARKED, "alice")], ["list", "author", "create", "list"], [1, 2]),
    "other_bot_quotes_marker": (
        [comment(1, f"> {marker('default')}", BOT), comment(2, MARKED)],
        ["list", "author", "edit 2"],
        [1, 2],
    ),
    "other_bot_has_marker": ([comment(1, MARKED, BOT), comment(2, MARKED)], ["list", "author", "edit 2"], [1, 2]),
    "author_is_gone": ([comment(1, MARKED, "")], ["list", "author", "create", "list"], [1, 2]),
    "two_of_mine": (
        [comment(9, written("old 2")), comment(5, MARKED)],
        ["list", "author", "edit 5", "delete 9"],
        [5],
    ),
    "second_instance_other_key": ([comment(4, written(comment_id="a"))], ["list", "create", "list"], [4, 5]),
    "empty_lines_below": ([comment(4, f"{MARKED}\n \n\t\n")], ["list", "author", "edit 4"], [4]),
    "line_ends": ([comment(4, MARKED.replace("\n", "\r\n"))], ["list", "author", "edit 4"], [4]),
}
"""What stands in the thread → the calls, and the ids that are left."""


@pytest.mark.parametrize(("stored", "calls", "left"), FOUND.values(), ids=FOUND)
def test_post_comment__found(stored: list[Comment], calls: list[str], left: list[int]) -> None:
    """The oldest comment of ours, by author, headline, marker and id, is edited; others of ours are removed."""
    thread = Remarks(stored)
    posted = post(thread)

    assert (thread.calls, sorted(item.id for item in thread.stored)) == (calls, left)
    assert [posted] == [shown(item.id) for item in thread.stored if item.body == body()]


def test_post_comment__custom_token_user() -> None:
    """With a person's token, our author is that person, in whatever case the login is written."""
    thread = Remarks([comment(1, MARKED), comment(3, MARKED, "ci-user")], me="CI-User")

    assert (post(thread), thread.calls) == (shown(3), ["list", "author", "edit 3"])


def test_post_comment__odd_id() -> None:
    """Whatever an id holds, its comment is found again, and no other."""
    thread = Remarks()
    for id_ in ("a b-->", "a", "a b", "run=3"):
        post(thread, comment_id=id_)
        post(thread, PASSING, comment_id=id_)

    assert [item.body for item in thread.stored] == [
        body(PASSING, comment_id=id_) for id_ in ("a b-->", "a", "a b", "run=3")
    ]


@pytest.mark.parametrize(
    "line",
    [
        "<!-- evalaction v2 id=default -->",
        "<!-- evalaction v1 id=default2 -->",
        "<!-- evalaction v1 id=default run= -->",
        "<!-- evalaction v1 id=default run=0 -->",
        "<!-- evalaction v1 id=default run=-1 -->",
        "<!-- evalaction v1 id=default run=\u0661 -->",
        "<!-- evalaction v1 id=default run=12345678901234567890 -->",
        "<!-- evalaction v1 id=default run=1 run=2 -->",
        " <!-- evalaction v1 id=default -->",
        "<!-- evalaction v1 id=default --> ",
        "x\u2028<!-- evalaction v1 id=default -->",
        "x\r<!-- evalaction v1 id=default -->",
        "<!-- EVALACTION v1 id=default -->",
        "`<!-- evalaction v1 id=default -->`",
    ],
)
def test_post_comment__no_marker(line: str) -> None:
    """What is not the marker to the letter, as a whole line, is left alone, even by our own author."""
    thread = Remarks([comment(1, f"### ⚪ evalaction: old\n\n{line}\n")])

    assert (post(thread), thread.calls) == (shown(2), ["list", "create", "list"])


QUOTES = {
    "linter": f"### Style\n\n```diff\n+{marker('default')}\n{marker('default')}\n```\n",
    "linter that ends with it": f"### Style\n\nLine 3: {{text}}\n{marker('default', 999)}\n",
    "preview": f"A preview of docs/comment.md:\n\n{written(run_id=999)}",
    "title of a change": f"{marker('default', 999)}\n\n### Release notes\n\n* evalaction: {marker('default', 999)}\n",
    "whole comment, and more": f"{written(run_id=999)}\nposted by a preview",
    "fence around it": f"```md\n{written(run_id=999)}```\n",
    "headline of another": f"### ✅ evalactions: all well\n\n{marker('default', 999)}\n",
    "headline without a sign": f"### evalaction: all well\n\n{marker('default', 999)}\n",
    "headline alone": "### ⚪ evalaction: old\n",
    "headline and marker in one line": f"### ⚪ evalaction: {marker('default', 999)}",
    "empty": "",
}
"""What other workflows of the repository write under the account that a job's own token writes under."""


@pytest.mark.parametrize("said", QUOTES.values(), ids=QUOTES)
@pytest.mark.parametrize("ours", [[], [comment(7, MARKED)]], ids=["first", "later"])
def test_post_comment__same_author_quotes(said: str, ours: list[Comment]) -> None:
    """A comment of the same account that quotes the marker neither takes the place of ours nor is touched."""
    theirs = [comment(1, said), comment(9, said)]
    thread = Remarks([*theirs, *ours])
    posted = post(thread)

    (mine,) = [item for item in thread.stored if item not in theirs]
    assert (posted, mine.body) == (shown(mine.id), body())
    assert [item for item in thread.stored if item in theirs] == theirs


@pytest.mark.parametrize(
    "said",
    [
        *(body(run, 199) for run in (PASSING, FAILING, report())),
        render_ending(["error: x"], limit=LIMIT, run_url=LOCATION, comment_id="default", run_id=199),
        render_comment(PASSING, run_id=199, relayed_from=LOCATION),
        *(
            render_no_report(
                run_url=LOCATION, fork=fork, missing=missing, why_url=None, comment_id="default", run_id=199
            )
            for fork in (True, False)
            for missing in (True, False)
        ),
    ],
)
def test_post_comment__own_forms(said: str) -> None:
    """Whatever we write is found again: reports of every verdict, a fork's own, endings, no report."""
    thread = Remarks([comment(1, said)])

    assert (post(thread), thread.calls) == (shown(1), ["list", "author", "edit 1"])


@pytest.mark.parametrize("run", [1, 199, 200, None])
def test_post_comment__older_run(run: int | None) -> None:
    """A comment of an older run, of this one or of one without a name is brought up to date, and names this run."""
    thread = Remarks([comment(1, written(run_id=run))])

    assert (post(thread), thread.ours) == (shown(1), [(1, marker("default", RUN))])
    assert thread.calls == ["list", "author", "edit 1"]


TOO_LATE = "A newer run has written its comment on the pull request; this run, which ended later, left it alone."


@pytest.mark.parametrize("run", [201, 9_999_999_999_999_999_999])
def test_post_comment__newer_run(run: int) -> None:
    """A run that ends late leaves the comment of a newer one alone, and says so."""
    newer = comment(1, written("new", run))
    thread = Remarks([newer])

    assert (post(thread), thread.stored, thread.calls) == (not_shown(TOO_LATE), [newer], ["list", "author"])


def test_post_comment__newer_run_of_nobody() -> None:
    """Outside of a workflow there is no order: what is there is overwritten."""
    thread = Remarks([comment(1, written("new", 300))])

    assert (post(thread, run_id=None), thread.ours) == (shown(1), [(1, marker("default"))])


def test_post_comment__unchanged() -> None:
    """Nothing is sent when the comment says it already, whatever GitHub made of its line ends."""
    thread = Remarks([comment(1, body().replace("\n", "\r\n").rstrip())])

    assert (post(thread), thread.calls) == (shown(1), ["list", "author"])


KINDS = {
    "pass": PASSING,
    "fail": FAILING,
    "nothing": NOTHING,
    "deck": report(decks=(deck("d"),)),
    "loosened": report(loosened=(change("a", "n", 5, 3),)),
    "edited gold": report(edited_gold=(change("a", "gold", "pass", "fail"),)),
    "removed": report(removed=(removed("a"),)),
}


@pytest.mark.parametrize(
    ("mode", "written"),
    [
        ("always", [*KINDS]),
        ("failures", ["fail", "deck"]),
        ("changes", ["pass", "fail", "deck", "loosened", "edited gold", "removed"]),
    ],
)
def test_post_comment__modes(mode: str, written: list[str]) -> None:
    """Each mode writes a first comment for its own kinds of run."""
    threads = {kind: Remarks() for kind in KINDS}
    posted = {kind: post(threads[kind], run, mode=mode) for kind, run in KINDS.items()}

    assert posted == {kind: shown(1) if kind in written else not_shown() for kind in KINDS}
    assert {kind: len(thread.stored) for kind, thread in threads.items()} == {kind: kind in written for kind in KINDS}


def test_post_comment__off() -> None:
    """Switched off, GitHub is asked for nothing, and what is there stays."""
    thread = Remarks([comment(1, body(FAILING, 100))])

    assert (post(thread, NOTHING, mode="off"), thread.calls) == (not_shown(), [])


@pytest.mark.parametrize("mode", ["always", "failures", "changes"])
def test_post_comment__red_turns_green(mode: str) -> None:
    """A comment that is there is brought up to date, also by a run that would write none."""
    thread = Remarks([comment(1, body(FAILING, 100))])

    assert (post(thread, NOTHING, mode=mode), thread.stored) == (shown(1), [comment(1, body(NOTHING))])


def test_post_comment__deleted_between() -> None:
    """A comment that is deleted between looking and editing is replaced by a new one, even where a list lags behind."""
    thread = Remarks([comment(6, MARKED)], gone={6})

    assert (post(thread), thread.calls) == (shown(7), ["list", "author", "edit 6", "list", "create", "list"])


def test_post_comment__deleted_between_and_not_wanted() -> None:
    """A comment that somebody deletes meanwhile is not written anew when there would be none."""
    thread = Remarks([comment(6, MARKED)])
    thread.after = {"author": [thread.stored.clear]}

    assert (post(thread, PASSING, mode="failures"), thread.calls) == (
        not_shown(),
        ["list", "author", "edit 6", "list"],
    )


@pytest.mark.parametrize(
    ("theirs", "result", "left", "calls"),
    [
        (None, shown(1), RUN, ["list", "create", "list", "edit 1", "delete 2"]),
        (100, shown(1), RUN, ["list", "create", "list", "edit 1", "delete 2"]),
        (RUN, shown(1), RUN, ["list", "create", "list", "edit 1", "delete 2"]),
        (300, not_shown(TOO_LATE), 300, ["list", "create", "list", "delete 2"]),
    ],
)
def test_post_comment__race_they_first(theirs: int | None, result: Posted, left: int, calls: list[str]) -> None:
    """A comment that another run writes between our look and ours is kept, and ours folded into it or given up."""
    thread = Remarks()
    other = comment(1, written("theirs", theirs))
    thread.after = {"list": [partial(thread.add, other)]}

    assert (post(thread), thread.ours, thread.calls) == (result, [(1, marker("default", left))], calls)


@pytest.mark.parametrize(
    ("theirs", "result", "left", "calls"),
    [
        (100, shown(1), [(1, RUN)], ["list", "create", "list", "delete 2"]),
        # The newer run looks again after writing, and then folds its own into ours.
        (300, not_shown(TOO_LATE), [(1, RUN), (2, 300)], ["list", "create", "list"]),
    ],
)
def test_post_comment__race_we_first(
    theirs: int, result: Posted, left: list[tuple[int, int]], calls: list[str]
) -> None:
    """A comment that another run writes after ours is folded into ours, or left to that run when it is newer."""
    thread = Remarks()
    other = comment(2, written("theirs", theirs))
    thread.after = {"create": [partial(thread.add, other)]}

    assert (post(thread), thread.ours) == (result, [(id_, marker("default", run)) for id_, run in left])
    assert thread.calls == calls


class Turns:
    """A thread of which each run makes one call whenever it is its turn."""

    def __init__(self, thread: Remarks, run: int) -> None:
        """Start the run; it waits for its first turn."""
        self._thread, self._go, self._done = thread, Semaphore(0), Semaphore(0)
        self.ended = False
        self._worker = Worker(target=self._post, args=(run,), daemon=True)
        self._worker.start()

    def _post(self, run: int) -> None:
        try:
            self._go.acquire()
            self.posted = post(cast("Remarks", self), run_id=run)
        finally:
            self.ended = True
            self._done.release()

    def take(self) -> None:
        """Make one call, if there is one left."""
        if not self.ended:
            self._go.release()
            self._done.acquire()

    def __getattr__(self, name: str) -> Any:
        """Return a call of the thread's that ends this turn and waits for the next one."""

        def call(*args: Any) -> Any:
            result = getattr(self._thread, name)(*args)
            self._done.release()
            self._go.acquire()
            return result

        return call


@given(
    runs=st.permutations([100, RUN, 300]),
    turns=st.lists(st.integers(0, 2), max_size=24),
    before=st.sampled_from([None, 50]),
)
def test_post_comment__races(runs: list[int], turns: list[int], before: int | None) -> None:
    """Three runs whose calls come in any order leave one comment, and each of them ends well."""
    thread = Remarks([comment(1, written(run_id=before))] if before else [])
    racers = [Turns(thread, run) for run in runs]
    for turn in [*turns, *([0, 1, 2] * 12)]:
        racers[turn].take()

    assert [racer.ended for racer in racers] == [True] * 3
    assert [shown for _, shown in thread.ours] in [[marker("default", run)] for run in runs]
    assert {racer.posted.notices for racer in racers} <= {(), (TOO_LATE,)}


def test_post_comment__one_after_another() -> None:
    """Runs that end one after another, in any order, leave the comment of the newest."""
    for runs in permutations([100, RUN, 300]):
        thread = Remarks()
        for run in runs:
            post(thread, run_id=run)
        assert thread.ours == [(1, marker("default", 300))]


def test_post_comment__list_lags_behind() -> None:
    """A list that does not hold what was just written does not make a second comment."""
    thread = Remarks(hidden={1})

    assert (post(thread), thread.calls) == (shown(1), ["list", "create", "list"])


def test_post_comment__wrong_author() -> None:
    """Where GitHub names another author than the one that then writes, the older comment of ours is found still."""
    thread = Remarks([comment(1, MARKED)])
    thread.author = lambda: "somebody-else"  # type: ignore[method-assign]

    assert (post(thread), thread.ours) == (shown(1), [(1, marker("default", RUN))])
    assert thread.calls == ["list", "create", "list", "edit 1", "delete 2"]


@pytest.mark.parametrize("stored", [False, True])
def test_post_comment__unsure_create(stored: bool) -> None:
    """A comment of which nobody knows whether it was stored is looked for, and written again only if not found."""
    thread = Remarks(refusals={"create": [LOST]}, stores_anyway=stored)

    assert (post(thread), thread.ours) == (shown(1), [(1, marker("default", RUN))])
    assert thread.calls == (
        ["list", "create", "list", "author"] if stored else ["list", "create", "list", "create", "list"]
    )


@pytest.mark.parametrize("stored", [False, True])
def test_post_comment__unsure_edit(stored: bool) -> None:
    """A comment of which nobody knows whether it was edited is looked at, and edited again only if it was not."""
    thread = Remarks([comment(1, MARKED)], refusals={"edit": [LOST]}, stores_anyway=stored)

    assert (post(thread), thread.ours) == (shown(1), [(1, marker("default", RUN))])
    assert thread.calls == ["list", "author", "edit 1", "list", *([] if stored else ["edit 1"])]


@pytest.mark.parametrize("before", [[], [comment(1, MARKED)]])
def test_post_comment__unsure_twice(before: list[Comment]) -> None:
    """What is not stored after two writes is given up, with a notice."""
    thread = Remarks([*before], refusals={"create": [LOST, LOST], "edit": [LOST, LOST]})
    notice = (
        "The comment could not be written (no answer (ReadTimeout)). It may be there or not; the next run will put it "
        "right."
    )

    assert (post(thread), thread.stored) == (not_shown(notice), before)
    assert [call for call in thread.calls if call != "author"] == [
        "list",
        *[f"{'edit 1' if before else 'create'}", "list"] * 2,
    ]


@pytest.mark.parametrize("before", [[], [comment(1, MARKED)]])
def test_post_comment__too_long(before: list[Comment]) -> None:
    """A text that GitHub refuses is sent once more, made for half the limit."""
    thread = Remarks([*before], refusals={"create": [TOO_LONG], "edit": [TOO_LONG]})
    limits: list[int] = []

    def render(report: Report, *, limit: int, **said: Any) -> str:
        limits.append(limit)
        return render_comment(report, limit=limit, **said)

    posting = Posting()
    posted = post_comment(FAILING, thread, posting=posting, location=None, run_id=RUN, render=render)

    assert (posted, limits) == (shown(1), [LIMIT, LIMIT // 2])


def test_post_comment__source() -> None:
    """Golden lines of the comment are links to the commit that was measured, where its page is known."""
    thread, source = Remarks([]), "https://github.example.test/acme/evals/blob/0a1b"
    post_comment(FAILING, thread, posting=Posting(), location=None, run_id=RUN, source_url=source)

    assert [stored.body for stored in thread.comments()] == [render_comment(FAILING, run_id=RUN, source_url=source)]


@pytest.mark.parametrize(
    ("failure", "notice"),
    [
        (
            FORBIDDEN,
            f"The comment could not be written (HTTP 403: Resource not accessible by integration). {MAY_NOT}",
        ),
        (
            HubFailure(Refusal.FORBIDDEN, "HTTP 404: Not Found", status=404),
            f"The comment could not be written (HTTP 404: Not Found). {MAY_NOT}",
        ),
        (
            HubFailure(Refusal.FORBIDDEN, "HTTP 403: Unable to create comment because issue is locked.", status=403),
            "The comment could not be written (HTTP 403: Unable to create comment because issue is locked.). The "
            "conversation is locked, and this token may not write to it all the same.",
        ),
        (
            HubFailure(Refusal.FORBIDDEN, "HTTP 401: Bad credentials", status=401),
            "The comment could not be written (HTTP 401: Bad credentials). The token is not valid, or not any more: "
            "check the input github-token.",
        ),
        (
            HubFailure(Refusal.FORBIDDEN, "there is no token for GitHub"),
            "The comment could not be written (there is no token for GitHub). Check the input github-token, "
            "GITHUB_API_URL and GITHUB_REPOSITORY.",
        ),
        (
            HubFailure(Refusal.LIMITED, "HTTP 429", status=429),
            "The comment could not be written (HTTP 429). That lasts longer than a run waits for GitHub; the next run "
            "will write it.",
        ),
        (
            HubFailure(Refusal.FORBIDDEN, "HTTP 403: ::error::\n\x1b[2J\u202e<!-- @all" + "x" * 500, status=403),
            "The comment could not be written (HTTP 403: ::error::⏎⟨U+001B⟩[2J⟨U+202E⟩<!-- @all"
            + "x" * 265
            + f"…). {AS_IT_SAYS}",
        ),
        *[
            (
                HubFailure(Refusal.FORBIDDEN, said, status=status),
                f"The comment could not be written ({said}). {remedy}",
            )
            for status, said, remedy in (
                (403, "HTTP 403", MAY_NOT),
                (403, "HTTP 403: Must have admin rights to Repository.", MAY_NOT),
                (403, "HTTP 403: Write access to repository not granted.", MAY_NOT),
                (403, "HTTP 403: Repository was archived so is read-only.", AS_IT_SAYS),
                (403, "HTTP 403: Interactions on this repository have been restricted to collaborators.", AS_IT_SAYS),
                (
                    403,
                    "HTTP 403: Resource protected by organization SAML enforcement. You must grant your Personal "
                    "Access token access to this organization.",
                    AS_IT_SAYS,
                ),
                (410, "HTTP 410: Issues are disabled for this repo", AS_IT_SAYS),
                (451, "HTTP 451: Repository access blocked", AS_IT_SAYS),
                (307, "HTTP 307: it leads to https://x.test/", NOT_FOLLOWED),
            )
        ],
    ],
)
@pytest.mark.parametrize("call", ["list", "author", "create", "edit"])
def test_post_comment__refused(call: str, failure: HubFailure, notice: str) -> None:
    """Whatever GitHub refuses becomes one notice that says what happened and what to do; it is asked once."""
    before = [comment(1, MARKED)] if call in {"author", "edit"} else []
    thread = Remarks([*before], refusals={call: [failure]})

    assert (post(thread), thread.stored) == (not_shown(notice), before)
    assert sum(said.startswith(call) for said in thread.calls) == 1


def test_post_comment__refused_twice_for_length() -> None:
    """A text that is refused at half the limit too is given up."""
    thread = Remarks(refusals={"create": [TOO_LONG, TOO_LONG]})
    notice = (
        "The comment could not be written (HTTP 422: Validation Failed; body is too long). GitHub does not take the "
        "text, or takes none here."
    )

    assert (post(thread), thread.calls) == (not_shown(notice), ["list", "create", "list", "create"])


def test_post_comment__removal_refused() -> None:
    """A second comment that cannot be removed is named, and the first shows the run all the same."""
    thread = Remarks([comment(5, MARKED), comment(8, MARKED), comment(9, MARKED)], refusals={"delete": [FORBIDDEN]})
    notice = "A second comment of ours, 8, could not be removed (HTTP 403: Resource not accessible by integration)."

    assert (post(thread), [item.id for item in thread.stored]) == (shown(5, notice), [5, 8])


def test_post_comment__second_look_refused() -> None:
    """A comment that was written counts as such when GitHub then refuses to show the others."""
    thread = Remarks(refusals={"list": [None, FORBIDDEN]})
    notice = (
        "Whether there is a second comment of ours could not be seen to (HTTP 403: Resource not accessible by "
        "integration)."
    )

    assert post(thread) == shown(1, notice)


def test_post_comment__always_other() -> None:
    """A thread that changes at every look is given up after a while, with a notice."""
    thread = Remarks([comment(1, MARKED)], gone={*range(1, 100)})
    thread.after = {"list": [partial(thread.add, comment(id_, MARKED)) for id_ in range(2, 100)]}
    notice = (
        "The comment could not be written (the comments changed whenever they were looked at). It may be there or not; "
        "the next run will put it right."
    )

    assert post(thread) == not_shown(notice)
    assert thread.calls == [
        "list",
        "author",
        *[f"{call}" for id_ in range(1, 9) for call in (f"edit {id_}", "list")][:-1],
    ]
