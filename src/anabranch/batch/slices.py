"""Slices: consecutive source tuples, and what became of them on each queue.

Of a stage, flows are the items of a slice with the rows that caused them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from anabranch.batch.items import Columns, joined
from anabranch.ir.windows import LateRow


class Batch(NamedTuple):
    """The items of one queue in one slice, in order, each with its origin (never falling)."""

    origins: Sequence[int]
    items: list


EMPTY = Batch((), [])


class Failure(NamedTuple):
    """An error and when it would have come: (origin, operator's position, row). One that is
    `tolerated` is a late row, behind which the run goes on."""

    when: tuple
    error: BaseException

    @property
    def tolerated(self) -> bool:
        return isinstance(self.error, LateRow) and self.error.tolerated


def parted(failures: Iterable[Failure]) -> tuple[list[Failure], list[Failure]]:
    """Those that end a run, and those that do not."""
    given = list(failures)
    return [f for f in given if not f.tolerated], [f for f in given if f.tolerated]


def late_before(late: Iterable[Failure], failure: Failure | None) -> list[LateRow]:
    """The late rows that come before a failure, in their order."""
    return [f.error for f in sorted(late, key=itemgetter(0))
            if failure is None or f.when < failure.when]


@dataclass(eq=False)
class Slice:
    """A slice in flight: its batches by queue, who still waits for what, its first failure, and
    what came late.

    `rows` counts its source tuples, `opened` is when the first of them came; `owners` has for a
    stage in processes who owns which bucket, `stays` the stages whose processes cannot be given its
    items; `seconds` is how long all stages together have computed for it; `final` names the
    operator that is told of the end of the input with this slice, which then has none.
    """

    number: int
    final: str | None
    batches: dict[str, Batch]
    rows: int
    missing: list[int] = field(default_factory=list)
    failure: Failure | None = None
    late: list[Failure] = field(default_factory=list)
    owners: dict[int, object] = field(default_factory=dict)
    opened: float = field(default_factory=time.monotonic)
    stays: set[int] = field(default_factory=set)
    seconds: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def computed(self, seconds: float) -> None:
        with self.lock:
            self.seconds += seconds

    def add_failures(self, failures: Sequence[Failure]) -> None:
        failures, late = parted(failures)
        with self.lock:
            known = [self.failure] if self.failure else []
            self.failure = min((*known, *failures), key=itemgetter(0), default=None)
            self.late += late

    def late_rows(self) -> list[LateRow]:
        return late_before(self.late, self.failure)

    def arrived(self, stage: int) -> bool:
        """Whether the stage has now all that it waits for in this slice."""
        with self.lock:
            self.missing[stage] -= 1
            return self.missing[stage] == 0

    @property
    def cut(self) -> float:
        """The first origin that never reaches a sink."""
        return self.failure.when[0] if self.failure else float("inf")


@dataclass(frozen=True)
class Rows:
    """The input of a stage in one slice: its ports' items in the sequential order.

    `ports` is None where there is only the first one.
    """

    origins: Sequence[int]
    ports: Sequence[int] | None
    items: list

    def __len__(self) -> int:
        return len(self.items)

    @property
    def each_port(self) -> Sequence[int]:
        return self.ports if self.ports is not None else [0] * len(self.items)


def gathered(batches: Sequence[Batch]) -> Rows:
    """The batches of all ports as one: by origin, and of one origin the first port first.

    >>> rows = gathered([Batch([0, 2], ["a", "c"]), Batch([0, 1], ["x", "y"])])
    >>> rows.items, rows.ports
    (['a', 'x', 'y', 'c'], (0, 1, 1, 0))
    """
    if len(batches) == 1:
        return Rows(batches[0].origins, None, batches[0].items)
    if (rows := _in_columns(batches)) is not None:
        return rows
    triples = [(origin, port, item) for port, batch in enumerate(batches)
               for origin, item in zip(batch.origins, batch.items)]
    # The sort is stable and finds the ports' runs, so it merges them.
    triples.sort(key=itemgetter(0))
    origins, ports, items = zip(*triples) if triples else ((), (), ())
    return Rows(origins, ports, list(items))


def _in_columns(batches: Sequence[Batch]) -> Rows | None:
    """The same for batches that are all columns of one type; those with nothing in them may be
    anything."""
    filled = [(port, batch) for port, batch in enumerate(batches) if len(batch.items)]
    types = {batch.items.type if isinstance(batch.items, Columns) else None for _, batch in filled}
    if len(types) != 1 or None in types:
        return None
    origins = np.concatenate([np.asarray(batch.origins, np.int64) for _, batch in filled])
    ports = np.concatenate([np.full(len(batch.items), port) for port, batch in filled])
    items = joined([batch.items for _, batch in filled])
    if len(filled) == 1:
        return Rows(origins, ports.tolist(), items)
    order = np.argsort(origins, kind="stable")
    return Rows(origins[order], ports[order].tolist(), items.taken(order))


class Flow(NamedTuple):
    """Items with the rows that caused them; all of them at one port unless `ports` says more."""

    rows: Sequence
    items: list
    ports: Sequence[int] | None = None


class Step(NamedTuple):
    """What one operator did: rows that came and went, and the seconds that it computed."""

    operator: str
    rows_in: int
    rows_out: int
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What a stage made of a slice: a flow for each of its output queues, and its failures, which
    are told apart by (position of the operator, row). `seconds` is how long it computed, `steps`
    what each operator had of it, where that is known."""

    outputs: list[Flow]
    failures: list[Failure]
    seconds: float = 0.0
    steps: tuple[Step, ...] = ()
