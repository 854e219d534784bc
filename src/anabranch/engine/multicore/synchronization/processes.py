"""A gang whose workers live in processes: a process for each leaf of the plan, and a few for those
above, which have little to do.

Messages between processes pass through the engine, which hands them on unread: they are few, and
so a process needs no way to any other. What workers of one process tell each other stays there:
before an event that needs the whole state, that goes up the plan step by step, and down again.
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import NamedTuple

from anabranch.engine.multicore.synchronization.gang import STOP, Hear
from anabranch.engine.multicore.synchronization.travelling import (
    by_receiver,
    received,
    receiver,
    sendable,
)
from anabranch.engine.multicore.transport import CannotTravel, number_classes
from anabranch.errors import RunError
from anabranch.ir.synchronized import Synchronized
from anabranch.source import Span
from anabranch.sync.keyed import program_of
from anabranch.sync.messages import Done, Down, Events, Message, Up
from anabranch.sync.plan import Tree
from anabranch.sync.program import Program
from anabranch.sync.updates import Failed, Updates
from anabranch.sync.worker import ENGINE, Sent, Worker, workers_of

INNER = 16
"""So many workers with others below them share a process: they only fork and join, mostly."""


class Processes:
    """Processes for the workers, forked before there are threads; the plan comes later."""

    def __init__(self, kind: Synchronized, updates: Sequence[Updates], leaves: int):
        number_classes()
        self.span = kind.function.span
        fork = multiprocessing.get_context("fork")
        self.leaves, self.others = leaves, -(-(leaves - 1) // INNER)
        pipes = [fork.Pipe() for _ in range(self.leaves + self.others)]
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
        self.hosts: list[int] = []
        self.threads: list[threading.Thread] = []

    def begin(self, program: Program, tree: Tree, hear: Hear) -> Processes:
        """Gives the workers their places in the plan."""
        self.hear, self.hosts = hear, hosts(tree, self.leaves, self.others)
        for number in sorted(set(self.hosts)):
            here = frozenset(n for n, host in enumerate(self.hosts) if host == number)
            self._send(number, self._as_bytes(ENGINE, [Begin(program.split, tree, here)]))
            thread = threading.Thread(target=self._listen, args=(number,), daemon=True,
                                      name=f"anabranch plan {number}")
            thread.start()
            self.threads.append(thread)
        return self

    def post(self, messages: Iterable[tuple[int, Message]]) -> None:
        for to, together in by_receiver(messages).items():
            self._send(self.hosts[to], self._as_bytes(to, together))

    def close(self) -> None:
        """Ends the processes; it is no loss if one is at work."""
        self.closing = True
        for process in self.processes:
            process.terminate()
        for process, connection in zip(self.processes, self.connections):
            process.join()
            connection.close()

    def _as_bytes(self, to: int, messages: Sequence[object]) -> bytes:
        try:
            return sendable(to, messages)
        except CannotTravel as error:
            raise stuck(messages, error, self.span) from error

    def _send(self, process: int, data: bytes) -> None:
        with self.locks[process], suppress(OSError):
            # Whoever listens to this process notices that it has gone.
            self.connections[process].send_bytes(data)

    def _listen(self, number: int) -> None:
        connection = self.connections[number]
        try:
            while True:
                data = connection.recv_bytes()
                if (to := receiver(data)) == ENGINE:
                    for told in received(data):
                        self.hear(told)
                else:
                    self._send(self.hosts[to], data)
        except (EOFError, OSError):
            if not self.closing:
                self.hear(self._death(number))
        except CannotTravel as error:
            self.hear(stuck([Done(number, [], 0)], error, self.span))
        except BaseException as error:
            self.hear(error)

    def _death(self, number: int) -> RunError:
        self.processes[number].join(1.0)
        code = self.processes[number].exitcode
        how = f"was killed by signal {-code}" if code and code < 0 else f"ended with {code}"
        return RunError(f"a worker process (pid {self.processes[number].pid}) {how} while it "
                        "worked", help="was the machine out of memory? what was written so far is "
                                       "a part of the output, from its beginning")


def hosts(tree: Tree, leaves: int, others: int) -> list[int]:
    """The process of each worker: those with others below them, which have little to do, share
    the last ones.

    >>> from anabranch.sync.plan import leaf
    >>> hosts(Tree(frozenset(), (leaf(), Tree(frozenset(), (leaf(), leaf())))), 3, 1)
    [3, 0, 3, 1, 2]
    """
    of_leaf = itertools.cycle(range(leaves))
    of_other = itertools.cycle(range(leaves, leaves + others))
    return [next(of_other if node.children else of_leaf) for node in tree.nodes()]


def _live(kind: Synchronized, updates: Sequence[Updates], connection, everyone) -> None:
    """The life of a worker process: it ends with the engine, or when it is told to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # What was there before the fork need not be looked at, and so copied, by each collection.
    gc.freeze()
    for other in everyone:
        # As long as somebody holds an end of a pipe, nobody notices that the other has gone.
        if other is not connection:
            other.close()
    inbox: SimpleQueue = SimpleQueue()
    # Whoever sends to this process must never wait for it to have finished something.
    threading.Thread(target=_fill, args=(connection, inbox), daemon=True).start()
    if (first := inbox.get()) is STOP:
        return
    [begin] = received(first)
    workers = workers_of(program_of(kind, begin.split), begin.tree, updates)
    while (data := inbox.get()) is not STOP:
        worker = workers[receiver(data)]
        for to, together in by_receiver(_answers(worker, data, kind.function.span)).items():
            told = _told(worker.index, to, together, kind.function.span)
            with suppress(OSError):
                # As bytes also to a neighbour, so that no two states have a part in common.
                (inbox.put if receiver(told) in begin.here else connection.send_bytes)(told)


def _answers(worker: Worker, data: bytes, span: Span | None) -> Iterator[Sent]:
    try:
        messages = received(data)
    except CannotTravel as error:
        failed = Failed(0, stuck([Down(None)], error, span))
        yield ENGINE, Done(worker.index, [], 0, failed)
        return
    for message in messages:
        yield from worker.receive(message)


def _fill(connection, inbox: SimpleQueue) -> None:
    try:
        while True:
            inbox.put(connection.recv_bytes())
    except (EOFError, OSError):
        inbox.put(STOP)


def _told(number: int, to: int, together: list, span: Span | None) -> bytes:
    try:
        return sendable(to, together)
    except CannotTravel as error:
        failed = Failed(0, stuck(together, error, span))
        return sendable(ENGINE, [Done(number, [], 0, failed)])


def stuck(messages: Sequence[object], error: CannotTravel, span: Span | None) -> RunError:
    """Says what cannot be sent to another process, or not be made again there."""
    about = next(_ABOUT[type(m)] for m in messages if type(m) in _ABOUT)
    return RunError(f"{about} cannot travel between worker processes: {error}",
                    span, help="keep only plain values in it, or run with one worker")


class Begin(NamedTuple):
    """The first message to a process: how keys are split, the plan, and the numbers of the workers
    that are there."""

    split: tuple | None
    tree: Tree
    here: frozenset[int]


_ABOUT = {Begin: "a tag", Down: "a state", Up: "a state", Done: "an output", Events: "an event"}
