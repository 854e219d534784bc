"""Forms parallel regions, from the sources on, as long as all safety conditions hold."""

from __future__ import annotations

from dataclasses import replace

from anabranch.analysis.fact import Facts
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.logical.fuse import groups
from anabranch.plan.logical.growth import Growth, own_key
from anabranch.plan.logical.joints import joints_of
from anabranch.plan.logical.machines import machines_of
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.logical.safety import ALL, Context, Extensions, fan_out, obstacle, violated_by

Reasons = dict[str, Reason]


def form(graph: Graph, facts: Facts, extensions: Extensions = ALL) -> Plan:
    """The plan of a graph: its regions, their joints, and why the other operators have none.

    Operators that must be fused but cannot be in one region are taken out, and the regions are
    formed again without them.
    """
    context = Context(graph, facts, extensions)
    sequential = _checked(context)
    grown = _grown(context, sequential)
    while torn := _torn(context, grown, sequential):
        sequential |= torn
        grown = _grown(context, sequential)
    regions, joints = joints_of(context, grown)
    in_order = {op.name: sequential[op.name] for op in graph if op.name in sequential}
    return Plan(graph, facts, regions, joints, in_order, machines_of(graph))


def _checked(context: Context) -> Reasons:
    reasons = ((op.name, obstacle(context, op)) for op in context.graph)
    return {name: reason for name, reason in reasons if reason}


def _grown(context: Context, sequential: Reasons) -> list[Growth]:
    """Every region, left to right: each begins as early and grows as far as it can."""
    grown, taken = [], set(sequential)
    for op in context.graph:
        if op.name not in taken:
            grown.append(_region_at(context, op, sequential))
            taken.update(grown[-1].operators)
    return grown


def _region_at(context: Context, op: Operator, sequential: Reasons) -> Growth:
    region = Growth.at(context, op)
    while True:
        following, ended = _following(context, op, sequential)
        if following is None:
            return replace(region, ended=ended)
        if why := _apart(context, region, following):
            return replace(region, ended=why)
        longer = region.with_operator(context, following)
        if longer is None:
            return replace(region, ended=_foreign_key(context, following))
        region, op = longer, following


def _following(context: Context, op: Operator, sequential: Reasons) -> tuple[Operator | None, str]:
    """The one operator that could be added after `op`, or why there is none."""
    readers = context.graph.successors(op)
    if not readers:
        return None, "nothing follows"
    if fan_out(context.graph, op) > 1:
        return None, f"{op.name} has {fan_out(context.graph, op)} outputs or readers"
    following = readers[0]
    if following.name in sequential:
        return None, violated_by(following.name, sequential[following.name])
    if len(following.inputs) > 1:
        return None, f"{following.name} has {len(following.inputs)} inputs"
    return following, ""


def _apart(context: Context, region: Growth, following: Operator) -> str:
    """Why an operator is not added although it could be: the workers of a plan, which hot keys are
    split among, take one operator; others would keep it with whole keys."""
    if not context.splitting or following.is_sink:
        return ""
    inner = [name for name in region.operators if not context.graph[name].is_source]
    split = next((name for name in (*inner, following.name) if name in context.splitting), None)
    if not inner or split is None:
        return ""
    return f"{split} is alone, so that its hot keys can be split among the workers of a plan"


def _foreign_key(context: Context, op: Operator) -> str:
    key = ", ".join(attribute for (attribute,) in own_key(context, op))
    return f"{op.name} is partitioned by {key}, which the region's key does not share"


def _torn(context: Context, grown: list[Growth], sequential: Reasons) -> Reasons:
    """The operators that must be fused with one outside their region, with the reason."""
    region_of = {name: region for region in grown for name in region.operators}
    torn: Reasons = {}
    for group in groups(context.graph):
        for op in group:
            if op.name in region_of and (other := _other(op, group, region_of)):
                why = _why_apart(other, region_of[op.name], sequential, region_of)
                torn[op.name] = Reason(f"must be fused with {other.name}, which cannot be in "
                                       f"the same region ({why})", op.span)
    return torn


def _other(op: Operator, group: list[Operator], region_of: dict[str, Growth]) -> Operator | None:
    """One of the group that is not in the operator's region."""
    own = region_of[op.name]
    return next((other for other in group if region_of.get(other.name) is not own), None)


def _why_apart(other: Operator, own: Growth, sequential: Reasons,
               region_of: dict[str, Growth]) -> str:
    if other.name in sequential:
        return violated_by(other.name, sequential[other.name])
    # Regions grow to the right: the reason stands at the end of the left one.
    left = min((own, region_of[other.name]), key=list(region_of.values()).index)
    return left.ended
