"""A source or sink at another path: `--input NAME=PATH`, `--output NAME=PATH`.

A known extension decides the format; otherwise it stays what it was. `-` is standard input or
output, as JSON Lines when the spec itself has no format, or when there is none yet. A spec with a
method `at(path)`, of a language with files of its own, decides by itself.

>>> from anabranch.io.jsonl.files import JsonlSource
>>> from anabranch.ir.types import INT
>>> str(bind_source(JsonlSource("a.jsonl", INT), "numbers.csv"))
'csv numbers.csv'
"""

from __future__ import annotations

import os
from collections.abc import Container

from anabranch.core.errors import UsageError
from anabranch.io.files.packing import bare, codec_of
from anabranch.io.formats import EXTENSIONS, SINKS, sink_of, source_of, stdio
from anabranch.ir.ends import SinkSpec, SourceSpec
from anabranch.ir.types import Type

FORMATS = {extension: name for name, extensions in EXTENSIONS.items()
           if name not in ("text", "json") for extension in extensions}
"""What an extension tells: anything may be called .txt, and JSON Lines are called .json too."""


def bind_source(spec: SourceSpec | None, path: str, item: Type | None = None,
                time: str | None = None) -> SourceSpec:
    """A source that reads `path`; without a type and a time given, with those of the spec."""
    if spec is not None and (placed := spec.at(path)) is not None:
        return placed
    if item is None:
        item, time = spec.type, spec.time
    if path == "-":
        return stdio.StdinSource(_own_format(spec) or "jsonl", item, time)
    made = source_of(_format(spec, path, EXTENSIONS))
    marks = {"dialect": spec.dialect} if made is type(spec) and made.format == "csv" else {}
    return made(path, item, time, **marks)


def bind_sink(spec: SinkSpec | None, path: str) -> SinkSpec:
    """A sink that writes `path`."""
    if spec is not None and (placed := spec.at(path)) is not None:
        return placed
    if path == "-":
        return stdio.StdoutSink(_own_format(spec) or "jsonl")
    return sink_of(_format(spec, path, SINKS))(path)


def _own_format(spec: SourceSpec | SinkSpec | None) -> str | None:
    return None if spec is None else spec.format


def _format(spec: SourceSpec | SinkSpec | None, path: str, known: Container[str]
            ) -> str:
    own = _own_format(spec)
    extension = os.path.splitext(bare(path.rstrip("/")))[1].lower()
    is_own = own in EXTENSIONS and extension in EXTENSIONS[own]
    chosen = own if is_own else FORMATS.get(extension, own)
    if chosen not in known:
        plain = [extension for extension in FORMATS if not codec_of(extension)]
        raise UsageError(f"the name '{path}' does not tell its format",
                         expected=f"a name that ends in {', '.join(plain)}; or -")
    return chosen
