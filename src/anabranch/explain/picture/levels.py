"""The levels of all nodes: in a few sweeps each column is settled beside its neighbours."""

from __future__ import annotations

from collections.abc import Mapping

from anabranch.explain.picture.crossings import Columns
from anabranch.explain.picture.heights import settled
from anabranch.explain.picture.shapes import Name, Node

SWEEPS = 12

Neighbours = Mapping[Name, list[tuple[Name, float]]]
"""By name: the nodes that it is linked to, and how far from level with these it would be level."""


def levelled(columns: Columns, sizes: dict[Name, Node], neighbours: Neighbours,
             gap: float) -> dict[Name, float]:
    """The middle of every node; the highest node begins at 0."""
    column = {name: index for index, names in enumerate(columns) for name in names}
    middles: dict[Name, float] = {}
    for names in columns:
        middles |= _column(names, sizes, dict.fromkeys(names, 0.0), gap)
    for sweep in range(SWEEPS):
        step = 1 if sweep % 2 == 0 else -1
        for names in columns[::step]:
            wanted = {name: _wanted(name, middles, [
                (other, away) for other, away in neighbours.get(name, ())
                if sweep == SWEEPS - 1 or column[other] == column[name] - step])
                for name in names}
            middles |= _column(names, sizes, wanted, gap)
    top = min((middles[name] - sizes[name].height / 2 for name in middles), default=0.0)
    return {name: middle - top for name, middle in middles.items()}


def _wanted(name: Name, middles: dict[Name, float], linked: list[tuple[Name, float]]) -> float:
    if not linked:
        return middles[name]
    return sum(middles[other] + away for other, away in linked) / len(linked)


def _column(names: list[Name], sizes: dict[Name, Node], wanted: dict[Name, float],
            gap: float) -> dict[Name, float]:
    # What has no width is a point on a long link, which should run straight.
    weights = [1.0 if sizes[name].width else 4.0 for name in names]
    heights = [sizes[name].height for name in names]
    return dict(zip(names, settled([wanted[name] for name in names], heights, gap, weights)))
