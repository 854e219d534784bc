"""Compiling: how long a program of 200 operators takes to build and to compile."""

from __future__ import annotations

import time
from collections.abc import Callable

import pyarrow as pa

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.ir.graph import Graph
from benchmarks.measurement import Contender, Outcome, Run, Setting
from benchmarks.runner import at_most, compared

OPERATORS = 200
WANTED_SECONDS = 1.0


class Event(ab.Record):
    key: int
    value: float


class Total(ab.State):
    value: float = 0.0


@ab.operator(by="key")
def running(state: Total, e: Event):
    state.value += e.value
    yield e.replace(value=state.value)


def chain(operators: int) -> Graph:
    """A program of about so many operators, of all the usual kinds."""
    stream = ab.from_iterable([], Event)
    for i in range(operators // 4):
        stream = (stream.filter(lambda e: e.value > 0)
                  .map(lambda e, i=i: e.replace(value=e.value + i), to=Event)
                  .apply(running)
                  .aggregate(ab.tumbling(count=2), by="key", value=ab.sum("value"), into=Event))
    return stream.graph()


def measure(setting: Setting) -> Outcome:
    operators = max(8, int(OPERATORS * min(1.0, setting.scale)))
    graph = chain(operators)
    contenders = [_timed("build", lambda: chain(operators)),
                  _timed("compile", lambda: compile_graph(graph).program)]
    case, right = f"{len(graph.operators)} operators", _shape(graph)
    outcome = compared(case, contenders, right, len(graph.operators), setting)
    compiling = outcome.of(case, "compile")
    return outcome.joined(Outcome(goals=[at_most(
        f"compiling {case}", compiling and compiling.median, WANTED_SECONDS, "s")],
        notes=["rows/s are operators a second; the answer is the program that comes out"]))


def _timed(name: str, work: Callable[[], Graph]) -> Contender:
    def run() -> Run:
        began = time.perf_counter()
        graph = work()
        return Run(time.perf_counter() - began, _shape(graph))
    return Contender(name, run, ours=True)


def _shape(graph: Graph) -> pa.Table:
    return pa.table({"operator": [op.name for op in graph]})
