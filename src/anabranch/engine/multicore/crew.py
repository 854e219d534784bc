"""The crew: worker threads that ask the scheduler what to do, and what stops them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from anabranch.core.threads import start_thread
from anabranch.engine.multicore.network import Network
from anabranch.engine.multicore.scheduler import TIME_SLICE, Scheduler


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


GRACE = 0.2
"""So many seconds whoever reads a source has to notice that all have stopped."""

PATIENCE = 5.0
"""So many seconds a stopped worker may take to come back from a user's function."""

IMPATIENCE = 0.3
"""The same after Ctrl-C, which is pressed because a function is stuck."""


class Crew:
    """Worker threads around a network. `changed` is notified when slices have left or all stop:
    that is what whoever reads waits for. The `listener` hears of all that workers hear of."""

    def __init__(self, workers: int):
        self.changed = threading.Condition()
        self.idlers = Idlers(self.changed, workers, self._open_to)
        self.workers, self.threads = workers, []
        self.stopped, self.error = False, None
        self.events = 0
        self.network: Network | None = None
        self.scheduler: Scheduler | None = None
        self.idle: Callable[[], float | None] = lambda: None
        self.wake: Callable[[], None] = lambda: None
        self.over = threading.Event()
        self.listener: Callable[[], None] = lambda: None

    def start(self, network: Network, scheduler: Scheduler, idle: Callable[[], float | None],
              wake: Callable[[], None]) -> None:
        """`idle` is called when there is nothing to do; it says for how long to wait at most.
        `wake` is called when the crew has failed and nobody takes notice."""
        self.network, self.scheduler, self.idle, self.wake = network, scheduler, idle, wake
        for worker in range(self.workers):
            self.threads.append(start_thread(self._work, worker, name=f"worker {worker}"))

    def measure(self, stage: int, rows_in: int, rows_out: int, seconds: float) -> None:
        with self.changed:
            self.scheduler.served(stage, rows_in, rows_out, seconds)
            self.tell()

    def tell(self) -> None:
        """Something happened that workers may wait for."""
        with self.changed:
            self.events += 1
            self.idlers.wake(range(len(self.network.services)) if self.network else ())
        self.listener()

    def attend(self) -> None:
        """A slice has been opened: it must not wait too long."""
        with self.changed:
            self.events += 1
            self.idlers.attend()

    def fail(self, error: BaseException) -> None:
        """Stops everything; the first error is the one that counts."""
        with self.changed:
            self.error = self.error or error
        self.stop()

    def stop(self) -> None:
        with self.changed:
            self.stopped = True
            self.changed.notify_all()
            self.tell()
            self.idlers.wake_all()

    def join(self, interrupted: bool = False) -> None:
        self.over.set()
        deadline = time.monotonic() + (IMPATIENCE if interrupted else PATIENCE)
        for thread in self.threads:
            # A request to end may come before all have started; one that starts later stops.
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))

    def _work(self, worker: int) -> None:
        try:
            while (stage := self._assignment(worker)) is not None:
                self._serve(worker, stage)
        except BaseException as error:
            self.fail(error)
        if self.error is not None and not self.over.wait(GRACE):
            self.wake()

    def _serve(self, worker: int, stage: int) -> None:
        deadline = time.monotonic() + TIME_SLICE
        service = self.network.services[stage]
        try:
            service.serve(worker, lambda: self.stopped or time.monotonic() > deadline)
        finally:
            with self.changed:
                self.scheduler.done(stage)
                self.events += 1

    def _assignment(self, worker: int) -> int | None:
        """The stage to serve next; None when it is time to stop."""
        while not self.stopped:
            with self.changed:
                seen, stage, watches = self.events, *self._decision(worker)
            if stage is not None:
                return stage
            wait = self.idle() if watches else None
            with self.changed:
                # What happened since the choice has been told already, and will not be again.
                if self.events == seen and not self.stopped:
                    self.idlers.wait(worker, wait)
        return None

    def _decision(self, worker: int) -> tuple[int | None, bool]:
        """The stage to serve; without one, whether to keep the watch."""
        stage = self._choice(worker)
        if stage is None:
            self.idlers.resting(worker)
            return None, self.idlers.takes_watch(worker)
        self.idlers.working(worker)
        # There may be more to do than this worker was woken for.
        self.idlers.wake(range(len(self.network.services)))
        return stage, False

    def _open_to(self, stage: int) -> int:
        """How many workers the stage could do with."""
        service = self.network.services[stage]
        available, most = service.available(0), service.most
        if not available or most is None:
            return available
        return min(available, most - self.scheduler.measured[stage].workers)

    def _choice(self, worker: int) -> int | None:
        waiting = [s.available(worker) for s in self.network.services]
        return self.scheduler.choose(waiting, time.monotonic())
