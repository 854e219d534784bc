"""Where a program meets Spark: DataFrames in, and DataFrames out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anabranch.api.arguments import Out, attributes
from anabranch.api.node import Node, graph_of
from anabranch.api.operator import OperatorDefinition
from anabranch.api.stream import Stream
from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span, assigned_name, caller_span
from anabranch.io.columns import check_columns
from anabranch.io.dataframe.columns import check_single, chosen
from anabranch.io.dataframe.frames import FrameSink, FrameSource, place_name
from anabranch.io.lateness import check_lateness
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Sink, Source
from anabranch.ir.types import RecordOf, Type, type_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from anabranch.engine.spark.stream.upgrade import ProgramChange

KAFKA = ("topic", "partition", "offset")
FILES = ("_metadata.file_path", "_metadata.row_index")


def from_spark(frame: DataFrame, item: type[Out], *, order: str | Iterable[str] | None = None,
               time: str | None = None, lateness: float | timedelta | None = None,
               name: str | None = None) -> Stream[Out]:
    """The rows of a Spark DataFrame, in the order of its columns `order`.

    Columns are found by the names of the record's fields, and checked before anything runs. Without
    `order` the rows of Kafka go by (topic, partition, offset), and those of Parquet files by their
    place in them; `time` names the attribute by which several sources are merged, and each of them
    is then in the order of (time, order). With a `lateness` the order is that in which rows came;
    they are put into the order of their times, and what comes later is the stream's `late`.
    """
    return _source(frame, item, order, time, name, caller_span(), lateness)


def _source(frame: DataFrame, item: type, order: str | Iterable[str] | None, time: str | None,
            name: str | None, span: Span, lateness: float | timedelta | None = None
            ) -> Stream[Any]:
    _check_given(frame, span)
    item_type = type_of(item)
    check_columns(item_type, "a DataFrame", span)
    attributes(time, item_type, span, "time attribute")
    if lateness is not None:
        check_lateness(item_type, time, lateness, span)
    source = Source(_spec(frame, item_type, order, time, span, lateness), time)
    return Stream(Node(name or assigned_name(span) or "frame", source, (), [item_type], span))


def _check_given(frame: DataFrame, span: Span) -> None:
    """Refuses what is no DataFrame, or one that may not be looked at where it is made."""
    try:
        known = hasattr(frame, "sparkSession") and hasattr(frame, "schema")
    except Exception as error:
        if IN_PIPELINE not in str(error):
            raise
        raise ProgramError("a function of a pipeline may not look at the columns of a DataFrame",
                           span, got=IN_PIPELINE,
                           help="make the DataFrame outside of the function, which then returns it"
                           ) from None
    if not known:
        raise ProgramError("from_spark takes a Spark DataFrame", span, got=type(frame).__name__)


IN_PIPELINE = "ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION"
"""What Spark says of a function of `pyspark.pipelines` that asks for a schema."""


def _spec(frame: DataFrame, item: Type, order: str | Iterable[str] | None, time: str | None,
          span: Span, lateness: float | timedelta | None = None) -> FrameSource:
    """The rows of a DataFrame in their order, with the columns of the items."""
    # Of rows that come out of order the time says nothing of how they came.
    named, places = _order(frame, order, time if lateness is None else None, span)
    columns = chosen(frame, item, span)
    ordered = frame.select(*(place.alias(place_name(n)) for n, place in enumerate(places)),
                           *columns)
    return FrameSource(ordered, item, named, time, span, time, lateness)


def _order(frame: DataFrame, order: str | Iterable[str] | None, time: str | None, span: Span
           ) -> tuple[tuple[str, ...], list]:
    """The names of the columns of the order, and the columns."""
    from pyspark.sql import functions as F

    known = {field.name: field.dataType for field in frame.schema.fields}
    if order is not None:
        for name in (names := _names(order, span)):
            if name not in known:
                raise ProgramError(f"the DataFrame has no column '{name}' to give the order", span,
                                   help=did_you_mean(name, known))
            _check_sortable(name, known[name], span)
            check_single(frame, name, span)
        if names:
            return names, [F.col(f"`{name}`") for name in names]
    if set(KAFKA) <= set(known):
        return KAFKA, [F.col(name) for name in KAFKA]
    if time is not None:
        return (time,), [F.col(f"`{time}`")]
    if _has_places(frame):
        return FILES, [F.col(name) for name in FILES]
    raise ProgramError("the rows of the DataFrame have no order", span,
                       expected="order= with the columns that give it",
                       help='from_spark(df, ..., order="at"): their values must differ among the '
                            "rows of a key; Kafka has (topic, partition, offset), Parquet files "
                            "_metadata.row_index; from Spark 4.2 on df.zipWithIndex() numbers the "
                            "rows of a DataFrame that does not grow")


def _names(order: object, span: Span) -> tuple[str, ...]:
    """The names of the columns; a Column has none that could be asked for."""
    names = (order,) if not isinstance(order, (list, tuple)) else tuple(order)
    for name in names:
        if not isinstance(name, str):
            raise ProgramError("order= takes the names of columns", span, expected="texts",
                               got=f"a {type(name).__name__}",
                               help='make a column of it first: df.withColumn("place", ...), and '
                                    'order="place"; what is descending, as -place')
    return names


def _check_sortable(name: str, kind: object, span: Span) -> None:
    shown = kind.simpleString()
    if shown.startswith(NOT_SORTABLE) or " collate " in shown:
        raise ProgramError(f"the column '{name}' cannot give the order", span, got=shown,
                           expected="numbers, texts, bytes, dates or times",
                           help="make columns of what is in it, and name these in their order: "
                                'order=("day", "number")')


NOT_SORTABLE = ("map", "variant", "interval", "struct", "array", "void", "time(")


def _has_places(frame: DataFrame) -> bool:
    """Whether the rows know their place in a file: Spark says so when it is asked for its name."""
    try:
        # Spark logs an error when a name is not there, so it is only asked where files are.
        return bool(frame.inputFiles()) and len(frame.select(*FILES).schema.fields) == len(FILES)
    except Exception:
        return False


def spark(definition: OperatorDefinition[Any, Any] | Callable[[Any], Iterable[Any]], *,
          order: str | Iterable[str] | None = None, item: type | None = None,
          to: type | None = None) -> Callable[[DataFrame], DataFrame]:
    """An operator as a function from a DataFrame to a DataFrame: `df.transform(ab.spark(op))`.

    The items are those of the operator's annotation, or `item`.
    """
    span = caller_span()
    wanted = item or getattr(definition, "input_hint", None)
    if wanted is None:
        raise ProgramError("ab.spark() has to know the record of the rows", span,
                           help="annotate the operator's item, or give item=")

    def transformed(frame: DataFrame) -> DataFrame:
        rows = _source(frame, wanted, order, None, None, span)
        return to_spark(rows.apply(definition, to=to))
    return transformed


def to_spark(stream: Stream[Any], *, order: str | None = None, times: str = "instants",
             dropped: Iterable[str] = ()) -> DataFrame:
    """What leads to a stream, as a lazy DataFrame; see `Stream.to_spark`."""
    from anabranch.engine.spark.frames import dataframe

    span = caller_span()
    if not isinstance(order, str | None):
        raise ProgramError("to_spark(order=...) takes the name of a new column", span,
                           got=repr(order), help='to_spark(order="position")')
    return dataframe(_to_frame(stream, span), order, times, _names_of(dropped))


def state_changes(stream: Stream[Any], checkpoint: str, dropped: Iterable[str]
                  ) -> list[ProgramChange]:
    """What is not as it was when a checkpoint was written; see `Stream.state_changes`."""
    from anabranch.engine.spark.frames import state_changes as found

    return found(_to_frame(stream, caller_span()), checkpoint, _names_of(dropped))


def _names_of(given: Iterable[str]) -> Iterable[str]:
    return (given,) if isinstance(given, str) else given


def _to_frame(stream: Stream[Any], span: Span) -> Graph:
    """The program that leads from DataFrames to a stream, with a DataFrame at its end."""
    node = Node("to_spark", Sink(FrameSink(span)), [(stream.node, stream.port)], (), span)
    try:
        graph = graph_of([node])
    finally:
        node.forget()
    for source in graph.sources:
        if not isinstance(source.kind.spec, FrameSource):
            raise ProgramError("to_spark() takes what comes from DataFrames", source.span,
                               got=str(source.kind.spec),
                               help="read it with Spark, and give it to ab.from_spark()")
    return graph


COLUMNS = {"boolean": "bool", "tinyint": "int", "smallint": "int", "int": "int", "bigint": "int",
           "float": "float", "double": "float", "string": "string", "timestamp": "time",
           "timestamp_ntz": "time"}
"""The types of CQL for columns of a DataFrame."""


def cql(text: str, *, time: str | Mapping[str, str], order: str | Iterable[str] | None = None,
        position: str | None = None, **frames: DataFrame) -> DataFrame:
    """A CQL query over DataFrames, lazily: `ab.cql("select ...", quotes=df, time="at")`.

    The inputs are declared by the columns of the DataFrames, unless the text does it; columns of
    other types are not seen. `time` names the column of the timestamp, for all inputs or for each
    of them, and `order` the columns that order rows of one timestamp. The result has its order in
    the column `position`, if that has a name.
    """
    from anabranch.engine.spark.frames import dataframe

    return dataframe(cql_graph(text, time, order, frames, caller_span()), position)


def cql_graph(text: str, time: str | Mapping[str, str], order: str | Iterable[str] | None,
              frames: Mapping[str, DataFrame], span: Span) -> Graph:
    """The graph of a query whose inputs are DataFrames."""
    from anabranch.lang.cql import compiled, inputs_of

    times = dict.fromkeys(frames, time) if isinstance(time, str) else dict(time)
    for name, frame in frames.items():
        _check_input(name, frame, times, span)
    known = inputs_of(text, QUERY)
    declared = "\n".join(_declared(name, frame) for name, frame in frames.items()
                         if name not in known)
    return _over_frames(compiled(text, QUERY, times, declared), "cql", frames, order, span)


def spl(text: str, *, parameters: Mapping[str, str] = {}, order: str | Iterable[str] | None = None,
        position: str | None = None, **frames: DataFrame) -> DataFrame:
    """An SPL program over DataFrames, lazily: `ab.spl("composite Main { ... }", Orders=df)`.

    A DataFrame takes the place of the source whose stream has its name, and its columns are found
    by the names of the attributes; what the one sink of the program is given is the result.
    `parameters` are those of `--set`; `order` and `position` are as in `ab.cql`.
    """
    from anabranch.engine.spark.frames import dataframe
    from anabranch.lang.spl import compiled

    span = caller_span()
    graph = _over_frames(compiled(text, PROGRAM, parameters), "spl", frames, order, span)
    return dataframe(graph, position)


def program(path: str | Path, *, parameters: Mapping[str, str] = {},
            order: str | Iterable[str] | None = None, position: str | None = None,
            **frames: DataFrame) -> DataFrame:
    """A program file over DataFrames, lazily: `ab.program("hot.rill", readings=df)`.

    A DataFrame takes the place of the source with its name, whose items are records.
    """
    from anabranch.compile import load
    from anabranch.engine.spark.frames import dataframe

    span = caller_span()
    graph = _over_frames(load(path, dict(parameters)), "program", frames, order, span)
    return dataframe(graph, position)


def _over_frames(graph: Graph, function: str, frames: Mapping[str, DataFrame],
                 order: str | Iterable[str] | None, span: Span) -> Graph:
    """A graph whose sources are DataFrames, and whose one sink is another."""
    if len(graph.sinks) > 1:
        raise ProgramError("several queries give several results, and a DataFrame is one"
                           if function == "cql" else "the program has several sinks, and a "
                           "DataFrame is one", span, got=", ".join(op.name for op in graph.sinks),
                           help=f"call {function} for each of them")
    for op in graph.sources:
        if op.name not in frames:
            raise ProgramError(f"there is no DataFrame for the input '{op.name}'", span,
                               help=did_you_mean(op.name, frames) or (
                                   f"{function}(..., {op.name}=df)"))
        if not isinstance(graph.output_types(op)[0], RecordOf):
            raise ProgramError(f"the input '{op.name}' is not of records", span,
                               got=str(graph.output_types(op)[0]))
    known = [op.name for op in graph.sources]
    for name, frame in frames.items():
        if name not in known:
            raise ProgramError(f"the program has no input '{name}'", span,
                               help=did_you_mean(name, known))
        _check_frame(name, frame, span)
    return graph.with_operators(_framed(graph, op, frames, order, span) for op in graph)


def _check_input(name: str, frame: DataFrame, times: Mapping[str, str], span: Span) -> None:
    _check_frame(name, frame, span)
    if times.get(name) not in frame.columns:
        raise ProgramError(f"the input '{name}' has no column '{times.get(name)}' for its time",
                           span, help=did_you_mean(times.get(name) or "", frame.columns))


def _check_frame(name: str, frame: DataFrame, span: Span) -> None:
    if not hasattr(frame, "sparkSession"):
        raise ProgramError(f"the input '{name}' is a Spark DataFrame", span,
                           got=type(frame).__name__)


QUERY, PROGRAM = "<query>", "<program>"


def _declared(name: str, frame: DataFrame) -> str:
    fields = ", ".join(f"{COLUMNS[kind]} {field.name}" for field in frame.schema.fields
                       if (kind := field.dataType.simpleString()) in COLUMNS)
    return f"{name} := {{{fields}}} stream;"


def _framed(graph: Graph, op: Operator, frames: Mapping[str, DataFrame],
            order: str | Iterable[str] | None, span: Span) -> Operator:
    if op.is_sink:
        return replace(op, kind=Sink(FrameSink(span)), span=span)
    if not op.is_source:
        return op
    frame, kind = frames[op.name], graph.output_types(op)[0]
    return replace(op, kind=replace(op.kind, spec=_spec(frame, kind, order, op.kind.time, span)))
