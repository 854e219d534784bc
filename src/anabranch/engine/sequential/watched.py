"""The sequential engine with a recording: what operators did, how long tuples took.

Without a report nothing of this runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from anabranch.batch.failure import ReportLate
from anabranch.ir.graph import Graph, Operator
from anabranch.runtime.ends.emitting import Emit, is_full
from anabranch.runtime.ends.merging import merged
from anabranch.runtime.machine import Machine
from anabranch.runtime.metrics import OperatorMetrics, StageMetrics
from anabranch.runtime.recording import Recording


def run(graph: Graph, sources: dict[str, Iterable[object]], emit: Emit, limit: int | None,
        recording: Recording, measured: list[StageMetrics],
        late: ReportLate = lambda row: None) -> None:
    """Runs the graph as the sequential engine does; at the end `measured` has what was seen."""
    machine = WatchedMachine(graph, emit, late)
    recording.watch(machine.now)
    try:
        with closing(merged(graph, sources, limit)) as tuples:
            for source, item in tuples:
                began = time.perf_counter()
                machine.push(source, item)
                if is_full(emit):
                    return
                recording.latencies.add(1, time.perf_counter() - began)
        machine.finish()
    finally:
        measured.extend(machine.now())


@dataclass
class Firings:
    """What an operator did so far."""

    rows_in: int = 0
    rows_out: int = 0
    seconds: float = 0.0
    longest: int = 0


class WatchedMachine(Machine):
    """A machine that counts and times the firings of every operator."""

    def __init__(self, graph: Graph, emit: Emit, late: ReportLate):
        self.seen = {op.name: Firings() for op in graph if not op.is_source}
        super().__init__(graph, emit, late)

    def now(self) -> list[StageMetrics]:
        """Each operator as a stage of its own: one worker goes from one to the next."""
        return [self._metrics(index, op) for index, op in enumerate(self.graph)
                if not op.is_source]

    def _metrics(self, index: int, op: Operator) -> StageMetrics:
        seen, waiting = self.seen[op.name], sum(map(len, self.queues[index]))
        each = OperatorMetrics(op.name, seen.rows_in, seen.rows_out, seen.seconds, waiting,
                               seen.longest, 0, 1)
        return StageMetrics((op.name,), "sequential", seen.rows_in, seen.rows_out, seen.seconds,
                            waiting, 0, (each,), "rows")

    def _fire_of(self, op: Operator):
        fire = super()._fire_of(op)
        return None if fire is None else partial(self._timed, self.seen[op.name], fire)

    def _timed(self, seen: Firings, fire: Callable, port: int, item: object) -> list:
        began = time.perf_counter()
        outputs = list(fire(port, item))
        seen.seconds += time.perf_counter() - began
        seen.rows_in += 1
        seen.rows_out += len(outputs)
        return outputs

    def _deliver(self, op: Operator, outputs: Iterable[tuple[int, object]]) -> None:
        super()._deliver(op, outputs)
        for index in {index for port in self.targets[op.name] for index, _ in port}:
            seen = self.seen[self.graph.operators[index].name]
            seen.longest = max(seen.longest, sum(map(len, self.queues[index])))
