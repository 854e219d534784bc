"""Splitters: where channels begin or cross. Each states what it adds to the items it routes."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.ir.operators import Kind
from anabranch.plan.logical.plan import Routing
from oracles.replication.routing import Turn, channel_of
from oracles.replication.stamps import (
    ENDED,
    NEVER,
    Pulse,
    Stamped,
    is_final,
    numbered,
)


class SplitState:
    """Whose turn it is, the next number, and the stamp last seen with how often it came."""

    __slots__ = ("last", "number", "repeats", "turn")

    def __init__(self):
        self.turn, self.number, self.last, self.repeats = Turn(), 0, NEVER, 0


@dataclass(frozen=True)
class Split(Kind):
    """Routes items as they are: order is implied by turns, or not kept."""

    label = "split"
    stateful = True
    routing: Routing
    degree: int

    def start(self):
        return SplitState()

    def open(self, cells):
        state, channel = cells[0].value, channel_of(self.routing, self.degree)
        return lambda port, item: ((channel(state.turn, item), item),)

    def _to_all(self, pulse: Pulse) -> list:
        return [(channel, pulse) for channel in range(self.degree)]


@dataclass(frozen=True)
class NumberingSplit(Split):
    """Routes items and numbers them; after every `epoch` items a pulse goes to all channels.

    A pulse takes a number of its own. Without an epoch there are no pulses.
    """

    label = "numbering_split"
    epoch: int | None = None

    def open(self, cells):
        state, channel = cells[0].value, channel_of(self.routing, self.degree)

        def fire(port, item):
            stamped = Stamped(self._next(state), item)
            outputs = [(channel(state.turn, item), stamped)]
            state.repeats += 1
            if state.repeats == self.epoch:
                state.repeats = 0
                outputs += self._to_all(Pulse(self._next(state)))
            return outputs
        return fire

    def finish(self, cells):
        return self._to_all(Pulse(ENDED)) if self.epoch else ()

    @staticmethod
    def _next(state: SplitState) -> tuple:
        state.number += 1
        return numbered(state.number - 1)


@dataclass(frozen=True)
class PassingSplit(Split):
    """Routes items that have stamps already, and passes each pulse on to all channels.

    Items with the same stamp go apart here, so each is told its place among them: always at the
    end of the input, before only when `repeats` says that numbers may repeat.
    """

    label = "passing_split"
    repeats: bool = True

    def open(self, cells):
        state, channel = cells[0].value, channel_of(self.routing, self.degree)

        def fire(port, message):
            if isinstance(message, Pulse):
                return self._to_all(message)
            stamped = Stamped(self._told_apart(state, message.stamp), message.item)
            return ((channel(state.turn, message.item), stamped),)
        return fire

    def _told_apart(self, state: SplitState, stamp: tuple) -> tuple:
        if not (self.repeats or is_final(stamp)):
            return stamp
        state.repeats = state.repeats + 1 if stamp == state.last else 0
        state.last = stamp
        return (*stamp, state.repeats)


@dataclass(frozen=True)
class Clock(Kind):
    """Stamps the items of all sources by one count, and pulses on all outputs every `epoch`."""

    label = "clock"
    stateful = True
    sources: int
    epoch: int = 1

    def start(self):
        return SplitState()

    def open(self, cells):
        state = cells[0].value

        def fire(port, item):
            outputs = [(port, Stamped(numbered(state.number), item))]
            state.number += 1
            if state.number % self.epoch == 0:
                outputs += self._pulses(numbered(state.number))
            return outputs
        return fire

    def finish(self, cells):
        return self._pulses(ENDED)

    def _pulses(self, stamp: tuple) -> list:
        return [(port, Pulse(stamp)) for port in range(self.sources)]
