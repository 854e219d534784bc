"""Stages as kernels over columns: the sequential sequence and errors, whatever the size of slices.

The kernels' code is run by Python itself where programs are random: compiling each would take
seconds, and whether compiled code computes the same is for the tests of kernels.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.buckets import key_hashes
from anabranch.batch.items import Columns, as_batch
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.engine.multicore import compilation
from anabranch.ir.operators import key_function
from anabranch.ir.types import RecordOf
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical.rules import drafted
from anabranch.plan.tuning import Knobs
from engines.multicore.deeds import Deed, Sum, deeds, summed
from engines.multicore.support import (
    multicore_outcome,
    multicore_outputs,
    sequential_outcome,
    sequential_outputs,
)
from interpreting import with_costs
from program_cases import CASES, Case
from random_programs import graph_and_items, items, programs
from rewrite import programs as declared

thorough = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
knobs = st.fixed_dictionaries({
    "workers": st.integers(1, 3), "slice_size": st.sampled_from([1, 3, 1000]),
    "kernel_buckets": st.sampled_from([1, 3]), "queue": st.sampled_from(["hybrid", "partitioned"]),
    "reorder": st.sampled_from(["non-blocking", "lock"])})


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("slice_size", [1, 3, 1000])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_case(case: Case, slice_size: int, buckets: int):
    graph = case.build().graph()
    given_out = multicore_outputs(graph, workers=2, slice_size=slice_size, kernels="always",
                                  kernel_buckets=buckets)
    assert repr(given_out) == repr(sequential_outputs(graph))


@pytest.mark.usefixtures("interpreted")
@thorough
@given(programs, items, knobs)
def test_random_programs(steps, source, chosen):
    graph, sources = graph_and_items(steps, source)
    assert multicore_outcome(graph, sources, kernels="always", **chosen) == \
        sequential_outcome(graph, sources)


@pytest.mark.usefixtures("interpreted")
@thorough
@given(declared.programs(), declared.items, knobs)
def test_plans_with_declared_facts(names, source, chosen):
    graph = declared.built(names)
    sources, out = declared.inputs_of(graph, source), []
    multicore.run(declared.planned(graph), sources, lambda op, item: out.append((op.name, item)),
                  kernels="always", **chosen)
    assert out == sequential_outputs(graph, sources)


def divided(d: Deed) -> Deed:
    return d.replace(value=1000 // (d.value - 50))


LINES = {
    "keyed": lambda s: s.apply(summed),
    "before a state": lambda s: s.map(divided).apply(summed),
    "behind a state": lambda s: s.apply(summed).map(divided),
    "windows": lambda s: s.map(divided).aggregate(ab.tumbling(count=4), by="key", n=ab.count(),
                                                  total=ab.sum("value")),
    "large values": lambda s: s.map(lambda d: d.replace(value=d.value * 2**60)).apply(summed),
    "many keys at the end": lambda s: s.map(lambda d: d.replace(value=d.value * 5 % 17)).aggregate(
        ab.tumbling(count=50), by="value", n=ab.count()),
    "two states": lambda s: s.apply(summed).filter(lambda d: d.value % 5 != 1).apply(summed),
}
VALUES = {"plain": range(40), "fails": range(40, 60), "beyond 64 bits": [1, 2**62, 2**62, 3, 2**62],
          "a bool": [1, 2, True, 4, 5, 6, 7, 8], "nothing": []}


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("slice_size", [1, 3, 1000])
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("line", LINES)
def test_what_a_kernel_cannot_do_is_done_in_rows(line, values, slice_size, buckets):
    graph = LINES[line](deeds(VALUES[values])).graph()
    assert multicore_outcome(graph, workers=2, slice_size=slice_size, kernels="always",
                             kernel_buckets=buckets) == sequential_outcome(graph)


@pytest.mark.usefixtures("interpreted")
def test_the_report_tells_the_rows_of_each_tier():
    graph, report = LINES["keyed"](deeds([1] * 10 + [2**63 - 2] + [1] * 5)).graph(), []
    multicore_outputs(graph, workers=1, slice_size=4, kernels="always", report=report.extend)
    [stage] = [stage for stage in report if stage.tier]
    # The slice with the sum that is too large, and all behind it: it never fits again.
    assert (stage.tier, stage.rows_by_tier) == ("native", {"native": 10, "rows": 6})


@pytest.mark.usefixtures("interpreted")
def test_a_compiled_kernel_takes_over_from_rows(monkeypatch):
    with_costs(monkeypatch, kernel_loading=0.002, numba_loading=0.002)
    # Some slices do not wait for it; those behind them do, or there might be none left.
    waits = iter([0.0] * 9)
    monkeypatch.setattr(compilation.Compilation, "_left", lambda self, in_bulk: next(waits, 600))
    graph, report = LINES["keyed"](deeds(range(40_000))).graph(), []
    monkeypatch.setattr(type(graph.sources[0].kind.spec), "rows_about", lambda spec: None)
    assert multicore_outcome(graph, workers=2, slice_size=100, report=report.extend) == \
        sequential_outcome(graph)
    assert report[0].rows_by_tier.keys() == {"rows", "native"}
    assert all(report[0].rows_by_tier.values())


def test_stages_that_follow_each_other_become_one_kernel():
    plan = unfused(compile_graph(LINES["before a state"](deeds([])).graph()))
    draft = drafted(plan, Knobs(1, kernels="always"))
    names = [[op.name for op in stage.operators] for stage in draft.stages]
    assert names == [["divided", "summed"], ["collected"]]
    assert [tier.name for tier in draft.tiers.values()] == ["native"]
    assert len(drafted(plan, Knobs(1, kernels="always", kernel_buckets=2)).stages) >= 2


values = {int: st.integers(-2**63, 2**63 - 1) | st.sampled_from([-1, 0, 2**61 - 1, -2**61]),
          float: st.floats(allow_nan=False) | st.integers(-9, 9).map(float),
          str: st.text(max_size=3), bool: st.booleans()}


class Keys(ab.Record):
    number: int
    text: str | None
    real: float
    flag: bool
    maybe: int | None


keys = st.builds(Keys, values[int], st.none() | values[str], values[float], values[bool],
                 st.none() | values[int])


@thorough
@given(st.lists(keys, min_size=1, max_size=20),
       st.lists(st.sampled_from(Keys._fields), unique=True))
def test_columns_hash_as_python_does(rows, key):
    item = RecordOf(Keys)
    found = key_hashes(Columns(as_batch(rows, item), item), tuple(key))
    assert found.tolist() == list(map(hash, map(key_function(tuple(key)), rows)))


@ab.operator(by="key")
def slowly_summed(state: Sum, d: Deed):
    for n in range(3):
        state.value += d.value * n
    yield Deed(d.key, state.value)


@pytest.mark.usefixtures("interpreted")
def test_a_keyed_kernel_with_loops_is_shared_by_several_workers():
    graph = deeds(range(500)).filter(lambda d: d.value != 9).apply(slowly_summed).graph()
    report = []
    out = multicore_outcome(graph, workers=2, slice_size=50, kernels="always", report=report.extend)
    assert out == sequential_outcome(graph)
    assert [(s.sharing, s.tier) for s in report if s.tier][-1] == ("partitioned", "native")
