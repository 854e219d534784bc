"""Every rewrite rule as text, before and after; both are also run, and give the same output."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anabranch.ir.graph import Annotation, Graph
from anabranch.ir.text import show
from anabranch.ir.verify import verify
from anabranch.plan.logical.fuse import fuse
from anabranch.plan.logical.hoist import hoist
from anabranch.plan.logical.machines import machines_of
from anabranch.plan.logical.plan import Plan
from oracles import brooklet
from oracles.replication.fission import add, drop, rotate
from oracles.replication.markers import Marker
from oracles.replication.replicate import replicate
from rewrite.models import declared_facts
from rewrite.programs import Item, built, inputs_of, planned, sequentially
from rewrite.test_regions import figure_5, network_monitor, plan_of

GIVEN = [Item(n % 3, n % 2, n) for n in range(7)]
THREE = ["running_k", "running_l", "odd"]


def hoisting() -> list[Graph]:
    graph = built(["running_k", "double", "small_key", "swap"])
    return [graph, hoist(graph, declared_facts(graph))]


def fusing() -> list[Graph]:
    graph = built(["swap", "running_k", "odd", "add_one", "tap", "double"], ".aa.bb")
    return [graph, fuse(graph, declared_facts(graph))]


def fission_of(step) -> list[Graph]:
    """A graph before and after one step of fission of the three operators."""
    plan = planned(built(THREE))
    stages = [plan.graph, add(plan), drop(plan, add(plan)), rotate(plan, drop(plan, add(plan)))]
    return stages[step - 1:step + 1]


def replicating() -> list[Graph]:
    plan = planned(built(THREE))
    return [fission_of(3)[1], replicate(plan, 2)]


def replicating_fan_in() -> list[Graph]:
    graph = built(["self_join"])
    return [graph, replicate(planned(graph), 2)]


RULES = {"hoist": hoisting, "fuse": fusing, "fission_add": lambda: fission_of(1),
         "fission_drop": lambda: fission_of(2), "fission_rotate": lambda: fission_of(3),
         "replicate": replicating, "replicate_fan_in": replicating_fan_in}


def text_of(graph: Graph) -> str:
    """River text; what the joints say stands in comments behind it."""
    joints = [f"// {op.name}: {_details(op.kind)}\n" for op in graph
              if isinstance(op.kind, Marker)]
    return show(graph) + "".join(joints)


def _details(mark: Marker) -> str:
    return f"{mark.routing}, {mark.ordering}" if mark.routing else str(mark.ordering)


@pytest.mark.parametrize("name", RULES)
def test_rule(name, golden):
    before, after = RULES[name]()
    golden(f"rewrite/{name}.txt",
           f"// before\n\n{text_of(before)}\n// after\n\n{text_of(after)}")


@pytest.mark.parametrize("name", RULES)
def test_rule_preserves_the_output(name):
    before, after = map(verify, RULES[name]())
    assert sequentially(after, GIVEN) == sequentially(before, GIVEN)


@pytest.mark.parametrize("name", [name for name in RULES if name != "replicate_fan_in"])
def test_rule_preserves_the_meaning_in_brooklet(name):
    before, after = map(brooklet.lower, RULES[name]())
    assert brooklet.equivalent(before, after, inputs_of(RULES[name]()[0], GIVEN), 10) is None


def test_stamps_make_a_fan_in_determinate():
    """In Brooklet a join sees its inputs in any order; replicated, always in the sequential one."""
    before, after = map(brooklet.lower, replicating_fan_in())
    [only] = brooklet.explore(after, {"source": GIVEN}, 30)
    assert {s: list(out) for s, out in only.outputs.items()} == sequentially(
        replicating_fan_in()[0], GIVEN)
    assert len(brooklet.explore(before, {"source": GIVEN}, 30)) > 1


def test_place(golden):
    graph = built(["odd", "running_k", "swap", "add_one"], "..aa")
    graph = graph.with_operators(
        replace(op, annotations=(*op.annotations, Annotation("Group", ("east",))))
        if op.name == "odd_0" else op
        for op in graph)
    groups = "".join(f"{name}: {group}\n" for name, group in machines_of(graph).items())
    golden("rewrite/place.txt", f"// before\n\n{show(graph)}\n// groups\n\n{groups}")


def plan_text(plan: Plan) -> str:
    """A plan line by line: its regions, joints, and the reasons for what is left sequential."""
    regions = [f"region {r.index}: {' '.join(r.operators)} | key: {', '.join(r.key) or 'none'} | "
               f"selectivity {r.selectivity} | {r.ordering} | ended: {r.ended}"
               for r in plan.regions]
    joints = [f"{j.at}: {j} | {_number(j.left)} -> {_number(j.right)}" for j in plan.joints]
    reasons = [f"{name}: {reason.text}" for name, reason in plan.sequential.items()]
    return "\n".join([*regions, "", *joints, "", *reasons, ""])


def _number(region: int | None) -> str:
    return "-" if region is None else str(region)


@pytest.mark.parametrize("build", [figure_5, network_monitor])
def test_plan_of_the_paper(build, golden):
    golden(f"plans/{build.__name__}.txt", plan_text(plan_of(build())))
