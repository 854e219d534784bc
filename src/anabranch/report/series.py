"""A recording as lines over time, and the figures of operators at its end, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from anabranch.runtime.recording import Sample, percentile

COLUMNS = ("rows in", "rows out", "out/in", "us/row", "busy s", "queue", "workers")
"""The last two: now, and the most there ever were."""


def figures(operator) -> list[str]:
    """What is not known is left out."""
    cost = None if operator.cost is None else operator.cost * 1e6
    known = ((operator.rows_in, "{:,}"), (operator.rows_out, "{:,}"),
             (operator.selectivity, "{:.2f}"), (cost, "{:.2f}"), (operator.seconds, "{:.3f}"),
             (operator.queue, f"{{}} ({operator.longest_queue})"),
             (operator.workers, f"{{}} ({operator.most_workers})"))
    return ["" if value is None else form.format(value) for value, form in known]


SHARES = {"half of the rows": 0.5, "90% of the rows": 0.9, "99% of the rows": 0.99}


@dataclass(frozen=True)
class Series:
    """A line: its values at times, in seconds from the beginning."""

    name: str
    points: tuple[tuple[float, float], ...]

    @property
    def highest(self) -> float:
        return max((value for _, value in self.points), default=0.0)

    @property
    def is_zero(self) -> bool:
        return not any(value for _, value in self.points)


def ends(samples: Sequence[Sample], which: str) -> list[Series]:
    """Rows a second, of every source (`read`) or sink (`written`)."""
    return [_rates(name, samples, lambda s, name=name: getattr(s, which)[name])
            for name in getattr(samples[-1], which)]


def batches(samples: Sequence[Sample]) -> list[Series]:
    """Batches done so far, of a run that has some."""
    line = Series("batches", tuple((s.at, s.batches) for s in samples))
    return [] if line.is_zero else [line]


def operators(samples: Sequence[Sample]) -> list[Series]:
    """Rows a second that came to each operator, or left it where only that is known."""
    known = [(name, count) for name in names(samples) for count in ("rows_in", "rows_out")
             if any(_of(s, name, count) is not None for s in samples)]
    first = dict(reversed(known))
    return [_rates(name, samples, lambda s, n=name: _of(s, n, first[n]) or 0)
            for name in names(samples) if name in first]


def names(samples: Sequence[Sample]) -> list[str]:
    """The operators that were measured, in the order of the pipeline."""
    return [operator.name for stage in samples[-1].stages for operator in stage.each]


def _of(sample: Sample, name: str, count: str) -> int | None:
    return next((getattr(operator, count) for stage in sample.stages for operator in stage.each
                 if operator.name == name), None)


def stages(samples: Sequence[Sample], what: str) -> list[Series]:
    """What every stage had over time: `waiting` or `reordering`."""
    return [Series(_name(stage), tuple(
                (s.at, getattr(s.stages[index], what)) for s in samples if s.stages))
            for index, stage in enumerate(samples[-1].stages)
            if getattr(stage, what) is not None]


def workers(samples: Sequence[Sample]) -> list[Series]:
    """How many workers every stage had, on average between two samples."""
    measured = [s for s in samples if s.stages]
    return [_rates(_name(stage), measured, lambda s, index=index: s.stages[index].seconds)
            for index, stage in enumerate(samples[-1].stages)]


def _name(stage) -> str:
    return " > ".join(stage.operators)


def latencies(samples: Sequence[Sample]) -> list[Series]:
    """Milliseconds that a share of the rows took at most, for several shares."""
    seen = [s for s in samples if s.latencies]
    return [Series(name, tuple((s.at, 1000 * percentile(s.latencies, share)) for s in seen))
            for name, share in SHARES.items()] if seen else []


def _rates(name: str, samples: Sequence[Sample], count: Callable[[Sample], float]) -> Series:
    return Series(name, tuple(_slopes([(s.at, count(s)) for s in samples])))


def _slopes(counts: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """How fast the counts grow; one that was corrected downwards stands still.

    >>> list(_slopes([(0.0, 0), (0.5, 100), (1.0, 100)]))
    [(0.5, 200.0), (1.0, 0.0)]
    """
    for (before, fewer), (at, more) in pairwise(counts):
        if at > before:
            yield at, max(0, more - fewer) / (at - before)
