"""The knobs of a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields

from anabranch.core.errors import UsageError, did_you_mean
from anabranch.core.threads import can_fork

KNOWN = {"heuristic": ("CT", "LP", "ET", "QST"), "reorder": ("non-blocking", "lock"),
         "queue": ("hybrid", "partitioned"), "processes": ("where it pays", "always", "never"),
         "moves": ("where it pays", "random", "never"),
         "kernels": ("where it pays", "always", "never"),
         "double_check": ("first rows", "never"), "one_loop": ("where it pays", "never")}


@dataclass(frozen=True)
class Knobs:
    """How a run is tuned; nothing here changes its output."""

    workers: int
    heuristic: str = "CT"
    reorder: str = "non-blocking"
    queue: str = "hybrid"
    slice_size: int | None = None
    slice_ms: float = 0.5
    slices_under_way: int | None = None
    processes: str = "where it pays"
    moves: str = "where it pays"
    kernels: str = "where it pays"
    kernel_buckets: int | None = None
    double_check: str = "first rows"
    one_loop: str = "where it pays"

    def __post_init__(self):
        if not self.slice_ms >= 0:
            raise UsageError("slice_ms must be at least 0", got=str(self.slice_ms))
        for name in ("workers", "slice_size", "slices_under_way", "kernel_buckets"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1", got=str(getattr(self, name)))
        for name, known in KNOWN.items():
            if getattr(self, name) not in known:
                raise UsageError(f"{name} cannot be '{getattr(self, name)}'",
                                 help=did_you_mean(getattr(self, name), known))

    @staticmethod
    def read(given: Mapping[str, object]) -> dict[str, object]:
        """The knobs that a user names, also as the text of a command.

        >>> Knobs.read({"heuristic": "LP", "slice_size": "100"})
        {'heuristic': 'LP', 'slice_size': 100}
        """
        return {name: _value(name, value) for name, value in given.items()}

    @property
    def bound(self) -> int:
        """How many slices may be under way: some for each worker, so that none waits."""
        return self.slices_under_way or 4 * self.workers + 4


FEW_CODERS, WORKERS_PER_CODER = 4, 2


def coders(workers: int) -> int:
    """How many threads decode columns, or encode them, for so many workers. A row's part in both is
    less than half of what is done for it, and threads wait for each other.

    >>> [coders(workers) for workers in (1, 2, 4, 8, 16)]
    [1, 2, 4, 4, 8]
    """
    return min(workers, max(FEW_CODERS, workers // WORKERS_PER_CODER))


def tuning_of(workers: int | None, **knobs: object) -> Knobs:
    """The tuning of a run on this machine, unless it says how many workers it has."""
    return Knobs(os.cpu_count() or 1 if workers is None else workers, **knobs)


NUMBERS = {"slice_size": int, "slice_ms": float, "slices_under_way": int, "kernel_buckets": int}


def _value(name: str, given: object) -> object:
    names = [field.name for field in fields(Knobs) if field.name != "workers"]
    if name not in names:
        raise UsageError(f"there is no knob '{name}'", help=did_you_mean(name, names))
    try:
        return NUMBERS.get(name, str)(given)
    except (TypeError, ValueError):
        raise UsageError(f"{name} must be a number", got=str(given)) from None


def has_lock() -> bool:
    """Whether only one thread at a time may run Python code."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def processes_pay() -> bool:
    """Whether processes can be forked safely and threads would not do as well."""
    return can_fork() and has_lock()
