"""Synchronized operators: forked state, for programs that keys cannot split.

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

What `synchronized`, `worker` and `shard` are given is checked at the user's line.
"""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any, Protocol, TypeVar, Unpack

from anabranch.analysis.syntax import Missing, syntax_of
from anabranch.analysis.typing.inference import infer_result
from anabranch.api.arguments import Declared, as_tuple, function
from anabranch.api.operator import AtEnd, In, Memory, OperatorDefinition, Out, hints
from anabranch.core.errors import DataError, ProgramError, did_you_mean
from anabranch.core.source import Span, caller_span
from anabranch.ir.function import Function
from anabranch.ir.operators import Apply
from anabranch.ir.records import State
from anabranch.ir.synchronization import Fork, Join, StateType, Synchronized
from anabranch.ir.types import ANY, INT, TIMESTAMP, ListOf, Type, fields_of
from anabranch.plan.sync.optimizers import OPTIMIZERS, with_others
from anabranch.plan.sync.plan import Shard, Tree, validated, validated_types
from anabranch.plan.sync.program import Program

Told = Callable[[Any], bool]
"""What a fork is told of the events that one of its parts will be given."""
Parts = TypeVar("Parts", bound=tuple[State, State])
Whole = TypeVar("Whole", bound=State)


class SynchronizedDefinition(OperatorDefinition[In, Out]):
    """An operator that streams can `apply`, as soon as it has a `fork` and a `join`."""

    def __init__(self, call: Callable[..., Iterable[Out]], by: tuple[str, ...],
                 declared: Mapping[str, object], span: Span, tag: Function, depends: Function,
                 **settings: Any) -> None:
        super().__init__(call, by, declared, span)
        self.tag, self.depends, self.settings = tag, depends, settings
        self.forks: list[Fork] = []
        self.joins: list[Join] = []
        if self.state is None:
            raise ProgramError(f"{self.__name__} has no state to fork", span,
                               help=f"write def {self.__name__}(state: MyState, event): ...")

    def at_end(self, call: AtEnd) -> AtEnd:
        """Registers what to emit when the input has ended: `call(state)`, once for each key."""
        written(call, caller_span(), "at_end")
        return super().at_end(call)

    def fork(self, call: Callable[[Any, Told, Told], Parts]) -> Callable[[Any, Told, Told], Parts]:
        """Registers how a state is forked: `call(state, left, right)` gives a tuple of two states;
        `left(tag)` and `right(tag)` tell which events each of them will be given."""
        span = caller_span()
        forked, whole = written(call, span, "fork", takes=3), self._typed(call, 0)
        parts = typing.get_args(hints(call).get("return")) or (whole, whole)
        self.forks.append(Fork(forked, whole, checked_parts(parts, span)))
        return call

    def join(self, call: Callable[[Any, Any], Whole]) -> Callable[[Any, Any], Whole]:
        """Registers how two states are joined: `call(left, right)` gives one state."""
        joined = written(call, caller_span(), "join", takes=2)
        whole = hints(call).get("return") or self.state
        self.joins.append(Join(joined, (self._typed(call, 0), self._typed(call, 1)), whole))
        return call

    def kind(self, item: Type = ANY) -> Synchronized:
        for missing, known in (("fork", self.forks), ("join", self.joins)):
            if not known:
                raise ProgramError(f"{self.__name__} has no {missing}", self.span,
                                   help=f"register a function with @{self.__name__}.{missing}")
        own = super().kind(item)
        made = Synchronized(own.function, own.state, own.by, own.at_end, None, self.tag,
                            self.depends, tuple(self.forks), tuple(self.joins), **self.settings)
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


class MakesSynchronized(Protocol):
    """`@ab.synchronized(...)`, before it has its function."""

    def __call__(self, call: Callable[[Memory, In], Iterable[Out]], /
                 ) -> SynchronizedDefinition[In, Out]: ...


def synchronized(*, tag: Callable[[Any], object], depends: Callable[[Any, Any], object],
                 by: str | Iterable[str] | None = None,
                 tags: Iterable[object] | Mapping[Any, float] = (),
                 states: Mapping[type, Callable[[Any], object] | None] | None = None,
                 plan: Tree | None = None, optimizer: str = "cost", **declared: Unpack[Declared]
                 ) -> MakesSynchronized:
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

    def define(call: Callable[..., Any]) -> SynchronizedDefinition[Any, Any]:
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


Rates = tuple[tuple[object, float | None], ...]


def written(call: object, span: Span, what: str, takes: int = 1) -> Function:
    """A user's function, with the lines where it is written rather than those where it is named."""
    made, syntax = function(call, span, what, takes), syntax_of(call)
    return made if isinstance(syntax, Missing) else replace(made, span=syntax.span)


def rates_of(tags: Iterable | Mapping[object, float], span: Span) -> Rates:
    """The tags with their rates, None where they are not told."""
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise ProgramError("tags names several tags", span, got=repr(tags),
                           expected="a list of tags, or a dict of their rates")
    rates = tuple(tags.items()) if isinstance(tags, Mapping) else tuple((t, None) for t in tags)
    for tag, rate in rates:
        if rate is not None and not _is_rate(rate):
            raise ProgramError(f"the rate of {tag!r} is not a number above 0", span, got=repr(rate))
    checked_tags([tag for tag, _ in rates], span)
    return rates


def _is_rate(rate: object) -> bool:
    return isinstance(rate, (int, float)) and math.isfinite(rate) and rate > 0


def checked_tags(tags: Iterable[object], span: Span) -> None:
    for tag in tags:
        try:
            hash(tag)
        except TypeError:
            raise ProgramError("a tag must be a value that can be the key of a dictionary", span,
                               got=repr(tag)) from None


def states_of(first: type, others: Mapping[type, Callable | None] | None, span: Span
              ) -> tuple[StateType, ...]:
    """All types of state, with what each can take."""
    if not isinstance(others or {}, Mapping):
        raise ProgramError("states says which tags each type of state can take", span,
                           expected="a dict from types to functions of a tag", got=repr(others))
    for state in others or {}:
        if not (isinstance(state, type) and issubclass(state, State)):
            raise ProgramError("a type of state is a class derived from State", span,
                               got=repr(state))
    handled = (StateType(state, handles and function(handles, span, "states"))
               for state, handles in (others or {}).items() if state is not first)
    return (StateType(first), *handled)


def checked_parts(parts: tuple, span: Span) -> tuple:
    if len(parts) != 2 or not all(isinstance(part, type) for part in parts):
        raise ProgramError("a fork gives two states", span, expected="tuple[A, B] as its result",
                           got=", ".join(getattr(p, "__name__", repr(p)) for p in parts))
    return parts


def checked_below(below: object, span: Span) -> tuple[Tree, ...]:
    """The workers below another: none or two."""
    many = tuple(below) if isinstance(below, Sequence) else (below,)
    if len(many) not in (0, 2) or not all(isinstance(one, Tree) for one in many):
        told = str(len(many)) if all(isinstance(one, Tree) for one in many) else repr(below)
        raise ProgramError("a worker has none or two workers below it", span, got=told)
    return many


def checked_number(number: object, span: Span) -> int:
    if not isinstance(number, int) or number < 0:
        raise ProgramError("shards are numbered from 0 on", span, got=repr(number))
    return number


def shards_of(tags: Iterable[Hashable], span: Span) -> frozenset[Shard]:
    shards = [tag if isinstance(tag, Shard) else Shard(tag) for tag in tags]
    checked_tags([shard.tag for shard in shards], span)
    return frozenset(shards)


def refuse_misfits(kind: Synchronized, name: str, span: Span) -> None:
    """Refuses forks, joins and plans that do not fit the operator or each other."""
    _refuse_rivals(kind)
    validated_types(Program(kind))
    if kind.optimizer not in OPTIMIZERS:
        raise ProgramError(f"no optimizer is called '{kind.optimizer}'", span,
                           help=did_you_mean(str(kind.optimizer), OPTIMIZERS))
    if kind.tree is not None:
        _refuse_wrong_plan(kind, name, span)


def _refuse_rivals(kind: Synchronized) -> None:
    """Of two forks for the same states, nobody could say which is meant."""
    known: set = set()
    for one in chain(kind.forks, kind.joins):
        takes = (type(one), one.whole if isinstance(one, Fork) else one.parts)
        if takes in known:
            raise ProgramError(f"two {_plural(one)} take the same states", one.function.span,
                               help="the types of their arguments tell them apart")
        known.add(takes)


def _plural(one: Fork | Join) -> str:
    return f"{type(one).__name__.lower()}s"


def _refuse_wrong_plan(kind: Synchronized, name: str, span: Span) -> None:
    if not isinstance(kind.tree, Tree):
        raise ProgramError("a plan is a worker, with others below it", span, got=repr(kind.tree),
                           help="make it with ab.worker")
    if kind.by:
        raise ProgramError(f"{name} has a state for each key, and a plan for one", span,
                           help="leave out plan=: keys that come often are split by themselves")
    tree = with_others(kind.tree)
    taken = {shard.tag for shard in tree.below}
    wanted = tree.below | {Shard(tag) for tag, _ in kind.tags if tag not in taken}
    validated(Program(kind), tree, wanted)
