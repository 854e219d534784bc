"""The plan of a synchronized operator: the user's own, or an optimizer's."""

from __future__ import annotations

from collections.abc import Mapping

from anabranch.ir.synchronization import Synchronized
from anabranch.plan.sync.optimizers import Costs, Planned, Problem, planned, with_others
from anabranch.plan.sync.plan import validated
from anabranch.plan.sync.program import KeyedProgram, Program, keyed_rates


def plan_for(program: Program, seen: Mapping[object, float], workers: int,
             costs: Costs | None = None) -> Planned:
    """The plan for so many workers. `seen` counts the events of each tag so far (by key and tag for
    a keyed program); what the user says of rates goes first."""
    problem = problem_of(program, seen, workers, costs)
    if program.kind.tree is None:
        return planned(problem, program.kind.optimizer)
    tree = with_others(validated(program, program.kind.tree, ()))
    return Planned(tree, "the program", problem.busy(tree))


def problem_of(program: Program, seen: Mapping[object, float], workers: int,
               costs: Costs | None = None) -> Problem:
    """What the optimizers are given."""
    known = keyed_rates(program, seen) if isinstance(program, KeyedProgram) \
        else rates(program.kind, seen)
    return Problem(program, known, workers, costs or Costs())


def rates(kind: Synchronized, seen: Mapping[object, float]) -> dict[object, float]:
    """How often events of each tag come, in no particular unit.

    >>> from anabranch.ir.function import Function
    >>> rates(Synchronized(Function.of(len), tags=(("a", None), ("b", None))), {"a": 2, "c": 3})
    {'a': 2, 'b': 1.0, 'c': 3}
    """
    told = dict(kind.tags)
    if told and None not in told.values():
        # Rates in the user's unit and counts of ours could not be compared.
        return told
    return {tag: float(seen.get(tag, 1.0)) for tag in told} | dict(seen)
