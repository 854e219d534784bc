"""Room: how many slices may be under way, and how many are enough to keep everybody busy."""

from __future__ import annotations

from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.sizing import Sizing

SLICES_ON_TRIAL, LAST_TRIAL = 2, 64
"""As long as it is not known whether a stage needs processes, so many slices are under way at most,
and so many come in all."""


class Room:
    """Room for `bound` slices, each of which is `divided` between so many processes. It is taken
    before a slice begins; while `is_kept` there is some that no slice has yet."""

    def __init__(self, crew: Crew, sizing: Sizing, bound: int, divided: int):
        self.crew, self.sizing, self.bound = crew, sizing, bound
        self.plenty = 2 + crew.workers // divided
        self.under_way = self.most_under_way = self.begun = 0
        self.is_kept = False

    def keep(self) -> None:
        """Takes the room for one more slice as soon as there is some, for whoever begins one."""
        self.take()
        self.is_kept = True

    def take(self) -> None:
        with self.crew.changed:
            while self.under_way >= self._bound() and not self.crew.stopped:
                self.crew.changed.wait()
            if self.crew.stopped:
                raise Stopped
            self.under_way += 1
            self.begun += 1
            self.most_under_way = max(self.most_under_way, self.under_way)

    def used(self) -> bool:
        """Whether there was room, which a slice has now."""
        was_kept, self.is_kept = self.is_kept, False
        return was_kept

    def give_back(self) -> None:
        """A slice has left: there is room for another."""
        with self.crew.changed:
            self.under_way -= 1
            self.crew.changed.notify_all()
            self.crew.tell()

    def wait_until_empty(self) -> None:
        with self.crew.changed:
            while self.under_way > self.is_kept and not self.crew.stopped:
                self.crew.changed.wait()

    @property
    def has_plenty(self) -> bool:
        """Whether everybody has enough to do."""
        return self.under_way > self.plenty

    @property
    def is_short(self) -> bool:
        """The same where it can wait: also when there is hardly room for another."""
        return self.under_way > min(self.plenty, max(1, self._bound() - 1))

    def _bound(self) -> int:
        return min(self.bound, SLICES_ON_TRIAL) if self._is_on_trial() else self.bound

    def _is_on_trial(self) -> bool:
        self.sizing.on_trial = self.sizing.on_trial and self.begun < LAST_TRIAL and not all(
            service.settled for service in self.crew.network.services)
        return self.sizing.on_trial


class Stopped(Exception):
    """The crew has stopped: nothing more is taken in."""
