"""Streams by key: `stream.group_by("word").agg(n=ab.count())`.

What begins with `group_by` is done for every key by itself; results at the end of the input come in
the order in which the keys appeared first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, overload

from anabranch.analysis.typing.inference import infer_result
from anabranch.api import selection
from anabranch.api import windows as windowed
from anabranch.api.aggregates import as_call
from anabranch.api.arguments import Item, Out, attributes, function, no_method
from anabranch.core.errors import ProgramError
from anabranch.core.source import Span, caller_span
from anabranch.ir.aggregates import Aggregate, Call, Count
from anabranch.ir.function import Function
from anabranch.ir.operators import Map
from anabranch.ir.records import record_class
from anabranch.ir.types import RecordOf, fields_of
from anabranch.ir.windows import Window

if TYPE_CHECKING:
    from anabranch.api.stream import Stream

KEY = "key attribute"


class Grouped(Generic[Item]):
    """A stream whose items belong together by their keys, until something is asked of each key."""

    def __init__(self, stream: Stream[Item], keys: tuple[str, ...], item: str | None = None
                 ) -> None:
        self._stream, self._keys, self._item = stream, keys, item

    if not TYPE_CHECKING:
        # Type checkers would take any misspelt method for one that is there.
        def __getattr__(self, name: str):
            if name.startswith("_"):
                raise AttributeError(name)
            has = ", ".join(each for each in dir(type(self)) if not each.startswith("_"))
            raise no_method("a stream by key", type(self), name, f"there is: {has}")

    @overload
    def agg(self, *, into: type[Out], **calls: Call[Item] | type[Aggregate]) -> Stream[Out]: ...
    @overload
    def agg(self, *, into: None = None, **calls: Call[Item] | type[Aggregate]) -> Stream[Any]: ...
    def agg(self, *, into: type | None = None, **calls: Call[Item] | type[Aggregate]
            ) -> Stream[Any]:
        """One record for each key at the end of the input: the key, then the aggregates."""
        span = caller_span()
        of = {name: self._of_item(as_call(name, call)) for name, call in calls.items()}
        return windowed.at_the_end(self._stream, self._keys, into, of, span)

    @overload
    def aggregate(self, window: Window, *, into: type[Out], name: str | None = None,
                  **calls: Call[Item] | type[Aggregate]) -> Stream[Out]: ...
    @overload
    def aggregate(self, window: Window, *, into: None = None, name: str | None = None,
                  **calls: Call[Item] | type[Aggregate]) -> Stream[Any]: ...
    def aggregate(self, window: Window, *, into: type | None = None, name: str | None = None,
                  **calls: Call[Item] | type[Aggregate]) -> Stream[Any]:
        """One record for each window of each key, as `stream.aggregate(window, by=...)`."""
        of = {key: self._of_item(as_call(key, call)) for key, call in calls.items()}
        return self._stream.aggregate(window, by=self._keys, into=into, name=name, **of)

    def top(self, n: int, *, by: str | Iterable[str] | Callable[[Item], object],
            least: bool = False) -> Stream[Item]:
        """The `n` items of each key with the greatest values of `by`, the greatest first."""
        return selection.top(self._stream, n, by, least, self._keys, caller_span())

    def head(self, n: int = 10) -> Stream[Item]:
        """The first `n` items of each key, as they come."""
        return selection.head(self._stream, n, self._keys, caller_span())

    def sort(self, key: str | Iterable[str], *, reverse: bool = False) -> Stream[Item]:
        """The items of each key, sorted by the attributes `key`, at the end of the input."""
        return windowed.sorted_within(self._stream, key, None, self._keys, reverse, caller_span())

    def fill(self, *names: str) -> Stream[Item]:
        """Items in which the last value of the same key stands for None."""
        return selection.fill(self._stream, names, None, self._keys, caller_span())

    def enumerate(self, name: str = "number", *, start: int = 0) -> Stream[Any]:
        """Records of the number of each item among those of its key, then its fields."""
        return selection.enumerated(self._stream, name, start, self._keys, caller_span())

    def _of_item(self, call: Call) -> Call:
        """An aggregate over single values is one over the field that has them."""
        if self._item is None or issubclass(call.aggregate, Count):
            return call if call.where is None or self._item is None else replace(
                call, where=self._behind(call.where))
        value = self._behind(call.value) if isinstance(call.value, Function) else self._item
        return replace(call, value=value, where=call.where and self._behind(call.where))

    def _behind(self, of_item: Function) -> Function:
        text = f"lambda item: call(item.{self._item})"
        return Function.from_source(text, {"call": of_item.call}, of_item.span)


def grouped(stream: Stream, names: tuple[object, ...], computed: dict[str, Callable], span: Span
            ) -> Grouped:
    """The stream by its key: attributes, the single value under a name, or what functions give."""
    if not names and not computed:
        raise ProgramError("group_by takes at least one key", span,
                           help='for example group_by("account"), or group_by(hour=lambda t: ...)')
    if computed:
        stream = _with(stream, computed, span)
        return Grouped(stream, (*attributes(names, stream.type, span, KEY), *computed), None)
    if len(names) == 1 and isinstance(names[0], str) and fields_of(stream.type) == {}:
        return Grouped(_named(stream, names[0], span), names, names[0])
    return Grouped(stream, attributes(names, stream.type, span, KEY))


def _named(stream: Stream, name: str, span: Span) -> Stream:
    """Records with one field, the single value."""
    if not name.isidentifier():
        raise ProgramError(f"'{name}' cannot be the name of a field", span)
    made = record_class("Named", {name: stream.type})
    kind = Map(Function.from_source("lambda item: Named(item)", {"Named": made}, span))
    return stream.then(kind, [RecordOf(made)], span, f"as_{name}")


def _with(stream: Stream, computed: dict[str, Callable], span: Span) -> Stream:
    """The items with fields that are computed of them, as keys."""
    functions = {name: function(call, span, "group_by") for name, call in computed.items()}
    types = {name: infer_result(call, [stream.type]) for name, call in functions.items()}
    is_record = isinstance(stream.type, RecordOf)
    own = stream.type.fields if is_record else {"item": stream.type}
    if taken := [name for name in types if name in own]:
        raise ProgramError(f"{stream.type} has a field '{taken[0]}' already", span,
                           help="give the key another name")
    made = record_class("Keyed", {**own, **types})
    values = [f"item.{name}" for name in own] if is_record else ["item"]
    scope = {f"key{n}": call.call for n, call in enumerate(functions.values())}
    given = ", ".join([*values, *(f"{name}(item)" for name in scope)])
    kind = Map(Function.from_source(f"lambda item: Keyed({given})", {"Keyed": made, **scope}, span))
    return stream.then(kind, [RecordOf(made)], span, "keys")
