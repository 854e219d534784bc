"""Results as pictures: one PNG for each plot."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.measurement import Plot


def draw(folder: Path, suite: str, plots: Iterable[Plot]) -> list[Path]:
    """Draws the plots; nothing when Matplotlib is not installed (the extra `bench`)."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("Agg")
    return [_drawn(folder / f"{suite}-{plot.name}.png", plot) for plot in plots]


def _drawn(file: Path, plot: Plot) -> Path:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), dpi=110)
    for name, points in plot.lines.items():
        axes.plot(*zip(*points), marker="o", label=name)
    if plot.log:
        axes.set_xscale("log")
    axes.set(title=plot.title, xlabel=plot.x, ylabel=plot.y)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(file)
    pyplot.close(figure)
    return file
