"""Aggregates as native code, built in or the user's own: `add` and `result`.

A built-in fold has one array `g<number>` with an entry for each window; `held` is how many items
the window has taken before this one. Of the user's own aggregates, `add` and `result` become
functions over the arrays that hold the fields of an aggregate, with an entry for each window.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anabranch.ir import aggregates
from anabranch.ir.aggregates import Call
from anabranch.ir.function import Function
from anabranch.kernels.native.stage.operators import begin, first_fields, state_shape
from anabranch.kernels.native.state.carrier import load, store
from anabranch.kernels.native.state.layout import StateField, StateTable, arrays_for, codes_of, kept
from anabranch.kernels.native.translate.body import Body, Helper, Registry
from anabranch.kernels.native.translate.functions import can_be_given, given_codes
from anabranch.kernels.native.translate.statements import Giving, translate
from anabranch.kernels.native.translate.texts import order_of
from anabranch.kernels.native.translate.values import (
    CONTEXT,
    DTYPES,
    Rec,
    Shape,
    Unsupported,
    Value,
    is_plain,
    parameters,
    received,
)
from anabranch.kernels.native.translate.walk import scalar

if TYPE_CHECKING:
    from anabranch.kernels.native.state.memory import StateMemory


TOTALS = (aggregates.Sum, aggregates.Mean)
EXTREMES = {aggregates.Min: "<", aggregates.Max: ">"}
CHOSEN = (aggregates.First, aggregates.Any, aggregates.Last)
BOUNDS = (aggregates.WindowStart, aggregates.WindowEnd)
NUMBERS = ("bool", "int", "float")
# What an aggregate computes with must not be None; these are the kinds that it takes.
TAKEN = {**dict.fromkeys(TOTALS, NUMBERS), **dict.fromkeys(EXTREMES, (*NUMBERS, "time", "str"))}


@dataclass(frozen=True)
class Fold:
    """An aggregate over a value, which is in the variables `v<number>` when an item comes."""

    number: int
    call: Call
    value: Shape | None

    @property
    def aggregate(self) -> type:
        return self.call.aggregate

    @property
    def own_count(self) -> str | None:
        """The array that counts what it has taken, if that is not all of the window."""
        return f"n{self.number}" if self.call.where else None

    @property
    def name(self) -> str:
        return f"g{self.number}"

    @property
    def held(self) -> Shape | None:
        """What the arrays hold; None for an aggregate that needs none."""
        if self.aggregate is aggregates.Count or self.aggregate in BOUNDS:
            return None
        if self.aggregate in TOTALS:
            return Value("float" if self.value.kind == "float" else "int", self.name)
        return self.value

    @property
    def fields(self) -> list[StateField]:
        """Its arrays."""
        counted = [StateField(self.own_count, "int64", "0")] if self.own_count else []
        return counted if self.held is None else [*counted, *arrays_for(self.held, self.name)]

    def given(self, body: Body) -> list[tuple[str, str]]:
        """The variables of the value, and their codes."""
        if self.held is None:
            return []
        names = [f.name for f in arrays_for(self.value, f"v{self.number}")]
        return list(zip(names, codes_of(body, self.value)))

    def taking(self, array, place: str) -> list[str]:
        """The lines that take the item into the window at `place`."""
        if self.own_count is None:
            return self._taking(array, place, "held")
        count, mine = f"{array(self.own_count)}[{place}]", f"held{self.number}"
        return [f"if {tested(self)}:", f"    {mine} = {count}",
                *(f"    {line}" for line in self._taking(array, place, mine)),
                f"    {count} = {mine} + 1"]

    def _taking(self, array, place: str, held: str) -> list[str]:
        if self.held is None:
            return []
        target, value = f"{array(self.name)}[{place}]", f"v{self.number}"
        if self.aggregate in TOTALS:
            return [f"{target} = {self._total(target, value)}"]
        sources = arrays_for(self.held, value)
        stores = [f"{array(f.name)}[{place}] = {source.name}"
                  for f, source in zip(arrays_for(self.held, self.name), sources)]
        return stores if (test := self._test(target, value, held)) is None else [
            f"if {test}:", *(f"    {line}" for line in stores)]

    def _total(self, target: str, value: str) -> str:
        if self.held.kind == "float":
            return f"{target} + {value}"
        return f"add({target}, int64({value}))"

    def _test(self, target: str, value: str, held: str) -> str | None:
        """When the value replaces the one that is held; None for always."""
        if self.aggregate is aggregates.Last:
            return None
        symbol = EXTREMES.get(self.aggregate)
        if symbol and self.held.kind == "str":
            return f"{held} == 0 or {order_of(value, target)} {symbol} 0"
        return f"{held} == 0 or {value} {symbol} {target}" if symbol else f"{held} == 0"

    def result(self, array, place: str, slot: str) -> Shape:
        count = f"{array(self.own_count or 'held')}[{place}]"
        if self.held is None:
            return Value("int", count)
        found = kept(self.held, self.name, lambda name: f"{array(name)}[{place}]")
        if self.aggregate is aggregates.Mean:
            divide = "float_div({}, float({}))" if self.held.kind == "float" else "truediv({}, {})"
            over = f"max({count}, 1)" if self.own_count else count
            found = Value("float", divide.format(found.code, over))
        return found if self.own_count is None else self._or_none(found, count)

    def _or_none(self, found: Value, count: str) -> Value:
        """Of no items there is a sum and a number, and nothing else."""
        if self.aggregate is aggregates.Sum:
            return found
        missing = f"({count} == 0)"
        return replace(found, none=f"({missing} or {found.none})" if found.none else missing)

    def give(self, made: object, count: int, memory: StateMemory, table: StateTable,
             place: int) -> None:
        """Sets a fold of the rows tier to what this one holds for a window."""
        if self.aggregate in BOUNDS:
            return
        if self.own_count:
            count = int(memory.arrays[table.array(self.own_count)][place])
        if hasattr(made, "n"):
            made.n = count
        if self.held is None or (count == 0 and self.aggregate not in TOTALS):
            return
        value = load(memory, table, self.name, self.held, place)
        if self.aggregate in TOTALS:
            made.total = value
        else:
            made.value, made.seen = value, True

    def put(self, made: object, memory: StateMemory, table: StateTable, place: int) -> None:
        """Holds for a window what a fold of the rows tier does."""
        if self.own_count:
            memory.arrays[table.array(self.own_count)][place] = self._count(made)
        if self.own_count and not self._count(made):
            # The code of a text tells by itself that there is none.
            for f in self.fields:
                if f.is_text:
                    memory.arrays[table.array(f.name)][place] = -1
        elif self.held is not None:
            held = made.total if self.aggregate in TOTALS else made.value
            store(memory, table, self.name, self.held, place, held)


    @staticmethod
    def _count(made: object) -> int:
        """How many items a fold of the rows tier has taken, as far as it knows: one or none, where
        it holds a value."""
        return made.n if hasattr(made, "n") else int(getattr(made, "seen", True))


def tested(fold: Fold | UserFold) -> str:
    """The variable that says whether a fold sees the item."""
    return f"w{fold.number}"


def fold_of(number: int, call: Call, value: Shape | None) -> Fold:
    """The fold of a call; `Unsupported` when there is no native form for it."""
    fold, aggregate = Fold(number, call, value), call.aggregate
    kinds = TAKEN.get(aggregate)
    fits = (aggregate is aggregates.Count or aggregate in BOUNDS
            or (kinds is not None and isinstance(value, Value) and value.kind in kinds)
            or (aggregate in CHOSEN and is_plain(value)))
    if call.where and isinstance(value, Rec) and aggregate is not aggregates.Count:
        raise Unsupported(f"computes {call} of a record")
    if not fits:
        shown = "a record" if isinstance(value, Rec) else value.shown
        raise Unsupported(f"computes {call} of {shown}")
    return fold


@dataclass(frozen=True)
class UserFold:
    """An aggregate of the user's over a value, which is in the variables `v<number>`."""

    number: int
    call: Call
    value: Shape
    shape: Rec
    fields: tuple[StateField, ...]
    kind: str
    table: str

    @property
    def aggregate(self) -> type:
        return self.call.aggregate

    def given(self, body: Body) -> list[tuple[str, str]]:
        """The variables of the value, and their codes."""
        return list(zip(parameters(self.value, f"v{self.number}"), given_codes(body, self.value)))

    def taking(self, array, place: str) -> list[str]:
        given = parameters(self.value, f"v{self.number}")
        call = f"{self.table}add{self.number}({', '.join([CONTEXT, place, *given])})"
        return [f"if {tested(self)}: {call}"] if self.call.where else [call]

    def result(self, array, place: str, slot: str) -> Value:
        return Value(self.kind, f"{self.table}result{self.number}({CONTEXT}, {place})")

    def give(self, made: object, count: int, memory: StateMemory, table: StateTable,
             place: int) -> None:
        """Sets an aggregate of the rows tier to what the arrays hold."""
        held = load(memory, table, f"g{self.number}", self.shape, place)
        for name in self.shape.fields:
            setattr(made, name, getattr(held, name))

    def put(self, made: object, memory: StateMemory, table: StateTable, place: int) -> None:
        store(memory, table, f"g{self.number}", self.shape, place, made)


def user_fold(number: int, call: Call, value: Shape, registry: Registry, table: str) -> UserFold:
    """The fold of a call; `table` begins the names of the window's arrays."""
    cls = call.aggregate
    if call.given:
        raise Unsupported(f"computes {call}, which does not start as its class says")
    if not can_be_given(value):
        raise Unsupported(f"computes {call} of what is no plain value")
    add, result, prefix = Function.of(cls.add), Function.of(cls.result), f"g{number}"
    shape = state_shape(cls, add.span, prefix)
    fields = tuple(first_fields(cls, shape, registry, prefix))
    methods = _Methods(registry, fields, table)
    methods.write(f"{table}add{number}", begin(
        add, [shape, received(value, "given")], registry), tuple(parameters(value, "given")))
    kind = methods.write(f"{table}result{number}", begin(result, [shape], registry))
    return UserFold(number, call, value, shape, fields, kind, table)


@dataclass(frozen=True)
class _Methods:
    """Writes methods as native functions of a window's place."""

    registry: Registry
    fields: tuple[StateField, ...]
    table: str

    def write(self, name: str, body: Body, takes: tuple[str, ...] | None = None) -> str | None:
        """Registers one method, which takes values or else gives one; the kind that it gives."""
        found: list[str] = []
        for f in self.fields:
            body.write(f"{f.name} = {self.table}{f.name}[at]")

        def returned(body: Body, node: ast.expr) -> None:
            value = scalar(body, node)
            if value.none or value.kind not in DTYPES or value.kind != (*found, value.kind)[0]:
                raise body.refuse(node, f"returns {value.shown}")
            found.append(value.kind)
            body.write(f"answer = {body.code(value)}")
            self._leave(body)
            body.write("return answer")
        translate(body, Giving(None, returned if takes is None else None, self._leave))
        places = ("at", *(takes or ()))
        self.registry.helpers[name, self.table] = Helper(name, places, body.lines, "")
        return found[0] if found else None

    def _leave(self, body: Body) -> None:
        for f in self.fields:
            body.write(f"{self.table}{f.name}[at] = {f.name}")
