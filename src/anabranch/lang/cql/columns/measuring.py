"""What the steps of a run did: the rows that came and went, and the seconds of computing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

from anabranch.ir.whole import Measured


@dataclass(frozen=True)
class Spent:
    """What a step did."""

    rows_in: int
    rows_out: int
    seconds: float

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.rows_in + other.rows_in, self.rows_out + other.rows_out,
                     self.seconds + other.seconds)


NOTHING = Spent(0, 0, 0.0)


def spent(call: Callable, now: object, inputs: Sequence) -> tuple[object, Spent]:
    """What a step gives for a slice, and what that took."""
    begun = time.thread_time()
    result = call(now, *inputs)
    return result, Spent(sum(map(_rows, inputs)), _rows(result), time.thread_time() - begun)


def _rows(result: object) -> int:
    return len(result) if hasattr(result, "__len__") else 0


class Tally:
    """Adds up what each step did, whichever thread called it."""

    def __init__(self, steps: int):
        self.each, self.lock = [NOTHING] * steps, Lock()

    def add(self, found: Sequence[Spent]) -> None:
        with self.lock:
            self.each = [a + b for a, b in zip(self.each, found)]


def measured(name: str, tier: str, steps: Sequence, found: Sequence[Spent]) -> Measured:
    """What an operator did, of the steps that it consists of."""
    came = found[0].rows_in if steps[0].inputs else found[0].rows_out
    return Measured(name, _sharing([each.step.ordered for each in steps]), tier, came,
                    found[-1].rows_out, sum(each.seconds for each in found))


def _sharing(ordered: Sequence[bool]) -> str:
    """How threads share an operator.

    >>> _sharing([False, True, False])
    'partly sequential'
    """
    if all(ordered):
        return "sequential"
    return "partly sequential" if any(ordered) else "stateless"
