"""A forked state, with the states of all workers of a plan in native memory.

    lead = Lead(kernel)                                 # several teams may have one lead
    team = Team(kernel, layout, takes, lead)
    team.put(state)                                     # the root's; it is forked for all
    given = lead.given(batch, lead.coded(batch), order)     # once for each slice
    part = team.share(worker, given, share)             # by each worker, in a thread of its own
    part = team.alone(given)                            # or by one, for all
    batch, origins = lead.merged(given.batch, parts)
    state = team.state()

The lead has what all states of a team have in common: the texts that they know, and slices as their
workers see them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock

import numba
import numpy as np
import pyarrow as pa
from numba.core.errors import NumbaError

from anabranch.batch.record_batch import batch_of, conform, with_dictionary
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.synchronization import Synchronized
from anabranch.kernels.native.cache import (
    failure,
    is_compiled,
    is_saved,
    module_of,
    note_failed,
    note_saved,
)
from anabranch.kernels.native.library.numbers import Bail
from anabranch.kernels.native.library.tables import Full
from anabranch.kernels.native.slices import OutputArrays, native_column, takes_times
from anabranch.kernels.native.stage.module import StageModule, write_stage
from anabranch.kernels.native.state.carrier import Misfit
from anabranch.kernels.native.state.eviction import MOST_TEXTS
from anabranch.kernels.native.state.layout import OUT, ROW
from anabranch.kernels.native.state.memory import StateMemory
from anabranch.kernels.native.team.loop import (
    APART,
    CLAIMED,
    FREED,
    PROGRESS,
    shared_run,
    write_forks,
)
from anabranch.kernels.native.team.shares import Part, TeamSlice, WorkerShare, WorkerTree, apart
from anabranch.kernels.native.translate.values import Unsupported
from anabranch.kernels.rows import RowsKernel


@dataclass(frozen=True)
class TeamKernel:
    """The code of a synchronized operator for the state of one key, or the only one, with its fork
    and its join; `tags` are those for which the fork asks."""

    rows: RowsKernel
    stage: StageModule
    tags: tuple = ()

    def call(self, entry: str, *arguments: object) -> object:
        """Calls a function of the module; `Bail` where the compiler can make nothing of it."""
        if failure(self.stage.source):
            raise Bail
        code = None
        try:
            code = getattr(module_of(self.stage.source), entry)
            return code(*arguments)
        except (Bail, Full):
            raise
        except Exception as error:
            if code is not None and is_compiled(code) and not isinstance(error, NumbaError):
                raise
            note_failed(self.stage.source, error)
            raise Bail from None

    @property
    def is_saved(self) -> bool:
        """Whether its machine code is on disk."""
        return is_saved(self.stage.source)

    def warm(self) -> None:
        """Compiles the code, or loads it from disk."""
        layout, lead = WorkerTree.of([1, -1, -1], [2, -1, -1]), Lead(self)
        team = Team(self, layout, np.zeros((3, len(self.tags)), np.bool_), lead)
        is_put = team.put(self.rows.operators[0].kind.new_state())
        parts = [team.share(1, lead.nothing, WorkerShare(0, *[np.zeros(0, np.int64)] * 5)),
                 team.alone(lead.nothing)]
        if is_put and None not in parts and not numba.config.DISABLE_JIT:
            note_saved(self.stage.source)


def team_kernel(graph: Graph, op: Operator) -> TeamKernel | None:
    """The kernel of an operator, if its update, its fork and its join have native forms."""
    if not isinstance(op.kind, Synchronized):
        return None
    op, tags = replace(op, kind=replace(op.kind, by=())), []
    input_type, output_type = (graph.queue(q).type for q in (op.inputs[0], op.outputs[0]))
    try:
        stage = write_stage((op,), input_type, output_type, partial(_forks, op.kind, tags))
    except Exception:
        # `Unsupported`, or whatever else goes wrong while code is generated: Python runs without.
        return None
    return TeamKernel(RowsKernel((op,), input_type, output_type), stage, tuple(tags))


def _forks(kind: Synchronized, tags: list, registry, tables) -> list[str]:
    if len(tables) != 1:
        raise Unsupported("has a collection in its state, and a shelf has single values")
    table, = tables
    return shared_run(table, write_forks(kind, registry, tags))


class Team:
    """The memory of all workers of a plan; the workers that compute are the leaves. `takes` says
    for each worker which of the kernel's tags it or those below it take."""

    def __init__(self, kernel: TeamKernel, layout: WorkerTree, takes: np.ndarray, lead: Lead):
        self.kernel, self.layout, self.stage, self.lead = kernel, layout, kernel.stage, lead
        self.table, = kernel.stage.tables
        self.nodes = len(layout.lefts)
        self.board = np.zeros(APART * (self.nodes + 1), np.int64)
        self.progress = np.zeros((self.nodes, APART), np.int64)[:, :PROGRESS]
        self.shelf = {f.name: np.zeros(self.nodes + 1, f.dtype) for f in self.table.fields}
        self.shared = [takes, *self.shelf.values()]
        self.memories = {leaf: apart(StateMemory.empty(self.stage)) for leaf in layout.leaves}

    def put(self, state: object) -> bool:
        """Begins with a state, if it fits into native memory and can be forked there."""
        self.board[:], self.progress[:] = 0, 0
        try:
            with self.lead.lock:
                self.table.carrier.native(self.lead.memory, self.table, 0, state)
            self._move(self.lead.memory, 0, into_shelf=True)
            self.kernel.call("spread", *self._arguments(
                self.lead.memory, self.lead.nothing, OutputArrays(self.stage, 0)), *self.shared,
                self.layout.lefts, self.layout.rights, self.layout.lasts)
        except (Misfit, OverflowError, Bail, Full):
            return False
        return True

    def state(self) -> object:
        """The root's state behind the last slice that all have done."""
        self._move(self.lead.memory, self.nodes, into_shelf=False)
        return self.table.carrier.python(self.lead.memory, self.table, 0)

    def share(self, leaf: int, given: TeamSlice, share: WorkerShare) -> Part | None:
        """Does a worker's share, and gives its outputs. None when somebody found a row that plain
        Python must do: then the slice begins again, with the state before it."""
        memory, at = self.memories[leaf], self.progress[leaf]
        outputs = OutputArrays(self.stage, share.rows)
        self._move(memory, leaf, into_shelf=False)
        memory.begin()
        at[:FREED] = 0
        memory.counters[ROW] = at[CLAIMED] = share.first
        part = self._called("share", memory, given, outputs, self.board,
                            *self.layout, leaf, at, share.cuts, share.tops,
                            share.firsts, share.ends, share.claims, share.sharers)
        return self.stop() if part is None else part

    def alone(self, given: TeamSlice) -> Part | None:
        """Does a whole slice, in the order of its rows, while nobody is at work: a light one is
        done before others would have come. None when plain Python must do it."""
        memory, rows = self.memories[self.layout.leaves[0]], len(given.order)
        self._move(memory, self.nodes, into_shelf=False)
        memory.begin()
        return self._called("alone", memory, given, OutputArrays(self.stage, rows),
                            self.layout.lefts, self.layout.rights, self.layout.lasts, rows)

    def _called(self, entry: str, memory: StateMemory, given: TeamSlice, outputs: OutputArrays,
                *more: object) -> Part | None:
        """The outputs of a native function, which goes on where there was no more memory."""
        while True:
            try:
                done = self.kernel.call(entry, *self._arguments(memory, given, outputs),
                                        *self.shared, *more)
                size = int(memory.counters[OUT])
                return {n: a[:size] for n, a in outputs.arrays.items()} if done else None
            except Full:
                grown = outputs.grow(int(memory.counters[OUT]))
                row = int(given.order[memory.counters[ROW]])
                if not (memory.grow(outputs.origins, row) or grown):
                    return None
            except Bail:
                return None

    def stop(self) -> None:
        """Lets nobody wait for others any longer."""
        self.board[APART * self.nodes] = 1

    def _move(self, memory: StateMemory, place: int, into_shelf: bool) -> None:
        """Copies a state from a worker's memory to the shelf, or back."""
        for f in self.table.fields:
            if into_shelf:
                self.shelf[f.name][place] = memory.field(self.table, f)[0]
            else:
                memory.field(self.table, f)[0] = self.shelf[f.name][place]
        memory.counters[self.table.count] = 1

    def _arguments(self, memory: StateMemory, given: TeamSlice, outputs: OutputArrays) -> list:
        own = {"i": np.uint64(0), "timed": False, "c": memory.counters, "stamps": given.order}
        known = own | memory.arrays | given.arrays | outputs.arrays
        return [known[name] for name in self.stage.arguments]


class Lead:
    """Its memory has the texts, and in turn any one state that goes in or out."""

    def __init__(self, kernel: TeamKernel):
        self.rows, self.stage = kernel.rows, kernel.stage
        self.memory, self.lock = StateMemory.empty(self.stage), Lock()

    def forget_texts(self) -> None:
        """Forgets all texts, when nobody is at work, and with them the states."""
        self.memory = StateMemory.empty(self.stage)

    @property
    def knows_many_texts(self) -> bool:
        """Whether it is time to forget them."""
        return len(self.memory.texts) > MOST_TEXTS

    def takes(self, batch: pa.RecordBatch) -> bool:
        """Whether its times are of the kind of those that the states have."""
        with self.lock:
            return takes_times(self.memory, conform(batch, self.rows.input_type))

    def coded(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with a dictionary for the texts of each column that the kernel reads."""
        batch = conform(batch, self.rows.input_type)
        texts = {self.stage.sources[n].number for n in self.stage.inputs
                 if self.stage.sources[n].kind == "str" and not self.stage.sources[n].path}
        columns = [with_dictionary(column) if n in texts else column
                   for n, column in enumerate(batch.columns)]
        return pa.RecordBatch.from_arrays(columns, batch.schema.names)

    def given(self, batch: pa.RecordBatch, coded: pa.RecordBatch, order: np.ndarray) -> TeamSlice:
        """A slice, to be worked off in this order of its rows."""
        arrays = {}
        with self.lock:
            for n in self.stage.inputs:
                source = self.stage.sources[n]
                arrays[f"in{n}"], arrays[f"no{n}"] = native_column(
                    source.column(coded), source.kind, self.memory.texts)
            self.memory.fill_made()
            known = {name: array for name, array in self.memory.arrays.items()
                     if name.startswith(("tab", "known"))}
            texts = {"starts": self.memory.texts.starts, "texts": self.memory.texts.data}
        return TeamSlice(conform(batch, self.rows.input_type), order, arrays | known | texts)

    @property
    def nothing(self) -> TeamSlice:
        """A slice without rows."""
        batch = batch_of([], self.rows.input_type)
        return self.given(batch, batch, np.zeros(0, np.int64))

    def merged(self, batch: pa.RecordBatch, parts: Iterable[Part]
               ) -> tuple[pa.RecordBatch, np.ndarray]:
        """The outputs of all workers in the order of the rows that caused them, and these rows."""
        parts = list(parts)
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        origins = arrays["rows"]
        order = np.argsort(origins, kind="stable")
        whole = OutputArrays(self.stage, 0)
        whole.arrays = {name: array[order] for name, array in arrays.items()}
        whole.arrays["rows"] = origins[order]
        with self.lock:
            self.memory.counters[OUT] = len(origins)
            return whole.batch(batch, self.memory, self.rows.output_type)
