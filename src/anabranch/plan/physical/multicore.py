"""The plan of the multicore engine: stages, who serves each, and what keeps order.

It follows from the logical plan, the tuning of the run, and what is known of the rows to come. The
engine executes it; `explain` prints it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anabranch.batch.buckets import Route
from anabranch.batch.items import has_columns
from anabranch.batch.packs import MOST_BUCKETS
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import Type
from anabranch.plan.logical.plan import Ordering, Plan
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical.bonds import led
from anabranch.plan.physical.columns import columns_shown, columns_wanted
from anabranch.plan.physical.cost import Prospect, prospect
from anabranch.plan.physical.cut import LINES
from anabranch.plan.physical.ends import (
    AS_THEY_COME,
    NOT_PLAIN,
    ONE_BY_ONE,
    Form,
    few_at_a_time,
    in_threads,
    readings,
    unless,
)
from anabranch.plan.physical.hot_keys import InParts, hot_keys_told
from anabranch.plan.physical.order import TOLD, overtakes, waits
from anabranch.plan.physical.plan import Execution, StageTier, overall
from anabranch.plan.physical.rounds import computed_ahead, overlapping
from anabranch.plan.physical.rules import drafted, in_processes
from anabranch.plan.physical.stages import Sharing, Stage
from anabranch.plan.physical.steps import buckets_of_kernel, is_deal
from anabranch.plan.physical.tiers import Tier, tier_here, with_forms_chosen
from anabranch.plan.tuning import Knobs, coders, costs

if TYPE_CHECKING:
    from anabranch.kernels import Kernel

BY_A_PLAN = {None: "in one place, or by the workers of a synchronization plan where that pays",
             False: "in one place", True: "by the workers of a synchronization plan"}

Output = tuple[int, int]
"""A stage and the number of one of its outputs."""


def multicore_plan(plan: Plan, tuning: Knobs, limit: int | None = None,
                   sinks: Mapping[str, Form] = ONE_BY_ONE) -> MulticorePlan:
    """How the engine runs a plan whose ends are bound, for at most `limit` source tuples."""
    plan = with_forms_chosen(plan, tuning.kernels)
    logical = unfused(plan)
    ahead = prospect(logical.graph, limit)
    draft = drafted(logical, tuning, ahead, sinks)
    seen = {op.name: source.name for source, op in led(logical.graph, logical.facts)}
    return MulticorePlan(plan, logical, draft.graph, draft.stages, dict(draft.tiers), tuning, ahead,
                         sinks, seen)


@dataclass(frozen=True)
class MulticorePlan:
    """The stages of a run in their order, each behind those that feed it, with their tiers.

    `logical` is the `plan` with its operators unfused; the `graph` has operators of the engine's
    own as well, which split hot keys or make text. `sinks` says how each sink is written.
    """

    plan: Plan
    logical: Plan
    graph: Graph
    stages: tuple[Stage, ...]
    tiers: dict[int, Tier]
    tuning: Knobs
    ahead: Prospect
    sinks: Mapping[str, Form]
    in_step: Mapping[str, str] = field(default_factory=dict)
    """The operators that see what a source changes, which is not read ahead then, by its name."""

    def kernel(self, stage: Stage) -> Kernel | None:
        return self.tiers[stage.index].kernel if stage.index in self.tiers else None

    def buckets(self, stage: Stage) -> int:
        """How many buckets a stage has."""
        if stage.sharing is not Sharing.BUCKETS:
            return 1
        if self.kernel(stage) is not None:
            return buckets_of_kernel(stage, self.tiers[stage.index], self.tuning)
        if self.tuning.workers == 1:
            return 1
        if self.tuning.queue == "partitioned" and not self.in_processes(stage):
            return self.tuning.workers
        return min(self.tuning.workers * costs().buckets_per_worker, MOST_BUCKETS)

    def in_processes(self, stage: Stage) -> bool:
        return in_processes(stage, self.tiers.get(stage.index), self.tuning)

    def is_divided(self, stage: Stage) -> bool:
        """Whether every slice of the stage goes to all processes, each with its buckets."""
        return stage.sharing is Sharing.BUCKETS and self.in_processes(stage)

    def is_shared_out(self, stage: Stage) -> bool:
        """Whether all workers have a part in every slice of the stage."""
        in_kernels = self.kernel(stage) is not None and self.buckets(stage) > 1
        return in_kernels or self.is_divided(stage) or (stage.sharing is Sharing.PLAN and (
            self.tuning.processes != "never"))

    @property
    def is_light(self) -> bool:
        """Whether rows in columns take nanoseconds wherever they come: that need not be tried."""
        return all(map(self._is_light, self.stages))

    def _is_light(self, stage: Stage) -> bool:
        if stage.is_sink:
            # Operators that meet a sink outside of the graph are in its stage.
            return all(op.is_sink and self._takes_columns(op) for op in stage.operators)
        tier = self.tiers.get(stage.index)
        return stage.is_step or (stage.sharing in LINES and tier is not None
                                  and tier.name != "rows"
                                  and not (tier.has_loops or tier.in_form))

    @property
    def slices_under_way(self) -> int:
        """How many slices may be under way. Few are enough where all workers have a part in each;
        a bucket that moves then reaches its new owner soon, and less memory is held."""
        if self.in_step:
            return 1
        if self.tuning.slices_under_way or not self.each_slice_is_shared_out:
            return self.tuning.bound
        return min(self.tuning.bound, 2 + 4 * len(self._shared))

    @property
    def each_slice_is_shared_out(self) -> bool:
        """Whether all workers have a part in every slice of every stage that several serve."""
        return bool(self._shared) and all(map(self.is_shared_out, self._shared))

    @property
    def _shared(self) -> list[Stage]:
        return [stage for stage in self.stages if stage.sharing in (Sharing.ANY, Sharing.BUCKETS)
                and not stage.is_step]

    @property
    def keyed(self) -> list[Stage]:
        """The stages that are shared by buckets of keys."""
        return [stage for stage in self.stages if stage.sharing is Sharing.BUCKETS]

    def route(self, stage: Stage) -> Route:
        return Route(stage.index, stage.keys, self.buckets(stage))

    @property
    def unordered(self) -> frozenset[str]:
        """The sinks that are written as work finishes."""
        return frozenset(op.name for stage in self.stages if stage.is_sink
                         and stage.ordering is Ordering.NONE for op in stage.operators)

    @property
    def overtaking(self) -> bool:
        """Whether some slices may leave before others that came earlier."""
        return waits(self.stages)

    def ordering(self, stage: Stage) -> Ordering | None:
        """What puts slices back in order behind a stage, if they may get out of it there."""
        return stage.ordering if overtakes(stage, self.tuning.workers, self.buckets(stage)) \
            else None

    def following(self, stage: Stage) -> dict[int, Stage]:
        """By output, the stages for whose processes it is divided where it is made."""
        if not self.in_processes(stage):
            return {}
        return {output: readers[0] for output, queue in enumerate(stage.outputs)
                if (readers := [s for s in self.stages
                                if self.is_divided(s) and s.inputs == (queue,)])}

    def inherited(self) -> list[str]:
        """The sources whose lists processes are given by place, each row to one of them: a process
        that looks at a row copies it."""
        return [op.name for op in self.graph.sources if any(
            op.outputs[0] in stage.inputs and stage.sharing is Sharing.ANY
            and self.in_processes(stage) for stage in self.stages)]

    def routes(self) -> dict[Output, Route]:
        """The way of all outputs that are divided where they are made."""
        return {(stage.index, output): self.route(divided) for stage in self.stages
                for output, divided in self.following(stage).items()}

    def columns(self) -> dict[Output, Type]:
        """The types of the outputs of processes that are read here, in columns."""
        return {(stage.index, output): kind for stage in self.stages if self.in_processes(stage)
                for output, queue in enumerate(stage.outputs)
                if has_columns(kind := self.graph.queue(queue).type) and self._read_so(queue)}

    def _read_so(self, queue: str) -> bool:
        readers = [s for s in self.stages if queue in s.inputs]
        return all(s.is_step or self.kernel(s) is not None or self._writes_columns(s, queue)
                   for s in readers)

    def _writes_columns(self, stage: Stage, queue: str) -> bool:
        return all(op.is_sink and self._takes_columns(op) for op in stage.operators
                   if queue in op.inputs)

    def _takes_columns(self, sink: Operator) -> bool:
        return self.sinks.get(sink.name, Form.ROWS) is not Form.ROWS

    def work(self, stage: Stage, elsewhere: bool | None = None) -> str:
        """Who serves a stage, or did, there or `elsewhere`, and what keeps the order of what leaves
        it."""
        workers = self.tuning.workers
        if stage.sharing is Sharing.TOGETHER:
            return self._written(stage) if stage.is_sink else "one source tuple after another"
        if stage.sharing is Sharing.PLAN:
            return f"{BY_A_PLAN[elsewhere]}; events are put in order by their numbers"
        if workers == 1 or stage.sharing is Sharing.ONE:
            return "one worker at a time, slice after slice"
        place = self._place(stage, elsewhere)
        if stage.sharing is Sharing.ANY:
            dealt = "rows are dealt to buckets of keys " if is_deal(stage) else ""
            return f"{dealt}by {place}; {TOLD[stage.ordering]}"
        if self.buckets(stage) == 1:
            return "one worker at a time, all keys in one place, slice after slice"
        return (f"in {self.buckets(stage)} buckets of keys by {place}; rows are put back by their "
                f"places; {TOLD[stage.ordering]}")

    def _place(self, stage: Stage, elsewhere: bool | None) -> str:
        workers = self.tuning.workers
        if not self.in_processes(stage) or elsewhere is False:
            return f"{workers} threads"
        if elsewhere or self.tuning.processes == "always":
            travels = all(has_columns(self.graph.queue(queue).type) for queue in stage.inputs)
            return f"{workers} processes" + ("" if travels else ", what cannot travel by threads")
        return f"{workers} processes where that pays, else by threads"

    def _written(self, stage: Stage) -> str:
        return "in order" if stage.ordering is not Ordering.NONE else "as work finishes"


def execution(physical: MulticorePlan) -> Execution:
    """The plan in the words of `explain` and `--stats`."""
    wanted = columns_wanted(physical.graph, physical.stages, physical.tiers)
    stages = tuple(_stage_shown(physical, physical.stages[index], tier, wanted)
                   for index, tier in physical.tiers.items())
    graph, workers = physical.graph, physical.tuning.workers
    forms = readings(graph)
    reads = {op: forms[op.name] for op in graph.sources}
    writes = {op: physical.sinks.get(op.name, Form.ROWS) for op in graph.sinks}
    return Execution("multicore", overall(stage.tier for stage in stages), stages,
                     reads={op.name: unless(form, NOT_PLAIN) for op, form in reads.items()},
                     writes={op.name: unless(form, few_at_a_time() if form is Form.TEXT
                                             else AS_THEY_COME) for op, form in writes.items()},
                     threads={op.name: coders(workers) for op, form in {**reads, **writes}.items()
                              if workers > 1 and in_threads(op, form)},
                     unordered=physical.unordered)


def _stage_shown(physical: MulticorePlan, stage: Stage, tier: Tier, wanted: dict) -> StageTier:
    graph, logical = physical.graph, physical.logical
    told, names = _told(graph, stage, tier), tuple(op.name for op in stage.operators)
    return StageTier(names, tier.name, told.reason, "; ".join(
        filter(None, (_meanwhile(physical, tier), logical.fused_in(names),
                      columns_shown(graph, stage, wanted),
                      _ahead(logical, stage), _in_step(physical, stage),
                      _in_turns(logical, stage), hot_keys_told(graph, stage, told)))),
        physical.work(stage))


def _meanwhile(physical: MulticorePlan, tier: Tier) -> str:
    """What runs while a kernel is compiled or loaded, for which nobody waits long."""
    comes = tier.kernel is not None and physical.tuning.kernels == "where it pays"
    return "row by row until its kernel is ready, and where rows fit into no columns" \
        if comes else ""


def _told(graph: Graph, stage: Stage, tier: Tier) -> Tier:
    """The tier, with the reason that would hold for any number of rows, where there is one."""
    if tier.name != "rows" or isinstance(stage.operators[0].kind, InParts):
        return tier
    whatever_comes = tier_here(graph, stage)
    return whatever_comes if whatever_comes.name == "rows" else tier


def _ahead(plan: Plan, stage: Stage) -> str:
    """Which operators of a loop need not wait for their turn."""
    names = [op.name for op in computed_ahead(plan, stage)]
    return f"computed ahead in processes where it pays: {', '.join(names)}" if names else ""


def _in_step(physical: MulticorePlan, stage: Stage) -> str:
    """Whether its tuples come one by one, because of what it sees."""
    sources = dict.fromkeys(physical.in_step[op.name] for op in stage.operators
                            if op.name in physical.in_step)
    return "".join(f"{source} is read when this has been done, as it changes what is seen here"
                   for source in sources)


def _in_turns(plan: Plan, stage: Stage) -> str:
    """Which operators that share variables with others need not wait for each other."""
    pairs = [f"{one.name} and {other.name}" for one, other in overlapping(plan, stage)]
    return f"at the same time where they wait: {', '.join(pairs)}" if pairs else ""


def stages_always_compiled(physical: MulticorePlan) -> MulticorePlan:
    """The same run, if kernels were wanted whatever they cost."""
    draft = drafted(physical.logical, replace(physical.tuning, kernels="always"), physical.ahead)
    return replace(physical, graph=draft.graph, stages=draft.stages, tiers=dict(draft.tiers))
