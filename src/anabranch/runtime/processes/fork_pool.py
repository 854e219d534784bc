"""A function called for many items by forked processes, its results in their order.

The function need not travel, since the processes are copies of this one; items and results do. A
process takes the next item when it is done with one, and none outlives the caller.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from anabranch.core.errors import RunError
from anabranch.core.threads import can_fork, start_process

PR_SET_PDEATHSIG = 1

AHEAD = 4
"""So many results for each process may wait for one before them."""


def forked(function: Callable, items: Sequence, workers: int) -> Generator:
    """What a function gives for each item; by this process where one worker is enough. Who may stop
    before the last one closes it.

    >>> list(forked(lambda n: n * n, [1, 2, 3], workers=2))
    [1, 4, 9]
    """
    if min(workers, len(items)) < 2 or not can_fork():
        return (function(item) for item in items)
    return _in_order(function, items, min(workers, len(items)))


def _in_order(function: Callable, items: Sequence, workers: int) -> Generator:
    team = _Team(function, items, workers)
    done: dict[int, object] = {}
    try:
        for number in range(len(items)):
            while number not in done:
                done.update(team.answers(number + AHEAD * workers))
            result = done.pop(number)
            if isinstance(result, BaseException):
                raise result
            yield result
    finally:
        team.close()


def end_with(parent: int) -> None:
    """Has the system end this process together with the one that forked it, also when that one is
    killed while this one is busy. The thread that forked it must live as long."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


class _Team:
    """Processes, each with the number of the item it is at."""

    def __init__(self, function: Callable, items: Sequence, workers: int):
        self.waiting = list(reversed(range(len(items))))
        self.ends: list[Connection] = []
        self.processes: dict[Connection, multiprocessing.Process] = {}
        self.idle: set[Connection] = set()
        for _ in range(workers):
            ours, theirs = multiprocessing.Pipe()
            self.ends.append(ours)
            self.processes[ours] = start_process(_live, function, items, theirs, list(self.ends))
            theirs.close()
            self.idle.add(ours)

    def answers(self, before: int) -> dict[int, object]:
        """Lets idle processes take items up to a number, and waits for some results."""
        while self.idle and self.waiting and self.waiting[-1] < before:
            self.idle.pop().send(self.waiting.pop())
        return dict(map(self._answer, wait(set(self.ends) - self.idle)))

    def _answer(self, end: Connection) -> tuple[int, object]:
        try:
            number, result = end.recv()
        except (EOFError, OSError):
            ended = self.processes[end]
            ended.join(1)
            raise RunError(f"a worker process (pid {ended.pid}) ended with {ended.exitcode} "
                           "while it worked", help="was the machine out of memory?") from None
        self.idle.add(end)
        return number, result

    def close(self) -> None:
        """Ends the processes; it is no loss if one is at work."""
        for end, worker in self.processes.items():
            worker.terminate()
            worker.join()
            end.close()


def _live(function: Callable, items: Sequence, end: Connection, others: list[Connection]) -> None:
    """The life of a process: it computes the items whose numbers come until there are no more."""
    end_with(multiprocessing.parent_process().pid)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()
    # What was there before the fork need not be looked at, and so copied, by each collection.
    gc.freeze()
    while True:
        try:
            number = end.recv()
        except EOFError:
            return
        try:
            result = function(items[number])
        except Exception as error:
            result = error
        end.send((number, result))
