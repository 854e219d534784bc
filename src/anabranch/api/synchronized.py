"""Synchronized operators: state that can be forked, for programs that keys cannot split.

>>> class Sum(State):
...     total: int = 0
>>> @synchronized(tag=lambda n: "end" if n < 0 else "value", depends=lambda a, b: "end" in (a, b))
... def sums(state: Sum, n: int):
...     if n < 0:
...         yield state.total
...     state.total = 0 if n < 0 else state.total + n
>>> @sums.fork
... def halves(state, left, right):
...     return Sum(state.total), Sum()
>>> @sums.join
... def added(one, other):
...     return Sum(one.total + other.total)
>>> from anabranch.api.sources import from_iterable
>>> from_iterable([1, 2, -1, 5, -1], int).apply(sums).collect()
[3, 5]
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from anabranch.analysis.typing.inference import infer_result
from anabranch.api.declared import as_tuple
from anabranch.api.operator import OperatorDefinition, hints
from anabranch.api.synchronized_settings import (
    checked_below,
    checked_number,
    checked_parts,
    rates_of,
    refuse_misfits,
    shards_of,
    states_of,
    written,
)
from anabranch.errors import DataError, ProgramError
from anabranch.ir.function import Function
from anabranch.ir.operators import Apply
from anabranch.ir.records import State
from anabranch.ir.synchronized import Fork, Join, Synchronized
from anabranch.ir.types import INT, TIMESTAMP, ListOf, Type, fields_of
from anabranch.source import Span, caller_span
from anabranch.sync.plan import Shard, Tree


class SynchronizedDefinition(OperatorDefinition):
    """An operator that streams can `apply`, as soon as it has a `fork` and a `join`."""

    def __init__(self, call: Callable, by: tuple[str, ...], declared: dict, span: Span,
                 tag: Function, depends: Function, **settings):
        super().__init__(call, by, declared, span)
        self.tag, self.depends, self.settings = tag, depends, settings
        self.forks: list[Fork] = []
        self.joins: list[Join] = []
        if self.state is None:
            raise ProgramError(f"{self.__name__} has no state to fork", span,
                               help=f"write def {self.__name__}(state: MyState, event): ...")

    def fork(self, call: Callable) -> Callable:
        """Registers how a state is forked: `call(state, left, right)` gives a tuple of two states;
        `left(tag)` and `right(tag)` tell which events each of them will be given."""
        span = caller_span()
        forked, whole = written(call, span, "fork", takes=3), self._typed(call, 0)
        parts = typing.get_args(hints(call).get("return")) or (whole, whole)
        self.forks.append(Fork(forked, whole, checked_parts(parts, span)))
        return call

    def join(self, call: Callable) -> Callable:
        """Registers how two states are joined: `call(left, right)` gives one state."""
        joined = written(call, caller_span(), "join", takes=2)
        whole = hints(call).get("return") or self.state
        self.joins.append(Join(joined, (self._typed(call, 0), self._typed(call, 1)), whole))
        return call

    def kind(self) -> Synchronized:
        for missing, known in (("fork", self.forks), ("join", self.joins)):
            if not known:
                raise ProgramError(f"{self.__name__} has no {missing}", self.span,
                                   help=f"register a function with @{self.__name__}.{missing}")
        own = super().kind()
        made = Synchronized(own.function, own.state, own.by, own.at_end, self.tag, self.depends,
                            tuple(self.forks), tuple(self.joins), **self.settings)
        refuse_misfits(made, self.__name__, self.span)
        return made

    def check_tag_of(self, item: Type) -> None:
        """Refuses a tag that items of this type have not."""
        tag = infer_result(self.tag, [item])
        if isinstance(tag, ListOf):
            raise ProgramError("a tag must be a value that can be the key of a dictionary",
                               self.tag.span, got=str(tag))

    def _typed(self, call: Callable, position: int) -> type:
        name = list(inspect.signature(call).parameters)[position]
        return hints(call).get(name) or self.state


def synchronized(*, tag: Callable, depends: Callable, by: str | Iterable[str] | None = None,
                 tags: Iterable | Mapping[object, float] = (),
                 states: Mapping[type, Callable | None] | None = None, plan: Tree | None = None,
                 optimizer: str = "cost", **declared
                 ) -> Callable[[Callable], SynchronizedDefinition]:
    """Makes an operator of `update(state, event)`, whose state can be forked and joined.

    `tag(event)` says of which kind an event is; `depends(a, b)` whether events of two tags must
    keep their order. With `by` there is a state for each key, and events of different keys never
    depend on each other. `tags` may name the tags beforehand, with their rates; `states` further
    types of state with the tags they can take; `plan` the tree of workers (see `worker`). Other
    properties may be declared as those of any operator.
    """
    span = caller_span()
    tag_of, depend = written(tag, span, "tag"), written(depends, span, "depends", takes=2)
    rates = rates_of(tags, span)

    def define(call: Callable) -> SynchronizedDefinition:
        made = SynchronizedDefinition(call, as_tuple(by), declared, span, tag_of, depend,
                                      tags=rates, tree=plan, optimizer=optimizer)
        made.settings["states"] = states_of(made.state, states, span)
        return made
    return define


def worker(*tags: object, below: tuple[Tree, Tree] | tuple[()] = ()) -> Tree:
    """A worker of a plan with the tags that it takes, and the two workers below it, if any.

    `shard(tag, n)` stands for the part number `n` of the events of a tag.
    """
    span = caller_span()
    return Tree(shards_of(tags, span), checked_below(below, span))


def shard(tag: object, number: int) -> Shard:
    """The part number `number` of the events of a tag that do not depend on each other."""
    return Shard(tag, checked_number(number, caller_span()))


class Reals(State):
    """The time of the last item, if there was one."""

    last: float | None = None


class Numbers(State):
    """The same for times that are whole numbers."""

    last: int | None = None


class Moments(State):
    """The same for dates."""

    last: datetime | None = None


CLOCKS = {INT: Numbers, TIMESTAMP: Moments}


def in_order_of(attribute: str, item: Type, span: Span) -> Apply:
    """An operator that passes items on, as long as their times do not go back."""
    text = IN_ORDER.replace("TIME", attribute)
    made = Function.defined(text, "in_order", {"DataError": DataError}, span)
    return Apply(made, CLOCKS.get((fields_of(item) or {}).get(attribute), Reals))


IN_ORDER = """\
def in_order(state, item):
    if state.last is not None and item.TIME < state.last:
        raise DataError("the time goes back: TIME is {} after {}".format(item.TIME, state.last),
                        help="sort the input by TIME")
    state.last = item.TIME
    yield item
"""
