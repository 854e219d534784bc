"""Outcomes of different rows, put together in the order of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from anabranch.batch.packs import merged
from anabranch.batch.slices import Flow, Outcome, Step


def combined(outcomes: Sequence[Outcome]) -> Outcome:
    """What several buckets made of a slice, as one outcome."""
    if len(outcomes) == 1:
        return outcomes[0]
    ports = zip(*(outcome.outputs for outcome in outcomes))
    flows = [Flow(*merged([(flow.rows, flow.items) for flow in port])) for port in ports]
    return Outcome(flows, list(chain.from_iterable(o.failures for o in outcomes)),
                   *measured(outcomes))


def measured(outcomes: Sequence[Outcome]) -> tuple[float, tuple[Step, ...]]:
    """How long all of them computed, and what each operator did."""
    return (sum(o.seconds for o in outcomes),
            total(chain.from_iterable(o.steps for o in outcomes)))


def total(steps: Iterable[Step]) -> tuple[Step, ...]:
    """One step for each operator, with all that its steps have seen.

    >>> total([Step("f", 3, 1, 0.5), Step("f", 2, 2, 0.25)])
    (Step(operator='f', rows_in=5, rows_out=3, seconds=0.75),)
    """
    found: dict[str, Step] = {}
    for step in steps:
        known = found.get(step.operator)
        found[step.operator] = step if known is None else Step(
            step.operator, *map(sum, zip(known[1:], step[1:])))
    return tuple(found.values())
