"""A keyed running sum from file to file: the multicore engine against the sequential one.

Both run the same program on the same file, in one go; medians of three runs, rows a second, ratio.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from core import Event, running
from rich.console import Console
from rich.table import Table

import anabranch as ab

RUNS = 3
ROWS = {"sequential": 100_000, "multicore": 2_000_000}


def written(folder: Path, rows: int, form: str) -> Path:
    """A file of events over 10,000 keys."""
    path = folder / f"events-{rows}.{form}"
    events = ab.generate(lambda i: Event(ab.noise(i) % 10_000, float(i % 100)), rows, to=Event)
    getattr(events, f"write_{form}")(path)
    events.run()
    return path


def program(path: Path, form: str) -> ab.Stream:
    """Filter, map, and a running sum for each key."""
    events = getattr(ab, f"read_{form}")(path, Event)
    kept = events.filter(lambda e: e.value != 7.0).map(lambda e: e.replace(value=e.value * 2.0))
    totals = kept.apply(running)
    return getattr(totals, f"write_{form}")(path.with_name(f"out.{form}"))


def rows_per_second(path: Path, form: str, engine: str) -> tuple[float, str]:
    seconds, tier = [], ""
    for _ in range(RUNS):
        began = time.perf_counter()
        tier = program(path, form).run(engine=engine).tier
        seconds.append(time.perf_counter() - began)
    return ROWS[engine] / statistics.median(seconds), tier


def main() -> None:
    table = Table(title=f"filter, map, running sum by key, median of {RUNS} runs")
    for column in ("file to file", "engine", "tier", "rows/s", "ratio"):
        table.add_column(column, justify="right" if column in ("rows/s", "ratio") else "left")
    with tempfile.TemporaryDirectory() as folder:
        for form in ("csv", "parquet"):
            base = None
            for engine, rows in ROWS.items():
                speed, tier = rows_per_second(written(Path(folder), rows, form), form, engine)
                base = base or speed
                table.add_row(form, engine, tier, f"{speed:,.0f}", f"{speed / base:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
