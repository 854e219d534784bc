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
from anabranch.io.columns import check_columns, columns_of
from anabranch.io.csv import files as csv
from anabranch.io.files.output import StandardOutput
from anabranch.io.files.sources import FileSource
from anabranch.io.jsonl import files as jsonl
from anabranch.io.rows import BadRows, TimeOrder, check_time
from anabranch.io.text import files as text
from anabranch.io.values.codecs import text_encoder
from anabranch.io.writer import Writer
from anabranch.ir.ends import STANDARD, SinkSpec, SourceSpec
from anabranch.ir.records import Record
from anabranch.ir.types import ANY, FLOAT, INT, STR, RecordOf, Type, without_none

IN_MEMORY = 1 << 20


class HeldOutput:
    """Keeps text, on disk if it is much, and writes it to standard output in the end.

    >>> held = HeldOutput(); held.write("later\\n"); print("first")
    first
    >>> held.commit()
    later
    """

    appears_whole = False

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


def _read_text(stream: Iterable[bytes], file: str, item: Type, order: TimeOrder, rows: BadRows
               ) -> Iterator[str]:
    return text.read(stream, file, order, rows)


READERS = {"csv": csv.read, "jsonl": jsonl.read, "text": _read_text}


@dataclass(frozen=True)
class StdinSource(SourceSpec):
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
        if self.format == "text" and self.type != STR:
            raise UsageError("each line of a text is a str", self.span, got=str(self.type),
                             help='ab.read_stdin(str, format="text")')

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


class PrettyTable(Writer):
    """Writes a table for people, when all items are known: numbers stand on the right."""

    def __init__(self, *given):
        self.names, self.rows, self.right = [], [], []
        super().__init__(*given)

    def begin(self, item_type):
        columns, encode = columns_of(item_type), text_encoder(ANY)
        self.names = list(columns)
        self.right = [without_none(kind) in (INT, FLOAT) for kind in columns.values()]
        is_record = isinstance(item_type, RecordOf)
        return lambda item: [encode(value) or "" for value in (item if is_record else (item,))]

    def put(self, encoded):
        self.rows.append(encoded)

    def commit(self) -> None:
        for line in table_lines(self.names, self.rows, self.right):
            self.out.write(f"{line}\n")
        super().commit()


def table_lines(names: list[str], rows: list[list[str]], right: list[bool]) -> Iterator[str]:
    """
    >>> print(*table_lines(["word", "n"], [["river", "12"], ["a", "3"]], [False, True]), sep="\\n")
    word    n
    ----- ---
    river  12
    a       3
    """
    if not names:
        return
    widths = [max(3 if number else 1, *(len(row[n]) for row in [names, *rows]))
              for n, number in enumerate(right)]
    for row in [names, ["-" * width for width in widths], *rows]:
        cells = (cell.rjust(width) if number else cell.ljust(width)
                 for cell, width, number in zip(row, widths, right, strict=True))
        yield " ".join(cells).rstrip()


WRITERS = {"csv": csv.CsvWriter, "jsonl": jsonl.JsonlWriter, "text": TextWriter,
           "table": PrettyTable}


@dataclass(frozen=True)
class StdoutSink(SinkSpec):
    """Items to standard output, as they come, or held back until the sinks before are complete."""

    format: str = "csv"
    span: Span | None = field(default=None, compare=False)
    held: bool = False
    place: ClassVar[str] = STANDARD

    def __post_init__(self):
        _check_format(self.format, WRITERS, "standard output is written", self.span)

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


def is_pipe(spec: SourceSpec | None) -> bool:
    """Whether lines come from outside and come only once."""
    return isinstance(spec, StdinSource) or (isinstance(spec, FileSource) and not spec.replayable)
