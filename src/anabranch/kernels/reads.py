"""Which columns of its input a kernel takes; the others may hold anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anabranch.analysis.facts.live_fields import looked_at
from anabranch.io.columns import columns_of
from anabranch.kernels.kernel import Kernel
from anabranch.kernels.native.kernel import NativeKernel
from anabranch.kernels.native.outputs import Column


def columns_read(kernel: Kernel) -> frozenset[str]:
    """The names of the columns whose values a kernel needs, all of them if that is not known."""
    names = list(columns_of(kernel.rows.input_type))
    if isinstance(kernel, NativeKernel):
        stage = kernel.stage
        read = {*stage.inputs, *_copied(stage.columns)}
        return frozenset(names[stage.sources[number].number] for number in read)
    found = looked_at(kernel.rows.operators)
    return frozenset(names) if found is None else found & frozenset(names)


def _copied(columns: Iterable[Column]) -> Iterator[int]:
    """The numbers of the sources that output columns are copies of."""
    for column in columns:
        yield from _copied(column.parts)
        if column.source is not None:
            yield column.source
