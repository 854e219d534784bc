"""Chooses how a region keeps order: from state, selectivity, and shuffles behind it.

              = 1            <= 1 or more
 stateless    round-robin    sequence numbers and pulses
 partitioned  seq. numbers   sequence numbers and pulses
"""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.analysis.fact import Interval
from anabranch.analysis.facts.order import observes
from anabranch.plan.logical.growth import Growth
from anabranch.plan.logical.plan import Ordering
from anabranch.plan.logical.safety import Context


def strategy(stateful: bool, selectivity: Interval) -> Ordering:
    """The cheapest strategy that is right for a region on its own.

    >>> str(strategy(True, Interval(1, 1)))
    'sequence numbers'
    """
    if not selectivity.exactly_one:
        return Ordering.SEQNO_PULSES
    return Ordering.SEQNO if stateful else Ordering.ROUND_ROBIN


def ordering_of(context: Context, region: Growth) -> Ordering:
    """The strategy of a region; none when nobody can observe the order of what leaves it."""
    first, last = region.operators[0], region.operators[-1]
    if not context.facts[last].ordered.value:
        return Ordering.NONE
    if len(context.graph[first].inputs) > 1:
        return Ordering.SEQNO_PULSES
    return strategy(bool(region.key), region.selectivity)


def observers(context: Context, grown: Iterable[Growth]) -> set[int]:
    """The regions, by their indices, in which an operator sees the order of its inputs."""
    return {index for index, region in enumerate(grown) if any(
        observes(context.graph[name], context.facts[name].state) for name in region.operators)}


def adjusted(orderings: list[Ordering], shuffles: Iterable[tuple[int, int]],
             observers: set[int] = frozenset()) -> list[Ordering]:
    """The strategies of regions that shuffles join.

    Numbers are given once, where a chain begins, so all regions before one that needs order must
    carry them. A merger inside a shuffle sees only some of the numbers and cannot wait for the next
    one: it needs pulses. Behind a shuffle where no order is needed, none is kept.

    >>> numbers, none = Ordering.SEQNO, Ordering.NONE
    >>> list(map(str, adjusted([none, numbers, numbers, none], [(0, 1), (2, 3)])))
    ['sequence numbers and pulses', 'sequence numbers and pulses', 'sequence numbers', 'none']
    """
    result, shuffles = list(orderings), list(shuffles)
    # Each pass takes the need one region further back, and there are no more than these.
    for _ in orderings:
        for left, right in shuffles:
            if result[right] is not Ordering.NONE or right in observers:
                result[left] = result[right] = Ordering.SEQNO_PULSES
    return result
