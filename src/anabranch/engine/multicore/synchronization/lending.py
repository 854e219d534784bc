"""The runs of pools lie once in memory that all processes of a gang see; each reads them there."""

from __future__ import annotations

import mmap
from typing import NamedTuple

from anabranch.engine.multicore.memory import Block, Memory
from anabranch.engine.multicore.packs import Packed
from anabranch.engine.multicore.synchronization.travelling import packed_run, unpacked_run
from anabranch.engine.multicore.transport import dumped, loaded
from anabranch.sync.messages import NOTHING, Offer
from anabranch.sync.plan import Tree
from anabranch.sync.pools import Claims, pools_of

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
