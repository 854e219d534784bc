"""State between the tiers: a slot of native arrays as objects of the rows tier, and back.

`Misfit` says that a value is not of its native kind, so that the rows tier must keep it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from anabranch.ir.windows import EPOCH
from anabranch.kernels.native.values import MICROSECOND, Rec, Value, flag, within

if TYPE_CHECKING:
    from anabranch.kernels.native.layout import Table
    from anabranch.kernels.native.memory import Memory

PYTHON = {"bool": bool, "int": int, "float": float, "str": str, "time": datetime}


class Misfit(Exception):
    """A value that the native arrays cannot hold."""


def python_value(memory: Memory, kind: str, raw, none: bool = False) -> object:
    """A native scalar as the Python value that it stands for."""
    if none or (kind == "str" and raw < 0):
        return None
    if kind == "str":
        return memory.texts.text(raw)
    return EPOCH + int(raw) * MICROSECOND if kind == "time" else PYTHON[kind](raw)


def native_value(memory: Memory, kind: str, value: object):
    """The native scalar of a Python value."""
    if type(value) is not PYTHON[kind] or (kind == "int" and not -2**63 <= value < 2**63):
        raise Misfit
    if kind == "str":
        return memory.texts.code(value)
    return (value - EPOCH) // MICROSECOND if kind == "time" else value


def load(memory: Memory, table: Table, name: str, value: Value, place: int) -> object:
    """The Python value of a scalar in the arrays `name` and, if it may be None, its flag."""
    flagged = value.none and value.kind != "str"
    none = bool(memory.arrays[table.array(flag(name))][place]) if flagged else False
    return python_value(memory, value.kind, memory.arrays[table.array(name)][place], none)


def store(memory: Memory, table: Table, name: str, value: Value, place: int, given) -> None:
    if given is None and not value.none:
        raise Misfit
    if value.none and value.kind != "str":
        memory.arrays[table.array(flag(name))][place] = given is None
    empty = -1 if value.kind == "str" else 0
    memory.arrays[table.array(name)][place] = (
        empty if given is None else native_value(memory, value.kind, given))


@dataclass(frozen=True)
class StateCarrier:
    """Carries a user's state: each field is a scalar, or a record of such."""

    shape: Rec
    prefix: str = "s"

    def python(self, memory: Memory, table: Table, slot: int) -> object:
        return load_record(memory, table, self.prefix, self.shape, slot)

    def native(self, memory: Memory, table: Table, slot: int, state: object) -> None:
        store_record(memory, table, self.prefix, self.shape, slot, state)


def load_record(memory: Memory, table: Table, prefix: str, shape: Rec, slot: int) -> object:
    """A state or a record from the arrays of its scalars."""
    return shape.cls(**{
        name: (load_record if isinstance(inner, Rec) else load)(
            memory, table, within(prefix, name), inner, slot)
        for name, inner in shape.fields.items()})


def store_record(memory: Memory, table: Table, prefix: str, shape: Rec, slot: int,
                 given: object) -> None:
    if type(given) is not shape.cls:
        raise Misfit
    for name, inner in shape.fields.items():
        put = store_record if isinstance(inner, Rec) else store
        put(memory, table, within(prefix, name), inner, slot, getattr(given, name))


@dataclass(frozen=True)
class Key:
    """What a key is made of. Of one part it is that value, of several a tuple, `cls` if it is a
    whole record, and None of no part."""

    parts: tuple[Value, ...]
    cls: type | None = None

    def python(self, memory: Memory, words: list[int]) -> object:
        values = [python_value(memory, p.kind, _number(p.kind, w), self._is_none(words, n))
                  for n, (p, w) in enumerate(zip(self.parts, words))]
        if self.cls is not None:
            return self.cls(*values)
        return tuple(values) if len(values) > 1 else values[0] if values else None

    def words(self, memory: Memory, key: object) -> list[int]:
        whole = self.cls is not None or len(self.parts) > 1
        values = list(key) if whole else [key][:len(self.parts)]
        words = [self._word(memory, p, v) for p, v in zip(self.parts, values)]
        flags = sum(1 << n for n, (p, v) in enumerate(zip(self.parts, values))
                    if v is None and p.kind != "str")
        return [*words, flags] if self._flagged else words or [0]

    @property
    def _flagged(self) -> bool:
        return any(p.none and p.kind != "str" for p in self.parts)

    def _is_none(self, words: list[int], part: int) -> bool:
        return self._flagged and bool(words[-1] >> part & 1)

    def _word(self, memory: Memory, part: Value, value: object) -> int:
        if value is None:
            return -1 if part.kind == "str" else 0
        if part.kind != "float":
            return int(native_value(memory, part.kind, value))
        if type(value) is not float or value != value:
            raise Misfit
        return struct.unpack("q", struct.pack("d", value + 0.0))[0]


def _number(kind: str, word: int):
    return struct.unpack("d", struct.pack("q", word))[0] if kind == "float" else word
