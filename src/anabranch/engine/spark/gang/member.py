"""A task of a gang at work: its share of every slice in, pieces of slices out.

It has some of the workers, and its part in how the gang ends: well when the root has the state
behind all events, and badly when it is certain which event fails first. Then all tasks work off
what stands before that event, and nothing else.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from anabranch.batch.items import Columns
from anabranch.batch.slices import Failure, Flow
from anabranch.core.errors import RunError
from anabranch.engine.spark.gang.connections import GangMessages, Gone, connections
from anabranch.engine.spark.gang.exchange import Gang, Numbering, TaskShare, row_of, shares
from anabranch.engine.spark.job.lines import TaskMeasurement, line_of
from anabranch.engine.spark.job.pieces import LAST, Number, SlicePiece, dated, merged
from anabranch.engine.spark.job.stamps import merged_order, taken
from anabranch.plan.physical.stages import Stage
from anabranch.plan.sync.program import Program, program_of
from anabranch.runtime.gang.messages import END, NEVER, NOTHING, Ask, Done, Down, Events, Run, Up
from anabranch.runtime.gang.outputs import Collector
from anabranch.runtime.gang.routing import ROOT
from anabranch.runtime.gang.updates import Failed, LineUpdates, Updates, line_state
from anabranch.runtime.gang.worker import ENGINE, Sent, workers_of

if TYPE_CHECKING:
    from anabranch.engine.spark.job.tasks import TaskProgram


AHEAD = 4
"""So many slices are read before the first of them is done: those with others below them let the
others go on as far as they have read themselves."""


@dataclass(frozen=True)
class PendingSlice:
    """Rows of a slice that are worked on: their places in it, and their stamps there."""

    number: Number
    first: int
    places: np.ndarray
    stamps: Sequence

    @staticmethod
    def of(share: TaskShare, numbering: Numbering) -> PendingSlice:
        places = np.concatenate([own.places for own, _ in share.runs])
        stamps, _ = merged_order([flow.rows for _, flow in share.runs])
        first = numbering.first(share.number, int(places.max()) + 1)
        return PendingSlice(share.number, first, np.sort(places), stamps)

    @property
    def until(self) -> int:
        return self.first + int(self.places[-1]) + 1

    def left(self, runs: Sequence[Run], queue: str) -> SlicePiece:
        """The outputs of some runs, with the stamps of the rows that caused them."""
        flows = [Flow(self.stamped(np.asarray(run.stamps, np.int64) - self.first), run.items)
                 for run in runs]
        return SlicePiece(self.number, {queue: merged(flows)} if flows else {})

    def stamped(self, rows: np.ndarray) -> Sequence:
        return taken(self.stamps, np.searchsorted(self.places, rows))


def in_gang(program: TaskProgram, stage: Stage, groups: Iterable[tuple]) -> Iterator[SlicePiece]:
    """The pieces that this task gives, for its elements slice by slice."""
    from pyspark import BarrierTaskContext

    context, gang = BarrierTaskContext.get(), program.gangs[stage.index]
    host = context.getTaskInfos()[context.partitionId()].address.rpartition(":")[0]
    # What is left of an earlier attempt is a stranger.
    token = gang.token + b"%d" % context.attemptNumber()
    post = GangMessages(connections(context.partitionId(), host, token, context.allGather))
    try:
        yield from GangTask(program, stage, context.partitionId(), post).run(groups)
    except Gone as error:
        raise RunError(f"a gang of tasks has broken off: {error}") from None
    finally:
        post.close()


class GangTask:
    """The life of a task; the one with the root has also what the stage remembers."""

    def __init__(self, program: TaskProgram, stage: Stage, number: int, post: GangMessages):
        self.program, self.stage = program, stage
        self.numbering = Numbering(program.layout.firsts[0][0])
        self.position = program.graph.position(stage.operators[0])
        self.make = partial(line_of, program.graph, stage, program.kernels)
        gang, self.keyed = program.gangs[stage.index], bool(stage.operators[0].kind.by)
        functions = program_of(stage.operators[0].kind, gang.split)
        self.updates = {n: LineUpdates(self.make(), self.keyed)
                        for n, host in enumerate(gang.hosts) if host == number}
        self.member = GangMember(gang, number, functions, self.updates, post)
        self.lanes = [(n, lane) for n, node in enumerate(gang.tree.nodes())
                      if n in self.updates for lane in sorted(set(node.lanes.values()), key=str)]
        self.underway: deque[PendingSlice] = deque()
        self.final: SlicePiece | None = None
        self.rows_in = self.rows_out = 0
        self.began = time.time()
        if self.member.has_root:
            self.line = program.states.opened(stage, 0, self.make)
            self.member.begin(line_state(self.line, self.keyed) or functions.start())

    def run(self, groups: Iterable[tuple]) -> Iterator[SlicePiece]:
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

    def _read(self, share: TaskShare) -> Iterator[SlicePiece]:
        self.final = share.final or self.final
        if share.runs:
            self.underway.append(PendingSlice.of(share, self.numbering))
        first, found = self.numbering.first(share.number), {}
        for own, flow in share.runs:
            stamps = first + own.places
            in_columns = isinstance(flow.items, Columns)
            found[own.lane] = Run(stamps if in_columns else stamps.tolist(), flow.items)
        self.member.give([(worker, Events(lane, found.get(lane, NOTHING), share.until))
                          for worker, lane in self.lanes])
        return iter(share.passing)

    def _complete(self) -> Iterator[SlicePiece]:
        """Slices of which nothing is missing here."""
        while self.underway and self.underway[0].until <= self.member.collector.complete:
            yield self._left(self.underway.popleft())

    def _left(self, one: PendingSlice) -> SlicePiece:
        piece = one.left(self.member.collector.taken(one.until), self.stage.outputs[0])
        self.rows_in += len(one.places)
        self.rows_out += sum(len(flow.items) for flow in piece.flows.values())
        return piece

    def _rest(self) -> Iterator[SlicePiece]:
        """What is left at the end: after a failure, what stands before it."""
        failed = min(self.member.collector.failures, key=lambda f: f.stamp, default=None)
        if failed is not None:
            yield self._failed(failed)
        yield from map(self._left, self.underway)
        if self.member.has_root and not self.member.fails:
            yield from self._remembered()
        yield SlicePiece((LAST, LAST), {}, measured=(self._measured(),))

    def _failed(self, failed: Failed) -> SlicePiece:
        number, row = self.numbering.number_of(failed.stamp), row_of(failed.stamp)
        own = next((one for one in self.underway if one.number == number), None)
        if own is not None and row in own.places:
            stamp = own.stamped(np.array([row]))[0]
            failures = dated([Failure((self.position, stamp), failed.error)])
        else:
            # A fork or a join: no row of this task.
            failures = [Failure((row, self.position, 0), failed.error)]
        return SlicePiece(number, {}, failures=tuple(failures))

    def _remembered(self) -> Iterator[SlicePiece]:
        """What the stage emits at the end, if this is the end; its state is kept."""
        state = self.member.state if self.keyed else {None: self.member.state}
        self.line.adopt([([state], None)])
        if self.final is not None:
            outcome = self.line.finish(self.final.number, self.final.final)
            yield self.final.with_flows(dict(zip(self.stage.outputs, outcome.outputs)),
                                        dated(outcome.failures, at_end=True))
        self.program.states.closed(self.stage, 0, self.line)

    def _measured(self) -> TaskMeasurement:
        lines = [updates.line for updates in self.updates.values()]
        fast = sum(n for line in lines for tier, n in getattr(line, "done", {}).items()
                   if tier != "rows")
        seconds = sum(worker.seconds for worker in self.member.workers.values())
        return TaskMeasurement(self.stage.index, self.rows_in, self.rows_out, seconds, fast,
                        began=self.began, ended=time.time())


EVERYONE = -2


class News(Enum):
    """What all tasks are told: that some event fails, so that it matters how far everybody is, and
    that nothing more is to be done."""

    FAILS = "fails"
    END = "end"


class GangMember:
    """`updates` has those of the workers of this task, by their numbers."""

    def __init__(self, gang: Gang, task: int, program: Program, updates: Mapping[int, Updates],
                 post: GangMessages):
        self.task, self.hosts, self.post = task, gang.hosts, post
        every = workers_of(program, gang.tree, [updates.get(n) for n in range(len(self.hosts))])
        self.workers = {n: worker for n, worker in enumerate(every) if self.hosts[n] == task}
        self.urgent: deque[Sent] = deque()
        self.events: deque[Sent] = deque()
        self.collector = Collector(len(self.hosts))
        self.collector.until = [0 if host == task else NEVER for host in self.hosts]
        # The root's task hears how far everybody is, when that matters.
        self.everybody = Collector(len(self.hosts))
        self.heard: set[News] = set()
        self.state: object = None

    @property
    def has_root(self) -> bool:
        return self.task == self.hosts[ROOT]

    @property
    def fails(self) -> bool:
        return News.FAILS in self.heard

    @property
    def ended(self) -> bool:
        return News.END in self.heard

    def begin(self, state: object) -> None:
        """Gives the root the state, and asks for it behind all events."""
        self.urgent += [(ROOT, Down(state)), (ROOT, Ask(END))]

    def give(self, events: Sequence[tuple[int, Events]]) -> None:
        """Events for the workers here. A worker with others below lets these go on, wherever they
        are, so it is told first."""
        for to, message in events:
            (self.urgent if self.workers[to].children else self.events).append((to, message))

    def hear(self, wait: bool) -> None:
        """Takes in what the other tasks have sent."""
        while not self.ended and (message := self.post.next(wait)) is not None:
            self._take(*message)
            wait = False

    def step(self) -> None:
        """Hands one message to a worker."""
        to, message = (self.urgent or self.events).popleft()
        for sent in self.workers[to].receive(message):
            self._send(*sent)

    def _send(self, to: int, message: object) -> None:
        if isinstance(message, Done):
            self.collector.add(message)
            if message.failure is not None or self.fails:
                self._report(message._replace(outputs=[]))
        elif to == ENGINE or self.hosts[to] == self.task:
            self._take(to, message)
        else:
            self._post(self.hosts[to], to, message)

    def _post(self, task: int, to: int, message: object) -> None:
        try:
            self.post.send(task, (to, message))
        except RunError as error:
            # Before all events: nothing that follows can be told.
            self._send(ENGINE, Done(min(self.workers), [], 0, Failed(0, error)))

    def _report(self, done: Done) -> None:
        """Tells the root's task how far a worker is."""
        if self.has_root:
            self._take(ENGINE, done)
        else:
            self._post(self.hosts[ROOT], ENGINE, done)

    def _take(self, to: int, message: object) -> None:
        if to == EVERYONE:
            self._hear_news(message)
        elif isinstance(message, Done):
            self._judge(message)
        elif isinstance(message, Up) and to == ENGINE:
            self.state = message.state
            self._hear_news(News.END)
        else:
            self.urgent.append((to, message))

    def _judge(self, done: Done) -> None:
        """The root's task, when a worker says how far it is."""
        self.everybody.add(done)
        self._hear_news(News.FAILS)
        if self.everybody.failure is not None:
            self._hear_news(News.END)

    def _hear_news(self, news: News) -> None:
        if news in self.heard:
            return
        self.heard.add(news)
        # Everybody says so: who then hangs up is not missed.
        self.post.tell_all((EVERYONE, news))
        if news is News.FAILS:
            for number in self.workers:
                self._report(Done(number, [], self.collector.until[number]))
