"""Rows read so far and rows a second, for each source, on standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed
from rich.text import Text

INTERVAL = 0.1


class RowsColumn(ProgressColumn):
    """`1,200,000 rows  350,000 rows/s`."""

    def render(self, task: Task) -> Text:
        rows = int(task.completed)
        return Text(f"{rows:>13,} rows  {rows / max(task.elapsed or 0, 1e-9):>11,.0f} rows/s")


@contextmanager
def rows_read(sources: list[str], console: Console | None = None) -> Iterator[Callable]:
    """Gives the function that is told the rows read; the display goes away at the end."""
    # Standard output stays the program's own: Rich would send it to standard error as well.
    display = Progress(SpinnerColumn(), TextColumn("{task.description}"), RowsColumn(), Elapsed(),
                       console=console or Console(stderr=True), auto_refresh=False, transient=True,
                       redirect_stdout=False, redirect_stderr=False)
    with display:
        tasks = {name: display.add_task(name, total=None) for name in sources}
        yield _updater(display, tasks)


def _updater(display: Progress, tasks: dict) -> Callable[[dict[str, int]], None]:
    due = 0.0

    def update(read: dict[str, int], batches: int | None = None) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + INTERVAL
            for name, rows in read.items():
                shown = name if batches is None else f"{name}, batch {batches:,}"
                display.update(tasks[name], completed=rows, description=shown)
            display.refresh()
    return update
