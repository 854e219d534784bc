"""Teams begin soon, and their workers do not get into each other's way."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import anabranch as ab
from anabranch.engine.multicore.gangs.gangs import Compiled
from anabranch.kernels.native.team.kernel import Lead, Team, team_kernel
from anabranch.kernels.native.team.shares import LINE, WorkerTree


class Event(ab.Record):
    kind: str
    amount: int


class Sum(ab.State):
    total: int = 0


@pytest.fixture(scope="module")
def kernel():
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "told" in (a, b))
    def summed(state: Sum, e: Event):
        state.total += e.amount
        if e.kind == "told":
            yield e.replace(amount=state.total)

    summed.fork(lambda state, left, right: (state, Sum()))
    summed.join(lambda one, other: Sum(one.total + other.total))
    graph = ab.from_iterable([], Event).apply(summed).graph()
    op = next(op for op in graph.operators if op.name == "summed")
    return team_kernel(graph, op)


def test_no_two_workers_write_to_one_cache_line(kernel):
    layout = WorkerTree.of([1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
    team = Team(kernel, layout, np.zeros((5, 0), np.bool_), Lead(kernel))
    lines = [_lines(memory) for memory in team.memories.values()]
    assert len(lines) == 3
    assert len(set().union(*lines)) == sum(map(len, lines))


def _lines(memory) -> set[int]:
    arrays = [memory.counters, *memory.arrays.values()]
    return {line for array in arrays for line in range(
        array.ctypes.data // LINE, (array.ctypes.data + array.nbytes - 1) // LINE + 1)}


class Kernel:
    """One that is on disk or not, and that says when it is loaded."""

    def __init__(self, is_saved: bool):
        self.is_saved, self.loaded = is_saved, threading.Event()

    def warm(self) -> None:
        self.loaded.set()


def test_code_on_disk_is_loaded_before_anybody_asks_for_it():
    kernel = Kernel(is_saved=True)
    Compiled(kernel, patient=False).load()
    assert kernel.loaded.wait(10)


def test_code_that_has_to_be_compiled_waits_until_somebody_asks():
    kernel = Kernel(is_saved=False)
    compiled = Compiled(kernel, patient=True)
    compiled.load()
    assert compiled.thread is None
    assert compiled.is_ready() and kernel.loaded.is_set()


def test_a_kernel_that_was_compiled_is_known_to_be_on_disk(kernel):
    kernel.warm()
    assert kernel.is_saved
