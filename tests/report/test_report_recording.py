"""What is recorded of a run, and the lines that it becomes."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.engine.run import execute
from anabranch.report import series
from anabranch.runtime import recording as module
from anabranch.runtime.options import RunOptions, RunReport
from anabranch.runtime.recording import (
    SHORTEST,
    STEPS,
    Latencies,
    Recording,
    Sample,
    percentile,
    thinned,
    without_haste,
)

COUNTS = st.lists(st.tuples(st.floats(0.01, 2), st.integers(0, 1000)), min_size=2, max_size=30)


def samples_of(steps) -> list[Sample]:
    """Samples of a run that reads so many rows in so many seconds, again and again."""
    at, read, samples = 0.0, 0, [Sample(0.0, {"a": 0}, {"b": 0}, 0, (), {})]
    for seconds, rows in steps:
        at, read = at + seconds, read + rows
        samples.append(Sample(at, {"a": read}, {"b": 0}, 0, (), {rows: rows} if rows else {}))
    return samples


@given(COUNTS)
@settings(deadline=None)
def test_a_rate_adds_up_to_what_was_read(steps):
    samples = samples_of(steps)
    [line] = series.ends(samples, "read")
    times = [sample.at for sample in samples]
    area = sum(rate * (after - before)
               for (_, rate), before, after in zip(line.points, times, times[1:]))
    assert area == pytest.approx(samples[-1].read["a"])


@given(COUNTS)
@settings(deadline=None)
def test_thinning_loses_neither_the_ends_nor_any_latency(steps):
    samples = samples_of(steps)
    fewer = thinned(samples)
    assert (fewer[0], fewer[-1].at) == (samples[0], samples[-1].at)
    assert len(fewer) == 1 + math.ceil((len(samples) - 1) / 2)
    assert sum(sum(s.latencies.values()) for s in fewer) == \
        sum(sum(s.latencies.values()) for s in samples)


@given(st.lists(st.floats(SHORTEST, 1000), min_size=1), st.floats(0.01, 1))
@settings(deadline=None)
def test_percentiles_are_right_within_a_step(seconds, share):
    latencies = Latencies()
    for one in seconds:
        latencies.add(1, one)
    exact = sorted(seconds)[math.ceil(share * len(seconds) - 1e-9) - 1]
    found = percentile(latencies.taken(), share)
    assert exact / 1.001 <= found <= exact * 10 ** (1 / STEPS) * 1.001
    assert percentile(latencies.taken(), share) is None


@given(COUNTS)
@settings(deadline=None)
def test_the_last_moment_makes_no_peak(steps):
    samples = samples_of([*steps, (0.001, 3)])
    calm = without_haste(samples, 0.005)
    assert calm[-1].at - calm[-2].at >= 0.005
    assert calm[-1].read == samples[-1].read
    assert sum(sum(s.latencies.values()) for s in calm) == \
        sum(sum(s.latencies.values()) for s in samples)


def test_a_recording_takes_samples_while_the_run_goes_on():
    report = SimpleNamespace(read={"a": 0}, written={}, batches=0)
    with Recording(report, every=0.001) as recording:
        while len(recording.samples) < 5:
            report.read["a"] += 1
        report.read["a"] = total = report.read["a"] + 7
    assert recording.samples[0].read == {"a": 0}
    assert recording.samples[-1].read == {"a": total}
    assert [s.at for s in recording.samples] == sorted(s.at for s in recording.samples)


def test_a_long_recording_stays_small():
    report = SimpleNamespace(read={}, written={}, batches=0)
    with Recording(report, every=0.0005, most=8) as recording:
        while recording.every < 0.002:
            pass
    assert len(recording.samples) <= 10


def many_numbers(count: int) -> ab.Stream:
    return ab.from_iterable(range(count), int, name="numbers").filter(lambda n: n % 3 > 0, name="f")


@pytest.mark.parametrize("workers", [1, 3])
def test_the_multicore_engine_tells_of_every_row(workers):
    plan, out = compile_graph(many_numbers(5000).graph()), []
    report = RunReport({"numbers": 0}, {})
    with Recording(report, every=0.001) as recording:
        multicore.run(plan, {"numbers": iter(range(5000))}, lambda op, item: out.append(item),
                      workers=workers, recording=recording, kernels="never", processes="never")
    last = recording.samples[-1]
    assert out == [n for n in range(5000) if n % 3]
    assert sum(sum(s.latencies.values()) for s in recording.samples) == 5000
    first = last.stages[0].each[0]
    assert (first.name, first.rows_in, first.rows_out) == ("f", 5000, len(out))
    assert [stage.reordering for stage in last.stages if stage.reordering is not None] == (
        [0] if workers > 1 else [])


def test_nothing_is_recorded_without_a_report(monkeypatch):
    monkeypatch.setattr(module, "Recording", None)
    stream = many_numbers(10)
    items: list = []
    stream.collect_into(items)
    execute(compile_graph(stream.graph()), RunOptions(engine="multicore"))
    assert items == [1, 2, 4, 5, 7, 8]
