"""How far down the nodes of a column stand: level with their neighbours, and apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def settled(wanted: Sequence[float], sizes: Sequence[float], gap: float,
            weights: Sequence[float]) -> list[float]:
    """The middles of nodes in this order, with a gap between them, as near to the wanted ones as
    that allows (least squares; the heavier a node, the less it moves).

    >>> settled([0, 0], [10, 10], 2, [1, 1])
    [-6.0, 6.0]
    >>> settled([0, 100], [10, 10], 2, [1, 1])
    [0.0, 100.0]
    """
    least = [0.0]
    for before, size in pairwise(sizes):
        least.append(least[-1] + (before + size) / 2 + gap)
    free = [middle - at for middle, at in zip(wanted, least)]
    return [level + at for level, at in zip(_rising(free, weights), least)]


def _rising(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The nearest sequence that never falls: neighbours that would fall get their mean."""
    groups: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights):
        group = (float(value), weight, 1)
        while groups and groups[-1][0] > group[0]:
            group = _together(groups.pop(), group)
        groups.append(group)
    return [value for value, _, count in groups for _ in range(count)]


def _together(one: tuple, other: tuple) -> tuple[float, float, int]:
    weight = one[1] + other[1]
    return (one[0] * one[1] + other[0] * other[1]) / weight, weight, one[2] + other[2]
