"""The sink of a program: text to the standard streams as it comes, and to files."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field, replace
from typing import ClassVar

from anabranch.io.output import StandardOutput, WholeFile
from anabranch.ir.types import Type
from anabranch.lang.sawzall.running.commands import Process
from anabranch.lang.sawzall.running.places import Command
from anabranch.lang.sawzall.running.runs import STDERR, Output
from anabranch.source import Span, shown_path


@dataclass(frozen=True)
class Streams:
    """Standard output, or a file in its place, and standard error."""

    span: Span | None = field(default=None, compare=False)
    path: str | None = None
    format: ClassVar[str] = "text"

    @property
    def shown(self) -> str:
        return f"text to {'standard output' if self.path is None else shown_path(self.path)}"

    def __str__(self) -> str:
        return self.shown

    def at(self, path: str) -> Streams:
        """The same text in a file; `-` is standard output."""
        return replace(self, path=None if path == "-" else path)

    def open(self, item_type: Type) -> Writer:
        return Writer(StandardOutput(self.span) if self.path is None else
                      WholeFile(self.path, self.span))


class Writer:
    """Writes what arrives; a failure of the program arrives like that too, in its turn. The files
    of tables appear at the end, whole, and the commands of tables run then."""

    def __init__(self, out: StandardOutput | WholeFile):
        self.out, self.files = out, {}

    def commit(self) -> None:
        for each in (self.out, *self.files.values()):
            each.commit()

    def abort(self) -> None:
        for each in (self.out, *self.files.values()):
            each.abort()

    def write(self, item: Output) -> None:
        if isinstance(item.value, BaseException):
            raise item.value
        if item.key == STDERR:
            sys.stderr.write(item.value)
        elif isinstance(item.key, (str, Command)):
            self._file(item.key).write_bytes(_bytes(item.value))
        elif isinstance(self.out, WholeFile):
            self.out.write_bytes(_bytes(item.value))
        elif item.value.isascii() or not self._wrote_bytes(item.value):
            self.out.write(item.value)

    def _file(self, place: str | Command) -> WholeFile | Process:
        if place not in self.files:
            made = Process if isinstance(place, Command) else WholeFile
            self.files[place] = made(place, self.out.where)
        return self.files[place]

    def _wrote_bytes(self, text: str) -> bool:
        """Writes text that stands for bytes as these bytes; False if it is plain text, or if
        standard output takes only text."""
        buffer = getattr(self.out.stream, "buffer", None)
        try:
            text.encode()
            return False
        except UnicodeEncodeError:
            if buffer is None:
                return False
        self.out.stream.flush()
        buffer.write(_bytes(text))
        return True


HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def _bytes(text: str) -> bytes:
    """What was read as bytes is those bytes again; half a character is a question mark."""
    return HALVES.sub("?", text).encode(errors="surrogateescape")
