"""What was measured of each stage and of each operator: for the user's eyes, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.flows import Step
from anabranch.engine.multicore.reorder import LockReorder, NonBlockingReorder
from anabranch.engine.multicore.stages import Sharing

Reorder = NonBlockingReorder | LockReorder


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
    which it ran, why not in a faster one, and how many rows each tier had; and how many slices
    wait in its reorder buffer, if it has one. What is not the program's, such as making text, has
    no tier."""

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

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"each": [operator.as_json() for operator in self.each]}


def measured(crew: Crew, buffers: Mapping[int, Reorder]) -> list[StageMetrics]:
    """The stages of a crew's network, in the order of the pipeline."""
    with crew.changed:
        stages = [_metrics(crew, index) for index in range(len(crew.network.services))]
    return [replace(stage, reordering=buffers[index].held) if index in buffers else stage
            for index, stage in enumerate(stages)]


def _metrics(crew: Crew, index: int) -> StageMetrics:
    service, seen = crew.network.services[index], crew.scheduler.measured[index]
    workers, queue = seen.workers + service.elsewhere, service.waiting
    longest, peak = max(seen.longest, service.longest), max(seen.peak, service.most_elsewhere)
    names = tuple(op.name for op in service.stage.operators)
    steps = service.meter.seen
    first = steps.get(names[0], Step(names[0], 0, 0, 0.0))
    if service.stage.sharing is not Sharing.TOGETHER and first.rows_in < seen.rows_in:
        steps = ends_of(names, seen.rows_in, seen.rows_out)
    each = tuple(OperatorMetrics(*steps.get(name, (name, None, None, None)), queue, longest,
                                 workers, peak) for name in names)
    # The workers of a plan are none of the crew's.
    busy = max(seen.busy, sum(step.seconds for step in service.meter.steps))
    return StageMetrics(names, service.stage.sharing.value, seen.rows_in, seen.rows_out, busy,
                        queue, workers, each)


def ends_of(names: tuple[str, ...], rows_in: int, rows_out: int) -> dict[str, tuple]:
    """What is known of operators that were computed as one."""
    first, last = names[0], names[-1]
    if first == last:
        return {first: (first, rows_in, rows_out, None)}
    return {first: (first, rows_in, None, None), last: (last, None, rows_out, None)}
