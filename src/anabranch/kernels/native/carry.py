"""State between the tiers: a native table as the dict of the rows tier, and back.

`Misfit` says that a value is not of its native kind, so that the rows tier must keep it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply, Cell
from anabranch.ir.windows import EPOCH
from anabranch.kernels.native.layout import Table
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.values import flag, within
from anabranch.kernels.rows import RowsState

MICROSECOND = timedelta(microseconds=1)
PYTHON = {"bool": bool, "int": int, "float": float, "str": str, "time": datetime}


class Misfit(Exception):
    pass


def python_value(memory: Memory, kind: str, raw, none: bool = False) -> object:
    """A native scalar as the Python value that it stands for."""
    if none or (kind == "str" and raw < 0):
        return None
    if kind == "str":
        return memory.texts.known[raw]
    return EPOCH + int(raw) * MICROSECOND if kind == "time" else PYTHON[kind](raw)


def native_value(memory: Memory, kind: str, value: object):
    """The native scalar of a Python value."""
    if type(value) is not PYTHON[kind]:
        raise Misfit
    if kind == "int" and not -2**63 <= value < 2**63:
        raise Misfit
    if kind == "str":
        return memory.texts.code(value)
    return (value - EPOCH) // MICROSECOND if kind == "time" else value


def to_rows(memory: Memory, operators: tuple[Operator, ...], state: RowsState) -> RowsState:
    """The state of the rows tier that stands for the same past."""
    for table in memory.stage.tables:
        op, count = operators[table.operator], memory.count(table)
        keys = [table.key.key_of(memory, words) for words in
                memory.arrays[table.array("keys")][:count].tolist()]
        carrier = carrier_of(op, table)
        state.cells[op.variables[0]] = Cell(
            {key: carrier.python(memory, slot) for slot, key in enumerate(keys)})
        state.seen[table.operator] = memory.arrays[table.array("stamps")][:count].tolist()
    return state
