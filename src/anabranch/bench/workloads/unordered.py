"""No order at all, for the comparison: slices go on as they are finished.

It is a switch for benchmarks alone; a program can never ask for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anabranch.engine.multicore.reorder import REORDERINGS, Downstream

NAME = "none"


class NoReorder:
    """Hands everything on at once.

    >>> out = []
    >>> NoReorder(out.append, 4).send(7, "first come"), out
    (True, ['first come'])
    """

    held = 0

    def __init__(self, downstream: Downstream, size: int):
        self.downstream = downstream

    def send(self, number: int, output: object) -> bool:
        self.downstream(output)
        return True


@contextmanager
def order_may_be_lost() -> Iterator[None]:
    """`reorder="none"` is known to the engine inside."""
    REORDERINGS[NAME] = NoReorder
    try:
        yield
    finally:
        del REORDERINGS[NAME]
