"""The built-in aggregates as native code: how a window takes a value, and what it gives.

A fold has one array `g<number>` with an entry for each window; `held` is how many items the window
has taken before this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call
from anabranch.kernels.native.carry import load, store
from anabranch.kernels.native.layout import Field, Table
from anabranch.kernels.native.texts import order_of
from anabranch.kernels.native.values import DTYPES, Unsupported, Value, flag

if TYPE_CHECKING:
    from anabranch.kernels.native.memory import Memory

TOTALS = (aggregates.Sum, aggregates.Mean)
EXTREMES = {aggregates.Min: "<", aggregates.Max: ">"}
CHOSEN = (aggregates.First, aggregates.Any, aggregates.Last)
BOUNDS = (aggregates.WindowStart, aggregates.WindowEnd)
NUMBERS = ("bool", "int", "float")


@dataclass(frozen=True)
class Fold:
    """An aggregate over a value, which is the variable `v<number>` when an item comes."""

    number: int
    call: Call
    value: Value | None

    @property
    def aggregate(self) -> type:
        return self.call.aggregate

    @property
    def name(self) -> str:
        return f"g{self.number}"

    @property
    def held(self) -> Value | None:
        """What the array holds; None for an aggregate that needs none."""
        if self.aggregate is aggregates.Count or self.aggregate in BOUNDS:
            return None
        if self.aggregate in TOTALS:
            return Value("float" if self.value.kind == "float" else "int", self.name)
        return Value(self.value.kind, self.name, self.value.none)

    @property
    def fields(self) -> list[Field]:
        """Its arrays."""
        if self.held is None:
            return []
        is_text = self.held.kind == "str"
        zero = "False" if self.held.kind == "bool" else "0"
        own = [Field(self.name, DTYPES[self.held.kind], zero, is_text=is_text)]
        flagged = self.held.none and not is_text
        return [*own, Field(flag(self.name), "bool", "False")] if flagged else own

    def taking(self, array, place: str) -> list[str]:
        """The lines that take the item into the window at `place`."""
        if self.held is None:
            return []
        target, value = f"{array(self.name)}[{place}]", f"v{self.number}"
        if self.aggregate in TOTALS:
            return [f"{target} = {self._total(target, value)}"]
        stores = [f"{array(f.name)}[{place}] = {source}"
                  for f, source in zip(self.fields, (value, flag(value)))]
        return stores if (test := self._test(target, value)) is None else [
            f"if {test}:", *(f"    {line}" for line in stores)]

    def _total(self, target: str, value: str) -> str:
        if self.held.kind == "float":
            return f"{target} + {value}"
        return f"add({target}, int64({value}))"

    def _test(self, target: str, value: str) -> str | None:
        """When the value replaces the one that is held; None for always."""
        if self.aggregate is aggregates.Last:
            return None
        symbol = EXTREMES.get(self.aggregate)
        if symbol and self.held.kind == "str":
            return f"held == 0 or {order_of(value, target)} {symbol} 0"
        return f"held == 0 or {value} {symbol} {target}" if symbol else "held == 0"

    def result(self, array, place: str) -> Value:
        count = f"{array('held')}[{place}]"
        if self.held is None:
            return Value("int", count)
        code = f"{array(self.name)}[{place}]"
        if self.aggregate is aggregates.Mean:
            divide = "float_div({}, float({}))" if self.held.kind == "float" else "truediv({}, {})"
            return Value("float", divide.format(code, count))
        if not self.held.none:
            return Value(self.held.kind, code)
        none = f"({code} < 0)" if self.held.kind == "str" else f"{array(flag(self.name))}[{place}]"
        return Value(self.held.kind, code, none)


    def give(self, made: object, count: int, memory: Memory, table: Table, place: int) -> None:
        """Sets a fold of the rows tier to what this one holds for a window."""
        if self.aggregate in BOUNDS:
            return
        if hasattr(made, "n"):
            made.n = count
        if self.held is None:
            return
        value = load(memory, table, self.name, self.held, place)
        if self.aggregate in TOTALS:
            made.total = value
        else:
            made.value, made.seen = value, True

    def put(self, made: object, memory: Memory, table: Table, place: int) -> None:
        """Holds for a window what a fold of the rows tier does."""
        if self.held is not None:
            held = made.total if self.aggregate in TOTALS else made.value
            store(memory, table, self.name, self.held, place, held)


def fold_of(number: int, call: Call, value: Value | None) -> Fold:
    """The fold of a call; `Unsupported` when there is no native form for it."""
    fold, aggregate = Fold(number, call, value), call.aggregate
    fits = (aggregate is aggregates.Count or aggregate in BOUNDS
            or (aggregate in TOTALS and value.kind in NUMBERS and not value.none)
            or (aggregate in EXTREMES and value.kind in ("bool", "int", "float", "time", "str")
                and not value.none)
            or (aggregate in CHOSEN and value.kind in DTYPES))
    if not fits:
        kind = f" of {value.kind}{' or None' if value.none else ''}" if value else ""
        raise Unsupported(f"computes {call}{kind}")
    return fold
