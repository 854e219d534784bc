"""How a run gets on, on standard error: phases, rows, and how much is left."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.progress import Progress as Bars
from rich.progress import TimeElapsedColumn as Elapsed
from rich.text import Text

from anabranch.runtime.progress import Counted, Progress

INTERVAL = 0.1
REFRESHES = 4
"""So many times a second what is shown is brought up to date by itself."""
WIDTH = 20


class RowsColumn(ProgressColumn):
    """`1,200,000 rows  350,000 rows/s`; of a phase, how many of its tasks are done."""

    def render(self, task: Task) -> Text:
        if task.fields["phase"]:
            return Text(task.fields["said"]())
        rows = int(task.completed)
        return Text(f"{rows:>13,} rows  {rows / max(task.elapsed or 0, 1e-9):>11,.0f} rows/s")


class ShareColumn(BarColumn):
    """A bar, where it is known about how many rows will come."""

    def render(self, task: Task):
        return Text("") if task.total is None else super().render(task)


class StillToCome(ProgressColumn):
    """` 43 %  12 s left`. How many rows a file of text has is a guess, so the end is not told
    before it is there."""

    def render(self, task: Task) -> Text:
        if not task.total or task.fields["phase"]:
            return Text("")
        share = min(task.completed / task.total, 0.99)
        if not share:
            return Text("  0 %")
        left = (task.elapsed or 0) * (1 - share) / share
        return Text(f"{share:4.0%}  {duration(left)} left".replace("%", " %"))


def duration(seconds: float) -> str:
    """
    >>> duration(7.2), duration(187), duration(7_300)
    ('7 s', '3 min 7 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@contextmanager
def rows_read(sources: list[str], console: Console | None = None, until: str | None = None
              ) -> Iterator[Display]:
    """Gives who is told how the run gets on; the display goes away at the end, or when the phase
    `until` begins."""
    # Standard output stays the program's own: Rich would send it to standard error as well.
    bars = Bars(SpinnerColumn(), TextColumn("{task.description}"), ShareColumn(bar_width=WIDTH),
                RowsColumn(), StillToCome(), Elapsed(),
                console=console or Console(stderr=True), refresh_per_second=REFRESHES,
                transient=True, redirect_stdout=False, redirect_stderr=False)
    with bars:
        yield Display(bars, sources, until)


class Display(Progress):
    """A line for the phase, where a run tells its phases, and one for each source."""

    def __init__(self, bars: Bars, sources: list[str], until: str | None = None):
        self.bars, self.due, self.until = bars, 0.0, until
        self.running = bars.add_task("", total=None, phase=True, visible=False, said=str)
        self.sources = {name: bars.add_task(name, total=None, phase=False) for name in sources}

    def __call__(self, read: Mapping[str, int], batches: int | None = None) -> None:
        now = time.monotonic()
        if now >= self.due:
            self.due = now + INTERVAL
            for name, rows in read.items():
                shown = name if batches is None else f"{name}, batch {batches:,}"
                self.bars.update(self.sources[name], completed=rows, description=shown)

    def expect(self, rows: Mapping[str, int]) -> None:
        for name, total in rows.items():
            self.bars.update(self.sources[name], total=total)

    def phase(self, name: str, tasks: Counted | None = None) -> None:
        def said() -> str:
            with suppress(Exception):
                # Whoever is asked may have ended already.
                if tasks is not None and (found := tasks()) is not None:
                    return f"{found[0]:,} of {found[1]:,} tasks"
            return ""
        if name == self.until:
            self.bars.stop()
            return
        self.bars.reset(self.running, description=name, visible=True,
                        phase=True, said=said)
        self.bars.refresh()
