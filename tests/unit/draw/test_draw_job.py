"""Requests on their way, and the order in which they are sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.drawing import make_case, make_plan

from evalaction.draw.job import Job, Queue, unsent
from evalaction.draw.schedule import case_calls
from evalaction.records.case import Sampling
from evalaction.records.draw import Call, Cause, Draw, Failure, Reply


def calls_of(n: int, *, choices: int = 1) -> tuple[Call, ...]:
    """Return the calls of one case."""
    return case_calls(make_plan(make_case("a", n=n, sampling=Sampling(model="m", samples_per_request=choices))))


def take(queue: Queue, now: float = 0.0, *, may_begin: bool = True, rather_begin: bool = False) -> int | None:
    """Take the next job, and return the place of its first draw."""
    job = queue.take(now, may_begin=may_begin, rather_begin=rather_begin)
    return None if job is None else job.place


def test_job__draws() -> None:
    """A job makes its draws of what comes, or of why nothing does; those that are known it leaves behind."""
    (call,) = calls_of(4, choices=4)
    job = Job(call=call, place=10, tries=2)
    one, two = Reply(text="1", finish_reason=None), Reply(text="2", finish_reason=None)
    made = job.came([one, two], latency_s=0.5)
    assert made == tuple(
        Draw(path="x.golden.jsonl", id="a", index=index, seed=None, reply=reply, latency_s=0.5, tries=2)
        for index, reply in ((1, one), (2, two))
    )
    job.advance(2)
    failure = Failure(cause=Cause.TIMEOUT, message="late")
    assert (job.place, [(draw.index, draw.failure) for draw in job.missing(failure)]) == (
        12,
        [(3, failure), (4, failure)],
    )
    part = job.part(1)
    assert (part.place, part.call.index, part.call.choices, part.tries) == (13, 4, 1, 2)


@pytest.mark.parametrize("cause", [Cause.BUDGET, Cause.DEADLINE, Cause.INTERRUPTED])
def test_unsent__own_words(cause: Cause) -> None:
    """What ends a run from outside is why its draws are missing."""
    assert unsent(Failure(cause=cause, message="No.", status=3)) == Failure(cause=cause, message="No.")


def test_after__last_try() -> None:
    """A draw that was tried says what its last try came to, with its status and kind."""
    job = Job(call=calls_of(2)[0], place=0)
    end = Failure(cause=Cause.STATUS, message="x" * 9_000, status=429)
    assert Failure(cause=Cause.STOPPED, message="The run had ended (status, HTTP 429).") == job.after(end)
    job.last = Failure(cause=Cause.RUBBISH, message="A page.", kind="HTML")
    message = "The run had ended (status, HTTP 429). The last try: A page."
    assert Failure(cause=Cause.STOPPED, message=message, kind="HTML") == job.after(end)


def test_queue__in_order() -> None:
    """Calls are begun in their order, each with the place of its first draw; then there are none."""
    queue = Queue(calls_of(7, choices=3))
    assert not queue.is_empty
    assert [take(queue) for _ in range(4)] == [0, 3, 6, None]
    assert queue.is_empty
    assert Queue(()).is_empty


def test_queue__lazy() -> None:
    """Calls are taken from their source one at a time, and one ahead: a hundred thousand need not be at hand."""
    taken: list[int] = []

    def source() -> Iterator[Call]:
        for call in calls_of(9):
            taken.append(call.index)
            yield call

    queue = Queue(source())
    assert taken == [1]
    take(queue)
    assert taken == [1, 2]


def test_queue__again() -> None:
    """A job that is to be sent again at once comes first, also where nothing may be begun."""
    queue = Queue(calls_of(3))
    job = queue.take(0.0, may_begin=True, rather_begin=False)
    assert job is not None
    queue.again(job)
    assert [take(queue, may_begin=False), take(queue, may_begin=False)] == [0, None]


def test_queue__parked() -> None:
    """A job that waits is sent when it is due, before anything is begun, unless that is better."""
    queue = Queue(calls_of(9))
    jobs = [queue.take(0.0, may_begin=True, rather_begin=False) for _ in range(3)]
    for job, due in zip(jobs, (30.0, 10.0, 10.0), strict=True):
        assert job is not None
        queue.park(job, due=due)
    assert queue.due == 10.0
    assert take(queue, 9.9, may_begin=False) is None
    assert [take(queue, 10.0), take(queue, 10.0, rather_begin=True), take(queue, 10.0), take(queue, 10.0)] == [
        1,
        3,
        2,
        4,
    ]
    assert [take(queue, 30.0, may_begin=False), queue.due] == [0, None]


@given(n=st.integers(2, 20), steps=st.lists(st.tuples(st.integers(0, 3), st.floats(0, 9)), max_size=60))
def test_queue__loses_nothing(n: int, steps: Sequence[tuple[int, float]]) -> None:
    """Whatever is taken, parked and sent again: each job is there once, and comes out in the end."""
    queue = Queue(calls_of(n))
    out: list[Job] = []
    for kind, seconds in steps:
        if kind == 0 and out:
            queue.park(out.pop(), due=seconds)
        elif kind == 1 and out:
            queue.again(out.pop())
        elif (job := queue.take(seconds, may_begin=kind == 2, rather_begin=seconds > 4)) is not None:
            out.append(job)
    while (job := queue.take(10.0, may_begin=True, rather_begin=False)) is not None:
        out.append(job)
    assert sorted(job.place for job in out) == list(range(n))
    assert queue.is_empty
