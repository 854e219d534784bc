"""Optimizers: from a program, the rates of its tags and a number of workers to a plan.

    cheapest.py  The best tree by the cost model, found by trying all, or some of too many
    greedy.py    Takes out the rarest tags until the rest falls apart, and goes on with each half
    packed.py    Leaves with equal shares: what is independent, in as many leaves as workers
    problem.py   What an optimizer is given, and the model by which plans are compared
    typed.py     Trees for forks into different types: each side takes tags of its type
"""

from __future__ import annotations

from dataclasses import replace

from anabranch.core.errors import ProgramError, UsageError, did_you_mean
from anabranch.plan.sync.optimizers.cheapest import cheapest
from anabranch.plan.sync.optimizers.greedy import greedy
from anabranch.plan.sync.optimizers.problem import Costs, Planned, Problem
from anabranch.plan.sync.optimizers.typed import fitted, typed
from anabranch.plan.sync.plan import Shard, Tree, leaf, validated
from anabranch.plan.sync.program import OTHER

__all__ = ["OPTIMIZERS", "Costs", "Planned", "Problem", "planned"]

FEWEST = 2
"""A program of which not even so many workers can share the state is wrong."""


def sequential(problem: Problem) -> Tree:
    """One worker for everything."""
    return leaf(*problem.shards)


def with_others(tree: Tree) -> Tree:
    """The same tree, whose root takes also the tags that nobody has named."""
    return Tree(tree.shards | {Shard(OTHER)}, tree.children)


OPTIMIZERS = {"sequential": sequential, "greedy": greedy, "cost": cheapest}


def planned(problem: Problem, optimizer: str) -> Planned:
    """The plan of this optimizer, checked, with what it is estimated to cost. It has fewer workers
    than there are where the types of states allow no more, since not all can be forked."""
    if optimizer not in OPTIMIZERS:
        raise UsageError(f"no optimizer is called '{optimizer}'",
                         help=did_you_mean(optimizer, OPTIMIZERS))
    found = with_others(OPTIMIZERS[optimizer](problem))
    tree = fitted(problem.program, found) or with_others(typed(problem))
    if found.children and not tree.children:
        # The types are at fault, and the checks say which.
        tree = found
    try:
        validated(problem.program, tree, problem.shards)
    except ProgramError:
        if problem.workers <= FEWEST:
            raise
        return planned(replace(problem, workers=problem.workers - 1), optimizer)
    return Planned(tree, optimizer, problem.busy(tree))
