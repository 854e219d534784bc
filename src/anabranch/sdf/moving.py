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
    ends = list(accumulate(weights))

    def dealt(firings: Firings) -> Arrays:
        rows = firings.inputs[0][:firings.count * ends[-1]].reshape(firings.count, ends[-1])
        return [np.ascontiguousarray(rows[:, end - weight:end]).reshape(-1)
                for weight, end in zip(weights, ends)]
    return dealt


def _gathered(weights: tuple[int, ...]) -> Compute:
    ends = list(accumulate(weights))

    def gathered(firings: Firings) -> Arrays:
        rows = np.empty((firings.count, ends[-1]), firings.inputs[0].dtype)
        for items, weight, end in zip(firings.inputs, weights, ends):
            rows[:, end - weight:end] = items[:firings.count * weight].reshape(-1, weight)
        return [rows.reshape(-1)]
    return gathered
