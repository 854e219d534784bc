"""Values in arrays of state: a scalar has an array, and a second one if a flag tells it from None;
a record has those of its scalars.

>>> from anabranch.kernels.native.values import Value
>>> [f.name for f in arrays_for(Value("int", "v", "no_v"), "g0")]
['g0', 'no_g0']
>>> kept(Value("int", "v", "no_v"), "g0", lambda name: f"{name}[at]")
Value(kind='int', code='g0[at]', none='no_g0[at]', constant=..., column=None, made=None)
"""

from __future__ import annotations

from collections.abc import Callable

from anabranch.kernels.native.body import Body, plain
from anabranch.kernels.native.layout import Field
from anabranch.kernels.native.values import (
    CODED,
    HELD,
    ZEROS,
    Rec,
    Shape,
    Value,
    flag,
    leaves,
    within,
)


def arrays_for(shape: Shape, name: str) -> list[Field]:
    """The arrays that hold a value, with nothing in them."""
    fields = []
    for place, leaf in leaves(shape, name):
        is_text = leaf.kind in CODED
        fields.append(Field(place, HELD[leaf.kind], ZEROS[leaf.kind], is_text=is_text))
        fields += [Field(flag(place), "bool", "False")] if leaf.flagged else []
    return fields


def codes_of(body: Body, shape: Shape) -> list[str]:
    """What stands in each array of a value."""
    return [code for _, leaf in leaves(shape, "") for code in body.passed(_place(leaf), leaf)]


def _place(leaf: Value) -> Value:
    """Elsewhere bytes stay the column that they are; a key is held."""
    return Value(leaf.kind, "?", leaf.none and "?") if leaf.kind == "bytes" else plain(leaf)


def kept(shape: Shape, name: str, read: Callable[[str], str]) -> Shape:
    """A value as it is read from its arrays."""
    if isinstance(shape, Rec):
        return Rec(shape.cls, {part: kept(inner, within(name, part), read)
                               for part, inner in shape.fields.items()})
    code = read(name)
    if not shape.none:
        return Value(shape.kind, code)
    return Value(shape.kind, code, read(flag(name)) if shape.flagged else f"({code} < 0)")
