"""The native kernel: slices through generated code; what it cannot do goes to the rows tier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anabranch.ir.graph import Operator
from anabranch.ir.types import Type
from anabranch.kernels.batches import conform, items_of
from anabranch.kernels.native.cache import module_of
from anabranch.kernels.native.columns import native_column, output_batch
from anabranch.kernels.native.layout import OUT, ROW, Table
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.numeric import Bail
from anabranch.kernels.native.stage import Stage
from anabranch.kernels.native.tables import Full
from anabranch.kernels.rows import RowsKernel, RowsState
from anabranch.kernels.stamps import at_end, stamps_of
from anabranch.plan import Reason


@dataclass
class NativeState:
    """Native memory, or the state of the rows tier after a row that native code could not do.

    The rows tier keeps the stage for `patience` slices, then native code is tried again; each
    return doubles the patience.
    """

    memory: Memory
    rows: RowsState | None = None
    waited: int = 0
    patience: int = 1


class Outputs:
    """Arrays for the output of a slice, which grow when a row finds no room."""

    def __init__(self, stage: Stage, room: int):
        self.stage, self.room = stage, max(room, 16)
        self.arrays = {name: np.zeros(self.room, dtype) for name, dtype in self._arrays()}

    def _arrays(self) -> list[tuple[str, str]]:
        return [("rows", "int64"), *(a for col in self.stage.columns for a in col.arrays)]

    def grow(self, used: int) -> bool:
        if used < self.room:
            return False
        self.room *= 2
        self.arrays = {name: np.concatenate([a, np.zeros_like(a)])
                       for name, a in self.arrays.items()}
        return True
