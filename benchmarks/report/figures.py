"""Figures as texts, the same in every report."""

from __future__ import annotations

from benchmarks.measurement import Measurement, Outcome

COLUMNS = ("case", "contender", "rows/s", "spread", "speed", "answer", "start-up", "lines")
BESIDE = ("figure", "in the paper", "here", "why it differs")


def rate(rows_per_second: float) -> str:
    """
    >>> rate(8_550_000), rate(518_000), rate(12.34)
    ('8.55 M', '518 k', '12.3')
    """
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if rows_per_second >= size:
            return _three_digits(rows_per_second / size) + unit
    return _three_digits(rows_per_second)


def _three_digits(value: float) -> str:
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def rows(outcome: Outcome) -> list[tuple[str, ...]]:
    """A line for each contender. `speed` is relative to the first one of the case, `spread` how far
    the slowest run is from the fastest."""
    first: dict[str, Measurement] = {}
    lines = []
    for m in outcome.measurements:
        base = first.setdefault(m.case, m)
        lines.append((m.case if base is m else "", m.contender, rate(m.rows_per_second),
                      f"{100 * m.spread:.0f} %",
                      f"{m.rows_per_second / base.rows_per_second:.2f}", m.verdict.value,
                      "" if m.startup is None else f"{m.startup:.1f} s",
                      "" if m.lines is None else str(m.lines)))
    return lines
