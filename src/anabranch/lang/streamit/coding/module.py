"""A generated text as functions: lines, constants, the user's line behind each.

Constants are named, so that each tier can hold them in its own way.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType

import numpy as np

from anabranch.core.errors import ProgramError, RunError
from anabranch.core.source import Span
from anabranch.ir.function import GENERATED
from anabranch.lang.streamit.execution.plain import SCOPE, complex_of, single
from anabranch.lang.streamit.types import BOOLEAN, CHAR, COMPLEX, FLOAT, INT, Type

_serial = itertools.count(1)


@dataclass(frozen=True)
class Module:
    """Generated functions. `spans` has the user's line for every line of the text."""

    text: str
    spans: tuple[Span | None, ...]
    constants: Constants
    scope: dict[str, object] = field(default_factory=dict)

    def plain(self) -> dict[str, Callable]:
        """The functions in plain Python; a failure names the user's line."""
        file = f"<streamit {next(_serial)}>"
        names = {"__name__": GENERATED, **SCOPE, **self.constants.bindings(PLAIN), **self.scope}
        exec(self._compiled(file), names)
        return {name: self._located(value, file) for name, value in names.items()
                if callable(value) and getattr(value, "__module__", None) == GENERATED}

    def _compiled(self, file: str) -> CodeType:
        try:
            return compile(self.text, file, "exec")
        except (SyntaxError, RecursionError, MemoryError) as error:
            # The text is well-formed, so this is Python's limit of nesting.
            line = getattr(error, "lineno", None) or 1
            raise ProgramError("this is nested too deeply", self.spans[line - 1],
                               help="take it apart, into several statements or functions"
                               ) from None

    def _located(self, function: Callable, file: str) -> Callable:
        def located(*arguments: object) -> object:
            try:
                return function(*arguments)
            except RunError as error:
                error.where = error.where or self._span(error, file)
                raise
            except (OverflowError, RecursionError, MemoryError) as error:
                raise RunError(f"the program cannot go on: {error}",
                               self._span(error, file)) from None
        return located

    def _span(self, error: BaseException, file: str) -> Span | None:
        """The user's line of the innermost generated line that was running."""
        found, trace = None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == file:
                found = self.spans[trace.tb_lineno - 1]
            trace = trace.tb_next
        return found


class Lines:
    """Collects lines; names that it gives out are never given twice.

    >>> lines = Lines()
    >>> with lines.inside("while True:"):
    ...     lines.add("break")
    >>> print(lines.text())
    while True:
        break
    """

    def __init__(self):
        self.lines: list[str] = []
        self.spans: list[Span | None] = []
        self.depth = 0
        self.span: Span | None = None
        self._taken: dict[str, int] = {}

    def add(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)
        self.spans.append(self.span)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """What is added meanwhile stands inside of a compound statement."""
        self.add(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.add("pass")
        self.depth -= 1

    def name(self, wanted: str) -> str:
        """A new name that reminds of the wanted one, and that nothing of ours has."""
        count = self._taken.get(wanted, 0)
        self._taken[wanted] = count + 1
        return f"v_{wanted}" if count == 0 else f"v_{wanted}_{count}"

    def text(self) -> str:
        return "\n".join(self.lines)


DTYPES = {"float": (np.float64, np.float32), "int": (np.int64, np.int32),
          "bit": (np.int64, np.int32), "boolean": (np.bool_, np.bool_),
          "complex": (np.complex128, np.complex64), "seed": (np.int64, np.int64)}
PLAIN, COMPILED = 0, 1


def dtype_of(base: Type, tier: int) -> object:
    """How the elements of an array are held; structures are Python objects."""
    return DTYPES[base.name][tier] if base.name in DTYPES else object


@dataclass
class Constants:
    """The constants of a text, by their names."""

    values: dict[str, tuple[Type, object]] = field(default_factory=dict)
    _known: dict[tuple, str] = field(default_factory=dict)

    def scalar(self, value: object, type: Type) -> str:
        """The text of a literal: itself, or a name where a tier has its own type for it."""
        if type in (INT, CHAR, BOOLEAN) or isinstance(value, str):
            return repr(value)
        return self._named((type, repr(value)), type, rounded(value, type))

    def array(self, items: list, type: Type, span: Span) -> str:
        """The name of a constant array."""
        if not _is_even(items):
            raise ProgramError("the lists of values have different lengths", span)
        return self._named((type, repr(items)), type, _rounded(items, type))

    def bindings(self, tier: int) -> dict[str, object]:
        """What the names stand for in a tier."""
        return {name: self._held(type, value, tier) for name, (type, value) in self.values.items()}

    def _named(self, key: tuple, type: Type, value: object) -> str:
        if key not in self._known:
            self._known[key] = f"K{len(self._known)}"
            self.values[self._known[key]] = type, value
        return self._known[key]

    @staticmethod
    def _held(type: Type, value: object, tier: int) -> object:
        if isinstance(value, list):
            return np.array(value, dtype_of(type, tier))
        return value if tier == PLAIN else DTYPES[type.name][COMPILED](value)


def _is_even(items: object) -> bool:
    """Whether lists at the same depth are equally long.

    >>> _is_even([[1, 2], [3, 4]]), _is_even([[1], [2, 3]])
    (True, False)
    """
    if not isinstance(items, list):
        return True
    shapes = {len(each) if isinstance(each, list) else -1 for each in items}
    return len(shapes) <= 1 and all(map(_is_even, items))


def _rounded(items: object, type: Type) -> object:
    if isinstance(items, list):
        return [_rounded(each, type) for each in items]
    return rounded(items, type)


def rounded(value: object, type: Type) -> object:
    """A literal as the language holds it."""
    if type == COMPLEX:
        return complex_of(value.real, value.imag)
    return single(value) if type == FLOAT else value
