"""Bounded: memory stays flat behind a slow operator, and full queues deadlock nobody, whatever
variables operators share."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anabranch.batch.memory import Memory, MemoryRegion
from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from anabranch.plan.logical.regions import form
from anabranch.plan.physical.bonds import together
from engines.multicore.test_multicore_timing import Node, graph_of
from rewrite.models import declared_facts

FLAT = """
    import os, sys, time
    from pathlib import Path
    import anabranch as ab
    from anabranch.compile import compile_graph
    from anabranch.engine import multicore

    PAGE, ROWS, SIZE, BOUND = os.sysconf("SC_PAGE_SIZE"), 1600, 10, 4

    def resident():
        pids = [os.getpid(), *map(int, Path(f"/proc/self/task/{os.getpid()}/children")
                                  .read_text().split())]
        return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE for pid in pids)

    class Row(ab.Record):
        key: int
        load: bytes

    class Count(ab.State):
        seen: int = 0

    @ab.operator(by="key", pure=True)
    def slow(state: Count, t: Row):
        time.sleep(0.0005)
        state.seen += 1
        yield t.replace(load=t.load + b"!")

    seen, emitted = [], []

    def source():
        for n in range(ROWS):
            if n % (ROWS // 10) == 0:
                seen.append(resident())
            yield Row(n % 7, bytes(50_000))

    plan = compile_graph(ab.from_iterable([], Row).apply(slow).graph())
    multicore.run(plan, {plan.graph.sources[0].name: source()},
                  lambda op, item: emitted.append(len(item.load)), workers=int(sys.argv[1]),
                  slice_size=SIZE, slices_under_way=BOUND, processes=sys.argv[2],
                  kernels="never")
    assert emitted == [50_001] * ROWS
    # The buffers hold 2 MB, the input has 80: it must not be here.
    print((max(seen[2:]) - seen[1]) // 2**20)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("workers", "processes"), [(2, "always"), (2, "never"), (1, "never")])
def test_memory_stays_flat_behind_a_slow_operator(workers, processes, tmp_path):
    script = tmp_path / "flat.py"
    script.write_text(textwrap.dedent(FLAT))
    done = subprocess.run([sys.executable, str(script), str(workers), processes],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 25


def test_blocks_are_used_again():
    region = MemoryRegion(0)
    for _ in range(1000):
        region.released(region.stored([bytes(5000)]))
    assert region.end == 8192
    region.close()


def test_what_others_release_comes_back_to_the_owner():
    memory = Memory(1)
    memory.belongs_to(1)
    block = memory.stored(b"made by the process")
    memory.belongs_to(0)
    memory.release(block)
    assert memory.released_of(1) == [block]
    assert memory.released_of(1) == []
    memory.close()


def test_a_region_grows_while_others_read():
    region = MemoryRegion(0)
    small = region.stored([b"small"])
    view = region.view(small)
    large = region.stored([bytes(5_000_000)])
    assert (bytes(view), len(region.view(large))) == (b"small", 5_000_000)
    region.close()


def test_a_region_that_is_closed_shows_nothing_of_the_next_one():
    """A function of the user's may come back when its run is over, and another has begun."""
    old = MemoryRegion(0)
    block = old.stored([b"of the old run"])
    old.map = None
    old.close()
    new = MemoryRegion(0)
    new.stored([b"of the new run"])
    with pytest.raises(OSError):
        old.view(block)
    new.close()


shared = st.sampled_from([("u",), ("v",), ("u", "v"), ()])
chains = st.lists(shared, min_size=2, max_size=5)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(chains, st.sampled_from([1, 2]), st.sampled_from([1, 2]), st.sampled_from([2, 4]))
def test_shared_variables_and_full_queues_deadlock_nobody(shares, bound, size, workers):
    chosen = tuple(Node((n,), names, None, n) for n, names in enumerate(shares))
    graph = graph_of(chosen, [1], False)
    items = [(0, n) for n in range(12)]
    expected: list = []
    sequential.run(graph, {"source": items}, lambda op, item: expected.append((op.name, item)))
    out: list = []

    def emit(op, item):
        time.sleep(0.0002)
        out.append((op.name, item))

    def run():
        multicore.run(form(graph, declared_facts(graph)), {"source": items}, emit,
                      workers=workers, slice_size=size, slices_under_way=bound, processes="never")
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive(), "workers wait for each other"
    assert out == expected


@settings(deadline=None)
@given(chains)
def test_users_of_a_variable_have_one_lock_for_all(shares):
    """The classes of Soule et al.: operators that share a variable, directly or by way of others,
    are taken together by one worker, so nobody holds one variable and waits for another."""
    chosen = tuple(Node((n,), names, None, n) for n, names in enumerate(shares))
    graph = graph_of(chosen, [], False)
    for variable in graph.variables:
        users = {op.name for op in graph.sharing(variable.name)}
        assert any(users <= members for members in together(graph, {}))
