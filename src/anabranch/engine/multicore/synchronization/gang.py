"""A gang: the workers of a synchronization plan at work, each in a thread or in a process.

Messages between processes pass through the engine, which hands them on unread: they are few, and
so a process needs no way to any other.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import SimpleQueue

from anabranch.engine.multicore.synchronization.travelling import (
    by_receiver,
    received,
    sendable,
)
from anabranch.engine.multicore.transport import CannotTravel, number_classes
from anabranch.errors import RunError
from anabranch.ir.synchronized import Synchronized
from anabranch.sync.keyed import program_of
from anabranch.sync.local import workers_of
from anabranch.sync.messages import Done, Message
from anabranch.sync.plan import Tree
from anabranch.sync.program import Program
from anabranch.sync.updates import Failed, Updates
from anabranch.sync.worker import ENGINE

Hear = Callable[[object], None]
"""Is given what the workers tell the engine, and what ends a worker that should not end."""

STOP = None


class Threads:
    """A thread for each worker: for updates that leave the interpreter's lock alone."""

    def __init__(self, updates: Sequence[Updates], program: Program, tree: Tree, hear: Hear):
        self.workers, self.hear = workers_of(program, tree, updates), hear
        self.inboxes = [SimpleQueue() for _ in self.workers]
        self.threads = [threading.Thread(target=self._live, args=(n,), daemon=True,
                                         name=f"anabranch plan {n}")
                        for n in range(len(self.workers))]
        for thread in self.threads:
            thread.start()

    def post(self, messages: Iterable[tuple[int, Message]]) -> None:
        for to, message in messages:
            self.inboxes[to].put(message)

    def close(self) -> None:
        for inbox in self.inboxes:
            inbox.put(STOP)
        for thread in self.threads:
            thread.join()

    def _live(self, number: int) -> None:
        try:
            while (message := self.inboxes[number].get()) is not STOP:
                for to, told in self.workers[number].receive(message):
                    (self.hear if to == ENGINE else self.inboxes[to].put)(told)
        except BaseException as error:
            self.hear(error)


class Processes:
    """A process for each worker, forked before there are threads; the plan comes later."""

    def __init__(self, kind: Synchronized, updates: Sequence[Updates]):
        number_classes()
        fork = multiprocessing.get_context("fork")
        pipes = [fork.Pipe() for _ in updates]
        self.connections = [ours for ours, _ in pipes]
        self.locks = [threading.Lock() for _ in pipes]
        everyone = [end for pipe in pipes for end in pipe]
        self.processes = [fork.Process(target=_live, args=(kind, updates, theirs, everyone),
                                       daemon=True) for _, theirs in pipes]
        for process in self.processes:
            process.start()
        for _, theirs in pipes:
            theirs.close()
        self.closing = False
        self.threads: list[threading.Thread] = []

    def begin(self, program: Program, tree: Tree, hear: Hear) -> Processes:
        """Gives the workers their places in the plan."""
        self.hear = hear
        for number, _ in enumerate(tree.nodes()):
            self._send(number, sendable([(program.split, tree, number)]))
            thread = threading.Thread(target=self._listen, args=(number,), daemon=True,
                                      name=f"anabranch plan {number}")
            thread.start()
            self.threads.append(thread)
        return self

    def post(self, messages: Iterable[tuple[int, Message]]) -> None:
        for to, together in by_receiver(messages).items():
            self._send(to, sendable(together))

    def close(self) -> None:
        """Ends the processes; it is no loss if one is at work."""
        self.closing = True
        for process, connection in zip(self.processes, self.connections):
            process.terminate()
            process.join()
            connection.close()

    def _send(self, to: int, data: bytes) -> None:
        with self.locks[to], suppress(OSError):
            # Whoever listens to this process notices that it has gone.
            self.connections[to].send_bytes(data)

    def _listen(self, number: int) -> None:
        connection = self.connections[number]
        try:
            while True:
                to = int.from_bytes(connection.recv_bytes(8), "little", signed=True)
                data = connection.recv_bytes()
                if to == ENGINE:
                    for told in received(data):
                        self.hear(told)
                else:
                    self._send(to, data)
        except (EOFError, OSError):
            if not self.closing:
                self.hear(self._death(number))
        except BaseException as error:
            self.hear(error)

    def _death(self, number: int) -> RunError:
        self.processes[number].join(1.0)
        code = self.processes[number].exitcode
        how = f"was killed by signal {-code}" if code and code < 0 else f"ended with {code}"
        return RunError(f"a worker process (pid {self.processes[number].pid}) {how} while it "
                        "worked", help="was the machine out of memory? what was written so far is "
                                       "a part of the output, from its beginning")


def _live(kind: Synchronized, updates: Sequence[Updates], connection, everyone) -> None:
    """The life of a worker process: it ends with the engine, or when it is told to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in everyone:
        # As long as somebody holds an end of a pipe, nobody notices that the other has gone.
        if other is not connection:
            other.close()
    inbox: SimpleQueue = SimpleQueue()
    # Whoever sends to this process must never wait for it to have finished something.
    threading.Thread(target=_fill, args=(connection, inbox), daemon=True).start()
    if (first := inbox.get()) is STOP:
        return
    [(split, tree, number)] = received(first)
    worker = workers_of(program_of(kind, split), tree, updates)[number]
    while (data := inbox.get()) is not STOP:
        sent = (one for message in received(data) for one in worker.receive(message))
        for to, together in by_receiver(sent).items():
            with suppress(OSError):
                _tell(connection, number, to, together)


def _fill(connection, inbox: SimpleQueue) -> None:
    try:
        while True:
            inbox.put(connection.recv_bytes())
    except (EOFError, OSError):
        inbox.put(STOP)


def _tell(connection, number: int, to: int, together: list) -> None:
    try:
        data = sendable(together)
    except CannotTravel as error:
        stuck = RunError(f"a state cannot travel between worker processes: {error}",
                         help="keep only plain values in it, or run with one worker")
        to, data = ENGINE, sendable([Done(number, [], 0, Failed(0, stuck))])
    connection.send_bytes(to.to_bytes(8, "little", signed=True))
    connection.send_bytes(data)
