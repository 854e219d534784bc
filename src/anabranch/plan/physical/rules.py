"""The ordered rules by which a logical plan becomes the stages of a physical plan.

    form_stages        regions, lines, and sets of operators that must run together
    choose_tiers       a kernel, columns or rows for each, and why not faster
    keep_keys_whole    keys of compiled updates that nobody splits go by buckets
    cut                operators without a kernel leave those with one
    fuse               kernels that follow each other become one
    split_hot_keys     windows of keys that come too often are computed in parts
    deal_rows          rows of kernels with several buckets are told apart by any worker
    make_texts         text for the sinks is made by any worker
    part_sinks         sinks that gave up order are written as work finishes
    keep_order         each stage gets the strategy that the joints name

Each takes a draft and gives a new one; what a rule decides no engine decides again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from anabranch.core.once import once
from anabranch.ir.graph import Graph
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.physical.cost import Prospect, prospect
from anabranch.plan.physical.cut import cut_stages
from anabranch.plan.physical.ends import ONE_BY_ONE, Form, readings
from anabranch.plan.physical.fuse import fused, in_one_kernel
from anabranch.plan.physical.hot_keys import split, why_not_split
from anabranch.plan.physical.order import with_orderings, with_own_sinks
from anabranch.plan.physical.stages import Sharing, Stage, formed
from anabranch.plan.physical.steps import is_worth_sharing, with_deals, with_texts
from anabranch.plan.physical.tiers import Tier, tier_here, tiers, unwanted
from anabranch.plan.tuning import Knobs, processes_pay


@dataclass(frozen=True)
class Draft:
    """A physical plan in the making, of a logical plan whose operators are unfused. `ahead` is what
    is known of the rows to come, and `sinks` how each of them is written."""

    plan: Plan
    tuning: Knobs
    ahead: Prospect
    sinks: Mapping[str, Form]
    graph: Graph
    stages: tuple[Stage, ...] = ()
    tiers: Mapping[int, Tier] = field(default_factory=dict)

    @once
    def rows_alone(self) -> Reason | None:
        """Why no kernel is wanted from the beginning, if none is."""
        return unwanted(self.graph, self.tuning.kernels, self.ahead)

    @property
    def several_buckets(self) -> bool:
        """Whether kernels were asked to keep their keys apart; then they stay apart themselves."""
        return (self.tuning.kernel_buckets or 1) > 1

    def shares(self, tier: Tier) -> bool:
        """Whether what is done for a row without loops is worth sharing by keys."""
        return is_worth_sharing(tier, self.tuning)

    def by_number(self, stage: Stage) -> bool:
        """Whether a stage needs its slices in order whatever its operators see: buckets change
        hands between two slices, and what shares a state or a loop takes turns by them."""
        tier = self.tiers.get(stage.index)
        moves = stage.sharing is Sharing.BUCKETS and in_processes(stage, tier, self.tuning)
        together = stage.sharing is Sharing.TOGETHER and not stage.is_sink
        return moves or together or stage.sharing is Sharing.PLAN

    def with_stages(self, stages: object, tiers: Mapping[int, Tier]) -> Draft:
        return replace(self, stages=tuple(stages), tiers=tiers)


def form_stages(draft: Draft) -> Draft:
    return replace(draft, stages=tuple(formed(draft.plan)))


def choose_tiers(draft: Draft) -> Draft:
    """As most programs are one line with one kernel, that is asked for before that of each."""
    if not (draft.several_buckets or draft.rows_alone):
        whole = in_one_kernel(draft.graph, draft.stages, draft.shares)
        if whole is not None:
            return draft.with_stages(*whole)
    return replace(draft, tiers=tiers(draft.graph, draft.stages, draft.rows_alone, tier_here))


def keep_keys_whole(draft: Draft) -> Draft:
    """No plan splits the keys of most compiled updates: to take columns apart by keys takes longer,
    if they have no loops."""
    return replace(draft, stages=tuple(
        replace(stage, sharing=Sharing.BUCKETS) if _stays_whole(draft, stage) else stage
        for stage in draft.stages))


def _stays_whole(draft: Draft, stage: Stage) -> bool:
    tier = draft.tiers.get(stage.index)
    if stage.sharing is not Sharing.PLAN or not stage.keys or tier is None or tier.kernel is None:
        return False
    return not tier.has_loops or why_not_split(draft.graph, stage) is not None


def cut(draft: Draft) -> Draft:
    if draft.several_buckets or draft.rows_alone:
        return draft
    return draft.with_stages(*cut_stages(draft.graph, draft.stages, draft.tiers,
                                         draft.plan.fusions))


def fuse(draft: Draft) -> Draft:
    if draft.several_buckets or draft.rows_alone:
        return draft
    return draft.with_stages(*fused(draft.graph, draft.stages, draft.tiers, draft.shares))


def split_hot_keys(draft: Draft) -> Draft:
    tuning = draft.tuning
    if tuning.workers == 1 or tuning.processes == "never" or not processes_pay():
        return draft
    graph, stages, found = split(draft.graph, draft.stages, draft.tiers, tuning.workers)
    return replace(draft, graph=graph, stages=tuple(stages), tiers=found)


def deal_rows(draft: Draft) -> Draft:
    graph, stages, found = with_deals(draft.graph, draft.stages, draft.tiers, draft.tuning)
    return replace(draft, graph=graph, stages=tuple(stages), tiers=found)


def merge_rows(draft: Draft) -> Draft:
    """What is read row by row is merged row by row."""
    forms = readings(draft.graph)
    in_rows = {op.outputs[0]: op.name for op in draft.graph.sources
               if op.kind.spec is not None and forms[op.name] is Form.ROWS}
    found = dict(draft.tiers)
    for stage in draft.stages:
        name = next((in_rows[queue] for queue in stage.inputs if queue in in_rows), None)
        if stage.index in found and found[stage.index].merges and name is not None:
            found[stage.index] = Tier(None, Reason(f"{name}, which it merges, is read row by row",
                                                   stage.operators[0].span))
    return replace(draft, tiers=found)


def make_texts(draft: Draft) -> Draft:
    if not all(op.is_sink for op in draft.stages[-1].operators):
        return draft
    return replace(draft, stages=tuple(with_texts(
        draft.stages, lambda op: draft.sinks.get(op.name) is Form.TEXT)))


def part_sinks(draft: Draft) -> Draft:
    return replace(draft, stages=tuple(with_own_sinks(draft.stages)))


def keep_order(draft: Draft) -> Draft:
    return replace(draft, stages=tuple(with_orderings(
        draft.plan, draft.graph, draft.stages, draft.by_number)))


STAGE_RULES: tuple[Callable[[Draft], Draft], ...] = (
    form_stages, choose_tiers, keep_keys_whole, cut, fuse, split_hot_keys, deal_rows, merge_rows,
    make_texts, part_sinks, keep_order)


def in_processes(stage: Stage, tier: Tier | None, tuning: Knobs) -> bool:
    """Whether worker processes may serve the stage: rows hold the interpreter's lock."""
    parallel = stage.sharing in (Sharing.ANY, Sharing.BUCKETS) and not (tier and tier.kernel)
    wanted = tuning.processes != "never" and tuning.workers > 1 and not stage.is_step
    return parallel and wanted and processes_pay()


def drafted(plan: Plan, tuning: Knobs, ahead: Prospect | None = None,
            sinks: Mapping[str, Form] = ONE_BY_ONE) -> Draft:
    """The draft that all rules give of a plan whose operators are unfused."""
    draft = Draft(plan, tuning, ahead or prospect(plan.graph), sinks, plan.graph)
    for rule in STAGE_RULES:
        draft = rule(draft)
    return draft
