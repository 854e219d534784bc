"""The outputs of all workers, as far as complete, in the order of their events."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from anabranch.batch.items import Columns, joined
from anabranch.runtime.gang.messages import END, Done, Run
from anabranch.runtime.gang.updates import Failed


class Collector:
    """What the workers of a plan have done so far."""

    def __init__(self, workers: int):
        self.until, self.seconds = [0] * workers, [0.0] * workers
        self.pending: list[Run] = []
        self.failures: list[Failed] = []

    def add(self, done: Done) -> None:
        self.until[done.worker] = done.until
        # Who could not even send its message does not tell of seconds.
        self.seconds[done.worker] = max(self.seconds[done.worker], done.seconds)
        self.pending += [run for run in done.outputs if len(run)]
        if done.failure is not None:
            self.failures.append(done.failure)

    @property
    def complete(self) -> int:
        """Before this stamp, all outputs are here; they end with the first failure."""
        return min(self.until)

    def taken(self, until: int) -> list[Run]:
        """The outputs before a stamp up to which they are complete; each run is in order."""
        parted = [run.parted(until) for run in self.pending]
        self.pending = [after for _, after in parted if len(after)]
        return [before for before, _ in parted if len(before)]

    @property
    def failure(self) -> Failed | None:
        """The first failure, once it is certain that none comes before it."""
        first = min(self.failures, key=lambda failed: failed.stamp, default=None)
        return first if first is not None and self.complete >= first.stamp else None


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Runs such that each stands wholly before the next: those of several workers interleave.

    >>> in_order([Run([0, 2], "ac"), Run([1], "b")])
    [Run(stamps=[0], items='a'), Run(stamps=[1], items='b'), Run(stamps=[2], items='c')]
    """
    waiting = [run for run in runs if len(run)]
    ordered = []
    while waiting:
        first = min(waiting, key=lambda run: run.stamps[0])
        others = [run for run in waiting if run is not first]
        before, after = first.parted(min((run.stamps[0] for run in others), default=END))
        ordered.append(before)
        waiting = [*others, *([after] if len(after) else [])]
    return ordered


def in_one(runs: Sequence[Run]) -> Run:
    """The outputs of several runs in the order of their stamps; columns stay columns.

    >>> in_one([Run([0, 3], "ad"), Run([], []), Run([1], "b")])
    Run(stamps=[0, 1, 3], items=['a', 'b', 'd'])
    """
    # No stamps are of no type, which NumPy takes for floats.
    runs = [run for run in runs if len(run)]
    if len(runs) < 2:
        return runs[0] if runs else Run([], [])
    if all(isinstance(run.items, Columns) for run in runs):
        stamps = np.concatenate([np.asarray(run.stamps) for run in runs])
        order = np.argsort(stamps, kind="stable")
        return Run(stamps[order], joined([run.items for run in runs]).taken(order))
    pairs = sorted(((stamp, item) for run in runs for stamp, item in zip(run.stamps, run.items)),
                   key=itemgetter(0))
    return Run([stamp for stamp, _ in pairs], [item for _, item in pairs])
