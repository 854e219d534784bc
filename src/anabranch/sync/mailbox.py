"""Mailboxes: an event is released as soon as all that must go before it has been released.

A mailbox has a buffer and a timer for each shard that its worker takes, and one more pair for the
requests from above. The timer says before which stamp nothing else will come. An event may go when
it stands before the first event, present or still to come, of all others: also of shards that it
does not depend on, because a worker asks those below for their states, and they have gone as far
as it asks. What goes may let others go: they are looked at next. Where nobody is below, only the
requests from above have to be waited for: what depends on each other comes as one shard.

>>> box = Mailbox(["a", "b"])
>>> box.put(ABOVE, Run((), ()), until=100)
>>> box.put("a", Run([1, 5], ["x", "z"]), until=6)
>>> list(box.released())
[]
>>> box.put("b", Run([3], ["y"]), until=10)
>>> [(who, run.items) for who, run in box.released()]
[('a', ['x']), ('b', ['y']), ('a', ['z'])]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator

from anabranch.sync.messages import NEVER, Run

ABOVE = "above"
"""Whose events are the requests from above."""


class Mailbox:
    """Buffers and timers by shard; those of a worker with none below it are `apart`."""

    def __init__(self, shards: Iterable[Hashable], apart: bool = False):
        self.buffers: dict[Hashable, deque[Run]] = {key: deque() for key in (*shards, ABOVE)}
        self.timers = dict.fromkeys(self.buffers, 0)
        self.others = {key: [o for o in self.buffers if o != key and (
            not apart or ABOVE in (o, key))] for key in self.buffers}
        self.changed: deque[Hashable] = deque()

    def put(self, key: Hashable, run: Run, until: int) -> None:
        """More events of a shard, if any; and no other will come before `until`."""
        if len(run):
            self.buffers[key].append(run)
        self.timers[key] = max(self.timers[key], until)
        self.changed.extend((key, *self.others[key]))

    def released(self) -> Iterator[tuple[Hashable, Run]]:
        """What may be worked off now, in order."""
        while self.changed:
            key = self.changed.popleft()
            if runs := list(self._before(key, self._horizon(key))):
                yield from ((key, run) for run in runs)
                self.changed.extend(o for o in self.others[key] if o not in self.changed)

    def first(self, key: Hashable) -> int:
        """The stamp of the first event of a shard that is here or may still come."""
        buffer = self.buffers[key]
        return buffer[0].stamps[0] if buffer else self.timers[key]

    @property
    def until(self) -> int:
        """Before this stamp, nothing of the worker's own is here or will come."""
        return min((self.first(key) for key in self.buffers if key != ABOVE), default=NEVER)

    def _horizon(self, key: Hashable) -> int:
        return min((self.first(other) for other in self.others[key]), default=NEVER)

    def _before(self, key: Hashable, stamp: int) -> Iterator[Run]:
        buffer = self.buffers[key]
        while buffer and buffer[0].stamps[0] < stamp:
            before, after = buffer.popleft().parted(stamp)
            if len(after):
                buffer.appendleft(after)
            yield before
