"""Several workers do keys of one range from the hybrid queue, one from the partitioned queue."""

from __future__ import annotations

import threading
import time

import pytest

import anabranch as ab
from benchmarks.workloads.engine.skew import key_names

WORKERS = 4


class Row(ab.Record):
    key: int


class Seen(ab.State):
    count: int = 0


class Crowd:
    """How many are in it, and how many were at most."""

    def __init__(self):
        self.now, self.most, self.lock = 0, 0, threading.Lock()

    def __enter__(self):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *error):
        with self.lock:
            self.now -= 1


@pytest.mark.parametrize("queue, at_once", [("hybrid", True), ("partitioned", False)])
def test_how_many_work_on_keys_of_one_range(queue, at_once):
    crowd, same_range = Crowd(), key_names(WORKERS)[:8]

    @ab.operator(by="key", pure=True)
    def counted(state: Seen, row: Row):
        with crowd:
            time.sleep(0.002)
        state.count += 1
        yield row.key, state.count

    rows = [Row(key) for key in same_range * 10]
    found = ab.from_iterable(rows, Row).apply(counted).collect(
        engine="multicore", workers=WORKERS,
        tune={"queue": queue, "processes": "never", "slice_size": 8})
    assert found == [(key, 1 + turn) for turn in range(10) for key in same_range]
    assert (crowd.most > 1) == at_once
