"""What was measured of each stage at work, and of the merges that keep order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from anabranch.batch.slices import Step
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.reorder import Merge
from anabranch.plan.physical.stages import Sharing
from anabranch.runtime.metrics import OperatorMetrics, StageMetrics, ends_of


def measured(crew: Crew, merges: Mapping[int, Merge]) -> list[StageMetrics]:
    """The stages of a crew's network, in the order of the pipeline."""
    with crew.changed:
        stages = [_metrics(crew, index) for index in range(len(crew.network.services))]
    return [replace(stage, reordering=merges[index].held) if index in merges else stage
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
