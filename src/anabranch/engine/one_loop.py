"""Runs a line from a file to a file as one Python loop, if that is all it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from anabranch.batch.items import Columns
from anabranch.engine.contract import BeginAnew, EnginePlan
from anabranch.engine.line import OneLoop, faster_loop, loop_execution, one_loop
from anabranch.io.rows import BadRows
from anabranch.kernels.loop.run import LoopRun
from anabranch.kernels.loop.text import NoLoop
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.tuning import Knobs, costs
from anabranch.runtime.ends.binding import counted_items, opened_sinks
from anabranch.runtime.ends.emitting import Emitter
from anabranch.runtime.ends.enough import enough
from anabranch.runtime.ends.reading import Many
from anabranch.runtime.metrics import OperatorMetrics, StageMetrics
from anabranch.runtime.options import RunOptions, RunReport

IMPORTS = 0.1
"""What was measured counts from so many seconds on: the first rows wait for some imports."""


class Slow(Exception):
    """Workers would be done sooner, although they begin anew."""


def loop_plan(engine: str, plan: Plan, options: RunOptions, otherwise: Callable[[], EnginePlan],
             knobs: Knobs | None = None, then: Callable[[int], None] = lambda rows: None,
             in_rows: Callable[[], Reason | None] = lambda: None) -> EnginePlan | None:
    """The plan as one loop, if there is one; the engine begins anew `otherwise` where it cannot go
    on, and `then` is told how many rows were read, if kernels would have been another way. With the
    `knobs` of an engine that has workers what is short runs so, and what would be `in_rows`."""
    found = _loop_for(plan, options, knobs, in_rows)
    if found is None:
        return None

    def run(report: RunReport) -> None:
        _run(plan, found, options, report, knobs)
        if not found.lasting:
            then(sum(report.read.values()))
    told = partial(loop_execution, engine, found, knobs and knobs.workers)
    return EnginePlan(told, run, otherwise)


def _loop_for(plan: Plan, options: RunOptions, knobs: Knobs | None,
              in_rows: Callable[[], Reason | None]) -> OneLoop | None:
    """The loop that runs a plan, if one does. What rows are to be left out, and what is to be
    watched, it does not know."""
    if options.on_error != "stop" or options.recording or options.report or options.stream:
        return None
    with suppress(NoLoop):
        return one_loop(plan) if knobs is None else faster_loop(plan, knobs, options.limit, in_rows)
    return None


def _run(plan: Plan, found: OneLoop, options: RunOptions, report: RunReport,
         knobs: Knobs | None) -> None:
    began = time.perf_counter()
    is_slow = _never if knobs is None else _Watch(found, knobs.workers).is_slow
    try:
        run = _through(plan, found, options, report, is_slow)
    except (Exception, SystemExit):
        # What a function raises is told by the other plan.
        report.read.update(dict.fromkeys(report.read, 0))
        report.written.update(dict.fromkeys(report.written, 0))
        raise BeginAnew from None
    _tell(found, run, report, time.perf_counter() - began, knobs)


def _through(plan: Plan, found: OneLoop, options: RunOptions, report: RunReport,
             is_slow: Callable[[int], bool]) -> LoopRun:
    run, done = found.loop.start(), 0
    with BadRows.parse("stop") as rows, opened_sinks(
            plan.program, report.written, enough=enough(plan)) as emit:
        items = counted_items(plan.program, rows, report.read, options.progress)
        reading = items[found.source.name].only(found.loop.read, 1)
        for part in _parts(reading.pieces(together=True), options.limit):
            _write(emit, found, run.run(part))
            reading.took(len(part))
            done += len(part)
            if emit.is_full:
                break
            if is_slow(done):
                raise Slow
        if not emit.is_full:
            _write(emit, found, run.finish())
        report.reads, report.writes = {reading.op.name: reading.form}, emit.told()
    return run


def _write(emit: Emitter, found: OneLoop, made: Columns) -> None:
    size = costs().loop_slice
    for start in range(0, len(made), size):
        emit.write(found.sink, made[start:start + size])


def _parts(pieces: Iterator[object], limit: int | None) -> Iterator[Sequence]:
    """The items in slices, at most `limit` of them."""
    left, size = float("inf") if limit is None else limit, costs().first_rows
    for piece in pieces:
        if not isinstance(piece, (Columns, Many)):
            # Such items count themselves.
            raise NoLoop("items come one by one")
        start = 0
        while start < len(piece) and left > 0:
            part = piece[start:start + min(size, left)]
            yield part
            start, left = start + len(part), left - len(part)
            # Each is twice the one before it: what rows cost is soon known.
            size = min(2 * size, costs().loop_slice)
        if left <= 0:
            return


def _never(done: int) -> bool:
    return False


class _Watch:
    """Finds out while a loop runs whether workers would be faster."""

    def __init__(self, found: OneLoop, workers: int):
        self.rows, self.workers = found.source.kind.spec.rows_about(), workers
        # Not the time on the clock: others may be at work here.
        self.began = time.thread_time()

    def is_slow(self, done: int) -> bool:
        """Whether the rest takes longer here than all of it there."""
        seconds = time.thread_time() - self.began
        if seconds < max(IMPORTS, costs().measured):
            return False
        a_row, known = seconds / done, costs()
        there = max(known.row_handed, (a_row + known.row_travel) / self.workers)
        return (self.rows - done) * a_row > known.restart + self.rows * there


def _tell(found: OneLoop, run: LoopRun, report: RunReport, seconds: float, knobs: Knobs | None
          ) -> None:
    rows_in = report.read[found.source.name]
    each, came = [], rows_in
    for op in found.loop.operators:
        each.append(OperatorMetrics(op.name, came, run.given[op.name], None))
        came = run.given[op.name]
    engine = "sequential" if knobs is None else "multicore"
    told = replace(loop_execution(engine, found, knobs and knobs.workers),
                   reads=report.reads, writes=report.writes)
    report.stages.append(StageMetrics(
        found.operators, "sequential", rows_in, came, seconds, each=tuple(each), tier="loop",
        reason=found.why.text if found.why else "", rows_by_tier={"loop": rows_in},
        work=told.stages[0].work))
    report.tier, report.execution = "loop", told
