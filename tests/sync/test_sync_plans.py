"""Plans: which are valid, and what the optimizers make of a program."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.core.errors import ProgramError, UsageError
from anabranch.plan.sync.optimizers import OPTIMIZERS, Costs, Problem, planned
from anabranch.plan.sync.plan import Shard, Tree, drawn, leaf, problems, validated
from anabranch.plan.sync.planning import plan_for, problem_of
from anabranch.plan.sync.program import OTHER, KeyedProgram, Program, hot_keys
from anabranch.plan.tuning import costs
from sync import counters

TAGS = [(kind, key) for key in (1, 2) for kind in "ir"]
READ_1, READ_2 = Shard(("r", 1)), Shard(("r", 2))


def increments(key: int, number: int) -> Shard:
    return Shard(("i", key), number)


def problem(workers: int = 4, **rates: float) -> Problem:
    known = {tag: rates.get(tag[0], 1.0) for tag in TAGS}
    return Problem(counters.program(), known, workers)


def test_the_plan_of_the_paper_is_valid():
    tree = Tree(frozenset(), (leaf(READ_1, Shard(("i", 1))), Tree(frozenset({READ_2}), (
        leaf(increments(2, 0)), leaf(increments(2, 1))))))
    shards = tree.below
    assert validated(counters.program(), tree, shards) is tree


def test_dependent_tags_on_different_branches_are_named():
    tree = Tree(frozenset(), (leaf(READ_1), leaf(Shard(("i", 1)))))
    with pytest.raises(ProgramError, match=r"\('r', 1\) and \('i', 1\) depend on each other"):
        validated(counters.program(), tree, tree.below)


def test_a_shard_has_one_worker():
    twice = Tree(frozenset({READ_1}), (leaf(READ_1), leaf(READ_2)))
    with pytest.raises(ProgramError, match="2 workers of the plan take"):
        validated(counters.program(), twice, twice.below)
    with pytest.raises(ProgramError, match="no worker of the plan takes"):
        validated(counters.program(), leaf(READ_1), [READ_1, READ_2])


def test_a_branch_that_takes_nothing_is_refused():
    idle = Tree(frozenset({READ_1}), (leaf(), leaf(READ_2)))
    with pytest.raises(ProgramError, match="a branch of the plan takes nothing"):
        validated(counters.program(), idle, idle.below)


def test_greedy_puts_the_rare_tags_above_the_frequent_ones():
    tree = planned(problem(workers=4, i=1000, r=1), "greedy").tree
    of_leaves = {s.tag[0] for node in tree.nodes() if not node.children for s in node.shards}
    of_others = {s.tag[0] for node in tree.nodes() if node.children for s in node.shards}
    assert "r" not in of_leaves and "i" not in of_others


def test_many_synchronizing_events_are_not_worth_a_tree():
    costly = Problem(counters.program(), {("i", 1): 10.0, ("r", 1): 10.0}, 4, Costs(message=1e-3))
    assert planned(costly, "cost").tree.children == ()


def test_an_unknown_optimizer_is_refused():
    with pytest.raises(UsageError, match="no optimizer is called 'gready'"):
        planned(problem(), "gready")


TREES = """
from sync.test_sync_plans import OPTIMIZERS, drawn, planned, problem
for name in OPTIMIZERS:
    print(*drawn(planned(problem(workers=4, i=100), name).tree), sep="\\n")
"""


def test_every_process_makes_the_same_plans():
    """Texts have other hashes in each, and so sets another order."""
    tests, made = Path(__file__).parent.parent, set()
    for seed in "123":
        told = subprocess.run([sys.executable, "-c", TREES], capture_output=True, check=True,
                              cwd=tests, env=os.environ | {"PYTHONHASHSEED": seed})
        made.add(told.stdout)
    assert len(made) == 1


def test_a_plan_is_drawn_as_a_tree():
    tree = planned(problem(workers=2, i=100, r=1), "cost").tree
    assert len(list(drawn(tree))) == len(list(tree.nodes()))


RATES = st.dictionaries(st.sampled_from(TAGS), st.floats(0.1, 1000), min_size=1)


@given(RATES, st.integers(1, 5), st.floats(1e-7, 1e-2))
@settings(max_examples=60, deadline=None)
def test_every_optimizer_gives_valid_plans_and_cost_the_cheapest(rates, workers, message):
    one = Problem(counters.program(), rates, workers, Costs(message=message))
    plans = {name: planned(one, name) for name in OPTIMIZERS}
    for plan in plans.values():
        assert not list(problems(one.program, plan.tree, one.shards))
        leaves = sum(1 for node in plan.tree.nodes() if not node.children)
        assert leaves <= workers
    best = min(plan.busy for plan in plans.values())
    assert plans["cost"].busy <= best * (1 + 1e-9)


@given(RATES, st.integers(2, 3))
@settings(max_examples=25, deadline=None)
def test_no_tree_is_cheaper_than_the_cheapest(rates, workers):
    rates = dict(list(rates.items())[:2])
    one = Problem(counters.program(), rates, workers)
    found = planned(one, "cost").busy
    for tree in _all_trees(one.shards, workers):
        if not list(problems(one.program, tree, one.shards)):
            assert found <= one.busy(tree) * (1 + 1e-9)


def _all_trees(shards: tuple[Shard, ...], leaves: int):
    yield leaf(*shards)
    if leaves == 1:
        return
    for places in product((0, 1, 2), repeat=len(shards)):
        parts = [tuple(s for s, place in zip(shards, places) if place == n) for n in range(3)]
        for left in range(1, leaves):
            for one in _all_trees(parts[1], left):
                for other in _all_trees(parts[2], leaves - left):
                    yield Tree(frozenset(parts[0]), (one, other))


def test_a_plan_has_no_more_workers_than_the_types_of_states_allow():
    """A Part cannot be forked again, so two share the state, however many there are."""
    program = Program(halves().kind())
    for workers, name in product((2, 3, 8), OPTIMIZERS):
        one = Problem(program, {"add": 1e6, "tick": 1.0}, workers)
        tree = planned(one, name).tree
        leaves = [node for node in tree.nodes() if not node.children]
        assert len(leaves) == (1 if name == "sequential" else 2)
        assert {s.tag for s in tree.below} == {"add", "tick", OTHER}


class Event(ab.Record):
    kind: str


class Whole(ab.State):
    total: int = 0


class Part(ab.State):
    total: int = 0


def halves():
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "tick" in (a, b),
                     states={Part: lambda tag: tag == "add"})
    def summed(state: Whole, e: Event):
        state.total += 1
        yield state.total

    @summed.fork
    def fork(state: Whole, left, right) -> tuple[Part, Part]:
        return Part(state.total), Part()

    @summed.join
    def join(one: Part, other: Part) -> Whole:
        return Whole(one.total + other.total)
    return summed


@pytest.mark.parametrize("workers", [2, 3, 12])
@pytest.mark.parametrize("synchronizing", [0, 1])
def test_the_leaves_of_a_plan_have_equal_shares(workers, synchronizing):
    """One key has most events, and all others together have as much as a worker or less."""
    seen = Counter({("hot", "view"): 8500, ("hot", "update"): synchronizing})
    seen += Counter({(f"page {n}", "view"): 15 for n in range(100)})
    buckets = costs().buckets_per_worker * workers
    program = KeyedProgram(views().kind(), hot_keys(seen, workers), buckets)
    one = problem_of(program, seen, workers, Costs(update=2e-5))
    tree = plan_for(program, seen, workers, one.costs).tree
    loads = [one.rate(node.shards) for node in tree.nodes() if not node.children]
    assert len(loads) == workers and max(loads) < 1.1 * sum(loads) / workers


def views():
    @ab.synchronized(by="kind", tag=lambda e: e.kind, depends=lambda a, b: "update" in (a, b))
    def viewed(state: Whole, e: Event):
        state.total += 1
        yield state.total

    viewed.fork(lambda state, left, right: (state, Whole()))
    viewed.join(lambda one, other: Whole(one.total + other.total))
    return viewed
