"""A recording of a run: what was read, written and measured, from time to time.

How long rows took lies in a histogram: exact enough for percentiles, and of bounded size.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

from anabranch.core.errors import UsageError
from anabranch.core.threads import start_thread
from anabranch.io.files.output import check_writable, write_whole
from anabranch.ir.ends import STANDARD
from anabranch.plan.logical.plan import Plan

if TYPE_CHECKING:
    from anabranch.runtime.options import RunOptions, RunReport

STEPS = 20
"""So many steps to each power of ten: a percentile is right within 12 per cent."""

SHORTEST = 1e-6

Histogram = Mapping[int, int]


class Latencies:
    """Counts rows by how long they took; may be fed by several workers at once."""

    def __init__(self):
        self._counts: Counter = Counter()
        self._lock = threading.Lock()

    def add(self, rows: int, seconds: float) -> None:
        step = floor(STEPS * log10(max(seconds, SHORTEST) / SHORTEST))
        with self._lock:
            self._counts[step] += rows

    def taken(self) -> Histogram:
        """The rows since it was last asked."""
        with self._lock:
            counts, self._counts = self._counts, Counter()
        return +counts


def percentile(counts: Histogram, share: float) -> float | None:
    """So many seconds that this share of the rows took no longer; None without rows.

    >>> latencies = Latencies()
    >>> latencies.add(99, 0.001); latencies.add(1, 0.5)
    >>> counts = latencies.taken()
    >>> round(percentile(counts, 0.5), 4), round(percentile(counts, 1.0), 1)
    (0.0011, 0.5)
    """
    wanted, seen = share * sum(counts.values()), 0
    for step in sorted(counts):
        seen += counts[step]
        if seen >= wanted:
            return SHORTEST * 10 ** ((step + 1) / STEPS)
    return None


EVERY = 0.1
MOST = 600
"""With more samples than these every other one is given up, and they are taken half as often."""


@dataclass(frozen=True)
class Sample:
    """What was so at one time: rows read and written so far by source and sink, batches done, the
    stages as the engine measures them, and how long the rows since the sample before took."""

    at: float
    read: dict[str, int]
    written: dict[str, int]
    batches: int
    stages: tuple = ()
    latencies: Histogram | None = None


class Recording:
    """Takes samples of a run's report while the block runs, and one at each end.

    An engine that measures its stages calls `watch`; one that learns only later what they did, but
    when, calls `watch_behind`; one that knows how long rows take tells `latencies`.
    """

    def __init__(self, report: RunReport, every: float = EVERY, most: int = MOST):
        self.report, self.every, self.most = report, every, most
        self.samples: list[Sample] = []
        self.latencies = Latencies()
        self._stages: Callable[[], Sequence] = lambda: ()
        self._behind: Callable[[Sequence[float]], Sequence[tuple]] | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, stages: Callable[[], Sequence]) -> None:
        """The function that measures the stages, now."""
        self._stages = stages

    def watch_behind(self, stages_at: Callable[[Sequence[float]], Sequence[tuple]]) -> None:
        """The function that tells, when the run has ended, how far the stages had come at times in
        seconds of the epoch."""
        self._behind = stages_at

    def __enter__(self) -> Recording:
        self.began, self.epoch = time.monotonic(), time.time()
        self._take()
        self._thread = start_thread(self._sample, name="report")
        return self

    def __exit__(self, *failure: object) -> None:
        self._over.set()
        self._thread.join()
        self._take()
        self.samples = without_haste(self.samples, self.every / 2)
        if self._behind is not None and failure[0] is None:
            known = self._behind([self.epoch + sample.at for sample in self.samples])
            self.samples = [replace(sample, stages=stages)
                            for sample, stages in zip(self.samples, known)]

    def _sample(self) -> None:
        while not self._over.wait(self.every):
            self._take()
            if len(self.samples) > self.most:
                self.samples, self.every = thinned(self.samples), 2 * self.every

    def _take(self) -> None:
        self.samples.append(Sample(
            time.monotonic() - self.began, dict(self.report.read), dict(self.report.written),
            self.report.batches, tuple(self._stages()), self.latencies.taken()))


def without_haste(samples: list[Sample], least: float) -> list[Sample]:
    """The last two as one if there is little time between them: what a moment shows is chance."""
    *before, last_but_one, last = samples
    if not before or last.at - last_but_one.at >= least:
        return samples
    return [*before, replace(last, latencies=_added([last_but_one, last]))]


def thinned(samples: Sequence[Sample]) -> list[Sample]:
    """The first, and of the others every second one, with the latencies of the one before."""
    first, *others = samples
    pairs = (others[i:i + 2] for i in range(0, len(others), 2))
    return [first, *(replace(pair[-1], latencies=_added(pair)) for pair in pairs)]


def _added(samples: Sequence[Sample]) -> Histogram:
    return sum((Counter(sample.latencies) for sample in samples), Counter())


@contextmanager
def recorded(plan: Plan, options: RunOptions, report: RunReport) -> Iterator[Recording | None]:
    """Gives the recording for a run that is to be reported; without `options.report` nothing is
    recorded."""
    if options.report is None:
        yield None
        return
    _check(plan, options.report)
    with Recording(report) as recording:
        yield recording
    # Pages need much that runs do not.
    from anabranch.report.page import run_page

    write_whole(options.report, run_page(options.engine, plan, report, recording.samples))


def _check(plan: Plan, path: str) -> None:
    """Finds out before the run that the page cannot be written, or would replace a sink's file."""
    check_writable(path)
    for op in plan.program.sinks:
        sink = op.kind.spec.place
        if sink not in (None, STANDARD) and Path(sink).resolve() == Path(path).resolve():
            raise UsageError(f"the report and the sink '{op.name}' are the same file", op.span,
                             help="give the report another file")
