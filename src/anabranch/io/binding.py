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
from anabranch.io.arrow.files import ArrowFileSink, ArrowFileSource
from anabranch.io.csv.files import CsvSink, CsvSource
from anabranch.io.files.packing import bare, codec_of
from anabranch.io.json.files import JsonSource
from anabranch.io.jsonl.files import JsonlSink, JsonlSource
from anabranch.io.parquet.files import ParquetSink, ParquetSource
from anabranch.io.stdio import StdinSource, StdoutSink
from anabranch.io.text.files import TextSource
from anabranch.ir.operators import SinkSpec, SourceSpec
from anabranch.ir.types import Type

SOURCES = {"csv": CsvSource, "jsonl": JsonlSource, "parquet": ParquetSource,
           "text": TextSource, "json": JsonSource, "arrow": ArrowFileSource}
SINKS = {"csv": CsvSink, "jsonl": JsonlSink, "parquet": ParquetSink, "arrow": ArrowFileSink}
FORMATS = {extension: name for name, source in SOURCES.items() if name not in ("text", "json")
           for extension in source.extensions}
"""What an extension tells: anything may be called .txt, and JSON Lines are called .json too."""


def bind_source(spec: SourceSpec | None, path: str, item: Type | None = None,
                time: str | None = None) -> SourceSpec:
    """A source that reads `path`; without a type and a time given, with those of the spec."""
    if hasattr(spec, "at"):
        return spec.at(path)
    if item is None:
        item, time = spec.type, spec.time
    if path == "-":
        return StdinSource(_own_format(spec) or "jsonl", item, time)
    made = SOURCES[_format(spec, path, SOURCES)]
    marks = {"dialect": spec.dialect} if made is type(spec) and made is CsvSource else {}
    return made(path, item, time, **marks)


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
    own = _own_format(spec)
    extension = os.path.splitext(bare(path.rstrip("/")))[1].lower()
    is_own = own in SOURCES and extension in SOURCES[own].extensions
    chosen = own if is_own else FORMATS.get(extension, own)
    if chosen not in known:
        plain = [extension for extension in FORMATS if not codec_of(extension)]
        raise UsageError(f"the name '{path}' does not tell its format",
                         expected=f"a name that ends in {', '.join(plain)}; or -")
    return chosen
