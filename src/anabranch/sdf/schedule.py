"""A flow with its schedule: what fires before the first period, and in every period."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.sdf.balance import repetitions
from anabranch.sdf.flow import Flow
from anabranch.sdf.starting import beginning, supplied


@dataclass(frozen=True)
class Schedule:
    """How often each actor fires before the first period, and in each."""

    flow: Flow
    before: tuple[int, ...]
    period: tuple[int, ...]

    def most(self, actor: int, periods: int | None) -> int | None:
        """How often an actor fires in so many periods and before; None when there is no end."""
        return None if periods is None else self.before[actor] + periods * self.period[actor]

    def buffer(self, index: int) -> int:
        """How many items a channel holds at most, when actors fire in the order of the flow."""
        channel = self.flow.channels[index]
        fired = self.before[channel.source] + self.period[channel.source]
        read = self.flow.actors[channel.target]
        firsts = read.first.pops[channel.into] if read.first else 0
        taken = self.before[channel.target] - bool(read.first)
        return (supplied(self.flow, channel, fired) - firsts
                - taken * read.rates.pops[channel.into])


def scheduled(flow: Flow) -> Schedule:
    """The schedule of a flow; a `ProgramError` when it has none."""
    period = repetitions(flow)
    return Schedule(flow, beginning(flow, period), period)
