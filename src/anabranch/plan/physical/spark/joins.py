"""Unions and joins of DataFrames as what has one input, for kernels.

A union that only hands items on stands apart from the stage behind it, and is nothing at all where
Spark computes what comes to it. A join that keeps the last item of a side, as one of trades with
the latest quote does, becomes an operator over the items of both sides:

    left  ── map: Both(0, ...) ──┐
                                 union ── apply: keep the left one; pair the right one with it
    right ── map: Both(1, ...) ──┘

That is done where it compiles. Fields of one type share a column, whichever side they are of.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.ir.operators import Apply, Map, Union
from anabranch.ir.records import Record, RecordMeta, state_class
from anabranch.ir.types import BOOL, FLOAT, INT, STR, RecordOf, Type, without_none
from anabranch.ir.windows import WindowJoin
from anabranch.plan.physical.spark.columns import ColumnLine
from anabranch.plan.physical.stages import Sharing, Stage
from anabranch.plan.physical.tiers import passes, tier_of

ZEROS = {INT: 0, FLOAT: 0.0, BOOL: False, STR: ""}
"""What stands for a value that a side does not have, and what a state begins with."""

KEYS = (INT, STR)
"""Types whose equal values are one key, whichever side they are of."""


def unions_apart(stages: Iterable[Stage]) -> list[Stage]:
    """The stages, with those unions alone that stand before others and only hand items on."""
    numbers, found = _numbers(stages := list(stages)), []
    for stage in stages:
        first, *rest = stage.operators
        if rest and passes(first) and stage.sharing is not Sharing.TOGETHER and (
                len(set(stage.keys)) < 2):
            found.append(_handing_on(next(numbers), first))
            stage = replace(stage, operators=tuple(rest), inputs=first.outputs,
                            keys=stage.keys[:1])
        found.append(stage)
    return found


def _numbers(stages: Iterable[Stage]) -> Iterator[int]:
    return count(1 + max((stage.index for stage in stages), default=0))


def _handing_on(number: int, op: Operator) -> Stage:
    """A stage of an operator without state."""
    return Stage(number, (op,), Sharing.ANY, op.inputs, op.outputs)


def unions_in_columns(graph: Graph, stages: Iterable[Stage], lines: Mapping[str, ColumnLine]
                      ) -> tuple[list[Stage], dict[str, ColumnLine]]:
    """The same without unions of what Spark computes: its rows are on the union's queue then."""
    lines, left = dict(lines), []
    for stage in stages:
        op = stage.operators[0]
        own = {name for name, line in lines.items() if line.queue in op.inputs}
        if stage.operators == (op,) and passes(op) and len(own) == len(op.inputs) and all(
                _goes_only_to(graph, queue, op) for queue in op.inputs):
            lines |= {name: replace(line, queue=op.outputs[0], operators=(*line.operators, op))
                      for name, line in lines.items() if name in own}
        else:
            left.append(stage)
    return left, lines


def _goes_only_to(graph: Graph, queue: str, op: Operator) -> bool:
    same = graph.queue(queue).type == graph.queue(op.outputs[0]).type
    return same and [reader.name for reader in graph.readers(queue)] == [op.name]


def joins_in_columns(graph: Graph, stages: Iterable[Stage]) -> tuple[Graph, list[Stage]]:
    """The graph and its stages with joins as operators over the items of both sides."""
    numbers, found = _numbers(stages := list(stages)), []
    for stage in stages:
        op = stage.operators[0]
        made = _of_both(graph, op) if stage.sharing is Sharing.BUCKETS else None
        if made is None or not made.compiles(graph, stage):
            found.append(stage)
            continue
        graph = made.within(graph)
        stages_before = [_handing_on(next(numbers), step) for step in made.before]
        found += [*stages_before, made.stage(stage)]
    return graph, found


@dataclass(frozen=True)
class JoinOfBoth:
    """What stands for a join: two maps and a union `before` it, and the operator `joined`."""

    before: tuple[Operator, ...]
    joined: Operator
    queues: tuple[Queue, ...]
    key: tuple[str, ...]

    def within(self, graph: Graph) -> Graph:
        def operators() -> Iterator[Operator]:
            for op in graph:
                if op.name == self.joined.name:
                    yield from (*self.before, self.joined)
                else:
                    yield op
        return graph.with_operators(operators(), self.queues)

    def stage(self, stage: Stage) -> Stage:
        return replace(stage, operators=(self.joined, *stage.operators[1:]),
                       inputs=self.joined.inputs, keys=(self.key,))

    def compiles(self, graph: Graph, stage: Stage) -> bool:
        return tier_of(self.within(graph), self.stage(stage)).name == "native"


def _of_both(graph: Graph, op: Operator) -> JoinOfBoth | None:
    """What may stand for a join, if it is one of single values that keeps one item at most."""
    kind = op.kind
    if not isinstance(kind, WindowJoin) or kind.outer or not kind.by:
        return None
    if any(keep.time is not None or keep.count not in (0, 1) for keep in kind.keep):
        return None
    types = graph.input_types(op)
    if not all(isinstance(item, RecordOf) for item in types):
        return None
    slots = _slots([item.fields for item in types], (kind.by, kind.by_right))
    return None if slots is None else _written(op, [item.cls for item in types], slots)


@dataclass(frozen=True)
class Slots:
    """The columns of the items of both sides, with their types; by side, which column each field
    is in, and what fills the others."""

    types: Mapping[str, Type]
    places: tuple[Mapping[str, str], ...]
    fillers: tuple[Mapping[str, str], ...]
    key: tuple[str, ...]


def _slots(sides: Sequence[Mapping[str, Type]], keys: Sequence[tuple[str, ...]]) -> Slots | None:
    """None where a value could be missing that nothing can stand for."""
    types: dict[str, Type] = {}
    places: tuple[dict[str, str], ...] = ({}, {})
    for names in zip(*keys):
        kinds = {fields[name] for fields, name in zip(sides, names)}
        if len(kinds) > 1 or not kinds.issubset(KEYS):
            return None
        types[names[0]] = kinds.pop()
        for place, name in zip(places, names):
            place[name] = names[0]
    for fields, place in zip(sides, places):
        for name, kind in fields.items():
            if name not in place:
                place[name] = _free(types, kind, {*place.values(), *keys[0]})
    fillers = tuple(_fillers(types, place) for place in places)
    wanted = {slot for filler in fillers for slot, text in filler.items() if text is None}
    if wanted or not all(without_none(kind) in ZEROS for kind in types.values()):
        return None
    return Slots(types, places, fillers, tuple(keys[0]))


def _free(types: dict[str, Type], kind: Type, taken: Container[str]) -> str:
    """A column of the type that the side does not use yet."""
    free = (name for name, known in types.items() if known == kind and name not in taken)
    name = next(free, f"value_of_join{len(types)}")
    types[name] = kind
    return name


def _fillers(types: Mapping[str, Type], place: Mapping[str, str]) -> dict[str, str | None]:
    missing = set(types) - set(place.values())
    zeros = {name: ZEROS.get(without_none(types[name])) for name in types if name in missing}
    return {name: None if zero is None else repr(zero) for name, zero in zeros.items()}


def _written(op: Operator, classes: Sequence[type], slots: Slots) -> JoinOfBoth:
    both = _record(classes, slots)
    kind, names = RecordOf(both), (f"{op.name}_left", f"{op.name}_right")
    maps = [Operator(name, Map(_to_both(both, slots, side, op)), (queue,), (name,), span=op.span)
            for side, (name, queue) in enumerate(zip(names, op.inputs))]
    together = f"{op.name}_both"
    union = Operator(together, Union(2), names, (together,), span=op.span)
    state, body = _state(op, slots), _body(op, classes, slots)
    joined = replace(op, kind=Apply(body, state, slots.key), inputs=(together,))
    queues = tuple(Queue(name, kind) for name in (*names, together))
    return JoinOfBoth((*maps, union), joined, queues, slots.key)


def _record(classes: Sequence[type], slots: Slots) -> type[Record]:
    """The class of the items of both sides; each is shown as what it was."""
    def shown(self) -> str:
        place, cls = slots.places[self.port_of_join], classes[self.port_of_join]
        return repr(cls(*(getattr(self, place[name]) for name in cls.__record_fields__)))
    types = {"port_of_join": INT, **slots.types}
    cls = RecordMeta("Both", (Record,), {"__annotations__": dict.fromkeys(types, object),
                                         "__repr__": shown})
    cls.__field_types__ = types
    return cls


def _to_both(both: type, slots: Slots, side: int, op: Operator) -> Function:
    own = {slot: f"item.{name}" for name, slot in slots.places[side].items()}
    values = ", ".join((slots.fillers[side] | own)[slot] for slot in slots.types)
    return Function.from_source(f"lambda item: Both({side}, {values})", {"Both": both}, op.span)


def _state(op: Operator, slots: Slots) -> type:
    """What is kept of each side, and whether anything is."""
    fields = {}
    for side, keep in enumerate(op.kind.keep):
        if keep.count:
            fields[f"known{side}"] = bool, False
            fields |= {f"{slot}_{side}": (slots.types[slot], ZEROS[without_none(slots.types[slot])])
                       for slot in slots.places[side].values() if slot not in slots.key}
    return state_class(fields)


def _body(op: Operator, classes: Sequence[type], slots: Slots) -> Function:
    """What the join does with an item: it meets what is kept of the other side, and is kept."""
    lines = ["def joined(state, both):"]
    for side in (0, 1):
        lines.append("    if both.port_of_join == 0:" if side == 0 else "    else:")
        lines += [f"        {line}" for line in _meeting(op, slots, side)] or ["        pass"]
    scope = {"into": op.kind.function.call, "Left": classes[0], "Right": classes[1]}
    return Function.defined("\n".join(lines), "joined", scope, op.span)


def _meeting(op: Operator, slots: Slots, side: int) -> Iterator[str]:
    other = 1 - side
    if op.kind.keep[other].count:
        here, kept = _made(slots, side, "both.{}"), _made(slots, other, f"state.{{}}_{other}")
        pair = (here, kept) if side == 0 else (kept, here)
        yield f"if state.known{other}:"
        yield f"    yield into(Left({pair[0]}), Right({pair[1]}))"
    if op.kind.keep[side].count:
        yield f"state.known{side} = True"
        for slot in slots.places[side].values():
            if slot not in slots.key:
                yield f"state.{slot}_{side} = both.{slot}"


def _made(slots: Slots, side: int, how: str) -> str:
    """The arguments of a side's record: keys are those of the item, which are equal."""
    return ", ".join(f"{name}=" + (f"both.{slot}" if slot in slots.key else how.format(slot))
                     for name, slot in slots.places[side].items())
