"""Random graphs of real operators whose facts are declared, and what each engine gives for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from anabranch.engine.sequential import run as sequential
from anabranch.ir.aggregates import Call, Max, Sum
from anabranch.ir.function import Function
from anabranch.ir.graph import Builder, Graph
from anabranch.ir.operators import Apply, Filter, FlatMap, Map, Sink, Source, Split, Union
from anabranch.ir.records import Record, State
from anabranch.ir.types import RecordOf
from anabranch.ir.windows import AggregateWindow, Keep, Window, WindowJoin
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.regions import form
from anabranch.plan.logical.safety import ALL, Extensions
from oracles import brooklet
from rewrite.models import PURE, declared_facts, forwards, fuse, selectivity


class Item(Record):
    k: int
    l: int  # noqa: E741 (a second key beside k)
    v: int


class Total(State):
    total: int = 0


TYPE = RecordOf(Item)
EVERYTHING = forwards("k", "l", "v")
ONE, AT_MOST_ONE, ANY_NUMBER = selectivity(1, 1), selectivity(0, 1), selectivity(0, None)


def _odd(t):
    return t.v % 2 == 1


def _small_key(t):
    return t.k < 2


def _add_one(t):
    return t.replace(v=t.v + 1)


def _swap(t):
    return Item(t.l, t.k, t.v)


def _overwrite(t):
    return Item(t.v % 3, t.l, t.v)


def _repeat(t):
    return [Item(t.k, i, t.v) for i in range(t.v % 3)]


def _double(t):
    return [t, t.replace(v=-t.v)]


def _running(state, t):
    state.total += t.v
    yield t.replace(v=state.total)


def _rising(state, t):
    if t.v > state.total:
        state.total = t.v
        yield t


def _burst(state, t):
    state.total += 1
    for i in range(state.total % 3):
        yield t.replace(v=i)


def _rest(state):
    yield Item(0, 0, state.total)
    yield Item(1, 1, -state.total)


def _pair(a, b):
    return Item(a.k, b.l, a.v + b.v)


@dataclass(frozen=True)
class Step:
    """An operator of one input and one output, with the annotations that are true of it."""

    kind: object
    annotations: tuple

    def __call__(self, builder: Builder, name: str, queue: str) -> str:
        return builder.add(name, self.kind, [queue], [TYPE], self.annotations)[0]


def step(kind, *annotations) -> Step:
    return Step(kind, (*annotations, PURE))


def applied(function: Callable, by: str, at_end: Callable | None = None) -> Apply:
    return Apply(Function.of(function), Total, tuple(by), at_end and Function.of(at_end))


def window(size: int, every: int, by: str, fold: type) -> AggregateWindow:
    calls = tuple((name, Call(fold, name)) for name in ("k", "l", "v") if name not in by)
    return AggregateWindow(Window(size, every), tuple(by), calls, Item, tuple(by))


def _diamond(builder, name, queue):
    odd, even = builder.add(name, Split((Function.of(_odd),)), [queue], [TYPE, TYPE],
                            [ONE, EVERYTHING, PURE])
    left = STEPS["repeat"](builder, f"{name}_left", odd)
    right = STEPS["running_k"](builder, f"{name}_right", even)
    return _union(builder, name, [left, right])


def _fan_out(builder, name, queue):
    left = STEPS["windows_l"](builder, f"{name}_left", queue)
    return _union(builder, name, [queue, left, queue])


def _union(builder, name, queues):
    return builder.add(f"{name}_union", Union(len(queues)), queues, [TYPE],
                       [ONE, EVERYTHING, PURE])[0]


def _self_join(builder, name, queue):
    small = STEPS["small_key"](builder, f"{name}_small", queue)
    join = WindowJoin(("k",), ("k",), (Keep(2), Keep(2)), Function.of(_pair))
    return builder.add(name, join, [queue, small], [TYPE], [ANY_NUMBER, forwards("k"), PURE])[0]


def _tap(builder, name, queue):
    """A second reader: what flows here goes to a sink of its own as well."""
    builder.add(f"{name}_sink", Sink(), [queue])
    return queue


def _second_source(builder, name, queue):
    other = builder.add(f"{name}_source", Source(), (), [TYPE])[0]
    return _union(builder, name, [queue, other])


STEPS = {
    "odd": step(Filter(Function.of(_odd)), AT_MOST_ONE, EVERYTHING),
    "small_key": step(Filter(Function.of(_small_key)), AT_MOST_ONE, EVERYTHING),
    "add_one": step(Map(Function.of(_add_one)), ONE, forwards("k", "l")),
    "swap": step(Map(Function.of(_swap)), ONE, forwards("k=l", "l=k", "v")),
    "overwrite": step(Map(Function.of(_overwrite)), ONE, forwards("l", "v")),
    "repeat": step(FlatMap(Function.of(_repeat)), ANY_NUMBER, forwards("k", "v")),
    "double": step(FlatMap(Function.of(_double)), selectivity(2, 2), forwards("k", "l")),
    "running_k": step(applied(_running, "k"), ONE, forwards("k", "l")),
    "running_l": step(applied(_running, "l"), ONE, forwards("k", "l")),
    "running": step(applied(_running, ""), ONE, forwards("k", "l")),
    "rising": step(applied(_rising, "kl"), AT_MOST_ONE, EVERYTHING),
    "burst": step(applied(_burst, "k"), ANY_NUMBER, forwards("k", "l")),
    "at_end": step(applied(_running, "k", _rest), ONE, forwards()),
    "windows_l": step(window(2, 2, "l", Sum), AT_MOST_ONE, forwards("l")),
    "sliding": step(window(3, 2, "kl", Max), AT_MOST_ONE, forwards("k", "l")),
    "diamond": _diamond,
    "fan_out": _fan_out,
    "self_join": _self_join,
    "tap": _tap,
    "second_source": _second_source,
}

items = st.lists(st.builds(Item, st.integers(0, 3), st.integers(0, 2), st.integers(0, 20)),
                 max_size=10)
EVERY_STEP = sorted(STEPS)
ONE_SOURCE = sorted(STEPS.keys() - {"second_source"})


def programs(names=EVERY_STEP, most: int = 5):
    return st.lists(st.sampled_from(names), min_size=1, max_size=most)


def built(names: list[str], fusions: str = "") -> Graph:
    """The graph of these steps; those with the same letter in `fusions` are to be fused."""
    builder = Builder()
    [queue] = builder.add("source", Source(), (), [TYPE])
    for number, name in enumerate(names):
        one, letter = STEPS[name], fusions[number:number + 1].strip(".")
        if letter and isinstance(one, Step):
            one = Step(one.kind, (*one.annotations, fuse(letter)))
        queue = one(builder, f"{name}_{number}", queue)
    builder.add("sink", Sink(), [queue])
    return builder.graph()


def planned(graph: Graph, extensions: Extensions = ALL) -> Plan:
    return form(graph, declared_facts(graph), extensions)


def inputs_of(graph: Graph, given: list[Item]) -> dict[str, list[Item]]:
    """The given items for the first source, a part of them for every other."""
    return {op.name: given[index:] for index, op in enumerate(graph.sources)}


def sequentially(graph: Graph, given: list[Item]) -> dict[str, list]:
    """What the sequential engine gives to each sink, in order."""
    outputs: dict[str, list] = {op.name: [] for op in graph.sinks}
    sequential.run(graph, inputs_of(graph, given),
                   lambda op, item: outputs[op.name].append(item))
    return outputs


def scheduled(graph: Graph, given: list[Item], seed: int) -> dict[str, list]:
    """What one random Brooklet schedule gives to each sink, in order."""
    final = brooklet.run(brooklet.lower(graph), inputs_of(graph, given), seed)
    return {sink: list(outputs) for sink, outputs in final.outputs.items()}
