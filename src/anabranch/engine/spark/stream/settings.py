"""What the user asks of a stream, and what a stream cannot be asked for."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from threading import Event

from anabranch.core.errors import UsageError
from anabranch.io.files.paths import is_glob
from anabranch.io.files.sources import FileSource
from anabranch.io.stdio import StdoutSink, is_pipe
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.spark.capabilities import LIMITS
from anabranch.plan.physical.spark.reading import grows
from anabranch.runtime.ends.binding import check_standard_input
from anabranch.runtime.options import RunOptions

AVAILABLE_NOW = ("once", "available-now")
AVAILABLE = {"availableNow": True}
_UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours"}
_SECONDS = {"milliseconds": 0.001, "seconds": 1.0, "minutes": 60.0, "hours": 3600.0}


@dataclass(frozen=True)
class Settings:
    """`trigger` is what Spark calls so; `until_idle` ends the input after so many seconds in which
    nothing came; `files` is the most that a batch reads of each source."""

    checkpoint: str | None
    trigger: dict[str, object]
    until_idle: float | None
    start_over: bool
    files: int | None
    stopping: Event | None = None

    @staticmethod
    def of(options: RunOptions) -> Settings:
        if options.until_idle is not None and options.trigger in AVAILABLE_NOW:
            raise UsageError(f"a stream with the trigger {options.trigger} does not wait",
                             got=f"until idle for {options.until_idle} s",
                             help="leave the trigger out")
        return Settings(options.checkpoint, trigger_of(options.trigger), options.until_idle,
                        bool(options.start_over), options.files_per_batch, options.stopping)


def trigger_of(text: str | None) -> dict[str, object]:
    """
    >>> trigger_of("5s"), trigger_of("once"), trigger_of(None)
    ({'processingTime': '5 seconds'}, {'availableNow': True}, {'processingTime': '0 seconds'})
    """
    if text in AVAILABLE_NOW:
        return AVAILABLE
    found = re.fullmatch(r"(\d+)\s*(ms|s|m|h)", text or "0s")
    if found is None:
        raise UsageError("the trigger is not understood", got=text,
                         expected="once, available-now, or a time such as 500ms, 5s, 1m")
    return {"processingTime": f"{found[1]} {_UNITS[found[2]]}"}


def interval(trigger: dict[str, object]) -> float:
    """The seconds from one batch to the next.

    >>> interval(trigger_of("500ms")), interval(trigger_of("once"))
    (0.5, 0.0)
    """
    number, unit = str(trigger.get("processingTime", "0 seconds")).split()
    return int(number) * _SECONDS[unit]


def check(graph: Graph) -> None:
    """Refuses what has no meaning in a stream, before anything starts."""
    check_standard_input(graph)
    for op in graph.sources:
        _check_source(op)
    if not any(grows(op) or is_pipe(op.kind.spec) for op in graph.sources):
        raise UsageError("nothing in this program grows", graph.sources[0].span,
                         expected="a source that reads a folder, a glob or a pipe",
                         help="leave --stream out to run it over what is there")
    for op in graph.sinks:
        _check_sink(op)


def _check_source(op: Operator) -> None:
    path = op.kind.spec.path if isinstance(op.kind.spec, FileSource) else ""
    if "**" in path or "://" in path:
        raise LIMITS["remote"].refusal(path)
    if set(path) & set("{}\\"):
        raise UsageError("Spark takes the name of a folder for a pattern", op.span, got=path,
                         expected="a name without { } \\", help="rename the folder")
    if grows(op) and not is_glob(path) and not os.path.isdir(path) and not os.path.exists(path):
        raise UsageError(f"there is no folder '{path}'", op.span, help="create it first")


def _check_sink(sink: Operator) -> None:
    """A stream that has no end completes nothing."""
    if isinstance(sink.kind.spec, StdoutSink) and sink.kind.spec.held:
        raise UsageError(f"{sink.name} would wait for the end of what goes to standard output "
                         "before it, and a stream has none", sink.span,
                         help=f"give --output {sink.name}=FOLDER")
