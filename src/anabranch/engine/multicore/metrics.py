"""What was measured of each stage: for the user's eyes, and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from anabranch.engine.multicore.crew import Crew


@dataclass(frozen=True)
class StageMetrics:
    """A stage: its operators, how workers share it, the rows that came and went, the seconds that
    workers spent in it, what waits in its worklist and how many workers it has now."""

    operators: tuple[str, ...]
    sharing: str
    rows_in: int
    rows_out: int
    seconds: float
    waiting: int
    workers: int

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def measured(crew: Crew) -> list[StageMetrics]:
    """The stages of a crew's network, in the order of the pipeline."""
    with crew.changed:
        return [_metrics(crew, index) for index in range(len(crew.network.services))]


def _metrics(crew: Crew, index: int) -> StageMetrics:
    service, seen = crew.network.services[index], crew.scheduler.measured[index]
    waiting = max(service.worklist.available(worker) for worker in range(crew.workers))
    return StageMetrics(tuple(op.name for op in service.stage.operators),
                        service.stage.sharing.value, seen.rows_in, seen.rows_out, seen.busy,
                        waiting, seen.workers)
