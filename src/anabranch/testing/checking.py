"""`check`: a program on rows of a test, on all engines, however the input is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anabranch.api.operator import OperatorDefinition
from anabranch.api.sources import from_iterable
from anabranch.api.stream import Stream
from anabranch.compile import load, plan_for
from anabranch.core.errors import AnabranchError, UsageError, did_you_mean
from anabranch.core.source import Span, caller_span
from anabranch.engine.run import execute
from anabranch.io.python.objects import IterableSource, ListSink
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Sink, Source
from anabranch.ir.types import RecordOf, Type
from anabranch.runtime.options import RunOptions
from anabranch.testing.comparison import Mismatch, compare
from anabranch.testing.engines import Way, installed, ways
from anabranch.testing.golden import compare_with_file
from anabranch.testing.rows import is_strategy, item_of

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

Rows = Mapping[str, Any]
Outputs = dict[str, list]

FEW_ON_SPARK = 3
"""A job of Spark takes a good part of a second, however few rows it has."""


def check(program: str | Path | Stream[Any] | OperatorDefinition[Any, Any]
          | Callable[..., Stream[Any]],
          given: Any = None, expect: Any = None, *, parameters: Mapping[str, str] | None = None,
          engines: Iterable[str] | None = None, examples: int = 15) -> None:
    """Runs a program on the rows of a test, and raises a `Mismatch` at the first item that is not
    as it should be.

    The program is a file of any language, a stream, an operator, or a function from streams to a
    stream. `given` has the rows of its sources by their names, of one source also as a list: rows
    are records, dicts or tuples, or a Hypothesis strategy of lists of rows; the path of a file is
    read as such. What is not given is read from where the program says.

    `expect` has the items of its sinks by their names, of one sink also as a list. A path in their
    place is a golden file beside the test, which `pytest --anabranch-update-golden` writes. Without
    `expect` the engines are only compared with the sequential one.

    All `engines` that are installed are tried, or those named: with several degrees, and with the
    input cut in `examples` ways, which Hypothesis draws where it is installed. They are the same
    in each run.
    """
    where = caller_span()
    case = _Case(_built(program, given, parameters, where), where)
    rows = case.named(given, "source", [op.name for op in case.graph.sources])
    expected = case.named(expect, "sink", [op.name for op in case.graph.sinks])
    if not any(map(is_strategy, rows.values())):
        case.check_against(expected, rows)
    elif expected:
        raise UsageError("what comes out of drawn rows is not known beforehand", where,
                         help="leave `expect` out: the engines are compared with each other")
    names = tuple(engines) if engines is not None else installed()
    for name in names:
        if name != "sequential":
            _try(case, name, rows, examples if name != "spark" else min(examples, FEW_ON_SPARK))


@dataclass
class _Case:
    """A program whose sources are to have rows of a test."""

    graph: Graph
    where: Span

    def named(self, given: Any, what: str, names: Sequence[str]) -> dict[str, Any]:
        """What is given, under the names of the sources or sinks."""
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            if len(names) != 1:
                raise UsageError(f"the program has {len(names)} {what}s", self.where,
                                 expected=f"a dict, by {', '.join(names)}")
            return {names[0]: given}
        for name in given:
            if name not in names:
                raise UsageError(f"no {what} is called '{name}'", self.where,
                                 help=did_you_mean(name, names))
        return dict(given)

    def check_against(self, expected: Mapping[str, Any], rows: Rows) -> None:
        came = self.outputs(Way("sequential"), rows)
        for sink, items in expected.items():
            if isinstance(items, (str, Path)):
                compare_with_file(self.beside(items), sink, came[sink], self.sink_type(sink),
                                  self.where)
            else:
                compare(sink, list(items), came[sink], "the sequential engine",
                        self.graph[sink].kind.ordered)

    def beside(self, path: str | Path) -> Path:
        """A path, relative to the file with the test."""
        return Path(self.where.file).parent / path

    def sink_type(self, sink: str) -> Type:
        return self.graph.input_types(self.graph[sink])[0]

    def outputs(self, way: Way, rows: Rows) -> Outputs:
        """What the sinks get."""
        found: Outputs = {op.name: [] for op in self.graph.sinks}
        graph = self.graph.with_operators(self._bound(op, rows, found) for op in self.graph)
        with way.session() as session:
            options = RunOptions(
                way.engine, workers=way.workers, tune=way.tune, session=session,
                inputs={name: str(path) for name, path in rows.items() if _is_path(path)})
            execute(plan_for(graph, options), options)
        return found

    def _bound(self, op: Operator, rows: Rows, found: Outputs) -> Operator:
        if isinstance(op.kind, Sink):
            return replace(op, kind=replace(op.kind, spec=ListSink(found[op.name])))
        if not isinstance(op.kind, Source) or op.name not in rows or _is_path(rows[op.name]):
            return op
        if op.kind.whole is not None:
            raise UsageError(f"the source '{op.name}' is read as a file", self.where,
                             help="give the path of one")
        item = self.graph.output_types(op)[0]
        given = [_row(item, row) for row in rows[op.name]]
        spec = IterableSource(given, item, op.kind.time, op.span)
        return replace(op, kind=replace(op.kind, spec=spec))

    def agree(self, way: Way, rows: Rows, expected: Outputs | None = None) -> None:
        """Compares an engine with the sequential one."""
        right, told = _outcome(lambda: expected or self.outputs(Way("sequential"), rows))
        came, failed = _outcome(lambda: self.outputs(way, rows))
        if failed != told:
            raise Mismatch(f"{way} ends otherwise than the sequential engine\n"
                           f"\nsequential: {told or 'all is well'}\n\n{way}: "
                           f"{failed or 'all is well'}")
        for sink, items in right.items():
            compare(sink, items, came[sink], f"{way}, next to the sequential engine",
                    self.graph[sink].kind.ordered)


def _try(case: _Case, engine: str, rows: Rows, examples: int) -> None:
    """Tries an engine in several ways."""
    try:
        import hypothesis
    except ImportError:
        fixed = case.outputs(Way("sequential"), rows)
        known = ways(engine)
        for way in known[::max(1, len(known) // examples)]:
            case.agree(way, rows, fixed)
        return
    drawn = any(map(is_strategy, rows.values()))
    right = None if drawn else case.outputs(Way("sequential"), rows)

    @hypothesis.settings(derandomize=True, database=None, deadline=None, max_examples=examples,
                         suppress_health_check=list(hypothesis.HealthCheck), print_blob=False)
    @hypothesis.given(hypothesis.strategies.data())
    def attempt(data: DataObject) -> None:
        given = {name: data.draw(value, name) if is_strategy(value) else value
                 for name, value in rows.items()}
        case.agree(data.draw(Way.drawn(engine), "way"), given, right)
    attempt()


def _outcome(run: Callable[[], Outputs]) -> tuple[Outputs, str | None]:
    try:
        return run(), None
    except AnabranchError as error:
        return {}, str(error)


def _built(program: object, given: Any, parameters: Mapping[str, str] | None, where: Span) -> Graph:
    """The graph of whatever is a program."""
    if isinstance(program, (str, Path)):
        path = Path(program)
        beside = Path(where.file).parent / path
        return load(beside if beside.exists() else path, parameters)
    if isinstance(program, Stream):
        return program.graph()
    if isinstance(program, OperatorDefinition):
        return _streams(given, where)[0].apply(program).graph()
    if callable(program):
        made = program(*_streams(given, where))
        if isinstance(made, Stream):
            return made.graph()
    raise UsageError("nothing can be checked here", where, got=type(program).__name__,
                     expected="a program file, a stream, an operator, or a function from streams "
                              "to a stream")


def _streams(given: Any, where: Span) -> list[Stream]:
    """A stream for each list of rows that a function or an operator is checked on."""
    named = given if isinstance(given, Mapping) else {"given": given}
    return [from_iterable(rows, name=name) if not is_strategy(rows)
            else _drawn_stream(name, rows, where) for name, rows in named.items()]


def _drawn_stream(name: str, rows: Any, where: Span) -> Stream:
    kind = item_of(rows)
    if kind is None:
        raise UsageError("the type of drawn rows is not known", where,
                         help="draw them with anabranch.testing.rows(Record)")
    return from_iterable([], kind, name=name)


def _is_path(value: object) -> bool:
    return isinstance(value, (str, Path))


def _row(item: Type, row: object) -> object:
    """A row as the program gets it: a record also of a dict or a tuple."""
    if not isinstance(item, RecordOf) or type(row) is item.cls:
        return row
    if isinstance(row, Mapping):
        return item.cls(**row)
    return item.cls(*row) if type(row) is tuple else row
