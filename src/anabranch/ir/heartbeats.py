"""Heartbeats: what a source that sends nothing still promises.

Sources merged by their times wait for each other: an item may go when no other source can still
send an earlier one. A source that falls silent would hold all others back, so it says from time to
time how far it has come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anabranch.errors import ProgramError
from anabranch.source import caller_span


@dataclass(frozen=True)
class Heartbeats:
    """A source that has sent nothing for `every` seconds promises that all it will send has at
    least the time that `clock()` gives. As the clock is asked before it is looked whether something
    has come, that is so at any rate of items, if items get their times from that clock.

    >>> import time
    >>> Heartbeats(time.time).every
    0.1
    """

    clock: Callable[[], object]
    every: float = 0.1

    def __post_init__(self):
        if not callable(self.clock):
            raise ProgramError("the clock of heartbeats is a function without arguments",
                               caller_span(), got=repr(self.clock),
                               help="write Heartbeats(time.time)")
        if not isinstance(self.every, (int, float)) or not self.every > 0:
            raise ProgramError("heartbeats come every so many seconds", caller_span(),
                               got=repr(self.every))
