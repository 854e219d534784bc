"""What one task of a gang does: its share of every slice in, pieces of slices out."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from anabranch.engine.items import Columns
from anabranch.engine.multicore.flows import Flow
from anabranch.engine.multicore.slices import Failure
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.multicore.synchronization.line_updates import LineUpdates, line_state
from anabranch.engine.spark.lines import line_of
from anabranch.engine.spark.measured import Measured
from anabranch.engine.spark.pieces import LAST, Number, Piece, dated, merged
from anabranch.engine.spark.stamps import merged_order, taken
from anabranch.engine.spark.synchronization.dealing import Share, shares
from anabranch.engine.spark.synchronization.meeting import connections
from anabranch.engine.spark.synchronization.member import Member
from anabranch.engine.spark.synchronization.post import Gone, Post
from anabranch.engine.spark.synchronization.stamps import Numbering, row_of
from anabranch.errors import RunError
from anabranch.sync.keyed import program_of
from anabranch.sync.messages import NOTHING, Events, Run
from anabranch.sync.updates import Failed

if TYPE_CHECKING:
    from anabranch.engine.spark.tasks import Program

AHEAD = 4
"""So many slices are read before the first of them is done: those with others below them let the
others go on as far as they have read themselves."""


@dataclass(frozen=True)
class Underway:
    """Rows of a slice that are worked on: their places in it, and their stamps there."""

    number: Number
    first: int
    places: np.ndarray
    stamps: Sequence

    @staticmethod
    def of(share: Share, numbering: Numbering) -> Underway:
        places = np.concatenate([own.places for own, _ in share.runs])
        stamps, _ = merged_order([flow.rows for _, flow in share.runs])
        first = numbering.first(share.number, int(places.max()) + 1)
        return Underway(share.number, first, np.sort(places), stamps)

    @property
    def until(self) -> int:
        return self.first + int(self.places[-1]) + 1

    def left(self, runs: Sequence[Run], queue: str) -> Piece:
        """The outputs of some runs, with the stamps of the rows that caused them."""
        flows = [Flow(self.stamped(np.asarray(run.stamps, np.int64) - self.first), run.items)
                 for run in runs]
        return Piece(self.number, {queue: merged(flows)} if flows else {})

    def stamped(self, rows: np.ndarray) -> Sequence:
        return taken(self.stamps, np.searchsorted(self.places, rows))


def in_gang(program: Program, stage: Stage, groups: Iterable[tuple]) -> Iterator[Piece]:
    """The pieces that this task gives, for its elements slice by slice."""
    from pyspark import BarrierTaskContext

    context, gang = BarrierTaskContext.get(), program.gangs[stage.index]
    host = context.getTaskInfos()[context.partitionId()].address.rpartition(":")[0]
    # What is left of an earlier attempt is a stranger.
    token = gang.token + b"%d" % context.attemptNumber()
    post = Post(connections(context.partitionId(), host, token, context.allGather))
    try:
        yield from Task(program, stage, context.partitionId(), post).run(groups)
    except Gone as error:
        raise RunError(f"a gang of tasks has broken off: {error}") from None
    finally:
        post.close()


class Task:
    """The life of a task; the one with the root has also what the stage remembers."""

    def __init__(self, program: Program, stage: Stage, number: int, post: Post):
        self.program, self.stage = program, stage
        self.numbering = Numbering(program.layout.firsts[0][0])
        self.position = program.graph.position(stage.operators[0])
        self.make = partial(line_of, program.graph, stage, program.kernels)
        gang, self.keyed = program.gangs[stage.index], bool(stage.operators[0].kind.by)
        functions = program_of(stage.operators[0].kind, gang.split)
        self.updates = {n: LineUpdates(self.make(), self.keyed)
                        for n, host in enumerate(gang.hosts) if host == number}
        self.member = Member(gang, number, functions, self.updates, post)
        self.lanes = [(n, lane) for n, node in enumerate(gang.tree.nodes())
                      if n in self.updates for lane in sorted(set(node.lanes.values()), key=str)]
        self.underway: deque[Underway] = deque()
        self.final: Piece | None = None
        self.rows_in = self.rows_out = 0
        self.began = time.time()
        if self.member.has_root:
            self.line = program.states.opened(stage, 0, self.make)
            self.member.begin(line_state(self.line, self.keyed) or functions.start())

    def run(self, groups: Iterable[tuple]) -> Iterator[Piece]:
        member, coming = self.member, shares(groups, self.numbering)
        while not member.ended:
            member.hear(wait=False)
            if member.urgent:
                member.step()
            elif len(self.underway) < AHEAD and (share := next(coming, None)) is not None:
                yield from self._read(share)
            elif member.events:
                member.step()
            elif not member.ended:
                member.hear(wait=True)
            yield from self._complete()
        yield from self._rest()

    def _read(self, share: Share) -> Iterator[Piece]:
        self.final = share.final or self.final
        if share.runs:
            self.underway.append(Underway.of(share, self.numbering))
        first, found = self.numbering.first(share.number), {}
        for own, flow in share.runs:
            stamps = first + own.places
            in_columns = isinstance(flow.items, Columns)
            found[own.lane] = Run(stamps if in_columns else stamps.tolist(), flow.items)
        self.member.give([(worker, Events(lane, found.get(lane, NOTHING), share.until))
                          for worker, lane in self.lanes])
        return iter(share.passing)

    def _complete(self) -> Iterator[Piece]:
        """Slices of which nothing is missing here."""
        while self.underway and self.underway[0].until <= self.member.collector.complete:
            yield self._left(self.underway.popleft())

    def _left(self, one: Underway) -> Piece:
        piece = one.left(self.member.collector.taken(one.until), self.stage.outputs[0])
        self.rows_in += len(one.places)
        self.rows_out += sum(len(flow.items) for flow in piece.flows.values())
        return piece

    def _rest(self) -> Iterator[Piece]:
        """What is left at the end: after a failure, what stands before it."""
        failed = min(self.member.collector.failures, key=lambda f: f.stamp, default=None)
        if failed is not None:
            yield self._failed(failed)
        yield from map(self._left, self.underway)
        if self.member.has_root and not self.member.fails:
            yield from self._remembered()
        yield Piece((LAST, LAST), {}, measured=(self._measured(),))

    def _failed(self, failed: Failed) -> Piece:
        number, row = self.numbering.number_of(failed.stamp), row_of(failed.stamp)
        own = next((one for one in self.underway if one.number == number), None)
        if own is not None and row in own.places:
            stamp = own.stamped(np.array([row]))[0]
            failures = dated([Failure((self.position, stamp), failed.error)])
        else:
            # A fork or a join: no row of this task.
            failures = [Failure((row, self.position, 0), failed.error)]
        return Piece(number, {}, failures=tuple(failures))

    def _remembered(self) -> Iterator[Piece]:
        """What the stage emits at the end, if this is the end; its state is kept."""
        state = self.member.state if self.keyed else {None: self.member.state}
        self.line.adopt([([state], None)])
        if self.final is not None:
            outcome = self.line.finish(self.final.number, self.final.final)
            yield self.final.with_flows(dict(zip(self.stage.outputs, outcome.outputs)),
                                        dated(outcome.failures, at_end=True))
        self.program.states.closed(self.stage, 0, self.line)

    def _measured(self) -> Measured:
        lines = [updates.line for updates in self.updates.values()]
        fast = sum(n for line in lines for tier, n in getattr(line, "done", {}).items()
                   if tier != "rows")
        seconds = sum(worker.seconds for worker in self.member.workers.values())
        return Measured(self.stage.index, self.rows_in, self.rows_out, seconds, fast,
                        began=self.began, ended=time.time())
