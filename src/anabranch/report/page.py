"""The page of a run: totals, charts over time, and what was not measured."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from anabranch.explain.picture.html import scrolled
from anabranch.explain.picture.markup import Markup, lines, page, section, table, tag
from anabranch.explain.picture.plans import planned
from anabranch.explain.picture.scene import Scene, Text
from anabranch.plan.logical.plan import Plan
from anabranch.report import series
from anabranch.report.chart import STYLE, chart, shown
from anabranch.report.series import COLUMNS, Series, figures
from anabranch.runtime.metrics import OperatorMetrics
from anabranch.runtime.recording import Sample, percentile


def run_page(engine: str, plan: Plan, report, samples: Sequence[Sample]) -> str:
    """The page of a run on an engine; `samples` has at least those of its two ends."""
    lead = f"on the {engine} engine, {report.seconds:.2f} seconds, {len(samples)} samples"
    return page("Run", lead, *_sections(engine, plan, report, samples), more_style=STYLE)


def _sections(engine: str, plan: Plan, report, samples: Sequence[Sample]) -> Iterator[Markup]:
    until = samples[-1].at
    yield table(("", ""), _asked(plan))
    yield section("Plan", scrolled(_with_figures(plan, report), "run"))
    yield section("Totals", _ends(report), *([_operators(report)] if report.stages else []))
    yield from _charts("Throughput of the sources and sinks", "rows a second", until,
                       [*series.ends(samples, "read"), *series.ends(samples, "written")])
    yield from _charts("Batches", "done", until, series.batches(samples))
    yield from _charts("Throughput of the operators", "rows a second", until,
                       series.operators(samples))
    yield from _charts("Queue lengths", "pieces of work that wait", until,
                       series.stages(samples, "waiting"))
    yield from _charts("Workers", "at work, on average", until, series.workers(samples))
    yield from _charts("Reorder buffers", "slices that wait for an earlier one", until,
                       series.stages(samples, "reordering"))
    yield from _latencies(samples, until)
    yield from _unmeasured(engine, samples)


def _asked(plan: Plan) -> Iterator[tuple[str, str]]:
    """What was run, how, and when."""
    files = dict.fromkeys(op.span.shown_file for op in plan.program if op.span)
    yield "program", ", ".join(files)
    yield "command", _command(sys.argv)
    yield "ended", datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S %Z")


def _command(typed: list[str]) -> str:
    """What was typed, without the folders of the command.

    >>> _command(["/usr/bin/anabranch", "run", "a b.py"]), _command(["/x/__main__.py", "run"])
    ("anabranch run 'a b.py'", 'python -m anabranch run')
    """
    name = os.path.basename(typed[0])
    begun = ["python", "-m", "anabranch"] if name == "__main__.py" else [name]
    return shlex.join([*begun, *typed[1:]])


def _with_figures(plan: Plan, report) -> Scene:
    """The plan, with what each operator did, as far as that is known by itself."""
    scene = planned(plan)
    known = {each.name: tuple(_figures(each)) for stage in report.stages for each in stage.each}
    known |= {name: (Text(f"{count:,} rows"),) for counts in (report.read, report.written)
              for name, count in counts.items()}
    boxes = (replace(box, lines=(*box.lines, *known.get(box.name, ()))) for box in scene.boxes)
    return replace(scene, boxes=tuple(boxes))


def _figures(each: OperatorMetrics) -> Iterator[Text]:
    if each.rows_in is not None:
        yield Text(f"{each.rows_in:,} rows")
    if each.seconds:
        rate = f", {each.rows_in / each.seconds:,.0f} a second" if each.rows_in else ""
        yield Text(f"busy {each.seconds:.2f} s{rate}")


def _ends(report) -> Markup:
    rows = [(name, what, f"{count:,}") for what, counts in (("read", report.read),
                                                            ("written", report.written))
            for name, count in counts.items()]
    return table(("name", "", "rows"), rows, frozenset({2}))


def _operators(report) -> Markup:
    rows = [(operator.name, number, stage.sharing, stage.tier_told, *figures(operator))
            for number, stage in enumerate(report.stages, 1) for operator in stage.each]
    columns = ("operator", "stage", "shared", "tier", *COLUMNS)
    return table(columns, rows, frozenset(range(4, len(columns))))


def _charts(heading: str, unit: str, until: float, found: Sequence[Series]) -> Iterator[Markup]:
    if found:
        yield section(heading, tag("div", lines(*(chart([line], unit, until) for line in found)),
                                   class_="charts"))


def _latencies(samples: Sequence[Sample], until: float) -> Iterator[Markup]:
    found = series.latencies(samples)
    if not found:
        return
    counts = sum((Counter(s.latencies) for s in samples), Counter())
    rows = [(name, shown(1000 * percentile(counts, share)))
            for name, share in {**series.SHARES, "all rows": 1.0}.items()]
    yield section("Latency",
                  tag("p", "From when a slice of rows is begun until all that came of it is "
                           "written, within 12 per cent.", class_="quiet"),
                  table(("within", "milliseconds"), rows, frozenset({1})),
                  chart(found, "milliseconds", until, "latency"))


def _unmeasured(engine: str, samples: Sequence[Sample]) -> Iterator[Markup]:
    missing = list(_missing(engine, samples))
    if missing:
        yield section("What was not measured", tag("ul", *(tag("li", text) for text in missing)))


def _missing(engine: str, samples: Sequence[Sample]) -> Iterator[str]:
    if not samples[-1].stages:
        yield (f"What operators, queues, workers and reorder buffers did over time: the {engine} "
               "engine tells nothing of it for such a run.")
    elif not series.stages(samples, "waiting"):
        yield (f"Queues and reorder buffers: the {engine} engine has none. What waits lies in its "
               "shuffles, which bring it into order.")
    elif not series.stages(samples, "reordering"):
        yield "No stage has a reorder buffer: nothing runs out of order."
    together = [name for name in series.names(samples)
                if name not in {line.name for line in series.operators(samples)}]
    if together:
        yield (f"Computed together with others in one loop, so that their rows are not counted: "
               f"{', '.join(together)}.")
    if not any(s.latencies for s in samples):
        yield f"How long rows took: the {engine} engine tells nothing of it for such a run."
    if len(samples) < 3:
        yield "The run was too short for lines over time."
