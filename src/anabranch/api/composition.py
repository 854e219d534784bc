"""Operators over several streams, and those composed of the core ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

from anabranch.analysis.typing.inference import infer_result
from anabranch.api.arguments import Out, attributes, function
from anabranch.api.windows import UNSAID, timed
from anabranch.core.errors import ProgramError
from anabranch.core.source import Span, caller_span
from anabranch.ir.function import Function
from anabranch.ir.operators import Barrier, Union
from anabranch.ir.records import record_class
from anabranch.ir.types import ANY, OptionalOf, RecordOf, Type, accepts, fields_of, told_again
from anabranch.ir.windows import Keep, WindowJoin

if TYPE_CHECKING:
    from anabranch.api.stream import Stream

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


def all_streams(given: list[object], what: str, span: Span) -> list[Stream]:
    """What was given, if all of it is streams."""
    for one in given:
        if not hasattr(one, "node"):
            raise ProgramError(f"{what} takes streams", span, got=repr(one))
    return given


def united(streams: list[Stream], on: str | None, arrival: bool, span: Span) -> tuple[Union, Type]:
    """The operator that makes one stream of several, and the type of its items."""
    all_streams(streams, "union", span)
    if len(streams) < 2:
        raise ProgramError("union takes at least one other stream", span)
    if (on is None) == (not arrival):
        raise ProgramError("a union says its order", span,
                           help='on="ts" to merge by that attribute, or arrival=True')
    types = [s.type for s in streams]
    first = next((t for t in types if t != ANY), ANY)
    for item in types:
        if not accepts(first, item):
            raise ProgramError("a union takes streams of one type", span, expected=str(first),
                               got=str(item), help=told_again(first, item)
                               or "map one of them to the other's type")
    attributes(on, first, span)
    return Union(len(streams), on), ANY if ANY in types else first


def joined(left: Stream, right: Stream, by: object, keep: object, into: Callable | None, how: str,
           span: Span) -> tuple[WindowJoin, Type]:
    """The join operator and the type of its outputs."""
    all_streams([left, right], "join", span)
    if how not in ("inner", "left"):
        raise ProgramError(f"how={how!r} is not known", span, expected="'inner' or 'left'")
    by_left, by_right = _sides(by)
    keys = (attributes(by_left, left.type, span, "key attribute"),
            attributes(by_right, right.type, span, "key attribute"))
    _check_keys(keys, left.type, right.type, span)
    keeps = keep if isinstance(keep, tuple) else (keep, keep)
    if not all(isinstance(k, Keep) for k in keeps):
        raise ProgramError("a join says what it keeps", span,
                           help='keep=ab.recent(count=1), or keep=ab.recent(time=60, on="ts")')
    if any(k.time is not None for k in keeps):
        keeps = tuple(timed(replace(k, on=k.on or UNSAID), s, span)
                      for k, s in zip(keeps, (left, right), strict=True))
    outer = how == "left"
    met = OptionalOf(right.type) if outer and right.type != ANY else right.type
    pair = (function(into, span, "join", takes=2) if into
            else _pairing(left.type, right.type, outer, span))
    result = infer_result(pair, [left.type, met])
    return WindowJoin(*keys, keeps, pair, outer), result


def _sides(by: object) -> tuple[object, object]:
    """`by="k"`, `by=("k", "l")` for both sides, or `by=(("k",), ("m",))` for each."""
    if isinstance(by, (tuple, list)) and len(by) == 2 and not isinstance(by[0], str):
        return by[0], by[1]
    return by, by


def _check_keys(keys: tuple, left: Type, right: Type, span: Span) -> None:
    if len(keys[0]) != len(keys[1]):
        raise ProgramError("the keys of a join are of different lengths", span, got=str(keys))
    for a, b in zip(*keys, strict=True):
        types = (fields_of(left) or {}).get(a, ANY), (fields_of(right) or {}).get(b, ANY)
        if not (accepts(*types) or accepts(*types[::-1])):
            raise ProgramError(f"the join compares {a} ({types[0]}) with {b} ({types[1]})", span,
                               help="they can never be equal")


def _pairing(left: Type, right: Type, outer: bool, span: Span) -> Function:
    """Without `into` the output has both sides' attributes, `_right` behind a name they share."""
    if not (isinstance(left, RecordOf) and isinstance(right, RecordOf)) or outer:
        raise ProgramError("this join needs into=", span,
                           help="for example into=lambda left, right: Pair(left.a, right.b)")
    renamed = {n: f"{n}_right" if n in left.fields else n for n in right.fields}
    fields = {**left.fields, **{renamed[n]: t for n, t in right.fields.items()}}
    values = [f"left.{n}" for n in left.fields] + [f"right.{n}" for n in right.fields]
    return Function.from_source(f"lambda left, right: Joined({', '.join(values)})",
                                {"Joined": record_class("Joined", fields)}, span)


@overload
def barrier(first: Stream[A], second: Stream[B], /, *, into: Callable[[A, B], Out],
            name: str | None = None) -> Stream[Out]: ...
@overload
def barrier(first: Stream[A], second: Stream[B], third: Stream[C], /, *,
            into: Callable[[A, B, C], Out], name: str | None = None) -> Stream[Out]: ...
@overload
def barrier(first: Stream[Any], second: Stream[Any], third: Stream[Any], fourth: Stream[Any], /,
            *others: Stream[Any], into: Callable[..., Out],
            name: str | None = None) -> Stream[Out]: ...
def barrier(first: Stream[Any], *others: Stream[Any], into: Callable[..., Out],
            name: str | None = None) -> Stream[Out]:
    """`into(a, b, ...)` of the first items of all streams, then of the second ones, and so on."""
    span = caller_span()
    if not others:
        raise ProgramError("barrier takes at least two streams", span)
    streams = all_streams([first, *others], "barrier", span)
    paired = function(into, span, "barrier", takes=len(streams))
    result = infer_result(paired, [s.type for s in streams])
    return first.then(Barrier(len(streams), paired), [result], span, name, others=others)


def looped(stream: Stream, body: Callable, span: Span) -> Stream:
    """A union whose second input is what the body sends back."""
    head = stream.then(Union(2), [stream.type], span, "loop")
    result = body(head)
    kind = type(stream)
    if not (isinstance(result, tuple) and len(result) == 2
            and all(isinstance(s, kind) for s in result)):
        raise ProgramError("the body of a loop gives two streams", span, got=repr(result),
                           help="return what leaves the loop, then what goes round again")
    out, back = result
    if not accepts(stream.type, back.type):
        raise ProgramError("what goes round the loop is of another type", span,
                           expected=str(stream.type), got=str(back.type))
    head.node.connect(back.node, back.port)
    return out
