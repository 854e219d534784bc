"""Windows by time as native code, and open windows as the objects of the rows tier."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from anabranch.ir.windows import AggregateWindow, KeyState, Open, Window
from anabranch.kernels.native import arithmetic
from anabranch.kernels.native.carry import Misfit, load, native_value, store
from anabranch.kernels.native.folds import Fold
from anabranch.kernels.native.lists import ListFold
from anabranch.kernels.native.user_folds import UserFold
from anabranch.kernels.native.values import MICROSECOND, Value, constant, within

if TYPE_CHECKING:
    from anabranch.kernels.native.layout import Table
    from anabranch.kernels.native.memory import Memory

COUNTED = [("number", "int64"), ("held", "int64"), ("open", "bool")]


@dataclass(frozen=True)
class Timed:
    """The arithmetic of windows over a time, which is an int, a float, or a timestamp."""

    window: Window
    kind: str
    code: str

    @property
    def dtype(self) -> str:
        return "float64" if self.kind == "float" else "int64"

    @property
    def _number_kind(self) -> str:
        return "float" if self.kind == "float" else "int"

    def numbers(self) -> list[str]:
        """The lines that find the windows `first` to `last` of the item."""
        elapsed = Value(self._number_kind, "elapsed")
        last = _plain(ast.FloorDiv(), elapsed, self._constant(self.window.step))
        whole = last.code if last.kind == "int" else f"whole({last.code})"
        found = [f"elapsed = {self.code}", f"last = {whole}", "first = last"]
        if last.kind == "int" and self.window.size == self.window.step:
            return found
        return [*found,
                f"while {self.ends_after('sub(first, 1)', 'elapsed')}:", "    first -= 1",
                f"if not {self.ends_after('last', 'elapsed')}: first = last + 1"]

    def ends_after(self, number: str, elapsed: str) -> str:
        return arithmetic.compare(ast.Gt(), self._end(number), Value(self._number_kind, elapsed),
                                  _code)

    def _start(self, number: str) -> Value:
        return _plain(ast.Mult(), Value("int", number), self._constant(self.window.step))

    def _end(self, number: str) -> Value:
        return _plain(ast.Add(), self._start(number), self._constant(self.window.size))

    def bound(self, end: bool, number: str) -> Value:
        """Where a window starts or ends, in the unit of the item's own time."""
        at = self._end(number) if end else self._start(number)
        if self.kind == "time":
            return Value("time", f"within_calendar({at.code})")
        return _plain(ast.Add(), Value("int", "0"), at)

    def _constant(self, size: object) -> Value:
        return constant(size // MICROSECOND if isinstance(size, timedelta) else size)

    def elapsed_python(self, raw) -> object:
        if self.kind == "time":
            return int(raw) * MICROSECOND
        return float(raw) if self.kind == "float" else int(raw)

    def elapsed_native(self, memory: Memory, value: object):
        if self.kind == "time":
            return value // MICROSECOND
        return native_value(memory, self.kind, value)


def _code(value: Value) -> str:
    return value.code


def _plain(op: ast.operator, left: Value, right: Value) -> Value:
    return arithmetic.binary(op, left, right, _code)


@dataclass(frozen=True)
class WindowCarrier:
    """Carries one key's open windows."""

    kind: AggregateWindow
    shown: dict[str, Value]
    folds: tuple[Fold | UserFold | ListFold, ...]
    ring: int
    time: Timed | None

    def all(self, memory: Memory, table: Table) -> list[KeyState]:
        """The open windows of all slots."""
        return [self._key_state(memory, table, slot) for slot in range(memory.count(table))]

    def _key_state(self, memory: Memory, table: Table, slot: int) -> KeyState:
        state, array = KeyState(), lambda name: memory.arrays[table.array(name)]
        state.aware = memory.aware if self.time and self.time.kind == "time" else None
        state.key = {name: load(memory, table, within("k", name), value, slot)
                     for name, value in self.shown.items()}
        reached = array("reached")[slot]
        state.reached = self._reached(reached, array("begun")[slot]) if self.time else int(reached)
        places = [p for p in range(slot * self.ring, (slot + 1) * self.ring) if array("open")[p]]
        state.open = sorted((self._window(memory, table, p) for p in places),
                            key=lambda w: w.number)
        return state

    def _reached(self, raw, begun: bool) -> object:
        return self.time.elapsed_python(raw) if begun else None

    def _window(self, memory: Memory, table: Table, place: int) -> Open:
        array = memory.arrays
        folds = [call.aggregate() for _, call in self.kind.calls]
        window = Open(int(array[table.array("number")][place]), folds)
        window.held = int(array[table.array("held")][place])
        for fold, made in zip(self.folds, folds):
            fold.give(made, window.held, memory, table, place)
        return window

    def native(self, memory: Memory, table: Table, slot: int, state: KeyState) -> None:
        if not memory.takes_times(state.aware):
            raise Misfit
        for name, value in self.shown.items():
            store(memory, table, within("k", name), value, slot, state.key[name])
        array = memory.arrays
        if self.time:
            array[table.array("begun")][slot] = state.reached is not None
        if state.reached is not None:
            array[table.array("reached")][slot] = (
                self.time.elapsed_native(memory, state.reached) if self.time else state.reached)
        for window in state.open:
            self._put(memory, table, slot * self.ring + window.number % self.ring, window)

    def _put(self, memory: Memory, table: Table, place: int, window: Open) -> None:
        values = {"open": True, "number": window.number, "held": window.held}
        for name, value in values.items():
            memory.arrays[table.array(name)][place] = value
        for fold, made in zip(self.folds, window.folds):
            fold.put(made, memory, table, place)
