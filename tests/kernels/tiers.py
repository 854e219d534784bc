"""Runs a program through a kernel in slices, and through the sequential engine, for comparison."""

from __future__ import annotations

import struct

from anabranch.api.node import connected_sinks, graph_of
from anabranch.batch.record_batch import batch_of, items_of
from anabranch.core.errors import AnabranchError
from anabranch.engine.sequential import run as sequential
from anabranch.kernels import compile_stage
from anabranch.kernels.native.cache import module_of
from anabranch.kernels.rows import RowsKernel


class Program:
    """A linear program built by `build(stream)` on a source of records `item`."""

    def __init__(self, stream):
        stream.collect_into([])
        self.graph = graph_of(connected_sinks(stream.node))
        self.operators = tuple(op for op in self.graph if not (op.is_source or op.is_sink))
        [source], [sink] = self.graph.sources, self.graph.sinks
        self.source = source
        self.input_type = self.graph.output_types(source)[0]
        self.output_type = self.graph.input_types(sink)[0]
        # The engines' tests run those that do not track.
        self.kernel = compile_stage(self.operators, self.input_type, self.output_type).tracking()
        self.rows = RowsKernel(self.operators, self.input_type, self.output_type)

    def sequential(self, items):
        """The outputs as batches carry them, or the error.

        The items are made anew, as if read from a file: Python tells one NaN object from another.
        """
        out, items = [], items_of(batch_of(items, self.input_type), self.input_type)
        try:
            sequential.run(self.graph, {self.source.name: items}, lambda _, item: out.extend(
                items_of(batch_of([item], self.output_type), self.output_type)))
            return bits(out)
        except AnabranchError as error:
            return error.what

    def sliced(self, items, size, kernel=None, saving=False):
        """The outputs of a kernel over slices of a size; `saving` reloads its state in between."""
        kernel = kernel or self.kernel
        try:
            return bits(list(self._sliced(items, size, kernel, saving)))
        except AnabranchError as error:
            return error.what

    def paged(self, items, size):
        """The outputs when after every slice a page is saved, and all pages are read again."""
        try:
            return bits(list(self._sliced(items, size, self.kernel, False, [])))
        except AnabranchError as error:
            return error.what

    def _sliced(self, items, size, kernel, saving, pages=None):
        state = kernel.start()
        for start in range(0, len(items), size):
            batch = batch_of(items[start:start + size], self.input_type)
            result, origins = kernel.run(state, batch, start)
            check_origins(result, origins, len(batch))
            yield from items_of(result, self.output_type)
            state = kernel.load(kernel.dump(state)) if saving else state
            if pages is not None:
                pages.append(kernel.changed(state, every=len(pages) % 5 == 4))
                state = kernel.restored(pages) if start % 2 else state
        result, order = kernel.finish(state)
        assert len(order) == len(result) and (order[1:] >= order[:-1]).all()
        yield from items_of(result, self.output_type)

    def check(self, items):
        """Every tier gives what the sequential engine gives, whatever the size of the slices."""
        wanted = self.sequential(items)
        for size in (1, 3, 1000):
            assert self.sliced(items, size) == wanted
        assert self.sliced(items, 3, self.rows) == wanted
        assert self.sliced(items, 2, saving=True) == wanted
        assert self.paged(items, 1) == wanted
        if items and self.kernel.tier == "native":
            assert module_of(self.kernel.source).run.signatures, "Numba refused the code"
        return wanted


def check_origins(result, origins, rows):
    assert len(origins) == len(result)
    assert (origins[1:] >= origins[:-1]).all()
    assert not len(origins) or (origins[0] >= 0 and origins[-1] < rows)


def bits(value):
    """A value in which floats are equal when all their bits are; every NaN is the same."""
    if isinstance(value, float):
        return "nan" if value != value else struct.pack("d", value)
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(bits, value)]
    return type(value).__name__, value
