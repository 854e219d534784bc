"""How a CSV file is written: what stands between cells, and what means None.

>>> Dialect(delimiter=";", decimal=",").has_columns, Dialect(delimiter="é").has_columns
(True, False)
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import BinaryIO

from anabranch.core.errors import DataError, ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.io.columns import columns_of
from anabranch.io.values.codecs import text_decoder
from anabranch.io.values.scalars import BadValue, in_utc, shown
from anabranch.ir.types import DATE, FLOAT, TIME, TIMESTAMP, OptionalOf, Type, without_none

UTF8 = "utf-8"

USUAL_MARKS = '"', "."
"""The quote and the decimal mark of a usual text."""

OF_NUMBERS = frozenset("+-._ ")
"""Marks that may stand in or around a number, as digits and letters do."""


@dataclass(frozen=True)
class Dialect:
    """The marks of a CSV text. Without a `header` the columns are the fields, in their order;
    `columns` says which of them are called otherwise, and `formats` how dates and times look."""

    delimiter: str = ","
    quote: str = '"'
    encoding: str = UTF8
    null: tuple[str, ...] = ()
    header: bool = True
    decimal: str = "."
    columns: tuple[tuple[str, str], ...] = ()
    formats: tuple[tuple[str, str], ...] = ()

    @property
    def is_usual(self) -> bool:
        return self == USUAL

    @property
    def has_columns(self) -> bool:
        """Whether its texts are read in columns: each mark is one byte, which no number has."""
        others = {mark for mark in (self.quote, self.decimal) if mark not in USUAL_MARKS}
        return (self.quote != "." and self.decimal != '"' and self.delimiter not in USUAL_MARKS
                and all(map(_is_mark, (self.delimiter, *others))))

    @property
    def has_places(self) -> bool:
        """Whether its bytes tell where rows begin, wherever one looks at them."""
        return self.has_columns and self.is_utf8 and self.quote == USUAL.quote

    @property
    def is_utf8(self) -> bool:
        return self.encoding == UTF8

    @property
    def arguments(self) -> dict[str, object]:
        """What Python's own reader is told."""
        return {"delimiter": self.delimiter, "quotechar": self.quote}

    @property
    def cell(self) -> re.Pattern[str]:
        """A cell as it is written, with its quotes."""
        quote, delimiter = re.escape(self.quote), re.escape(self.delimiter)
        return re.compile(f"{quote}(?:[^{quote}]|{quote}{quote})*{quote}|[^{delimiter}]*")

    def lines(self, stream: BinaryIO, file: str) -> Iterable[bytes]:
        """The lines of a file, in UTF-8; where bytes are not of the encoding, they are not either.
        """
        return stream if self.is_utf8 else (
            line for part in self.parts(stream, file, CHUNK) for line in _lines(part))

    def parts(self, stream: BinaryIO, file: str, size: int) -> Iterator[bytes]:
        """The same lines in parts, each of what about so many bytes of the file hold."""
        return iter(partial(stream.read, size), b"") if self.is_utf8 else (
            _recoded(stream, self.encoding, file, size))

    def column(self, field: str) -> str:
        """What the column of a field is called."""
        return dict(self.columns).get(field, field)

    def decoder(self, kind: Type, field: str) -> Callable[[str | None], object]:
        """From the text of a cell of a field to its value."""
        given = dict(self.formats).get(field)
        decode = text_decoder(kind) if given is None else _formatted(kind, given)
        if without_none(kind) == FLOAT and self.decimal != ".":
            numeric = decode
            decode = lambda cell: numeric(cell and _with_point(cell, self.decimal))  # noqa: E731
        if not self.null:
            return decode
        return lambda cell: decode(None if cell in self.null else cell)

    def check(self, item: Type, span: Span | None) -> None:
        """Refuses names and formats of fields that there are not, or have none."""
        fields = columns_of(item)
        for field, _ in (*self.columns, *self.formats):
            if field not in fields:
                raise ProgramError(f"{item} has no attribute '{field}'", span,
                                   help=did_you_mean(field, fields))
        for field, given in self.formats:
            if without_none(fields[field]) not in PARSED:
                raise ProgramError(f"{item}.{field} has no format", span, got=given,
                                   expected="a date, a time or a datetime")
        if self.columns and not self.header:
            raise ProgramError("without a header no column has a name", span,
                               got=f"columns={dict(self.columns)}",
                               help="the columns are the fields, in their order")


USUAL = Dialect()

PARSED: dict[Type, Callable[[datetime], object]] = {
    DATE: datetime.date, TIME: datetime.time, TIMESTAMP: in_utc}
"""What is made of a text by a format."""


def _formatted(kind: Type, given: str) -> Callable[[str | None], object]:
    """From a text in a format to a date or a time.

    >>> _formatted(DATE, "%d.%m.%Y")("24.12.2026")
    datetime.date(2026, 12, 24)
    """
    made, optional = PARSED[without_none(kind)], isinstance(kind, OptionalOf)

    # Many rows are of one day, and reading it takes longer than all else in a row.
    @lru_cache(maxsize=4096)
    def decode(cell: str | None) -> object:
        if optional and not cell:
            return None
        try:
            return made(datetime.strptime((cell or "").strip(), given))
        except (ValueError, OverflowError):
            raise BadValue(f"{without_none(kind)} like {given}", shown(cell)) from None
    return decode


def _is_mark(mark: str) -> bool:
    return "\0" < mark <= "~" and not mark.isalnum() and mark not in OF_NUMBERS


CHUNK = 1 << 16


def _recoded(stream: BinaryIO, encoding: str, file: str, size: int) -> Iterator[bytes]:
    """Whole lines in UTF-8."""
    decoder, rest, chunk = codecs.getincrementaldecoder(encoding)(KEPT), "", b"begin"
    while chunk:
        chunk = stream.read(size)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeError as error:
            raise DataError(f"the CSV file is not in {encoding}", file, got=str(error),
                            help="say encoding='utf-16-le' or 'utf-16-be' of a file that does not "
                                 "begin with a byte-order mark") from None
        text = rest + text
        end = text.rfind("\n") + 1
        if end:
            yield _in_utf8(text[:end])
        rest = text[end:]
    if rest:
        yield _in_utf8(rest)


def _in_utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return b"".join(map(_line_in_utf8, text.splitlines(keepends=True)))


def _line_in_utf8(line: str) -> bytes:
    """The line, of which halves of characters and bytes that were kept are no UTF-8."""
    try:
        return line.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return line.encode("utf-8", "surrogatepass")


def _lines(text: bytes) -> Iterator[bytes]:
    r"""The lines of a text, of which only a line feed ends one.

    >>> list(_lines(b"a\r\nb\x0bc"))
    [b'a\r\n', b'b\x0bc']
    """
    return iter(io.BytesIO(text))


def _kept(error: UnicodeError) -> tuple[str, int]:
    """What stands for bytes that are not of an encoding: the row with them is malformed, and those
    behind it are read. Python's own way has none for bytes that could be of ASCII, of which
    encodings in several bytes are full."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start:error.end]
    return "".join(chr(0xDC00 + byte) if byte > 0x7F else "\udcff" for byte in wrong), error.end


KEPT = "anabranch.kept"
codecs.register_error(KEPT, _kept)


def _with_point(cell: str, decimal: str) -> str:
    """A number as Python writes it; one that has a point as well is none.

    >>> _with_point("2,5", ","), _with_point("1.2", ",")
    ('2.5', '1.2 (the decimal mark is ,)')
    """
    return f"{cell} (the decimal mark is {decimal})" if "." in cell else cell.replace(decimal, ".")


def _encoding_named(name: object) -> str | None:
    """What Python calls an encoding of texts in files; None if it is none.

    >>> _encoding_named("Latin1"), _encoding_named("rot13"), _encoding_named("idna")
    ('iso8859-1', None, None)
    """
    try:
        known = codecs.lookup(name)
        read = known.incrementaldecoder(KEPT).decode("a;b\n".encode(known.name), final=True)
    except (LookupError, TypeError, UnicodeError):
        return None
    return known.name if read == "a;b\n" else None


def dialect_of(span: Span, delimiter: str, quote: str, encoding: str, null: object, header: bool,
               decimal: str, columns: Mapping[str, str] | None, formats: Mapping[str, str] | None
               ) -> Dialect:
    """The marks that a user has named, after a check."""
    for what, mark in (("delimiter", delimiter), ("quote", quote), ("decimal", decimal)):
        if not (isinstance(mark, str) and len(mark) == 1 and mark not in "\r\n"):
            raise ProgramError(f"the {what} of a CSV file is one character", span, got=repr(mark))
    if len({delimiter, quote, decimal}) < 3:
        raise ProgramError("the delimiter, the quote and the decimal mark of a CSV file differ",
                           span, got=f"{delimiter!r}, {quote!r}, {decimal!r}",
                           help="for example delimiter=';', decimal=','")
    known = _encoding_named(encoding)
    if known is None:
        raise ProgramError(f"there is no encoding {encoding!r}", span,
                           expected="such as 'utf-8', 'latin-1', 'cp1252', 'utf-16'")
    marks = (null,) if isinstance(null, str) else tuple(null)
    named = tuple((columns or {}).items()), tuple((formats or {}).items())
    return Dialect(delimiter, quote, known, marks, bool(header), decimal, *named)
