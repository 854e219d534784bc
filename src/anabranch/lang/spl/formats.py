r"""Tuples as text, in files and in Parse and Format: csv, txt, line.

>>> from anabranch.lang.spl.types import INT32, RSTRING, Collection, TupleOf
>>> kind = TupleOf((("id", INT32), ("tags", Collection("list", (RSTRING,)))))
>>> read = Layout("csv").reader(kind)
>>> read('7,["a","b"]')
Tuple(id=7, tags=['a', 'b'])
>>> Layout("csv").text(read('7,["a","b"]')), Layout("txt").text(read('7,["a"]'))
('7,["a","b"]', '{id=7,tags=["a"]}')
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import ClassVar

from anabranch.core.errors import AnabranchError, ProgramError, RunError, said
from anabranch.core.source import Span, raised_at, shown_path
from anabranch.io.files.output import StandardOutput
from anabranch.io.files.paths import files_of, opened
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import estimated
from anabranch.io.python.objects import GeneratorSource
from anabranch.io.rows import BadRows, Row, TimeOrder, check_time, decoded
from anabranch.io.stdio import HeldOutput, stdin_lines
from anabranch.io.text.lines import Lines, lines_about
from anabranch.io.values.scalars import BadValue
from anabranch.ir.ends import STANDARD, ItemWriter, SinkSpec, SourceSpec
from anabranch.ir.types import Type
from anabranch.lang.spl.coding.values import (
    EnumName,
    Single,
    SingleComplex,
    Timestamp,
    bounded,
    csv_tokenized,
    decimal_of,
    paced,
    set_of,
    shown,
    single,
    unescaped,
)
from anabranch.lang.spl.types import (
    BLOB,
    BOOLEAN,
    DECIMALS,
    TIMESTAMP,
    Collection,
    EnumOf,
    OptionalOf,
    Primitive,
    SplType,
    TupleOf,
    default_of,
    is_complex,
    is_decimal,
    is_integer,
    is_string,
    range_of,
    record_of,
    unbounded,
    wrapped,
)

ENDLESS = 1 << 62
"""So many tuples gives a Beacon that is not told how many."""
FORMATS = ("csv", "txt", "line")
STANDARD_PATHS = ("/dev/stdin", "/dev/stdout", "-")


@dataclass(frozen=True)
class Layout:
    """How a tuple is written: its format, what stands between attributes, and whether texts stand
    in quotes. A tolerant one passes over attributes that are too many. It `skips` cells at the
    beginning of a line, and does not write the attributes that it leaves out."""

    format: str
    separator: str = ","
    quoted: bool = True
    tolerant: bool = False
    skips: int = 0
    leaves_out: tuple[str, ...] = ()
    packs: Callable[[object], bytes] | None = field(default=None, compare=False)
    marks: Callable[[object], object] | None = None

    def text(self, item: tuple) -> str:
        if self.marks is not None:
            item = self.marks(item)
        if self.leaves_out:
            return self._some(item)
        if self.format == "csv":
            return self.separator.join(shown(v, self.quoted) for v in item)
        if self.format == "line":
            return shown(item[0])
        return shown(item, True)

    def _some(self, item: tuple) -> str:
        """The attributes that are not left out."""
        given = {n: shown(v, self.quoted or self.format == "txt")
                 for n, v in zip(item._fields, item) if n not in self.leaves_out}
        if self.format == "txt":
            return "{" + ",".join(f"{n}={text}" for n, text in given.items()) + "}"
        return self.separator.join(given.values())

    def reader(self, kind: TupleOf) -> Callable[[str], object]:
        """From a line to a tuple; a `BadValue` where it is none."""
        if self.format == "line":
            make = record_of(kind)
            return lambda line: make(line)
        return self._cells_reader(kind) if self.format == "csv" else (
            lambda line: Literal(line).whole(kind))

    def _cells_reader(self, kind: TupleOf) -> Callable[[str], object]:
        make = record_of(kind)
        readers = [(name, _given_or_first(t)) for name, t in kind.fields]

        def read(line: str) -> object:
            cells = csv_tokenized(line, self.separator)[self.skips:]
            if len(cells) < len(readers) or (len(cells) > len(readers) and not self.tolerant):
                raise BadValue(f"{len(readers)} values", f"{len(cells)}",
                               f"{len(cells)} values where the tuple has {len(readers)} attributes")
            values = []
            for position, ((name, one), cell) in enumerate(zip(readers, cells), 1):
                try:
                    values.append(one(cell))
                except BadValue as bad:
                    raise BadValue(bad.expected, bad.got, path=name, position=position) from None
            return make(*values)
        return read


@dataclass(frozen=True)
class Marks:
    """Marks in a value what its text depends on beside its Python class: the names of enumerations,
    which stand without quotes, and floats of 32 bits."""

    kind: SplType

    def __call__(self, value: object) -> object:
        return _marked(value, self.kind)


MARKS = {"float32": Single, "complex32": SingleComplex}


def marks_of(kind: SplType | None) -> Marks | None:
    """What marks the values of a type; nothing if there is nothing to mark."""
    return Marks(kind) if kind is not None and _has_marks(kind) else None


def _has_marks(kind: SplType) -> bool:
    if isinstance(kind, TupleOf):
        return any(_has_marks(each) for _, each in kind.fields)
    if isinstance(kind, Collection):
        return any(map(_has_marks, kind.parts))
    if isinstance(kind, OptionalOf):
        return _has_marks(kind.item)
    return isinstance(kind, EnumOf) or (isinstance(kind, Primitive) and kind.name in MARKS)


def _marked(value: object, kind: SplType) -> object:
    if value is None or not _has_marks(kind):
        return value
    if isinstance(kind, TupleOf):
        return type(value)(*(_marked(v, k) for v, (_, k) in zip(value, kind.fields)))
    if isinstance(kind, OptionalOf):
        return _marked(value, kind.item)
    if not isinstance(kind, Collection):
        return EnumName(value) if isinstance(kind, EnumOf) else MARKS[kind.name](value)
    inner = kind.parts
    if kind.kind == "map":
        return {_marked(k, inner[0]): _marked(v, inner[1]) for k, v in value.items()}
    items = (_marked(v, inner[0]) for v in value)
    return list(items) if kind.kind == "list" else set_of(items)


def _given_or_first(kind: SplType) -> Callable[[str], object]:
    """What reads a cell; one with nothing in it is the value that an attribute has at first."""
    read = cell_reader(kind)
    if is_string(kind):
        return read
    return lambda cell: read(cell) if cell and not cell.isspace() else default_of(kind)


def cell_reader(kind: SplType) -> Callable[[str], object]:
    """From the text of one attribute to its value."""
    if is_string(kind):
        return (lambda cell: bounded(cell, kind.bound)) if kind.bound else (lambda cell: cell)
    if is_integer(kind):
        low, high = range_of(kind)
        return lambda cell: _integer(cell, kind, low, high)
    if isinstance(kind, OptionalOf):
        inner, absent = cell_reader(kind.item), ("null",) if is_string(kind.item) else ("null", "")
        return lambda cell: None if cell.strip() in absent else inner(cell)
    if isinstance(kind, (TupleOf, Collection)) or kind == TIMESTAMP or is_complex(kind):
        return lambda cell: Literal(cell).whole(kind)
    return lambda cell: _scalar(cell.strip(), kind)


def _integer(cell: str, kind: SplType, low: int, high: int) -> int:
    try:
        value = int(cell)
    except ValueError:
        raise BadValue(str(kind), repr(cell)) from None
    if not low <= value <= high:
        raise BadValue(str(kind), repr(cell))
    return value


def _scalar(text: str, kind: SplType) -> object:
    try:
        if is_decimal(kind):
            return decimal_of(Decimal(text), DECIMALS[kind.name])
        if kind == BOOLEAN:
            return {"true": True, "false": False, "1": True, "0": False}[text.lower()]
        if isinstance(kind, EnumOf):
            return kind.names[kind.names.index(text.strip('"'))]
        if kind == BLOB:
            return bytes.fromhex(text)
        value = float(text)
        return value if wrapped("x", kind) == "(x)" else single(value)
    except (ValueError, KeyError, ArithmeticError):
        raise BadValue(str(kind), repr(text)) from None


class Literal:
    """Reads a value as it is written in a program, from left to right."""

    def __init__(self, text: str):
        self.text, self.at = text, 0

    def whole(self, kind: SplType) -> object:
        value = self.value(kind)
        self._space()
        if self.at < len(self.text):
            raise BadValue(str(kind), repr(self.text))
        return value

    def value(self, kind: SplType) -> object:
        self._space()
        if isinstance(kind, TupleOf):
            return self._tuple(kind)
        if isinstance(kind, Collection):
            return self._collection(kind)
        if isinstance(kind, OptionalOf):
            if self._comes("null"):
                return self._take("null")
            return self.value(kind.item)
        if is_complex(kind):
            self._take("(")
            real, imaginary = (_scalar(part, Primitive("float64"))
                               for part in (self._until(",").strip(), self._rest(")")))
            return complex(real, imaginary)
        if kind == TIMESTAMP:
            self._take("(")
            parts = [int(part) for part in self._until(")").split(",")]
            self._take(")")
            return Timestamp(*parts)
        if is_string(kind) and self.text.startswith('"', self.at):
            return self._quoted()
        return cell_reader(kind)(self._until(",]}:)").strip())

    def _tuple(self, kind: TupleOf) -> object:
        self._take("{")
        values = {}
        for n, (name, each) in enumerate(kind.fields):
            if n:
                self._take(",")
            self._space()
            self._take(name)
            self._take("=")
            values[name] = self.value(each)
        self._take("}")
        return record_of(kind)(*values.values())

    def _collection(self, kind: Collection) -> object:
        opened, closed = "[]" if kind.kind == "list" else "{}"
        self._take(opened)
        items = []
        while not self._comes(closed):
            if items:
                self._take(",")
            item = self.value(kind.parts[0])
            if kind.kind == "map":
                self._take(":")
                item = item, self.value(kind.parts[1])
            items.append(item)
        self._take(closed)
        return {"list": list, "set": set_of, "map": dict}[kind.kind](items)

    def _quoted(self) -> str:
        start, self.at = self.at + 1, self.at + 1
        while self.at < len(self.text) and self.text[self.at] != '"':
            self.at += 1 + (self.text[self.at] == "\\")
        self.at += 1
        return unescaped(self.text[start:self.at - 1])

    def _until(self, ends: str) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ends:
            self.at += 1
        return self.text[start:self.at]

    def _rest(self, end: str) -> str:
        """What stands between a comma and the end."""
        self._take(",")
        found = self._until(end).strip()
        self._take(end)
        return found

    def _space(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _comes(self, what: str) -> bool:
        self._space()
        return self.text.startswith(what, self.at)

    def _take(self, what: str) -> None:
        if not self._comes(what):
            raise BadValue(f"'{what}'", repr(self.text[self.at:self.at + 20]))
        self.at += len(what)


def literal_value(text: str, kind: SplType) -> object:
    """The value that a text shows as a literal, for generated code."""
    try:
        return Literal(text).whole(kind)
    except BadValue as bad:
        raise RunError(f"{text!r} is no value of {kind}", expected=bad.expected,
                       got=bad.got) from None


def parsed(text: str, layout: Layout, kind: TupleOf) -> object:
    """A tuple from its text, for generated code; None where it is none."""
    try:
        return layout.reader(unbounded(kind))(text)
    except BadValue:
        return None


@dataclass(frozen=True)
class SplSource(SourceSpec):
    """The tuples of a file, or of the files of a folder or a glob, one in each line."""

    format: ClassVar[str] = "spl"
    path: str
    kind: TupleOf
    type: Type
    layout: Layout
    time: str | None = None
    header: int = 0
    permissive: bool = False
    span: Span | None = field(default=None, compare=False)
    wait: float = 0.0

    def __post_init__(self):
        check_time(self.type, self.time, self.span)

    @property
    def shown(self) -> str:
        return f"{self.layout.format} {shown_path(self.path)}"

    @property
    def replayable(self) -> bool:
        return self.path not in STANDARD_PATHS

    @property
    def live(self) -> bool:
        return not self.replayable

    @property
    def paths(self) -> tuple[str]:
        return (self.path,)

    def at(self, path: str) -> SplSource:
        return replace(self, path=path)

    def rows_about(self) -> int:
        return estimated(lines_about, self._files())

    def _files(self) -> list[str]:
        return files_of(self.path, (".csv", ".txt", ".dat", ".tsv", ".log"), self.span)

    def items(self, rows: BadRows) -> Iterator[object]:
        order, read = TimeOrder(self.time), self.layout.reader(self.kind)
        policy = BadRows.parse("skip") if self.permissive else rows
        paced(self.wait)
        if not self.replayable:
            yield from decoded(self._rows(stdin_lines(), self.path), read, order, policy)
            return
        for file in self._files():
            with opened(file, self.span) as stream:
                yield from decoded(self._rows(stream, file), read, order, policy)

    def _rows(self, stream, file: str) -> Iterator[Row]:
        lines = Lines(stream)
        for line in lines:
            number, raw, problem = lines.take()
            if self.layout.format != "line" and (not raw or line.startswith("#")):
                continue
            if number > self.header:
                yield Row(file, number, raw, problem or line.removesuffix("\n").removesuffix("\r"))


@dataclass(frozen=True)
class BlockSource(SplSource):
    """The bytes of files, so many in each tuple."""

    size: int = 1

    def items(self, rows: BadRows) -> Iterator[object]:
        make = record_of(self.kind)
        paced(self.wait)
        if not self.replayable:
            yield from map(make, iter(lambda: sys.stdin.buffer.read(self.size), b""))
            return
        for file in files_of(self.path, (), self.span):
            with opened(file, self.span) as stream:
                yield from map(make, iter(partial(stream.read, self.size), b""))


@dataclass(frozen=True, eq=False)
class BeaconSource(GeneratorSource):
    """Tuples that follow from their number. Their types are checked already; integers without a
    sign may be beyond those of other sources."""

    @property
    def shown(self) -> str:
        return "beacon" if self.count >= ENDLESS else f"beacon of {self.count}"

    def items(self, rows: BadRows) -> Iterator[object]:
        order = TimeOrder(self.time)
        for number in range(self.count):
            try:
                item = self.function(number)
                order.check(item)
            except BadValue as bad:
                raise RunError(f"tuple {number} comes before the one before it", self.span,
                               expected=bad.expected, got=bad.got) from None
            except AnabranchError as error:
                error.where = error.where or raised_at(error) or self.span
                raise
            except Exception as error:
                raise RunError(f"the source cannot go on at tuple {number}: {said(error)}",
                               raised_at(error) or self.span) from None
            yield item


class SplWriter(ItemWriter):
    """Writes tuples as lines, or texts as they are; window markers leave no trace."""

    def __init__(self, out, layout: Layout | None):
        self.out, self.layout = out, layout
        self.appears_whole = out.appears_whole

    def write(self, item: object) -> None:
        if item is None:
            return
        if self.layout is not None and self.layout.packs is not None:
            self.out.write_bytes(self.layout.packs(item))
        else:
            self.out.write(item if self.layout is None else f"{self.layout.text(item)}\n")

    def commit(self) -> None:
        self.out.commit()

    def abort(self) -> None:
        self.out.abort()


def check_text(layout: Layout, where: Span | None) -> None:
    if layout.format == "bin":
        raise ProgramError("the format bin is for files", where,
                           help="standard output has csv, txt and line")


@dataclass(frozen=True)
class SplFile(FileSink):
    """A file of tuples, one in each line."""

    format = "txt"
    layout: Layout = Layout("csv")

    @property
    def shown(self) -> str:
        return f"{self.layout.format} {shown_path(self.path)}"

    def at(self, path: str) -> SplFile | SplOutput:
        if path in STANDARD_PATHS:
            check_text(self.layout, self.span)
            return SplOutput(self.layout, self.span)
        return replace(self, path=os.fspath(path))

    def _writer(self, out, item_type):
        return SplWriter(out, self.layout)


@dataclass(frozen=True)
class SplOutput(SinkSpec):
    """Standard output: tuples in lines or, without a layout, texts as they are printed. What is
    `held` follows when the sinks before it are complete."""

    format: ClassVar[str] = "spl"
    layout: Layout | None
    span: Span | None = field(default=None, compare=False)
    held: bool = False
    place: ClassVar[str] = STANDARD

    @property
    def shown(self) -> str:
        return f"{self.layout.format if self.layout else 'text'} to standard output"

    def at(self, path: str) -> SplFile | SplOutput:
        return self if path in STANDARD_PATHS else SplFile(
            path, self.span, self.layout or Layout("line"))

    def open(self, item_type: Type) -> SplWriter:
        out = HeldOutput(self.span) if self.held else StandardOutput(self.span)
        return SplWriter(out, self.layout)
