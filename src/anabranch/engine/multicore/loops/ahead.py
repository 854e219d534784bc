"""An operator on a loop whose firings are computed ahead, in processes.

It begins here, in the thread of its stage. When its work is seen to be heavy, more of it is waiting
and it takes longer to compute than to travel, it leaves: each process gets the states of some keys.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable

from anabranch.engine.multicore.loops.errands import Errand, Errands
from anabranch.engine.multicore.packs import opened
from anabranch.engine.multicore.runners import Judge
from anabranch.engine.multicore.transport import CannotTravel, dumped, packed
from anabranch.errors import RunError
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Cell, key_function
from anabranch.ir.operators.kind import Fire, Output

WORTH = 1e-3
"""Seconds of computing for each item from which on it may pay to send it to a process."""

LONGER_THAN_TRAVEL = 2
"""So many times longer than packing its items it takes to compute them."""

AS_MANY = 256
"""So many firings are begun ahead at most."""


class Ahead:
    """The firings of one operator. `upcoming` tells the items that will come next, `number` is by
    what the processes know it."""

    def __init__(self, op: Operator, number: int, cells: list[Cell], errands: Errands,
                 upcoming: Callable[[], Iterable[object]], at_once: bool):
        self.op, self.number, self.cells, self.errands = op, number, cells, errands
        self.upcoming, self.away, self.judge = upcoming, at_once, Judge(worth=WORTH)
        self.key_of = key_function(op.kind.by) if cells else None
        self.owners: dict[object, int] = {}
        self.begun: deque[Errand] = deque()

    def fire(self, here: Fire, port: int, item: object) -> tuple[list[Output], float]:
        """What the firing emits, and the seconds that it was computed."""
        if self.away:
            return self._taken(item)
        began = time.thread_time()
        outputs = list(here(port, item))
        seconds = time.thread_time() - began
        if self.judge.worth_moving(1, seconds) and any(True for _ in self.upcoming()):
            self._leave([item, *(out for _, out in outputs)], seconds)
        return outputs, seconds

    def _taken(self, item: object) -> tuple[list[Output], float]:
        if not self.begun:
            self._begin(item)
        done = self.errands.wait(self.begun.popleft())
        if done.failures:
            raise done.failures[0].error
        return [(0, out) for out in opened(done.outputs[0].items)], done.seconds

    def _begin(self, item: object) -> None:
        """With this item and those that will come next."""
        self.begun.append(self._sent(item))
        for upcoming, _ in zip(self.upcoming(), range(AS_MANY)):
            try:
                self.begun.append(self._sent(upcoming))
            except Exception:
                # It will fail in the same way in its turn.
                return

    def _sent(self, item: object) -> Errand:
        process = self.errands.idlest if self.key_of is None else self._owner(self.key_of(item))
        try:
            return self.errands.send(self.number, item, process)
        except CannotTravel as error:
            raise self._stuck(error) from None

    def _owner(self, key: object) -> int:
        """Keys go to the processes in turn."""
        return self.owners.setdefault(key, len(self.owners) % len(self.errands.sent))

    def _leave(self, seen: list, seconds: float) -> None:
        states: list[dict] = [{} for _ in self.errands.sent]
        for key, state in self.cells[0].value.items() if self.cells else ():
            states[self._owner(key)][key] = state
        try:
            began = time.thread_time()
            dumped(packed(seen))
            self.away = seconds > LONGER_THAN_TRAVEL * (time.thread_time() - began)
            for process, owned in enumerate(states if self.away else ()):
                self.errands.adopt(self.number, [([owned] if self.cells else [], None)], process)
        except CannotTravel:
            self.away, self.judge = False, Judge(resigned=True)

    def _stuck(self, error: CannotTravel) -> RunError:
        return RunError(f"an item of {self.op.name} cannot travel to its worker process: {error}",
                        self.op.span, help="define the item's class at the top level of a module, "
                                           "or run with one worker")
