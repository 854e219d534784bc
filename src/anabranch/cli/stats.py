"""`--stats`: what each operator of a run did, as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from anabranch.explain.json import execution_as_json
from anabranch.report.series import COLUMNS, figures
from anabranch.runtime.options import RunReport

if TYPE_CHECKING:
    from rich.console import RenderableType


def stats(report: RunReport, format: str) -> str:
    """The operators of a run by their stages, in the order of the pipeline."""
    if format == "json":
        return json.dumps({"read": report.read, "written": report.written, "tier": report.tier,
                           "seconds": report.seconds,
                           "reads": report.reads, "writes": report.writes,
                           **({"execution": execution_as_json(report.execution)}
                              if report.execution else {}),
                           "stages": [stage.as_json() for stage in report.told_stages()]},
                          indent=2)
    return _table(report)


def _table(report: RunReport) -> str:
    from rich.table import Table
    from rich.text import Text

    from anabranch.explain.text import default_console, executed, rendered

    done = () if report.execution is None else executed(
        report.execution, f"as it ran on the {report.execution.engine} engine")
    if not report.stages:
        return rendered([f"no stages were measured ({report.tier})", *(done or _work(report))],
                        default_console())
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("operator", overflow="fold")
    for column in ("stage", "shared", "tier"):
        table.add_column(column, no_wrap=True)
    for column in COLUMNS:
        table.add_column(column, justify="right", no_wrap=True)
    for number, stage in enumerate(report.stages, 1):
        for operator in stage.each:
            table.add_row(Text(operator.name, "bold"), str(number), stage.sharing, stage.tier_told,
                          *figures(operator))
    return rendered([table, *(done or _work(report))], default_console())


def _work(report: RunReport) -> Iterator[RenderableType]:
    """How sources were read and sinks written, who served each stage, and what kept the order, in
    the words of `explain`."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from anabranch.explain.text import read_told, written_told

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for name, form in report.reads.items():
        table.add_row(Text(name, "bold"), Text(read_told(form)))
    for number, stage in enumerate(report.stages, 1):
        if stage.work:
            table.add_row(Text(f"stage {number}", "bold"), Text(stage.work))
    for name, form in report.writes.items():
        when = next((s.work for s in report.stages if name in s.operators and s.work), "in order")
        table.add_row(Text(name, "bold"), Text(written_told(form, when)))
    if table.row_count:
        yield Padding(table, (1, 0, 0, 0))
