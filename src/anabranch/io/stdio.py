"""Standard input and output, as CSV or JSON Lines; single values also as plain text."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from anabranch.errors import RunError, UsageError, did_you_mean
from anabranch.io import csv, jsonl
from anabranch.io.badrows import BadRows
from anabranch.io.columns import check_columns
from anabranch.io.encoding import text_encoder
from anabranch.io.held import HeldOutput
from anabranch.io.output import StandardOutput
from anabranch.io.rows import TimeOrder, check_time
from anabranch.io.writer import Writer
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, Type
from anabranch.source import Span

STDIN = "<standard input>"
READERS = {"csv": csv.read, "jsonl": jsonl.read}


@dataclass(frozen=True)
class StdinSource:
    """Items from standard input, which can be read only once."""

    format: str
    type: Type
    time: str | None = None
    span: Span | None = field(default=None, compare=False)
    replayable: ClassVar[bool] = False
    live: ClassVar[bool] = True

    def __post_init__(self):
        _check_format(self.format, READERS, "standard input is read", self.span)
        check_time(self.type, self.time, self.span)
        if self.format == "csv":
            check_columns(self.type, "a csv file", self.span)

    def __str__(self) -> str:
        return self.shown

    @property
    def shown(self) -> str:
        return f"{self.format} from standard input"

    def items(self, rows: BadRows) -> Iterator[object]:
        order = TimeOrder(self.time)
        yield from READERS[self.format](stdin_lines(), STDIN, self.type, order, rows)


def stdin_lines() -> Iterable[bytes]:
    # Who waits here for a line holds the stream: the interpreter may end meanwhile, and cannot
    # close what somebody reads.
    stream = sys.stdin
    # A replaced standard input may be a stream of text without bytes behind it.
    binary = getattr(stream, "buffer", None)
    try:
        yield from binary if binary is not None else (line.encode() for line in stream or ())
    except OSError as error:
        raise RunError(f"cannot read standard input: {error}") from error


class TextWriter(Writer):
    """Writes each item as a line of text: a single value bare, a record as Python shows it."""

    needs_type = False

    def begin(self, item_type):
        encode = text_encoder(ANY)
        return lambda item: repr(item) if isinstance(item, Record) else encode(item)

    def put(self, encoded):
        self.out.write(f"{encoded or ''}\n")


WRITERS = {"csv": csv.CsvWriter, "jsonl": jsonl.JsonlWriter, "text": TextWriter}


@dataclass(frozen=True)
class StdoutSink:
    """Items to standard output, as they come, or held back until the sinks before are complete."""

    format: str = "csv"
    span: Span | None = field(default=None, compare=False)
    held: bool = False

    def __post_init__(self):
        _check_format(self.format, WRITERS, "standard output is written", self.span)

    def __str__(self) -> str:
        return self.shown

    @property
    def shown(self) -> str:
        return f"{self.format} to standard output"

    def open(self, item_type: Type) -> Writer:
        out = HeldOutput(self.span) if self.held else StandardOutput(self.span)
        return WRITERS[self.format](out, item_type, self.span)


def _check_format(format: str, known: Iterable[str], doing: str, where: Span | None) -> None:
    if format not in known:
        raise UsageError(f"{doing} as {' or '.join(known)}, not as {format}", where,
                         help=did_you_mean(format, known))
