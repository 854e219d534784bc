"""Reorder buffers: slices are finished in any order, and go on by number.

After Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory Multicores". With a lock,
everybody waits while one worker hands slices on; in the non-blocking scheme the others leave their
slice in its slot and go back to work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

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
