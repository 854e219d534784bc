"""Order is kept as the plan's strategies say: the sequential sequence, or, where a program gave it
up, the same items in any order."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.plan.logical.plan import Ordering
from anabranch.plan.physical.stages import Stage
from anabranch.runtime.stage.rows import Line
from engines.multicore.support import items_of, multicore_outputs, sequential_outputs
from engines.multicore.test_multicore_random import knobs
from interpreting import kernels_in_python
from random_programs import (
    Item,
    build,
    built_on,
    items,
    programs,
    programs_in_any_order,
    without_order,
)

thorough = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
places = st.sampled_from(["always", "never"])


kernels = st.fixed_dictionaries({"kernels": st.sampled_from(["always", "where it pays"]),
                                 "kernel_buckets": st.sampled_from([None, 3])})


@thorough
@given(programs_in_any_order, items, knobs, kernels, places)
def test_without_order_the_same_items_come(steps, source, chosen, compiled, processes):
    graph = without_order(build(steps, source).graph())
    with kernels_in_python():
        found = multicore_outputs(graph, processes=processes, **chosen, **compiled)
    assert Counter(found) == Counter(sequential_outputs(graph))


@thorough
@given(programs_in_any_order, items, knobs, places)
def test_with_order_commutative_aggregates_change_nothing(steps, source, chosen, processes):
    graph = build(steps, source).graph()
    found = multicore_outputs(graph, processes=processes, **chosen)
    assert found == sequential_outputs(graph)


@contextmanager
def delays(seed: int) -> Iterator[None]:
    """Every slice takes as long as it happens to take."""
    wait, run_line = random.Random(seed), Line.run

    def delayed(line, number, flow):
        time.sleep(wait.choice([0, 0, 0.0005, 0.002]))
        return run_line(line, number, flow)
    Line.run = delayed
    try:
        yield
    finally:
        Line.run = run_line


@thorough
@given(programs, programs_in_any_order, items, knobs, places, st.integers())
def test_a_sink_in_order_beside_one_without(steps, others, source, chosen, processes, seed):
    """Both read the same source; only one of them may be told in another order."""
    stream = build([], source)
    built_on(stream, steps).collect_into([], name="kept")
    built_on(stream, others).collect_into([], name="free")
    graph = without_order(stream.graph(), {"free"})
    with delays(seed):
        found = multicore_outputs(graph, processes=processes, **chosen)
    wanted = sequential_outputs(graph)
    assert items_at("kept", found) == items_at("kept", wanted)
    assert Counter(found) == Counter(wanted)


def items_at(sink: str, outputs: list) -> list:
    return [item for name, item in outputs if name == sink]


def numbers(count: int) -> ab.Stream:
    return ab.from_iterable([Item(n % 3, 0, n) for n in range(count)], Item)


def stages_of(stream: ab.Stream, ordered: bool = True, **tuning) -> tuple[Stage, ...]:
    graph = stream.graph() if ordered else without_order(stream.graph())
    return multicore.multicore_plan(compile_graph(graph), multicore.tuning_of(2, **tuning)).stages


def orderings(stream: ab.Stream, ordered: bool = True) -> list[str]:
    stages = stages_of(stream, ordered, processes="never", kernels="never")
    return [str(stage.ordering) for stage in stages]


def test_strategies_are_those_of_the_joints():
    pulses, numbered = "sequence numbers and pulses", "sequence numbers"
    same = numbers(9).map(lambda t: t.replace(v=t.v + 1))
    some = numbers(9).filter(lambda t: t.v % 2 == 1)
    assert orderings(same) == ["round-robin", numbered]
    assert orderings(some) == [pulses, numbered]
    assert orderings(same, ordered=False) == orderings(some, ordered=False) == ["none", "none"]
    running = build(["odd", "running_by_k"], [])
    assert orderings(running) == [pulses, pulses, numbered]
    # The balances need their inputs in order, and nobody needs theirs.
    assert orderings(running, ordered=False) == [pulses, "none", "none"]
    assert orderings(build(["odd", "sum_of_all"], [])) == ["none", pulses, numbered]


def test_buckets_that_may_move_need_the_numbers_of_slices():
    stream = build(["odd", "sums_at_end"], [])
    [first, keyed, sinks] = stages_of(stream, ordered=False, kernels="never")
    assert first.ordering is Ordering.SEQNO_PULSES
    assert keyed.ordering is sinks.ordering is Ordering.NONE
    [first, _, _] = stages_of(stream, ordered=False, kernels="never", processes="never")
    assert first.ordering is Ordering.NONE


def run_waiting(ordered: bool) -> list[int]:
    """The first item waits until another has been written, or for a while."""
    written = threading.Event()

    @ab.operator(pure=True)
    def slow(t: Item):
        if t.v == 0:
            written.wait(0.2 if ordered else 20)
        yield t
    graph = numbers(12).apply(slow).graph()
    out = []

    def emit(op, item):
        out.append(item.v)
        written.set()
    multicore.run(compile_graph(graph if ordered else without_order(graph)), items_of(graph), emit,
                  workers=2, slice_size=1, kernels="never", processes="never",
                  double_check="never")
    return out


def test_nothing_waits_where_order_was_given_up():
    found = run_waiting(ordered=False)
    assert found[0] != 0
    assert sorted(found) == list(range(12))


def test_slices_take_turns_where_order_is_kept():
    assert run_waiting(ordered=True) == list(range(12))


@pytest.mark.parametrize("ordered", [True, False])
def test_the_end_of_the_input_comes_behind_all_that_is_still_on_its_way(ordered):
    @ab.operator(pure=True)
    def slow(t: Item):
        time.sleep(0.01 if t.v % 5 == 0 else 0)
        yield t
    graph = built_on(numbers(30).apply(slow), ["sums_at_end"]).graph()
    graph = graph if ordered else without_order(graph)
    found = multicore_outputs(graph, workers=3, slice_size=1, kernels="never", processes="never")
    assert found == sequential_outputs(graph) or not ordered
    assert Counter(found) == Counter(sequential_outputs(graph))


def outcome_of(graph) -> tuple[list, str]:
    out = []
    with pytest.raises(ab.RunError) as failure:
        multicore.run(compile_graph(graph), items_of(graph),
                      lambda op, item: out.append((op.name, item.v)), workers=2, slice_size=1,
                      kernels="never", processes="never", double_check="never")
    return out, str(failure.value)


def failing_late() -> ab.Stream:
    """Item 7 fails at once, and item 3 long after it."""
    @ab.operator(pure=True)
    def fails(t: Item):
        if t.v == 3:
            time.sleep(0.05)
        if t.v in (3, 7):
            raise ValueError(f"no {t.v}")
        yield t
    return numbers(12).apply(fails)


def test_the_first_failing_tuple_is_told_where_order_is_kept():
    out, failure = outcome_of(failing_late().graph())
    assert "no 3" in failure
    assert [v for _, v in out] == [0, 1, 2]


def test_the_first_failing_tuple_is_told_as_long_as_one_sink_is_in_order():
    stream = failing_late()
    stream.collect_into([], name="kept")
    stream.filter(lambda t: t.v != 100).collect_into([], name="free")
    out, failure = outcome_of(without_order(stream.graph(), {"free"}))
    assert "no 3" in failure
    assert items_at("kept", out) == [0, 1, 2]
    assert not {3, 7} & set(items_at("free", out))


def test_a_failing_tuple_is_told_where_order_was_given_up():
    out, failure = outcome_of(without_order(failing_late().graph()))
    assert "no 3" in failure or "no 7" in failure
    assert not {3, 7} & {v for _, v in out}


def test_files_without_order_have_the_same_lines(tmp_path):
    stream = numbers(5000).map(lambda t: t.replace(v=t.v * 2)).filter(lambda t: t.k != 1)
    stream.write_csv(str(tmp_path / "free.csv"), ordered=False)
    stream.write_csv(str(tmp_path / "kept.csv"))
    stream.run(engine="multicore", workers=3, tune={"slice_size": 100})
    free, kept = ((tmp_path / f"{name}.csv").read_text().splitlines() for name in ("free", "kept"))
    assert kept[1:] == [f"{n % 3},0,{2 * n}" for n in range(5000) if n % 3 != 1]
    assert free[0] == kept[0] and sorted(free) == sorted(kept)
