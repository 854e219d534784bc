"""Merges: slices are finished in any order, and go on as the plan's strategy says.

`enter` is told of a slice when it is given out, in the order of the slices; `leave` hands it on
when it is finished, or leaves that to another worker. `held` tells how many are finished and wait.

Reorder buffers are after Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory
Multicores". With a lock, everybody waits while one worker hands slices on; in the non-blocking
scheme the others leave their slice in its slot and go back to work.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from anabranch.batch.slices import Slice
from anabranch.plan.logical.plan import Ordering
from anabranch.plan.tuning import Knobs

Downstream = Callable[[object], None]
EMPTY = object()


class NonBlockingReorder:
    """A ring of `size` slots, and a flag that the one who hands on has set.

    >>> out = []
    >>> buffer = NonBlockingReorder(out.append, 4)
    >>> buffer.send(1, "b"), out, buffer.send(0, "a"), out
    (True, ['a', 'b'], True, ['a', 'b'])
    >>> buffer.send(9, "too early")
    False
    """

    def __init__(self, downstream: Downstream, size: int):
        self.downstream, self.size = downstream, size
        self.slots = [EMPTY] * size
        self.next = 0
        # A lock that is only ever tried is a flag with an atomic test-and-set.
        self.flag = threading.Lock()

    def send(self, number: int, output: object) -> bool:
        """False when the slot is not free yet: the caller tries again."""
        added = self._try_add(number, output)
        self._send_pending()
        return added

    @property
    def held(self) -> int:
        """How many outputs wait for an earlier one, about: others come and go meanwhile."""
        return sum(slot is not EMPTY for slot in self.slots)

    def _try_add(self, number: int, output: object) -> bool:
        if not self.next <= number < self.next + self.size:
            return False
        self.slots[number % self.size] = output
        return True

    def _send_pending(self) -> None:
        # Looking again after the flag is cleared: an output that came in between found it set,
        # so its worker has gone and nobody else would send it.
        while self._is_pending() and self.flag.acquire(blocking=False):
            try:
                while self._is_pending():
                    self._send_next()
            finally:
                self.flag.release()

    def _is_pending(self) -> bool:
        return self.slots[self.next % self.size] is not EMPTY

    def _send_next(self) -> None:
        slot = self.next % self.size
        self.downstream(self.slots[slot])
        self.slots[slot] = EMPTY
        self.next += 1


class LockReorder:
    """One lock around everything: kept for the comparison.

    >>> out = []
    >>> buffer = LockReorder(out.append, 4)
    >>> buffer.send(1, "b"), buffer.send(0, "a"), out
    (True, True, ['a', 'b'])
    """

    def __init__(self, downstream: Downstream, size: int):
        self.downstream, self.waiting, self.next = downstream, {}, 0
        self.lock = threading.Lock()

    def send(self, number: int, output: object) -> bool:
        with self.lock:
            self.waiting[number] = output
            while self.next in self.waiting:
                self.downstream(self.waiting.pop(self.next))
                self.next += 1
        return True

    @property
    def held(self) -> int:
        return len(self.waiting)


REORDERINGS = {"non-blocking": NonBlockingReorder, "lock": LockReorder}


class AsFinished:
    """No order: nothing waits for anything.

    >>> out = []
    >>> merge = AsFinished(out.append)
    >>> merge.leave("second"), merge.leave("first"), out
    (None, None, ['second', 'first'])
    """

    held = 0

    def __init__(self, downstream: Downstream):
        self.leave = downstream

    def enter(self, slice_: object) -> None:
        """Nobody remembers it."""


class InTurn:
    """Round-robin: slices go on in the turn in which they were given out. Each that is under way is
    a channel of its own, so no slice stands behind another that takes long.

    >>> out = []
    >>> merge = InTurn(out.append)
    >>> merge.enter("a"), merge.enter("b"), merge.leave("b"), merge.held, merge.leave("a"), out
    (None, None, None, 1, None, ['a', 'b'])
    """

    def __init__(self, downstream: Downstream, waiting: bool = False):
        self.downstream, self.waiting = downstream, waiting
        self.channels: deque = deque()
        self.finished: set[int] = set()
        self.flag = threading.Lock()

    @property
    def held(self) -> int:
        return len(self.finished)

    def enter(self, slice_: object) -> None:
        self.channels.append(slice_)

    def leave(self, slice_: object) -> None:
        self.finished.add(id(slice_))
        # As in a buffer: what is finished while the flag is set is looked for again.
        while self._has_next() and self.flag.acquire(blocking=self.waiting):
            try:
                while self._has_next():
                    slice_ = self.channels.popleft()
                    self.finished.discard(id(slice_))
                    self.downstream(slice_)
            finally:
                self.flag.release()

    def _has_next(self) -> bool:
        try:
            return id(self.channels[0]) in self.finished
        except IndexError:
            return False


class ByNumber:
    """Sequence numbers: a buffer waits for the slice with the next one."""

    def __init__(self, buffer: NonBlockingReorder | LockReorder):
        self.buffer = buffer

    @property
    def held(self) -> int:
        return self.buffer.held

    def enter(self, slice_: Slice) -> None:
        """Its number is with it."""

    def leave(self, slice_: Slice) -> None:
        """As soon as the buffer has room."""
        while not self.buffer.send(slice_.number, slice_):
            time.sleep(0)


Merge = AsFinished | InTurn | ByNumber


def merge_of(ordering: Ordering, hand_on: Downstream, knobs: Knobs) -> Merge:
    """What executes a strategy; merges that wait do so as the knobs say."""
    if ordering is Ordering.NONE:
        return AsFinished(hand_on)
    if ordering is Ordering.ROUND_ROBIN:
        return InTurn(hand_on, waiting=knobs.reorder == "lock")
    return ByNumber(REORDERINGS[knobs.reorder](hand_on, knobs.bound))
