"""A state that is forked, with the states of all workers of a plan in native memory.

    lead = Lead(kernel)                                 # several teams may have one lead
    team = Team(kernel, layout, takes, lead)
    team.put(state)                                     # the root's; it is forked for all
    given = lead.given(batch, lead.coded(batch), order)     # once for each slice
    part = team.share(worker, given, share)             # by each worker, in a thread of its own
    part = team.alone(given)                            # or by one, for all
    batch, origins = lead.merged(given.batch, parts)
    state = team.state()
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numba
import numpy as np
from numba.core.errors import NumbaError

from anabranch.ir.graph import Graph, Operator
from anabranch.ir.synchronized import Synchronized
from anabranch.kernels.native.apart import apart
from anabranch.kernels.native.cache import (
    failure,
    is_compiled,
    is_saved,
    module_of,
    note_failed,
    note_saved,
)
from anabranch.kernels.native.carry import Misfit
from anabranch.kernels.native.forks import write_forks
from anabranch.kernels.native.layout import OUT, ROW
from anabranch.kernels.native.lead import Lead
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.numeric import Bail
from anabranch.kernels.native.shared_run import APART, CLAIMED, FREED, PROGRESS, shared_run
from anabranch.kernels.native.shares import Given, Layout, Part, Share
from anabranch.kernels.native.slices import Outputs
from anabranch.kernels.native.stage import Stage, write_stage
from anabranch.kernels.native.tables import Full
from anabranch.kernels.native.values import Unsupported
from anabranch.kernels.rows import RowsKernel


@dataclass(frozen=True)
class TeamKernel:
    """The code of a synchronized operator for the state of one key, or the only one, with its fork
    and its join; `tags` are those for which the fork asks."""

    rows: RowsKernel
    stage: Stage
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
        layout, lead = Layout.of([1, -1, -1], [2, -1, -1]), Lead(self)
        team = Team(self, layout, np.zeros((3, len(self.tags)), np.bool_), lead)
        is_put = team.put(self.rows.operators[0].kind.new_state())
        parts = [team.share(1, lead.nothing, Share(0, *[np.zeros(0, np.int64)] * 5)),
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

    def __init__(self, kernel: TeamKernel, layout: Layout, takes: np.ndarray, lead: Lead):
        self.kernel, self.layout, self.stage, self.lead = kernel, layout, kernel.stage, lead
        self.table, = kernel.stage.tables
        self.nodes = len(layout.lefts)
        self.board = np.zeros(APART * (self.nodes + 1), np.int64)
        self.progress = np.zeros((self.nodes, APART), np.int64)[:, :PROGRESS]
        self.shelf = {f.name: np.zeros(self.nodes + 1, f.dtype) for f in self.table.fields}
        self.shared = [takes, *self.shelf.values()]
        self.memories = {leaf: apart(Memory.empty(self.stage)) for leaf in layout.leaves}

    def put(self, state: object) -> bool:
        """Begins with a state, if it fits into native memory and can be forked there."""
        self.board[:], self.progress[:] = 0, 0
        try:
            with self.lead.lock:
                self.table.carrier.native(self.lead.memory, self.table, 0, state)
            self._move(self.lead.memory, 0, into_shelf=True)
            self.kernel.call("spread", *self._arguments(
                self.lead.memory, self.lead.nothing, Outputs(self.stage, 0)), *self.shared,
                self.layout.lefts, self.layout.rights, self.layout.lasts)
        except (Misfit, OverflowError, Bail, Full):
            return False
        return True

    def state(self) -> object:
        """The root's state behind the last slice that all have done."""
        self._move(self.lead.memory, self.nodes, into_shelf=False)
        return self.table.carrier.python(self.lead.memory, self.table, 0)

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
            except Bail:
                return None

    def stop(self) -> None:
        """Lets nobody wait for others any longer."""
        self.board[APART * self.nodes] = 1

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
