"""The user's own aggregates as native code.

`add` and `result` become functions over the arrays that hold the fields of an aggregate, with an
entry for each window.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anabranch.ir.aggregates import Call
from anabranch.ir.function import Function
from anabranch.kernels.native.body import Body, Helper, Registry
from anabranch.kernels.native.carry import load, store
from anabranch.kernels.native.helpers import can_be_given, given_codes
from anabranch.kernels.native.layout import Field, Table
from anabranch.kernels.native.operators import begin, first_fields, state_shape
from anabranch.kernels.native.statements import Giving, translate
from anabranch.kernels.native.values import (
    CONTEXT,
    DTYPES,
    Rec,
    Shape,
    Unsupported,
    Value,
    parameters,
    received,
)
from anabranch.kernels.native.walk import scalar

if TYPE_CHECKING:
    from anabranch.kernels.native.memory import Memory


@dataclass(frozen=True)
class UserFold:
    """An aggregate of the user's over a value, which is in the variables `v<number>`."""

    number: int
    call: Call
    value: Shape
    shape: Rec
    fields: tuple[Field, ...]
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
        return [f"{self.table}add{self.number}({', '.join([CONTEXT, place, *given])})"]

    def result(self, array, place: str, slot: str) -> Value:
        return Value(self.kind, f"{self.table}result{self.number}({CONTEXT}, {place})")

    def give(self, made: object, count: int, memory: Memory, table: Table, place: int) -> None:
        """Sets an aggregate of the rows tier to what the arrays hold."""
        held = load(memory, table, f"g{self.number}", self.shape, place)
        for name in self.shape.fields:
            setattr(made, name, getattr(held, name))

    def put(self, made: object, memory: Memory, table: Table, place: int) -> None:
        store(memory, table, f"g{self.number}", self.shape, place, made)


def user_fold(number: int, call: Call, value: Shape, registry: Registry, table: str) -> UserFold:
    """The fold of a call; `table` begins the names of the window's arrays."""
    cls = call.aggregate
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
    fields: tuple[Field, ...]
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
