"""Parts of values: elements of arrays, fields of structures, and copies of both."""

from __future__ import annotations

from anabranch.errors import ProgramError, did_you_mean
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.operations import Value
from anabranch.lang.streamit.types import COMPLEX, FLOAT, ArrayOf, StructOf, base_of


def read(place: Value) -> Value:
    """The value at a place; that of an array's element becomes a number of its own."""
    if isinstance(place.type, (ArrayOf, StructOf)) or not place.text.endswith("]"):
        return place
    return Value(f"_e({place.text})", place.type, place.stable)


def part(base: Value, node: syntax.Member) -> Value:
    """The field of a structure, or the part of a complex number."""
    if base.type == COMPLEX and node.name in ("real", "imag"):
        return Value(f"{base.text}.{node.name}", FLOAT)
    if not isinstance(base.type, StructOf):
        raise ProgramError("this has no fields", node.span, got=str(base.type))
    if node.name not in base.type.fields:
        raise ProgramError(f"{base.type} has no field '{node.name}'", node.span,
                           help=did_you_mean(node.name, base.type.fields))
    return Value(f"{base.text}.{field_name(node.name)}", base.type.fields[node.name])


def last_indices(text: str) -> tuple[str, str]:
    """An element's text, and what stands in its last brackets.

    >>> last_indices("s[0].f_a[b[i], 1]")
    ('s[0].f_a', 'b[i], 1')
    """
    depth, place = 0, len(text)
    while depth or place == len(text):
        place -= 1
        depth += {"]": 1, "[": -1}.get(text[place], 0)
    return text[:place], text[place + 1:-1]


def field_name(name: str) -> str:
    """The name of a structure's field in Python text, where no keyword is in the way."""
    return f"f_{name}"


def copied(value: Value) -> str:
    """The text of a value of its own: arrays and structures are copied."""
    if isinstance(value.type, ArrayOf) and isinstance(base_of(value.type), StructOf):
        return f"_copied({value.text})"
    if isinstance(value.type, StructOf):
        return f"_same({value.text})"
    return f"{value.text}.copy()" if isinstance(value.type, ArrayOf) else value.text
