"""Workers that have nothing to do: only so many are woken as there is work for.

One of them keeps the watch: it wakes up by itself when a slice has waited long enough.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence


class Idlers:
    """To be used with the lock held, but for `wait`, which gives it up meanwhile.

    `open_to(stage)` tells how many workers the stage could do with; woken workers count as promised
    to a stage until they have chosen one themselves.
    """

    def __init__(self, lock, workers: int, open_to: Callable[[int], int]):
        self.bells = [threading.Condition(lock) for _ in range(workers)]
        self.open_to = open_to
        self.idle: dict[int, None] = {}
        self.promised: dict[int, int] = {}
        self.watcher: int | None = None

    def takes_watch(self, worker: int) -> bool:
        """Whether this worker has to look after the open slice."""
        if self.watcher is None:
            self.watcher = worker
        return self.watcher == worker

    def wait(self, worker: int, seconds: float | None) -> None:
        self.idle[worker] = None
        self.bells[worker].wait(seconds)
        self.idle.pop(worker, None)

    def working(self, worker: int) -> None:
        """The worker has chosen; if it had the watch, another one takes it."""
        self.promised.pop(worker, None)
        if self.watcher == worker:
            self.watcher = None
            self.attend()

    def resting(self, worker: int) -> None:
        """The worker has found nothing."""
        self.promised.pop(worker, None)

    def attend(self) -> None:
        """There is something to watch."""
        watcher = self.watcher if self.watcher is not None else next(iter(self.idle), None)
        if watcher in self.idle:
            self.bells[watcher].notify()

    def wake(self, stages: Sequence[int]) -> None:
        """Wakes whom there is work for; the one that keeps the watch last."""
        for stage in stages if self.idle else ():
            wanted = self.open_to(stage) - list(self.promised.values()).count(stage)
            for worker in self._next(wanted) if wanted > 0 else ():
                self.promised[worker] = stage
                self.idle.pop(worker)
                self.bells[worker].notify()

    def _next(self, count: int) -> list[int]:
        return sorted(self.idle, key=lambda worker: worker == self.watcher)[:count]

    def wake_all(self) -> None:
        for bell in self.bells:
            bell.notify_all()
