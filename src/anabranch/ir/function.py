"""A user's function: the callable, and where it stands in the user's text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.source import Span


@dataclass(frozen=True)
class Function:
    """A callable with its name and span; `parameters` are the types of the items it is given."""

    call: Callable
    name: str
    span: Span | None = field(default=None, compare=False)

    @staticmethod
    def of(call: Callable, span: Span | None = None) -> Function:
        code = getattr(call, "__code__", None)
        name = getattr(call, "__name__", type(call).__name__)
        if span is None and code is not None:
            span = Span(code.co_filename, code.co_firstlineno)
        return Function(call, name, span)
