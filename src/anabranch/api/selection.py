"""Operators of every day: some of the items, or items told apart.

They are composed of the core ones. With `by` each works for every value of those attributes by
itself, and so in parallel.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from anabranch.analysis.typing.inference import infer_result
from anabranch.api.arguments import attributes, check_key, function
from anabranch.api.windows import time_of, whole
from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.aggregates import Call
from anabranch.ir.function import Function
from anabranch.ir.operators import WHOLE_ITEM, Apply, Filter, FlatMap, Head, Map
from anabranch.ir.records import State, record_class
from anabranch.ir.statistics import Top, number_of, spread
from anabranch.ir.types import (
    ANY,
    INT,
    TIMESTAMP,
    OptionalOf,
    RecordOf,
    Type,
    accepts,
    fields_of,
    without_none,
)

if TYPE_CHECKING:
    from anabranch.api.stream import Stream

Names = tuple[str, ...]
KEY = "key attribute"


class Seen(State):
    before: bool = False


def first_only(state: Seen, item):
    if not state.before:
        state.before = True
        yield item


def distinct(stream: Stream, by: object, within: object, on: str | None, span: Span) -> Stream:
    """The first item of each key; with `within`, the first since the last one that was given."""
    keys = _keys_or_all(stream, by, span)
    if within is None:
        kind = Apply(Function.of(first_only), Seen, keys)
        return stream.then(kind, [stream.type], span, "distinct")
    return stream.then(_since(stream, keys, within, on, span), [stream.type], span, "distinct")


def _keys_or_all(stream: Stream, by: object, span: Span) -> Names:
    if by is not None:
        return attributes(by, stream.type, span, KEY)
    check_key(str(stream.type), stream.type, span)
    fields = fields_of(stream.type)
    return tuple(fields) if fields else WHOLE_ITEM


def _since(stream: Stream, keys: Names, within: object, on: str | None, span: Span) -> Apply:
    """Gives an item if none of its key was given in the time `within` before it."""
    on, known = on or time_of(stream), fields_of(stream.type)
    if on is None:
        raise ProgramError("the time attribute of distinct is not known", span, help='say on="..."')
    attributes(on, stream.type, span)
    time = (known or {}).get(on, ANY)
    if (without_none(time) == TIMESTAMP) != isinstance(within, timedelta) and time != ANY:
        wanted = "a timedelta" if time == TIMESTAMP else "a number"
        raise ProgramError(f"within is compared with {on} ({time}), and needs {wanted}", span,
                           got=repr(within))
    state = state_class("Given", {"last": (OptionalOf(without_none(time)), None)})
    text = ("def distinct(state, item):\n"
            f"    if state.last is None or item.{on} - state.last >= within:\n"
            f"        state.last = item.{on}\n"
            "        yield item")
    return Apply(Function.defined(text, "distinct", {"within": within}, span), state, keys)


def state_class(name: str, fields: dict[str, tuple[object, object]], base: type[State] = State,
                **constants: object) -> type[State]:
    """A state class made of types and initial values."""
    types = {field: kind for field, (kind, _) in fields.items()}
    made = type(State)(name, (base,), {**constants, "__annotations__": dict.fromkeys(types, object),
                                        "__module__": __name__, "__qualname__": name,
                                        **{field: first for field, (_, first) in fields.items()}})
    made.__field_types__ = types
    made.__annotations_found__ = types
    return made


def head(stream: Stream, n: object, by: object, span: Span) -> Stream:
    """The first `n` items, of all or of each key."""
    keys = attributes(by, stream.type, span, KEY)
    text = ("def head(state, item):\n"
            f"    if state.given < {_number(n, 'head', span)}:\n"
            "        state.given += 1\n"
            "        yield item")
    state = state_class("Head", {"given": (INT, 0)}, Head, most=n)
    kind = Apply(Function.defined(text, "head", {}, span), state, keys)
    return stream.then(kind, [stream.type], span)


def _number(n: object, what: str, span: Span) -> int:
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise ProgramError(f"{what} takes a whole number from 0 on", span, got=repr(n))
    return n


def top(stream: Stream, n: object, by: object, least: bool, keys: Names, span: Span) -> Stream:
    """The `n` items with the greatest values of `by`, at the end of the input."""
    text, scope = ranked(stream, by, span)
    call = Call(Top, Function.from_source(f"lambda item: ({text}, item)", scope, span), None,
                (("n", _number(n, "top", span)), ("least", bool(least))))
    return unfolded(stream, call, keys, "top", span)


def ranked(stream: Stream, by: object, span: Span) -> tuple[str, dict[str, object]]:
    """The text for the value by which items are compared, and its names."""
    if by is None:
        return "item", {}
    if callable(by):
        infer_result(function(by, span, "top"), [stream.type])
        return "rank(item)", {"rank": by}
    [name, *more] = attributes(by, stream.type, span)
    every = [f"item.{each}" for each in (name, *more)]
    return (f"({', '.join(every)})" if more else every[0]), {}


def unfolded(stream: Stream, call: Call, keys: Names, name: str, span: Span) -> Stream:
    """The items that an aggregate over the whole input has kept as a list, one by one."""
    kind = whole(stream, keys, {"items": call}, span)
    kept = stream.then(kind, [RecordOf(kind.into)], span, name)
    each = FlatMap(Function.from_source("lambda kept: kept.items", {}, span))
    return kept.then(each, [stream.type], span, f"{name}_items")


def sample(stream: Stream, fraction: object, by: object, seed: object, span: Span) -> Stream:
    """Some of the items: drawn by their place, or all of the keys whose hash is low."""
    if not (isinstance(fraction, int | float) and 0 <= fraction <= 1):
        raise ProgramError("sample takes a part between 0 and 1", span, got=repr(fraction),
                           help="for example sample(0.1)")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ProgramError("the seed of a sample is a whole number", span, got=repr(seed))
    if by is not None:
        keys = attributes(by, stream.type, span, KEY)
        key = ", ".join(f"item.{name}" for name in keys)
        text = f"lambda item: drawn(({key},), {seed}) < {fraction!r}"
        kept = Filter(Function.from_source(text, {"drawn": drawn}, span))
        return stream.then(kept, [stream.type], span, "sample")
    # The generator of Lewis, Goodman and Miller: its products fit into 64 bits.
    first = spread(seed + 1) % 2_147_483_646 + 1
    text = ("def sample(state, item):\n"
            "    state.draw = state.draw * 48271 % 2147483647\n"
            f"    if state.draw < {int(fraction * 2_147_483_647)}:\n"
            "        yield item")
    state = state_class("Draw", {"draw": (INT, first)})
    kind = Apply(Function.defined(text, "sample", {}, span), state)
    return stream.then(kind, [stream.type], span)


def drawn(key: tuple, seed: int) -> float:
    """A number from 0 to below 1 that follows from a key and a seed, in every process.

    >>> drawn(("ann",), 0) == drawn(("ann",), 0), drawn(("ann",), 0) == drawn(("ann",), 1)
    (True, False)
    """
    found = spread(seed)
    for part in key:
        found = spread(found + number_of(part))
    return found / 18_446_744_073_709_551_616


def fill(stream: Stream, names: object, value: object, keys: Names, span: Span) -> Stream:
    """Items in which a value stands for None: a constant, or the last one that came."""
    wanted, known = attributes(names, stream.type, span), fields_of(stream.type)
    if known is None or not wanted:
        raise ProgramError("fill takes the names of fields", span,
                           help='for example fill("price", value=0.0)')
    if value is not None:
        return _filled(stream, wanted, value, span)
    state = state_class("Last", {name: (OptionalOf(without_none(known[name])), None)
                                 for name in wanted})
    lines = [line for name in wanted for line in (
        f"    if item.{name} is not None:", f"        state.{name} = item.{name}")]
    given = ", ".join(f"{name}=state.{name}" for name in wanted)
    text = "\n".join(["def fill(state, item):", *lines, f"    yield item.replace({given})"])
    kind = Apply(Function.defined(text, "fill", {}, span), state, keys)
    return stream.then(kind, [stream.type], span)


def _filled(stream: Stream, names: Names, value: object, span: Span) -> Stream:
    for name in names:
        kind = stream.type.fields[name]
        if not accepts(kind, _type_of(value)):
            raise ProgramError(f"{stream.type}.{name} is of another type", span,
                               expected=str(kind), got=repr(value))
    given = ", ".join(f"{name}=value if item.{name} is None else item.{name}" for name in names)
    kind = Map(Function.from_source(f"lambda item: item.replace({given})", {"value": value}, span))
    return stream.then(kind, [stream.type], span, "fill")


def _type_of(value: object) -> Type:
    from anabranch.ir.types import type_of

    return type_of(type(value))


def enumerated(stream: Stream, name: str, start: object, keys: Names, span: Span) -> Stream:
    """Records of the number of each item and its fields, or the item itself."""
    if not isinstance(start, int) or isinstance(start, bool):
        raise ProgramError("enumerate begins with a whole number", span, got=repr(start))
    fields = stream.type.fields if isinstance(stream.type, RecordOf) else {"item": stream.type}
    if not str(name).isidentifier() or name in fields:
        raise ProgramError(f"the number cannot be called '{name}'", span,
                           help=f'give enumerate a name that is not in {", ".join(fields)}')
    is_record = isinstance(stream.type, RecordOf)
    values = [f"item.{field}" for field in fields] if is_record else ["item"]
    made = record_class("Numbered", {name: INT, **fields})
    text = ("def enumerate(state, item):\n"
            f"    number = state.next\n"
            "    state.next = number + 1\n"
            f"    yield Numbered(number, {', '.join(values)})")
    state = state_class("Counter", {"next": (INT, start)})
    kind = Apply(Function.defined(text, "enumerate", {"Numbered": made}, span), state, keys)
    return stream.then(kind, [RecordOf(made)], span)
