"""Messages of a synchronization plan as bytes; runs of records travel as columns.

The runs of pools lie once in memory that all processes of a gang see; each reads them there.
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from anabranch.batch.memory import Block, Memory
from anabranch.batch.packs import Packed
from anabranch.batch.transport import dumped, loaded, packed, unpacked
from anabranch.plan.sync.plan import Tree
from anabranch.runtime.gang.messages import NOTHING, Done, Events, Offer, Run
from anabranch.runtime.gang.outputs import in_one
from anabranch.runtime.gang.routing import Claims, pools_of


def sendable(to: int, messages: Sequence[object]) -> bytes:
    """The messages to a worker as bytes; `CannotTravel` when one holds something that has no such
    form."""
    parts = dumped([_PACKED.get(type(m), _as_is)(m) for m in messages])
    return b"".join([to.to_bytes(8, "little", signed=True), *parts])


def receiver(data: bytes) -> int:
    """Whom the messages are for."""
    return int.from_bytes(data[:8], "little", signed=True)


def received(data: bytes) -> list[object]:
    return [_UNPACKED[kind](*parts) for kind, *parts in loaded(memoryview(data)[8:])]


def by_receiver(sent: Iterable[tuple[int, object]]) -> dict[int, list[object]]:
    """The messages for each, in order: many that travel together cost little more than one.

    >>> by_receiver([(1, "a"), (2, "b"), (1, "c")])
    {1: ['a', 'c'], 2: ['b']}
    """
    found: dict[int, list[object]] = {}
    for to, message in sent:
        found.setdefault(to, []).append(message)
    return found


def _as_is(message: object) -> tuple:
    return "message", message


def packed_run(run: Run) -> tuple:
    stamps = array("q", run.stamps) if isinstance(run.stamps, list) else run.stamps
    return stamps, packed(run.items)


def unpacked_run(stamps, pack: tuple) -> Run:
    return Run(stamps, unpacked(pack))


_PACKED = {
    Events: lambda m: ("events", m.shard, packed_run(m.run), m.until),
    Done: lambda m: ("done", m.worker, packed_run(in_one(m.outputs)), m.until, m.failure,
                     m.seconds),
}
_UNPACKED = {
    "message": lambda message: message,
    "events": lambda shard, run, until: Events(shard, unpacked_run(*run), until),
    "done": lambda worker, run, *others: Done(worker, [unpacked_run(*run)], *others),
}


MOST_POOLS = 64
"""The tags of more are dealt out in turn."""


class Lent(NamedTuple):
    """An offer on its way: where its run lies, if it has one."""

    pool: int
    block: Block | None
    until: int


class Lending:
    """Made before the processes are forked; the engine lends, and they look."""

    def __init__(self, lock):
        self.memory, self.lock = Memory(0), lock
        self.before = memoryview(mmap.mmap(-1, 8 * MOST_POOLS)).cast("q")

    def claims(self, tree: Tree) -> Claims:
        """What is taken of the pools of a plan, by whichever process."""
        return Claims(pools_of(tree, MOST_POOLS), self.before, self.lock)

    def lend(self, offer: Offer, known: dict[int, Packed]) -> Lent:
        """Stores a run once: those that are `known` already lie somewhere, for as long as somebody
        holds what is known."""
        run = offer.run
        if not len(run):
            return Lent(offer.pool, None, offer.until)
        if id(run) not in known:
            block = self.memory.stored(*dumped(packed_run(run)))
            known[id(run)] = Packed(self.memory, block, len(run))
        return Lent(offer.pool, known[id(run)].block, offer.until)

    def looked_up(self, lent: Lent) -> Offer:
        """The offer with its run, which stays where it is: a copy would be new memory, and to
        touch a page of that for the first time costs as much as to work off some events."""
        run = NOTHING if lent.block is None else unpacked_run(
            *loaded(self.memory.view(Block(*lent.block)), in_place=True))
        return Offer(lent.pool, run, lent.until)

    def close(self) -> None:
        self.memory.close()
