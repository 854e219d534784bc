"""What generated code has counted in `c`, as a tally."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from numba import config

from anabranch.kernels.native.layout import OUT
from anabranch.kernels.native.memory import Memory
from anabranch.kernels.native.ticks import ticks
from anabranch.kernels.tally import Tally


def count(memory: Memory, tally: Tally | None, rows: int) -> None:
    """Adds what the last call did with so many rows."""
    if tally is not None:
        counters = memory.counters
        tally.add([*memory.stage.inner.given(counters, rows), int(counters[OUT])])


MEASURED = 4096
"""Of a slice whose time is measured so many rows are: that takes several times as long."""


def is_due(memory: Memory, tally: Tally | None) -> bool:
    """Whether it is time to measure the operators of a slice."""
    apart = len(memory.stage.inner.ones) > 1 and not config.DISABLE_JIT
    return tally is not None and apart and tally.is_due()


@contextmanager
def measured(memory: Memory, tally: Tally) -> Iterator[None]:
    """Measures the operators of a call that is `timed`."""
    began = ticks()
    yield
    found = memory.stage.inner.ticks(memory.counters, ticks() - began)
    # Where a row was not finished, its operators have only begun to be measured.
    if found == sorted(found, reverse=True) and found[-1] >= 0:
        tally.add_ticks(found)
