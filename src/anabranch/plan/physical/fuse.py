"""Stages that follow each other as kernels become one stage with one kernel.

Then a row passes all of them in one loop, and no column is made in between. A stage that may be
shared and whose functions have loops stays apart from others: it is worth sharing. What else is
worth it (`shares` says so of a tier) goes by the keys of the items that enter, or stays apart where
nobody knows these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import pairwise

from anabranch.analysis.facts.forwarding import forwarding
from anabranch.ir.graph import Graph
from anabranch.plan.physical.cost import has_loop
from anabranch.plan.physical.cut import LINES
from anabranch.plan.physical.stages import Sharing, Stage, is_wished_parallel
from anabranch.plan.physical.tiers import Tier, tier_of

Shares = Callable[[Tier], bool]


def fused(graph: Graph, stages: Sequence[Stage], known: dict[int, Tier], shares: Shares
           ) -> tuple[list[Stage], dict[int, Tier]]:
    """The stages and their tiers, with every line of kernels as one stage."""
    found = [(stage, known.get(stage.index)) for stage in stages]
    while (pair := _next_pair(graph, found, shares)) is not None:
        place, after, both = pair
        found[place] = both
        del found[after]
    found = [(replace(stage, index=index), tier) for index, (stage, tier) in enumerate(found)]
    return [stage for stage, _ in found], {s.index: tier for s, tier in found if tier is not None}


Found = list[tuple[Stage, Tier | None]]


def _next_pair(graph: Graph, found: Found, shares: Shares
               ) -> tuple[int, int, tuple[Stage, Tier]] | None:
    for place, (stage, tier) in enumerate(found):
        for after, (behind, following) in enumerate(found):
            if _follows(graph, stage, behind) and _alike(stage, tier, behind, following):
                both = _both(graph, (stage, behind), shares)
                if both is not None:
                    return after, place, both
    return None


def _follows(graph: Graph, stage: Stage, behind: Stage) -> bool:
    """Whether all that one stage gives goes to the other, which gets nothing else."""
    return (stage.outputs == behind.inputs and len(stage.outputs) == 1
            and graph.readers(stage.outputs[0]) == (behind.operators[0],))


def _alike(stage: Stage, tier: Tier | None, behind: Stage, following: Tier | None) -> bool:
    if not all(t is not None and t.kernel is not None and t.name == "native"
               for t in (tier, following)):
        return False
    if stage.sharing not in LINES or behind.sharing not in LINES:
        return False
    both, tiers_of_both = (stage, behind), (tier, following)
    if all(s.sharing is Sharing.ANY for s in both):
        return True
    return not any(is_wished_parallel(op) for s in both for op in s.operators) and not any(
        s.sharing is not Sharing.ONE and t.has_loops for s, t in zip(both, tiers_of_both))


def _both(graph: Graph, parts: Sequence[Stage], shares: Shares) -> tuple[Stage, Tier] | None:
    """The stages as one with one kernel, if it has one and no keys that are worth it are lost."""
    whole = reduce(partial(_one_behind_the_other, graph), parts)
    tier = tier_of(graph, whole)
    if tier.name != "native":
        return None
    if not shares(tier):
        return _in_one_place(whole), tier
    return None if _loses_keys(parts, whole) else (whole, tier)


def _one_behind_the_other(graph: Graph, stage: Stage, behind: Stage) -> Stage:
    sharing, keys = _shared(graph, stage, behind)
    return replace(stage, operators=(*stage.operators, *behind.operators), outputs=behind.outputs,
                   sharing=sharing, keys=keys)


def _shared(graph: Graph, stage: Stage, behind: Stage) -> tuple[Sharing, tuple]:
    """How both together may be shared, and by which keys of the items that enter."""
    if stage.sharing is behind.sharing is Sharing.ANY:
        return Sharing.ANY, ()
    if Sharing.ONE in (stage.sharing, behind.sharing):
        return Sharing.ONE, ()
    own = stage.keys if stage.sharing is Sharing.BUCKETS else None
    wanted = _in_front(graph, stage, behind.keys) if behind.sharing is Sharing.BUCKETS else own
    whole = wanted is not None and own in (None, wanted)
    return (Sharing.BUCKETS, wanted) if whole else (Sharing.ONE, ())


def _in_front(graph: Graph, stage: Stage, keys: tuple[tuple[str, ...], ...]
              ) -> tuple[tuple[str, ...], ...] | None:
    """Where the items that enter a stage have the key of those that leave it; None if nobody knows.
    """
    [key] = keys
    for op in reversed(stage.operators):
        origin = forwarding(graph, op)[0].value.origin
        found = tuple(map(origin, key))
        if None in found:
            return None
        key = found
    return (key,)


def _loses_keys(parts: Sequence[Stage], whole: Stage) -> bool:
    return whole.sharing is not Sharing.BUCKETS and any(
        part.sharing is Sharing.BUCKETS for part in parts)


def _in_one_place(stage: Stage) -> Stage:
    return stage if stage.sharing is Sharing.ANY else replace(stage, sharing=Sharing.ONE, keys=())


def in_one_kernel(graph: Graph, stages: Sequence[Stage], shares: Shares
                  ) -> tuple[list[Stage], dict] | None:
    """A line of stages as one with its kernel, if they have one together: as most programs do, it
    is asked for before that of each."""
    *line, sinks = stages
    if len(line) < 2 or not all(_follows(graph, a, b) for a, b in pairwise(line)) or not all(
            stage.sharing in LINES and not any(
                has_loop(op) or is_wished_parallel(op) for op in stage.operators)
            for stage in line):
        return None
    both = _both(graph, line, shares)
    return None if both is None else ([both[0], replace(sinks, index=1)], {0: both[1]})
