"""What decides how a run is made: the knobs that a user turns, and what things cost.

>>> with costing(CostModel.of({"numba_loading": "0", "slice_size": "100"})):
...     costs().numba_loading, costs().kernel_loading
(0.0, 0.02)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace

from anabranch.core.errors import UsageError, did_you_mean
from anabranch.core.threads import can_fork

KNOWN = {"heuristic": ("CT", "LP", "ET", "QST"), "reorder": ("non-blocking", "lock"),
         "queue": ("hybrid", "partitioned"), "processes": ("where it pays", "always", "never"),
         "moves": ("where it pays", "random", "never"),
         "kernels": ("where it pays", "always", "never"),
         "double_check": ("first rows", "never"), "one_loop": ("where it pays", "never")}


@dataclass(frozen=True)
class CostModel:
    """What things cost, in seconds, rows and bytes: by this a plan is made and slices are cut. Each
    was measured on two cores; `--tune` gives another value, for a run on another machine.

    Kernels. Without one a row takes at least `row` seconds, or `looping_row` where a function has a
    loop or workers share a state by a plan; and `loop_row` in one loop over columns, with reading
    and writing it. Numba and code that is on disk are loaded in `numba_loading` seconds, the code
    alone in `kernel_loading`; compiling takes `compiling` more. What was measured counts from
    `measured` seconds on.

    One loop. Workers begin anew in `restart` seconds; a row takes `row_travel` on its way to them
    and back, of which one thread hands out and puts together `row_handed`. Its slices have up to
    `loop_slice` rows: fewer than what compiled loops write, so that Numba need not be loaded.

    Columns. So many items as `fewest_in_columns` are written faster as columns that are made of
    them first. Loading what Arrow needs takes as long as `rows_worth_arrow` rows. From
    `bytes_worth_loops` on compiled loops take a text apart faster, if they are loaded; although
    they have to be, from `csv_worth_numba` or `json_worth_numba` bytes on.

    Processes. A row goes to one and back if it takes `row_worth_moving` seconds, an item of a loop
    that may be computed ahead `item_worth_moving`. Rows of a kernel with workers of a plan are
    dealt out from `row_worth_dealing` on, other slices from `slice_worth_dealing`; an object that
    goes to a worker of a plan, and its outputs back, take `object_travel`.

    Slices. The first one has `first_rows` rows, or `first_columns` if they come in columns; others
    have what is `slice_work` seconds of computing in all stages, or `trial_work` as long as it is
    not known whether they need processes: so much is looked at together to judge by. None has more
    than `most_rows_of_slice`, or `most_columns_of_slice` in columns. To begin with a share costs
    a worker some hundred rows, so one should have `rows_of_share`.

    Buckets. A keyed stage has `buckets_per_worker`: keys that come often are seldom together in
    one of many. One with a kernel has `kernels_per_worker`, as each call asks for the interpreter's
    lock and no state has to move; with lists, dicts and sets in its state, one for
    `workers_per_container_bucket` workers, from `workers_for_containers` on. Of a synchronized
    operator with keys a worker has `plan_buckets_per_worker`.
    """

    row: float = 2e-6
    looping_row: float = 12e-6
    loop_row: float = 0.45e-6
    numba_loading: float = 0.6
    kernel_loading: float = 0.02
    compiling: float = 2.5
    measured: float = 0.02
    restart: float = 0.4
    row_travel: float = 6e-6
    row_handed: float = 2e-6
    loop_slice: int = 15_000
    fewest_in_columns: int = 32
    rows_worth_arrow: int = 30_000
    bytes_worth_loops: int = 2 << 20
    csv_worth_numba: int = 24 << 20
    json_worth_numba: int = 6 << 20
    row_worth_moving: float = 4e-6
    item_worth_moving: float = 1e-3
    row_worth_dealing: float = 1e-7
    slice_worth_dealing: float = 1e-3
    object_travel: float = 8e-6
    first_rows: int = 16
    first_columns: int = 2048
    most_rows_of_slice: int = 2048
    most_columns_of_slice: int = 262_144
    slice_work: float = 0.08
    trial_work: float = 0.003
    rows_of_share: int = 8192
    buckets_per_worker: int = 8
    kernels_per_worker: int = 2
    workers_for_containers: int = 4
    workers_per_container_bucket: int = 2
    plan_buckets_per_worker: int = 2

    def __post_init__(self):
        for field in fields(self):
            value, least = getattr(self, field.name), 1 if field.name in COUNTS else 0
            if not value >= least:
                raise UsageError(f"{field.name} must be at least {least}", got=str(value))

    @staticmethod
    def of(tune: Mapping[str, object]) -> CostModel:
        """Those of the present run, with what a user says of them among the knobs of an engine."""
        return replace(costs(), **{name: as_number(name, value, type(COSTS[name]))
                                   for name, value in tune.items() if name in COSTS})


COUNTS = ("loop_slice", "first_rows", "first_columns", "most_rows_of_slice",
          "most_columns_of_slice", "rows_of_share", "buckets_per_worker", "kernels_per_worker",
          "workers_per_container_bucket", "plan_buckets_per_worker")
"""What there must be at least one of."""

USUAL = CostModel()
COSTS = {field.name: field.default for field in fields(CostModel)}
_costs: ContextVar[CostModel] = ContextVar("costs", default=USUAL)


def costs() -> CostModel:
    """Those of the present run; its threads and processes have them, too."""
    return _costs.get()


@contextmanager
def costing(given: CostModel) -> Iterator[None]:
    """Plans are made, and run, by these costs."""
    before = _costs.set(given)
    try:
        yield
    finally:
        _costs.reset(before)


def knobs_among(tune: Mapping[str, object] | None) -> dict[str, object]:
    """What is left for the engine of what a user says."""
    return {name: value for name, value in (tune or {}).items() if name not in COSTS}


def knob_meant(name: str, knobs: Collection[str]) -> str | None:
    """A suggestion for a misspelt knob or cost, or the list of the knobs that there are."""
    from difflib import get_close_matches

    is_cost = get_close_matches(name, COSTS) and not get_close_matches(name, knobs)
    return did_you_mean(name, COSTS if is_cost else knobs)


def as_number(name: str, given: object, kind: type) -> object:
    try:
        return kind(given)
    except (TypeError, ValueError):
        raise UsageError(f"{name} must be a number", got=str(given)) from None


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
        """The knobs that a user names, also as the text of a command; no costs.

        >>> Knobs.read({"heuristic": "LP", "slice_size": "100"})
        {'heuristic': 'LP', 'slice_size': 100}
        """
        return {name: _value(name, value) for name, value in knobs_among(given).items()}

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
        raise UsageError(f"there is no knob '{name}'", help=knob_meant(name, names))
    return as_number(name, given, NUMBERS.get(name, str))


def has_lock() -> bool:
    """Whether only one thread at a time may run Python code."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def processes_pay() -> bool:
    """Whether processes can be forked safely and threads would not do as well."""
    return can_fork() and has_lock()
