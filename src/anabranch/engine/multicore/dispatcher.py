"""The dispatcher: one thread that gives all worker processes their work and takes their answers.

With a thread for each process, most would wake up only to wait for the interpreter's lock.
"""

from __future__ import annotations

import os
import selectors
import threading
from collections.abc import Callable, Sequence

from anabranch.engine.multicore.processes import Pool
from anabranch.engine.multicore.remote import AHEAD, Remote


class Dispatcher:
    """Serves the stages in processes until the run has `stopped`, or failed."""

    def __init__(self, pool: Pool, stopped: Callable[[], bool],
                 fail: Callable[[BaseException], None]):
        self.pool, self.stopped, self.fail = pool, stopped, fail
        self.services: Sequence[Remote] = ()
        self.selector = selectors.DefaultSelector()
        self.bell, self.rope = os.pipe()
        self.told = self.asleep = False
        self.thread = threading.Thread(target=self._work, daemon=True, name="anabranch dispatcher")

    def start(self, services: Sequence[Remote]) -> None:
        """The latest stage is served first, so that slices leave before others come."""
        self.services = services[::-1]
        self.selector.register(self.bell, selectors.EVENT_READ)
        for process in self.pool.processes:
            self.selector.register(process.wire, selectors.EVENT_READ, process)
        self.thread.start()

    def wake(self) -> None:
        """Something happened: called after it was written down. Most of it is of no interest."""
        self.told = True
        if self.asleep and (self.stopped() or any(service.has_work for service in self.services)):
            self.asleep = False
            os.write(self.rope, b"!")

    def close(self) -> None:
        """The thread has ended, or waits for a process that is dead."""
        self.wake()
        if self.thread.is_alive():
            self.thread.join()
        self.selector.close()
        os.close(self.bell)
        os.close(self.rope)

    def _work(self) -> None:
        try:
            while not self.stopped():
                self.told = False
                self._give()
                self._take()
        except BaseException as error:
            self.fail(error)

    def _give(self) -> None:
        """Nobody gets a second request before all others have a first."""
        for given in range(AHEAD):
            for service in self.services:
                for process in range(len(self.pool.processes)):
                    if service.pending[process] == given:
                        service.give(process)

    def _take(self) -> None:
        """Waits until something happens, and takes all answers that are there."""
        self.asleep = True
        # Who told before that wrote nothing, and who tells from now on rings the bell.
        ready = self.selector.select(0 if self.told or self.stopped() else None)
        self.asleep = False
        for key, _ in ready:
            if key.data is None:
                os.read(self.bell, 4096)
            else:
                key.data.receive()
