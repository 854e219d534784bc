"""A single task that does everything gives what several tasks give, without Spark."""

from __future__ import annotations

from operator import itemgetter

import pytest

from anabranch.compile import compile_graph
from anabranch.engine.spark.job.driver import program_of
from anabranch.engine.spark.job.pickling import dumped_program
from anabranch.engine.spark.job.pieces import decoded
from anabranch.engine.spark.job.sources import ends, slices
from anabranch.engine.spark.job.tasks import TaskProgram, work, work_alone
from anabranch.io.rows import BadRows
from anabranch.plan.physical.spark.placement import JobLayout
from anabranch.plan.physical.spark.plan import spark_plan
from anabranch.plan.physical.spark.tuning import SparkKnobs
from program_cases import CASES
from random_programs import Item, build

MANY = [Item(n * 7 % 5, n * 3 % 4, n % 11) for n in range(100)]
STEPS = {"two keys": ["burst_by_k", "double", "running_by_l", "twice_when_even"],
         "the same key again": ["double", "running_by_k", "burst_by_k", "running_by_l"]}
GRAPHS = {case.name: case.build for case in CASES} | {
    name: lambda steps=steps: build(steps, MANY) for name, steps in STEPS.items()}


def several_tasks(program: TaskProgram, data: bytes, elements: list) -> list:
    for index in range(len(program.segments)):
        elements = list(work(data, index, sorted(elements, key=itemgetter(0)) if index
                             else elements))
    return elements


@pytest.mark.parametrize("name", GRAPHS)
def test_alone_or_with_others(name):
    physical = spark_plan(compile_graph(GRAPHS[name]().graph()),
                          SparkKnobs(slice_size=7, gangs="never"))
    items = {op.name: op.kind.spec.items(BadRows()) for op in physical.graph.sources}
    given = [*slices(physical.graph, items, None, physical.tuning), *ends(physical.told_of_end)]
    program = program_of(physical, JobLayout(3, ((0, 0), (0, 5))))
    data = dumped_program(program, list(program.graph))
    shown = [[(piece.number, piece.final, {q: list(f.items) for q, f in piece.flows.items()},
               [failure.when for failure in piece.failures]) for piece in map(decoded, out)]
             for out in (work_alone(data, given), several_tasks(program, data, given))]
    assert sorted(shown[0], key=itemgetter(0)) == sorted(shown[1], key=itemgetter(0))
    assert [piece[0] for piece in shown[0]] == sorted(piece[0] for piece in shown[0])
