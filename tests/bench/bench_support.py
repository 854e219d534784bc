"""Contenders that are told what to answer, and a setting small enough for tests."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from benchmarks.measurement import Contender, Run, Setting

RIGHT = pa.table({"n": [1, 2, 3]})
SWAPPED = pa.table({"n": [2, 1, 3]})
WRONG = pa.table({"n": [1, 2, 4]})


def small(folder: Path, **given) -> Setting:
    return Setting(folder, **{"rows": 2_000, "repeat": 1, "scale": 0.001, **given})


def answering(name: str, *answers: pa.Table, ours: bool = True, seconds: float = 1.0) -> Contender:
    """A contender that gives these answers one after another, the last one again and again."""
    left = list(answers)

    def run() -> Run:
        return Run(seconds, left.pop(0) if len(left) > 1 else left[0])
    return Contender(name, run, ours)
