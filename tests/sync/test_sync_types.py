"""Forks that give states of different types: plans match branches and types, and gangs run them."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.api.node import connected_sinks, graph_of
from anabranch.core.errors import ProgramError
from anabranch.plan.sync.optimizers import OPTIMIZERS, Costs, planned
from anabranch.plan.sync.plan import state_types
from anabranch.plan.sync.planning import problem_of
from anabranch.plan.sync.program import Program
from engines.multicore.support import multicore_outputs, sequential_outputs


class Event(ab.Record):
    kind: str
    value: int


class Both(ab.State):
    odd: int = 0
    even: int = 0


class Odd(ab.State):
    total: int = 0


class Even(ab.State):
    total: int = 0
    seen: int = 0


def sums(swapped: bool, alone: bool):
    """An operator whose fork gives one type and another; with `alone`, events of one tag depend on
    each other."""
    depends = (lambda a, b: "read" in (a, b) or a == b) if alone else (
        lambda a, b: "read" in (a, b))

    @ab.synchronized(tag=lambda e: e.kind, depends=depends,
                     states={Odd: lambda tag: tag == "odd", Even: lambda tag: tag == "even"})
    def summed(state: Both, e: Event):
        if e.kind == "read":
            yield state.odd * 1000 + state.even
        elif isinstance(state, Both):
            state.odd += e.value * (e.kind == "odd")
            state.even += e.value * (e.kind == "even")
        else:
            state.total += e.value

    if swapped:
        @summed.fork
        def parts(state: Both, left, right) -> tuple[Even, Odd]:
            return Even(state.even), Odd(state.odd)

        @summed.join
        def whole(one: Even, other: Odd) -> Both:
            return Both(other.total, one.total)
    else:
        @summed.fork
        def parts(state: Both, left, right) -> tuple[Odd, Even]:
            return Odd(state.odd), Even(state.even)

        @summed.join
        def whole(one: Odd, other: Even) -> Both:
            return Both(one.total, other.total)
    return summed


CASES = [(swapped, alone) for swapped in (False, True) for alone in (False, True)]


@pytest.mark.parametrize("workers", [2, 3, 8])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("swapped,alone", CASES)
def test_plans_match_branches_and_types(swapped, alone, optimizer, workers):
    program = Program(sums(swapped, alone).kind())
    seen = {"odd": 1000.0, "even": 900.0, "read": 1.0}
    tree = planned(problem_of(program, seen, workers, Costs(update=2e-5)), optimizer).tree
    for node, state in state_types(program, tree):
        assert all(program.handles(state, shard.tag) for shard in node.shards)
    leaves = [node for node in tree.nodes() if not node.children]
    assert len(leaves) == (1 if optimizer == "sequential" else 2)


@pytest.mark.parametrize("swapped,alone", CASES)
def test_gangs_give_what_one_worker_gives(swapped, alone):
    kinds = ["odd", "even", "odd", "even", "even", "odd", "odd"]
    events = [Event("read" if n % 60 == 59 else kinds[n % 7], n % 11) for n in range(600)]
    stream = ab.from_iterable(events, Event).apply(sums(swapped, alone))
    stream.collect_into([])
    graph = graph_of(connected_sinks(stream.node))
    expected = sequential_outputs(graph)
    assert len(expected) == 10
    for workers in (2, 3):
        assert multicore_outputs(graph, workers=workers, processes="always") == expected
    assert multicore_outputs(graph, workers=2, processes="never") == expected


def test_types_that_share_nothing_are_named():
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "read" in (a, b),
                     states={Odd: lambda tag: False})
    def summed(state: Both, e: Event):
        yield state.odd

    @summed.fork
    def parts(state: Both, left, right) -> tuple[Odd, Odd]:
        return Odd(), Odd()

    @summed.join
    def whole(one: Odd, other: Odd) -> Both:
        return Both()
    problem = problem_of(Program(summed.kind()), {"odd": 9.0, "even": 9.0, "read": 1.0}, 2)
    with pytest.raises(ProgramError, match="has a Odd, which does not handle"):
        planned(problem, "greedy")
