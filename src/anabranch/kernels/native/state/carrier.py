"""State between the tiers: native arrays as objects of the rows tier, and back.

`Misfit` says that a value is not of its native kind, so that the rows tier must keep it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from anabranch.ir.times import elapsed_of, origin_of
from anabranch.kernels.native.translate.values import (
    CODED,
    MICROSECOND,
    Rec,
    Shape,
    Value,
    flag,
    leaves,
    within,
)

if TYPE_CHECKING:
    from anabranch.kernels.native.state.layout import StateTable
    from anabranch.kernels.native.state.memory import StateMemory


PYTHON = {"bool": bool, "int": int, "float": float, "str": str, "time": datetime, "bytes": bytes}
LETTERS = "latin-1"
"""Bytes are held as texts with a letter for each byte."""


class Misfit(Exception):
    """A value that the native arrays cannot hold."""


def python_value(memory: StateMemory, kind: str, raw, none: bool = False) -> object:
    """A native scalar as the Python value that it stands for."""
    if none or (kind in CODED and raw < 0):
        return None
    if kind in CODED:
        text = memory.texts.text(raw)
        return text if kind == "str" else text.encode(LETTERS)
    if kind == "time":
        return origin_of(memory.aware) + int(raw) * MICROSECOND
    return PYTHON[kind](raw)


def native_value(memory: StateMemory, kind: str, value: object):
    """The native scalar of a Python value."""
    if type(value) is not PYTHON[kind] or (kind == "int" and not -2**63 <= value < 2**63):
        raise Misfit
    if kind in CODED:
        return memory.texts.code(value if kind == "str" else value.decode(LETTERS))
    return _microseconds(memory, value) if kind == "time" else value


def _microseconds(memory: StateMemory, time: datetime) -> int:
    """All times of a memory are wall-clock times, or all are instants in UTC."""
    is_plain = not time.fold and (time.tzinfo is None or time.tzinfo is UTC)
    if not (is_plain and memory.takes_times(time.tzinfo is not None)):
        raise Misfit
    return elapsed_of(time) // MICROSECOND


def load(memory: StateMemory, table: StateTable, name: str, shape: Shape, place: int) -> object:
    """The Python value, which may be a record or a state, in the arrays that begin with `name`."""
    if isinstance(shape, Rec):
        return shape.cls(**{part: load(memory, table, within(name, part), inner, place)
                            for part, inner in shape.fields.items()})
    none = bool(memory.arrays[table.array(flag(name))][place]) if shape.flagged else False
    return python_value(memory, shape.kind, memory.arrays[table.array(name)][place], none)


def store(memory: StateMemory, table: StateTable, name: str, shape: Shape, place: int,
          given) -> None:
    if isinstance(shape, Rec):
        _store_parts(memory, table, name, shape, place, given)
        return
    if given is None and not shape.none:
        raise Misfit
    if shape.flagged:
        memory.arrays[table.array(flag(name))][place] = given is None
    empty = -1 if shape.kind in CODED else 0
    memory.arrays[table.array(name)][place] = (
        empty if given is None else native_value(memory, shape.kind, given))


def _store_parts(memory: StateMemory, table: StateTable, name: str, shape: Rec, place: int,
                 given: object) -> None:
    if type(given) is not shape.cls:
        raise Misfit
    for part, inner in shape.fields.items():
        store(memory, table, within(name, part), inner, place, getattr(given, part))


@dataclass(frozen=True)
class StateCarrier:
    """Carries a user's state: each field is a scalar, or a record of such."""

    shape: Rec
    prefix: str = "s"

    def all(self, memory: StateMemory, table: StateTable) -> list[object]:
        """The states of all slots."""
        return [self.python(memory, table, slot) for slot in range(memory.count(table))]

    def python(self, memory: StateMemory, table: StateTable, slot: int) -> object:
        return load(memory, table, self.prefix, self.shape, slot)

    def native(self, memory: StateMemory, table: StateTable, slot: int, state: object) -> None:
        store(memory, table, self.prefix, self.shape, slot, state)


@dataclass(frozen=True)
class Key:
    """What a key is made of. Of one part it is that value, of several a tuple, `cls` if it is a
    whole record, and None of no part."""

    parts: tuple[Shape, ...]
    cls: type | None = None

    @property
    def scalars(self) -> list[Value]:
        """What each word is; a record has one for each of its scalars."""
        return [leaf for part in self.parts for _, leaf in leaves(part, "")]

    def python(self, memory: StateMemory, words: list[int]) -> object:
        values = iter([python_value(memory, p.kind, _number(p.kind, w), self._is_none(words, n))
                       for n, (p, w) in enumerate(zip(self.scalars, words))])
        parts = [_put_together(part, values) for part in self.parts]
        if self.cls is not None:
            return self.cls(*parts)
        return tuple(parts) if len(parts) > 1 else parts[0] if parts else None

    def words(self, memory: StateMemory, key: object) -> list[int]:
        whole = self.cls is not None or len(self.parts) > 1
        parts = list(key) if whole else [key][:len(self.parts)]
        values = [v for part, given in zip(self.parts, parts) for v in _taken_apart(part, given)]
        words = [self._word(memory, p, v) for p, v in zip(self.scalars, values)]
        flags = sum(1 << n for n, (p, v) in enumerate(zip(self.scalars, values))
                    if v is None and p.kind not in CODED)
        return [*words, flags] if self._flagged else words or [0]

    @property
    def _flagged(self) -> bool:
        return any(p.flagged for p in self.scalars)

    def _is_none(self, words: list[int], part: int) -> bool:
        return self._flagged and bool(words[-1] >> part & 1)

    def _word(self, memory: StateMemory, part: Value, value: object) -> int:
        if value is None:
            return -1 if part.kind in CODED else 0
        if part.kind != "float":
            return int(native_value(memory, part.kind, value))
        if type(value) is not float or value != value:
            raise Misfit
        return struct.unpack("q", struct.pack("d", value + 0.0))[0]


def _number(kind: str, word: int):
    return struct.unpack("d", struct.pack("q", word))[0] if kind == "float" else word


def _put_together(part: Shape, values: Iterator[object]) -> object:
    if isinstance(part, Rec):
        return part.cls(*(_put_together(inner, values) for inner in part.fields.values()))
    return next(values)


def _taken_apart(part: Shape, given: object) -> list[object]:
    if not isinstance(part, Rec):
        return [given]
    if type(given) is not part.cls:
        raise Misfit
    return [v for inner, own in zip(part.fields.values(), given) for v in _taken_apart(inner, own)]
