"""Runs that begin in rows, here or in processes, go on as kernels at any place: the sequence and
the errors stay those of the sequential engine."""

import threading
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.engine.multicore.compilation import LateKernels
from anabranch.plan.physical import cost
from anabranch.plan.physical.cost import Prospect
from anabranch.plan.tuning import costs
from engines.multicore.deeds import Deed, deeds, summed
from engines.multicore.support import (
    items_of,
    multicore_outcome,
    sequential_outcome,
    sequential_outputs,
)
from interpreting import kernels_in_python, with_costs
from random_programs import graph_and_items, items, programs

random = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
knobs = st.fixed_dictionaries({
    "workers": st.integers(1, 3), "slice_size": st.sampled_from([1, 2, 5]),
    "processes": st.sampled_from(["always", "never", "where it pays"]),
    "moves": st.sampled_from(["where it pays", "random"]),
    "queue": st.sampled_from(["hybrid", "partitioned"])})


@contextmanager
def kernels_after(rows):
    """Kernels are there as soon as so many rows have left; Python itself runs their code."""
    def left(self, more):
        with self.lock:
            self.rows += more
            if self.begun or self.rows < rows:
                return
            self.begun = True
        self._prepare(None)
    with kernels_in_python(), patch.object(LateKernels, "left", left), \
            patch.object(cost, "rows_to_come", lambda graph, limit: 1000):
        yield


def halved(d: Deed) -> Deed:
    return Deed(d.key, 1000 // (d.value - 90))


LINES = {
    "stateless": lambda s: s.filter(lambda d: d.value % 7 != 3).map(halved),
    "keyed": lambda s: s.apply(summed),
    "both": lambda s: s.map(halved).apply(summed).filter(lambda d: d.value % 3 != 1),
    "two keys": lambda s: s.apply(summed).map(
        lambda d: Deed(f"k{d.value % 5}", d.value), to=Deed).apply(summed),
    "windows": lambda s: s.aggregate(ab.tumbling(count=4), by="key", n=ab.count(),
                                     largest=ab.max("value")),
    "at the end": lambda s: s.map(halved).aggregate(ab.tumbling(count=50), by="value",
                                                    n=ab.count()),
}


@random
@given(st.sampled_from(sorted(LINES)), st.sampled_from([85, 200]), st.integers(1, 100), knobs)
def test_lines_go_on_as_kernels_anywhere(line, count, place, chosen):
    graph = LINES[line](deeds(range(count), "abcdefg")).graph()
    with kernels_after(place):
        assert multicore_outcome(graph, **chosen) == sequential_outcome(graph)


@random
@given(programs, items, st.integers(1, 20), knobs)
def test_random_programs_go_on_as_kernels_anywhere(steps, source, place, chosen):
    graph, sources = graph_and_items(steps, source)
    with kernels_after(place):
        assert multicore_outcome(graph, sources, **chosen) == sequential_outcome(graph, sources)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("line", ["stateless", "keyed", "windows"])
def test_both_tiers_have_had_rows(line, workers):
    graph, report, out = LINES[line](deeds(range(85), "abcdefg")).graph(), [], []
    with kernels_after(20):
        multicore.run(compile_graph(graph), items_of(graph), lambda op, item: out.append(item),
                      workers=workers, slice_size=2, processes="always", report=report.extend)
    assert out == [item for _, item in sequential_outputs(graph)]
    stage = next(stage for stage in report if stage.operators[-1] != "collected" and stage.tier)
    assert (stage.tier, stage.rows_in) == ("native", 85)
    assert all(stage.rows_by_tier.values()) and sum(stage.rows_by_tier.values()) == 85


def test_a_heavy_short_run_compiles_beside_itself(monkeypatch):
    begun = threading.Event()
    monkeypatch.setattr(LateKernels, "_prepare", lambda self, process: begun.set())
    # However fast the machine is, the second run takes several times as long as this.
    with_costs(monkeypatch, compiling=0.001)

    def heavy(d: Deed) -> Deed:
        total = d.value
        for i in range(2000):
            total = (total * 31 + i) % 1000003
        return Deed(d.key, total)
    deeds(range(5)).map(heavy).collect_into([]).run(engine="multicore", workers=1)
    assert not begun.is_set()
    deeds(range(2000)).map(heavy).collect_into([]).run(engine="multicore", workers=1)
    assert begun.is_set()


def test_kernels_pay_by_what_is_left():
    ahead = Prospect(rows=1000, loading=1.0, compiling=1.0)
    assert not ahead.after(100, 0.3) and ahead.after(100, 0.4)
    assert not ahead.after(900, 10.0) and ahead.after(400, 10.0)


def test_where_more_rows_come_than_were_known_they_pay_as_if_nothing_was():
    ahead = Prospect(rows=1000, loading=1.0, compiling=5.0)
    assert not ahead.after(1000, 9.9), "nothing is left"
    assert not ahead.after(1001, 0.9) and ahead.after(1001, 1.1)


def test_a_moment_is_not_a_measurement():
    assert not Prospect(rows=10**6, loading=0.1).after(1, costs().measured / 2)
