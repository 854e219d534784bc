"""The aggregate `collect` as native code: growing lists lie in a table of their own.

The key of an element is that of its list's owner, the number of the window, and its place in the
list. A list that is given out is carried as these numbers with its length, as if it were a record
of them; it is put together when the slice is done. So it can be put out and measured, but not be
looked into. What a closed window has left behind is forgotten between two slices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anabranch.core.once import once
from anabranch.ir.aggregates import Call, Collect
from anabranch.kernels.native.library.tables import slots_of
from anabranch.kernels.native.state.carrier import Key, load, store
from anabranch.kernels.native.state.layout import StateTable, arrays_for, codes_of
from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.values import Rec, Shape, Unsupported, Value, is_plain

if TYPE_CHECKING:
    from anabranch.kernels.native.state.memory import StateMemory


ELEMENT = "e"


class LateList:
    """The class of the records that stand for lists; each aggregate has its own subclass."""

    table: StateTable
    element: Shape


def is_list(shape: object) -> bool:
    return isinstance(shape, Rec) and issubclass(shape.cls, LateList)


def length_of(shape: Rec) -> Value:
    return list(shape.fields.values())[-1]


@dataclass(frozen=True)
class Owner:
    """The windows that have lists: their table's number, their operator's place, their key."""

    number: int
    place: int
    words: int
    key: Key
    ring: int

    def is_live(self, memory: StateMemory, table: StateTable) -> np.ndarray:
        """Which elements are of windows that are still open."""
        owner = next(t for t in memory.stage.tables if t.number == self.number)
        keys = memory.arrays[table.array("keys")][:memory.count(table)]
        array, numbers = memory.arrays, keys[:, -2]
        slots = slots_of(array[owner.array("index")], array[owner.array("keys")],
                         keys[:, :owner.words])
        places = slots * self.ring + numbers % self.ring
        return array[owner.array("open")][places] & (
            array[owner.array("number")][places] == numbers)


@dataclass(frozen=True)
class ListFold:
    """All values of a window, each in the variables `v<number>` when an item comes."""

    number: int
    call: Call
    value: Shape
    table: StateTable
    ring: int
    fields = ()

    @property
    def aggregate(self) -> type:
        return self.call.aggregate

    @once
    def cls(self) -> type[LateList]:
        return type("List", (LateList,), {"table": self.table, "element": self.value})

    def given(self, body: Body) -> list[tuple[str, str]]:
        names = [f.name for f in arrays_for(self.value, f"v{self.number}")]
        return list(zip(names, codes_of(body, self.value)))

    def taking(self, array, place: str) -> list[str]:
        count, own = f"c[{self.table.count}]", self.table.array
        words = [*(f"word{n}" for n in range(self.table.words - 2)),
                 f"{array('number')}[{place}]", "held"]
        sources = arrays_for(self.value, f"v{self.number}")
        return [f"e = insert({own('index')}, {own('keys')}, {own('stamps')}, {count}, "
                f"({', '.join(words)}), stamp_of(stamps, i))",
                f"{count} = e + 1", f"if TRACKED: {own('touched')}[e] = True",
                *(f"{own(f.name)}[e] = {source.name}"
                  for f, source in zip(self.table.fields, sources))]

    def result(self, array, place: str, slot: str) -> Rec:
        words = [f"{array('keys')}[{slot}, {n}]" for n in range(self.table.words - 2)]
        numbers = [*words, f"{array('number')}[{place}]", f"{array('held')}[{place}]"]
        return Rec(self.cls, {str(n): Value("int", code) for n, code in enumerate(numbers)})

    def give(self, made: Collect, count: int, memory: StateMemory, table: StateTable,
             place: int) -> None:
        """Sets an aggregate of the rows tier to the values in the table."""
        array = memory.arrays
        slots = slots_of(array[self.table.array("index")], array[self.table.array("keys")],
                         self._keys(memory, table, place, count))
        made.values = [load(memory, self.table, ELEMENT, self.value, slot) for slot in slots]

    def put(self, made: Collect, memory: StateMemory, table: StateTable, place: int) -> None:
        keys = self._keys(memory, table, place, len(made.values))
        slots = memory.enter(self.table, keys, np.zeros(len(keys), np.int64))
        for slot, value in zip(slots, made.values):
            store(memory, self.table, ELEMENT, self.value, slot, value)

    def _keys(self, memory: StateMemory, table: StateTable, place: int, count: int) -> np.ndarray:
        """The keys of all elements of a window."""
        number = memory.arrays[table.array("number")][place]
        words = [*memory.arrays[table.array("keys")][place // self.ring], number]
        return element_keys([np.array([w]) for w in words], np.array([count]))


def element_keys(words: list[np.ndarray], lengths: np.ndarray) -> np.ndarray:
    """The keys of the elements of lists, one list after the other.

    >>> element_keys([np.array([7, 8])], np.array([2, 1])).tolist()
    [[7, 0], [7, 1], [8, 0]]
    """
    ends = np.cumsum(lengths)
    places = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
    return np.column_stack([*(np.repeat(w, lengths) for w in words), places])


def list_fold(number: int, call: Call, value: Shape, owner: Owner, table: int) -> ListFold:
    """The fold of `collect`, whose elements lie in the table of this number."""
    if not is_plain(value) or call.where:
        raise Unsupported(f"computes {call} of what is no plain value")
    held = StateTable(table, owner.place, owner.words + 2, tuple(arrays_for(value, ELEMENT)),
                      owner.key, owner, logs=False, is_inner=True)
    return ListFold(number, call, value, held, owner.ring)
