"""A process of its own that compiles kernels, for this run or for those to come.

It is forked, so the program's functions need not travel. It may outlive the run that began it: a
short run then finds its kernels compiled the next time. Nobody waits for it, and it takes a minute
at most.
"""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from anabranch.core.threads import fork, start_thread
from anabranch.ir.graph import Graph
from anabranch.kernels.folder import folder, note_attempt, note_kernels

if TYPE_CHECKING:
    from anabranch.kernels import Kernel


MOST_SECONDS = 60
LOWEST = 19
"""The priority of what nobody waits for."""

Make = Callable[[], Iterable["Kernel"]]


def compiled_apart(graph: Graph, make: Make, nice: int = 0) -> threading.Thread:
    """Begins to compile the kernels of a program in a process of its own, which is so `nice` to
    others. The thread that it gives ends with that process."""
    # At worst it gets stuck, and then it is ended by the clock.
    pid = fork(partial(_live, graph, make, nice))
    return start_thread(_wait_for, pid, name="waits for a compiler")


def _wait_for(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _live(graph: Graph, make: Make, nice: int) -> NoReturn:
    try:
        _withdraw()
        os.nice(nice)
        with suppress(BlockingIOError):
            _compile(graph, make, waits=not nice)
    finally:
        os._exit(0)


def _withdraw() -> None:
    """Lets go of all that belongs to the run: its terminal, its files and pipes, its signals."""
    os.setsid()
    for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.alarm(MOST_SECONDS)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))


def _compile(graph: Graph, make: Make, waits: bool) -> None:
    """One process at a time: short runs in a row must not bring the machine to its knees. One that
    compiles for a run `waits` for its turn, and may then find all done."""
    lock = os.open(folder() / "compiling", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    # Should this process end before its time, the program is tried again, but not for ever.
    note_attempt(graph)
    kernels = list(make())
    for kernel in kernels:
        if not kernel.is_saved:
            kernel.warm()
    note_kernels(graph, len(kernels))
