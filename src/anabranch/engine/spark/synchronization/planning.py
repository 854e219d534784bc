"""Which synchronized stages have a gang, and of how many tasks.

The driver decides it from the first events of the stage, when what stands before it is at work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from anabranch.engine.multicore.stages import Stage
from anabranch.engine.multicore.synchronization.tagging import keyed_tagging, tagging
from anabranch.engine.spark.keys import bucket_of_key
from anabranch.engine.spark.segments import Route, with_gangs
from anabranch.engine.spark.synchronization.gang import Gang, leaves
from anabranch.engine.spark.synchronization.sample import Sample, sampled
from anabranch.ir.synchronized import Synchronized
from anabranch.sync.keyed import BUCKETS_PER_WORKER, KeyedProgram, hot_keys
from anabranch.sync.optimizers import Costs
from anabranch.sync.planning import plan_for, problem_of
from anabranch.sync.program import Program as Functions
from anabranch.sync.routing import Tagged

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

    from anabranch.engine.spark.tasks import Program

START = 1.5
"""So many seconds a gang takes to start: its tasks begin together, and exchange their addresses."""

DEAR = 1e-3
"""The seconds of an update for which a gang is always better."""


class Planner:
    """Decides once for each stage. `wanted` says whether gangs are used: where it pays, always, or
    never; so many `rows` are known to come."""

    def __init__(self, wanted: str = "auto", rows: int = 0):
        self.wanted, self.rows = wanted, rows
        self.known: dict[int, Gang | None] = {}

    def planned(self, context: SparkContext, program: Program, index: int, rdd: RDD, elements: int
                ) -> Program:
        """The program, with the gang of the stage behind segment `index` if it has one. The RDD
        has the input of that segment, which came from so many elements."""
        coming = program.segments[index + 1:index + 2]
        if not coming or coming[0].route is not Route.PLAN:
            return program
        stage = coming[0].stages[0]
        if stage.index not in self.known:
            self.known[stage.index] = self._gang(context, program, index, rdd, elements)
        gang = self.known[stage.index]
        gangs = (program.gangs or {}) | ({stage.index: gang} if gang else {})
        later = {s.index for segment in program.segments[index + 2:] for s in segment.stages}
        return program._replace(gangs=gangs, segments=with_gangs(
            program.segments, gangs.keys() | later, fixed=index + 1))

    def _gang(self, context: SparkContext, program: Program, index: int, rdd: RDD, elements: int
              ) -> Gang | None:
        if context.defaultParallelism < 2 or self.wanted == "never":
            return None
        stage = program.segments[index + 1].stages[0]
        native = stage.index in (program.kernels or {})
        tagged = tagging(program.graph, stage.operators[0], native)
        sample = sampled(program, index, stage, tagged, rdd)
        # Now that something has run, the executors are there.
        return self._of_sample(stage, sample, tagged, slots_of(context), elements)

    def _of_sample(self, stage: Stage, sample: Sample,
                   tagged: Callable[[Sequence[object]], Tagged], slots: int, elements: int
                   ) -> Gang | None:
        functions = _functions(stage.operators[0].kind, sample, slots)
        update = DEAR if self.wanted == "always" else sample.update
        problem = problem_of(functions, sample.seen, slots,
                             Costs(update=update) if update else Costs())
        plan = plan_for(functions, sample.seen, slots, problem.costs)
        gained = _without(functions, sample, slots) - 1 / max(1.0, plan.speedup(problem))
        # An element is at least one slice.
        rows = max(self.rows, sample.rows / max(1, sample.slices) * elements)
        pays = gained * rows * sample.update > START
        tasks = min(slots, leaves(plan.tree))
        # Without keys that come often buckets of keys do as well.
        if tasks < 2 or (functions.split and not functions.hot) or not (
                pays or self.wanted == "always"):
            return None
        return Gang(plan.tree, tasks, keyed_tagging(functions) if functions.split else tagged,
                    split=functions.split)


def _functions(kind: Synchronized, sample: Sample, slots: int) -> Functions | KeyedProgram:
    if not kind.by:
        return Functions(kind)
    return KeyedProgram(kind, hot_keys(sample.seen, slots), BUCKETS_PER_WORKER * slots,
                        bucket_of_key)


def _without(functions: Functions, sample: Sample, slots: int) -> float:
    """Which part of the work the busiest task has when there is no gang."""
    if not functions.split:
        return 1.0
    by_key: Counter = Counter()
    for (key, _), count in sample.seen.items():
        by_key[key] += count
    return max(1 / slots, max(by_key.values(), default=0) / max(1, by_key.total()))


def slots_of(context: SparkContext) -> int:
    """How many tasks run at the same time, for sure; one at least."""
    if context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true":
        # Spark runs no barrier tasks then.
        return 1
    scala = context._jsc.sc()
    profile = scala.resourceProfileManager().defaultResourceProfile()
    return max(1, scala.maxNumConcurrentTasks(profile))
