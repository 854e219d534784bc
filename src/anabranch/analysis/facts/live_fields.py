"""Live fields: which fields of a queue's items anything behind it may look at.

What nobody looks at need not be read from a file, nor travel to another worker. Only the message of
a failure shows more of an item. `attributes_read` says which attributes one function looks at.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce, singledispatch

from anabranch.analysis.facts.forwarding import given, returned
from anabranch.analysis.syntax import FunctionSyntax, Missing, syntax_of
from anabranch.analysis.typing.types import is_plain_record
from anabranch.ir import operators as kinds
from anabranch.ir.aggregates import Call, Count, WindowStart
from anabranch.ir.changes import SortTies
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.synchronization import Synchronized
from anabranch.ir.types import RecordOf, Type
from anabranch.ir.windows import AggregateWindow, WatermarkWindow, WindowJoin

Fields = frozenset[str] | None
"""Names of fields; None for the whole item."""

NO_FIELDS: frozenset[str] = frozenset()


def live_fields(graph: Graph) -> dict[str, Fields]:
    """The live fields of every queue; None where all of its items may be looked at."""
    live: dict[str, Fields] = {queue.name: NO_FIELDS for queue in graph.queues}
    while (found := _looked_at_again(graph, live)) != live:
        live = found
    return live


def looked_at(operators: Sequence[Operator]) -> Fields:
    """The fields of its items that a line of operators looks at, if all that it gives is."""
    return reduce(lambda behind, op: _fields(op.kind, 0, [behind]), reversed(operators), None)


def _looked_at_again(graph: Graph, live: dict[str, Fields]) -> dict[str, Fields]:
    """One step more against the stream, from what is known so far."""
    found = dict(live)
    for op in reversed(graph.operators):
        behind = [found[queue] for queue in op.outputs]
        if op.is_source and op.kind.time:
            found[op.outputs[0]] = _both(behind[0], frozenset({op.kind.time}))
        for port, queue in enumerate(op.inputs):
            looked = _fields(op.kind, port, behind)
            found[queue] = _both(found[queue], _of_type(graph.queue(queue).type, looked))
    return found


def _both(left: Fields, right: Fields) -> Fields:
    return None if left is None or right is None else left | right


def _all(found: Iterable[Fields]) -> Fields:
    return reduce(_both, found, NO_FIELDS)


def _of_type(item: Type, looked: Fields) -> Fields:
    """The fields of a type; an attribute that is no field may be made of any of them."""
    if looked is None or not isinstance(item, RecordOf) or not is_plain_record(item.cls):
        return None
    return looked if looked <= set(item.fields) else None


@singledispatch
def _fields(kind: kinds.Kind, port: int, behind: Sequence[Fields]) -> Fields:
    """What an operator looks at, if the fields in `behind` are live on its output queues."""
    return None


@_fields.register
def _filter(kind: kinds.Filter, port, behind):
    return _both(behind[0], _read(kind.function))


@_fields.register
def _split(kind: kinds.Split, port, behind):
    return _all([*behind, *map(_read, kind.predicates)])


@_fields.register
def _union(kind: kinds.Union, port, behind):
    return _both(behind[0], frozenset({kind.on} if kind.on else ()))


@_fields.register
def _map(kind: kinds.Map, port, behind):
    return _passed(look(kind.function, 0, returned), behind)


@_fields.register
def _flat_map(kind: kinds.FlatMap, port, behind):
    return _passed(look(kind.function, 0, given), behind)


@_fields.register
def _apply(kind: kinds.Apply, port, behind):
    found = _passed(look(kind.function, int(kind.stateful), given), behind)
    return _both(found, _key(kind.by))


@_fields.register
def _synchronized(kind: Synchronized, port, behind):
    return None


@_fields.register
def _barrier(kind: kinds.Barrier, port, behind):
    return _passed(look(kind.function, port), behind)


@_fields.register
def _sort(kind: SortTies, port, behind):
    weight = (kind.weight,) if kind.weight is not None else ()
    return _all([behind[0], frozenset((kind.on, *kind.keys, *weight)), _key(kind.by)])


@_fields.register
def _join(kind: WindowJoin, port, behind):
    times = (kind.keep[port].on,) if kind.keep[port].on else ()
    found = _passed(look(kind.function, port), behind)
    return _all([found, _key(kind.keys_of(port)), frozenset(times)])


@_fields.register
def _aggregate(kind: AggregateWindow, port, behind):
    times = frozenset({kind.window.on} if kind.window.on else ())
    folded = [_folded(call) for _, call in kind.calls]
    return _all([*folded, _key(kind.by), _key(kind.shown), times])


@_fields.register
def _together(kind: WatermarkWindow, port, behind):
    return _aggregate(kind.of, port, behind)


def _folded(call: Call) -> Fields:
    tested = _read(call.where) if call.where else NO_FIELDS
    return _both(_taken(call), tested)


def _taken(call: Call) -> Fields:
    if isinstance(call.value, str):
        return frozenset({call.value})
    if isinstance(call.value, Function):
        return _read(call.value)
    return NO_FIELDS if call.aggregate is Count or issubclass(call.aggregate, WindowStart) else None


def _read(function: Function) -> Fields:
    found = look(function, 0)
    return found and found.attributes


def _passed(found: Look | None, behind: Sequence[Fields]) -> Fields:
    if found is None:
        return None
    return _both(found.attributes, behind[0]) if found.passes else found.attributes


def _key(attributes: tuple[str, ...]) -> Fields:
    return None if attributes == kinds.WHOLE_ITEM else frozenset(attributes)


FRAMES = {"dir", "eval", "exec", "locals", "vars"}
"""Functions that see all variables of their caller."""


@dataclass(frozen=True)
class Look:
    """The attributes that are read, and whether the item may leave as it is, or with some
    attributes replaced."""

    attributes: frozenset[str]
    passes: bool = False


def attributes_read(function: Function) -> frozenset[str] | None:
    """The attributes of its only argument that a function reads; None when it may see all of it.

    >>> sorted(attributes_read(Function.from_source("lambda t: t.price > 2 * t.bid", {})))
    ['bid', 'price']
    >>> attributes_read(Function.from_source("lambda t: len(t) > 3", {})) is None
    True
    """
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing) or len(syntax.parameters) != 1:
        return None
    found = look(function, 0)
    return found and found.attributes


def look(function: Function, position: int,
         emitted: Callable[[FunctionSyntax], Iterable[ast.expr | None]] = lambda syntax: ()
         ) -> Look | None:
    """How a function looks at the argument at a position; None when it may see all of it.
    `emitted` tells the expressions of its syntax that are the items it gives.

    >>> look(Function.from_source("lambda s, t: s.n + t.bid", {}), 1)
    Look(attributes=frozenset({'bid'}), passes=False)
    """
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing) or len(syntax.parameters) <= position:
        return None
    item = syntax.parameters[position]
    inside = [node for statement in syntax.body for node in ast.walk(statement)]
    names = [node for node in inside if isinstance(node, ast.Name)]
    given = [name for made in emitted(syntax) if (name := _given_out(made, item))]
    read = [node for node in inside if isinstance(node, ast.Attribute) and isinstance(
        node.ctx, ast.Load) and _is(node.value, item) and node.value not in given]
    known = len(given) + len(read) == sum(node.id == item for node in names)
    if not known or any(node.id in FRAMES for node in names):
        return None
    return Look(frozenset(node.attr for node in read), bool(given))


def _is(node: ast.expr | None, item: str) -> bool:
    return isinstance(node, ast.Name) and node.id == item


def _given_out(made: ast.expr | None, item: str) -> ast.Name | None:
    """Where an expression names the item that it gives, itself or with attributes replaced."""
    match made:
        case ast.Name() if _is(made, item):
            return made
        case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="replace" | "_replace"),
                      args=[], keywords=changes) if _is(name, item) and all(
                          change.arg for change in changes):
            return name
    return None
