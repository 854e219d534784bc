"""Which synchronized stages have a gang, of how many tasks, by first events.

The driver decides it when what stands before a stage is at work: a sample says how often each tag
came, and what an update costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from anabranch.batch.slices import Flow
from anabranch.engine.spark.gang.exchange import Gang, leaves
from anabranch.engine.spark.job.buckets import bucket_of_key
from anabranch.engine.spark.job.lines import line_of
from anabranch.engine.spark.job.pickling import dumped, dumped_program, loaded
from anabranch.engine.spark.job.pieces import SlicePiece, entering
from anabranch.engine.spark.session.computation import computed
from anabranch.ir.synchronization import Synchronized
from anabranch.plan.physical.spark.segments import Exchange, with_gangs
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.plan.physical.stages import Stage
from anabranch.plan.sync.optimizers import Costs
from anabranch.plan.sync.planning import plan_for, problem_of
from anabranch.plan.sync.program import KeyedProgram, hot_keys
from anabranch.plan.sync.program import Program as Functions
from anabranch.plan.tuning import costs
from anabranch.runtime.gang.plans import LEARNT
from anabranch.runtime.gang.routing import Tagged
from anabranch.runtime.gang.tagging import counted, keyed_tagging, tagging

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

    from anabranch.engine.spark.job.tasks import TaskProgram


DEAR = 1e-3
"""The seconds of an update for which a gang is always better."""


class Planner:
    """Decides once for each stage whether a gang pays, by the numbers of the plan; so many `rows`
    are known to come."""

    def __init__(self, knobs: SparkKnobs, rows: int = 0):
        self.knobs, self.rows, self.always = knobs, rows, knobs.gangs == "always"
        self.known: dict[int, Gang | None] = {}

    def planned(self, context: SparkContext, program: TaskProgram, index: int, rdd: RDD,
                elements: int) -> TaskProgram:
        """The program, with the gang of the stage behind segment `index` if it has one. The RDD
        has the input of that segment, which came from so many elements."""
        coming = program.segments[index + 1:index + 2]
        if not coming or coming[0].route is not Exchange.PLAN:
            return program
        stage = coming[0].stages[0]
        if stage.index not in self.known:
            self.known[stage.index] = self._gang(context, program, index, rdd, elements)
        gang = self.known[stage.index]
        gangs = (program.gangs or {}) | ({stage.index: gang} if gang else {})
        later = {s.index for segment in program.segments[index + 2:] for s in segment.stages}
        return program._replace(gangs=gangs, segments=with_gangs(
            program.segments, gangs.keys() | later, fixed=index + 1))

    def _gang(self, context: SparkContext, program: TaskProgram, index: int, rdd: RDD, elements: int
              ) -> Gang | None:
        stage = program.segments[index + 1].stages[0]
        native = stage.index in (program.kernels or {})
        tagged = tagging(program.graph, stage.operators[0], native)
        sample = sampled(program, index, stage, tagged, rdd, self.knobs.gang_slices)
        # Now that something has run, the executors are there.
        return self._of_sample(stage, sample, tagged, slots_of(context), elements)

    def _of_sample(self, stage: Stage, sample: TagSample,
                   tagged: Callable[[Sequence[object]], Tagged], slots: int, elements: int
                   ) -> Gang | None:
        functions = _functions(stage.operators[0].kind, sample, slots)
        update = DEAR if self.always else sample.update
        problem = problem_of(functions, sample.seen, slots,
                             Costs(update=update) if update else Costs())
        plan = plan_for(functions, sample.seen, slots, problem.costs)
        gained = _without(functions, sample, slots) - 1 / max(1.0, plan.speedup(problem))
        # An element is at least one slice.
        rows = max(self.rows, sample.rows / max(1, sample.slices) * elements)
        pays = gained * rows * sample.update > self.knobs.gang_start
        tasks = min(slots, leaves(plan.tree))
        # Without keys that come often buckets of keys do as well.
        if tasks < 2 or (functions.split and not functions.hot) or not (
                pays or self.always):
            return None
        return Gang(plan.tree, tasks, keyed_tagging(functions) if functions.split else tagged,
                    split=functions.split)


def _functions(kind: Synchronized, sample: TagSample, slots: int) -> Functions | KeyedProgram:
    if not kind.by:
        return Functions(kind)
    return KeyedProgram(kind, hot_keys(sample.seen, slots), costs().buckets_per_worker * slots,
                        bucket_of_key)


def _without(functions: Functions, sample: TagSample, slots: int) -> float:
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


class TagSample(NamedTuple):
    """How often each tag came in so many rows of so many slices, or each key and tag; and the
    seconds of one update."""

    seen: Counter
    rows: int = 0
    slices: int = 0
    update: float = 0.0


def sampled(program: TaskProgram, index: int, stage: Stage,
            tagged: Callable[[Sequence[object]], Tagged], rdd: RDD, most: int) -> TagSample:
    """The events of the first slices that leave segment `index`, whose input is in the RDD."""
    data = dumped_program((program, index, stage, tagged, most), list(program.graph))
    return loaded(computed(rdd, partial(_look, data), [0])[0])


def _look(data: bytes, elements: Iterable) -> Iterator[bytes]:
    from anabranch.engine.spark.job.tasks import pieces_of

    program, index, stage, tagged, most = loaded(data)
    pieces = pieces_of(program, program.segments[index], elements)
    yield dumped(_looked_at(program, stage, tagged, islice(pieces, most)))


def _looked_at(program: TaskProgram, stage: Stage, tagged: Callable, pieces: Iterable[SlicePiece]
               ) -> TagSample:
    line = line_of(program.graph, stage, program.kernels)
    seen, rows, slices, costs = Counter(), 0, 0, []
    for piece in pieces:
        flow = entering(piece, stage.inputs)
        slices, rows = slices + 1, rows + len(flow.items)
        # The first rows may have waited for a compiler.
        for items in filter(len, (flow.items[:LEARNT // 2], flow.items[LEARNT // 2:LEARNT])):
            seen.update(counted(stage.operators[0].kind, tagged, items))
            outcome = line.run(0, Flow(range(len(items)), items))
            costs.append(outcome.seconds / len(items))
        if seen.total() >= LEARNT:
            break
    return TagSample(seen, rows, slices, min(costs, default=0.0))
