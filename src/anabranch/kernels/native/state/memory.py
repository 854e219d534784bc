"""The arrays of a stage's state: how they grow, and how a row is undone."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from anabranch.kernels.native.library.strings import Interner
from anabranch.kernels.native.library.tables import FIRST_ROOM, entered, indexed
from anabranch.kernels.native.stage.module import StageModule
from anabranch.kernels.native.state.carrier import native_value
from anabranch.kernels.native.state.layout import FIRST_TABLE, OUT, ROW, StateField, StateTable
from anabranch.kernels.native.translate.values import DTYPES, TEXT

FIRST_LOG = 16
MANY_KEYS, MANY_WORDS = 1 << 14, 1 << 17
"""A table that outgrows its first room has room for so many keys at once, if they are no more than
so many words: each step costs as much as some ten thousand rows."""


@dataclass
class StateMemory:
    """All state of a stage: counters, the texts it knows, and its arrays by their names.

    `tracked` says that the keys not touched have been saved in pages. `aware` says that all times
    in it are instants in UTC, or wall-clock times; None before the first of them.
    """

    stage: StageModule
    counters: np.ndarray
    texts: Interner
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    filled: dict[int, int] = field(default_factory=dict)
    tracked: bool = False
    kept_texts: int = 0
    kept_bytes: int = 0
    kept: dict[int, int] = field(default_factory=dict)
    aware: bool | None = None

    @staticmethod
    def empty(stage: StageModule) -> StateMemory:
        counters = np.zeros(stage.inner.size, np.int64)
        memory = StateMemory(stage, counters, Interner(stage.texts), aware=stage.aware)
        for table in stage.tables:
            memory.resize(table, FIRST_ROOM)
            if table.logs:
                memory.resize_log(table, FIRST_LOG)
        memory.fill_made()
        return memory

    def takes_times(self, aware: bool | None) -> bool:
        """Whether instants, or wall-clock times, are what it has, or may have from now on."""
        if self.aware is None:
            self.aware = aware
        return aware in (None, self.aware)

    def begin(self) -> None:
        """Counts the rows of a slice, and what becomes of them, from zero on."""
        self.counters[:FIRST_TABLE] = self.counters[self.stage.inner.first:] = 0
        self.counters[[table.noted for table in self.stage.tables]] = -1

    def count(self, table: StateTable) -> int:
        return int(self.counters[table.count])

    def field(self, table: StateTable, f: StateField) -> np.ndarray:
        return self.arrays[table.array(f.name)]

    def resize(self, table: StateTable, room: int) -> None:
        """Gives a table room for so many keys."""
        put, count = self._put, self.count(table)
        put(table.array("keys"), np.int64, (room, table.words), count)
        put(table.array("stamps"), np.int64, room, count)
        put(table.array("touched"), np.bool_, room, count)
        for f in table.fields:
            put(table.array(f.name), f.dtype, room * f.width, count * f.width)
        self.arrays[table.array("index")] = indexed(self.arrays[table.array("keys")], count)

    def make_room(self, table: StateTable, count: int) -> None:
        """Gives a table room for at least so many keys, and finds anew where each key is."""
        room = len(self._keys(table))
        while room < count:
            room *= 2
        self.resize(table, room)

    def enter(self, table: StateTable, keys: np.ndarray, stamps: np.ndarray) -> np.ndarray:
        """The slots of keys, of which those not seen before are new."""
        if self.count(table) + len(keys) > len(self._keys(table)):
            self.make_room(table, self.count(table) + len(keys))
        own = [self.arrays[table.array(n)] for n in ("index", "keys", "stamps")]
        slots = entered(*own, self.count(table), keys, stamps)
        self.counters[table.count] = max(self.count(table), slots.max(initial=-1) + 1)
        return slots

    def keep(self, table: StateTable, chosen: np.ndarray) -> None:
        """Forgets all keys of a table but the chosen ones."""
        for name, width in [("keys", table.words), ("stamps", 1), ("touched", 1),
                            *((f.name, f.width) for f in table.fields)]:
            rows = self.arrays[table.array(name)].reshape(-1, width)
            rows[:chosen.sum()] = rows[:len(chosen)][chosen]
        self.counters[table.count] = chosen.sum()
        self.make_room(table, 0)

    def resize_log(self, table: StateTable, room: int) -> None:
        self.arrays[table.array("logged")] = np.zeros(room, np.int64)
        for f in table.fields:
            self.arrays[table.array(f"log_{f.name}")] = np.zeros(room * f.width, f.dtype)

    def _put(self, name: str, dtype, shape, kept: int) -> None:
        made = np.zeros(shape, dtype)
        if name in self.arrays:
            made[:kept] = self.arrays[name][:kept]
        self.arrays[name] = made

    def grow(self, origins: np.ndarray, row: int) -> bool:
        """Makes room where a row found none, and undoes the row; False when nothing was full."""
        full = [t for t in self.stage.tables if self.count(t) == len(self._keys(t))]
        logged = [t for t in self.stage.tables if t.logs
                  and self.counters[t.count + 2] == len(self.arrays[t.array("logged")])]
        self.undo(origins, row)
        for table in full:
            self.resize(table, self._more_room(table))
        for table in logged:
            self.resize_log(table, 2 * len(self.arrays[table.array("logged")]))
        return bool(full or logged) | self.fill_made()

    def _more_room(self, table: StateTable) -> int:
        words = table.words + 1 + sum(f.width for f in table.fields)
        room = 2 * len(self._keys(table))
        while room < MANY_KEYS and 2 * room * words <= MANY_WORDS:
            room *= 2
        return room

    def _keys(self, table: StateTable) -> np.ndarray:
        return self.arrays[table.array("keys")]

    def undo(self, origins: np.ndarray, row: int) -> None:
        """Takes back what the present row did; `origins` are the rows that outputs come from."""
        while self.counters[OUT] and origins[self.counters[OUT] - 1] == row:
            self.counters[OUT] -= 1
        for place in self.stage.inner.places:
            self.counters[place] = self.counters[place + 1]
        for table in self.stage.tables:
            if table.logs:
                self._undo_writes(table)
            is_known = not table.is_noted or self.counters[table.noted] == self.counters[ROW]
            if is_known and self.counters[table.count] != self.counters[table.count + 1]:
                self.counters[table.count] = self.counters[table.count + 1]
                self.arrays[table.array("index")] = indexed(self._keys(table), self.count(table))

    def _undo_writes(self, table: StateTable) -> None:
        slots = self.arrays[table.array("logged")]
        for m in reversed(range(int(self.counters[table.count + 2]))):
            for f in table.fields:
                old = self.arrays[table.array(f"log_{f.name}")][m * f.width:(m + 1) * f.width]
                self.field(table, f)[slots[m] * f.width:(slots[m] + 1) * f.width] = old
        self.counters[table.count + 2] = 0

    def copy(self) -> StateMemory:
        texts = Interner(self.texts.all().cast(pa.string()))
        return StateMemory(self.stage, self.counters.copy(), texts,
                      {name: array.copy() for name, array in self.arrays.items()},
                      dict(self.filled), self.tracked, self.kept_texts, self.kept_bytes,
                      dict(self.kept), self.aware)

    def forget_made(self) -> None:
        """Computes anew what is made of texts, whose codes have changed."""
        for number in self.filled:
            del self.arrays[f"tab{number}"], self.arrays[f"known{number}"]
        self.filled.clear()
        self.fill_made()

    def fill_made(self) -> bool:
        """Computes what is made of texts for those that are new; whether there were any."""
        size = len(self.texts)
        late = [n for n in range(len(self.stage.made)) if self.filled.get(n, -1) < size]
        for number in late:
            self._fill(number, size)
        return bool(late)

    def _fill(self, number: int, size: int) -> None:
        (made, kind), start = self.stage.made[number], self.filled.get(number, 0)
        function = eval(f"lambda {TEXT}: {made}", dict(self.stage.outer))
        names = f"tab{number}", f"known{number}"
        if size > len(self.arrays.get(names[0], ())) or start == 0:
            self._put(names[0], DTYPES[kind], 2 * size, start)
            self._put(names[1], np.int8, 2 * size, start)
        values, known = (self.arrays[n] for n in names)
        for code in range(start, size):
            known[code] = self._make(function, kind, code, values)
        self.filled[number] = size

    def _make(self, function, kind: str, code: int, values: np.ndarray) -> int:
        """Puts one value; 2 when Python must do it: it raises, or the value does not fit."""
        try:
            value = function(self.texts.text(code))
            values[code] = native_value(self, kind, value)
        except Exception:
            return 2
        return 1
