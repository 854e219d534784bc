"""Chooses the fastest tier that can run a stage exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from anabranch.ir.graph import Operator
from anabranch.ir.types import Type
from anabranch.kernels.columns import columns_kernel
from anabranch.kernels.native.kernel import NativeKernel
from anabranch.kernels.native.stage import write_stage
from anabranch.kernels.native.values import Unsupported, no_form
from anabranch.kernels.rows import RowsKernel, RowsState, unfused
from anabranch.kernels.tally import Tally
from anabranch.plan import Reason

Sliced = tuple[pa.RecordBatch, np.ndarray]


class Kernel(Protocol):
    """A stage as one function from slices to slices; see the package for what each part means."""

    tier: str
    reason: Reason | None
    widens: bool
    is_saved: bool
    is_here: bool
    failure: str | None

    def tracking(self) -> Kernel: ...

    def warm(self) -> None: ...

    def start(self) -> object: ...

    def run(self, state: object, batch: pa.RecordBatch, stamp: int | np.ndarray = 0) -> Sliced: ...

    def advance(self, state: object, batch: pa.RecordBatch, stamp: int | np.ndarray = 0,
                tally: Tally | None = None) -> tuple[pa.RecordBatch, np.ndarray, int]: ...

    def to_rows(self, state: object) -> RowsState: ...

    def from_rows(self, rows: RowsState) -> object: ...

    def finish(self, state: object, tally: Tally | None = None) -> Sliced: ...

    def dump(self, state: object) -> bytes: ...

    def load(self, data: bytes) -> object: ...

    def changed(self, state: object, every: bool = False) -> bytes: ...

    def restored(self, pages: Iterable[bytes]) -> object: ...

    def updated(self, state: object, pages: Iterable[bytes]) -> object: ...


def compile_stage(operators: tuple[Operator, ...], input_type: Type, output_type: Type,
                  initial: Mapping[str, Callable] | None = None) -> Kernel:
    """The kernel of a chain of operators, first to last, each with one input and one output.

    `initial` makes the first values of variables that are not an operator's own.
    """
    operators = unfused(operators)
    rows = RowsKernel(operators, input_type, output_type, None, initial)
    try:
        kernel = NativeKernel(rows, write_stage(operators, input_type, output_type))
        if not kernel.failure:
            return kernel
        first = operators[0]
        reason = Reason(f"{first.name} cannot be compiled: {kernel.failure}", first.span)
    except Unsupported as why:
        reason = Reason(why.why, why.span)
    except Exception as error:
        # Whatever goes wrong while code is generated, rows run without it.
        reason = Reason(f"{operators[0].name} {no_form('it', error)}", operators[0].span)
    try:
        return columns_kernel(rows, reason)
    except Exception:
        return replace(rows, reason=reason)
