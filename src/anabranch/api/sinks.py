"""Where streams end, and how a program is run and explained from Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, Unpack

from anabranch.api import script
from anabranch.api.arguments import Item, function
from anabranch.api.node import Node, connected_sinks, graph_of, is_loading, leading_to
from anabranch.core.errors import AnabranchError, ProgramError, UsageError, did_you_mean
from anabranch.core.source import Span, caller_span, is_interactive
from anabranch.io import formats
from anabranch.io.files.packing import bare
from anabranch.ir.ends import STANDARD, SinkSpec
from anabranch.ir.operators import Sink
from anabranch.runtime.started import StartedStream

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from anabranch.engine.spark.stream.upgrade import ProgramChange
    from anabranch.explain import Explanation
    from anabranch.ir.graph import Graph
    from anabranch.runtime.options import (
        Engine,
        Keywords,
        RunKeywords,
        RunOptions,
        RunReport,
    )


class Sinks(Generic[Item]):
    """The methods of a stream that end it; a sink's file appears whole or not at all."""

    def write_csv(self, path: str | Path, *, name: str | None = None, ordered: bool = True
                 ) -> Self:
        """Writes a CSV file, with the names of the fields first; a folder of parts if the path
        ends in a slash. `ordered=False` gives up the order of the rows. What is written is
        compressed if the path ends in `.gz`, `.bz2` or `.zst`."""
        spec = formats.csv.CsvSink(str(path), caller_span())
        return self._sink(spec, name or _stem(path), ordered)

    def write_jsonl(self, path: str | Path, *, name: str | None = None, ordered: bool = True
                   ) -> Self:
        """Writes one line of JSON for each item, to a file or a folder of parts."""
        spec = formats.jsonl.JsonlSink(str(path), caller_span())
        return self._sink(spec, name or _stem(path), ordered)

    def write_parquet(self, path: str | Path, *, name: str | None = None, ordered: bool = True
                     ) -> Self:
        """Writes a Parquet file, or a folder of parts."""
        spec = formats.parquet.ParquetSink(str(path), caller_span())
        return self._sink(spec, name or _stem(path), ordered)

    def write_arrow(self, path: str | Path, *, name: str | None = None, ordered: bool = True
                   ) -> Self:
        """Writes an Arrow file (IPC, Feather), or a folder of parts."""
        spec = formats.arrow.ArrowFileSink(str(path), caller_span())
        return self._sink(spec, name or _stem(path), ordered)

    def write_avro(self, path: str | Path, *, name: str | None = None, ordered: bool = True
                   ) -> Self:
        """Writes an Avro file, or a folder of parts; `pip install 'anabranch[avro]'` has what
        encodes them."""
        spec = formats.avro.AvroSink(str(path), caller_span())
        return self._sink(spec, name or _stem(path), ordered)

    def write_stdout(self, format: Literal["csv", "jsonl", "table"] = "csv", *,
                     name: str = "stdout") -> Self:
        """Prints the items to standard output, as "csv" or "jsonl", or at the end as a "table"."""
        return self._sink(formats.stdio.StdoutSink(format, caller_span()), name)

    def collect_into(self, items: list[Any], *, name: str = "collected") -> Self:
        """Appends all items to a Python list when the program has run."""
        return self._sink(formats.objects.ListSink(items), name)

    def for_each(self, callback: Callable[[Item], object], *, name: str | None = None) -> Self:
        """Calls a function with every item, in order."""
        called = function(callback, caller_span(), "for_each")
        return self._sink(formats.objects.CallbackSink(callback), name or called.name.strip("<>"))

    def collect(self, *, engine: Engine = "sequential", **options: Unpack[Keywords]
                ) -> list[Item]:
        """Runs what leads to this stream and gives its items; other sinks are left alone.

        It is for looking at results, so it begins at once, in this process, where `run` would
        start Spark; `engine` names another engine.
        """
        items: list[Any] = []
        self._run_into(formats.objects.ListSink(items), {"engine": engine, **options})
        return items

    def show(self, n: int = 10, *, engine: Engine = "sequential", **options: Unpack[Keywords]
             ) -> None:
        """Prints the first `n` items as a table. It runs at once what leads to this stream, as
        `collect` does; while `anabranch run` loads a file it is a sink of the program."""
        shown = self.head(n)
        if is_loading():
            shown.write_stdout("table", name="show")
        else:
            sink = formats.stdio.StdoutSink("table", caller_span())
            shown._run_into(sink, {"engine": engine, **options})

    def to_arrow(self, *, engine: Engine = "multicore", **options: Unpack[Keywords]) -> pa.Table:
        """Runs what leads to this stream and gives its items as an Arrow table, which data frames
        are made of: `polars.from_arrow(...)`, or `.to_pandas()`; other sinks are left alone.

        It runs in this process, on all its cores; `engine` names another engine.
        """
        tables: list[pa.Table] = []
        spec = formats.tables.ArrowSink(tables, caller_span())
        self._run_into(spec, {"engine": engine, **options})
        # Whatever still knows the list, until cycles are looked for, must not keep the table.
        return tables.pop()

    def to_spark(self, *, order: str | None = None,
                 times: Literal["instants", "wall clock"] = "instants",
                 dropped: Iterable[str] = ()) -> DataFrame:
        """What leads to this stream as a lazy Spark DataFrame, from sources that are DataFrames.

        Nothing runs before Spark is asked for rows. They come in no order: `order` names a column
        more, which `orderBy` sorts by. `times` says whether new columns of times have "instants" or
        "wall clock" times; those of the sources stay what they are. A query that goes on forgets
        the state of the operators `dropped`, which the program does not have any more.
        """
        from anabranch.api.frames import to_spark

        return to_spark(self, order=order, times=times, dropped=dropped)

    def state_changes(self, checkpoint: str, *, dropped: Iterable[str] = ()
                      ) -> list[ProgramChange]:
        """What a query over DataFrames would meet that went on from its checkpoint as this program.

        Each has the name of an operator, or of a class of its state, whether it is `accepted`, and
        what was there `before` and is `now`. Nothing is run or changed.
        """
        from anabranch.api.frames import state_changes

        return state_changes(self, checkpoint, dropped)

    def run(self, **options: Unpack[RunKeywords]) -> RunReport | None:
        """Runs the whole program that this stream belongs to, to all its sinks.

        It runs on Spark, on this machine, unless `engine` or `master` says otherwise, or
        ANABRANCH_ENGINE or a file anabranch.toml does. Options are
        those of the command line: `engine`, `workers`, `master`, `inputs`, `outputs`, `limit`,
        `rules`, `on_error`, ..., and those of a stream: `stream`, `checkpoint`, `trigger`,
        `until_idle`, `files_per_batch`, `start_over`. While `anabranch run` loads a file, that
        command runs it instead.
        """
        if is_loading():
            return None
        sinks = self._sinks()
        with _forgetting_bad(sinks):
            return _execute(graph_of(sinks), options)

    def start(self, **options: Unpack[RunKeywords]) -> StartedStream:
        """Runs the program as a stream in the background. What it gives is much like a
        `StreamingQuery` of Spark's: `status`, `last_progress`, `stop()`, `await_termination()`,
        `exception()`. Options are those of `run`."""
        graph = graph_of(self._sinks())
        return StartedStream(lambda asked: _execute(graph, asked), options)

    def explain(self, format: Literal["text", "json", "svg", "html"] = "text",
                **options: Unpack[RunKeywords]) -> Explanation | None:
        """Prints what was proved about the program, how it runs in parallel and why not where; with
        an `engine`, also how that one runs it, given the other options, which are those of `run`.

        A notebook shows what this gives as a picture; with `format="html"` or `"svg"` a page or a
        drawing is printed, to be kept in a file.
        """
        from anabranch.compile import plan_for
        from anabranch.engine.run import explained
        from anabranch.explain import Explanation, explain

        if is_loading():
            return None
        script.is_looked_at()
        asked = _asked(options)
        with _forgetting_bad(connected_sinks(self.node)):
            plan = plan_for(self.graph(), asked)
        how = None if "engine" not in options else explained(plan, asked)
        print(explain(plan, format, execution=how))
        return Explanation(plan)

    def _repr_html_(self) -> str:
        """The program as a picture, in a notebook."""
        from anabranch.compile import compile_graph
        from anabranch.explain import Explanation

        return Explanation(compile_graph(self.graph()))._repr_html_()

    def graph(self) -> Graph:
        """The graph of the whole program; of a stream without any sink, what leads to it."""
        script.is_looked_at()
        sinks = connected_sinks(self.node)
        if sinks:
            return graph_of(sinks)
        node = self._sink_node(formats.objects.ListSink([]), "collected", True)
        try:
            graph = graph_of([node])
        finally:
            node.forget()
        return formats.frames.as_frame(graph) if graph.sources and all(
            isinstance(op.kind.spec, formats.frames.FrameSource) for op in graph.sources) else graph

    def _run_into(self, spec: SinkSpec, options: RunKeywords) -> None:
        """Runs what leads to this stream into a sink that is there for this once."""
        node = self._sink_node(spec, "collected", True)
        try:
            _execute(graph_of([node]), options)
        finally:
            node.forget()

    def _sinks(self) -> list[Node]:
        sinks = connected_sinks(self.node)
        if not sinks:
            raise ProgramError("the program has no sink", self.node.span,
                               help="end it with write_csv, write_stdout, ..., or use collect()")
        return sinks

    def _sink(self, spec: SinkSpec, name: str, ordered: bool = True) -> Self:
        made = self._sink_node(spec, name, ordered)
        script.waits(made.span.file)
        if is_interactive(made.span.file):
            _forget_earlier(connected_sinks(self.node), made)
        return self

    def _sink_node(self, spec: SinkSpec, name: str, ordered: bool) -> Node:
        return Node(name, Sink(spec, ordered), [(self.node, self.port)], (), caller_span())


def _stem(path: str | Path) -> str:
    return Path(bare(str(path))).stem


def _forget_earlier(sinks: list[Node], made: Node) -> None:
    """A cell that is run again makes its sinks anew, and a file has only its latest sink."""
    path = made.kind.spec.place
    for sink in sinks:
        same_file = path not in (None, STANDARD) and sink.kind.spec.place == path
        if sink is not made and (same_file or _is_of_earlier_run(sink, made)):
            sink.forget()


def _is_of_earlier_run(sink: Node, made: Node) -> bool:
    return None not in (sink.run, made.run) and sink.run.is_before(
        made.run, sink.span.line, made.span.line)


@contextmanager
def _forgetting_bad(sinks: list[Node]) -> Iterator[None]:
    """A notebook's sink that has failed does not spoil later runs: its cell is to be run again."""
    try:
        yield
    except AnabranchError as error:
        for sink in _bad(sinks, error.where):
            if is_interactive(sink.span.file):
                sink.forget()
                told = f"'{sink.name}' is left out from now on: run its cell again when it is right"
                error.help = f"{error.help}; {told}" if error.help else told
        raise


def _bad(sinks: list[Node], where: Span | str | None) -> list[Node]:
    """The sinks that have failed; or those behind an operator that has, where others are not."""
    failed = [sink for sink in sinks if where is not None
              and where in (sink.span, sink.kind.spec.span)]
    behind = [sink for sink in sinks if any(node.span == where for node in leading_to(sink))]
    return failed or (behind if len(behind) < len(sinks) else [])


def _execute(graph: Graph, options: RunKeywords) -> RunReport:
    from anabranch.compile import plan_for
    from anabranch.engine.defaults import origins_told
    from anabranch.engine.run import execute
    from anabranch.runtime.termination import ending_as_asked

    script.is_looked_at()
    with origins_told(), ending_as_asked():
        asked = _asked(options)
        return execute(plan_for(graph, asked), asked)


def _asked(options: RunKeywords) -> RunOptions:
    """These options of a run, and the defaults of the others."""
    from anabranch.engine.defaults import with_defaults
    from anabranch.runtime.options import RunOptions

    known = RunOptions.__dataclass_fields__
    for option in options:
        if option not in known:
            raise UsageError(f"there is no option '{option}'", caller_span(),
                             help=did_you_mean(option, known))
    return RunOptions(**with_defaults(options))
