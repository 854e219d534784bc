"""Live fields: which fields of the items on a queue anything behind it may look at.

What nobody looks at need not be read from a file, nor travel to another worker. Only the message of
a failure shows more of an item.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce, singledispatch

from anabranch.analysis.facts.attributes import Look, look
from anabranch.analysis.facts.forwarding import given, returned
from anabranch.analysis.typing.types import is_plain_record
from anabranch.ir import operators as kinds
from anabranch.ir.aggregates import Call, Count, WindowStart
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.join import WindowJoin
from anabranch.ir.synchronized import Synchronized
from anabranch.ir.types import RecordOf, Type
from anabranch.ir.windows import AggregateWindow

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
def _join(kind: WindowJoin, port, behind):
    times = (kind.keep[port].on,) if kind.keep[port].on else ()
    found = _passed(look(kind.function, port), behind)
    return _all([found, _key(kind.keys_of(port)), frozenset(times)])


@_fields.register
def _aggregate(kind: AggregateWindow, port, behind):
    times = frozenset({kind.window.on} if kind.window.on else ())
    folded = [_folded(call) for _, call in kind.calls]
    return _all([*folded, _key(kind.by), _key(kind.shown), times])


def _folded(call: Call) -> Fields:
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
