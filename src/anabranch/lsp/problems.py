"""What is wrong with a program, and where: our errors as an editor shows them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import IntEnum

from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span


class Severity(IntEnum):
    """The numbers of the protocol."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3


@dataclass(frozen=True)
class Diagnosis:
    """One thing that is wrong, at a place of the program's own text."""

    text: str
    span: Span
    severity: Severity = Severity.ERROR

    def as_json(self) -> dict[str, object]:
        return {"text": self.text, "severity": int(self.severity), "span": place(self.span)}


def place(span: Span) -> dict[str, object]:
    """A span whose end is known: that of its line, where nothing else is said."""
    if span.end_line is not None and span.end_column is not None:
        return asdict(span)
    text = span.text
    column = span.column or len(text) - len(text.lstrip())
    return asdict(span) | {"column": column, "end_line": span.line,
                           "end_column": max(len(text), column + 1)}


def problem_of(error: AnabranchError, file: str, near: Span | None = None) -> Diagnosis:
    """An error of ours at its place; one without a place in this file stands `near` another."""
    details = (("expected", error.expected), ("came", error.got), ("help", error.help))
    lines = [error.what, *(f"{label}: {text}" for label, text in details if text)]
    where = error.where
    if isinstance(where, Span) and where.file == file:
        return Diagnosis("\n".join(lines), where)
    if where is not None and str(where) != file:
        lines[0] = f"{where}: {lines[0]}"
    return Diagnosis("\n".join(lines), near or Span(file, 1))
