"""Only so many idle workers are woken as there is work for, and one of them keeps the watch."""

from __future__ import annotations

import threading
import time

import pytest

from anabranch.engine.multicore.crew import Idlers


class Room:
    """Workers that wait for `work`: how much each stage has, for anybody."""

    def __init__(self, workers: int, work: list[int]):
        self.lock = threading.Condition()
        self.idlers = Idlers(self.lock, workers, lambda stage: work[stage])
        self.woken: list[int] = []
        self.gone = 0
        self.threads = [threading.Thread(target=self._wait, args=(n,), daemon=True)
                        for n in range(workers)]

    def _wait(self, worker: int) -> None:
        with self.lock:
            self.idlers.wait(worker, 20)
            self.woken.append(worker)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        self._until(lambda: len(self.idlers.idle) == len(self.threads))
        return self

    def __exit__(self, *exc):
        with self.lock:
            self.idlers.wake_all()
        for thread in self.threads:
            thread.join(10)

    def wake(self, stages) -> int:
        """How many wake up, as seen when nobody is on the way any more."""
        with self.lock:
            before = len(self.idlers.idle)
            self.idlers.wake(stages)
            self.gone += before - len(self.idlers.idle)
        self._until(lambda: len(self.woken) >= self.gone)
        return len(self.woken)

    def _until(self, condition) -> None:
        deadline = time.monotonic() + 10
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.001)
        assert condition()


@pytest.mark.parametrize(("work", "woken"), [([0, 0], 0), ([1, 0], 1), ([1, 2], 3), ([9, 9], 4)])
def test_only_so_many_are_woken_as_there_is_work_for(work, woken):
    with Room(4, work) as room:
        assert room.wake(range(2)) == woken


def test_the_one_on_watch_is_woken_last():
    with Room(3, [2]) as room:
        assert room.idlers.takes_watch(1)
        assert not room.idlers.takes_watch(0)
        assert room.wake(range(1)) == 2
        assert sorted(room.woken) == [0, 2]


def test_work_that_was_promised_wakes_nobody_else():
    with Room(3, [1]) as room:
        assert room.wake(range(1)) == 1
        assert room.wake(range(1)) == 1
        with room.lock:
            room.idlers.resting(room.woken[0])
        assert room.wake(range(1)) == 2


def test_the_watch_goes_to_another_when_its_keeper_works():
    with Room(2, [0]) as room:
        with room.lock:
            room.idlers.watcher = 0
            room.idlers.idle.pop(0)
            room.idlers.working(0)
        room._until(lambda: room.woken == [1])
        assert room.idlers.takes_watch(1)
