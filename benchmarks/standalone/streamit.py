"""FM radio of ten bands in StreamIt, against the same in NumPy.

    python benchmarks/standalone/streamit.py [MILLIONS OF SAMPLES [WORKERS,WORKERS...]]

Both read the same samples from memory. Medians of several runs: the first line of StreamIt is
compared with NumPy, the others with one worker. Wall-clock seconds need a quiet machine; seconds
of computing are shown beside them. Set OPENBLAS_NUM_THREADS=1 to hold NumPy to one core.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from anabranch.lang.streamit import schedule_of
from anabranch.lang.streamit.execution.blocks import BlockEnds, BlockRun
from anabranch.lang.streamit.sdf.schedule import Schedule

PROGRAM = Path(__file__).parents[2] / "examples" / "streamit" / "fm_radio.str"
RUNS = 5
RATE, TAPS, BANDS, DECIMATION = 250000, 64, 10, 5
FILES = """
void->void pipeline Radio {
    add FileReader<float>("samples");
    add LowPass(250000, 108000, 64, 4);
    add Demodulate(250000, 27000, 10000);
    add Equalizer(250000, 10, 64);
    add FileWriter<float>("sound");
}
"""


def low_pass(cutoff: float) -> np.ndarray:
    i, w = np.arange(TAPS), 2 * np.pi * cutoff / RATE
    x = i - (TAPS - 1) / 2
    return (np.sin(w * x) / np.pi / x * (0.54 - 0.46 * np.cos(2 * np.pi * i / (TAPS - 1)))).astype(
        np.float32)


def filtered(samples: np.ndarray, cutoff: float) -> np.ndarray:
    return np.convolve(samples, low_pass(cutoff)[::-1], "valid")


def in_numpy(samples: np.ndarray) -> np.ndarray:
    received = filtered(samples, 108000)[::DECIMATION]
    gain = np.float32(27000 * (RATE / (10000 * np.pi)))
    sound = gain * np.arctan(received[:-1] * received[1:])
    cuts = [55 * 2 ** (5 * i / BANDS) for i in range(BANDS + 1)]
    heard = np.zeros(len(sound) - TAPS + 1, np.float32)
    for band in range(BANDS):
        volume = np.float32(2 - abs(band - (BANDS - 1) / 2) / BANDS)
        heard += (filtered(sound, cuts[band + 1]) - filtered(sound, cuts[band])) * volume
    return heard


def in_streamit(schedule: Schedule, samples: np.ndarray, workers: int) -> np.ndarray:
    heard: list[np.ndarray] = []
    ends = BlockEnds({"FileReader": samples}, {"FileWriter": heard.append},
                     lambda text, count: None)
    BlockRun(schedule, None, ends, workers=workers).run()
    return np.concatenate(heard)


def measured(name: str, run: Callable[[], np.ndarray], base: float | None = None
             ) -> tuple[np.ndarray, float]:
    """Prints the median of some runs, and how often it goes into the seconds to compare with."""
    seconds, computing = [], []
    for _ in range(RUNS):
        began, computed = time.perf_counter(), time.process_time()
        result = run()
        seconds.append(time.perf_counter() - began)
        computing.append(time.process_time() - computed)
    wall, cpu = statistics.median(seconds), statistics.median(computing)
    times = f"{base / wall:6.2f} times" if base else ""
    print(f"{name:24} {wall:7.3f} s   {cpu:7.3f} s of computing   {times}", flush=True)
    return result, wall


def main(millions: float, workers: list[int]) -> None:
    samples = np.random.default_rng(1).random(int(millions * 1e6), np.float32)
    text = PROGRAM.read_text() + FILES
    began = time.process_time()
    schedule = schedule_of([(str(PROGRAM), text)], "Radio")
    print(f"scheduled in {time.process_time() - began:.2f} s of computing")
    for count in {1, *workers[:2]}:
        in_streamit(schedule, samples[:100_000], count)
    expected, in_numpy_seconds = measured("NumPy", lambda: in_numpy(samples))
    heard, base = measured("StreamIt, 1 worker", lambda: in_streamit(schedule, samples, 1),
                           in_numpy_seconds)
    difference = np.abs(heard[:len(expected)] - expected[:len(heard)]).max()
    print(f"largest difference, of the largest value: {difference / np.abs(expected).max():.1e}")
    for count in workers:
        again, _ = measured(f"StreamIt, {count} workers",
                            lambda count=count: in_streamit(schedule, samples, count), base)
        assert np.array_equal(again, heard), "the output depends on the workers"


if __name__ == "__main__":
    cores = os.cpu_count() or 1
    given = sys.argv[2] if len(sys.argv) > 2 else ",".join(
        str(2 ** k) for k in range(1, cores.bit_length()))
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10, [int(n) for n in given.split(",") if n])
