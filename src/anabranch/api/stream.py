"""Streams: each method adds one operator, at the caller's line."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, overload

from anabranch.analysis.typing.inference import gives_nothing, infer_result, infer_yields
from anabranch.api import composition, selection
from anabranch.api import windows as windowed
from anabranch.api.arguments import (
    Declared,
    Item,
    Out,
    agreed,
    annotations_of,
    attributes,
    declared_type,
    function,
    gives_generator,
    no_method,
    refuse_objects,
)
from anabranch.api.grouping import Grouped, grouped
from anabranch.api.node import Node, late_rows
from anabranch.api.operator import HasProcess, OperatorDefinition, operator
from anabranch.api.sinks import Sinks
from anabranch.core.errors import ProgramError
from anabranch.core.source import Span, caller_span
from anabranch.ir.aggregates import Aggregate, Call
from anabranch.ir.graph import Annotation
from anabranch.ir.operators import Filter, FlatMap, Kind, Map, Split
from anabranch.ir.types import RecordOf, Type, accepts, told_again, type_of
from anabranch.ir.windows import Keep, Window

Other = TypeVar("Other")
Keys = str | Iterable[str] | tuple[Iterable[str], Iterable[str]] | None
"""The key attributes of a join: the same for both streams, or those of each."""

if TYPE_CHECKING:
    from anabranch.api.synchronization import SynchronizedDefinition


class Stream(Sinks[Item]):
    """A sequence of items of one type, still to be computed."""

    def __init__(self, node: Node, port: int = 0) -> None:
        self.node, self.port = node, port

    @property
    def type(self) -> Type:
        return self.node.types[self.port]

    @property
    def late(self) -> Stream[Item]:
        """The rows of a source with a lateness that came later than that, as they came."""
        return Stream(late_rows(self.node, caller_span()))

    if not TYPE_CHECKING:
        # Type checkers would take any misspelt method for one that is there.
        def __getattr__(self, name: str):
            if name.startswith("_"):
                raise AttributeError(name)
            raise no_method("a stream", type(self), name,
                            "its fields belong to its items: map(lambda t: ...)")

    @overload
    def map(self, call: Callable[[Item], Out], *, to: builtins.type[Out] | None = None,
            name: str | None = None, **declared: Unpack[Declared]) -> Stream[Out]: ...
    @overload
    def map(self, call: Callable[[Item], object], *, to: object, name: str | None = None,
            **declared: Unpack[Declared]) -> Stream[Any]: ...
    def map(self, call: Callable[[Item], object], *, to: object = None, name: str | None = None,
            **declared: Unpack[Declared]) -> Stream[Any]:
        """One output for each item: what the function returns. `to` says its type if need be."""
        span = caller_span()
        mapped = function(call, span, "map")
        if gives_generator(call):
            raise ProgramError(f"{mapped.name} gives a generator, and map takes one result for "
                               "each item", span, help="flat_map gives out all of its items")
        found = infer_result(mapped, [self.type])
        result = found if to is None else agreed(declared_type(to, span), found, mapped.name, span)
        refuse_objects(result, span)
        return self.then(Map(mapped), [result], span, name, declared)

    def filter(self, call: Callable[[Item], object], *, name: str | None = None,
               **declared: Unpack[Declared]) -> Stream[Item]:
        """The items for which the function is true."""
        span = caller_span()
        predicate = function(call, span, "filter")
        infer_result(predicate, [self.type])
        return self.then(Filter(predicate), [self.type], span, name, declared)

    @overload
    def flat_map(self, call: Callable[[Item], Iterable[Out]], *,
                 to: builtins.type[Out] | None = None, name: str | None = None,
                 **declared: Unpack[Declared]) -> Stream[Out]: ...
    @overload
    def flat_map(self, call: Callable[[Item], Iterable[object]], *, to: object,
                 name: str | None = None, **declared: Unpack[Declared]) -> Stream[Any]: ...
    def flat_map(self, call: Callable[[Item], Iterable[object]], *, to: object = None,
                 name: str | None = None, **declared: Unpack[Declared]) -> Stream[Any]:
        """Every item of what the function returns or yields."""
        span = caller_span()
        mapped = function(call, span, "flat_map")
        found = infer_yields(mapped, [self.type])
        result = found if to is None else agreed(declared_type(to, span), found, mapped.name, span)
        refuse_objects(result, span)
        return self.then(FlatMap(mapped), [result], span, name, declared)

    @overload
    def apply(self, definition: OperatorDefinition[Item, Out] | builtins.type[HasProcess[Item, Out]]
              | Callable[[Item], Iterable[Out]], *, to: builtins.type[Out] | None = None,
              name: str | None = None) -> Stream[Out]: ...
    @overload
    def apply(self, definition: OperatorDefinition[Item, Any] | builtins.type[HasProcess[Item, Any]]
              | Callable[[Item], Iterable[Any]], *, to: object,
              name: str | None = None) -> Stream[Any]: ...
    def apply(self, definition: OperatorDefinition[Item, Any] | builtins.type[HasProcess[Item, Any]]
              | Callable[[Item], Iterable[Any]], *, to: object = None,
              name: str | None = None) -> Stream[Any]:
        """The outputs of a user-defined operator (`@ab.operator`)."""
        span = caller_span()
        if not isinstance(definition, OperatorDefinition):
            function(definition, span, "apply")
            definition = operator(definition)
        attributes(definition.by, self.type, span, "key attribute")
        self._check_input(definition, span)
        kind = definition.kind(self.type)
        definition.check_tag_of(self.type)
        result = declared_type(to, span) if to is not None else self._yielded(kind)
        refuse_objects(result, span)
        return self.then(kind, [result], span, name or definition.__name__, {},
                         definition.annotations)

    @overload
    def split(self, predicate: Callable[[Item], object], /, *, name: str | None = None
              ) -> tuple[Stream[Item], Stream[Item]]: ...
    @overload
    def split(self, *predicates: Callable[[Item], object], name: str | None = None
              ) -> tuple[Stream[Item], ...]: ...
    def split(self, *predicates: Callable[[Item], object], name: str | None = None
              ) -> tuple[Stream[Item], ...]:
        """A stream for each predicate, of the items for which it is the first to hold, and a last
        stream of the items for which none does."""
        span = caller_span()
        if not predicates:
            raise ProgramError("split takes at least one predicate", span)
        functions = tuple(function(p, span, "split") for p in predicates)
        for predicate in functions:
            infer_result(predicate, [self.type])
        ports = range(len(functions) + 1)
        node = self.then(Split(functions), [self.type for _ in ports], span, name).node
        return tuple(Stream(node, port) for port in ports)

    @overload
    def aggregate(self, window: Window, *, by: str | Iterable[str] | None = None,
                  into: builtins.type[Out], name: str | None = None,
                  **calls: Call[Item] | builtins.type[Aggregate]) -> Stream[Out]: ...
    @overload
    def aggregate(self, window: Window, *, by: str | Iterable[str] | None = None, into: None = None,
                  name: str | None = None, **calls: Call[Item] | builtins.type[Aggregate]
                  ) -> Stream[Any]: ...
    def aggregate(self, window: Window, *, by: str | Iterable[str] | None = None,
                  into: builtins.type | None = None, name: str | None = None,
                  **calls: Call[Item] | builtins.type[Aggregate]) -> Stream[Any]:
        """One record for each window of each key: the key attributes, then the aggregates.

        `by` partitions the windows; `calls` name the fields: `total=ab.sum("amount")`. `into` may
        name the record class of the outputs, with the same fields.
        """
        span = caller_span()
        kind, result = windowed.aggregation(self, window, by, into, calls, span)
        return self.then(kind, [result], span, name)

    @overload
    def agg(self, *, by: str | Iterable[str] | None = None, into: builtins.type[Out],
            **calls: Call[Item] | builtins.type[Aggregate]) -> Stream[Out]: ...
    @overload
    def agg(self, *, by: str | Iterable[str] | None = None, into: None = None,
            **calls: Call[Item] | builtins.type[Aggregate]) -> Stream[Any]: ...
    def agg(self, *, by: str | Iterable[str] | None = None, into: builtins.type | None = None,
            **calls: Call[Item] | builtins.type[Aggregate]) -> Stream[Any]:
        """One record at the end of the input, of all items: `agg(n=ab.count())`; with `by` one for
        each key, as `group_by(...).agg(...)`. An input without items gives nothing."""
        return windowed.at_the_end(self, by, into, calls, caller_span())

    @overload
    def group_by(self, *keys: str) -> Grouped[Item]: ...
    @overload
    def group_by(self, *keys: str, **computed: Callable[[Item], object]) -> Grouped[Any]: ...
    def group_by(self, *keys: str, **computed: Callable[[Item], object]) -> Grouped[Any]:
        """The items by these attributes, or by what functions give:
        `group_by(hour=lambda t: t.ts // 3600)`. Of a stream of single values it is given a name
        for them. What follows is done for every key: `agg`, `aggregate`, `top`, `head`, `sort`,
        `fill`, `enumerate`."""
        return grouped(self, keys, computed, caller_span())

    def sort(self, key: str | Iterable[str], window: Window | None = None, *,
             by: str | Iterable[str] | None = None, reverse: bool = False,
             on: str | None = None) -> Stream[Item]:
        """The items of each window, or without a window all items at the end of the input, sorted
        by the attributes `key`; equal ones keep their order. With `on` items come in the order of
        that time, and those of one time are sorted as soon as a later one comes."""
        if on is not None:
            return windowed.sorted_ties(self, key, on, window, by, reverse, caller_span())
        return windowed.sorted_within(self, key, window, by, reverse, caller_span())

    def top(self, n: int, *,
            by: str | Iterable[str] | Callable[[Item], object] | None = None,
            least: bool = False) -> Stream[Item]:
        """The `n` items with the greatest values of `by`, the greatest first, at the end of the
        input; of equal ones those that came first. With `least` those with the least values."""
        return selection.top(self, n, by, least, (), caller_span())

    def head(self, n: int = 10) -> Stream[Item]:
        """The first `n` items, as they come. Where each sink stands behind a `head`, with nothing
        but `map` between them, the input is read no further than that; on Spark it is read."""
        return selection.head(self, n, None, caller_span())

    def distinct(self, by: str | Iterable[str] | None = None, *,
                 within: float | timedelta | None = None, on: str | None = None) -> Stream[Item]:
        """The first item of each value of the attributes `by`, or of all attributes. With `within`
        an item is given again when, by the time attribute `on`, so much time has passed since
        the last one of its key was given."""
        return selection.distinct(self, by, within, on, caller_span())

    def deduplicate(self, by: str | Iterable[str] | None = None) -> Stream[Item]:
        """The same as `distinct(by)`."""
        return selection.distinct(self, by, None, None, caller_span())

    def sample(self, fraction: float, *, by: str | Iterable[str] | None = None,
               seed: int = 0) -> Stream[Item]:
        """About this part of the items, the same in every run. With `by` all items of about this
        part of the keys."""
        return selection.sample(self, fraction, by, seed, caller_span())

    def fill(self, *names: str, value: object = None) -> Stream[Item]:
        """Items in which `value` stands for None in these fields, or the last value that came."""
        return selection.fill(self, names, value, (), caller_span())

    def enumerate(self, name: str = "number", *, start: int = 0) -> Stream[Any]:
        """Records of the number of each item, then its fields, or the item itself as `item`."""
        return selection.enumerated(self, name, start, (), caller_span())

    @overload
    def join(self, other: Stream[Other], *, by: Keys = None, keep: Keep | tuple[Keep, Keep],
             into: Callable[[Item, Other], Out], how: Literal["inner"] = "inner",
             name: str | None = None) -> Stream[Out]: ...
    @overload
    def join(self, other: Stream[Other], *, by: Keys = None, keep: Keep | tuple[Keep, Keep],
             into: Callable[[Item, Other | None], Out], how: Literal["left"],
             name: str | None = None) -> Stream[Out]: ...
    @overload
    def join(self, other: Stream[Other], *, by: Keys = None, keep: Keep | tuple[Keep, Keep],
             into: None = None, how: Literal["inner"] = "inner",
             name: str | None = None) -> Stream[Any]: ...
    def join(self, other: Stream[Any], *, by: Keys = None,
             keep: Keep | tuple[Keep, Keep] | None = None,
             into: Callable[..., object] | None = None, how: str = "inner",
             name: str | None = None) -> Stream[Any]:
        """Pairs of items of both streams with equal keys, within a window.

        `by` names the key attributes, or is a pair of them for the left and the right side. `keep`
        says what each side keeps for later items of the other: `ab.recent(count=1)`, or a pair.
        `into(left, right)` makes the output; `how="left"` gives an unmatched left item as
        `into(left, None)`.
        """
        span = caller_span()
        kind, result = composition.joined(self, other, by, keep, into, how, span)
        return self.then(kind, [result], span, name, others=[other])

    def union(self, *others: Stream[Other], on: str | None = None, arrival: bool = False
              ) -> Stream[Item | Other]:
        """All streams as one: merged by the attribute `on`, or `arrival=True` as they come."""
        span = caller_span()
        kind, result = composition.united([self, *others], on, arrival, span)
        return self.then(kind, [result], span, others=others)

    def synchronize(self, definition: SynchronizedDefinition[Item, Out], *others: Stream[Item],
                    on: str | None = None, to: builtins.type[Out] | None = None,
                    name: str | None = None) -> Stream[Out]:
        """The outputs of a synchronized operator (`@ab.synchronized`) over one or more streams,
        merged by their times, which the attribute `on` has. Times that go back are an error."""
        from anabranch.api.synchronization import in_order_of

        span = caller_span()
        merged = self if not others else self.union(*others, on=on)
        attributes(on, merged.type, span)
        if on is not None:
            checked = in_order_of(on, merged.type, span)
            merged = merged.then(checked, [merged.type], span, "in_order",
                                 {"state": "unpartitioned", "pure": True})
        return merged.apply(definition, to=to, name=name)

    def loop(self, body: Callable[[Stream[Item]], tuple[Stream[Out], Stream[Any]]]
             ) -> Stream[Out]:
        """Feedback: `body(stream)` gives the stream that leaves and the one that goes round again.

        The body's stream has the items of this one and those that come back.
        """
        return composition.looped(self, body, caller_span())

    def then(self, kind: Kind, types: list[Type], span: Span, name: str | None = None,
             declared: Mapping[str, object] | None = None, noted: tuple[Annotation, ...] = (),
             others: Iterable[Stream[Any]] = ()) -> Stream[Any]:
        """The stream behind a new operator that reads this stream, and the others after it."""
        label = name or next((f.name for f in kind.functions if f.name.isidentifier()), kind.label)
        inputs = [(s.node, s.port) for s in (self, *others)]
        notes = (*noted, *annotations_of(declared or {}, span))
        return Stream(Node(label, kind, inputs, types, span, notes))

    def _check_input(self, definition: OperatorDefinition, span: Span) -> None:
        if (hint := definition.input_hint) is not None:
            wanted = type_of(hint)
            if not accepts(wanted, self.type):
                raise ProgramError(f"{definition.__name__} does not take this stream's items", span,
                                   expected=str(wanted), got=str(self.type),
                                   help=told_again(wanted, self.type))

    def _yielded(self, kind) -> Type:
        state = [type_of(kind.state)] if kind.stateful else []
        result = infer_yields(kind.function, [*state, self.type])
        if kind.at_end is None:
            return result
        at_end = infer_yields(kind.at_end, [*state, *([RecordOf(kind.key)] if kind.key else [])])
        return at_end if gives_nothing(kind.function) else result
