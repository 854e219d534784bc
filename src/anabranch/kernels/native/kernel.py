"""The native kernel: slices through generated code; what it cannot do goes to rows.

What the generated code has counted in `c` becomes a tally.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event

import numba
import numpy as np
import pyarrow as pa
from numba import config
from numba.core.errors import NumbaError

from anabranch.batch.record_batch import batch_of, conform
from anabranch.kernels.checkpoint import DELTA, WHOLE, latest
from anabranch.kernels.native.cache import (
    failure,
    is_compiled,
    is_here,
    is_saved,
    module_of,
    note_failed,
    note_saved,
)
from anabranch.kernels.native.library.atomics import ticks
from anabranch.kernels.native.library.numbers import Bail
from anabranch.kernels.native.library.tables import Full
from anabranch.kernels.native.slices import OutputArrays, native_column, takes_times
from anabranch.kernels.native.stage.module import StageModule
from anabranch.kernels.native.state.checkpoint import (
    dumped,
    from_pages,
    from_rows,
    loaded,
    page_of,
    put_pages,
    to_rows,
)
from anabranch.kernels.native.state.eviction import forget_texts
from anabranch.kernels.native.state.layout import OUT, ROW
from anabranch.kernels.native.state.memory import StateMemory
from anabranch.kernels.rows import RowsKernel, RowsState
from anabranch.kernels.stamps import at_end, first_or_all, from_row
from anabranch.kernels.tally import Tally
from anabranch.plan.logical.plan import Reason


@dataclass
class NativeState:
    """Native memory, or the state of the rows tier after a row that native code could not do.

    The rows tier then keeps the stage for `patience` slices before native code is tried again;
    each fall doubles the patience.
    """

    memory: StateMemory
    rows: RowsState | None = None
    waited: int = 0
    patience: int = 1


@dataclass(frozen=True)
class NativeKernel:
    """A stage as one compiled loop. `rows` is the same stage in the rows tier. One that `tracks`
    notes the keys that rows touch, which takes a tenth of the time of a light row."""

    rows: RowsKernel
    stage: StageModule
    tracks: bool = False
    tier: str = "native"
    reason: Reason | None = None
    warming: Event = field(default_factory=Event, compare=False)

    @property
    def widens(self) -> bool:
        """Whether it gives a float, or an int, where the program itself gives an int or a bool."""
        return self.stage.widens

    def tracking(self) -> NativeKernel:
        """The same, for whoever wants pages with the touched keys alone."""
        return replace(self, tracks=True)

    @property
    def source(self) -> str:
        return self.stage.tracking if self.tracks else self.stage.source

    @property
    def is_saved(self) -> bool:
        """Whether it has been compiled, if not here then by another process."""
        return is_saved(self.source)

    @property
    def is_here(self) -> bool:
        """Whether it needs no warming in this process."""
        return is_here(self.source)

    def start(self) -> NativeState:
        return NativeState(StateMemory.empty(self.stage))

    def warm(self) -> None:
        """Compiles the code, or loads it from disk; while a thread does, rows keep flowing."""
        self.warming.set()
        try:
            entries = ["run", *(f"end{number}" for number in sorted(self.stage.ending))]
            if all(self._try(entry) for entry in entries) and not numba.config.DISABLE_JIT:
                note_saved(self.source)
        finally:
            self.warming.clear()

    def _try(self, entry: str) -> bool:
        """Calls generated code with nothing to do."""
        outputs, memory = OutputArrays(self.stage, 0), StateMemory.empty(self.stage)
        memory.begin()
        return self._go(memory, entry, outputs, self._inputs(memory, self._no_rows()), 0, 0)

    def run(self, state: NativeState, batch: pa.RecordBatch, stamp: int | np.ndarray = 0):
        batch = conform(batch, self.rows.input_type)
        if self.warming.is_set() and state.rows is None:
            state.rows, state.waited = self._as_rows(state.memory), state.patience
        if state.rows is not None and not self._return(state):
            return self.rows.run(state.rows, batch, stamp)
        done, origins, row = self.advance(state, batch, stamp)
        if row == len(batch):
            return done, origins
        rest, later = self._fall(state, batch.slice(row), from_row(stamp, row))
        return _joined(done, rest), np.concatenate([origins, later + row])

    def advance(self, state: NativeState, batch: pa.RecordBatch, stamp: int | np.ndarray = 0,
                tally: Tally | None = None):
        """As far as native code goes: the outputs, their origins, and how many rows are done."""
        forget_texts(state.memory)
        batch = conform(batch, self.rows.input_type)
        if not takes_times(state.memory, batch):
            return self._no_output(), np.zeros(0, np.int64), 0
        inputs, outputs = self._inputs(state.memory, batch), OutputArrays(self.stage, len(batch))
        complete = self._run(state.memory, outputs, inputs, stamp, len(batch), tally)
        row = len(batch) if complete else int(state.memory.counters[ROW])
        count(state.memory, tally, row)
        return *outputs.batch(batch, state.memory, self.rows.output_type), row

    def fill(self, state: NativeState, batch: pa.RecordBatch,
             inputs: Callable[[StateMemory], dict], outputs: OutputArrays,
             stamp: int | np.ndarray, size: int, tally: Tally | None) -> int:
        """The same from arrays to arrays, for so many rows of a batch; how many are done."""
        state.memory.begin()
        forget_texts(state.memory)
        if not takes_times(state.memory, batch):
            return 0
        complete = self._run(state.memory, outputs, inputs(state.memory), stamp, size, tally)
        row = size if complete else int(state.memory.counters[ROW])
        count(state.memory, tally, row)
        return row

    def to_rows(self, state: NativeState) -> RowsState:
        """The state of the rows tier that stands for the same past."""
        return self._as_rows(state.memory) if state.rows is None else state.rows

    def from_rows(self, rows: RowsState) -> NativeState | None:
        """The native state that stands for the same past; None when it does not fit."""
        memory = from_rows(rows, self.rows.operators, self.stage)
        return None if memory is None else NativeState(memory)

    def finish(self, state: NativeState, tally: Tally | None = None):
        if state.rows is not None:
            return self.rows.finish(state.rows)
        memory, empty = state.memory.copy(), self._no_rows()
        parts, orders = [], []
        for table in self.stage.tables:
            if table.number not in self.stage.ending:
                continue
            order = at_end(table.number, memory.arrays[table.array("stamps")][:memory.count(table)])
            outputs = OutputArrays(self.stage, len(order))
            memory.begin()
            if not self._go(memory, f"end{table.number}", outputs, self._inputs(memory, empty),
                            order, len(order)):
                return self.rows.finish(self._as_rows(state.memory))
            count(memory, tally, 0)
            done, origins = outputs.batch(empty, memory, self.rows.output_type)
            parts.append(done)
            orders.append(order[origins])
        return (_joined(self._no_output(), *parts),
                np.concatenate([np.zeros(0, np.int64), *orders]))

    def dump(self, state: NativeState) -> bytes:
        if state.rows is not None:
            return b"rows" + self.rows.dump(state.rows)
        return b"cols" + dumped(state.memory)

    def load(self, data: bytes) -> NativeState:
        if data[:4] == b"rows":
            return NativeState(StateMemory.empty(self.stage), self.rows.load(data[4:]))
        return NativeState(loaded(self.stage, data[4:]))

    def changed(self, state: NativeState, every: bool = False) -> bytes:
        if state.rows is not None:
            return b"rows" + self.rows.changed(state.rows, every)
        every = every or not (self.tracks and state.memory.tracked)
        return b"cols" + (WHOLE if every else DELTA) + page_of(state.memory, every)

    def firsts(self, state: NativeState) -> np.ndarray:
        """The stamps with which keys came first."""
        if state.rows is not None:
            return np.array([stamp for seen in state.rows.seen for stamp in seen], np.int64)
        memory = state.memory
        return np.concatenate([np.zeros(0, np.int64), *(
            memory.arrays[table.array("stamps")][:memory.count(table)]
            for table in self.stage.owners)])

    def restored(self, pages: Iterable[bytes]) -> NativeState:
        pages = list(pages)
        # A stage that has changed its tier begins with a whole page.
        kept = latest([page[4:] for page in pages])
        if pages and pages[-1][:4] == b"rows":
            return NativeState(StateMemory.empty(self.stage), self.rows.restored(kept))
        return NativeState(from_pages(self.stage, [page[1:] for page in kept]))

    def updated(self, state: NativeState, pages: Iterable[bytes]) -> NativeState:
        pages = list(pages)
        if any(page[4:5] == WHOLE for page in pages):
            return self.restored(pages)
        if state.rows is not None:
            self.rows.updated(state.rows, [page[4:] for page in pages])
        else:
            put_pages(state.memory, [page[5:] for page in pages])
        return state

    def _run(self, memory: StateMemory, outputs: OutputArrays, inputs: dict,
             stamp: int | np.ndarray, size: int, tally: Tally | None) -> bool:
        """Runs a slice as far as native code goes, and measures the beginning of some."""
        go = partial(self._go, memory, "run", outputs, inputs, stamp)
        memory.begin()
        if is_due(memory, tally):
            with measured(memory, tally):
                complete = go(min(size, MEASURED), timed=True)
            if not complete:
                return False
        return go(size)

    def _go(self, memory: StateMemory, entry: str, outputs: OutputArrays, inputs: dict,
            stamp: int | np.ndarray, size: int, timed: bool = False) -> bool:
        """Runs generated code to row `size`, or to one that is for the rows tier (then False)."""
        code, stamps = self._code(entry), first_or_all(stamp)
        while code is not None:
            try:
                code(*self._arguments(memory, outputs, inputs, stamps, timed), size)
                return True
            except Full:
                grown = outputs.grow(int(memory.counters[OUT]))
                if not (memory.grow(outputs.origins, int(memory.counters[ROW])) or grown):
                    raise
            except Bail:
                memory.undo(outputs.origins, int(memory.counters[ROW]))
                return False
            except Exception as error:
                if is_compiled(code) and not isinstance(error, NumbaError):
                    raise
                # Nothing has run, so there is nothing to undo.
                note_failed(self.source, error)
                return False
        return False

    def _code(self, entry: str) -> Callable | None:
        """The function of a name; None where there is none, because the compiler has failed."""
        if self.failure:
            return None
        try:
            return getattr(module_of(self.source), entry)
        except Exception as error:
            note_failed(self.source, error)
            return None

    @property
    def failure(self) -> str | None:
        """Why the compiler could make nothing of the code."""
        return failure(self.source)

    def _arguments(self, memory: StateMemory, outputs: OutputArrays, inputs: dict,
                   stamps: np.ndarray, timed: bool) -> list:
        own = {"i": np.uint64(0), "timed": timed, "c": memory.counters, "stamps": stamps,
               "starts": memory.texts.starts, "texts": memory.texts.data}
        known = own | inputs | outputs.arrays | memory.arrays
        return [known[name] for name in self.stage.arguments]

    def _inputs(self, memory: StateMemory, batch: pa.RecordBatch) -> dict[str, np.ndarray]:
        arrays = {}
        for n in self.stage.inputs:
            arrays[f"in{n}"], arrays[f"no{n}"] = native_column(
                self.stage.sources[n].column(batch), self.stage.sources[n].kind, memory.texts)
        return arrays

    def _fall(self, state: NativeState, batch: pa.RecordBatch, stamp: int | np.ndarray):
        state.rows, state.waited = self._as_rows(state.memory), 0
        state.patience *= 2
        return self.rows.run(state.rows, batch, stamp)

    def _as_rows(self, memory: StateMemory) -> RowsState:
        return to_rows(memory, self.rows.operators, self.rows.start())

    def _return(self, state: NativeState) -> bool:
        """Takes the stage back from the rows tier, if it is time and its state fits."""
        state.waited += 1
        if state.waited < state.patience or self.warming.is_set():
            return False
        memory = from_rows(state.rows, self.rows.operators, self.stage)
        if memory is None:
            state.waited = 0
            return False
        state.memory, state.rows = memory, None
        return True

    def _no_rows(self) -> pa.RecordBatch:
        return batch_of([], self.rows.input_type)

    def _no_output(self) -> pa.RecordBatch:
        return batch_of([], self.rows.output_type)


def _joined(*batches: pa.RecordBatch) -> pa.RecordBatch:
    """Several batches as one."""
    filled = [b for b in batches if len(b)]
    return pa.concat_batches(filled) if filled else batches[0]


def count(memory: StateMemory, tally: Tally | None, rows: int) -> None:
    """Adds what the last call did with so many rows."""
    if tally is not None:
        counters = memory.counters
        tally.add([*memory.stage.inner.given(counters, rows), int(counters[OUT])])


MEASURED = 4096
"""Of a slice whose time is measured so many rows are: that takes several times as long."""


def is_due(memory: StateMemory, tally: Tally | None) -> bool:
    """Whether it is time to measure the operators of a slice."""
    apart = len(memory.stage.inner.ones) > 1 and not config.DISABLE_JIT
    return tally is not None and apart and tally.is_due()


@contextmanager
def measured(memory: StateMemory, tally: Tally) -> Iterator[None]:
    """Measures the operators of a call that is `timed`."""
    began = ticks()
    yield
    found = memory.stage.inner.ticks(memory.counters, ticks() - began)
    # Where a row was not finished, its operators have only begun to be measured.
    if found == sorted(found, reverse=True) and found[-1] >= 0:
        tally.add_ticks(found)
