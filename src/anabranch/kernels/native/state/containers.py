"""The collections that a state declares: which have a native form, and how."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anabranch.analysis.typing.types import DictOf, ItemsOf, SetOf
from anabranch.ir.types import ListOf, Type
from anabranch.kernels.native.library.tables import slots_of
from anabranch.kernels.native.state.carrier import (
    Key,
    Misfit,
    load,
    native_value,
    python_value,
    store,
)
from anabranch.kernels.native.state.dicts import ENTRY, entry_fields
from anabranch.kernels.native.state.layout import StateTable
from anabranch.kernels.native.translate.values import (
    KINDS,
    HeldCollection,
    Rec,
    Value,
    is_held,
    within,
)

if TYPE_CHECKING:
    from anabranch.kernels.native.state.memory import StateMemory


# A float is no key here: both zeros are one key, and a dict keeps the one that came first.
KEYS = ("bool", "int", "str", "time")
MADE = {dict: None, Counter: "0", set: None, list: None, deque: None}
POSITION = Value("int", ENTRY)


@dataclass
class Holder:
    """Makes the collections of one operator's state: their tables have the numbers behind its."""

    place: int
    words: int
    key: Key
    first: int
    tables: list[StateTable]

    def collection(self, declared: Type, initial: object, variable: str) -> Rec | None:
        """The collection that a field is; None when it is none or has no native form."""
        key, value = _scalars(declared)
        if type(initial) not in MADE or initial or key is None or key.kind not in KEYS:
            return None
        bound = getattr(initial, "maxlen", None)
        if (value is None and type(initial) is not set) or bound == 0:
            return None
        table = StateTable(self.first + len(self.tables), self.place, self.words + 1,
                      entry_fields(value), Key((key, *self.key.parts)), None, is_inner=True)
        self.tables.append(table)
        cls = type("Held", (HeldCollection,), {"table": table, "key": key, "value": value,
                                     "made": type(initial), "missing": MADE[type(initial)],
                                     "bound": bound})
        return Rec(cls, {"0": Value("int", within(variable, "0"))})


def _scalars(declared: Type) -> tuple[Value | None, Value | None]:
    match declared:
        case DictOf(key, value):
            return _scalar(key), _scalar(value)
        case SetOf(key):
            return _scalar(key), None
        case ListOf(item) | ItemsOf(item):
            return POSITION, _scalar(item)
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

    def _count(self, name: str) -> str:
        return within(within(self.prefix, name), "0")

    def all(self, memory: StateMemory, table: StateTable) -> list[object]:
        """The states of all slots."""
        scalars = self._scalars
        states = [load(memory, table, self.prefix, scalars, slot)
                  for slot in range(memory.count(table))]
        for name, held in self._held.items():
            taken = [{} for _ in states]
            for slot, key, value in _entries(memory, table, held.cls):
                taken[slot][key] = value
            given = memory.arrays[table.array(self._count(name))]
            for state, entries, count in zip(states, taken, given):
                setattr(state, name, _made(held, entries, int(count)))
        return states

    def native(self, memory: StateMemory, table: StateTable, slot: int, state: object) -> None:
        store(memory, table, self.prefix, self._scalars, slot, state)
        for name, held in self._held.items():
            entries = getattr(state, name)
            if type(entries) is not held.cls.made or (
                    getattr(entries, "maxlen", None) != held.cls.bound):
                raise Misfit
            memory.arrays[table.array(self._count(name))][slot] = len(entries)
            _put(memory, held.cls, memory.arrays[table.array("keys")][slot], entries)


def _entries(memory: StateMemory, owner: StateTable, held: type[HeldCollection]):
    """Every entry in the order in which they came: its owner's slot, its key and its value."""
    array, table = memory.arrays, held.table
    keys = array[table.array("keys")][:memory.count(table)]
    owners = slots_of(array[owner.array("index")], array[owner.array("keys")], keys[:, 1:])
    for slot, (own, word) in enumerate(zip(owners, keys[:, 0])):
        value = None if held.value is None else load(memory, table, ENTRY, held.value, slot)
        yield own, python_value(memory, held.key.kind, word), value


def _made(held: Rec, entries: dict, count: int) -> object:
    """The collection of some entries; a sequence has the last of those that it was given."""
    if held.cls.made is deque:
        bound = held.cls.bound
        last = range(max(0, count - bound) if bound else 0, count)
        return deque((entries[n % bound if bound else n] for n in last), bound)
    if held.cls.made is list:
        return [entries[n] for n in range(count)]
    return held.cls.made(entries)


def _put(memory: StateMemory, held: type[HeldCollection], owner: np.ndarray,
         entries: object) -> None:
    keyed = dict(enumerate(entries)) if held.made in (list, deque) else (
        dict.fromkeys(entries) if held.made is set else entries)
    words = [[native_value(memory, held.key.kind, key), *owner] for key in keyed]
    keys = np.array(words, np.int64).reshape(len(words), held.table.words)
    slots = memory.enter(held.table, keys, np.zeros(len(keys), np.int64))
    if held.value is not None:
        for slot, value in zip(slots, keyed.values()):
            store(memory, held.table, ENTRY, held.value, slot, value)
