"""Texts made of several values, such as f"{t.name}: {state.count}".

Native code carries the values, as if the text were a record of them; the text itself is made when
the slice is done, for all its rows. So such a text can be put out, but not be looked at.

>>> render(("n = ", (0, "", "03d")), [pa.array([7, 12])], 2).to_pylist()
['n = 007', 'n = 012']
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.values import Rec, Shape, Value

# A piece is a constant text, or the number of a value with its conversion and format.
Piece = str | tuple[int, str, str]
CONVERSIONS = {-1: "", ord("s"): "s", ord("r"): "r", ord("a"): "a"}
CONVERT = {"": lambda v: v, "s": str, "r": repr, "a": ascii}
SAMPLES = {"int": (0, -2**63, 2**63 - 1), "float": (0.0, -1.5, 1e300, float("nan"), float("inf")),
           "bool": (True,), "str": ("", "é"), "time": (datetime(1970, 1, 1),)}


class LateText:
    """The class of the records that stand for texts; each form of text has its own subclass."""

    pieces: tuple[Piece, ...] = ()


@lru_cache(maxsize=1024)
def _class_of(pieces: tuple[Piece, ...]) -> type[LateText]:
    return type("Text", (LateText,), {"pieces": pieces})


def is_late(shape: object) -> bool:
    return isinstance(shape, Rec) and issubclass(shape.cls, LateText)


def is_text(shape: object) -> bool:
    return is_late(shape) or (isinstance(shape, Value) and shape.kind == "str" and not shape.none)


def made_of(parts: Sequence[Shape | str]) -> Rec:
    """A text of constants, values and other late texts, one behind the other."""
    pieces, values = [], []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, Value):
            pieces += [part.constant] if part.is_constant else [(len(values), "", "")]
            values += [] if part.is_constant else [part]
        else:
            pieces += [p if isinstance(p, str) else (p[0] + len(values), *p[1:])
                       for p in part.cls.pieces]
            values += part.fields.values()
    return Rec(_class_of(tuple(pieces)), {f"p{n}": v for n, v in enumerate(values)})


def formatted(body: Body, node: ast.AST, shape: Shape, conversion: str = "",
              spec: str = "") -> Rec:
    """One value as a text. Only what can be written whatever the value is: nothing may fail later.
    """
    if is_late(shape) and not conversion and not spec:
        return shape
    optional = isinstance(shape, Value) and shape.none and (spec or shape.kind == "none")
    if isinstance(shape, Rec) or optional or not _always_works(shape.kind, conversion, spec):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    if shape.kind == "time":
        # The text of an instant has its offset.
        body.registry.note_time(False)
    return Rec(_class_of(((0, conversion, spec),)), {"p0": shape})


def _always_works(kind: str, conversion: str, spec: str) -> bool:
    try:
        return kind in SAMPLES and all(
            format(CONVERT[conversion](v), spec) is not None for v in SAMPLES[kind])
    except (ValueError, OverflowError):
        return False


def render(pieces: tuple[Piece, ...], columns: list[pa.Array], rows: int) -> pa.Array:
    """The texts of all rows, from the columns of the values."""
    written = [pa.scalar(p) if isinstance(p, str) else _written(columns[p[0]], *p[1:])
               for p in pieces]
    joined = pc.binary_join_element_wise(*written, pa.scalar(""))
    return joined if isinstance(joined, pa.Array) else pa.repeat(joined, rows)


def _written(column: pa.Array, conversion: str, spec: str) -> pa.Array:
    plain = conversion in ("", "s") and not spec
    if plain and (pa.types.is_integer(column.type) or pa.types.is_string(column.type)):
        return pc.fill_null(column.cast(pa.string()), "None")
    convert = CONVERT[conversion]
    return pa.array([format(convert(v), spec) for v in column.to_pylist()], pa.string())
