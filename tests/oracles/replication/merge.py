"""Mergers: where channels end or cross. Each states the order in which it lets items go.

Every channel is in order by itself. A merger keeps a queue for each; a new item joins its queue,
then the queues are drained as far as the merger's strategy allows.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass

from anabranch.ir.operators import Kind
from oracles.replication.stamps import NEVER, Pulse, Stamp, Stamped, at_port, successor


@dataclass(frozen=True)
class Interleave(Kind):
    """Items as they arrive: the order is not kept. Where they were `stamped` for an order that is
    kept elsewhere, their stamps end here."""

    label = "unordered_merge"
    channels: int
    stamped: bool = False

    def open(self, cells):
        if self.stamped:
            return lambda port, m: () if isinstance(m, Pulse) else ((0, m.item),)
        return lambda port, item: ((0, item),)


@dataclass(frozen=True)
class RoundRobinMerge(Kind):
    """One item of each channel in turn, as a splitter in turns gave them."""

    label = "round_robin_merge"
    stateful = True
    channels: int

    def start(self):
        return [0, [deque() for _ in range(self.channels)]]

    def open(self, cells):
        state, channels = cells[0].value, self.channels

        def fire(port, item):
            state[1][port].append(item)
            out = []
            while state[1][state[0]]:
                out.append((0, state[1][state[0]].popleft()))
                state[0] = (state[0] + 1) % channels
            return out
        return fire


class Waiting:
    """The channels' queues, the heads of those that are not empty, and the last stamp let go."""

    __slots__ = ("back", "heads", "last", "pulsed", "queues", "seen")

    def __init__(self, channels: int):
        self.queues = [deque() for _ in range(channels)]
        self.heads: list[tuple[Stamp, int]] = []
        self.last, self.pulsed = (0, -1), NEVER
        self.back = [NEVER] * channels
        self.seen = [(NEVER, channel) for channel in range(channels)]

    def add(self, channel: int, message: Stamped | Pulse) -> None:
        if not self.queues[channel]:
            heapq.heappush(self.heads, (message.stamp, channel))
        self.queues[channel].append(message)

    def note(self, channel: int, stamp: Stamp) -> None:
        """The channel has come this far."""
        if stamp != self.back[channel]:
            self.back[channel] = stamp
            heapq.heappush(self.seen, (stamp, channel))

    @property
    def least_seen(self) -> Stamp:
        """How far every channel has come, at least: the smallest of the backs of all queues."""
        while self.seen[0][0] != self.back[self.seen[0][1]]:
            heapq.heappop(self.seen)
        return self.seen[0][0]

    def take(self) -> Stamped | Pulse:
        """The message with the smallest stamp."""
        _, channel = heapq.heappop(self.heads)
        message = self.queues[channel].popleft()
        if self.queues[channel]:
            heapq.heappush(self.heads, (self.queues[channel][0].stamp, channel))
        self.last = message.stamp
        return message


@dataclass(frozen=True)
class NumberMerge(Kind):
    """Items by their numbers, which have no gaps: the next one is waited for.

    At the end of the input all that is left goes in the order of the stamps.
    """

    label = "numbered_merge"
    stateful = True
    channels: int

    def start(self):
        return Waiting(self.channels)

    def open(self, cells):
        waiting = cells[0].value

        def fire(channel, message):
            self._receive(waiting, channel, message)
            out = []
            while waiting.heads and self._ready(waiting, waiting.heads[0][0]):
                out += self._released(waiting, waiting.take())
            return out
        return fire

    def finish(self, cells):
        waiting = cells[0].value
        while waiting.heads:
            yield from self._released(waiting, waiting.take())

    def _receive(self, waiting: Waiting, channel: int, message: Stamped | Pulse) -> None:
        waiting.add(channel, message)

    def _ready(self, waiting: Waiting, stamp: Stamp) -> bool:
        return stamp == successor(waiting.last)

    def _released(self, waiting: Waiting, message: Stamped | Pulse) -> tuple:
        return () if isinstance(message, Pulse) else ((0, message.item),)


@dataclass(frozen=True)
class PulseMerge(NumberMerge):
    """Items by their stamps, which may have gaps: a stamp goes when no channel can bring a smaller.

    `repeats` says that a number may come more than once, so the next one must not go at once.
    With `keep` the stamps and one copy of each pulse stay, for the channel that begins behind a
    shuffle. `ports` gives the port of each channel where several inputs are merged into one.
    """

    label = "merge_by_stamps"
    repeats: bool = True
    keep: bool = False
    ports: tuple[int, ...] = ()

    def _receive(self, waiting, channel, message):
        if self.ports and not isinstance(message, Pulse):
            port = self.ports[channel]
            message = Stamped(at_port(message.stamp, port), message.item, port)
        waiting.note(channel, message.stamp)
        waiting.add(channel, message)

    def _ready(self, waiting, stamp):
        next_one = waiting.last if self.repeats else successor(waiting.last)
        return stamp <= next_one or stamp <= waiting.least_seen

    def _released(self, waiting, message):
        if not self.keep:
            return super()._released(waiting, message)
        if not isinstance(message, Pulse):
            return ((0, message),)
        if message.stamp <= waiting.pulsed:
            return ()
        waiting.pulsed = message.stamp
        return ((0, message),)
