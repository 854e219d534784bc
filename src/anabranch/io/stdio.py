"""Standard input and output, as CSV or JSON Lines; single values also as plain text.

Several results on one stream would be mixed line by line, in an order that depends on how they were
computed. So what comes for a sink that is not the first to write there is held back, and follows
when those before are complete.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import ClassVar

from anabranch.core.errors import RunError, UsageError, did_you_mean
from anabranch.core.source import Span
from anabranch.io.columns import check_columns
from anabranch.io.csv import files as csv
from anabranch.io.files.output import StandardOutput
from anabranch.io.jsonl import files as jsonl
from anabranch.io.rows import BadRows, TimeOrder, check_time
from anabranch.io.values.codecs import text_encoder
from anabranch.io.writer import Writer
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, Type

IN_MEMORY = 1 << 20


class HeldOutput:
    """Keeps text, on disk if it is much, and writes it to standard output in the end.

    >>> held = HeldOutput(); held.write("later\\n"); print("first")
    first
    >>> held.commit()
    later
    """

    def __init__(self, where: Span | None = None):
        self.standard, self.where = StandardOutput(where), where
        # It is closed by commit or abort, one of which every writer ends with.
        self.kept = SpooledTemporaryFile(IN_MEMORY, "w+", encoding="utf-8",  # noqa: SIM115
                                         newline="")

    def write(self, text: str) -> None:
        try:
            self.kept.write(text)
        except OSError as error:
            raise RunError(f"a result cannot be held back: {error}", self.where) from error

    def write_bytes(self, data: bytes | memoryview) -> None:
        self.write(bytes(data).decode())

    def commit(self) -> None:
        self.kept.seek(0)
        shutil.copyfileobj(self.kept, self.standard)
        self.standard.commit()
        self.kept.close()

    def abort(self) -> None:
        """What was held back of a run that failed is not complete, and is not shown."""
        with suppress(OSError):
            self.kept.close()


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

    @property
    def writer(self) -> type[Writer]:
        return WRITERS[self.format]

    def open(self, item_type: Type) -> Writer:
        out = HeldOutput(self.span) if self.held else StandardOutput(self.span)
        return self.writer(out, item_type, self.span)


def _check_format(format: str, known: Iterable[str], doing: str, where: Span | None) -> None:
    if format not in known:
        raise UsageError(f"{doing} as {' or '.join(known)}, not as {format}", where,
                         help=did_you_mean(format, known))
