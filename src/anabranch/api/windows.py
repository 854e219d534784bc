"""Windows as users write them, aggregation over them, sorting made of it.

>>> str(tumbling(count=10)), str(sliding(time=60, step=10, on="ts"))
('tumbling(count=10)', 'sliding(time=60, step=10, on=ts)')
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from operator import attrgetter
from typing import TYPE_CHECKING

from anabranch.analysis.typing.inference import infer_result
from anabranch.api.aggregates import as_call, collect
from anabranch.api.arguments import attributes
from anabranch.api.node import leading_to
from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span, caller_span
from anabranch.ir.aggregates import (
    Call,
    Sum,
    WindowStart,
)
from anabranch.ir.changes import SortTies
from anabranch.ir.function import Function
from anabranch.ir.operators import FlatMap, Source
from anabranch.ir.records import record_class
from anabranch.ir.types import (
    ANY,
    DECIMAL,
    FLOAT,
    TIMESTAMP,
    AnyOf,
    OptionalOf,
    RecordOf,
    Type,
    accepts,
    field_types,
    fields_of,
    without_none,
)
from anabranch.ir.windows import WHOLE, AggregateWindow, Keep, WatermarkWindow, Window

if TYPE_CHECKING:
    from anabranch.api.stream import Stream


# The attribute of a window by time whose user did not say it: the stream fills in its own.
UNSAID = ""


def tumbling(*, count: int | None = None, time: float | timedelta | None = None,
             on: str | None = None, partial: bool = True, late: str = "error") -> Window:
    """Windows that follow each other: every `count` items, or every `time` of the attribute `on`.

    With `partial=False` windows still open at the end of the input are dropped. An item whose
    window has been emitted already is an error, which `--on-error` may leave out, or dropped with
    `late="drop"`.
    """
    return sliding(count=count, time=time, on=on, partial=partial, late=late)


def sliding(*, count: int | None = None, time: float | timedelta | None = None,
            step: float | timedelta | None = None, on: str | None = None, partial: bool = True,
            late: str = "error") -> Window:
    """Windows of `count` items or of `time`, a new one every `step`."""
    size = _one_size(count, time)
    if count is not None and on is not None:
        raise ProgramError("a window by count has no time attribute", caller_span(),
                           got=f"on={on!r}")
    step = size if step is None else step
    if type(step) is not type(size) and isinstance(size, timedelta) + isinstance(step, timedelta):
        raise ProgramError("a window's size and step are not of one kind", caller_span(),
                           got=f"size {size!r}, step {step!r}")
    if not step > type(step)(0):
        raise ProgramError("a window's step must be above zero", caller_span(), got=repr(step))
    if late not in ("error", "drop"):
        raise ProgramError(f"late={late!r} is not known", caller_span(),
                           expected="'error' or 'drop'")
    return Window(size, step, on if time is None else on or UNSAID, partial, late)


def recent(*, count: int | None = None, time: float | timedelta | None = None,
         on: str | None = None) -> Keep:
    """What a side of a join keeps: its last `count` items, or those of the last `time`.

    `on` names the time attribute of the side's items, if it is not its source's.
    """
    _one_size(count, time, least=0)
    return Keep(count, time, on)


def _one_size(count, time, least: int = 1):
    if (count is None) == (time is None):
        raise ProgramError("a window has a count or a time, one of them", caller_span(),
                           help='for example count=10, or time=60, on="ts"')
    size = count if time is None else time
    if count is not None and (not isinstance(count, int) or count < least):
        raise ProgramError(f"a window's count is a whole number from {least} on", caller_span(),
                           got=repr(count))
    if time is not None and not time > type(time)(0):
        raise ProgramError("a window's time must be above zero", caller_span(), got=repr(time))
    return size


def aggregation(stream: Stream, window: Window, by: object, into: type | None,
                given: dict[str, object], span: Span
                ) -> tuple[AggregateWindow | WatermarkWindow, Type]:
    """The operator and the type of its outputs."""
    if not isinstance(window, Window):
        raise ProgramError("aggregate takes a window first", span, got=repr(window),
                           help="for example ab.tumbling(count=10); agg(...) is over all of the "
                                "input")
    window = timed(window, stream, span)
    keys = attributes(by, stream.type, span, "key attribute")
    calls = {name: _of_those_there(as_call(name, g), stream.type, span)
             for name, g in given.items()}
    known = fields_of(stream.type) or {}
    fields = {k: known.get(k, ANY) for k in keys} | {
        name: _result_type(call, stream.type, window, span) for name, call in calls.items()}
    calls = {name: _started(call, fields[name]) for name, call in calls.items()}
    made = "Group" if window.whole else "Window"
    into = _checked(into, fields, span) if into else record_class(made, fields)
    # A key attribute that the user names again, as `uid=ab.any("uid")`, is not repeated.
    shown = tuple(k for k in keys if k not in calls)
    kind = AggregateWindow(window, keys, tuple(calls.items()), into, shown)
    together = window.by_time and is_in_time(stream)
    return WatermarkWindow(kind) if together else kind, RecordOf(into)


def whole(stream: Stream, by: object, calls: dict[str, object], span: Span) -> AggregateWindow:
    """The operator whose windows hold all items of a key."""
    return aggregation(stream, WHOLE, by, None, calls, span)[0]


def at_the_end(stream: Stream, by: object, into: type | None, calls: dict[str, object],
               span: Span) -> Stream:
    """One record for each key when the input has ended."""
    if not calls:
        raise ProgramError("agg takes at least one aggregate", span,
                           help='for example agg(n=ab.count(), total=ab.sum("amount"))')
    kind, result = aggregation(stream, WHOLE, by, into, calls, span)
    return stream.then(kind, [result], span, "agg")


def timed(window, stream: Stream, span: Span):
    """The window with its time attribute: the user's, or the one its source was declared with."""
    if window.on is None:
        return window
    on = window.on if window.on != UNSAID else time_of(stream)
    known = fields_of(stream.type)
    if on is None or (known is not None and on not in known):
        raise ProgramError(f"{stream.type} has no time attribute '{on}'" if on else
                           "the window's time attribute is not known", span,
                           help=(did_you_mean(on, known) if on else 'say on="..."'))
    size = window.size if isinstance(window, Window) else window.time
    _check_unit(on, known, size, span)
    return replace(window, on=on)


def _check_unit(on: str, known: dict[str, Type] | None, size: object, span: Span) -> None:
    """A time of timestamps is measured in timedeltas, one of numbers in numbers."""
    if known is None or size is None:
        return
    if (known[on] == TIMESTAMP) != isinstance(size, timedelta):
        wanted = "a timedelta" if known[on] == TIMESTAMP else "a number"
        raise ProgramError(f"a window over {on} ({known[on]}) needs {wanted}", span, got=repr(size))


def time_of(stream: Stream) -> str | None:
    node = stream.node
    while node.inputs:
        node = node.inputs[0][0]
    return getattr(node.kind, "time", None)


def is_in_time(stream: Stream) -> bool:
    """Whether all that it comes of are sources whose rows are put into the order of time."""
    sources = [node.kind for node in leading_to(stream.node) if not node.inputs]
    return all(isinstance(kind, Source) and kind.spec is not None
               and kind.spec.lateness is not None for kind in sources)


def _result_type(call: Call, item: Type, window: Window, span: Span) -> Type:
    if issubclass(call.aggregate, WindowStart):
        if not window.by_time:
            raise ProgramError("a window by count has no start and end in time", span)
        return (fields_of(item) or {}).get(window.on, item)
    value = _value_type(call, item, span)
    is_sum = call.aggregate.traits.decimals and without_none(value) == DECIMAL
    if call.aggregate.traits.numbers and not is_sum and not accepts(FLOAT, without_none(value)):
        raise ProgramError(f"{call} needs numbers", span, got=str(value))
    found = call.aggregate.result_type(value)
    return OptionalOf(found) if call.where and _may_be_missing(call, found) else found


def _of_those_there(call: Call, item: Type, span: Span) -> Call:
    """None is no number, and neither less nor greater: such values are passed over."""
    if not call.aggregate.traits.passes_over_none or not isinstance(
            _value_type(call, item, span), OptionalOf):
        return call
    value = f"item.{call.value}" if isinstance(call.value, str) else "value(item)"
    asked = "where(item) and " if call.where else ""
    scope = {"value": call.getter(), "where": call.where and call.where.call}
    there = Function.from_source(f"lambda item: {asked}{value} is not None", scope, span)
    return replace(call, where=replace(there, name=call.where.name if call.where else "there"))


def _started(call: Call, result: Type) -> Call:
    """A sum of floats is one also where it has seen none."""
    if call.aggregate is Sum and call.where and result == FLOAT:
        return replace(call, given=(("total", 0.0),))
    return call


def _may_be_missing(call: Call, found: Type) -> bool:
    """Whether there is no result of no items."""
    return call.aggregate.traits.needs_items and not isinstance(found, OptionalOf | AnyOf)


def _value_type(call: Call, item: Type, span: Span) -> Type:
    """The type of what an aggregate is given."""
    if isinstance(call.value, Function):
        return infer_result(call.value, [item])
    known = fields_of(item)
    if isinstance(call.value, str):
        attributes(call.value, item, span)
    return known[call.value] if isinstance(call.value, str) and known is not None else item


def _checked(into: type, fields: dict[str, Type], span: Span) -> type:
    """The user's record class for the outputs, which must have the same fields in some order."""
    wanted = field_types(into)
    for name in fields:
        if name not in wanted:
            raise ProgramError(f"{into.__name__} has no field '{name}'", span,
                               help=did_you_mean(name, wanted))
    for name, wanted_type in wanted.items():
        if name not in fields:
            raise ProgramError(f"no aggregate gives {into.__name__}.{name}", span,
                               help=f"add {name}=ab.count() or the like, or by={name!r}")
        if not accepts(wanted_type, fields[name]):
            raise ProgramError(f"{into.__name__}.{name} is of another type", span,
                               expected=str(wanted_type), got=str(fields[name]))
    return into


def sorted_within(stream: Stream, key: object, window: Window | None, by: object, reverse: bool,
                  span: Span) -> Stream:
    """Collects each window, or all of the input, then gives its items out in order."""
    keys = attributes(key, stream.type, span, "attribute")
    kind, collected = aggregation(stream, window or WHOLE, by, None, {"items": collect()}, span)
    order = attrgetter(*keys)

    def in_order(window):
        return sorted(window.items, key=order, reverse=reverse)
    windows = stream.then(kind, [collected], span, "window")
    return windows.then(FlatMap(Function.of(in_order, span)), [stream.type], span, "sort")


def sorted_ties(stream: Stream, key: object, on: str, window: Window | None, by: object,
                reverse: bool, span: Span) -> Stream:
    """The items of one time, sorted when a later one comes."""
    if window is not None:
        raise ProgramError("sort takes a window, or a time as on=", span,
                           help="leave one of the two out")
    [time] = attributes(on, stream.type, span, "attribute")
    kind = SortTies(time, attributes(key, stream.type, span, "attribute"), reverse,
                    attributes(by, stream.type, span, "key") if by else ())
    return stream.then(kind, [stream.type], span, "sort")
