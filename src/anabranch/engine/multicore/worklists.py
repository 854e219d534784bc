"""Worklists: what waits to be done in a stage, and which of it a worker may take.

`serve(worker, operate, enough)` takes work until there is none for this worker, or enough is done.
`available(worker)` tells how much a worker that comes now would find. `take(worker)` gives the next
work, or None.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

Operate = Callable[[object], None]
Enough = Callable[[], bool]


class SharedQueue:
    """One queue for all workers. Where order matters, the scheduler lets in only one of them."""

    def __init__(self, buckets: int = 1):
        self.queue: deque = deque()

    def add(self, bucket: int, work: object) -> None:
        self.queue.append(work)

    def available(self, worker: int) -> int:
        return len(self.queue)

    def take(self, worker: int) -> object | None:
        try:
            return self.queue.popleft()
        except IndexError:
            return None

    def serve(self, worker: int, operate: Operate, enough: Enough) -> None:
        while not enough() and (work := self.take(worker)) is not None:
            operate(work)


class Counter:
    """An integer with an atomic addition that gives the value before."""

    __slots__ = ("_lock", "_value")

    def __init__(self):
        self._value, self._lock = 0, threading.Lock()

    def fetch_add(self, amount: int) -> int:
        with self._lock:
            before, self._value = self._value, self._value + amount
        return before


class HybridQueue:
    """A queue for each bucket, and a master queue of the buckets in the order of their work.

    Whoever takes a bucket that another worker is busy with delegates the work to that worker, by
    counting it: nobody waits, and work is done almost in the order of its arrival.
    """

    def __init__(self, buckets: int):
        self.queues: list[deque] = [deque() for _ in range(buckets)]
        self.counts = [Counter() for _ in range(buckets)]
        self.master: deque[int] = deque()

    def add(self, bucket: int, work: object) -> None:
        self.queues[bucket].append(work)
        self.master.append(bucket)

    def available(self, worker: int) -> int:
        return len(self.master)

    def serve(self, worker: int, operate: Operate, enough: Enough) -> None:
        while not enough():
            try:
                bucket = self.master.popleft()
            except IndexError:
                return
            if self.counts[bucket].fetch_add(1) == 0:
                self._work_off(bucket, operate)

    def _work_off(self, bucket: int, operate: Operate) -> None:
        """This work, and what others delegate meanwhile: it cannot be left undone."""
        while True:
            operate(self.queues[bucket].popleft())
            if self.counts[bucket].fetch_add(-1) == 1:
                return


class PartitionedQueue:
    """A queue for each bucket, served by one worker at a time: kept for the comparison."""

    def __init__(self, buckets: int):
        self.queues: list[deque] = [deque() for _ in range(buckets)]
        self.claims = [threading.Lock() for _ in range(buckets)]

    def add(self, bucket: int, work: object) -> None:
        self.queues[bucket].append(work)

    def available(self, worker: int) -> int:
        return sum(len(queue) for queue, claim in zip(self.queues, self.claims)
                   if not claim.locked())

    def serve(self, worker: int, operate: Operate, enough: Enough) -> None:
        for queue, claim in zip(self.queues, self.claims):
            if queue and not enough() and claim.acquire(blocking=False):
                try:
                    while queue and not enough():
                        operate(queue.popleft())
                finally:
                    claim.release()


class PinnedQueue:
    """A queue for each worker, whose process keeps the state that the work needs.

    Work that is not `ready` holds up what stands behind it.
    """

    def __init__(self, workers: int):
        self.queues: list[deque] = [deque() for _ in range(workers)]

    @property
    def lengths(self) -> list[int]:
        """How much waits for each, ready or not."""
        return list(map(len, self.queues))

    def add(self, worker: int, work: object) -> None:
        self.queues[worker].append(work)

    def available(self, worker: int) -> int:
        queue = self.queues[worker]
        return len(queue) if queue and _is_ready(queue[0]) else 0

    def take(self, worker: int) -> object | None:
        # Only this worker takes from the queue, so its head stays what it is.
        queue = self.queues[worker]
        return queue.popleft() if queue and _is_ready(queue[0]) else None


def _is_ready(work: object) -> bool:
    return getattr(work, "ready", True)


QUEUES = {"hybrid": HybridQueue, "partitioned": PartitionedQueue}
