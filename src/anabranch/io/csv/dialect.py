"""How a CSV file is written: what stands between cells, and what means None.

>>> Dialect(delimiter=";", decimal=",").is_usual, Dialect().is_usual
(False, True)
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.io.values.codecs import text_decoder
from anabranch.ir.types import FLOAT, Type, without_none

UTF8 = "utf-8"


@dataclass(frozen=True)
class Dialect:
    """The marks of a CSV text. Without a `header` the columns are the fields, in their order."""

    delimiter: str = ","
    quote: str = '"'
    encoding: str = UTF8
    null: tuple[str, ...] = ()
    header: bool = True
    decimal: str = "."

    @property
    def is_usual(self) -> bool:
        return self == USUAL

    @property
    def arguments(self) -> dict[str, object]:
        """What Python's own reader is told."""
        return {"delimiter": self.delimiter, "quotechar": self.quote}

    @property
    def cell(self) -> re.Pattern[str]:
        """A cell as it is written, with its quotes."""
        quote, delimiter = re.escape(self.quote), re.escape(self.delimiter)
        return re.compile(f"{quote}(?:[^{quote}]|{quote}{quote})*{quote}|[^{delimiter}]*")

    def lines(self, stream: BinaryIO) -> Iterable[bytes]:
        """The lines of a file, in UTF-8; bytes that are not of the encoding stay as they are."""
        return stream if self.encoding == UTF8 else _recoded(stream, self.encoding)

    def decoder(self, kind: Type) -> Callable[[str | None], object]:
        """From the text of a cell to its value."""
        decode = text_decoder(kind)
        if without_none(kind) == FLOAT and self.decimal != ".":
            numeric = decode
            decode = lambda cell: numeric(cell and _with_point(cell, self.decimal))  # noqa: E731
        if not self.null:
            return decode
        return lambda cell: decode(None if cell in self.null else cell)


USUAL = Dialect()


CHUNK = 1 << 16


def _recoded(stream: BinaryIO, encoding: str) -> Iterator[bytes]:
    decoder, rest, chunk = codecs.getincrementaldecoder(encoding)("surrogateescape"), "", b"begin"
    while chunk:
        chunk = stream.read(CHUNK)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            # Encodings of several bytes have no way to keep what is wrong.
            yield b"\xff\n"
            return
        *lines, rest = (rest + text).split("\n")
        for line in lines:
            yield f"{line}\n".encode("utf-8", "surrogateescape")
    if rest:
        yield rest.encode("utf-8", "surrogateescape")


def _with_point(cell: str, decimal: str) -> str:
    """A number as Python writes it; one that has a point as well is none.

    >>> _with_point("2,5", ","), _with_point("1.2", ",")
    ('2.5', '1.2 (the decimal mark is ,)')
    """
    return f"{cell} (the decimal mark is {decimal})" if "." in cell else cell.replace(decimal, ".")


def dialect_of(span: Span, delimiter: str, quote: str, encoding: str, null: object, header: bool,
               decimal: str) -> Dialect:
    """The marks that a user has named, after a check."""
    for what, mark in (("delimiter", delimiter), ("quote", quote), ("decimal", decimal)):
        if not (isinstance(mark, str) and len(mark) == 1 and mark not in "\r\n"):
            raise ProgramError(f"the {what} of a CSV file is one character", span, got=repr(mark))
    if len({delimiter, quote, decimal}) < 3:
        raise ProgramError("the delimiter, the quote and the decimal mark of a CSV file differ",
                           span, got=f"{delimiter!r}, {quote!r}, {decimal!r}",
                           help="for example delimiter=';', decimal=','")
    try:
        known = codecs.lookup(encoding).name
    except (LookupError, TypeError):
        raise ProgramError(f"there is no encoding {encoding!r}", span,
                           expected="such as 'utf-8', 'latin-1', 'cp1252', 'utf-16'") from None
    marks = (null,) if isinstance(null, str) else tuple(null)
    return Dialect(delimiter, quote, known, marks, bool(header), decimal)
