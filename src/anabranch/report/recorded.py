"""A run with a report: recorded while it goes on, and written about when it has ended well."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anabranch.errors import UsageError
from anabranch.io.output import check_writable, write_whole
from anabranch.plan import Plan
from anabranch.report.recording import Recording


@contextmanager
def recorded(plan: Plan, options, report) -> Iterator[Recording | None]:
    """Gives the recording for a run that is to be reported; without `options.report` nothing is
    recorded."""
    if options.report is None:
        yield None
        return
    _check(plan, options.report)
    with Recording(report) as recording:
        yield recording
    # Pages need much that runs do not.
    from anabranch.report.page import run_page

    write_whole(options.report, run_page(options.engine, report, recording.samples))


def _check(plan: Plan, path: str) -> None:
    """Finds out before the run that the page cannot be written, or would replace a sink's file."""
    check_writable(path)
    for op in plan.program.sinks:
        sink = getattr(op.kind.spec, "path", None)
        if sink is not None and Path(sink).resolve() == Path(path).resolve():
            raise UsageError(f"the report and the sink '{op.name}' are the same file", op.span,
                             help="give the report another file")
