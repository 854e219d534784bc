"""Who serves a stage: one worker, some by buckets, any, processes, or a plan's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from anabranch.batch.failure import ReportLate
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.gangs.gangs import Gangs
from anabranch.engine.multicore.partitioned import Partitioned
from anabranch.engine.multicore.remote.balance import BALANCES
from anabranch.engine.multicore.remote.partitioned import Owned
from anabranch.engine.multicore.remote.stage import Remote, RemoteStateless
from anabranch.engine.multicore.reorder import Merge, merge_of
from anabranch.engine.multicore.service import HandOn, InOrder, Service, Stateless, Together
from anabranch.engine.multicore.waves import Waves
from anabranch.engine.multicore.worklists import QUEUES
from anabranch.plan.logical.plan import Ordering
from anabranch.plan.physical.multicore import MulticorePlan
from anabranch.plan.physical.rounds import overlapping
from anabranch.plan.physical.stages import Sharing, Stage
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.processes.pool import Pool
from anabranch.runtime.stage.ahead import Loops
from anabranch.runtime.stage.rounds import Emission, Rounds
from anabranch.runtime.stage.runners import Runner


@dataclass(frozen=True)
class Services:
    """Makes the services of a run's stages, and keeps the `merges` that put slices back in order.
    """

    physical: MulticorePlan
    emit: Emit
    crew: Crew
    gangs: Gangs
    loops: Loops
    late: ReportLate
    merges: dict[int, Merge] = field(default_factory=dict)

    def of(self, runners: Mapping[int, Runner], pool: Pool | None, stage: Stage, hand_on: HandOn
           ) -> Service:
        """That of a stage, which hands its slices on."""
        if stage.sharing is Sharing.TOGETHER:
            return self._together(stage, hand_on)
        runner = runners[stage.index]
        if stage.sharing is Sharing.PLAN:
            return self.gangs.service(stage, hand_on, self.crew, runner)
        if self.physical.in_processes(stage):
            return self._remote(stage, hand_on, runner, pool)
        return self._here(stage, hand_on, runner)

    def _here(self, stage: Stage, hand_on: HandOn, runner: Runner) -> Service:
        merge = partial(self._merge, stage)
        if self.physical.ordering(stage) is None:
            return InOrder(stage, hand_on, self.crew.measure, runner)
        if stage.sharing is Sharing.ANY:
            return Stateless(stage, hand_on, self.crew.measure, runner, merge)
        return Partitioned(stage, hand_on, self.crew.measure, runner, merge,
                           QUEUES[self.physical.tuning.queue], self.physical.buckets(stage))

    def _remote(self, stage: Stage, hand_on: HandOn, runner: Runner, pool: Pool) -> Remote:
        knobs = self.physical.tuning
        given = (stage, hand_on, self.crew.measure, pool, runner, self.crew.tell,
                 knobs.processes == "always", partial(self._merge, stage))
        if stage.sharing is Sharing.ANY:
            return RemoteStateless(*given)
        balance = BALANCES[knobs.moves](self.physical.buckets(stage), knobs.workers)
        return Owned(*given, self.physical.route(stage), balance)

    def _together(self, stage: Stage, hand_on: HandOn) -> Together:
        last = stage is self.physical.stages[-1]
        # What others need not keep in order is put in order for those who need it.
        wanted = self.physical.overtaking and stage.ordering is not Ordering.NONE
        merge = partial(self._merge, stage) if last and wanted else None
        return Together(stage, hand_on, self.crew.measure, self._rounds(stage), self.emit,
                        self.crew.fail, self.late, last, merge)

    def _merge(self, stage: Stage, hand_on: HandOn) -> Merge:
        merge = merge_of(stage.ordering, hand_on, self.physical.tuning)
        if stage.ordering is not Ordering.NONE:
            self.merges[stage.index] = merge
        return merge

    def _rounds(self, stage: Stage) -> Emission | Rounds | Waves:
        physical, workers = self.physical, self.physical.tuning.workers
        given = physical.graph, stage, self.emit, lambda: self.crew.stopped
        if all(op.is_sink for op in stage.operators):
            return Emission(*given)
        rounds = Rounds(*given)
        rounds.ahead = self.loops.ahead(stage, rounds)
        several = workers > 1 and overlapping(physical.logical, stage)
        return Waves(rounds, workers) if several else rounds
