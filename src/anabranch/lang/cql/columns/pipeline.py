"""Runs the steps of a program over its slices, by one thread or by several.

A step with state takes the slices in order, any other as they come: so the steps of one slice go on
beside those of another. NumPy lets go of the interpreter while it computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock, Semaphore

AHEAD = 2
"""So many slices more than there are threads are under way."""


def run(steps: Sequence, slices: Iterable, threads: int) -> None:
    """All steps over all slices; the first failure ends it."""
    if threads == 1:
        for each in slices:
            results: list = []
            for placed in steps:
                results.append(placed.step.run(each, *(results[i] for i in placed.inputs)))
        return
    with ThreadPoolExecutor(threads) as pool:
        _run(steps, slices, pool, threads)


def _run(steps: Sequence, slices: Iterable, pool: ThreadPoolExecutor, threads: int) -> None:
    before: list[Future | None] = [None] * len(steps)
    room, last = Semaphore(threads + AHEAD), None
    for each in slices:
        room.acquire()
        if last is not None and last.done():
            last.result()
        tasks: list[Future] = []
        for number, placed in enumerate(steps):
            inputs = [tasks[i] for i in placed.inputs]
            waits = [*inputs, before[number]] if placed.step.ordered and before[number] else inputs
            tasks.append(_when(waits, pool, placed.step.run, each, inputs))
            if placed.step.ordered:
                before[number] = tasks[-1]
        last = _when(tasks, pool, lambda *_: None, each, [])
        last.add_done_callback(lambda _: room.release())
    if last is not None:
        last.result()


def _when(waits: list[Future], pool: ThreadPoolExecutor, call: Callable, slice: object,
          inputs: list[Future]) -> Future:
    """What a call gives, made when all that it waits for is there; their failure is its own."""
    task, left, lock = Future(), len(waits) + 1, Lock()

    def one_less(_: object) -> None:
        nonlocal left
        with lock:
            left -= 1
            if left:
                return
        pool.submit(go)

    def go() -> None:
        try:
            for each in waits:
                each.result()
            task.set_result(call(slice, *(each.result() for each in inputs)))
        except BaseException as error:
            task.set_exception(error)
    for each in waits:
        each.add_done_callback(one_less)
    one_less(None)
    return task
