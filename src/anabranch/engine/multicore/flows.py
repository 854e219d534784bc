"""What flows through a stage: the items of a slice with the rows that caused them, and what becomes
of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from anabranch.engine.multicore.slices import Failure


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
