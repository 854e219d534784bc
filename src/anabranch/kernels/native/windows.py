"""Window aggregation as native code: each key has a ring of the windows that can be open at once.

Window number k lies in the ring at k modulo its size. For each item the generated code closes the
windows that have ended, opens those that begin, and lets every window that holds the item take it.
"""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from datetime import timedelta

from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call, WindowEnd
from anabranch.ir.function import Function
from anabranch.ir.graph import Operator
from anabranch.ir.windows import AggregateWindow
from anabranch.kernels.native.body import Body, Registry
from anabranch.kernels.native.folds import BOUNDS, TAKEN, Fold, fold_of
from anabranch.kernels.native.helpers import of_function
from anabranch.kernels.native.kept import arrays_for, codes_of, kept
from anabranch.kernels.native.keys import can_be_key, key_words
from anabranch.kernels.native.layout import Field, Table, opening
from anabranch.kernels.native.lists import ListFold, Owner, list_fold
from anabranch.kernels.native.operators import Written, begin
from anabranch.kernels.native.user_folds import UserFold, user_fold
from anabranch.kernels.native.values import (
    MICROSECOND,
    Rec,
    Shape,
    Unsupported,
    Value,
    within,
)
from anabranch.kernels.native.walk import number as present
from anabranch.kernels.native.walk import shape_of
from anabranch.kernels.native.windowed import COUNTED, Timed, WindowCarrier

MOST_OPEN = 1024


def write_window(op: Operator, item: Shape, registry: Registry, table: int,
                 place: int) -> Written:
    return _Writer(op.kind, item, registry).write(table, place)


class _Writer:
    """Writes one window operator: `body` takes an item, `end` gives what is open at the end."""

    def __init__(self, kind: AggregateWindow, item: Shape, registry: Registry):
        self.kind, self.item, self.window = kind, item, kind.window
        self.body, self.end = Body(None, {}, registry), Body(None, {}, registry)
        self.registry, self.time = registry, self._time()
        self.ring = self._ring()
        self.shown = {name: self._field(name) for name in kind.shown}

    def write(self, number: int, place: int) -> Written:
        words, key = key_words(self.body, self.item, self.kind.by)
        owner = Owner(number, place, len(words) or 1, key, self.ring)
        self.folds = [self._fold(n, call, owner) for n, (_, call) in enumerate(self.kind.calls)]
        self._lines([f"word{n} = int64({word})" for n, word in enumerate(words or ["0"])])
        carrier = WindowCarrier(self.kind, self.shown, tuple(self.folds), self.ring, self.time)
        self.table = Table(number, place, owner.words, tuple(self._fields()), key, carrier)
        self.written = Written(self.body.lines, self.end.lines, self.table, inner=[
            fold.table for fold in self.folds if isinstance(fold, ListFold)])
        for fold in self.folds:
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

    def _fields(self) -> list[Field]:
        for name, value in self.shown.items():
            fields = arrays_for(value, within("k", name))
            yield from (replace(f, initial=code)
                        for f, code in zip(fields, codes_of(self.body, value)))
        yield Field("reached", self.time.dtype if self.time else "int64", "0")
        if self.time:
            yield Field("begun", "bool", "False")
        for name, dtype in COUNTED:
            yield Field(name, dtype, "False" if dtype == "bool" else "0", self.ring)
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
