"""Failing functions, killed processes, Ctrl-C and bad sources: a clear error, never a hang."""

import itertools
import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import DataError, RunError
from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from engines.multicore.support import items_of

WORKERS = [1, 2, 4]


class Row(ab.Record):
    key: int
    value: int


class Sum(ab.State):
    total: int = 0


def rows(count: int) -> ab.Stream:
    return ab.from_iterable([Row(n % 5, n) for n in range(count)], Row)


def divide(t: Row):
    return t.replace(value=100 // (t.value - 61))


@ab.operator(by="key")
def fails_on_the_thirteenth(state: Sum, t: Row):
    state.total += 1
    if state.total == 13 and t.key == 3:
        raise ValueError("the thirteenth")
    yield t


@ab.operator(by="key")
def fails_at_the_end(state: Sum, t: Row):
    state.total += t.value
    yield t


@fails_at_the_end.at_end
def last(state: Sum):
    yield Row(0, 1 // (state.total - 38))


def twice(t: Row):
    return [t, t.replace(value=-t.value)]


@ab.operator
def unkeyed(state: Sum, t: Row):
    state.total += t.value
    if state.total > 1000:
        raise KeyError("too much")
    yield t


PROGRAMS = {
    "stateless": lambda: rows(100).map(divide),
    "partitioned": lambda: rows(100).apply(fails_on_the_thirteenth),
    "unpartitioned": lambda: rows(100).apply(unkeyed),
    "the earlier tuple counts": lambda: rows(100).map(divide).apply(unkeyed),
    "the later operator fails first": lambda: rows(100).apply(fails_on_the_thirteenth).map(divide),
    "two outputs of one tuple": lambda: rows(100).flat_map(twice).map(divide),
    "in a branch": lambda: rows(100).filter(lambda t: t.value % 2).map(divide).union(
        rows(100).map(divide), arrival=True),
    "at the end": lambda: rows(20).apply(fails_at_the_end),
    "in a loop": lambda: rows(100).loop(
        lambda s: (s, s.filter(lambda t: t.value > 50).map(divide))),
}


def run_to_failure(run) -> tuple[list, Exception]:
    out: list = []
    with pytest.raises(Exception) as caught:
        run(lambda op, item: out.append(item))
    return out, caught.value


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_error_of_the_sequential_engine(name, size, workers):
    graph = PROGRAMS[name]().graph()
    expected, first = run_to_failure(
        lambda emit: sequential.run(graph, items_of(graph), emit))
    out, error = run_to_failure(
        lambda emit: multicore.run(compile_graph(graph), items_of(graph), emit,
                                   workers=workers, slice_size=size, processes="always"))
    assert type(error) is type(first) is RunError
    assert (error.what, error.got, error.where) == (first.what, first.got, first.where)
    assert out == expected[:len(out)]


@pytest.mark.parametrize("workers", WORKERS)
def test_a_failing_sink(workers):
    graph = rows(50).graph()

    def emit(op, item):
        if item.value == 33:
            raise OSError("disk full")
        out.append(item)
    out: list = []
    with pytest.raises(RunError, match="disk full"):
        multicore.run(compile_graph(graph), items_of(graph), emit, workers=workers, slice_size=4)
    assert [t.value for t in out] == list(range(33))


@pytest.mark.parametrize("workers", WORKERS)
def test_a_bad_source_row_ends_the_run_behind_the_rows_before_it(workers):
    def broken():
        yield from (Row(n, n) for n in range(10))
        raise DataError("row 11 is not what it should be")
    graph = rows(1).map(lambda t: t.value).graph()
    out: list = []
    with pytest.raises(DataError, match="row 11"):
        multicore.run(compile_graph(graph), dict.fromkeys([graph.sources[0].name], broken()),
                      lambda op, item: out.append(item), workers=workers, slice_size=4)
    assert out == list(range(10))


@pytest.mark.parametrize("workers", WORKERS)
def test_a_failure_does_not_wait_for_a_source_that_gives_nothing(workers):
    nothing_comes, end = os.pipe()

    def silent():
        yield Row(0, 61)
        select.select([nothing_comes], [], [], 120)
    graph = rows(1).map(divide).graph()
    began = time.monotonic()
    try:
        with pytest.raises(RunError, match="ZeroDivisionError"):
            multicore.run(compile_graph(graph), {graph.sources[0].name: silent()},
                          lambda op, item: None, workers=workers)
    finally:
        os.close(end)
        os.close(nothing_comes)
    assert time.monotonic() - began < 60


def test_a_killed_process_is_an_error_within_seconds():
    def slow(t: Row):
        time.sleep(0.01)
        return (t.value, os.getpid())
    graph = ab.from_iterable([], Row).map(slow).graph()
    killed = threading.Event()

    def emit(op, item):
        if not killed.is_set():
            killed.set()
            assert item[1] != os.getpid()
            os.kill(item[1], signal.SIGKILL)
    began = time.monotonic()
    endless = (Row(n, n) for n in itertools.count())
    plan = _forced_parallel(graph)
    with pytest.raises(RunError, match="killed by SIGKILL"):
        multicore.run(plan, {graph.sources[0].name: endless}, emit, workers=2, slice_size=5,
                      processes="always")
    assert time.monotonic() - began < 60


def _forced_parallel(graph):
    """`time.sleep` and `os.getpid` are not pure, so the facts are declared."""
    from anabranch.plan.logical.regions import form
    from rewrite.models import declared_facts
    return form(graph, declared_facts(graph))


def children() -> set[str]:
    """The processes that this one has started and not waited for; Spark's may be among them."""
    return {found.name for found in Path("/proc").glob("[0-9]*") if parent(found) == os.getpid()}


def parent(process: Path) -> int | None:
    with suppress(OSError):
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    return None


def test_nothing_is_left_behind():
    graph = rows(200).map(divide).graph()
    plan, before = compile_graph(graph), children()
    for _ in range(3):
        run_to_failure(lambda emit: multicore.run(plan, items_of(graph), emit, workers=3,
                                                  slice_size=9, processes="always"))
    assert not [t for t in threading.enumerate() if t.name.startswith("anabranch worker")]
    assert children() <= before


@pytest.mark.parametrize("workers", WORKERS)
def test_a_function_that_exits_fails_as_on_the_sequential_engine(workers):
    def leave(t: Row):
        if t.value == 30:
            raise SystemExit(7)
        return t
    graph = rows(50).map(leave).graph()
    expected, first = run_to_failure(lambda emit: sequential.run(graph, items_of(graph), emit))
    out, error = run_to_failure(lambda emit: multicore.run(
        compile_graph(graph), items_of(graph), emit, workers=workers, slice_size=4,
        processes="always"))
    assert (error.what, error.got, error.where) == (first.what, first.got, first.where)
    assert out == expected


def test_an_item_that_cannot_travel():
    class Plain:
        def __init__(self, n):
            self.n = n
    graph = rows(20).map(lambda t: Plain(t.value)).graph()
    out: list = []
    multicore.run(_forced_parallel(graph), items_of(graph), lambda op, item: out.append(item.n),
                  workers=2, slice_size=3, processes="always")
    assert out == list(range(20))
    graph = rows(20).apply(running_plain).graph()
    with pytest.raises(RunError, match="cannot travel"):
        multicore.run(_forced_parallel(graph), items_of(graph), lambda op, item: None,
                      workers=2, slice_size=3, processes="always")


@ab.operator(by="key")
def running_plain(state: Sum, t: Row):
    yield lambda: t


SCRIPT = """
    import itertools, sys, time
    import anabranch as ab
    from anabranch.compile import compile_graph
    from anabranch.engine import multicore

    def work(n):
        x = 0
        for i in range(2000):
            x += i
        return n

    graph = ab.from_iterable([], int).map(work, to=int).graph()
    def emit(op, item):
        print(item, flush=True)
    try:
        multicore.run(compile_graph(graph), {graph.sources[0].name: itertools.count()}, emit,
                      workers=%d, slice_size=10, processes="always")
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_leaves_a_prefix(workers, tmp_path: Path):
    script = tmp_path / "endless.py"
    script.write_text(textwrap.dedent(SCRIPT % workers))
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, start_new_session=True) as process:
        first = [process.stdout.readline() for _ in range(25)]
        os.killpg(process.pid, signal.SIGINT)
        rest, errors = process.stdout.read(), process.stderr.read()
        process.wait(timeout=20)
    printed = [int(line) for line in "".join([*first, rest]).split()]
    assert printed == list(range(len(printed)))
    assert (process.returncode, errors) == (130, "")


ORPHANS = """
    import itertools, os
    from pathlib import Path
    import anabranch as ab
    from anabranch.compile import compile_graph
    from anabranch.engine import multicore

    def work(n):
        x = 0
        for i in range(2000):
            x += i
        return n

    graph = ab.from_iterable([], int).map(work, to=int).graph()
    def emit(op, item):
        if item == 100:
            print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
    multicore.run(compile_graph(graph), {graph.sources[0].name: itertools.count()}, emit,
                  workers=2, slice_size=10, processes="always")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_no_process_outlives_a_killed_engine(tmp_path: Path):
    script = tmp_path / "orphans.py"
    script.write_text(textwrap.dedent(ORPHANS))
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as process:
        children = process.stdout.readline().split()
        assert len(children) == 2
        assert not [name for name in os.listdir("/dev/shm") if "anabranch" in name]
        process.kill()
    deadline = time.monotonic() + 20
    while any(_is_alive(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(_is_alive(pid) for pid in children)


def _is_alive(pid: str) -> bool:
    """A zombie that nobody has taken notice of yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("named", ["anabranch worker", "anabranch dispatcher"])
def test_a_request_to_end_while_threads_are_started(monkeypatch, named):
    """It ends the run as one that comes later does, and is not hidden by what has not begun."""
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if thread.name.startswith(named) and thread.name != "anabranch worker 0":
            raise KeyboardInterrupt
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    graph = rows(100).map(divide).graph()
    with pytest.raises(KeyboardInterrupt):
        multicore.run(compile_graph(graph), items_of(graph), lambda op, item: None, workers=2,
                      processes="always", slice_size=10)
