"""Constants of generated text: named, so that each tier can hold them in its own way."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from anabranch.errors import ProgramError
from anabranch.lang.streamit.running.plain import complex_of, single
from anabranch.lang.streamit.types import BOOLEAN, CHAR, COMPLEX, FLOAT, INT, Type
from anabranch.source import Span

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
