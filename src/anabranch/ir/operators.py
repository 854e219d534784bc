"""The core operators, each a frozen description that is open to analysis.

Everything else in the API is composed of these; windows, joins and operators whose state can be
forked have modules of their own.

`open(cells)` binds a kind to the cells that hold its variables and gives the firing function: from
an input port and an item to the outputs, each with its output port. `finish` is called once, when a
bounded input has ended.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import ClassVar, Protocol

from anabranch.core.source import Span
from anabranch.ir.ends import SinkSpec, SourceSpec, declared_sink, declared_source
from anabranch.ir.function import Function
from anabranch.ir.keys import NAN, canonical, state_of
from anabranch.ir.records import State
from anabranch.ir.times import Heartbeats, moment
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
    form: CompiledForm | FormChoice | None = None

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


@dataclass(frozen=True)
class Source(Kind):
    """Brings items in; `time` names the attribute by which several sources are merged, and
    `heartbeats` says what the source promises while it sends nothing. What knows the program as a
    `whole` may be found at any of its sources: see `plan.logical.whole`."""

    label = "source"
    spec: SourceSpec | None = field(default=None, hash=False)
    time: str | None = None
    heartbeats: Heartbeats | None = None
    whole: object | None = field(default=None, compare=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "spec", declared_source(self.spec))


@dataclass(frozen=True)
class Sink(Kind):
    """Takes items out, in order unless `ordered` is given up."""

    label = "sink"
    spec: SinkSpec | None = field(default=None, hash=False)
    ordered: bool = True

    def __post_init__(self):
        object.__setattr__(self, "spec", declared_sink(self.spec))


@dataclass(frozen=True)
class PerItem(Kind):
    """A kind that is one function of the item."""

    function: Function

    @property
    def functions(self):
        return (self.function,)


class Map(PerItem):
    """One output for each input."""

    label = "map"

    def open(self, cells):
        call = self.function.call
        return lambda port, item: ((0, call(item)),)


class Filter(PerItem):
    """The input itself, or nothing."""

    label = "filter"

    def open(self, cells):
        call = self.function.call
        return lambda port, item: ((0, item),) if call(item) else ()


class CompiledForm(Protocol):
    """Another form of an operator's function, in machine code that a language makes of it, and
    which gives the same: it reads so many bytes in all, may have been compiled before, and is
    `warm` once it is compiled here. Or there is none, and `why_not` says why."""

    why_not: str
    span: Span | None

    @property
    def function(self) -> Function: ...

    def size(self) -> int: ...

    def is_saved(self) -> bool: ...

    def warm(self) -> None: ...


@dataclass(frozen=True)
class FormChoice:
    """What a physical plan says of a compiled form: it is taken, or `why_not`."""

    why_not: str = ""
    span: Span | None = None
    warm: Callable[[], None] | None = field(default=None, compare=False, repr=False)

    def __reduce__(self):
        # Where a program travels to, what was compiled is found on the disk.
        return FormChoice, (self.why_not, self.span)


@dataclass(frozen=True)
class FlatMap(PerItem):
    """Every item of what the function gives for an input; it may have a compiled form."""

    label = "flat_map"
    form: CompiledForm | FormChoice | None = field(default=None, compare=False, repr=False)

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
        """The state of a key that was not seen before; every kind has its own."""
        raise NotImplementedError

    def fire_key(self, state: object, port: int, item: object) -> Iterable[Output]:
        """One firing with the state of the item's key; every kind has its own."""
        raise NotImplementedError

    def finish_key(self, state: object, key: Hashable) -> Iterable[Output]:
        return ()

    def keys_of(self, port: int) -> tuple[str, ...]:
        """The attributes that make the key of an item on this port."""
        return self.by

    def open(self, cells):
        states, new, fire_key = cells[0].value, self.new_state, self.fire_key
        key_of = [attributes_of(self.keys_of(port)) for port in range(self.ports)]

        def fire(port, item):
            key = key_of[port](item)
            state = states.get(key)
            if state is None:
                state = state_of(states, key, new)
            return fire_key(state, port, item)
        return fire

    def finish(self, cells):
        # A dict keeps its keys in the order of their first appearance: that is our order too.
        for key, state in cells[0].value.items():
            yield from self.finish_key(state, key)

    @property
    def ports(self) -> int:
        return 1


WHOLE_ITEM = ("*",)


def key_function(attributes: tuple[str, ...]) -> Callable[[object], object]:
    """From an item to its key.

    >>> key_function(("*",))(7), key_function(())(7)
    (7, None)
    """
    found = attributes_of(attributes)
    return lambda item: canonical(found(item))


def attributes_of(attributes: tuple[str, ...]) -> Callable[[object], object]:
    """From an item to what its key is made of: its attributes, all of it for `*`, or nothing when
    there are none. As it comes it need not be the key, but `state_of` finds the key's state."""
    if attributes == WHOLE_ITEM:
        return lambda item: item
    return attrgetter(*attributes) if attributes else lambda item: None


class Head(State):
    """What `head` remembers; a class derived from it says how many items it gives at `most`."""

    given: int = 0
    most = 0


@dataclass(frozen=True)
class Apply(Keyed):
    """The user's own operator: `function(state, item)`, or `function(item)` without state.

    At the end `at_end(state)` is called for each key, or `at_end(state, key)` with a record of the
    class `key`, if there is one.
    """

    label = "apply"
    function: Function
    state: type | None = None
    by: tuple[str, ...] = ()
    at_end: Function | None = None
    key: type | None = field(default=None, compare=False)

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

    def finish_key(self, state, key):
        given = () if self.key is None else (self.key_item(key),)
        return [(0, out) for out in self.at_end.call(state, *given)]

    def key_item(self, key: Hashable) -> object:
        """The record of a key that `at_end` is given."""
        return self.key(*_own_values(key, self.by))


def _own_values(key: Hashable, by: tuple[str, ...]) -> list[object]:
    """The values of the attributes of which a key is made, as they came first."""
    values = key if len(by) > 1 else (key,)
    return [math.nan if value is NAN or value == NAN else value for value in values]


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
class RatedRoutine(Routine):
    """A routine that holds its items back until a firing has all that it takes and looks at.

    Without variables a firing takes one item, at once. A firing `sees` its items, an item brings
    `gives` outputs (the fewest and the most; None when there is no most), and `keeps` says why
    firings depend on earlier ones, if they do, and where. One that `passes` gives what it takes.
    """

    label = "actor"
    sees: str = ""
    gives: tuple[int, int | None] = (0, None)
    keeps: tuple[str, Span | None] | None = None
    passes: bool = False


@dataclass(frozen=True)
class Modelled(Kind):
    """An operator known by its declared properties alone: it can be planned, not run."""

    label = "model"
    type: Type = ANY


@dataclass(frozen=True)
class Fused(Kind):
    """A straight line of operators `parts`; its cells are those of its parts, one after another.

    `known` is what the analysis knew of the parts together when they were fused.

    >>> from anabranch.ir.function import Function
    >>> from anabranch.ir.graph import Operator
    >>> from anabranch.ir.operators import Filter, Map
    >>> double = Operator("double", Map(Function.of(lambda n: n * 2)), ("a",), ("b",))
    >>> small = Operator("small", Filter(Function.of(lambda n: n < 5)), ("b",), ("c",))
    >>> fire = Fused((double, small)).open([])
    >>> [list(fire(0, n)) for n in (1, 2, 3)]
    [[(0, 2)], [(0, 4)], []]
    """

    label = "fused"
    parts: tuple
    known: object = field(default=None, compare=False)

    @property
    def stateful(self):
        return any(part.variables for part in self.parts)

    @property
    def functions(self):
        return tuple(f for part in self.parts for f in part.kind.functions)

    def open(self, cells):
        fires = [part.kind.open(own) for part, own in self._with_cells(cells)]
        return lambda port, item: _through(fires, [(port, item)])

    def finish(self, cells):
        """Each part in turn; what it emits still passes the parts behind it."""
        owned = self._with_cells(cells)
        fires = [part.kind.open(own) for part, own in owned]
        for index, (part, own) in enumerate(owned):
            yield from _through(fires[index + 1:], part.kind.finish(own))

    def _with_cells(self, cells: list[Cell]) -> list:
        owned, start = [], 0
        for part in self.parts:
            owned.append((part, cells[start:start + len(part.variables)]))
            start += len(part.variables)
        return owned


def _through(fires: list[Fire], outputs) -> list[Output]:
    for fire in fires:
        outputs = [out for _, item in outputs for out in fire(0, item)]
    return list(outputs)
