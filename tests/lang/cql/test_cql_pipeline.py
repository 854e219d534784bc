"""Slices go through the steps in order where a step has state, and leave nothing behind."""

from __future__ import annotations

import gc
import random
import time
import weakref

import pytest

from anabranch.lang.cql.execution.columns.pipeline import run
from anabranch.lang.cql.execution.columns.steps import Placed
from anabranch.plan.logical.whole import Unfinished

THREADS = [1, 2, 4]


class Thing:
    """What a step gives."""

    def __init__(self, value: object):
        self.value = value


class Step:
    def __init__(self, ordered: bool, call):
        self.ordered, self.run = ordered, call


def slowly(value: object) -> object:
    time.sleep(random.random() / 500)
    return value


@pytest.mark.parametrize("threads", THREADS)
def test_steps_with_state_see_the_slices_in_order(threads):
    seen: list[list[int]] = [[], []]
    steps = [Placed("free", Step(False, lambda now: slowly(now))),
             Placed("first", Step(True, lambda now, x: seen[0].append(slowly(x)) or x), (0,)),
             Placed("free", Step(False, lambda now, x: slowly(x) * 10), (1,)),
             Placed("last", Step(True, lambda now, a, b: seen[1].append(a + b)), (0, 2))]
    run(steps, iter(range(40)), threads)
    assert seen == [list(range(40)), [11 * n for n in range(40)]]


@pytest.mark.parametrize("threads", THREADS)
def test_what_a_slice_made_is_gone_behind_it(threads):
    alive: weakref.WeakSet = weakref.WeakSet()
    most = 0

    def made(now, *_):
        nonlocal most
        thing = Thing(now)
        alive.add(thing)
        most = max(most, len(alive))
        return thing
    steps = [Placed("step", Step(n % 2 == 0, made), (n - 1,) if n else ()) for n in range(6)]
    gc.disable()
    try:
        run(steps, iter(range(50)), threads)
    finally:
        gc.enable()
    assert most <= 2 * threads and not alive


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("where", ["reading", "free", "ordered"])
def test_a_failure_ends_the_run_before_later_slices_are_written(threads, where):
    def numbers():
        for n in range(100):
            if where == "reading" and n == 7:
                raise Unfinished
            yield n

    def failing(kind):
        def call(now, *_):
            if where == kind and now == 7:
                raise Unfinished
            return slowly(now)
        return call
    written: list[int] = []
    steps = [Placed("free", Step(False, failing("free"))),
             Placed("ordered", Step(True, failing("ordered")), (0,)),
             Placed("write", Step(True, lambda now, x: written.append(x)), (1,))]
    with pytest.raises(Unfinished):
        run(steps, numbers(), threads)
    assert written == list(range(len(written))) and len(written) <= 7
