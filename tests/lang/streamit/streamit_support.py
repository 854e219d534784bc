"""Ways to run a StreamIt program: item by item, in blocks, and by random schedules."""

from __future__ import annotations

from pathlib import Path

from anabranch.engine.sequential.run import run
from anabranch.lang.streamit import compiled, schedule_of
from anabranch.lang.streamit.execution.blocks import BlockEnds, BlockRun
from oracles.brooklet.interpreter import run as run_schedule
from oracles.brooklet.program import lower

PRINTER = "int->void filter Print { work pop 1 { println(pop()); } }\n"
FLOATS = "float->void filter PrintFloat { work pop 1 { println(pop()); } }\n"
COUNTER = "void->int filter Count { int x = 0; work push 1 { push(x++); } }\n"


def graph_of(text: str, iterations: int):
    return compiled([("program.str", text)], Path(), iterations)


def rows(text: str, iterations: int) -> str:
    """What the program means: the graph, on the sequential engine."""
    graph = graph_of(text, iterations)
    printed = [begins(graph)]
    run(graph, {op.name: op.kind.spec.items(None) for op in graph.sources},
        lambda op, item: printed.append(item))
    return "".join(printed)


def blocks(text: str, iterations: int, workers: int = 1, compiles: bool = False) -> str:
    """The same in blocks."""
    printed = [begins(graph_of(text, iterations))]
    BlockRun(schedule_of([("program.str", text)]), iterations,
          BlockEnds({}, {}, lambda text, count: printed.append(text)), compiles, workers).run()
    return "".join(printed)


def by_schedule(text: str, iterations: int, seed: int) -> str:
    """The same by the calculus, its firings in a random order."""
    graph = graph_of(text, iterations)
    inputs = {op.name: tuple(op.kind.spec.items(None)) for op in graph.sources}
    outputs = run_schedule(lower(graph), inputs, seed).outputs
    return begins(graph) + "".join(outputs["print"])


def begins(graph) -> str:
    """What is printed before anything fires."""
    return "".join(op.kind.spec.begins for op in graph.sinks if hasattr(op.kind.spec, "begins"))


def printing(statements: str, fields: str = "", before: str = "") -> str:
    """A program with one filter, which prints."""
    return (f"{before}\nvoid->void pipeline Main {{ add Only(); }}\n"
            f"void->void filter Only {{ {fields} work {{ {statements} }} }}")
