"""Parameters and fields of all instances, packed into one array for each type of number, and one
for each structure."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from anabranch.lang.streamit.coding.constants import COMPILED, dtype_of
from anabranch.lang.streamit.coding.records import records, value_dtype
from anabranch.lang.streamit.types import ArrayOf, StructOf, Type, base_of, rank, shape_of

NAMES = {np.float32: "F", np.int32: "I", np.bool_: "B", np.complex64: "C", np.int64: "L"}
"""The name that the array of each type has in the text."""


def name_of(type: Type) -> str:
    """The name of the array that has the values of a type."""
    base = base_of(type)
    return f"S_{base.name}" if isinstance(base, StructOf) else NAMES[dtype_of(base, COMPILED)]


def tape_name(type: Type) -> str:
    """The name of the array that has the buffers for items of a type."""
    if not isinstance(type, ArrayOf):
        return name_of(type)
    return f"A_{base_of(type)}_{'_'.join(map(str, shape_of(type)))}"


def names_of(kinds: list) -> list[str]:
    """The names of the arrays that actors of some kinds use; integers are always there."""
    codes = [kind.code for kind in kinds if kind.code]
    types = [t for code in codes for t in (*code.environment_types, *(t for _, t in code.fields))]
    used = {"I", *map(name_of, types), *(k.input for k in kinds), *(k.output for k in kinds)}
    numbers = [name for name in NAMES.values() if name in used]
    return numbers + sorted(used.difference(numbers, ("",)))


class Values:
    """Collects values; a place is where the value begins, and the shape of an array."""

    def __init__(self):
        self.parts: dict[str, list[np.ndarray]] = defaultdict(list)
        self.sizes: dict[str, int] = defaultdict(int)
        self.dtypes = {name: np.dtype(dtype) for dtype, name in NAMES.items()}

    def add(self, value: object, type: Type) -> list[int]:
        """Puts a value behind the others; gives its place."""
        name, base = name_of(type), base_of(type)
        self.dtypes[name] = value_dtype(base)
        held = (records(value, type) if isinstance(base, StructOf)
                else np.asarray(value, self.dtypes[name]))
        begin = self.sizes[name]
        self.parts[name].append(held.reshape(-1))
        self.sizes[name] += held.size
        return [begin, *held.shape]

    def array(self, name: str, more: int) -> np.ndarray:
        """A new array with the values of a name, and so many places more."""
        return np.concatenate([*self.parts[name], np.empty(more, self.dtypes[name])])


def place_text(type: Type, column: int, is_field: bool) -> tuple[str, int]:
    """The text of a value at the place that stands in a row's columns, and the next column."""
    name, dimensions = name_of(type), rank(type)
    begin = f"V[a, {column}]"
    if dimensions == 0 and not is_field:
        return f"{name}[{begin}]", column + 1
    if dimensions == 0:
        return f"{name}[{begin}:{begin} + 1]", column + 2
    sizes = [f"V[a, {column + 1 + each}]" for each in range(dimensions)]
    part = f"{name}[{begin}:{begin} + {' * '.join(sizes)}]"
    shaped = part if dimensions == 1 else f"{part}.reshape(({', '.join(sizes)}))"
    return shaped, column + 1 + dimensions
