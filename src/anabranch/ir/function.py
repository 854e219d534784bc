"""A user's function: the callable, and where it stands in the user's text.

>>> Function.from_source("lambda x: x + one", {"one": 1}).call(2)
3
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.core.source import Span

GENERATED = "<generated>"
"""The module of functions made from text. Where a function has none, pickling looks for it in every
module that is loaded."""


@dataclass(frozen=True)
class Function:
    """A callable with its name and span."""

    call: Callable
    name: str
    span: Span | None = field(default=None, compare=False)

    @staticmethod
    def of(call: Callable, span: Span | None = None) -> Function:
        code = getattr(call, "__code__", None)
        name = getattr(call, "__name__", None)
        name = name if isinstance(name, str) else type(call).__name__
        if span is None and code is not None:
            span = Span(code.co_filename, code.co_firstlineno)
        return Function(call, name, span)

    @staticmethod
    def from_source(text: str, scope: dict[str, object], span: Span | None = None) -> Function:
        """A function from generated Python text, which analyses can read like the user's own."""
        call = eval(compile(text, _file_with(text), "eval"), scope)
        call.__module__ = GENERATED
        return Function.of(call, span)

    @staticmethod
    def defined(text: str, name: str, scope: dict[str, object], span: Span | None = None
                ) -> Function:
        """The function of this name from generated text that defines it."""
        names = {"__name__": GENERATED, **scope}
        exec(compile(text, _file_with(text), "exec"), names)
        return Function.of(names[name], span)


_generated = itertools.count(1)


def _file_with(text: str) -> str:
    """The name of a file that is nowhere but in Python's cache of lines."""
    file = f"<generated {next(_generated)}>"
    linecache.cache[file] = (len(text), None, [f"{line}\n" for line in text.split("\n")], file)
    return file
