"""Which splitter and which merger a joint needs, by its ordering strategy."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.ir.operators import Kind
from anabranch.plan.logical.plan import Ordering
from oracles.replication.markers import Marker
from oracles.replication.merge import (
    Interleave,
    NumberMerge,
    PulseMerge,
    RoundRobinMerge,
)
from oracles.replication.split import NumberingSplit, PassingSplit, Split

UNNUMBERED = (Ordering.NONE, Ordering.ROUND_ROBIN)


@dataclass(frozen=True)
class JointPlace:
    """A joint where it stands: `clocked` when the clock behind the sources has stamped its items,
    `stamped` when its items carry stamps already."""

    mark: Marker
    degree: int
    epoch: int
    clocked: bool
    stamped: bool

    @property
    def gives_stamps(self) -> bool:
        """Whether items carry stamps behind it."""
        return self.clocked or (self.mark.begins and self.mark.ordering not in UNNUMBERED)

    def splitter(self) -> Kind:
        routing, ordering = self.mark.routing, self.mark.ordering
        if self.stamped:
            return PassingSplit(routing, self.degree, self.mark.repeats or self.clocked)
        if ordering in UNNUMBERED:
            return Split(routing, self.degree)
        epoch = self.epoch if ordering is Ordering.SEQNO_PULSES else None
        return NumberingSplit(routing, self.degree, epoch)

    def merger(self) -> Kind:
        if self.clocked or self.mark.ordering is Ordering.SEQNO_PULSES:
            return PulseMerge(self.degree, self.mark.repeats or self.clocked, self.gives_stamps)
        if self.mark.ordering is Ordering.NONE:
            return Interleave(self.degree, self.stamped)
        return _PLAIN_MERGES[self.mark.ordering](self.degree)


_PLAIN_MERGES = {Ordering.ROUND_ROBIN: RoundRobinMerge, Ordering.SEQNO: NumberMerge}
