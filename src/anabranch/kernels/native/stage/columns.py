"""The columns of a stage: those that it is given, and those that it puts out.

The last function of a stage puts an item into the output columns. Behind the input columns stand
the columns inside of records in records.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from anabranch.batch.record_batch import is_opaque
from anabranch.core.once import once
from anabranch.io.columns import columns_of
from anabranch.ir.types import FLOAT, INT, STR, ListOf, OptionalOf, RecordOf, Type, without_none
from anabranch.kernels.native.stage.lists import LateList, is_list
from anabranch.kernels.native.state.layout import OUT
from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.formatting import Piece, is_late
from anabranch.kernels.native.translate.values import (
    CODED,
    HELD,
    KINDS,
    Rec,
    Shape,
    Unsupported,
    Value,
    column_value,
    kind_of,
)


@dataclass(frozen=True)
class InputColumn:
    """A column: the number of the batch's column, and the names that lead into it."""

    type: Type
    number: int
    path: tuple[str, ...] = ()

    @once
    def kind(self) -> str:
        return kind_of(self.type)

    def column(self, batch: pa.RecordBatch) -> pa.Array:
        found = batch.column(self.number)
        return pc.struct_field(found, list(self.path)) if self.path else found


def sources_of(item: Type) -> tuple[InputColumn, ...]:
    own = [InputColumn(t, n) for n, t in enumerate(columns_of(item).values())]
    return (*own, *(inner for source in own for inner in _inside(source)))


def _inside(source: InputColumn) -> list[InputColumn]:
    """The columns of scalars inside of a record that is never None."""
    if not _is_nested(source.type):
        return []
    found = []
    for name, declared in source.type.fields.items():
        inner = InputColumn(declared, source.number, (*source.path, name))
        found += _inside(inner) if _is_nested(declared) else [inner]
    return found


def _is_nested(declared: Type) -> bool:
    return isinstance(declared, RecordOf) and not is_opaque(declared)


def input_shape(item: Type) -> Shape:
    """An item as its columns."""
    sources = sources_of(item)
    numbers = {(s.number, s.path): n for n, s in enumerate(sources)}
    values = [_shape(sources[n], numbers) for n in range(len(columns_of(item)))]
    return Rec(item.cls, dict(zip(item.fields, values))) if isinstance(item, RecordOf) else (
        values[0])


def _shape(source: InputColumn, numbers: dict[tuple, int]) -> Shape:
    if _is_nested(source.type):
        return Rec(source.type.cls, {
            name: _shape(InputColumn(declared, source.number, (*source.path, name)), numbers)
            for name, declared in source.type.fields.items()})
    number = numbers[source.number, source.path]
    return column_value(source.kind, number, isinstance(source.type, OptionalOf))


@dataclass(frozen=True)
class OutputColumn:
    """An output column: an input column of the same row, or an array `out<number>` of a kind, or
    a text made of `pieces` and of the columns in `parts`, or what is `declared`, a record or a list
    of those."""

    name: str
    kind: str
    number: int
    source: int | None = None
    optional: bool = False
    widened: bool = False
    pieces: tuple[Piece, ...] = ()
    parts: tuple[OutputColumn, ...] = ()
    declared: Type | None = None
    listed: type[LateList] | None = None

    @property
    def arrays(self) -> list[tuple[str, str]]:
        """Names and types of the arrays that generated code fills."""
        if self.parts or self.pieces:
            return [array for part in self.parts for array in part.arrays]
        if self.source is not None:
            return []
        own = [(f"out{self.number}", HELD[self.kind])]
        flagged = self.optional and self.kind not in CODED
        return [*own, (f"outno{self.number}", "bool")] if flagged else own


def as_declared(sites: list, item_type: Type) -> bool:
    """Makes floats of the ints that a stage's last operator gives where floats are declared;
    whether there are any."""
    columns, before = columns_of(item_type), [site.given for site in sites]
    for site in sites:
        if isinstance(site.given, Rec):
            site.given = Rec(site.given.cls, {
                name: _as_float(site.body, value) if _is_float(columns.get(name)) else value
                for name, value in site.given.fields.items()})
        elif all(map(_is_float, columns.values())):
            site.given = _as_float(site.body, site.given)
    return any(site.given != given for site, given in zip(sites, before))


def _is_float(declared: Type | None) -> bool:
    return declared is not None and without_none(declared) == FLOAT


def _as_float(body: Body, value: Shape) -> Shape:
    if isinstance(value, Rec) or value.kind not in ("int", "bool"):
        return value
    return Value("float", CONVERSIONS[value.kind, "float"].format(body.code(value)), value.none)


def output_columns(body: Body, item: Shape, item_type: Type,
                   inputs: list[Type]) -> list[OutputColumn]:
    """The columns of the output, and in the body the lines that fill them."""
    body.write(f"n = uint64(c[{OUT}])")
    body.write("if n == len(rows): raise Full")
    columns = [_column(body, number, name, declared, value, inputs) for number, (
        (name, declared), value) in enumerate(zip(columns_of(item_type).items(),
                                                  _values(item, item_type)))]
    body.write("rows[n] = i")
    body.write(f"c[{OUT}] += 1")
    return columns


def _values(item: Shape, item_type: Type) -> list[Shape]:
    if not isinstance(item_type, RecordOf):
        return [item]
    if not isinstance(item, Rec) or set(item.fields) != set(item_type.fields):
        raise Unsupported(f"does not give a {item_type}")
    return [item.fields[name] for name in item_type.fields]


def _column(body: Body, number: int, name: str, declared: Type, value: Shape,
            inputs: list[Type]) -> OutputColumn:
    if is_late(value) and without_none(declared) == STR:
        return _late_column(body, number, name, value, inputs)
    if is_list(value):
        return _list_column(body, number, name, declared, value, inputs)
    if isinstance(value, Rec):
        return _record_column(body, number, name, declared, value, inputs)
    optional, kind = isinstance(declared, OptionalOf), kind_of(declared)
    source = value.unchanged
    # The loop copies a number faster than Arrow takes it by its row.
    copied = kind in ("int", "float", "time") and not optional
    if source is not None and inputs[source] == declared and not copied:
        return OutputColumn(name, kind, number, source)
    column = OutputColumn(name, kind, number, None, optional,
                          widened=value.kind not in (kind, "none"))
    code = _converted(body, column, value)
    body.write(f"out{number}[n] = {code}")
    if len(column.arrays) > 1:
        body.write(f"outno{number}[n] = {value.none or False}")
    return column


PARTS = 1000
TYPES = {kind: declared for declared, kind in KINDS.items()}


def _late_column(body: Body, number: int, name: str, value: Rec,
                 inputs: list[Type]) -> OutputColumn:
    first = PARTS * (number + 1)
    parts = [_column(body, first + n, name, _declared(part), part, inputs)
             for n, part in enumerate(value.fields.values())]
    return OutputColumn(name, "str", number, pieces=value.cls.pieces, parts=tuple(parts))


def _list_column(body: Body, number: int, name: str, declared: Type, value: Rec,
                 inputs: list[Type]) -> OutputColumn:
    if not isinstance(declared, ListOf) or not _is_of(declared.item, value.cls.element):
        raise Unsupported(f"gives a list in {name}")
    first = PARTS * (number + 1)
    parts = [_column(body, first + n, name, INT, part, inputs)
             for n, part in enumerate(value.fields.values())]
    return OutputColumn(name, "list", number, parts=tuple(parts), declared=declared,
                        listed=value.cls)


def _is_of(declared: Type, shape: Shape) -> bool:
    """Whether a declared type holds a value exactly as it is."""
    if isinstance(shape, Value):
        optional = isinstance(declared, OptionalOf)
        return KINDS.get(without_none(declared)) == shape.kind and (optional or not shape.none)
    return isinstance(declared, RecordOf) and declared.cls is shape.cls and all(
        _is_of(declared.fields[name], inner) for name, inner in shape.fields.items())


def _record_column(body: Body, number: int, name: str, declared: Type, value: Rec,
                   inputs: list[Type]) -> OutputColumn:
    if not isinstance(declared, RecordOf) or declared.cls is not value.cls or (
            is_opaque(declared) or not declared.fields):
        raise Unsupported(f"gives a record in {name}")
    first = PARTS * (number + 1)
    parts = [_column(body, first + n, f"{name}.{part}", kind, value.fields[part], inputs)
             for n, (part, kind) in enumerate(declared.fields.items())]
    return OutputColumn(name, "record", number, parts=tuple(parts), declared=declared,
                  widened=any(part.widened for part in parts))


def _declared(value: Value) -> Type:
    return OptionalOf(TYPES[value.kind]) if value.none else TYPES[value.kind]


def _converted(body: Body, column: OutputColumn, value: Value) -> str:
    """The code of a value as the column's type has it."""
    if value.kind == "none" and column.optional and column.kind in HELD:
        return "-1" if column.kind in CODED else "0"
    form = CONVERSIONS.get((value.kind, column.kind))
    if form is None:
        raise Unsupported(f"gives {value.kind} in {column.name}")
    code = body.code(value)
    if value.none and not column.optional:
        code = f"present({code}, {value.none})"
    if value.none and column.optional and form != "{}":
        raise Unsupported(f"gives {value.kind} or None in {column.name}")
    return form.format(code)


CONVERSIONS = {**{(k, k): "{}" for k in HELD}, ("bool", "int"): "int64({})",
               ("int", "float"): "exact({})", ("bool", "float"): "float({})"}
