"""A recording of a run: every so often, what has been read, written and measured so far."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anabranch.report.latencies import Histogram, Latencies

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

    def __init__(self, report, every: float = EVERY, most: int = MOST):
        self.report, self.every, self.most = report, every, most
        self.samples: list[Sample] = []
        self.latencies = Latencies()
        self._stages: Callable[[], Sequence] = lambda: ()
        self._behind: Callable[[Sequence[float]], Sequence[tuple]] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True, name="anabranch report")

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
        self._thread.start()
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
