"""The papers' applications from end to end, with more and more workers.

They are programs of `examples`.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from anabranch.compile import compile_graph, load
from anabranch.core.errors import AnabranchError
from anabranch.core.source import PACKAGE
from anabranch.engine.run import execute
from anabranch.plan.logical.plan import Plan
from anabranch.runtime.options import RunOptions
from benchmarks import data
from benchmarks.measurement import Contender, NotThere, Outcome, Plot, Run, Setting
from benchmarks.runner import compared, ratio, workers

EXAMPLES = Path(PACKAGE).parents[1] / "examples"
COUNTS = (1, 2, 4, 8, 16)
_numbers = itertools.count()


@dataclass(frozen=True)
class Application:
    """A program, and how much of it takes some seconds: so many `rows`, which its parameter `size`
    says, or its inputs, by the names of their data sets. `options` are those of its language, in
    which ROWS and FILE stand for the number and the input. `checked` is for how many rows it is
    compared with the sequential engine, if that would take minutes for all of them."""

    program: str
    rows: int
    size: str | None = "rows"
    inputs: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    checked: int | None = None

    @property
    def name(self) -> str:
        """Of a program in another language than Python also the language's ending.

        >>> Application("log_analyzer.cql", 1).name, Application("regions/same_tag.py", 1).name
        ('log analyzer (cql)', 'same tag')
        """
        stem, _, ending = Path(self.program).name.replace("_", " ").partition(".")
        return stem if ending == "py" else f"{stem} ({ending})"


ROWS, FILE = object(), object()
GROUPS = {
    "regions": (
        Application("regions/network_monitoring.py", 200_000),
        Application("regions/pagerank.py", 100_000, "pages"),
        Application("regions/tweet_words.py", 60_000),
        Application("regions/same_tag.py", 100_000),
        Application("regions/finance.py", 60_000)),
    "placement": (
        Application("linear_road.cql", 20_000, None, {"PosSpeedStr": "positions"}),
        Application("streamit/fm_radio.str", 1_000_000, None, options={"iterations": ROWS},
                    checked=1_000)),
    "fission": (
        Application("log_analyzer.szl", 1_000_000, None,
                    options={"files": FILE, "table_output": True}),
        Application("log_analyzer.cql", 600_000, None, {"queryLog": "queries"}, checked=60_000)),
}


def measure(setting: Setting, group: str) -> Outcome:
    counts = [n for n in COUNTS if n <= (os.cpu_count() or 1)]
    outcome = Outcome()
    for application in GROUPS[group]:
        outcome = outcome.joined(_scaled(application, counts, setting))
    return outcome.joined(Outcome(plots=[_plot(outcome, group, counts)]))


def _scaled(application: Application, counts: list[int], setting: Setting) -> Outcome:
    rows = max(100, int(application.rows * setting.scale))
    runs = {n: _runner(application, rows, RunOptions("multicore", n), setting) for n in counts}
    # The first run of each compiles what it can, and does not count.
    one_worker, *_ = [run() for run in runs.values()]
    right = _right_answer(application, rows, setting, one_worker)
    contenders = [Contender(workers(n), run, ours=True) for n, run in runs.items()]
    return compared(application.name, contenders, right, rows, setting)


def _right_answer(application: Application, rows: int, setting: Setting, one_worker: Run
                  ) -> pa.Table:
    """What the sequential engine gives. Where that takes too long it is the answer of one worker,
    if this begins as the sequential engine's answer for fewer rows does."""
    setting.tell(f"{application.name}: the right answer, by the sequential engine")
    fewer = min(rows, application.checked or rows)
    right = _runner(application, fewer, RunOptions("sequential"), setting)().answer
    begins = one_worker.answer.slice(0, len(right)).equals(right)
    return one_worker.answer if fewer < rows and begins else right


def _runner(application: Application, rows: int, options: RunOptions, setting: Setting
            ) -> Callable[[], Run]:
    inputs = {name: str(data.written(of, rows, "csv")) for name, of in application.inputs.items()}
    return partial(_run, plan_of(application, rows), replace(options, inputs=inputs), setting)


def plan_of(application: Application, rows: int) -> Plan:
    program = EXAMPLES / application.program
    if not program.exists():
        raise NotThere(f"examples/{application.program} is not beside the package")
    sizes = {application.size: str(rows)} if application.size else {}
    options = {name: _option(value, rows) for name, value in application.options.items()}
    return compile_graph(load(program, sizes, options))


def _option(value: object, rows: int) -> object:
    if value is ROWS:
        return rows
    return (str(data.written("lines", rows, "txt")),) if value is FILE else value


def _run(plan: Plan, options: RunOptions, setting: Setting) -> Run:
    """One run; its answer is the text that it writes."""
    folder = setting.folder / f"answer-{next(_numbers)}"
    folder.mkdir()
    outputs = {sink.name: str(folder / sink.name) for sink in plan.graph.sinks}
    try:
        report = execute(plan, replace(options, outputs=outputs))
    except AnabranchError as error:
        raise NotThere(f"it failed: {error.what}") from error
    lines = [line for file in sorted(folder.iterdir()) for line in file.read_text().splitlines()]
    return Run(report.seconds, pa.table({"line": pa.array(lines, pa.string())}))


def _plot(outcome: Outcome, group: str, counts: list[int]) -> Plot:
    def points(name: str) -> list[tuple[float, float]]:
        found = [(n, ratio(outcome, name, workers(n), workers(1))) for n in counts]
        return [(n, times) for n, times in found if times is not None]
    return Plot(group, "Applications with more workers", "workers", "times one worker",
                {application.name: points(application.name) for application in GROUPS[group]})
