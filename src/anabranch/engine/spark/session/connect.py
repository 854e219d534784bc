"""Spark Connect: sessions of a server, and jobs there, as DataFrames for RDDs.

A session is the user's, or one of ours that is stopped at the end of the run. A row of a DataFrame
is an element on its way: the task it goes to, the number of its slice, and all else as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa

from anabranch.core.errors import AnabranchError, RunError, UsageError
from anabranch.core.once import once
from anabranch.engine.spark.job.pickling import dumped, dumped_program, loaded
from anabranch.engine.spark.job.tasks import TaskProgram, work
from anabranch.engine.spark.session.computation import unfinished
from anabranch.engine.spark.session.requirements import check_version
from anabranch.engine.spark.session.workers import archived
from anabranch.plan.physical.spark.segments import Exchange

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.session import SparkSession


def is_remote(master: str | None, session: object | None) -> bool:
    """Whether a run is to go to a server of Spark Connect."""
    return _is_connect(session) or (master or "").startswith("sc://")


def _is_connect(session: object | None) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect")


NEEDED = (4, 1)
"""The first Spark in which rows are dealt to tasks by their number: `repartitionById`."""


@contextmanager
def connected(master: str | None, session: object | None) -> Iterator[ConnectContext]:
    """A session, for which this package has been sent to the server."""
    with ExitStack() as stack:
        if session is None:
            session = _opened(master)
            stack.callback(session.stop)
        archive = stack.enter_context(archived())
        with _reachable():
            check_version("a run on Spark Connect", NEEDED, session.version)
            session.addArtifacts(archive, pyfile=True)
        yield ConnectContext(session)


def _opened(master: str) -> object:
    from pyspark.sql import SparkSession

    with _reachable():
        return SparkSession.builder.remote(master).create()


@contextmanager
def _reachable() -> Iterator[None]:
    """Our errors where the server is not there, or what is needed on this side."""
    from pyspark.errors import PySparkImportError

    try:
        yield
    except AnabranchError:
        raise
    except PySparkImportError as error:
        raise UsageError("Spark Connect needs more packages", got=str(error),
                         help="pip install 'anabranch[connect]'") from None
    except Exception as error:
        raise not_started(str(error)) from None


def not_started(why: str) -> RunError:
    return RunError("Spark could not be started", got=why,
                    help="is the master there, and its address right?")


ADDRESS = ("task", "part", "slice")
SCHEMA = pa.schema([*((name, pa.int64()) for name in ADDRESS), ("data", pa.binary())])
TEXT = "task bigint, part bigint, slice bigint, data binary"

Row = tuple[int, int, int, bytes]


class ConnectContext:
    """A session of Spark Connect, with what is asked of a context."""

    def __init__(self, session: SparkSession):
        self.session, self.master = session, "sc"
        # Those of the server's workers are not changed from here.
        self.environment: dict[str, str] = {}

    @once
    def defaultParallelism(self) -> int:
        """How many tasks Spark makes by itself, which only a query tells here."""
        from pyspark.sql import functions as F

        shown = self.session.range(1 << 12).select(F.spark_partition_id().alias("task"))
        return shown.distinct().count()

    def each(self, function: Callable, items: Sequence) -> Iterator:
        """What a function gives for each item, each in a task of its own, in order."""
        rows = [(n, 0, 0, dumped(item)) for n, item in enumerate(items)]
        frame = self._dealt(self._frame(rows), len(rows))
        done = frame.mapInArrow(partial(_applied, function), TEXT)
        return map(loaded, self._collected(done))

    def elements(self, program: TaskProgram, given: Sequence[bytes], parts: int) -> Iterator[bytes]:
        """What the last segment gives, in order. Closing it ends the job."""
        if not given:
            return
        data = dumped_program(program, list(program.graph))
        frame = self._frame([(n * parts // len(given), 0, n, piece)
                             for n, piece in enumerate(given)])
        for index, segment in enumerate(program.segments):
            tasks = parts if segment.route is Exchange.SOURCE else program.tasks(segment)
            frame = self._dealt(frame, tasks).mapInArrow(partial(_worked, data, index), TEXT)
        yield from self._collected(frame)

    def _frame(self, rows: Sequence[Row]) -> DataFrame:
        return self.session.createDataFrame(_table(rows))

    def _dealt(self, frame: DataFrame, tasks: int) -> DataFrame:
        """The rows at their tasks, where they come in order."""
        from pyspark.sql import functions as F

        task = F.pmod(F.col("task"), F.lit(tasks)).cast("int")
        return frame.repartitionById(tasks, task).sortWithinPartitions(*ADDRESS)

    def _collected(self, frame: DataFrame) -> Iterator[bytes]:
        tag = f"anabranch-{uuid4()}"
        self.session.addTag(tag)
        try:
            yield from (row.data for row in frame.toLocalIterator())
        except GeneratorExit:
            self.session.interruptTag(tag)
            raise
        except Exception as error:
            raise unfinished(error) from None
        finally:
            self.session.removeTag(tag)


def _table(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_arrays([pa.array(column, field.type) for column, field in
                                 zip(zip(*rows), SCHEMA)], schema=SCHEMA)


def _applied(function: Callable, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for row in _rows(batches):
        yield _batch((*row[:3], dumped(function(loaded(row[3])))))


def _worked(program: bytes, index: int, batches: Iterable[pa.RecordBatch]
            ) -> Iterator[pa.RecordBatch]:
    """A task of a segment: the first one is given bare pieces, and the last one gives them."""
    coming = _rows(batches)
    elements = (row[3] for row in coming) if index == 0 else map(_element, coming)
    for number, element in zip(count(), work(program, index, elements)):
        yield _batch((0, 0, number, element) if isinstance(element, bytes) else _row(element))


def _element(row: Row) -> tuple:
    task, part, number, data = row
    return (task, (part, number)), loaded(data)


def _row(element: tuple) -> Row:
    (task, (part, number)), errand = element
    return task, part, number, dumped(errand)


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns))


def _batch(row: Row) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([value], field.type) for value, field in
                                       zip(row, SCHEMA)], schema=SCHEMA)
