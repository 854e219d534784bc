"""Random programs for property tests: steps chosen from a menu, applied to a stream of items.

A program is a list of step names, so Hypothesis can shrink it; `build` makes it through the API.
The menu has every kind of operator and every reason for a region to end: keys that are overwritten
or renamed, prolific operators, unkeyed state, fan-out and fan-in, windows, a second source, a loop.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from itertools import cycle

from hypothesis import strategies as st

import anabranch as ab
from anabranch.ir.graph import Annotation, Graph


class Item(ab.Record):
    k: int
    l: int  # noqa: E741 (the papers call the second key l)
    v: int


class Sum(ab.State):
    total: int = 0


def odd(t: Item):
    return t.v % 2 == 1


def small_key(t: Item):
    return t.k < 2


def add_one(t: Item):
    return t.replace(v=t.v + 1)


def swap_keys(t: Item):
    return Item(t.l, t.k, t.v)


def overwrite_key(t: Item):
    return Item(t.v % 3, t.l, t.v)


def copy_k_to_l(t: Item):
    return Item(k=t.k, l=t.k, v=t.v)


def double(t: Item):
    return [t, t.replace(v=-t.v)]


def repeat(t: Item):
    for i in range(t.v % 3):
        yield Item(t.k, i, t.v)


@ab.operator
def drop_multiples_of_three(t: Item):
    if t.v % 3 != 0:
        yield t


@ab.operator(by="k")
def running_by_k(state: Sum, t: Item):
    state.total += t.v
    yield Item(t.k, t.l, state.total)


@ab.operator(by="l")
def running_by_l(state: Sum, t: Item):
    state.total += t.v
    yield t.replace(v=state.total)


@ab.operator(by=("k", "l"))
def rising_by_both(state: Sum, t: Item):
    if t.v > state.total:
        state.total = t.v
        yield t


@ab.operator
def twice_when_even(t: Item):
    yield t
    if t.v % 2 == 0:
        yield t.replace(v=t.v + 100)


@ab.operator(by="k")
def burst_by_k(state: Sum, t: Item):
    state.total += 1
    for i in range(state.total % 3):
        yield t.replace(v=i)


@ab.operator
def running_overall(state: Sum, t: Item):
    state.total += t.v
    yield t.replace(v=state.total)


@ab.operator(by="k")
def last_total(state: Sum, t: Item):
    state.total += t.v
    if state.total > 1000:
        yield t


@last_total.at_end
def rest(state: Sum):
    yield Item(0, 0, state.total)


def _diamond(s):
    left, right = s.split(odd)
    return left.map(add_one).union(right.filter(small_key), arrival=True)


def _round_again(s):
    def body(items):
        done, again = items.split(lambda t: t.v <= 3)
        return done, again.map(lambda t: t.replace(v=t.v // 2), to=Item)
    return s.loop(body)


def _windows(s):
    return s.aggregate(ab.tumbling(count=2), by="k", l=ab.last("l"), v=ab.sum("v"), into=Item)


def _sliding(s):
    return s.aggregate(ab.sliding(count=3, step=2), by=("k", "l"), v=ab.max("v"), into=Item)


def _self_join(s):
    small = s.filter(small_key)
    return s.join(small, by="k", keep=ab.recent(count=2),
                  into=lambda a, b: Item(a.k, b.l, a.v + b.v))


def _second_source(s):
    return s.union(ab.from_iterable([Item(1, 1, 50), Item(0, 2, 51)], Item), arrival=True)


STEPS = {
    "odd": lambda s: s.filter(odd),
    "small_key": lambda s: s.filter(small_key),
    "add_one": lambda s: s.map(add_one),
    "swap_keys": lambda s: s.map(swap_keys),
    "overwrite_key": lambda s: s.map(overwrite_key),
    "copy_k_to_l": lambda s: s.map(copy_k_to_l),
    "double": lambda s: s.flat_map(double),
    "repeat": lambda s: s.flat_map(repeat),
    "drop": lambda s: s.apply(drop_multiples_of_three),
    "running_by_k": lambda s: s.apply(running_by_k),
    "running_by_l": lambda s: s.apply(running_by_l),
    "rising_by_both": lambda s: s.apply(rising_by_both),
    "twice_when_even": lambda s: s.apply(twice_when_even),
    "burst_by_k": lambda s: s.apply(burst_by_k),
    "running_overall": lambda s: s.apply(running_overall),
    "last_total": lambda s: s.apply(last_total),
    "deduplicate": lambda s: s.deduplicate("k"),
    "windows": _windows,
    "sliding": _sliding,
    "sort": lambda s: s.sort("v", ab.tumbling(count=3)),
    "diamond": _diamond,
    "self_join": _self_join,
    "second_source": _second_source,
    "round_again": _round_again,
}

items = st.lists(st.builds(Item, st.integers(0, 3), st.integers(0, 2), st.integers(0, 20)),
                 max_size=12)
programs = st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=5)


@ab.operator(by="k", commutative=True)
def sums_at_end(state: Sum, t: Item):
    state.total += t.v
    if state.total < 0:
        yield t


@sums_at_end.at_end
def one_sum(state: Sum):
    yield Item(0, 0, state.total)


@ab.operator(commutative="sorted", selectivity=(0, 0))
def sum_of_all(state: Sum, t: Item):
    state.total += t.v
    if state.total < 0:
        yield t


@sum_of_all.at_end
def the_sum(state: Sum):
    yield Item(0, 0, state.total)


IN_ANY_ORDER = {"sums_at_end": lambda s: s.apply(sums_at_end),
                "sum_of_all": lambda s: s.apply(sum_of_all)}
"""Aggregates to which the order of their inputs does not matter."""

programs_in_any_order = st.tuples(programs, st.sampled_from(["", *IN_ANY_ORDER])).map(
    lambda given: [*given[0], *filter(None, given[1:])])


def without_order(graph: Graph, names: Container[str] | None = None) -> Graph:
    """The same graph where these sinks, or all, give up order."""
    return graph.with_operators(
        replace(op, kind=replace(op.kind, ordered=False))
        if op.is_sink and (names is None or op.name in names) else op for op in graph)


fusions = st.text("aab.", min_size=5, max_size=5)


def with_fusions(graph: Graph, letters: str) -> Graph:
    """The same graph, with its operators to be fused that have the same letter, but for `.`."""
    letter = cycle(letters)
    return graph.with_operators(
        replace(op, annotations=(*op.annotations, Annotation("Fuse", (one,))))
        if (one := next(letter)) != "." and not (op.is_source or op.is_sink) else op
        for op in graph)


def build(steps: list[str], source_items: list[Item]) -> ab.Stream:
    return built_on(ab.from_iterable(source_items, Item, name="source"), steps)


def built_on(stream: ab.Stream, steps: list[str]) -> ab.Stream:
    for step in steps:
        stream = (STEPS | IN_ANY_ORDER)[step](stream)
    return stream


def graph_and_items(steps: list[str], source_items: list[Item]):
    """The graph of a random program, and the items of each of its sources."""
    graph = build(steps, source_items).graph()
    return graph, {op.name: list(op.kind.spec.items(None)) for op in graph.sources}


def outputs(graph, sources) -> list:
    """What the sequential engine gives to the sinks, in order, with the sink's name."""
    from anabranch.engine.sequential import run as sequential

    out: list = []
    sequential.run(graph, sources, lambda op, item: out.append((op.name, item)))
    return out
