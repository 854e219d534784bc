"""The sink of a program: text to the standard streams, as it comes."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import ClassVar

from anabranch.io.output import StandardOutput
from anabranch.ir.types import Type
from anabranch.lang.sawzall.running.runs import STDERR, Output
from anabranch.source import Span


@dataclass(frozen=True)
class Streams:
    """Standard output and standard error."""

    span: Span | None = field(default=None, compare=False)
    format: ClassVar[str] = "text"
    shown: ClassVar[str] = "text to standard output"

    def __str__(self) -> str:
        return self.shown

    def open(self, item_type: Type) -> Writer:
        return Writer(StandardOutput(self.span))


class Writer:
    """Writes what arrives; a failure of the program arrives like that too, in its turn."""

    def __init__(self, out: StandardOutput):
        self.out, self.commit, self.abort = out, out.commit, out.abort

    def write(self, item: Output) -> None:
        if isinstance(item.value, BaseException):
            raise item.value
        if item.key == STDERR:
            sys.stderr.write(item.value)
        else:
            self.out.write(item.value)
