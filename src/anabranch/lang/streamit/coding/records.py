r"""What compiled code holds as records: structures, arrays, and what is printed.

Structures and arrays have the sizes that the machine has.

Printing in compiled code: what is printed is recorded, and made into text afterwards.

println("x = " + x)        _put(W, 0, x)       and the format "x = %f\\n" for number 0
"""

from __future__ import annotations

import numpy as np

from anabranch.lang.common.syntax import Call, Literal, Operation
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.module import COMPILED, dtype_of
from anabranch.lang.streamit.coding.operations import FORMATS, Value, field_name
from anabranch.lang.streamit.coding.scope import Variable
from anabranch.lang.streamit.coding.statements import Statements
from anabranch.lang.streamit.execution.printing import Piece
from anabranch.lang.streamit.types import (
    BOOLEAN,
    COMPLEX,
    STRING,
    ArrayOf,
    Primitive,
    StructOf,
    Type,
    base_of,
    lengths,
    shape_of,
)

ITEM = "v"
"""The field of a record that is an array."""


def value_dtype(type: Type) -> np.dtype:
    """How one value is held, of a type that is no array."""
    if not isinstance(type, StructOf):
        return np.dtype(dtype_of(type, COMPILED))
    zero = type.new()
    return np.dtype([_field(name, each, getattr(zero, field_name(name)))
                     for name, each in type.fields.items()])


def _field(name: str, type: Type, zero: object) -> tuple:
    shape = zero.shape if isinstance(type, ArrayOf) else ()
    return field_name(name), value_dtype(base_of(type)), shape


def item_dtype(type: Type) -> np.dtype:
    """How an item of a channel is held: an array is the only field of a record."""
    if isinstance(type, ArrayOf):
        return np.dtype([(ITEM, value_dtype(base_of(type)), shape_of(type))])
    return value_dtype(type)


def is_held(type: Type) -> bool:
    """Whether compiled code can hold items of a type."""
    return isinstance(type, (Primitive, StructOf)) or shape_of(type) is not None


def records(value: object, type: Type) -> np.ndarray:
    """Structures, one or an array of them, as records."""
    given = np.empty((), object) if not isinstance(value, np.ndarray) else value
    if given is not value:
        given[()] = value
    found = np.zeros(given.shape, value_dtype(base_of(type)))
    for place in np.ndindex(given.shape):
        _fill(found[place], given[place])
    return found


def _fill(record: np.void, struct: object) -> None:
    for name in record.dtype.names:
        value = getattr(struct, name)
        if record.dtype[name].names:
            _fill(record[name], value)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            for place in np.ndindex(value.shape):
                _fill(record[name][place], value[place])
        else:
            record[name] = value


class CannotRecord(Exception):
    """A text that is not known before the program runs."""


class Recording(Statements):
    """Codes statements for the compiler: what is printed is recorded, and `pieces` collects the
    formats; structures are held in arrays of records. `made` has the variables whose arrays are
    made here."""

    def __init__(self, pieces: list[Piece], *arguments, **named):
        super().__init__(*arguments, **named)
        self.pieces, self.made = pieces, set()

    def leave(self) -> None:
        # A record is a place in its array, and the compiler lets an array go behind the last line
        # that names it: that must not come before the record is read or written.
        for array in self._arrays():
            self.lines.add(f"_hold({array})")

    def _arrays(self) -> list[str]:
        """Those of this block and of all around it."""
        found, scope = [], self.scope
        while scope is not None:
            found += [each.text.removesuffix("[0]") for each in scope.names.values()
                      if each.text in self.made]
            scope = scope.outer
        return found

    def _give(self, value: str) -> None:
        kept = self.lines.name("t")
        self.lines.add(f"{kept} = {value}")
        self.leave()
        super()._give(kept)

    def _declared(self, node: syntax.Declarator, type: Type) -> None:
        if isinstance(type, StructOf):
            self._declared_record(node, type)
        else:
            super()._declared(node, type)
        if isinstance(base_of(type), StructOf):
            self.made.add(self.scope.names[node.name].text)

    def _declared_record(self, node: syntax.Declarator, type: StructOf) -> None:
        text = self.lines.name(node.name)
        self.lines.add(f"{text} = np.zeros(1, D_{type.name})")
        if node.initial is not None:
            self.lines.add(f"{text}[0] = {self.initial(type, node.initial, node.span)}")
        self.scope.declare(node.name, Variable(f"{text}[0]", type), node.span)

    def zero(self, type: Type) -> str:
        base = base_of(type)
        if not isinstance(type, ArrayOf) or not isinstance(base, StructOf):
            return super().zero(type)
        shape = "".join(f"_count({self.integer(n)}), " for n in lengths(type))
        return f"np.zeros(({shape}), D_{base.name})"

    @staticmethod
    def item(text: str, type: Type) -> str:
        return f"{text}.{ITEM}" if isinstance(type, ArrayOf) else text

    def _put(self, place: str, value: Value) -> None:
        if isinstance(value.type, ArrayOf):
            self.lines.add(f"{place}.{ITEM}[...] = {value.text}")
        else:
            super()._put(place, value)

    def _print(self, node: Call) -> None:
        parts = [part for argument in node.arguments for part in self._parts(argument)]
        parts += ["\n"] if str(node.function) == "println" else []
        text, begins = "", True
        for part in parts:
            if isinstance(part, str):
                text += part.replace("%", "%%")
                continue
            value, format = part
            self.lines.add(f"_put(W, {self._number(text + format, begins)}, {value})")
            text, begins = "", False
        if text or begins:
            self.lines.add(f"_put(W, {self._number(text, begins)}, 0)")

    def _parts(self, node: syntax.Node) -> list[str | tuple[str, str]]:
        """What is joined by `+`, in order: texts, and values with their formats."""
        if isinstance(node, Literal) and isinstance(node.value, str):
            return [node.value]
        if self._typed(node).type != STRING:
            return _shown(self.saved(self.value(node)))
        if not isinstance(node, Operation):
            raise CannotRecord
        return [part for each in node.operands for part in self._parts(each)]

    def _number(self, format: str, begins: bool) -> int:
        piece = Piece(format, begins)
        if piece not in self.pieces:
            self.pieces.append(piece)
        return self.pieces.index(piece)


def _shown(value: Value) -> list[str | tuple[str, str]]:
    if value.type == COMPLEX:
        return [(f"{value.text}.real", "%f"), (f"{value.text}.imag", "%+f"), "i"]
    if value.type != BOOLEAN and value.type not in FORMATS:
        raise CannotRecord
    return [(value.text, FORMATS.get(value.type, "%s"))]
