"""The life of a process with workers of a plan, forked before the plan is known.

Workers of one process tell each other without bytes what they have to say, except for a state that
goes down to one who has events for it: two that came from one fork may have a part in common, which
one of them may change. The process of the root has a way to each other process; what has no such
way passes through the engine.
"""

from __future__ import annotations

import gc
import multiprocessing
import selectors
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import NamedTuple

from anabranch.batch.transport import CannotTravel
from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.core.threads import start_thread
from anabranch.engine.multicore.gangs.threads import STOP
from anabranch.ir.synchronization import Synchronized
from anabranch.plan.sync.plan import Tree
from anabranch.plan.sync.program import program_of
from anabranch.runtime.gang.messages import Done, Down, Events, Offer, Up
from anabranch.runtime.gang.travel import Lending, Lent, by_receiver, received, receiver, sendable
from anabranch.runtime.gang.updates import Failed, Updates
from anabranch.runtime.gang.worker import ENGINE, Sent, Worker, workers_of
from anabranch.runtime.processes.child import end_with


class Begin(NamedTuple):
    """The first message to a process: how keys are split, the plan, and the process of each of its
    workers."""

    split: tuple | None
    tree: Tree
    hosts: list[int]


class Ways(NamedTuple):
    """How the process `number` is reached: by the engine, and by some others, by their numbers."""

    number: int
    engine: Connection
    others: dict[int, Connection]

    @property
    def all(self) -> list[Connection]:
        return [self.engine, *self.others.values()]


def live(kind: Synchronized, updates: Sequence[Updates], ways: Ways, lending: Lending, everyone
         ) -> None:
    """Ends with the engine, or when it is told to."""
    end_with(multiprocessing.parent_process().pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # What was there before the fork need not be looked at, and so copied, by each collection.
    gc.freeze()
    for other in everyone:
        # As long as somebody holds an end of a pipe, nobody notices that the other has gone.
        if other not in ways.all:
            other.close()
    inbox: SimpleQueue = SimpleQueue()
    # Whoever sends to this process must never wait for it to have finished something.
    start_thread(_fill, ways, inbox, name="mail")
    if (first := inbox.get()) is not STOP:
        [begin] = received(first)
        workers = workers_of(program_of(kind, begin.split), begin.tree, updates,
                             lending.claims(begin.tree))
        _work(workers, inbox, Post(ways, begin, inbox, kind.function.span), lending)


def _work(workers: Sequence[Worker], inbox: SimpleQueue, post: Post, lending: Lending) -> None:
    while (letter := inbox.get()) is not STOP:
        worker = workers[receiver(letter) if isinstance(letter, bytes) else letter[0]]
        for to, together in by_receiver(_answers(worker, letter, post.span, lending)).items():
            post.send(worker.index, to, together)


def _fill(ways: Ways, inbox: SimpleQueue) -> None:
    with selectors.DefaultSelector() as selector:
        for way in ways.all:
            selector.register(way, selectors.EVENT_READ)
        while ways.engine.fileno() in selector.get_map():
            for ready, _ in selector.select():
                try:
                    inbox.put(ready.fileobj.recv_bytes())
                except (EOFError, OSError):
                    # The engine notices if another process has gone before its time.
                    selector.unregister(ready.fileobj)
    inbox.put(STOP)


class Post:
    """Hands on what the workers of this process have to say."""

    def __init__(self, ways: Ways, begin: Begin, inbox: SimpleQueue, span: Span | None):
        self.ways, self.hosts, self.inbox, self.span = ways, begin.hosts, inbox, span
        self.events = [bool(node.shards) for node in begin.tree.nodes()]

    def send(self, sender: int, to: int, together: list) -> None:
        if self._host(to) == self.ways.number and not (
                self.events[to] and Down in map(type, together)):
            self.inbox.put((to, together))
            return
        data = _told(sender, to, together, self.span)
        host = self._host(receiver(data))
        with suppress(OSError):
            (self.inbox.put if host == self.ways.number else
             self.ways.others.get(host, self.ways.engine).send_bytes)(data)

    def _host(self, to: int) -> int:
        return ENGINE if to == ENGINE else self.hosts[to]


def _answers(worker: Worker, letter: bytes | tuple, span: Span | None, lending: Lending
             ) -> Iterator[Sent]:
    try:
        messages = received(letter) if isinstance(letter, bytes) else letter[1]
    except CannotTravel as error:
        failed = Failed(0, stuck([Down(None)], error, span))
        yield ENGINE, Done(worker.index, [], 0, failed)
        return
    for message in messages:
        yield from worker.receive(
            lending.looked_up(message) if isinstance(message, Lent) else message)


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


_ABOUT = {Begin: "a tag", Down: "a state", Up: "a state", Done: "an output", Events: "an event",
          Offer: "an event"}
