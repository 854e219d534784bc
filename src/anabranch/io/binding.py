"""A source or sink at another path: `--input NAME=PATH`, `--output NAME=PATH`.

A known extension decides the format; otherwise it stays what it was. `-` is standard input or
output, as JSON Lines when the spec itself has no format, or when there is none yet. A spec with a
method `at(path)`, of a language with files of its own, decides by itself.

>>> from anabranch.ir.types import INT
>>> str(bind_source(JsonlSource("a.jsonl", INT), "numbers.csv"))
'csv numbers.csv'
"""

from __future__ import annotations

import os

from anabranch.core.errors import UsageError
from anabranch.io.csv.files import CsvSink, CsvSource
from anabranch.io.jsonl.files import JsonlSink, JsonlSource
from anabranch.io.parquet.files import ParquetSink, ParquetSource
from anabranch.io.stdio import StdinSource, StdoutSink
from anabranch.ir.operators import SinkSpec, SourceSpec
from anabranch.ir.types import Type

SOURCES = {"csv": CsvSource, "jsonl": JsonlSource, "parquet": ParquetSource}
SINKS = {"csv": CsvSink, "jsonl": JsonlSink, "parquet": ParquetSink}
FORMATS = {extension: name for name, source in SOURCES.items() for extension in source.extensions}


def bind_source(spec: SourceSpec | None, path: str, item: Type | None = None,
                time: str | None = None) -> SourceSpec:
    """A source that reads `path`; without a type and a time given, with those of the spec."""
    if hasattr(spec, "at"):
        return spec.at(path)
    if item is None:
        item, time = spec.type, spec.time
    if path == "-":
        return StdinSource(_own_format(spec) or "jsonl", item, time)
    return SOURCES[_format(spec, path, SOURCES)](path, item, time)


def bind_sink(spec: SinkSpec | None, path: str) -> SinkSpec:
    """A sink that writes `path`."""
    if hasattr(spec, "at"):
        return spec.at(path)
    if path == "-":
        return StdoutSink(_own_format(spec) or "jsonl")
    return SINKS[_format(spec, path, SINKS)](path)


def _own_format(spec: SourceSpec | SinkSpec | None) -> str | None:
    return None if spec is None else spec.format


def _format(spec: SourceSpec | SinkSpec | None, path: str, known: dict) -> str:
    chosen = FORMATS.get(os.path.splitext(path.rstrip("/"))[1].lower(), _own_format(spec))
    if chosen not in known:
        raise UsageError(f"the name '{path}' does not tell its format",
                         expected=f"a name that ends in {', '.join(FORMATS)}; or -")
    return chosen
