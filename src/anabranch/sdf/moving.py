"""Splitters, joiners and the identity on blocks: items are only moved."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from anabranch.sdf.flow import Join, Split
from anabranch.sdf.stations import Arrays, Compute, Firings


def mover(body: Split | Join | None, outputs: int) -> Compute:
    """What an actor that only moves items does with a block."""
    if isinstance(body, Split):
        return _duplicated(outputs) if body.weights is None else _dealt(body.weights)
    return _gathered(body.weights) if isinstance(body, Join) else _duplicated(1)


def _duplicated(outputs: int) -> Compute:
    # Nobody writes into a block, so all readers may share it.
    return lambda firings: [firings.inputs[0][:firings.count]] * outputs


def _dealt(weights: tuple[int, ...]) -> Compute:
    total, columns = sum(weights), _columns(weights)

    def dealt(firings: Firings) -> Arrays:
        rows = firings.inputs[0][:firings.count * total].reshape(firings.count, total)
        return [np.ascontiguousarray(rows[:, column]).reshape(-1) for column in columns]
    return dealt


def _gathered(weights: tuple[int, ...]) -> Compute:
    total, columns = sum(weights), _columns(weights)

    def gathered(firings: Firings) -> Arrays:
        rows = np.empty((firings.count, total), firings.inputs[0].dtype)
        for items, weight, column in zip(firings.inputs, weights, columns):
            part = items[:firings.count * weight]
            rows[:, column] = part if weight == 1 else part.reshape(-1, weight)
        return [rows.reshape(-1)]
    return gathered


def _columns(weights: tuple[int, ...]) -> list[int | slice]:
    """The columns of each share; a single one as a number, which NumPy copies in one go.

    >>> _columns((1, 2))
    [0, slice(1, 3, None)]
    """
    ends = list(accumulate(weights))
    return [end - 1 if weight == 1 else slice(end - weight, end)
            for weight, end in zip(weights, ends)]
