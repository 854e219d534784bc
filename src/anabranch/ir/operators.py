"""The core operators: what one firing does. Everything else in the API is composed of these.

A kind is a frozen description, open to analysis. `open(cells)` binds it to the cells that hold its
variables and gives the firing function: from an input port and an item to the outputs, each with
its output port. `finish` is called once, when a bounded input has ended.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import ClassVar, Protocol

from anabranch.ir.function import Function
from anabranch.ir.types import ANY, Type


class Cell:
    """The present value of a variable."""

    __slots__ = ("value",)

    def __init__(self, value: object = None):
        self.value = value


Output = tuple[int, object]
Fire = Callable[[int, object], Iterable[Output]]


class Kind:
    """What an operator is. A stateful kind owns one variable, which `start` makes."""

    label: ClassVar[str] = "operator"
    stateful: ClassVar[bool] = False

    @property
    def functions(self) -> tuple[Function, ...]:
        """The user's functions that a firing calls."""
        return ()

    def start(self) -> object:
        return None

    def open(self, cells: list[Cell]) -> Fire:
        raise TypeError(f"a {self.label} does not fire")

    def finish(self, cells: list[Cell]) -> Iterable[Output]:
        return ()


class SourceSpec(Protocol):
    """Where items come from. `items` starts anew at each call and reports bad rows to `rows`."""

    type: Type
    time: str | None

    def items(self, rows: object) -> Iterable[object]: ...


class SinkSpec(Protocol):
    """Where items go. What `open` returns has `write(item)`, `commit()` and `abort()`."""

    def open(self, item_type: Type) -> object: ...


@dataclass(frozen=True)
class Source(Kind):
    """Brings items in; `time` names the attribute by which several sources are merged."""

    label = "source"
    spec: SourceSpec | None = field(default=None, hash=False)
    time: str | None = None


@dataclass(frozen=True)
class Sink(Kind):
    """Takes items out, in order unless `ordered` is given up."""

    label = "sink"
    spec: SinkSpec | None = field(default=None, hash=False)
    ordered: bool = True


@dataclass(frozen=True)
class Map(Kind):
    """One output for each input."""

    label = "map"
    function: Function

    @property
    def functions(self):
        return (self.function,)

    def open(self, cells):
        call = self.function.call
        return lambda port, item: ((0, call(item)),)


@dataclass(frozen=True)
class Filter(Kind):
    """The input itself, or nothing."""

    label = "filter"
    function: Function

    @property
    def functions(self):
        return (self.function,)

    def open(self, cells):
        call = self.function.call
        return lambda port, item: ((0, item),) if call(item) else ()


@dataclass(frozen=True)
class FlatMap(Kind):
    """Every item of what the function gives for an input."""

    label = "flat_map"
    function: Function

    @property
    def functions(self):
        return (self.function,)

    def open(self, cells):
        call = self.function.call
        return lambda port, item: [(0, out) for out in call(item)]


@dataclass(frozen=True)
class Split(Kind):
    """The input on the port of the first predicate that holds, or on the last port."""

    label = "split"
    predicates: tuple[Function, ...]

    @property
    def functions(self):
        return self.predicates

    def open(self, cells):
        calls = [p.call for p in self.predicates]

        def fire(port, item):
            chosen = next((i for i, call in enumerate(calls) if call(item)), len(calls))
            return ((chosen, item),)
        return fire


class Keyed(Kind):
    """A kind whose variable is a map from keys to states; without `by` there is a single state."""

    stateful = True
    by: tuple[str, ...]

    def start(self) -> dict:
        return {}

    def new_state(self) -> object:
        raise NotImplementedError

    def fire_key(self, state: object, port: int, item: object) -> Iterable[Output]:
        raise NotImplementedError

    def finish_key(self, state: object) -> Iterable[Output]:
        return ()

    def keys_of(self, port: int) -> tuple[str, ...]:
        """The attributes that make the key of an item on this port."""
        return self.by

    def open(self, cells):
        states, new, fire_key = cells[0].value, self.new_state, self.fire_key
        key_of = [key_function(self.keys_of(port)) for port in range(self.ports)]

        def fire(port, item):
            key = key_of[port](item)
            state = states.get(key)
            if state is None:
                state = states[key] = new()
            return fire_key(state, port, item)
        return fire

    def finish(self, cells):
        # A dict keeps its keys in the order of their first appearance: that is our order too.
        for state in cells[0].value.values():
            yield from self.finish_key(state)

    @property
    def ports(self) -> int:
        return 1


WHOLE_ITEM = ("*",)


def key_function(attributes: tuple[str, ...]) -> Callable[[object], object]:
    """From an item to its key: its attributes, all of it for `*`, or nothing when there are none.

    >>> key_function(("*",))(7), key_function(())(7)
    (7, None)
    """
    if attributes == WHOLE_ITEM:
        return lambda item: item
    return attrgetter(*attributes) if attributes else lambda item: None


@dataclass(frozen=True)
class Apply(Keyed):
    """The user's own operator: `function(state, item)`, or `function(item)` without state."""

    label = "apply"
    function: Function
    state: type | None = None
    by: tuple[str, ...] = ()
    at_end: Function | None = None

    @property
    def stateful(self):
        return self.state is not None

    @property
    def functions(self):
        return (self.function, self.at_end) if self.at_end else (self.function,)

    def open(self, cells):
        if self.stateful:
            return super().open(cells)
        call = self.function.call
        return lambda port, item: [(0, out) for out in call(item)]

    def new_state(self):
        return self.state()

    def fire_key(self, state, port, item):
        return [(0, out) for out in self.function.call(state, item)]

    def finish(self, cells):
        return super().finish(cells) if self.at_end else ()

    def finish_key(self, state):
        return [(0, out) for out in self.at_end.call(state)]


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
                first = min(range(len(waiting)), key=lambda p: (time(waiting[p][0]), p))
                out.append((0, waiting[first].popleft()))
            return out
        return fire

    def finish(self, cells):
        if self.on is None:
            return []
        return [(0, item) for item in heapq.merge(*cells[0].value, key=attrgetter(self.on))]


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


@dataclass(frozen=True)
class Routine(Kind):
    """A function in Brooklet's own form: `(item, port, *variables) -> (lists, new values)`.

    `lists` has a list of items for each output queue, and the new values are those of the
    variables that the operator writes, in order.
    """

    label = "routine"
    function: Function
    reads: int = 0
    written: tuple[int, ...] = field(default=())

    @property
    def stateful(self):
        return bool(self.reads or self.written)

    @property
    def functions(self):
        return (self.function,)

    def open(self, cells):
        read, written = cells[:self.reads], [cells[i] for i in self.written]
        call = self.function.call

        def fire(port, item):
            lists, values = call(item, port, *(cell.value for cell in read))
            for cell, value in zip(written, values, strict=True):
                cell.value = value
            return [(p, out) for p, items in enumerate(lists) for out in items]
        return fire


@dataclass(frozen=True)
class Modelled(Kind):
    """An operator known by its declared properties alone: it can be planned, not run."""

    label = "model"
    type: Type = ANY
