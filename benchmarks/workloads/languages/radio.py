"""FM radio of ten bands in StreamIt, against the same computation in NumPy.

The program is that of `benchmarks/standalone/streamit.py`. All read the same samples from memory.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

from anabranch.lang.streamit import schedule_of
from benchmarks.measurement import Contender, Outcome, Plot, Run, Setting
from benchmarks.runner import at_least, compared, ratio, workers
from benchmarks.standalone import streamit as script
from benchmarks.workloads.engine.scaling import COUNTS

CASE, PEER = "samples to sound", "numpy"
SAMPLES = 10_000_000
WANTED = {2: 1.8, 16: 12.0}
"""How many times one worker so many are to be."""
CLOSE = 1e-4
"""NumPy sums in another order: a difference that is allowed, of the largest value."""


def measure(setting: Setting) -> Outcome:
    samples = np.random.default_rng(1).random(int(SAMPLES * setting.scale), np.float32)
    schedule = schedule_of([(str(script.PROGRAM), script.PROGRAM.read_text() + script.FILES)],
                           "Radio")
    counts = sorted({1, 2, *(n for n in COUNTS if n <= (os.cpu_count() or 1))})
    for count in counts:
        script.in_streamit(schedule, samples[:100_000], count)
    heard = script.in_streamit(schedule, samples, 1)
    ours = [Contender(workers(n), partial(_timed, partial(
        script.in_streamit, schedule, samples, n)), ours=True) for n in counts]
    numpy = Contender(PEER, partial(_timed, partial(_close, script.in_numpy, samples, heard)))
    outcome = compared(CASE, [*ours, numpy], _table(heard), len(samples), setting)
    return outcome.joined(_judged(outcome, counts))


def _judged(outcome: Outcome, counts: list[int]) -> Outcome:
    def speed(n: int) -> float | None:
        return ratio(outcome, CASE, workers(n), workers(1))
    goals = [at_least("1 worker, against NumPy", ratio(outcome, CASE, workers(1), PEER), 1.0),
             *(at_least(f"{workers(n)} against one", speed(n), wanted)
               for n, wanted in WANTED.items())]
    points = [(n, times) for n in counts if (times := speed(n))]
    return Outcome(goals=goals, plots=[Plot("radio", "FM radio", "workers", "times one worker",
                                            {"anabranch": points})])


def _close(in_numpy: Callable, samples: np.ndarray, heard: np.ndarray) -> np.ndarray:
    """What was heard, if NumPy hears almost the same."""
    found = in_numpy(samples)
    length = min(len(found), len(heard))
    difference = np.abs(found[:length] - heard[:length]).max()
    return heard if difference < CLOSE * np.abs(heard).max() else found


def _timed(run: Callable[[], np.ndarray]) -> Run:
    began = time.perf_counter()
    heard = run()
    return Run(time.perf_counter() - began, _table(heard))


def _table(heard: np.ndarray) -> pa.Table:
    return pa.table({"sound": heard})
