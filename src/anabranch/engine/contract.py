"""What an engine gives: how it runs a plan, and which options mean nothing to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution
from anabranch.runtime.options import RunOptions

DEFAULTS = RunOptions()


@dataclass(frozen=True)
class Engine:
    """An engine: `run(plan, items, emit, options, measured, late)`, which may add to the list
    `measured` what each stage did and gives late items to `late`; and the options that mean nothing
    to it.

    `from_files(plan, options, report)` reads or writes the program's files in a better way than row
    by row in this process, if the engine has one; it gives False, with nothing done, when it has
    not. So many `threads` of this process may encode what is written. `tuned(options)` refuses
    knobs that there are not, `check(plan, options)` what the program asks for and the engine
    cannot do, and `ready()` to begin where something is not installed.
    """

    run: Callable
    refuses: dict[str, str]
    execution: Callable[[Plan, RunOptions], Execution]
    from_files: Callable = lambda plan, options, report: False
    threads: Callable[[RunOptions], int] = lambda options: 1
    tuned: Callable[[RunOptions], object] = lambda options: None
    check: Callable[[Plan, RunOptions], object] = lambda plan, options: None
    ready: Callable[[], object] = lambda: None


def no_spark(why: str) -> dict[str, str]:
    """Why an engine takes no options of Spark."""
    return {"master": why, "session": why}
