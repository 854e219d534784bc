"""Which operators must run together, one source tuple after another.

Everywhere else an operator may take a whole slice of tuples before the next operator takes it: per
source tuple each operator then sees what it sees in the sequential engine, in the same order. That
fails for operators that observe *when* an item comes: on a loop, or sharing something. What they
share may lie outside of the graph: in a global list, in random numbers, in a file. No queue and no
variable says so, but the analysis knows what their functions touch. Where one changes what another
looks at, each has to find it as the sequential engine would leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from anabranch.analysis.effects.machine import EVERYTHING, SHARED_OBJECTS
from anabranch.analysis.fact import ITEMS, Effect, EffectKind, Facts
from anabranch.analysis.typing.types import is_immutable
from anabranch.ir.graph import Graph, Operator


def together(graph: Graph, facts: Facts, fusions: Iterable[tuple[str, ...]] = ()
             ) -> list[frozenset[str]]:
    """The operators (without the sources) in sets that stay together; most are alone.

    - the two ends of a queue that leads backwards, the users of a variable or of something
      outside of the graph, and all sinks;
    - an operator that observes timing, and whatever feeds it from behind;
    - whatever lies on a path from a set back into it;
    - what the user has fused with one of a set.
    """
    sets = Sets(op.name for op in graph if not op.is_source)
    for bond in (*_bonds(graph), *meeting(graph, facts)):
        sets.unite(bond)
    size = None
    while size != len(sets):
        size = len(sets)
        for op in graph:
            if not op.is_source and _observes_timing(op, sets):
                sets.unite([op.name, *_feeding_from_behind(graph, op)])
        _unite_cycles(graph, sets)
        for parts in fusions:
            if any(len(sets.of[part]) > 1 for part in parts):
                sets.unite(parts)
    return sets.all


class Sets:
    """Disjoint sets of names that grow together."""

    def __init__(self, names: Iterable[str]):
        self.of = {name: frozenset([name]) for name in names}

    def __len__(self) -> int:
        return len(set(self.of.values()))

    def unite(self, names: Iterable[str]) -> None:
        united = frozenset().union(*(self.of[name] for name in names))
        self.of |= dict.fromkeys(united, united)

    @property
    def all(self) -> list[frozenset[str]]:
        return list(dict.fromkeys(self.of.values()))


def _bonds(graph: Graph) -> Iterable[list[str]]:
    for queue in graph.queues:
        writer = graph.writer(queue.name)
        back = [r.name for r in graph.readers(queue.name)
                if graph.position(r) <= graph.position(writer)]
        if back:
            yield [writer.name, *back]
    for variable in graph.variables:
        yield [op.name for op in graph.sharing(variable.name)]
    yield [op.name for op in graph.sinks]


def _observes_timing(op: Operator, sets: Sets) -> bool:
    """Several inputs arrive interleaved; operators of one set take turns."""
    return len(op.inputs) > 1 or len(sets.of[op.name]) > 1


def _feeding_from_behind(graph: Graph, op: Operator) -> list[str]:
    """What leads to `op` but stands behind it: it may fire after `op` and make it fire again."""
    return [name for name in _reached(op, graph.predecessors)
            if graph.position(name) >= graph.position(op)]


def _unite_cycles(graph: Graph, sets: Sets) -> None:
    """Sets from which one comes back to them take in what lies on the way."""
    for members in sets.all:
        behind = _around(graph, members, graph.successors, sets)
        before = _around(graph, members, graph.predecessors, sets)
        sets.unite(members | (behind & before))


def _around(graph: Graph, members: frozenset[str], step, sets: Sets) -> frozenset[str]:
    """All that is reached from the members, set by set."""
    found, waiting = set(), list(members)
    while waiting:
        op = graph[waiting.pop()]
        fresh = {m for near in step(op) if not near.is_source for m in sets.of[near.name]} - found
        found |= fresh
        waiting.extend(fresh)
    return frozenset(found)


def _reached(op: Operator, step) -> set[str]:
    found: set[str] = set()
    waiting = [op]
    while waiting:
        for near in step(waiting.pop()):
            if near.name not in found and not near.is_source:
                found.add(near.name)
                waiting.append(near)
    return found


CHANGES = (EffectKind.WRITES, EffectKind.UNRESOLVED, EffectKind.RANDOM, EffectKind.IO)


def meeting(graph: Graph, facts: Facts, among: Iterable[Operator] | None = None
            ) -> list[list[str]]:
    """The pairs of operators (of all, or of some) of which one changes what the other touches."""
    known = [op for op in (graph if among is None else among)
             if not op.is_source and op.name in facts and not facts[op.name].state.declared]
    touching: dict[object, list[Operator]] = {}
    for op in known:
        for part in dict.fromkeys(_touches(graph, op, facts)):
            touching.setdefault(part, []).append(op)
    return [[one.name, other] for one in known for other in dict.fromkeys(
        op.name for part in _changes(one, facts) for op in touching.get(part, ()) if op is not one)]


def led(graph: Graph, facts: Facts) -> list[tuple[Operator, Operator]]:
    """The pairs of a source and an operator that touches what the source changes while it is read:
    a generator that is read ahead would show it what comes later."""
    return [(source, op) for source, op in _read_and_seen(graph, facts)
            if not _changes(source, facts).isdisjoint(_touches(graph, op, facts))]


def led_by_name(graph: Graph, facts: Facts) -> list[tuple[Operator, Operator]]:
    """Those of them where the functions of both name what it is. Items are copied when they are
    given out, so that an operator takes some with it in them is not meant."""
    def named(op: Operator, kinds: Iterable[EffectKind]) -> set[object]:
        effects = [e for e in facts[op.name].purity.value if e.kind in kinds and e.name != op.name]
        return set().union(*(e.identity for e in effects)) - {EVERYTHING, ITEMS, SHARED_OBJECTS}
    return [(source, op) for source, op in _read_and_seen(graph, facts)
            if not named(source, CHANGES).isdisjoint(named(op, EffectKind))]


def _read_and_seen(graph: Graph, facts: Facts) -> Iterator[tuple[Operator, Operator]]:
    known = [op for op in graph if op.name in facts]
    return product((op for op in known if op.is_source), (op for op in known if not op.is_source))


def _changes(op: Operator, facts: Facts) -> set[object]:
    effects = [e for e in facts[op.name].purity.value if e.kind in CHANGES]
    return set().union(*map(_parts, effects))


def _touches(graph: Graph, op: Operator, facts: Facts) -> Iterator[object]:
    for effect in facts[op.name].purity.value:
        yield from _parts(effect)
    if op.kind.functions:
        yield EVERYTHING
    if not all(map(is_immutable, graph.input_types(op))):
        yield ITEMS


def _parts(effect: Effect) -> Iterator[object]:
    """What an effect touches; all random numbers come from one generator, for all we know."""
    yield from (effect.name, *effect.identity)
    if effect.kind is EffectKind.RANDOM:
        yield EffectKind.RANDOM
