"""What all engines share: their names, and how a plan runs from sources to sinks.

An engine that is not there is refused by name; nothing is replaced by another engine silently.
"""

from __future__ import annotations

import time
from dataclasses import replace
from importlib import import_module

from anabranch.core.errors import UsageError, did_you_mean
from anabranch.engine.contract import Engine
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import FileSource
from anabranch.io.files.stores import is_remote
from anabranch.io.lateness import InTime
from anabranch.io.stdio import is_pipe
from anabranch.ir.graph import Graph
from anabranch.ir.windows import AggregateWindow
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.cost import rows_about
from anabranch.plan.physical.plan import Execution
from anabranch.plan.tuning import CostModel, costing
from anabranch.runtime.ends.binding import bound_graph, check_sources
from anabranch.runtime.ends.collisions import check_places
from anabranch.runtime.exits import exits_told
from anabranch.runtime.options import RunOptions, RunReport
from anabranch.runtime.progress import as_progress
from anabranch.runtime.recording import recorded

ENGINES = {"sequential": "anabranch.engine.in_sequence",
           "multicore": "anabranch.engine.on_cores", "spark": "anabranch.engine.on_spark"}
"""The module of each engine, which is imported when it is asked for."""


def engine(name: str) -> Engine:
    """The engine of this name; a `UsageError` when it is not there."""
    if name in ENGINES:
        return import_module(ENGINES[name]).ENGINE
    raise UsageError(f"no engine is called '{name}'", help=did_you_mean(name, ENGINES))


def check_options(options: RunOptions) -> None:
    """Refuses options that mean nothing to the engine, and knobs that there are not."""
    chosen = engine(options.engine)
    for option, why in chosen.refuses.items():
        if getattr(options, option) is not None:
            spelt = option.replace("_", "-")
            raise UsageError(f"the {options.engine} engine takes no --{spelt}: {why}")
    chosen.tuned(options)


def explained(plan: Plan, options: RunOptions) -> Execution:
    """How the engine runs a plan with these options; nothing is run."""
    with costing(CostModel.of(options.tune or {})):
        return _explained(plan, options)


def _explained(plan: Plan, options: RunOptions) -> Execution:
    check_options(options)
    _check_stream(options)
    plan = bound_graph(plan, _as_asked(options))
    chosen = engine(options.engine)
    _check_stores(plan, options)
    chosen.check(plan, options)
    return chosen.execution(plan, options)


def execute(plan: Plan, options: RunOptions) -> RunReport:
    """Runs a plan from its sources to its sinks. Sinks are committed together, at the end."""
    with costing(CostModel.of(options.tune or {})):
        return _executed(plan, options)


def _executed(plan: Plan, options: RunOptions) -> RunReport:
    chosen = engine(options.engine)
    chosen.ready()
    check_options(options)
    _check_stream(options)
    plan = bound_graph(plan, _as_asked(options))
    _check_stores(plan, options)
    if not options.stream:
        check_sources(plan.program)
    check_ends(plan.program, options)
    _check_lateness(plan.program, options)
    check_places(plan.program, options)
    chosen.check(plan, options)
    options = replace(options, progress=as_progress(options.progress))
    if options.progress is not None:
        options.progress.expect(_coming(plan.program, options.limit))
    report = RunReport({op.name: 0 for op in plan.program.sources},
                       {op.name: 0 for op in plan.program.sinks})
    began = time.perf_counter()
    with exits_told(), recorded(plan, options, report) as recording:
        options = replace(options, recording=recording)
        chosen.planned(plan, options).go(report)
        report.seconds = time.perf_counter() - began
    return report


def _coming(graph: Graph, limit: int | None) -> dict[str, int]:
    """About how many rows of each source will come, where that is known."""
    known = {op.name: rows_about(op.kind.spec) for op in graph.sources}
    if limit is not None and len(known) == 1:
        known = {name: limit if rows is None else min(rows, limit) for name, rows in known.items()}
    return {name: rows for name, rows in known.items() if rows}


def _as_asked(options: RunOptions) -> RunOptions:
    """A stream writes part files."""
    return replace(options, part_files=True) if options.stream else options


def check_ends(graph: Graph, options: RunOptions) -> None:
    """Refuses to wait for the results of all of an input that has no end."""
    if options.limit is not None or options.until_idle is not None:
        return
    waiting = next((op for op in graph if isinstance(op.kind, AggregateWindow)
                    and op.kind.window.whole), None)
    endless = options.stream or any(s.kind.spec.endless for s in graph.sources)
    if waiting is None or not endless or any(is_pipe(s.kind.spec) for s in graph.sources):
        return
    ends = "--until-idle SECONDS or --limit N ends" if options.stream else "--limit N ends"
    raise UsageError(f"{waiting.name} gives its results at the end of the input, which has none",
                     waiting.span, help=f"{ends} it; windows, as in aggregate(ab.tumbling(...)), "
                                        "give results as it goes on")


STREAMS = ("checkpoint", "trigger", "until_idle", "files_per_batch", "start_over")


def _check_lateness(graph: Graph, options: RunOptions) -> None:
    late = next((op for op in graph.sources if isinstance(op.kind.spec, InTime)), None)
    if options.stream and late is not None:
        raise UsageError(f"'{late.name}' has a lateness, which --stream does not keep from batch "
                         "to batch", late.span,
                         help="read it with spark.readStream, and give that to "
                              "ab.from_spark(..., lateness=...)")


def _check_stream(options: RunOptions) -> None:
    if options.stream and options.engine != "spark":
        raise UsageError(f"the {options.engine} engine takes no --stream: it runs bounded inputs",
                         help="--engine spark runs streams")
    given = [name for name in STREAMS if getattr(options, name)]
    if given and not options.stream:
        raise UsageError(f"--{given[0].replace('_', '-')} is for a stream", help="give --stream")


def _check_stores(plan: Plan, options: RunOptions) -> None:
    """Refuses the files of a store where only those of this machine can be used."""
    if options.stream:
        for op in (*plan.program.sources, *plan.program.sinks):
            spec = op.kind.spec
            if isinstance(spec, (FileSource, FileSink)) and is_remote(spec.path):
                raise UsageError("--stream reads and writes folders of this machine", op.span,
                                 got=spec.path, help="Spark's own streams know stores: "
                                                     "ab.from_spark(spark.readStream...)")
    diverted = options.on_error.partition("=")[2]
    for name, path in (("checkpoint", options.checkpoint), ("report", options.report),
                       ("on-error divert=", diverted)):
        if path and is_remote(path):
            raise UsageError(f"--{name} takes a path of this machine", got=path)
