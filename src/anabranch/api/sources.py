"""Where streams begin: files, standard input, iterables, a generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, overload

from anabranch.analysis.typing.inference import infer_result
from anabranch.api.arguments import Out, attributes, declared_type, function
from anabranch.api.node import Node
from anabranch.api.stream import Stream
from anabranch.core.errors import ProgramError
from anabranch.core.lazy import arrow as pa
from anabranch.core.source import Span, assigned_name, caller_span
from anabranch.io import formats
from anabranch.io.csv.dialect import dialect_of
from anabranch.io.files.packing import bare
from anabranch.io.lateness import in_time
from anabranch.ir.operators import Source
from anabranch.ir.times import Heartbeats
from anabranch.ir.types import INT, Type


def read_csv(path: str | Path, item: type[Out], *, time: str | None = None,
             lateness: float | timedelta | None = None, name: str | None = None,
             delimiter: str = ",", quote: str = '"',
             encoding: str = "utf-8", null: str | Iterable[str] = (), header: bool = True,
             decimal: str = ".", columns: Mapping[str, str] | None = None,
             dates: Mapping[str, str] | None = None) -> Stream[Out]:
    """The rows of a CSV file, of all CSV files in a folder, or of a glob, in name order.

    The header names the columns; the record class says their types. `time` names the attribute by
    which several sources are merged; within a source it must not decrease, unless rows may come
    out of order by a `lateness`: then they are put in order, and later ones are the stream's
    `late`.

    Files of other habits say so: `delimiter=";"`, `quote`, `encoding="cp1252"`, texts that mean
    None (`null=("NA", "-")`), `decimal=","`, and `header=False` where the columns have no names:
    they are the fields then, in their order. `columns={"amount": "Betrag"}` says that the column
    of a field is called otherwise, and `dates={"day": "%d.%m.%Y"}` how its dates or times look,
    in the words of `datetime.strptime`. A file is compressed if its name ends in `.gz`, `.bz2` or
    `.zst`.
    """
    dialect = dialect_of(caller_span(), delimiter, quote, encoding, null, header, decimal, columns,
                         dates)
    return _file(formats.csv.CsvSource, path, item, time, name, lateness, dialect=dialect)


def read_text(path: str | Path, *, name: str | None = None) -> Stream[str]:
    """The lines of text files, each a str without its line end."""
    return _file(formats.text.TextSource, path, str, None, name)


@overload
def read_json(path: str | Path, item: type[Out], *, time: str | None = None,
              lateness: float | timedelta | None = None, name: str | None = None
              ) -> Stream[Out]: ...
@overload
def read_json(path: str | Path, item: object, *, time: str | None = None,
              lateness: float | timedelta | None = None, name: str | None = None
              ) -> Stream[Any]: ...
def read_json(path: str | Path, item: object, *, time: str | None = None,
              lateness: float | timedelta | None = None, name: str | None = None
              ) -> Stream[Any]:
    """The values of JSON documents: those of an array, or a single one."""
    return _file(formats.json.JsonSource, path, item, time, name, lateness)


def read_arrow(path: str | Path, item: type[Out], *, time: str | None = None,
               lateness: float | timedelta | None = None, name: str | None = None) -> Stream[Out]:
    """The rows of Arrow files (IPC, Feather)."""
    return _file(formats.arrow.ArrowFileSource, path, item, time, name, lateness)


def read_avro(path: str | Path, item: type[Out], *, time: str | None = None,
              lateness: float | timedelta | None = None, name: str | None = None) -> Stream[Out]:
    """The rows of Avro files; `pip install 'anabranch[avro]'` has what decodes them."""
    return _file(formats.avro.AvroSource, path, item, time, name, lateness)


@overload
def read_jsonl(path: str | Path, item: type[Out], *, time: str | None = None,
               lateness: float | timedelta | None = None, name: str | None = None
               ) -> Stream[Out]: ...
@overload
def read_jsonl(path: str | Path, item: object, *, time: str | None = None,
               lateness: float | timedelta | None = None, name: str | None = None
               ) -> Stream[Any]: ...
def read_jsonl(path: str | Path, item: object, *, time: str | None = None,
               lateness: float | timedelta | None = None, name: str | None = None
               ) -> Stream[Any]:
    """The lines of JSON Lines files: one object for each record, or one value for each item."""
    return _file(formats.jsonl.JsonlSource, path, item, time, name, lateness)


def read_parquet(path: str | Path, item: type[Out], *, time: str | None = None,
                 lateness: float | timedelta | None = None, name: str | None = None) -> Stream[Out]:
    """The rows of Parquet files."""
    return _file(formats.parquet.ParquetSource, path, item, time, name, lateness)


def read_stdin(item: type[Out], *, format: Literal["csv", "jsonl", "text"] = "csv",
               time: str | None = None, lateness: float | timedelta | None = None,
               name: str | None = None, heartbeats: Heartbeats | None = None) -> Stream[Out]:
    """Standard input, as "csv" or "jsonl", or as a "text", of which each line is a `str`; with
    `heartbeats`, others with a time need not wait for it while it is silent."""
    span = caller_span()
    item_type, time = _typed(item, time, span)
    return _source(formats.stdio.StdinSource(format, item_type, time, span), time,
                   name or "stdin", span, heartbeats, lateness)


@overload
def from_iterable(items: Iterable[Any], item: type[Out], *, time: str | None = None,
                  lateness: float | timedelta | None = None, name: str | None = None,
                  heartbeats: Heartbeats | None = None) -> Stream[Out]: ...
@overload
def from_iterable(items: Iterable[Out], item: None = None, *, time: str | None = None,
                  lateness: float | timedelta | None = None, name: str | None = None,
                  heartbeats: Heartbeats | None = None) -> Stream[Out]: ...
@overload
def from_iterable(items: Iterable[Any], item: object, *, time: str | None = None,
                  lateness: float | timedelta | None = None, name: str | None = None,
                  heartbeats: Heartbeats | None = None) -> Stream[Any]: ...
def from_iterable(items: Iterable[Any], item: object = None, *, time: str | None = None,
                  lateness: float | timedelta | None = None, name: str | None = None,
                  heartbeats: Heartbeats | None = None) -> Stream[Any]:
    """The items of a Python iterable; a list can be read again, an iterator only once. With
    `heartbeats`, other sources with a time need not wait for one that gives nothing at the moment.

    A list or another collection is taken as it is when a run begins. Any other iterable is asked
    for one item after the other, and each is taken as it is when it is handed out.
    """
    span = caller_span()
    if not isinstance(items, Iterable):
        raise ProgramError("from_iterable takes an iterable", span, got=repr(items))
    if item is None and isinstance(items, (list, tuple)) and len({type(i) for i in items}) == 1:
        item = type(items[0])
    item_type, time = _typed(object if item is None else item, time, span)
    return _source(formats.objects.IterableSource(items, item_type, time, span), time,
                   name or assigned_name(span) or "items", span, heartbeats, lateness)


def from_arrow(table: object, item: type[Out], *, time: str | None = None,
               lateness: float | timedelta | None = None, name: str | None = None) -> Stream[Out]:
    """The rows of an Arrow table, or of what Arrow takes for one: record batches, and data frames
    of pandas, Polars or DuckDB. Columns are found by the names of the record's fields."""
    span = caller_span()
    try:
        found = pa.table(table)
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise ProgramError("from_arrow takes an Arrow table, or a data frame", span,
                           got=type(table).__name__, help=str(error)) from None
    item_type, time = _typed(item, time, span)
    return _source(formats.tables.ArrowSource(found, item_type, time, span), time,
                   name or assigned_name(span) or "table", span, None, lateness)


@overload
def generate(make: Callable[[int], Out], count: int, *, to: type[Out] | None = None,
             time: str | None = None, name: str | None = None) -> Stream[Out]: ...
@overload
def generate(make: Callable[[int], object], count: int, *, to: object, time: str | None = None,
             name: str | None = None) -> Stream[Any]: ...
def generate(make: Callable[[int], object], count: int, *, to: object = None,
             time: str | None = None, name: str | None = None) -> Stream[Any]:
    """`make(0)`, `make(1)`, ... `make(count - 1)`; `ab.noise(i)` gives repeatable random bits."""
    span = caller_span()
    made = function(make, span, "generate")
    if not isinstance(count, int) or count < 0:
        raise ProgramError("generate takes a number of items from 0 on", span, got=repr(count))
    item_type = declared_type(to, span) if to is not None else infer_result(made, [INT])
    attributes(time, item_type, span, "time attribute")
    return _source(formats.objects.GeneratorSource(make, count, item_type, time, span), time,
                   name or assigned_name(span) or made.name.replace("<lambda>", "generated"), span)


def noise(i: int, seed: int = 0) -> int:
    """64 repeatable random bits for the number `i` (the splitmix64 mixing function).

    >>> noise(1) == noise(1), noise(1) == noise(2), 0 <= noise(3, seed=7) < 2**63
    (True, False, True)
    """
    mask = (1 << 64) - 1
    x = (i + (seed + 1) * 0x9E3779B97F4A7C15) & mask
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
    # One bit is dropped so that the result fits the 64-bit signed integers of our schemas.
    return (x ^ (x >> 31)) >> 1


def _file(spec: type, path: str | Path, item: object, time: str | None, name: str | None,
          lateness: float | timedelta | None = None, **settings: object) -> Stream[Any]:
    span = caller_span()
    if not isinstance(path, (str, Path)):
        raise ProgramError("a file is given by its path", span, got=repr(path))
    item_type, time = _typed(item, time, span)
    name = name or assigned_name(span) or Path(bare(str(path))).stem.strip("*?") or "source"
    return _source(spec(str(path), item_type, time, span, **settings), time, name, span, None,
                   lateness)


def _typed(item: object, time: str | None, span: Span) -> tuple[Type, str | None]:
    item_type = declared_type(item, span)
    attributes(time, item_type, span, "time attribute")
    return item_type, time


def _source(spec: object, time: str | None, name: str, span: Span,
            heartbeats: Heartbeats | None = None, lateness: float | timedelta | None = None
            ) -> Stream[Any]:
    if heartbeats is not None and time is None:
        raise ProgramError(f"{name} has heartbeats and no time", span,
                           help="name the attribute that has the time of an item: time=...")
    if heartbeats is not None and lateness is not None:
        raise ProgramError(f"{name} has heartbeats and a lateness", span, expected="one of them",
                           help="rows are held back by their lateness, whatever a heartbeat says")
    spec = in_time(spec, time, lateness, name, span)
    return Stream(Node(name, Source(spec, time, heartbeats), (), [spec.type], span))
