"""A gang in processes: one for each leaf of the plan, a few for those above.

Those above have little to do. Events of a pool lie in memory that all processes see.

Before an event that needs the whole state, that goes up the plan step by step, and down again, and
all wait meanwhile: so it does not pass through the engine, which has other work to do. The process
of the root, where all workers above the leaves are as long as they are few, has a way to each
other. The engine hands on unread what has no such way.
"""

from __future__ import annotations

import itertools
import multiprocessing
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress

from anabranch.batch.transport import CannotTravel, number_classes
from anabranch.core.errors import RunError
from anabranch.core.threads import start_process, start_thread
from anabranch.engine.multicore.gangs.child import Begin, Ways, live, stuck
from anabranch.engine.multicore.gangs.threads import Hear
from anabranch.ir.synchronization import Synchronized
from anabranch.plan.sync.plan import Tree
from anabranch.plan.sync.program import Program
from anabranch.runtime.gang.messages import Done, Message, Offer
from anabranch.runtime.gang.travel import Lending, Lent, by_receiver, received, receiver, sendable
from anabranch.runtime.gang.updates import Updates
from anabranch.runtime.gang.worker import ENGINE

INNER = 16
"""So many workers with others below them share a process: they only fork and join, mostly."""


class Processes:
    """Processes for the workers, forked before there are threads; the plan comes later."""

    def __init__(self, kind: Synchronized, updates: Sequence[Updates], leaves: int):
        number_classes()
        self.span = kind.function.span
        self.leaves, self.others = leaves, -(-(leaves - 1) // INNER)
        pipes = [multiprocessing.Pipe() for _ in range(self.leaves + self.others)]
        between = {n: multiprocessing.Pipe() for n in range(len(pipes)) if n != leaves}
        self.connections = [ours for ours, _ in pipes]
        self.locks = [threading.Lock() for _ in pipes]
        self.lending = Lending(multiprocessing.get_context("fork").Lock())
        everyone = [end for pipe in (*pipes, *between.values()) for end in pipe]
        ways = [Ways(n, theirs, _ways(n, leaves, between)) for n, (_, theirs) in enumerate(pipes)]
        self.processes = [start_process(live, kind, updates, own, self.lending, everyone)
                          for own in ways]
        for end in everyone:
            if end not in self.connections:
                end.close()
        self.closing = False
        self.hosts: list[int] = []
        self.threads: list[threading.Thread] = []

    def begin(self, program: Program, tree: Tree, hear: Hear) -> Processes:
        """Gives the workers their places in the plan."""
        self.hear, self.hosts = hear, hosts(tree, self.leaves, self.others)
        self.pools = self.lending.claims(tree).pools
        told = self._as_bytes(ENGINE, [Begin(program.split, tree, self.hosts)])
        for number in sorted(set(self.hosts)):
            self._send(number, told)
            self.threads.append(start_thread(self._listen, number, name=f"plan {number}"))
        return self

    def post(self, messages: Iterable[tuple[int, Message]]) -> object:
        """Gives what must be held as long as a worker may still look at the events."""
        lent: dict = {}
        for to, together in by_receiver(messages).items():
            self._send(self.hosts[to], self._as_bytes(to, [
                self._lent(m, lent) if isinstance(m, Offer) else m for m in together]))
        return lent

    def close(self) -> None:
        """Ends the processes; it is no loss if one is at work."""
        self.closing = True
        for process in self.processes:
            process.terminate()
        for process, connection in zip(self.processes, self.connections):
            process.join()
            connection.close()
        self.lending.close()

    def _lent(self, offer: Offer, known: dict) -> Lent:
        try:
            return self.lending.lend(offer, known)
        except CannotTravel as error:
            raise stuck([offer], error, self.span) from error

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

    >>> from anabranch.plan.sync.plan import leaf
    >>> hosts(Tree(frozenset(), (leaf(), Tree(frozenset(), (leaf(), leaf())))), 3, 1)
    [3, 0, 3, 1, 2]
    """
    of_leaf = itertools.cycle(range(leaves))
    of_other = itertools.cycle(range(leaves, leaves + others))
    return [next(of_other if node.children else of_leaf) for node in tree.nodes()]


def _ways(number: int, center: int, between: dict[int, tuple]) -> dict:
    """The ends of a process, of the pipes between the one in the center and each other."""
    if number == center:
        return {other: end for other, (end, _) in between.items()}
    return {center: between[number][1]}
