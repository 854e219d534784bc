"""How the periods of a run are cut into blocks, and how often actors fire in each period."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anabranch.sdf.firings import firings
from anabranch.sdf.schedule import Schedule


@dataclass(frozen=True)
class Blocks:
    """`periods` in all, `size` of them in a block; block 0 has what happens before them. Without
    `capped` a file decides when the run ends."""

    periods: int
    size: int
    capped: bool

    def first(self, block: int) -> int:
        """The number of periods before a block."""
        return max(0, block - 1) * self.size

    def count(self, block: int) -> int:
        return min(self.size, self.periods - self.first(block)) if block else 0

    @property
    def number(self) -> int:
        return 1 + -(-self.periods // self.size)


def to_the_end(schedule: Schedule, lengths: dict[str, int]) -> int:
    """How many periods the longest of the files needs."""
    most = 0
    for index, actor in enumerate(schedule.flow.actors):
        if actor.name in lengths:
            rest = lengths[actor.name] - schedule.before[index]
            most = max(most, -(-rest // schedule.period[index]))
    return most


def shares_of(schedule: Schedule, blocks: Blocks, lengths: dict[str, int],
              block: int) -> dict[int, np.ndarray]:
    """How often each actor fires in each period of a block, when the files have these lengths."""
    first = blocks.first(block)
    done = np.arange(first, first + blocks.count(block) + 1)
    flow, starts = schedule.flow, {}
    for index, actor in enumerate(flow.actors):
        if flow.is_start(index):
            told = schedule.before[index] + done * schedule.period[index]
            starts[index] = np.minimum(told, lengths.get(actor.name, told))
    most = {index: schedule.most(index, blocks.periods)
            for index in range(len(flow.actors))} if blocks.capped else {}
    found = firings(flow, starts, most=most)
    return {index: counts if block == 0 else np.diff(counts) for index, counts in found.items()}
