"""The ends of a program: ticks that count periods, raw files, and printed text.

A raw file is a sequence of values of four bytes each, least significant byte first; a complex
number is two of them. Bits are packed, eight in a byte, the most significant one first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from anabranch.core.errors import DataError, UsageError
from anabranch.core.source import Span
from anabranch.io.files.output import StandardOutput, WholeFile
from anabranch.ir.ends import STANDARD, ItemWriter, SinkSpec, SourceSpec
from anabranch.ir.records import Record
from anabranch.ir.types import RecordOf, Type
from anabranch.lang.streamit.types import BIT, BOOLEAN, COMPLEX, FLOAT, INT
from anabranch.lang.streamit.types import Type as Item

RAW = {FLOAT: np.dtype("<f4"), INT: np.dtype("<i4"), BIT: np.dtype("<i4"), BOOLEAN: np.dtype("<i4"),
       COMPLEX: np.dtype("<c8")}


def values_of(path: str, item: Item, span: Span | None = None) -> np.ndarray:
    """All values of a raw file; it is mapped, not read, unless it has bits."""
    size = Path(path).stat().st_size
    if item == BIT:
        return np.unpackbits(np.fromfile(path, np.uint8))
    if size % RAW[item].itemsize:
        raise DataError(f"{path} is no sequence of values of {words(RAW[item].itemsize)} bytes",
                        span, got=f"{size} bytes")
    return np.memmap(path, RAW[item], "r") if size else np.zeros(0, RAW[item])


def words(size: int) -> str:
    return {4: "four", 8: "eight"}[size]


class Tick(Record):
    """The beginning of a period; number 0 is what happens before the first."""

    number: int


class FileBlock(Record):
    """The values that a file gives in a period."""

    number: int
    values: list[float]


@dataclass(frozen=True)
class TickSource(SourceSpec):
    """Counts periods, from 0 on."""

    periods: int
    type: Type = field(default=RecordOf(Tick))
    time: str | None = "number"
    format: str = "ticks"
    whole: object = field(default=None, compare=False, repr=False)
    replayable: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"{self.periods} period{'' if self.periods == 1 else 's'}"

    shown = property(__str__)

    def items(self, rows: object) -> Iterator[Tick]:
        return map(Tick, range(self.periods + 1))


@dataclass(frozen=True)
class RawSource(SourceSpec):
    """The values of a file, as many for each period as the schedule says; all of them when the
    number of periods is not given, and `at_once` where nobody knows how many a period takes."""

    path: str
    item: Item
    before: int
    period: int
    periods: int | None
    span: Span | None = field(default=None, compare=False)
    type: Type = field(default=RecordOf(FileBlock))
    time: str | None = "number"
    format: str = "raw"
    whole: object = field(default=None, compare=False, repr=False)
    at_once: bool = False
    replayable: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"raw {self.path}"

    shown = property(__str__)

    @property
    def paths(self) -> tuple[str]:
        return (self.path,)

    def at(self, path: str) -> RawSource:
        """The same values from another file."""
        return replace(self, path=path)

    def files(self) -> list[str]:
        if not Path(self.path).is_file():
            raise UsageError(f"there is no file {self.path}", self.span,
                             help="its path is relative to the program's folder; "
                                  "--input NAME=FILE reads another")
        return [self.path]

    def items(self, rows: object) -> Iterator[FileBlock]:
        values, place, number = self.values(), 0, 0
        if self.at_once:
            yield FileBlock(0, values)
            return
        while place < len(values) and (self.periods is None or number <= self.periods):
            count = self.before if number == 0 else self.period
            yield FileBlock(number, values[place:place + count].tolist())
            place, number = place + count, number + 1

    def values(self) -> np.ndarray:
        """The whole file."""
        self.files()
        return values_of(self.path, self.item, self.span)


@dataclass(frozen=True)
class RawSink(SinkSpec):
    """Values written to a file of its own."""

    path: str
    item: Item
    span: Span | None = field(default=None, compare=False)
    format: str = "raw"

    def __str__(self) -> str:
        return f"raw {self.path}"

    shown = property(__str__)

    @property
    def place(self) -> str:
        return self.path

    def at(self, path: str) -> RawSink:
        return replace(self, path=path)

    def open(self, item_type: Type) -> RawWriter:
        writer = BitWriter if self.item == BIT else RawWriter
        return writer(WholeFile(self.path, self.span), RAW[self.item])


class RawWriter(ItemWriter):
    """Collects values and writes them many at a time."""

    MANY = 1 << 16

    def __init__(self, out: WholeFile, dtype: np.dtype):
        self.out, self.dtype, self.held = out, dtype, []
        self.appears_whole = out.appears_whole

    def write(self, item: object) -> None:
        self.held.append(item)
        if len(self.held) >= self.MANY:
            self._flush()

    def write_values(self, values: np.ndarray) -> None:
        self._flush()
        self.put(values)

    def put(self, values: np.ndarray) -> None:
        self.out.write_bytes(values.astype(self.dtype).tobytes())

    def commit(self) -> None:
        self._flush()
        self.out.commit()

    def abort(self) -> None:
        self.out.abort()

    def _flush(self) -> None:
        held, self.held = self.held, []
        if held:
            self.put(np.array(held, self.dtype))


class BitWriter(RawWriter):
    """Packs bits into bytes; the last byte ends with zeros."""

    def __init__(self, out: WholeFile, dtype: np.dtype):
        super().__init__(out, dtype)
        self.rest = np.zeros(0, np.uint8)

    def put(self, values: np.ndarray) -> None:
        bits = np.concatenate((self.rest, values.astype(np.uint8)))
        full = len(bits) // 8 * 8
        self.rest = bits[full:]
        self.out.write_bytes(np.packbits(bits[:full]).tobytes())

    def commit(self) -> None:
        self._flush()
        self.out.write_bytes(np.packbits(self.rest).tobytes())
        self.out.commit()


@dataclass(frozen=True)
class PrintSink(SinkSpec):
    """What a program prints, on standard output or in a file; it `begins` with what is printed
    before anything fires."""

    path: str | None = None
    format: str = "text"
    begins: str = ""

    def __str__(self) -> str:
        return f"text {self.path}" if self.path else "text to standard output"

    shown = property(__str__)

    @property
    def place(self) -> str:
        return self.path or STANDARD

    def at(self, path: str) -> PrintSink:
        return replace(self, path=None if path == STANDARD else path)

    def open(self, item_type: Type) -> PrintWriter:
        writer = PrintWriter(StandardOutput() if self.path is None else WholeFile(self.path))
        writer.write(self.begins)
        return writer


class PrintWriter(ItemWriter):
    """Writes pieces of text as they are."""

    def __init__(self, out: StandardOutput | WholeFile):
        self.out, self.appears_whole = out, out.appears_whole
        self.write, self.commit, self.abort = out.write, out.commit, out.abort
