"""Window aggregation as native code: each key has a ring of open windows.

The ring has room for the windows that can be open at once. Window number k lies in the ring at k
modulo its size. For each item the generated code closes the windows that have ended, opens those
that begin, and lets every window that holds the item take it. Open windows are carried as the
objects of the rows tier.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call, WindowEnd
from anabranch.ir.function import Function
from anabranch.ir.graph import Operator
from anabranch.ir.windows import AggregateWindow, KeyState, Open, Window
from anabranch.kernels.native.stage.folds import (
    BOUNDS,
    TAKEN,
    Fold,
    UserFold,
    fold_of,
    tested,
    user_fold,
)
from anabranch.kernels.native.stage.lists import ListFold, Owner, list_fold
from anabranch.kernels.native.stage.operators import OperatorCode, begin
from anabranch.kernels.native.state.carrier import Misfit, load, native_value, store
from anabranch.kernels.native.state.layout import (
    StateField,
    StateTable,
    arrays_for,
    can_be_key,
    codes_of,
    kept,
    key_words,
    opening,
)
from anabranch.kernels.native.translate import arithmetic
from anabranch.kernels.native.translate.body import Body, Registry
from anabranch.kernels.native.translate.functions import of_function
from anabranch.kernels.native.translate.values import (
    MICROSECOND,
    Rec,
    Shape,
    Unsupported,
    Value,
    constant,
    within,
)
from anabranch.kernels.native.translate.walk import number as present
from anabranch.kernels.native.translate.walk import shape_of, truth

if TYPE_CHECKING:
    from anabranch.kernels.native.state.layout import StateTable
    from anabranch.kernels.native.state.memory import StateMemory


MOST_OPEN = 1024


def write_window(op: Operator, item: Shape, registry: Registry, table: int,
                 place: int) -> OperatorCode:
    return _Writer(op.kind, item, registry).write(table, place)


class _Writer:
    """Writes one window operator: `body` takes an item, `end` gives what is open at the end."""

    def __init__(self, kind: AggregateWindow, item: Shape, registry: Registry):
        self.kind, self.item, self.window = kind, item, kind.window
        self.body, self.end = Body(None, {}, registry), Body(None, {}, registry)
        self.registry, self.time = registry, self._time()
        self.ring = self._ring()
        self.shown = {name: self._field(name) for name in kind.shown}

    def write(self, number: int, place: int) -> OperatorCode:
        words, key = key_words(self.body, self.item, self.kind.by)
        owner = Owner(number, place, len(words) or 1, key, self.ring)
        self.folds = [self._fold(n, call, owner) for n, (_, call) in enumerate(self.kind.calls)]
        self._lines([f"word{n} = int64({word})" for n, word in enumerate(words or ["0"])])
        carrier = WindowCarrier(self.kind, self.shown, tuple(self.folds), self.ring, self.time)
        self.table = StateTable(number, place, owner.words, tuple(self._fields()), key, carrier)
        self.written = OperatorCode(self.body.lines, self.end.lines, self.table, inner=[
            fold.table for fold in self.folds if isinstance(fold, ListFold)])
        for fold in self.folds:
            if fold.call.where:
                self._line(f"{tested(fold)} = {self._truth(fold.call.where)}")
            self._lines([f"{name} = {code}" for name, code in fold.given(self.body)])
        self._lines(opening(self.table, [f"word{n}" for n in range(len(words))]))
        self._by_time() if self.time else self._by_count()
        if self.kind.window.partial:
            self._at_end()
        else:
            self.written.end = None
        return self.written

    def _by_count(self) -> None:
        seen, array, step = self._array("reached"), self._array, self.window.step
        self._line(f"seen = {seen}[slot]")
        self._line(f"if seen % {step} == 0:")
        self._lines(self._opened(f"seen // {step}"), 1)
        self._line(f"{seen}[slot] = seen + 1")
        self._line(f"for at in range(slot * {self.ring}, (slot + 1) * {self.ring}):")
        self._line(f"if {array('open')}[at]:", 1)
        self._lines(self._taken(), 2)
        self._line(f"if held + 1 == {self.window.size}:", 2)
        self._line(f"{array('open')}[at] = False", 3)
        self._hand_on(self.body, 3)

    def _by_time(self) -> None:
        time, reached = self.time, self._array("reached")
        self._lines(time.numbers())
        self._line(f"if {self._array('begun')}[slot] and elapsed < {reached}[slot]:")
        ended = f"not {time.ends_after('first', f'{reached}[slot]')}"
        late = "return" if self.window.late == "drop" else "raise Bail"
        self._line(f"if first <= last and {ended}: {late}", 1)
        self._line("else:")
        self._line(f"{reached}[slot] = elapsed", 1)
        self._line(f"{self._array('begun')}[slot] = True", 1)
        over = f"not {time.ends_after('number', f'{reached}[slot]')}"
        self._each_open(self.body, over, "slot", [f"{self._array('open')}[at] = False"])
        self._line("for number in range(first, last + 1):")
        self._line(f"at = slot * {self.ring} + number % {self.ring}", 1)
        self._line(f"if not {self._array('open')}[at]:", 1)
        self._lines(self._opened("number"), 2)
        self._line(f"if {self._array('number')}[at] != number: raise Bail", 1)
        self._lines(self._taken(), 1)

    def _at_end(self) -> None:
        # Nothing is closed: a key whose outputs find no room is done again, and nothing is logged.
        self._each_open(self.end, "True", "i", [])

    def _each_open(self, body: Body, test: str, slot: str, closing: list[str]) -> None:
        """Closes and gives out the open windows for which a test holds, in order."""
        opened, numbers, ring = self._array("open"), self._array("number"), self.ring
        lines = [f"start = {slot} * {ring}", "oldest = 0", "some = False",
                 f"for at in range(start, start + {ring}):",
                 f"    if {opened}[at] and (not some or {numbers}[at] < oldest):",
                 f"        oldest, some = {numbers}[at], True",
                 "if some:",
                 f"    for number in range(oldest, oldest + {ring}):",
                 f"        at = start + number % {ring}",
                 f"        if {opened}[at] and {numbers}[at] == number and {test}:",
                 *(f"            {line}" for line in closing)]
        for line in lines:
            body.write(line)
        self._hand_on(body, 3, slot)

    def _opened(self, number: str) -> list[str]:
        array = self._array
        lines = [f"at = slot * {self.ring} + ({number}) % {self.ring}",
                 f"{array('open')}[at] = True", f"{array('number')}[at] = {number}",
                 f"{array('held')}[at] = 0"]
        return lines + [f"{array(f.name)}[at] = {f.initial}" for fold in self.folds
                        for f in fold.fields]

    def _taken(self) -> list[str]:
        held = f"{self._array('held')}[at]"
        takes = [line for fold in self.folds for line in fold.taking(self._array, "at")]
        return [f"held = {held}", *takes, f"{held} = held + 1"]

    def _hand_on(self, body: Body, depth: int, slot: str = "slot") -> None:
        body.depth += depth
        key = {name: kept(value, within("k", name), lambda place: f"{self._array(place)}[{slot}]")
               for name, value in self.shown.items()}
        results = [self._result(fold, slot) for fold in self.folds]
        values = key | {name: found for (name, _), found in zip(self.kind.calls, results)}
        self.written.hand_on(body, Rec(self.kind.into, {
            name: values[name] for name in self.kind.into.__record_fields__}))
        body.depth -= depth

    def _result(self, fold: Fold, slot: str) -> Shape:
        if fold.aggregate in BOUNDS:
            return self.time.bound(fold.aggregate is WindowEnd, f"{self._array('number')}[at]")
        return fold.result(self._array, "at", slot)

    def _fields(self) -> list[StateField]:
        for name, value in self.shown.items():
            fields = arrays_for(value, within("k", name))
            yield from (replace(f, initial=code)
                        for f, code in zip(fields, codes_of(self.body, value)))
        yield StateField("reached", self.time.dtype if self.time else "int64", "0")
        if self.time:
            yield StateField("begun", "bool", "False")
        for name, dtype in COUNTED:
            yield StateField(name, dtype, "False" if dtype == "bool" else "0", self.ring)
        for fold in self.folds:
            yield from (replace(f, width=self.ring) for f in fold.fields)

    def _fold(self, number: int, call: Call, owner: Owner) -> Fold | UserFold | ListFold:
        value = self._value(call.value)
        if call.aggregate.__module__ != aggregates.__name__:
            return user_fold(number, call, value, self.registry, f"x{owner.number}_")
        if call.aggregate is aggregates.Collect:
            before = [c for _, c in self.kind.calls[:number] if c.aggregate is aggregates.Collect]
            return list_fold(number, call, value, owner, owner.number + 1 + len(before))
        if call.aggregate in TAKEN and isinstance(value, Value):
            value = Value(value.kind, present(self.body, value))
        return fold_of(number, call, value)

    def _field(self, name: str) -> Shape:
        value = self.item.fields[name] if isinstance(self.item, Rec) else None
        if not can_be_key(value):
            raise Unsupported(f"keeps the attribute {name}")
        return value

    def _value(self, given: str | Function | None) -> Shape:
        """What an aggregate is applied to."""
        if given is None:
            return self.item
        if isinstance(given, str):
            return self._field(given)
        inner = begin(given, [self.item], self.registry)
        if isinstance(inner.syntax.node, ast.Lambda):
            return shape_of(inner, inner.syntax.node.body)
        return of_function(self.body, given, self.item)

    def _truth(self, where: Function) -> str:
        """Whether an aggregate sees the item."""
        inner = begin(where, [self.item], self.registry)
        if not isinstance(inner.syntax.node, ast.Lambda):
            answer = of_function(self.body, where, self.item)
            if answer.kind != "bool" or answer.none:
                raise Unsupported(f"asks {where.name}, which gives {answer.shown}", where.span)
            return answer.code
        found = truth(inner, inner.syntax.node.body)
        self.body.lines += inner.lines
        return found

    def _time(self) -> Timed | None:
        if not self.window.by_time:
            return None
        value = self._field(self.window.on)
        if not isinstance(value, Value) or value.kind not in ("int", "float", "time") or value.none:
            raise Unsupported(f"has a time {self.window.on} that is no number or may be None")
        return Timed(self.window, value.kind, self.body.code(value))

    def _ring(self) -> int:
        size, step = self.window.size, self.window.step
        if isinstance(size, timedelta):
            size, step = size // MICROSECOND, step // MICROSECOND
        exact = isinstance(size, int) and isinstance(step, int)
        ring = -(-size // step) if exact else math.ceil(size / step) + 1
        if ring > MOST_OPEN:
            raise Unsupported(f"has more than {MOST_OPEN} windows open at once")
        return int(ring)

    def _array(self, name: str) -> str:
        return self.table.array(name)

    def _line(self, text: str, depth: int = 0) -> None:
        self.body.write("    " * depth + text)

    def _lines(self, lines: list[str], depth: int = 0) -> None:
        for line in lines:
            self._line(line, depth)


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

    def elapsed_native(self, memory: StateMemory, value: object):
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

    def all(self, memory: StateMemory, table: StateTable) -> list[KeyState]:
        """The open windows of all slots."""
        return [self._key_state(memory, table, slot) for slot in range(memory.count(table))]

    def _key_state(self, memory: StateMemory, table: StateTable, slot: int) -> KeyState:
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

    def _window(self, memory: StateMemory, table: StateTable, place: int) -> Open:
        array = memory.arrays
        folds = [call.fold() for _, call in self.kind.calls]
        window = Open(int(array[table.array("number")][place]), folds)
        window.held = int(array[table.array("held")][place])
        for fold, made in zip(self.folds, folds):
            fold.give(made, window.held, memory, table, place)
        return window

    def native(self, memory: StateMemory, table: StateTable, slot: int, state: KeyState) -> None:
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

    def _put(self, memory: StateMemory, table: StateTable, place: int, window: Open) -> None:
        values = {"open": True, "number": window.number, "held": window.held}
        for name, value in values.items():
            memory.arrays[table.array(name)][place] = value
        for fold, made in zip(self.folds, window.folds):
            fold.put(made, memory, table, place)
