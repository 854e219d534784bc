"""A stream that is killed anywhere goes on as if nothing had happened.

The job of a batch runs in the process itself here, without Spark: so a process can be killed many
times a second, also in the middle of what makes a batch count.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
from contextlib import ExitStack
from functools import partial
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine.spark.job.pickling import dumped_program
from anabranch.engine.spark.job.pieces import decoded
from anabranch.engine.spark.job.tasks import work
from anabranch.engine.spark.stream import batches as stream
from anabranch.engine.spark.stream import checkpoint
from anabranch.engine.spark.stream.arrivals import Arrived
from anabranch.engine.spark.stream.sinks import Delivery, StreamSinks
from anabranch.engine.spark.stream.sources import StreamSources
from anabranch.engine.spark.stream.upgrade import noted_of
from anabranch.io.rows import BadRows
from anabranch.plan.physical.spark.cluster import Cluster
from anabranch.plan.physical.spark.plan import spark_plan
from anabranch.plan.physical.spark.reading import Asked
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.runtime.ends.binding import bound_graph
from anabranch.runtime.options import RunOptions
from engines.spark.streams import arrive, parts, sequential

KILLS = 60
FILES = 24
HEADER = "k,v"


class Item(ab.Record):
    k: int
    v: int


class Seen(ab.State):
    total: int = 0


@ab.operator(by="k")
def running(state: Seen, t: Item):
    state.total += t.v
    yield Item(t.k, state.total)


@ab.operator
def numbered(state: Seen, t: Item):
    state.total += 1
    yield Item(t.k, t.v * 1000 + state.total)


def program(folder: Path) -> ab.Stream:
    def told(t: Item) -> None:
        with open(folder / "told", "a") as file:
            file.write(f"{t.v}\n")
    steps = ab.read_csv(folder / "in", Item).apply(running).apply(numbered)
    steps.for_each(told, name="told")
    windows = steps.aggregate(ab.tumbling(count=4), by="k", v=ab.sum("v"))
    return windows.write_csv(folder / "out", name="out")


def without_repeats(lines: list[str]) -> list[str]:
    """The lines without those that are the same as the one before: here no two items are."""
    return [line for line, before in zip(lines, ["", *lines]) if line != before]


def in_this_process(context, physical, given_program, given, alone, planner):
    """Every task, one after another."""
    data, elements = dumped_program(given_program, list(given_program.graph)), given
    for index in range(len(given_program.segments)):
        if index:
            elements = sorted(elements, key=itemgetter(0))
        elements = list(work(data, index, elements))
    yield from map(decoded, elements)


CALLS = ("open", "replace", "fsync", "unlink", "mkdir", "listdir", "rmdir", "pwrite")


def dies_at(call: int) -> None:
    """This process is killed before or behind one of the calls that change files."""
    left = [call]

    def counted(function, *given, **named):
        for step in (lambda: None, lambda: function(*given, **named)):
            result = step()
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return result
    for name in CALLS:
        setattr(os, name, partial(counted, getattr(os, name)))


def live(folder: Path, buckets: int, last_call: int) -> None:
    """Does all batches that have not happened, and tells the end of the input."""
    import pyspark

    dies_at(last_call)
    pyspark.TaskContext.get = staticmethod(lambda: SimpleNamespace(
        partitionId=lambda: 0, taskAttemptId=lambda: 0))
    stream.slices_out = in_this_process
    plan = bound_graph(compile_graph(program(folder).graph()), RunOptions(part_files=True))
    physical = spark_plan(plan, SparkKnobs(fewest_buckets=1), Cluster(2), Asked(stream=True))
    graph = physical.graph
    counts = {op.name: 0 for op in graph}
    with ExitStack() as stack:
        opened = stack.enter_context(checkpoint.opened(
            str(folder / "ck"), noted_of(plan.program, []), buckets, False))
        sinks = StreamSinks(graph, counts, BadRows(), Delivery(opened.delivered))
        one = stream.RunningStream(SimpleNamespace(defaultParallelism=2, environment={}), physical,
                                   opened, StreamSources(physical, BadRows(), counts), sinks, 2,
                                   lambda manifest: None)
        one.begin(start_over=False)
        source = graph.sources[0].name
        for number in range(FILES // 3):
            files = (folder / "in" / f"{3 * number + n:05}.csv" for n in range(3))
            one.batch(number, [Arrived(source, str(f), f.stat().st_size) for f in files])
        one.end()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_killed_at_random_points(tmp_path):
    for number in range(FILES):
        arrive(tmp_path / "in", number, [f"{(n * n + number) % 5},{n}" for n in range(20)], HEADER)
    chosen, fork = random.Random(5), multiprocessing.get_context("fork")
    shown: list[str] = []
    lives = 0
    while True:
        last_call = chosen.randint(1, 80) if lives < KILLS else -1
        process = fork.Process(target=live, args=(tmp_path, chosen.choice((2, 3)), last_call))
        process.start()
        process.join()
        if process.exitcode != -signal.SIGKILL:
            break
        lives += 1
        now = parts(tmp_path / "out") if (tmp_path / "out").exists() else []
        assert now[:len(shown)] == shown
        shown = now
    assert (process.exitcode, lives) == (0, max(lives, 20))
    told = (tmp_path / "told").read_text().splitlines()
    (tmp_path / "told").unlink()
    whole = sequential(lambda: program(tmp_path), tmp_path / "out")
    assert parts(tmp_path / "out") == whole
    assert len(whole) > 100
    assert without_repeats(told) == (tmp_path / "told").read_text().splitlines()
    assert len(told) <= FILES * 20 + lives
