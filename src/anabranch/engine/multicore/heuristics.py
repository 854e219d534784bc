"""Scheduling heuristics: each picks one of the stages that a worker could serve.

After Prasaad et al., section 6. `scheduler` gives what was measured; `ready` is never empty and
lists stages in the order of the pipeline.
"""

from __future__ import annotations

TIME_SLICE = 0.01
"""A worker serves a stage for so many seconds, then asks again."""

CAPACITY = 64
"""So much work the worklists hold together before QST throttles."""


def queue_size_throttling(scheduler, ready: list[int]) -> int:
    """QST: the earliest stage whose output has room; if none has, the last one makes some.

    The room is shared out by how much each stage gives for one source tuple.
    """
    gives = [scheduler.rows_out_each(stage) for stage in range(len(scheduler.shapes))]
    total = sum(gives)
    for stage in ready:
        threshold = CAPACITY * gives[stage] / total if total else CAPACITY
        behind = sum(scheduler.waiting[follower] for follower in scheduler.shapes[stage].feeds)
        if behind < max(threshold, 1):
            return stage
    return ready[-1]


def last_in_pipeline(scheduler, ready: list[int]) -> int:
    """LP: the latest stage that has input."""
    return ready[-1]


def estimated_time(scheduler, ready: list[int]) -> int:
    """ET: the stage whose worklist would take longest with one more worker."""
    def remaining(stage: int) -> float:
        seen = scheduler.measured[stage]
        return scheduler.waiting[stage] * seen.cost_of_one / (seen.workers + 1)
    return max(ready, key=remaining)


def current_throughput(scheduler, ready: list[int]) -> int:
    """CT: the stage that handles the fewest source tuples in this window, as allotted now.

    Its rows are counted in source tuples: what one source tuple becomes before the stage, so a
    stage that drops everything still has a throughput.
    """
    def source_tuples(stage: int) -> float:
        seen = scheduler.measured[stage]
        seconds = seen.window_busy + seen.workers * TIME_SLICE
        return seconds / (seen.cost * scheduler.rows_in_each(stage))
    return min(ready, key=source_tuples)


HEURISTICS = {"CT": current_throughput, "LP": last_in_pipeline, "ET": estimated_time,
              "QST": queue_size_throttling}
