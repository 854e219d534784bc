"""The dicts and sets that a state declares: which have a native form, and how they are carried."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anabranch.analysis.typed import DictOf, SetOf
from anabranch.ir.types import Type
from anabranch.kernels.native.carry import Key, Misfit, load, native_value, python_value, store
from anabranch.kernels.native.dicts import ENTRY, entry_fields
from anabranch.kernels.native.layout import Table
from anabranch.kernels.native.tables import slots_of
from anabranch.kernels.native.values import KINDS, Held, Rec, Value, is_held, within

if TYPE_CHECKING:
    from anabranch.kernels.native.memory import Memory

# A float is no key here: both zeros are one key, and a dict keeps the one that came first.
KEYS = ("bool", "int", "str", "time")
MADE = {dict: None, Counter: "0", set: None}


@dataclass
class Holder:
    """Makes the collections of one operator's state: their tables have the numbers behind its."""

    place: int
    words: int
    key: Key
    first: int
    tables: list[Table]

    def collection(self, declared: Type, initial: object, variable: str) -> Rec | None:
        """The collection that a field is; None when it is none or has no native form."""
        key, value = _scalars(declared)
        if type(initial) not in MADE or initial or key is None or key.kind not in KEYS:
            return None
        if value is None and type(initial) is not set:
            return None
        table = Table(self.first + len(self.tables), self.place, self.words + 1,
                      entry_fields(value), Key((key, *self.key.parts)), None, is_inner=True)
        self.tables.append(table)
        cls = type("Held", (Held,), {"table": table, "key": key, "value": value,
                                     "made": type(initial), "missing": MADE[type(initial)]})
        return Rec(cls, {"0": Value("int", within(variable, "0"))})


def _scalars(declared: Type) -> tuple[Value | None, Value | None]:
    match declared:
        case DictOf(key, value):
            return _scalar(key), _scalar(value)
        case SetOf(key):
            return _scalar(key), None
    return None, None


def _scalar(declared: Type) -> Value | None:
    return Value(KINDS[declared], ENTRY) if declared in KINDS else None


@dataclass(frozen=True)
class HoldingCarrier:
    """Carries states with collections: a new one has them empty, then their entries are put in."""

    shape: Rec
    prefix: str = "s"

    @property
    def _scalars(self) -> Rec:
        return Rec(self.shape.cls, {n: s for n, s in self.shape.fields.items() if not is_held(s)})

    @property
    def _held(self) -> dict[str, Rec]:
        return {n: shape for n, shape in self.shape.fields.items() if is_held(shape)}

    def all(self, memory: Memory, table: Table) -> list[object]:
        """The states of all slots."""
        scalars = self._scalars
        states = [load(memory, table, self.prefix, scalars, slot)
                  for slot in range(memory.count(table))]
        for name, held in self._held.items():
            for slot, key, value in _entries(memory, table, held.cls):
                _take(getattr(states[slot], name), key, value)
        return states

    def native(self, memory: Memory, table: Table, slot: int, state: object) -> None:
        store(memory, table, self.prefix, self._scalars, slot, state)
        for name, held in self._held.items():
            entries, place = getattr(state, name), within(within(self.prefix, name), "0")
            if type(entries) is not held.cls.made:
                raise Misfit
            memory.arrays[table.array(place)][slot] = len(entries)
            _put(memory, held.cls, memory.arrays[table.array("keys")][slot], entries)


def _entries(memory: Memory, owner: Table, held: type[Held]):
    """Every entry in the order in which they came: its owner's slot, its key and its value."""
    array, table = memory.arrays, held.table
    keys = array[table.array("keys")][:memory.count(table)]
    owners = slots_of(array[owner.array("index")], array[owner.array("keys")], keys[:, 1:])
    for slot, (own, word) in enumerate(zip(owners, keys[:, 0])):
        value = None if held.value is None else load(memory, table, ENTRY, held.value, slot)
        yield own, python_value(memory, held.key.kind, word), value


def _take(entries: dict | set, key: object, value: object) -> None:
    if isinstance(entries, set):
        entries.add(key)
    else:
        entries[key] = value


def _put(memory: Memory, held: type[Held], owner: np.ndarray, entries: dict | set) -> None:
    words = [[native_value(memory, held.key.kind, key), *owner] for key in entries]
    keys = np.array(words, np.int64).reshape(len(words), held.table.words)
    slots = memory.enter(held.table, keys, np.zeros(len(keys), np.int64))
    if held.value is not None:
        for slot, value in zip(slots, entries.values()):
            store(memory, held.table, ENTRY, held.value, slot, value)
