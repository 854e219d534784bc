"""Deeds and their sums by key: what tests of kernels on the multicore engine compute with."""

from __future__ import annotations

from collections.abc import Iterable

import anabranch as ab


class Deed(ab.Record):
    key: str
    value: int


class Sum(ab.State):
    value: int = 0


@ab.operator(by="key")
def summed(state: Sum, d: Deed):
    state.value += d.value
    yield Deed(d.key, state.value)


def deeds(values: Iterable[int], keys: str = "abc") -> ab.Stream:
    """One deed for each value; the keys take turns."""
    return ab.from_iterable(
        [Deed(keys[n % len(keys)], value) for n, value in enumerate(values)], Deed)
