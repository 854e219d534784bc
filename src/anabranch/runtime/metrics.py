"""What was measured of each stage and operator: for the user, and as JSON."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from anabranch.batch.outcomes import total
from anabranch.batch.slices import Step


@dataclass(frozen=True)
class OperatorMetrics:
    """An operator: the rows that came and went and the seconds that it computed, as far as its
    stage can tell (in a kernel, its share of some calls that were measured); and of its stage,
    how much work waits in its queue and how many workers it has, now and at most so far, on an
    engine that has queues and workers."""

    name: str
    rows_in: int | None
    rows_out: int | None
    seconds: float | None
    queue: int | None = None
    longest_queue: int | None = None
    workers: int | None = None
    most_workers: int | None = None

    @property
    def cost(self) -> float | None:
        """Seconds for each row."""
        return self.seconds / self.rows_in if self.rows_in and self.seconds is not None else None

    @property
    def selectivity(self) -> float | None:
        """Rows that went for each that came."""
        known = self.rows_in and self.rows_out is not None
        return self.rows_out / self.rows_in if known else None

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"cost": self.cost, "selectivity": self.selectivity}


@dataclass(frozen=True)
class StageMetrics:
    """A stage: its operators, how workers share it, the rows that came and went, the seconds that
    workers spent in it, what waits in its worklist and how many workers it has now; the tier in
    which it ran, why not in a faster one, and how many rows each tier had; how many slices wait in
    its reorder buffer, if it has one; and who serves it, in the words of the plan. What is not the
    program's, such as making text, has no tier."""

    operators: tuple[str, ...]
    sharing: str
    rows_in: int
    rows_out: int
    seconds: float
    waiting: int | None = None
    workers: int | None = None
    each: tuple[OperatorMetrics, ...] = ()
    tier: str = ""
    reason: str = ""
    rows_by_tier: dict[str, int] = field(default_factory=dict)
    reordering: int | None = None
    work: str = ""

    @property
    def tier_told(self) -> str:
        """The tier, and how many of its rows it left to plain Python.

        >>> StageMetrics(("f",), "", 9, 9, 0.1, tier="native", rows_by_tier={"native": 6, "rows": 3}
        ...              ).tier_told
        'native, 33% in rows'
        """
        left, every = self.rows_by_tier.get("rows", 0), sum(self.rows_by_tier.values())
        share = f"{max(left / every, 0.01):.0%}" if left and self.tier != "rows" else ""
        return f"{self.tier}, {share} in rows" if share else self.tier

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"each": [operator.as_json() for operator in self.each]}


def ends_of(names: tuple[str, ...], rows_in: int, rows_out: int) -> dict[str, tuple]:
    """What is known of operators that were computed as one."""
    first, last = names[0], names[-1]
    if first == last:
        return {first: (first, rows_in, rows_out, None)}
    return {first: (first, rows_in, None, None), last: (last, None, rows_out, None)}


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
