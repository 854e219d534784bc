"""Kinds that make one stream of several."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from operator import attrgetter

from anabranch.ir.function import Function
from anabranch.ir.operators.kind import Kind
from anabranch.ir.times import moment


@dataclass(frozen=True)
class Union(Kind):
    """Several streams as one, in arrival order, or merged by the attribute `on`.

    Merging by `on` holds an item back until every other input has reached its time; ties go by
    port. Its result does not depend on how the inputs interleave.
    """

    label = "union"
    ports: int
    on: str | None = None

    @property
    def stateful(self):
        return self.on is not None

    def start(self):
        return [deque() for _ in range(self.ports)] if self.on else None

    def open(self, cells):
        if self.on is None:
            return lambda port, item: ((0, item),)
        waiting, time = cells[0].value, attrgetter(self.on)

        def fire(port, item):
            waiting[port].append(item)
            out = []
            while all(waiting):
                first = min(range(len(waiting)), key=lambda p: (moment(time(waiting[p][0])), p))
                out.append((0, waiting[first].popleft()))
            return out
        return fire

    def finish(self, cells):
        if self.on is None:
            return []
        time = attrgetter(self.on)
        return [(0, item) for item in heapq.merge(*cells[0].value, key=lambda i: moment(time(i)))]


@dataclass(frozen=True)
class Barrier(Kind):
    """The first items of all inputs together, then the second ones, and so on."""

    label = "barrier"
    stateful = True
    ports: int
    function: Function

    @property
    def functions(self):
        return (self.function,)

    def start(self):
        return [deque() for _ in range(self.ports)]

    def open(self, cells):
        waiting, call = cells[0].value, self.function.call

        def fire(port, item):
            waiting[port].append(item)
            return ((0, call(*(w.popleft() for w in waiting))),) if all(waiting) else ()
        return fire
