"""A meter: adds up what each operator of a stage did."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from anabranch.engine.multicore.flows import Step
from anabranch.engine.multicore.outcomes import total


class Meter:
    """May be read and fed by several workers at once.

    >>> meter = Meter()
    >>> meter.add([Step("f", 3, 1, 0.5)]); meter.add([Step("f", 2, 2, 0.25)])
    >>> meter.seen["f"].rows_in
    5
    """

    def __init__(self):
        self.steps: tuple[Step, ...] = ()
        self.lock = threading.Lock()

    def add(self, steps: Iterable[Step]) -> None:
        with self.lock:
            self.steps = total((*self.steps, *steps))

    @property
    def seen(self) -> dict[str, Step]:
        return {step.operator: step for step in self.steps}
