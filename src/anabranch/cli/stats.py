"""`--stats`: what each stage of a run did, as a table or as JSON."""

from __future__ import annotations

import json

from anabranch.engine.base import RunReport


def stats(report: RunReport, format: str) -> str:
    """The stages of a run, in the order of the pipeline."""
    if format == "json":
        return json.dumps({"read": report.read, "written": report.written, "tier": report.tier,
                           "seconds": report.seconds,
                           "stages": [stage.as_json() for stage in report.stages]}, indent=2)
    return _table(report)


def _table(report: RunReport) -> str:
    from rich.table import Table
    from rich.text import Text

    from anabranch.explain.text import default_console, rendered

    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("stage", overflow="fold")
    table.add_column("shared")
    for column in ("rows in", "rows out", "seconds"):
        table.add_column(column, justify="right")
    for stage in report.stages:
        table.add_row(Text(" > ".join(stage.operators), "bold"), stage.sharing,
                      f"{stage.rows_in:,}", f"{stage.rows_out:,}", f"{stage.seconds:.3f}")
    return rendered([table], default_console()) if report.stages else \
        f"no stages were measured ({report.tier})"
