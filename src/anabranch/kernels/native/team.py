"""A stage whose state is forked, with the states of all workers of a plan in native memory.

    team = Team(kernel, layout, takes)
    team.put(state)                                     # the root's; it is forked for all
    given = team.given(batch, team.coded(batch), order)     # once for each slice
    part = team.share(worker, given, share)             # by each worker, in a thread of its own
    part = team.alone(given)                            # or by one, for all
    batch, origins = team.merged(given, parts)
    state = team.state()
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numba
import numpy as np
import pyarrow as pa
from numba.core.errors import NumbaError

from anabranch.ir.graph import Operator
from anabranch.ir.synchronized import Synchronized
from anabranch.ir.types import Type
from anabranch.kernels.batches import batch_of, conform, with_dictionary
from anabranch.kernels.native.apart import apart
from anabranch.kernels.native.cache import is_saved, module_of, note_saved
from anabranch.kernels.native.carry import Misfit
from anabranch.kernels.native.forgetting import MOST_TEXTS
from anabranch.kernels.native.forks import write_forks
from anabranch.kernels.native.layout import OUT, ROW
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.numeric import Bail
from anabranch.kernels.native.shared_run import APART, CLAIMED, FREED, PROGRESS, shared_run
from anabranch.kernels.native.shares import Given, Layout, Part, Share
from anabranch.kernels.native.slices import Outputs, native_column
from anabranch.kernels.native.stage import Stage, write_stage
from anabranch.kernels.native.tables import Full
from anabranch.kernels.native.values import Unsupported
from anabranch.kernels.rows import RowsKernel


@dataclass(frozen=True)
class TeamKernel:
    """The code of a synchronized operator without keys, with its fork and its join; `tags` are
    those for which the fork asks."""

    rows: RowsKernel
    stage: Stage
    tags: tuple = ()

    def call(self, entry: str, *arguments: object) -> object:
        return getattr(module_of(self.stage.source), entry)(*arguments)

    @property
    def is_saved(self) -> bool:
        """Whether its machine code is on disk."""
        return is_saved(self.stage.source)

    def warm(self) -> None:
        """Compiles the code, or loads it from disk."""
        layout = Layout.of([1, -1, -1], [2, -1, -1])
        team = Team(self, layout, np.zeros((3, len(self.tags)), np.bool_))
        is_put = team.put(self.rows.operators[0].kind.new_state())
        parts = [team.share(1, team.nothing, Share(0, *[np.zeros(0, np.int64)] * 5)),
                 team.alone(team.nothing)]
        if is_put and None not in parts and not numba.config.DISABLE_JIT:
            note_saved(self.stage.source)


def team_kernel(op: Operator, input_type: Type, output_type: Type) -> TeamKernel | None:
    """The kernel of an operator, if its update, its fork and its join have native forms."""
    if not isinstance(op.kind, Synchronized) or op.kind.by:
        return None
    tags: list = []
    try:
        stage = write_stage((op,), input_type, output_type, partial(_forks, op.kind, tags))
    except Unsupported:
        return None
    return TeamKernel(RowsKernel((op,), input_type, output_type), stage, tuple(tags))


def _forks(kind: Synchronized, tags: list, registry, tables) -> list[str]:
    table, = tables
    return shared_run(table, write_forks(kind, registry, tags))


class Team:
    """The memory of all workers of a plan; the workers that compute are the leaves. `takes` says
    for each worker which of the kernel's tags it or those below it take."""

    def __init__(self, kernel: TeamKernel, layout: Layout, takes: np.ndarray):
        self.kernel, self.layout, self.stage = kernel, layout, kernel.stage
        self.table, = kernel.stage.tables
        self.nodes = len(layout.lefts)
        self.board = np.zeros(APART * (self.nodes + 1), np.int64)
        self.progress = np.zeros((self.nodes, APART), np.int64)[:, :PROGRESS]
        self.shelf = {f.name: np.zeros(self.nodes + 1, f.dtype) for f in self.table.fields}
        self.shared = [takes, *self.shelf.values()]
        self.lead = Memory.empty(self.stage)
        self.memories = {leaf: apart(Memory.empty(self.stage)) for leaf in layout.leaves}
        self.texts_lock = Lock()

    def put(self, state: object) -> bool:
        """Begins with a state, if it fits into native memory and can be forked there."""
        self.board[:], self.progress[:] = 0, 0
        try:
            with self.texts_lock:
                self.table.carrier.native(self.lead, self.table, 0, state)
            self._move(self.lead, 0, into_shelf=True)
            self.kernel.call("spread",
                             *self._arguments(self.lead, self.nothing, Outputs(self.stage, 0)),
                             *self.shared, self.layout.lefts, self.layout.rights,
                             self.layout.lasts)
        except (Misfit, OverflowError, Bail, Full, NumbaError):
            return False
        return True

    def state(self) -> object:
        """The root's state behind the last slice that all have done."""
        self._move(self.lead, self.nodes, into_shelf=False)
        return self.table.carrier.python(self.lead, self.table, 0)

    def forget_texts(self) -> None:
        """Forgets all texts, when nobody is at work, and with them the state."""
        self.lead = Memory.empty(self.stage)

    @property
    def knows_many_texts(self) -> bool:
        """Whether it is time to forget them."""
        return len(self.lead.texts) > MOST_TEXTS

    def coded(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with a dictionary for the texts of each column that the kernel reads."""
        batch = conform(batch, self.kernel.rows.input_type)
        texts = {self.stage.sources[n].number for n in self.stage.inputs
                 if self.stage.sources[n].kind == "str" and not self.stage.sources[n].path}
        columns = [with_dictionary(column) if n in texts else column
                   for n, column in enumerate(batch.columns)]
        return pa.RecordBatch.from_arrays(columns, batch.schema.names)

    def given(self, batch: pa.RecordBatch, coded: pa.RecordBatch, order: np.ndarray) -> Given:
        """A slice, to be worked off in this order of its rows."""
        arrays = {}
        with self.texts_lock:
            for n in self.stage.inputs:
                source = self.stage.sources[n]
                arrays[f"in{n}"], arrays[f"no{n}"] = native_column(
                    source.column(coded), source.kind, self.lead.texts)
            self.lead.fill_made()
            known = {name: array for name, array in self.lead.arrays.items()
                     if name.startswith(("tab", "known"))}
            texts = {"starts": self.lead.texts.starts, "texts": self.lead.texts.data}
        return Given(conform(batch, self.kernel.rows.input_type), order, arrays | known | texts)

    @property
    def nothing(self) -> Given:
        """A slice without rows."""
        batch = batch_of([], self.kernel.rows.input_type)
        return self.given(batch, batch, np.zeros(0, np.int64))

    def share(self, leaf: int, given: Given, share: Share) -> Part | None:
        """Does a worker's share, and gives its outputs. None when somebody found a row that plain
        Python must do: then the slice begins again, with the state before it."""
        memory, at = self.memories[leaf], self.progress[leaf]
        outputs = Outputs(self.stage, share.rows)
        self._move(memory, leaf, into_shelf=False)
        memory.begin()
        at[:FREED] = 0
        memory.counters[ROW] = at[CLAIMED] = share.first
        part = self._called("share", memory, given, outputs, self.board,
                            *self.layout, leaf, at, share.cuts, share.tops,
                            share.firsts, share.ends, share.claims, share.sharers)
        return self.stop() if part is None else part

    def alone(self, given: Given) -> Part | None:
        """Does a whole slice, in the order of its rows, while nobody is at work: a light one is
        done before others would have come. None when plain Python must do it."""
        memory, rows = self.memories[self.layout.leaves[0]], len(given.order)
        self._move(memory, self.nodes, into_shelf=False)
        memory.begin()
        return self._called("alone", memory, given, Outputs(self.stage, rows), self.layout.lefts,
                            self.layout.rights, self.layout.lasts, rows)

    def _called(self, entry: str, memory: Memory, given: Given, outputs: Outputs, *more: object
                ) -> Part | None:
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
            except (Bail, NumbaError):
                return None

    def stop(self) -> None:
        """Lets nobody wait for others any longer."""
        self.board[APART * self.nodes] = 1

    def merged(self, given: Given, parts: Iterable[Part]) -> tuple[pa.RecordBatch, np.ndarray]:
        """The outputs of all workers in the order of the rows that caused them, and these rows."""
        parts = list(parts)
        arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        origins = arrays["rows"]
        order = np.argsort(origins, kind="stable")
        whole = Outputs(self.stage, 0)
        whole.arrays = {name: array[order] for name, array in arrays.items()}
        whole.arrays["rows"] = origins[order]
        with self.texts_lock:
            self.lead.counters[OUT] = len(origins)
            return whole.batch(given.batch, self.lead, self.kernel.rows.output_type)

    def _move(self, memory: Memory, place: int, into_shelf: bool) -> None:
        """Copies a state from a worker's memory to the shelf, or back."""
        for f in self.table.fields:
            if into_shelf:
                self.shelf[f.name][place] = memory.field(self.table, f)[0]
            else:
                memory.field(self.table, f)[0] = self.shelf[f.name][place]
        memory.counters[self.table.count] = 1

    def _arguments(self, memory: Memory, given: Given, outputs: Outputs) -> list:
        own = {"i": np.uint64(0), "timed": False, "c": memory.counters, "stamps": given.order}
        known = own | memory.arrays | given.arrays | outputs.arrays
        return [known[name] for name in self.stage.arguments]
