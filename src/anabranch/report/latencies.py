"""How long rows took, in a histogram: exact enough for percentiles, and of bounded size."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from math import floor, log10

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
