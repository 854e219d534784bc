"""Chooses the fastest tier that runs a stage exactly, and the columns it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from anabranch.analysis.facts.live_fields import looked_at
from anabranch.io.columns import columns_of
from anabranch.ir.changes import SortTies, WindowChanges
from anabranch.ir.graph import Operator
from anabranch.ir.types import Type
from anabranch.kernels.changes import changes_kernel
from anabranch.kernels.columns import columns_kernel
from anabranch.kernels.native.kernel import NativeKernel
from anabranch.kernels.native.stage.columns import OutputColumn
from anabranch.kernels.native.stage.module import write_stage
from anabranch.kernels.native.translate.values import Unsupported, no_form
from anabranch.kernels.rows import RowsKernel, RowsState, unfused
from anabranch.kernels.sorting import sort_kernel
from anabranch.kernels.tally import Tally
from anabranch.plan.logical.plan import Reason

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


OF_ITEMS_HELD = {SortTies: sort_kernel, WindowChanges: changes_kernel}
"""Operators with a kernel over whole columns that has a state."""


def compile_stage(operators: tuple[Operator, ...], input_type: Type, output_type: Type,
                  initial: Mapping[str, Callable] | None = None) -> Kernel:
    """The kernel of a chain of operators, first to last, each with one input and one output.

    `initial` makes the first values of variables that are not an operator's own.
    """
    operators = unfused(operators)
    rows = RowsKernel(operators, input_type, output_type, None, initial)
    try:
        if len(operators) == 1 and type(operators[0].kind) in OF_ITEMS_HELD:
            return OF_ITEMS_HELD[type(operators[0].kind)](rows)
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


def columns_read(kernel: Kernel) -> frozenset[str]:
    """The names of the columns whose values a kernel needs, all of them if that is not known."""
    names = list(columns_of(kernel.rows.input_type))
    if isinstance(kernel, NativeKernel):
        stage = kernel.stage
        read = {*stage.inputs, *_copied(stage.columns)}
        return frozenset(names[stage.sources[number].number] for number in read)
    found = looked_at(kernel.rows.operators)
    return frozenset(names) if found is None else found & frozenset(names)


def _copied(columns: Iterable[OutputColumn]) -> Iterator[int]:
    """The numbers of the sources that output columns are copies of."""
    for column in columns:
        yield from _copied(column.parts)
        if column.source is not None:
            yield column.source
