"""A plan as a lazy DataFrame: exchanges, sorts and `mapInArrow`.

Only the API of Spark Connect is used. Nothing is computed here, and no job is started: Spark does
that when the result is asked for.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from anabranch.core.errors import ProgramError, RunError, UsageError
from anabranch.engine.spark.frames.columns import ITEM, computed
from anabranch.engine.spark.frames.held import HeldRows
from anabranch.engine.spark.frames.layout import MARK, QUEUE, Layout
from anabranch.engine.spark.frames.merging import TimedSource, merged
from anabranch.engine.spark.frames.plain import PlainColumns, in_objects, written
from anabranch.engine.spark.frames.tasks import PartFunction, PartTask
from anabranch.engine.spark.job.pickling import dumped_program, users_modules_by_value
from anabranch.engine.spark.kept import ROCKS, STORE
from anabranch.engine.spark.session.requirements import check_module
from anabranch.engine.spark.session.workers import archived
from anabranch.engine.spark.stream.fingerprint import fingerprint
from anabranch.io.columns import columns_of
from anabranch.io.dataframe.columns import full_columns
from anabranch.io.dataframe.frames import FrameSource, place_name
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import Type
from anabranch.plan.physical.spark.frames import FrameExchange, FramePart, FramePlan
from anabranch.plan.physical.stages import Sharing
from anabranch.runtime.stage.double_check import Doubts

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

TIMES = {"instants": True, "wall clock": False}


def frame_of(plan: FramePlan, order: str | None, times: str,
             dropped: frozenset[str] = frozenset()) -> DataFrame:
    """The DataFrame of what a plan gives, with its order as a column if that has a name."""
    layout = layout_of(plan, TIMES[times])
    sources = plan.graph.sources
    _send_package(sources[0].kind.spec.frame)
    frame = _together(plan, layout)
    is_streaming = check_stream(plan)
    if is_streaming and len(sources) > 1:
        frame = merged(frame, _timed(plan), tuple(layout.group_names), _held(plan, layout),
                       plan.graph.writer(plan.queue).name)
    for part in plan.parts:
        if is_streaming and part.route is not FrameExchange.SOURCE:
            frame = _kept(plan, layout, part, frame, dropped)
        elif needs_python(plan, part):
            frame = _mapped(plan, layout, part, _dealt(plan, layout, part, frame))
    return _left(plan, layout, frame, order)


def _timed(plan: FramePlan) -> tuple[TimedSource, ...]:
    return tuple(TimedSource(plan.arrivals[op.name].number, op.name, op.kind.time, op.span)
                 for op in plan.graph.sources)


def _held(plan: FramePlan, layout: Layout) -> HeldRows:
    """The rows that wait for those of other sources, by the names of their columns."""
    names = {}
    for op in plan.graph.sources:
        queue = plan.entering(op)
        own = zip(layout.item_names(queue), columns_of(layout.types[queue]))
        names |= {number: f"{name} of {op.name}" for number, name in own}
        names |= {number: f"{name}, which gives the order of {op.name}"
                  for number, name in _placed(plan, op).items()}
    return HeldRows(names, plan.graph.sources[0].span)


def needs_python(plan: FramePlan, part: FramePart) -> bool:
    """Whether a part has anything to do."""
    return bool(part.stages) or any(q in plan.hashed for q in part.leaving)


def layout_of(plan: FramePlan, instant: bool) -> Layout:
    types = {q: plan.type_of(q) for part in plan.parts for q in (*part.entering, *part.leaving)}
    given = [dict(times_of(op.kind.spec.frame.schema)) for op in plan.graph.sources]
    instants = reduce(lambda one, other: other | one, given, {})
    kinds = set(instants.values())
    # What types the columns of the order have, the tasks see.
    origin = tuple((name, pa.null()) for name, _ in _origin(plan))
    return Layout(plan.ends, origin, plan.depth, types, plan.hashed, instants,
                  kinds.pop() if len(kinds) == 1 else instant, dict(_plain(plan)))


def _plain(plan: FramePlan) -> Iterator[tuple[str, PlainColumns]]:
    """The queues of what Spark gives or takes, if it has values that travel as objects."""
    from pyspark.sql.pandas.types import to_arrow_type

    if found := written(plan.type_of(plan.queue)):
        yield plan.queue, PlainColumns(found)
    for op in plan.graph.sources:
        queue, spec = plan.entering(op), op.kind.spec
        found = {name: to_arrow_type(spec.frame.schema[name].dataType)
                 for name in in_objects(spec.type)}
        if found:
            yield queue, PlainColumns(found, spec.span, given=True)


def times_of(schema: StructType) -> Iterator[tuple[str, bool]]:
    """By name, whether a column of times has instants."""
    from pyspark.sql import types as T

    for field in schema.fields:
        kind = field.dataType
        while isinstance(kind, (T.ArrayType, T.MapType)):
            kind = kind.elementType if isinstance(kind, T.ArrayType) else kind.valueType
        if isinstance(kind, T.StructType):
            yield from times_of(kind)
        elif isinstance(kind, (T.TimestampType, T.TimestampNTZType)):
            yield field.name, isinstance(kind, T.TimestampType)


def _origin(plan: FramePlan) -> Iterator[tuple[str, DataType]]:
    """The columns that say which row of which source another row comes of, with their types."""
    from pyspark.sql.types import LongType

    several = len(plan.graph.sources) > 1
    if several:
        yield "turn", LongType()
    timed = [op for op in plan.graph.sources if op.kind.time]
    if timed and (several or timed[0].kind.spec.order != (timed[0].kind.time,)):
        yield "time", _type(timed[0].kind.spec, timed[0].kind.time)
    if several:
        yield "src", LongType()
    for number, op in enumerate(plan.graph.sources):
        for n in range(len(op.kind.spec.order)):
            yield _place(number, n), _type(op.kind.spec, place_name(n))


def _place(source: int, number: int) -> str:
    return f"o{source}_{number}"


def _type(spec: FrameSource, name: str) -> DataType:
    return spec.frame.schema[name].dataType


def _together(plan: FramePlan, layout: Layout) -> DataFrame:
    """The rows of all sources, each with its stamp."""
    frames = [_stamped(plan, layout, op) for op in plan.graph.sources]
    _check_alike(plan.graph)
    return reduce(lambda one, other: one.unionByName(other), frames)


def _stamped(plan: FramePlan, layout: Layout, op: Operator) -> DataFrame:
    from pyspark.sql import functions as F

    spec, arrival, queue = op.kind.spec, plan.arrivals[op.name], plan.entering(op)
    known = {_place(arrival.number, n): F.col(f"`{place_name(n)}`")
             for n in range(len(spec.order))}
    known |= {name: F.lit(0).cast("bigint") for name in (*layout.end_names, *layout.path_names)}
    known |= {"turn": F.lit(arrival.turn).cast("bigint"), "src": F.lit(arrival.number).cast(
        "bigint"), QUEUE: F.lit(layout.numbers[queue]).cast("bigint")}
    if op.kind.time:
        known["time"] = F.col(f"`{op.kind.time}`")
    if op.name in plan.lines:
        frame = computed(spec, plan.lines[op.name], known)
        known = {name: F.col(f"`{name}`") for name in known}
    else:
        frame = spec.frame
    prefix = ITEM if op.name in plan.lines else ""
    known |= {name: F.col(f"`{prefix}{own}`") for name, own in
              zip(layout.item_names(queue), columns_of(layout.types[queue]))}
    return frame.select(*_columns(plan, layout, plan.parts[0].entering, known))


def _columns(plan: FramePlan, layout: Layout, queues: Sequence[str], known: dict
             ) -> Iterator[Column]:
    """The columns of rows on these queues; what is not known is null."""
    from pyspark.sql import functions as F

    without_hashes = {layout.hash_name(q) for q in layout.hashed} if queues == plan.parts[
        0].entering else set()
    for field in spark_schema(plan, layout, queues).fields:
        if field.name not in without_hashes:
            made = known.get(field.name)
            made = F.lit(None).cast(field.dataType) if made is None else made
            yield made.alias(field.name)


def spark_schema(plan: FramePlan, layout: Layout, queues: Sequence[str], marked: bool = False
                 ) -> StructType:
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(layout.schema(queues, marked), prefer_timestamp_ntz=True)
    for name, kind in _origin(plan):
        schema[name].dataType = kind
    return schema


def _check_alike(graph: Graph) -> None:
    """Times by which sources are merged are of one kind."""
    timed = [op for op in graph.sources if op.kind.time]
    kinds = {op.kind.spec.frame.schema[op.kind.time].dataType.simpleString(): op for op in timed}
    if len(kinds) > 1:
        (one, first), (other, second) = list(kinds.items())[:2]
        raise ProgramError(f"the times of '{first.name}' and '{second.name}' cannot be compared",
                           second.span, expected=one, got=other,
                           help="cast one of the columns to the type of the other")


def _dealt(plan: FramePlan, layout: Layout, part: FramePart, frame: DataFrame) -> DataFrame:
    """The rows at their tasks, source tuple by source tuple in order."""
    from pyspark.sql import functions as F

    if part.route is FrameExchange.SOURCE:
        return frame
    if part.is_marked:
        frame = _with_mark(plan, layout, part, frame)
    order = [F.col(f"`{name}`").asc_nulls_first() for name in layout.group_names]
    if part.route is FrameExchange.ONE:
        return frame.repartition(1).sortWithinPartitions(*order)
    return frame.repartition(_bucket(layout, part)).sortWithinPartitions(*order)


def _bucket(layout: Layout, part: FramePart) -> Column:
    """The hash of the keys; rows that only pass by are spread."""
    from pyspark.sql import functions as F

    def hashed(names: Sequence[str]) -> Column:
        return F.hash(*(F.col(f"`{name}`") for name in names))
    by_key = {q: hashed(layout.key_names(q, key)) for q, key in part.keys.items()}
    if len(part.entering) == 1:
        return by_key[part.entering[0]]
    bucket = hashed(layout.origin_names)
    for queue, own in by_key.items():
        bucket = F.when(F.col(QUEUE) == layout.numbers[queue], own).otherwise(bucket)
    return bucket


def _with_mark(plan: FramePlan, layout: Layout, part: FramePart, frame: DataFrame) -> DataFrame:
    """One row more, on no queue: without any row Spark would run no task."""
    from pyspark.sql import functions as F

    schema = spark_schema(plan, layout, part.entering, marked=True)
    if QUEUE not in frame.columns:
        frame = frame.withColumn(QUEUE, F.lit(layout.numbers[part.entering[0]]).cast("bigint"))
    mark = frame.sparkSession.range(1).select(*(
        (F.lit(MARK) if field.name == QUEUE else F.lit(None)).cast(field.dataType).alias(field.name)
        for field in schema.fields))
    return frame.unionByName(mark)


def _mapped(plan: FramePlan, layout: Layout, part: FramePart, frame: DataFrame) -> DataFrame:
    """The rows after the stages of a part."""
    data = task_of(plan, layout, part)
    name = " ".join(op.name for stage in part.stages for op in stage.operators)
    schema = spark_schema(plan, layout, part.leaving)
    return frame.mapInArrow(PartFunction(name or "hash", data), schema)


def _kept(plan: FramePlan, layout: Layout, part: FramePart, frame: DataFrame,
          dropped: frozenset[str]) -> DataFrame:
    """The rows after stages whose state Spark keeps, by bucket."""
    from pyspark.sql import functions as F

    from anabranch.engine.spark.frames import buckets as kept

    bucket = F.lit(0) if part.route is FrameExchange.ONE else F.pmod(
        _bucket(layout, part), F.lit(kept.BUCKETS))
    packed = frame.withColumn(kept.BUCKET, bucket.cast("int")).mapInArrow(
        kept.Packing(), kept.PACKED)
    processor = kept.BucketProcessor(task_of(plan, layout, part, endless=True, dropped=dropped))
    done = kept.served(packed, processor, _told_as(plan, part))
    return done.mapInArrow(kept.Unpacking(), spark_schema(plan, layout, part.leaving))


def _told_as(plan: FramePlan, part: FramePart) -> str:
    """The name of a part in the progress of a query. Outputs of one program may be united to one
    query, and have names of their own in it."""
    names = [op.name for stage in part.stages for op in stage.operators]
    last = plan.graph.writer(plan.queue).name
    return " ".join(names) if last in names else f"{' '.join(names)} for {last}"


def check_stream(plan: FramePlan) -> bool:
    """Whether the rows are a stream's; refuses what a stream cannot have."""
    sources = plan.graph.sources
    streams = [op for op in sources if op.kind.spec.is_streaming]
    if streams and len(streams) < len(sources):
        still = next(op for op in sources if op not in streams)
        raise ProgramError("a stream and a DataFrame that does not grow cannot be merged",
                           still.span, expected="streams, or none",
                           help="join them in Spark before, or read this one with readStream")
    untimed = next((op for op in sources if not op.kind.time), None)
    if streams and len(sources) > 1 and untimed is not None:
        raise ProgramError("several streams are merged by their times, and one has none: nobody "
                           "knows how far the others are", untimed.span,
                           help="name the attribute that has the time of a row: "
                                "from_spark(..., time=...); or union them in Spark before")
    if streams and (len(sources) > 1 or any(
            part.route is not FrameExchange.SOURCE for part in plan.parts)):
        check_store(streams)
    return bool(streams)


def check_store(sources: Iterable[Operator]) -> None:
    """Refuses to keep anything of a stream where Spark has no store for it."""
    for op in sources:
        for package in ("pandas", "google.protobuf") if op.kind.spec.is_streaming else ():
            check_module("a stream with state", package, op.span)
        conf = op.kind.spec.frame.sparkSession.conf
        if op.kind.spec.is_streaming and "RocksDB" not in (
                conf.get(f"{STORE}.providerClass", "") or ""):
            raise UsageError("the state of a stream needs the state store of RocksDB", op.span,
                             help=f'spark.conf.set("{STORE}.providerClass", "{ROCKS}")')


def task_of(plan: FramePlan, layout: Layout, part: FramePart, endless: bool = False,
            dropped: frozenset[str] = frozenset()) -> bytes:
    """What the tasks of a part are told, as bytes."""
    specs = [op.kind.spec for op in plan.graph.sources]
    # Columns that no operator can have changed are looked at where the source's rows arrive.
    is_first = part is next(p for p in plan.parts if needs_python(plan, p))
    sources = [op for op in plan.graph.sources if is_first and op.name not in plan.lines]
    full = {op.outputs[0]: dict(_full(layout, op)) for op in sources}
    placed = {op.outputs[0]: _placed(plan, op) for op in sources}
    spans = {q: plan.graph.writer(q).span for q in layout.types}
    order = tuple(dict.fromkeys(name for spec in specs for name in spec.order))
    bare = [stage for stage in part.stages if stage.sharing is not Sharing.TOGETHER]
    kernels = kernels_by_stage(plan)
    task = PartTask(_bare(plan.graph), part, layout, plan.depths,
                    {s.index: kernels[s.index] for s in bare if s.index in kernels}, order, full,
                    placed, spans, Doubts(plan.plan), specs[0].span, endless, dropped,
                    functions_of(plan.graph) if endless else {})
    with users_modules_by_value():
        return dumped_program(task, list(plan.graph))


def functions_of(graph: Graph) -> dict[str, str]:
    """Short names for what the functions of the operators are, wherever these read from."""
    return {name: hashlib.sha256("\n".join(lines[1:]).encode()).hexdigest()[:16]
            for name, lines in fingerprint(graph).items()}


def kernels_by_stage(plan: FramePlan) -> dict[int, object]:
    return {index: tier.kernel for index, tier in plan.tiers.items() if tier.kernel is not None}


def _full(layout: Layout, op: Operator) -> Iterator[tuple[str, str]]:
    queue, names = op.outputs[0], list(columns_of(op.kind.spec.type))
    for name in full_columns(op.kind.spec.type):
        yield layout.item_names(queue)[names.index(name)], name


def _placed(plan: FramePlan, op: Operator) -> dict[str, str]:
    """The columns of a source's order, with the names that they have for the user."""
    number = plan.arrivals[op.name].number
    return {_place(number, n): name for n, name in enumerate(op.kind.spec.order)}


def _bare(graph: Graph) -> Graph:
    """The graph without the DataFrames, which stay here."""
    return graph.with_operators(
        replace(op, kind=replace(op.kind, spec=None)) if op.is_source or op.is_sink else op
        for op in graph)


def _left(plan: FramePlan, layout: Layout, frame: DataFrame, order: str | None) -> DataFrame:
    """The items under their own names, and their order."""
    from pyspark.sql import functions as F

    names = columns_of(layout.types[plan.queue])
    if order in names:
        raise ProgramError(f"the items have an attribute '{order}' already", plan.sink.span,
                           help="give the column of the order another name")
    items = [F.col(f"`{own}`").alias(name)
             for own, name in zip(layout.item_names(plan.queue), names)]
    if order is None:
        return frame.select(*items)
    stamp = [F.col(f"`{name}`") for name in (*layout.group_names, *layout.path_names)]
    return frame.select(*items, F.struct(*stamp).alias(order))


_SENT: set[tuple[int, str]] = set()
"""To which sessions this package has been sent, by their addresses."""


def _send_package(frame: DataFrame) -> None:
    """Gives this package to executors on other machines, once in a session; on this machine tasks
    are this Python, as in runs over files, unless the user has named another."""
    session = frame.sparkSession
    if _is_local(session):
        if not (os.environ.get("PYSPARK_PYTHON") or session.conf.get("spark.pyspark.python", None)):
            session.sparkContext.pythonExec = sys.executable
        return
    with archived() as archive:
        known = id(session), archive.rpartition("/")[2]
        if known not in _SENT:
            session.addArtifacts(archive, pyfile=True)
            _SENT.add(known)


def _is_local(session: object) -> bool:
    try:
        master = session.conf.get("spark.master")
    except Exception:
        return False
    return type(session).__module__.startswith("pyspark.sql.session") and bool(
        master) and master.startswith("local")


def check_known(kind: Type, sink: Operator) -> None:
    """Refuses items of which nothing is known: a DataFrame has columns."""
    try:
        written(kind)
    except RunError:
        raise ProgramError("a DataFrame needs the type of its items", sink.span, got=str(kind),
                           help="say it where they are made: map(..., to=T), apply(..., to=T)"
                           ) from None
