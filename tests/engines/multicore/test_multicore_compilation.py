"""Kernels of short runs are compiled behind them, and used as soon as they are on disk."""

import sys
import threading
import time

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import anabranch as ab
from anabranch.compile import compile_graph, load
from anabranch.engine.multicore import compilation
from anabranch.kernels import folder as folders
from anabranch.kernels import folder as known
from anabranch.kernels.native import cache
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical import cost, tiers
from anabranch.plan.physical.rules import drafted
from anabranch.plan.tuning import Knobs, costs
from anabranch.runtime.processes import background
from interpreting import with_costs


class Number(ab.Record):
    value: int


@pytest.fixture(autouse=True)
def in_background(monkeypatch, tmp_path):
    """An empty folder of kernels, and runs of few rows that are worth a compilation behind them."""
    monkeypatch.setenv(known.SETTING, "background")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with_costs(monkeypatch, kernel_loading=1e-7, numba_loading=1e-7, row=1.5e-9)
    # On a machine that is busy with other tests the lowest priority may get nothing for a minute.
    monkeypatch.setattr(background, "LOWEST", 0)
    monkeypatch.setattr(compilation, "LONGEST_LOAD", 600)
    folders.folder.cache_clear()
    cache.module_of.cache_clear()
    yield
    # A compiler outlives its run, and would leave its note in the next test's folder.
    for thread in threading.enumerate():
        if thread.name == f"anabranch {compilation.THREAD}":
            thread.join(60)
    folders.folder.cache_clear()
    cache.module_of.cache_clear()


@pytest.fixture
def numbers(tmp_path):
    """A file of a hundred numbers, which come in columns."""
    file = tmp_path / "numbers.parquet"
    parquet.write_table(pa.table({"value": range(100)}), file)
    return file


def halves(numbers):
    return ab.read_parquet(numbers, Number).filter(lambda n: n.value % 2 == 0)


def opened(numbers):
    return ab.read_parquet(numbers, Number).filter(lambda n: complex(n.value).imag == 0)


@pytest.fixture
def run(tmp_path):
    """Runs a stream; the tier, and the text that it writes. What is told how to run has stages."""
    def ran(stream, engine="multicore", **options):
        file = tmp_path / "out.csv"
        tune = {"heuristic": "LP"} if engine == "multicore" else None
        report = stream.write_csv(file).run(engine=engine, tune=tune, **options)
        return report.tier, file.read_text()
    return ran


def kernels_after(graph, seconds=60):
    """How many kernels are known once somebody has compiled them."""
    deadline = time.monotonic() + seconds
    while not known.kernels_known(graph) and time.monotonic() < deadline:
        time.sleep(0.02)
    return known.kernels_known(graph)


def test_a_short_run_has_its_kernel_compiled_for_the_next_one(numbers, run):
    _, wanted = run(halves(numbers), "sequential")
    assert run(halves(numbers), workers=1) == ("rows", wanted)
    assert kernels_after(halves(numbers).graph())
    assert run(halves(numbers), workers=1) == ("native", wanted)


def test_a_program_without_kernels_is_tried_once(numbers, run, monkeypatch):
    fork, forks = background.compiled_apart, []
    monkeypatch.setattr(background, "compiled_apart",
                        lambda *given: forks.append(fork(*given)))
    assert run(opened(numbers))[0] == "rows"
    forks[0].join()
    assert known.kernels_known(opened(numbers).graph()) == 0
    assert run(opened(numbers))[0] == "rows"
    assert len(forks) == 1


def test_a_compilation_that_the_clock_ends_is_begun_again_but_not_for_ever(numbers, monkeypatch):
    # Long enough for it to be noted before, however busy the machine is.
    monkeypatch.setattr(background, "MOST_SECONDS", 3)
    graph = halves(numbers).graph()
    background.compiled_apart(graph, lambda: time.sleep(60)).join()
    assert known.kernels_known(graph) is None
    for _ in range(known.MOST_ATTEMPTS - 1):
        known.note_attempt(graph)
    assert known.kernels_known(graph) == 0
    known.note_kernels(graph, 1)
    assert known.kernels_known(graph) == 1


def test_nothing_is_compiled_behind_a_run_unless_it_is_wanted(numbers, run, monkeypatch):
    monkeypatch.setenv(known.SETTING, "here")
    monkeypatch.setattr(background, "compiled_apart", lambda *given: pytest.fail("a process"))
    assert run(halves(numbers))[0] == "rows"
    known.note_kernels(halves(numbers).graph(), 1)
    assert known.kernels_known(halves(numbers).graph()) is None
    assert not (folders.folder() / "programs").exists()


def test_fewer_rows_are_enough_for_what_is_on_disk(numbers, monkeypatch):
    graph = halves(numbers).graph()
    with_costs(monkeypatch, numba_loading=3.0)
    monkeypatch.setitem(sys.modules, cost.MACHINERY, object())
    cold = cost.prospect(graph)
    known.note_kernels(graph, 1)
    warm = cost.prospect(graph)
    monkeypatch.delitem(sys.modules, cost.MACHINERY)
    first = cost.prospect(graph)
    assert (cold.rows, cold.loading) == (100, costs().kernel_loading)
    assert cold.compiling == costs().compiling
    assert (warm.loading, warm.compiling) == (costs().kernel_loading, 0)
    assert (first.loading, first.compiling) == (costs().numba_loading, 0)
    known.note_kernels(graph, 0)
    assert cost.prospect(graph).compiling == costs().compiling


def test_what_rows_took_once_is_known_the_next_time(numbers, run, monkeypatch):
    graph = halves(numbers).graph()
    # A process behind the run would note what it does, too.
    monkeypatch.setattr(background, "compiled_apart", lambda *given: None)
    run(halves(numbers), workers=1)
    assert 0 < known.cost_known(graph) < 1
    known.note_kernels(graph, 1)
    with_costs(monkeypatch, kernel_loading=10.0, numba_loading=10.0)
    assert not cost.prospect(graph).at_once
    known.note_cost(graph, 0.2)
    assert cost.prospect(graph).at_once
    known.note_kernels(graph, 0)
    assert not cost.prospect(graph).at_once


PROGRAM = """import anabranch as ab

ab.from_iterable([1], int).filter(lambda i: i > {}).write_stdout()
"""


def test_a_note_is_for_one_text_of_the_program(tmp_path):
    def loaded(bound):
        file = tmp_path / "program.py"
        file.write_text(PROGRAM.format(bound))
        return load(file)
    known.note_kernels(loaded(1), 1)
    assert known.kernels_known(loaded(1)) == 1
    assert known.kernels_known(loaded(2)) is None


def test_a_kernel_is_saved_once_it_has_been_compiled(numbers):
    plan = unfused(compile_graph(halves(numbers).graph()))
    kernel, = tiers.kernels_of(drafted(plan, Knobs(1, kernels="always")).tiers)
    assert not kernel.is_saved
    kernel.warm()
    assert kernel.is_saved


def test_a_run_uses_what_a_process_beside_it_compiles(numbers, run, monkeypatch):
    fork, forks = background.compiled_apart, []

    def forked(*given):
        forks.append(fork(*given))
        return forks[-1]
    monkeypatch.setattr(background, "compiled_apart", forked)
    with_costs(monkeypatch, row=1.0)
    monkeypatch.setattr(compilation, "WORTH_WAITING", 600)
    _, wanted = run(halves(numbers), "sequential")
    assert run(halves(numbers), workers=1) == ("native", wanted)
    assert len(forks) == 1
    assert run(halves(numbers), workers=1) == ("native", wanted)
    assert len(forks) == 1
