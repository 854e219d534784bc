"""A gang: the workers of a synchronization plan at work, each in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from queue import SimpleQueue

from anabranch.core.threads import start_thread
from anabranch.plan.sync.plan import Tree
from anabranch.plan.sync.program import Program
from anabranch.runtime.gang.messages import Message
from anabranch.runtime.gang.updates import Updates
from anabranch.runtime.gang.worker import ENGINE, workers_of

Hear = Callable[[object], None]
"""Is given what the workers tell the engine, and what ends a worker that should not end."""

STOP = None


class Threads:
    """A thread for each worker: for updates that leave the interpreter's lock alone. Kernels are
    called too seldom for pools."""

    pools = ()

    def __init__(self, updates: Sequence[Updates], program: Program, tree: Tree, hear: Hear):
        self.workers, self.hear = workers_of(program, tree, updates), hear
        self.inboxes = [SimpleQueue() for _ in self.workers]
        self.threads = [start_thread(self._live, number, name=f"plan {number}")
                        for number in range(len(self.workers))]

    def post(self, messages: Iterable[tuple[int, Message]]) -> None:
        for to, message in messages:
            self.inboxes[to].put(message)

    def close(self) -> None:
        for inbox in self.inboxes:
            inbox.put(STOP)
        for worker in self.threads:
            worker.join()

    def _live(self, number: int) -> None:
        try:
            while (message := self.inboxes[number].get()) is not STOP:
                for to, told in self.workers[number].receive(message):
                    (self.hear if to == ENGINE else self.inboxes[to].put)(told)
        except BaseException as error:
            self.hear(error)
