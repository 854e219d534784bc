"""A plan over DataFrames as a chain of exchanges, sorts and `mapInArrow`.

Rows carry their stamp in columns: what they come from (the order of the source), and how they came
out of it, so that Spark's sort puts them in the order of the sequential program. The stamp is, from
its most to its least significant column:

    e0, e1, ...      whether an operator gave it at the end of the input; the last operator first
    turn, time, src  where there are several sources: which of them, and when
    @0, @1, ...      the columns that give the order of the source
    p0, p1, ...      the path: the index among the outputs of one firing, a port where streams meet

`engine/spark/frames/` executes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count

from anabranch.analysis.facts.forwarding import forwarding
from anabranch.analysis.facts.selectivity import selectivity
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Union
from anabranch.ir.types import IN_COLUMNS, AnyOf, Type, without_none
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution, StageTier, overall
from anabranch.plan.physical.spark.columns import ColumnLine, column_lines, without
from anabranch.plan.physical.spark.joins import joins_in_columns, unions_apart, unions_in_columns
from anabranch.plan.physical.spark.segments import Stages
from anabranch.plan.physical.stages import Sharing, Stage, finishes
from anabranch.plan.physical.tiers import Tier, tiers


class FrameExchange(Enum):
    """How rows come to the tasks of a part of the plan.

    SOURCE: where the DataFrame has them. BUCKETS: by the hash of the keys, in order. ONE: all to
    one task, in order.
    """

    SOURCE = "as they are"
    BUCKETS = "by key"
    ONE = "to one task"


@dataclass(frozen=True)
class FramePart:
    """The stages between two exchanges, one `mapInArrow`. `entering` and `leaving` are the queues
    whose rows come and go; `finals` the operators that it tells of the end of the input."""

    route: FrameExchange
    stages: tuple[Stage, ...]
    entering: tuple[str, ...]
    leaving: tuple[str, ...]
    finals: tuple[str, ...] = ()

    @property
    def keys(self) -> Mapping[str, tuple[str, ...]]:
        """By queue, the attributes whose hash chooses the task."""
        if self.route is not FrameExchange.BUCKETS:
            return {}
        return dict(zip(self.stages[0].inputs, self.stages[0].keys))

    @property
    def is_marked(self) -> bool:
        """Whether it must be told of the end also if no row comes at all."""
        return self.route is FrameExchange.ONE and bool(self.finals)


@dataclass(frozen=True)
class Arrival:
    """Where a source stands among several: sources with a time take one turn together."""

    turn: int
    number: int


@dataclass(frozen=True)
class FramePlan:
    """`lines` has, by source, the operators behind it that Spark computes as columns of its own;
    `hashed` by queue the key whose hash travels as a column, because no column is it."""

    plan: Plan
    graph: Graph
    lines: Mapping[str, ColumnLine]
    parts: tuple[FramePart, ...]
    tiers: Mapping[int, Tier]
    arrivals: Mapping[str, Arrival]
    ends: tuple[str, ...]
    depths: Mapping[str, int]
    hashed: Mapping[str, tuple[str, ...]]

    @property
    def depth(self) -> int:
        return max(self.depths.values(), default=0)

    @property
    def sink(self) -> Operator:
        """Where items leave; a DataFrame is what one sink is given."""
        return self.graph.sinks[0]

    @property
    def queue(self) -> str:
        """The queue of what leaves."""
        return self.sink.inputs[0]

    def entering(self, source: Operator) -> str:
        """The queue on which the rows of a source come to the first part."""
        return self.lines[source.name].queue if source.name in self.lines else source.outputs[0]

    def type_of(self, queue: str) -> Type:
        return self.graph.queue(queue).type

    def multiplies(self, stage: Stage) -> bool:
        return multiplies(self.graph, stage)


def frame_plan(plan: Plan) -> FramePlan:
    """How the plan runs as a DataFrame."""
    stages = Stages.of(plan, keyed_gangs=False)
    graph = by_stamps(stages.graph)
    before = [_by_keys(_of(graph, stage)) for stage in [*stages.before, *_with_sinks(stages)]]
    before = unions_apart(in_one_place(graph, before))
    if not any(op.kind.spec.is_streaming for op in graph.sources):
        graph, before = joins_in_columns(graph, before)
    lines = column_lines(graph, before)
    before, lines = unions_in_columns(graph, without(before, lines.values()), lines)
    entering = tuple(dict.fromkeys(lines[op.name].queue if op.name in lines else op.outputs[0]
                                   for op in graph.sources))
    parts = _parts(entering, before, {sink.inputs[0] for sink in graph.sinks})
    finals = tuple(name for part in parts for name in part.finals)
    ends = tuple(sorted(finals, key=graph.position, reverse=True))
    return FramePlan(plan, graph, lines, tuple(parts), tiers(graph, before), _arrivals(graph),
                     ends, _depths(graph, entering, before), _hashed(graph, parts))


def _with_sinks(stages: Stages) -> list[Stage]:
    """What has to take turns with the sinks elsewhere: here it takes turns with itself alone, and
    what it goes on changing is copied when it leaves."""
    own = [op for op in stages.sinks.operators if not op.is_sink]
    return [_together(stages.graph, stages.sinks.index, own)] if own else []


def _of(graph: Graph, stage: Stage) -> Stage:
    """The stage with the operators as the graph has them."""
    return replace(stage, operators=tuple(graph[op.name] for op in stage.operators))


def shown(plan: FramePlan, stream: bool = False) -> Execution:
    """What `explain` shows of it: the parts with their exchanges, and how they run."""
    columns = [StageTier(tuple(op.name for op in line.operators), "catalyst", None,
                         "where the rows are: no exchange") for line in plan.lines.values()]
    stages = [StageTier(tuple(op.name for op in stage.operators), tier.name, tier.reason,
                        arrival(plan, part, stream) if stage is part.stages[0] else
                        "in the same mapInArrow")
              for part in plan.parts for stage in part.stages
              for tier in [plan.tiers[stage.index]]]
    stages = columns + stages
    return Execution("spark", overall(stage.tier for stage in stages), tuple(stages),
                     {op.name: "frame" for op in plan.graph.sources},
                     {op.name: "frame" for op in plan.graph.sinks})


def arrival(plan: FramePlan, part: FramePart, stream: bool) -> str:
    """How rows come to a part, and what keeps their order."""
    order = ", ".join(dict.fromkeys(
        name for op in plan.graph.sources for name in (
            *([op.kind.time] if op.kind.time else []), *op.kind.spec.order)))
    keys = ", ".join(dict.fromkeys(name for key in part.keys.values() for name in key))
    if part.route is FrameExchange.SOURCE:
        return "mapInArrow where the rows are: no exchange"
    if stream:
        return (f"transformWithStateInPandas, grouped by buckets of {keys or 'no key: one task'}; "
                f"each batch of a bucket sorted by ({order}); state in Spark's store")
    if part.route is FrameExchange.ONE:
        return f"an exchange to one task, since it sees all rows; a sort by ({order}); mapInArrow"
    return f"an exchange by hash({keys}), a sort by ({order}), mapInArrow"


def _by_keys(stage: Stage) -> Stage:
    """A stage as it is shared here: a synchronized one goes by its keys, or is in order, and a
    union in the order of arrival only passes on."""
    if stage.sharing is Sharing.PLAN:
        return replace(stage, sharing=Sharing.BUCKETS if stage.keys else Sharing.ONE)
    if stage.sharing is Sharing.ONE and all(_passes_on(op) for op in stage.operators):
        return replace(stage, sharing=Sharing.ANY)
    return stage


def _passes_on(op: Operator) -> bool:
    return isinstance(op.kind, Union) and op.kind.on is None


def _parts(entering: tuple[str, ...], stages: list[Stage], last: set[str]) -> list[FramePart]:
    drafts: list[tuple[FrameExchange, list[Stage]]] = [(FrameExchange.SOURCE, [])]
    for stage in stages:
        if stage.sharing is Sharing.BUCKETS:
            drafts.append((FrameExchange.BUCKETS, []))
        elif stage.sharing is not Sharing.ANY and drafts[-1][0] is not FrameExchange.ONE:
            drafts.append((FrameExchange.ONE, []))
        drafts[-1][1].append(stage)
    parts = []
    for index, (route, own) in enumerate(drafts):
        wanted = {*last, *(q for _, behind in drafts[index + 1:] for s in behind for q in s.inputs)}
        known = dict.fromkeys([*entering, *(q for stage in own for q in stage.outputs)])
        leaving = tuple(q for q in known if q in wanted)
        finals = tuple(op.name for stage in own for op in stage.operators if finishes(op)
                       and not _passes_on(op))
        parts.append(FramePart(route, tuple(own), entering, leaving, finals))
        entering = leaving
    return parts


def _depths(graph: Graph, entering: Iterable[str], stages: list[Stage]) -> dict[str, int]:
    """How long the path of each queue's rows is."""
    found = dict.fromkeys(entering, 0)
    for stage in stages:
        depth = depth_behind(graph, stage, [found[q] for q in stage.inputs])
        found |= dict.fromkeys(stage.outputs, depth)
    return found


def depth_behind(graph: Graph, stage: Stage, given: list[int]) -> int:
    """How long the path is behind a stage, from those of its inputs."""
    if stage.sharing is Sharing.TOGETHER:
        return 1
    return max(given) + (len(given) > 1) + multiplies(graph, stage)


def multiplies(graph: Graph, stage: Stage) -> bool:
    """Whether a stage may give several items for one, or items at the end of the input."""
    return any(not selectivity(graph, op).value.at_most_one or finishes(op)
               for op in stage.operators if not _passes_on(op))


def _arrivals(graph: Graph) -> dict[str, Arrival]:
    """The turns of the sources, as `runtime.ends.merging` takes them."""
    turns, found, timed = count(), {}, None
    for number, op in enumerate(graph.sources):
        if op.kind.time and timed is not None:
            turn = timed
        else:
            turn = next(turns)
        timed = turn if op.kind.time else timed
        found[op.name] = Arrival(turn, number)
    return found


def _hashed(graph: Graph, parts: list[FramePart]) -> dict[str, tuple[str, ...]]:
    found = {}
    for part in parts:
        kinds = [tuple(_kinds(graph.queue(q).type, key)) for q, key in part.keys.items()]
        if any(None in each for each in kinds) or len(set(kinds)) > 1:
            found |= part.keys
    return found


def _kinds(item: Type, key: tuple[str, ...]) -> Iterator[Type | None]:
    """The types of the attributes of a key; None where they are no columns of their own."""
    columns = columns_of(item) if not isinstance(item, AnyOf) else {}
    for name in key:
        kind = without_none(columns.get(name, AnyOf()))
        yield kind if kind in IN_COLUMNS else None


def in_one_place(graph: Graph, stages: list[Stage]) -> list[Stage]:
    """The stages with one in place of all from the first on whose end comes together again after it
    has parted: the order of that would need the ports before the keys."""
    first = next((n for n, stage in enumerate(stages) if stage.sharing is not Sharing.TOGETHER
                  and any(_parts_at_end(graph, op) for op in stage.operators)), None)
    return stages if first is None else [*stages[:first], _together(
        graph, stages[first].index, [op for stage in stages[first:] for op in stage.operators])]


def _parts_at_end(graph: Graph, op: Operator) -> bool:
    """Whether what it gives at the end of the input comes to another operator by two ways."""
    if not finishes(op) or _passes_on(op) or op.name in graph.looping:
        return False
    return any(sum(op.name in _upstream(graph, q) for q in other.inputs) > 1
               for other in graph if other.name != op.name)


def _together(graph: Graph, index: int, operators: Iterable[Operator]) -> Stage:
    """One stage that takes each source tuple through all of these, as in sequence."""
    operators = sorted(operators, key=lambda op: graph.position(op.name))
    names, written = {op.name for op in operators}, {q for op in operators for q in op.outputs}
    given = dict.fromkeys(q for op in operators for q in op.inputs if q not in written)
    left = (q for op in operators for q in op.outputs
            if any(reader.name not in names for reader in graph.readers(q)))
    return Stage(index, tuple(operators), Sharing.TOGETHER, tuple(given), tuple(left))


def _upstream(graph: Graph, queue: str) -> set[str]:
    found: set[str] = set()
    waiting = [graph.writer(queue)]
    while waiting:
        op = waiting.pop()
        if op.name not in found:
            found.add(op.name)
            waiting += graph.predecessors(op)
    return found


def by_stamps(graph: Graph) -> Graph:
    """The graph in which a union by the time of its sources holds nothing back.

    The order of the rows' stamps is the order of these times already, if the sources come in the
    order of the union's ports. It must be the only way from them to what follows: nobody else sees
    when the union lets an item go, nor which source is first.
    """
    for op in graph:
        if origins := _origins(graph, op):
            passing = replace(op, kind=replace(op.kind, on=None), reads=(), writes=())
            rest = (other for other in graph if other not in origins)
            return graph.with_operators([*origins, *(
                passing if other is op else other for other in rest)])
    return graph


def _origins(graph: Graph, op: Operator) -> list[Operator]:
    """The sources of a union that merges what is in order already, by its ports; nothing of
    others."""
    if not isinstance(op.kind, Union) or op.kind.on is None or graph.looping:
        return []
    if any(_without(graph, sink, op) for sink in graph.sinks):
        return []
    found = [_timed_source(graph, queue, op.kind.on) for queue in op.inputs]
    names = {source.name for source in found if source is not None}
    return found if len(names) == len(found) == len(graph.sources) else []


def _without(graph: Graph, sink: Operator, union: Operator) -> bool:
    """Whether anything comes to the sink that has not passed the union."""
    waiting, seen = [sink], set()
    while waiting:
        op = waiting.pop()
        if op.is_source:
            return True
        if op.name not in seen and op.name != union.name:
            seen.add(op.name)
            waiting += graph.predecessors(op)
    return False


def _timed_source(graph: Graph, queue: str, attribute: str) -> Operator | None:
    """The source whose time the attribute is, on the single way that leads here."""
    op = graph.writer(queue)
    while not op.is_source:
        if len(op.inputs) != 1 or finishes(op):
            return None
        attribute = forwarding(graph, op)[0].value.origin(attribute)
        op = graph.writer(op.inputs[0])
        if attribute is None:
            return None
    return op if op.kind.time == attribute else None


