"""The plan in the words of `explain`, and what a run did in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from anabranch.ir.graph import Graph, Operator
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.physical.columns import columns_shown
from anabranch.plan.physical.ends import Form
from anabranch.plan.physical.hot_keys import InParts, windows_told
from anabranch.plan.physical.plan import Execution, StageTier, overall
from anabranch.plan.physical.spark.dataframe import DataFramePlan, from_parquet_to_parquet
from anabranch.plan.physical.spark.plan import SparkPlan, spark_plan
from anabranch.plan.physical.spark.reading import rows_of_a_slice
from anabranch.plan.physical.spark.segments import Exchange, Segment
from anabranch.plan.physical.stages import Stage
from anabranch.plan.physical.tiers import Tier

COLUMNS, MIXED, ROWS = "in columns", "in columns where rows are plain", "row by row"
BY_TASKS, BY_DRIVER = "by tasks", "by the driver, which sends slices"
FALLS_BACK = ("as a DataFrame; as slices where Spark does not compute as Python does: a number of "
              "more than 64 bits, or a text that is no UTF-8")


@dataclass
class Deeds:
    """What a run has done, as it was noted where it was done. `exchanges` has for each stage by its
    number how its input came to the tasks that `tasks` has, and whether they were `alone`; `reads`
    the forms and places in which sources were read, and `writes` those of sinks; `stages` and
    `tiers` what every stage did."""

    exchanges: dict[int, set[Exchange]] = field(default_factory=dict)
    tasks: dict[int, set[int]] = field(default_factory=dict)
    alone: set[bool] = field(default_factory=set)
    reads: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    writes: dict[str, set[str]] = field(default_factory=dict)

    def served(self, stage: int, exchange: str, task: int, alone: bool) -> None:
        self.exchanges.setdefault(stage, set()).add(Exchange(exchange))
        self.tasks.setdefault(stage, set()).add(task)
        self.alone.add(alone)

    def work(self, stage: int) -> str:
        """Who has served a stage, as far as it is known."""
        tasks = self.tasks.get(stage)
        return work(len(tasks), self.alone == {True}) if tasks else ""

    def read(self, source: str, form: str, place: str) -> None:
        self.reads.setdefault(source, set()).add((form, place))

    def wrote(self, sink: str, place: str) -> None:
        self.writes.setdefault(sink, set()).add(place)


def execution(physical: SparkPlan) -> Execution:
    """The plan in words."""
    if isinstance(physical.frame, DataFramePlan):
        return _as_frame(physical, physical.frame)
    alone = physical.known_alone
    segments = physical.segments_alone if alone else physical.segments
    stages = [_stage(physical, segment, stage, bool(alone))
              for segment in segments for stage in segment.stages]
    sinks = [_sink(physical, op, segments[-1], bool(alone))
             for op in physical.stages.sinks.operators if op.is_sink]
    return Execution("spark", overall(stage.tier for stage in stages), (*stages, *sinks),
                     reads=_reads(physical), whole=_whole(physical, alone))


def explained(plan: Plan) -> Execution:
    """That of a plan whose sources are bound, with the options that a run has of itself."""
    return execution(spark_plan(plan))


def _stage(physical: SparkPlan, segment: Segment, stage: Stage, alone: bool) -> StageTier:
    tier = physical.tiers[stage.index]
    batches = _stream_tier(physical, tier)
    notes = "; ".join(filter(None, [
        arrival(physical.graph, segment, stage, alone, physical.may_have_gangs),
        columns_shown(physical.graph, stage, {} if physical.reading.by_driver else physical.wanted),
        windows_told(physical.graph, stage, tier), _in_batches(stage), batches]))
    tasks = 1 if alone else most_tasks(physical, segment)
    return StageTier(operator_names(stage), tier.name, tier.reason, notes, work(tasks, alone),
                     tasks)


def _stream_tier(physical: SparkPlan, tier: Tier) -> str:
    if not physical.asked.stream or tier.kernel is None:
        return ""
    return ("row by row while its kernel is compiled beside batches of "
            f"{shown_bytes(physical.tuning.worth_kernels)} or more, and until then")


def most_tasks(physical: SparkPlan, segment: Segment) -> int:
    """How many tasks serve a segment at most, as far as it is known before anything is read."""
    cores, knobs = physical.cluster.cores, physical.tuning
    if segment.route is Exchange.ONE:
        return 1
    if segment.route is Exchange.PLAN:
        return cores
    if physical.asked.stream:
        in_buckets = min(cores, physical.buckets)
        return in_buckets if segment.route is Exchange.BUCKETS else knobs.tasks_per_core * cores
    slices = physical.reading.slices
    if segment.route is Exchange.BUCKETS:
        return 2 * cores if slices is None else max(1, min(2 * cores, slices))
    if slices is None:
        return knobs.tasks_per_core * cores
    ends = len(physical.told_of_end) if segment.route is Exchange.SOURCE else 0
    return physical.reading_tasks(slices + ends, 0)


def work(tasks: int, alone: bool) -> str:
    """Who serves a stage."""
    if alone:
        return "in one task, together with every other stage"
    return "in one task" if tasks == 1 else f"in up to {tasks} tasks"


def _sink(physical: SparkPlan, op: Operator, last: Segment, alone: bool) -> StageTier:
    by_tasks = op.name in physical.part_sinks
    return StageTier((op.name,), "parts" if by_tasks else "driver", None, _last(last, alone),
                     _part_files(physical, alone) if by_tasks else "in order")


def _part_files(physical: SparkPlan, alone: bool) -> str:
    if physical.asked.stream:
        return "part files of each batch, one of each task, in their order"
    return "one part file" if alone else "a part file of each task, in their order"


def _last(segment: Segment, alone: bool) -> str:
    if segment.route is Exchange.PARTS and not segment.stages:
        return PUT_BACK if alone else "a shuffle back into slices, by their stamps"
    return "no shuffle, no stamps: slices come in order"


PUT_BACK = "no shuffle: rows are put back into slices by their stamps"


def _reads(physical: SparkPlan) -> dict[str, str]:
    return {op.name: ", ".join(filter(None, _read(physical, op))) for op in physical.graph.sources}


def _read(physical: SparkPlan, op: Operator) -> Iterator[str]:
    reading = physical.reading
    if (why := reading.by_driver) is not None:
        yield f"{ROWS}, {BY_DRIVER}: {why.text}"
        return
    place = BY_TASKS if physical.cluster.local else (
        f"{BY_TASKS} where they find its files, else {BY_DRIVER}")
    yield f"{MIXED if reading.forms.get(op.name) is Form.COLUMNS else ROWS}, {place}"
    yield from ("in splits for each batch",) if physical.asked.stream else _splits(physical, op)
    if op.name in reading.why_rows:
        yield reading.why_rows[op.name]


def _splits(physical: SparkPlan, op: Operator) -> Iterator[str]:
    splits = [part for part in physical.reading.splits if part.source is op]
    yield f"in {len(splits)} split{'' if len(splits) == 1 else 's'}"
    undivided = [part.split for part in splits if part.split.undivided]
    for split in undivided[:1]:
        others = f" (and {len(undivided) - 1} more)" if len(undivided) > 1 else ""
        yield f"{split.file}{others} not divided: {split.undivided}"


def _whole(physical: SparkPlan, alone: bool | None) -> str:
    """What holds for every stage: for which cluster it is planned, and whether one task does it."""
    return "; ".join(filter(None, (_alone(physical, alone), str(physical.cluster),
                                   _frame_or_not(physical))))


def _frame_or_not(physical: SparkPlan) -> str:
    """Whether a line from Parquet to Parquet is a DataFrame, or why not."""
    if isinstance(physical.frame, DataFramePlan):
        return FALLS_BACK
    return f"no DataFrame: {physical.frame.text}" if from_parquet_to_parquet(physical.graph) else ""


def _alone(physical: SparkPlan, alone: bool | None) -> str:
    if physical.asked.stream:
        return (f"one task does a batch of less than {shown_bytes(physical.tuning.small_batch)}, "
                "with no shuffle; what is told here is a larger one")
    if alone is None:
        first = rows_of_a_slice(0, physical.tuning)
        return (f"one task does everything if no more than {first} rows come; what is told here is "
                "with more")
    return _why_alone(physical) if alone else ""


def _why_alone(physical: SparkPlan) -> str:
    if physical.reading.by_driver is not None:
        return "one task does everything: its rows fit into one slice"
    if physical.reading.slices == 0:
        return "one task does everything: there is nothing to read"
    return f"one task does everything: the input is one split{_undivided(physical)}"


def _undivided(physical: SparkPlan) -> str:
    [part] = physical.reading.splits
    return f", as {part.split.undivided}" if part.split.undivided else ""


def shown_bytes(count: int) -> str:
    """
    >>> shown_bytes(1 << 20), shown_bytes(1 << 16), shown_bytes(7)
    ('1 MiB', '64 KiB', '7 bytes')
    """
    for size, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= size and not count % size:
            return f"{count // size} {unit}"
    return f"{count:,} byte{'' if count == 1 else 's'}"


def _as_frame(physical: SparkPlan, frame: DataFramePlan) -> Execution:
    inner = tuple(name for stage in physical.stages.before for name in operator_names(stage))
    shown = StageTier(inner, "catalyst", None,
                      "no shuffle, no stamps: tasks read splits, and write parts in their order")
    name, count = frame.source.name, len(frame.files)
    read = f"{COLUMNS}, by Spark itself, in {count} file{'' if count == 1 else 's'}"
    return Execution("spark", "catalyst", (shown, StageTier((frame.sink.name,), "parts")),
                     reads={name: read}, whole=_whole(physical, False))


def operator_names(stage: Stage) -> tuple[str, ...]:
    return tuple(op.name for op in stage.operators)


def arrival(graph: Graph, segment: Segment, stage: Stage, alone: bool, gangs: bool = True) -> str:
    """How rows come to a stage, and what keeps their order."""
    if stage is not segment.stages[0] or segment.route is Exchange.SOURCE:
        return "no shuffle, no stamps: slices stay where they are, and keep their order"
    return _alone_arrival(graph, segment, stage) if alone else _shuffled(graph, segment, stage)


def _shuffled(graph: Graph, segment: Segment, stage: Stage) -> str:
    keys = _keys(stage)
    return {Exchange.BUCKETS: f"a shuffle by {keys}; stamps, because the rows of a slice part",
            Exchange.ONE: f"a shuffle to one task, whole slices in order: {_why_one(graph, stage)}",
            Exchange.PLAN: f"a shuffle by {f'{keys}, or by ' if keys else ''}the tags of a "
                        "synchronization plan, where a gang of tasks pays; stamps, because the "
                        "rows of a slice part",
            Exchange.PARTS: "a shuffle of whole slices to many tasks, in order"}[segment.route]


def _alone_arrival(graph: Graph, segment: Segment, stage: Stage) -> str:
    return {Exchange.BUCKETS: f"no shuffle: the rows of a slice part by {_keys(stage)} within the "
                              "task, with stamps",
            Exchange.ONE: f"no shuffle: whole slices in order: {_why_one(graph, stage)}",
            Exchange.PARTS: PUT_BACK}[segment.route]


def _keys(stage: Stage) -> str:
    return ", ".join(dict.fromkeys(name for key in stage.keys for name in key))


def _in_batches(stage: Stage) -> str:
    is_parts = isinstance(stage.operators[0].kind, InParts)
    return "in batches: a stream has no such stage, and keeps keys whole" if is_parts else ""


def _why_one(graph: Graph, stage: Stage) -> str:
    if any(op.name in graph.looping for op in stage.operators):
        return ("the loop goes round in it, since a round shared by several tasks would be a job "
                "of its own, which takes longer than most rounds")
    return "it sees all rows"


def recorded(physical: SparkPlan, deeds: Deeds, tiers: Mapping[int, str], why: Mapping[int, str]
             ) -> Execution:
    """What a run of the plan did: the exchanges, tasks, tiers, and ends that were noted down."""
    if isinstance(physical.frame, DataFramePlan):
        return execution(physical)
    stages = tuple(_done(physical, stage, deeds, tiers[stage.index], why[stage.index])
                   for stage in physical.stages.before if stage.index in deeds.tasks)
    sinks = tuple(StageTier((name,), place) for name, places in deeds.writes.items()
                  for place in sorted(places))
    reads = {name: ", ".join(_form_and_place(found)) for name, found in deeds.reads.items()}
    return Execution("spark", overall(stage.tier for stage in stages), (*stages, *sinks), reads,
                     whole=_alone_done(physical, deeds))


def _form_and_place(found: set[tuple[str, str]]) -> tuple[str, str]:
    forms, places = {form for form, _ in found}, sorted({place for _, place in found})
    return forms.pop() if len(forms) == 1 else MIXED, " and ".join(places)


def _alone_done(physical: SparkPlan, deeds: Deeds) -> str:
    if physical.fell_back:
        return physical.frame.text
    if deeds.alone == {True}:
        return "one task did everything"
    return "one task did some batches, several the others" if True in deeds.alone else ""


def _done(physical: SparkPlan, stage: Stage, deeds: Deeds, tier: str, why: str) -> StageTier:
    tasks, alone = len(deeds.tasks[stage.index]), deeds.alone == {True}
    segments = _routed(physical, deeds.exchanges[stage.index], stage, alone)
    arrivals = dict.fromkeys(arrival(physical.graph, segment, own, alone)
                             for segment, own in segments)
    return StageTier(operator_names(stage), tier, Reason(why) if why else None,
                     "; or ".join(arrivals), work(tasks, alone), tasks)


def _routed(physical: SparkPlan, routes: Iterable[Exchange], stage: Stage, alone: bool
            ) -> Iterator[tuple[Segment, Stage]]:
    """The segments by which a stage was reached. Where no gang has paid, they are those of a plan
    without gangs."""
    known = physical.segments_alone if alone else [*physical.segments, *physical.segments_alone]
    for route in sorted(routes, key=lambda each: each.value):
        yield next((segment, own) for segment in known if segment.route is route
                   for own in segment.stages if own.index == stage.index)
