"""What the user asks of a stream, and what a stream cannot be asked for."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from anabranch.engine.spark.capabilities import LIMITS
from anabranch.engine.spark.streaming.intake import grows
from anabranch.errors import UsageError
from anabranch.io.paths import is_glob
from anabranch.ir.graph import Graph

AVAILABLE_NOW = ("once", "available-now")
_UNITS = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours"}


@dataclass(frozen=True)
class Settings:
    """`trigger` is what Spark calls so; `until_idle` ends the input after so many seconds in which
    nothing came; `files` is the most that a batch reads of each source."""

    checkpoint: str | None
    trigger: dict[str, object]
    until_idle: float | None
    start_over: bool
    files: int | None

    @staticmethod
    def of(options) -> Settings:
        if options.until_idle is not None and options.trigger in AVAILABLE_NOW:
            raise UsageError(f"a stream with the trigger {options.trigger} does not wait",
                             got=f"until idle for {options.until_idle} s",
                             help="leave the trigger out")
        return Settings(options.checkpoint, trigger_of(options.trigger), options.until_idle,
                        bool(options.start_over), options.files_per_batch)


def trigger_of(text: str | None) -> dict[str, object]:
    """
    >>> trigger_of("5s"), trigger_of("once"), trigger_of(None)
    ({'processingTime': '5 seconds'}, {'availableNow': True}, {'processingTime': '0 seconds'})
    """
    if text in AVAILABLE_NOW:
        return {"availableNow": True}
    found = re.fullmatch(r"(\d+)\s*(ms|s|m|h)", text or "0s")
    if found is None:
        raise UsageError("the trigger is not understood", got=text,
                         expected="once, available-now, or a time such as 500ms, 5s, 1m")
    return {"processingTime": f"{found[1]} {_UNITS[found[2]]}"}


def check(graph: Graph, options) -> None:
    """Refuses what has no meaning in a stream, before anything starts."""
    if options.limit is not None:
        raise LIMITS["limit"].refusal(f"--limit {options.limit}")
    if options.on_error not in ("stop", "skip"):
        raise LIMITS["divert"].refusal(f"--on-error {options.on_error}")
    for op in graph.sources:
        _check_source(op)
    if not any(map(grows, graph.sources)):
        raise UsageError("nothing in this program grows", graph.sources[0].span,
                         expected="a source that reads a folder or a glob",
                         help="leave --stream out to run it over what is there")


def _check_source(op) -> None:
    spec = op.kind.spec
    if not spec.replayable:
        raise LIMITS["once"].refusal(f"{op.name}, {spec.shown}")
    path = getattr(spec, "path", "")
    if "**" in path or "://" in path:
        raise LIMITS["remote"].refusal(path)
    if grows(op) and not is_glob(path) and not os.path.isdir(path):
        raise UsageError(f"there is no folder '{path}'", op.span, help="create it first")
