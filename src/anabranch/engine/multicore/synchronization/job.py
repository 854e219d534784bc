"""A slice on its way through a team."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from anabranch.engine.multicore.flows import Outcome
from anabranch.engine.multicore.slices import Rows, Slice
from anabranch.engine.multicore.synchronization.cold_keys import ColdTurn
from anabranch.engine.multicore.synchronization.forked import Turn


@dataclass
class Job:
    """A slice on its way: the `turns` of the states that are forked, the `cold` keys, and how long
    all that took. `missing` counts the workers that are not through; it is `over` when what
    they could not do was done in one place."""

    number: int
    slice: Slice
    rows: Rows
    final: bool
    missing: int
    turns: list[Turn] = field(default_factory=list)
    cold: ColdTurn | None = None
    seconds: float = 0.0
    outcome: Outcome | None = None
    over: threading.Event = field(default_factory=threading.Event)

    def take_part(self, hand: int) -> bool:
        """Does a worker's share of the states; whether nobody has to do any of it again."""
        # All go through the states in one order, so that nobody waits for who waits for him.
        done = [turn.take_part(hand, self.number) for turn in self.turns]
        return all(done) and not self.final

    def take_cold(self, broken: threading.Event) -> bool:
        """The same of the cold keys, which are done at once."""
        if self.cold is not None:
            self.cold.take_part(broken)
        return not self.final

    def do_alone(self, broken: threading.Event) -> None:
        """Does all of it, while nobody is at work."""
        for turn in self.turns:
            turn.do_alone(self.number)
        self.take_cold(broken)

    def do_again(self) -> None:
        """Does in one place what native code has not done."""
        for turn in self.turns:
            if not turn.is_done:
                turn.do_again(self.number, self.slice.number, self.rows.items)

    @property
    def seconds_of_cold(self) -> float:
        """How long the cold keys took, which their own outcomes tell."""
        return sum(outcome.seconds for outcome in self.cold.outcomes) if self.cold else 0.0

    @property
    def native(self) -> list[Turn]:
        return [turn for turn in self.turns if turn.is_done]

    def others(self) -> Iterator[Outcome]:
        """What was not done in native code that the workers share."""
        yield from (turn.outcome for turn in self.turns if turn.outcome is not None)
        yield from self.cold.outcomes if self.cold else ()
