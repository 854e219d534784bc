"""Starts threads and processes: nothing else in the package does.

Every thread has a name, by which debuggers show it, the context of whoever starts it, such as the
precision of decimals, and ends with the program. Every process is forked, so that it begins with
what there is, and functions of the program need not travel.

>>> found = []
>>> start_thread(found.append, 7, name="example").join()
>>> found
[7]
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import IO, TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor
    from multiprocessing.context import ForkProcess


def start_thread(work: Callable[..., object], *given: object, name: str, daemon: bool = True
           ) -> threading.Thread:
    """A thread at work. Unless it is a `daemon`, the program waits for it when it ends."""
    made = threading.Thread(target=copy_context().run, args=(work, *given), daemon=daemon,
                            name=f"anabranch {name}")
    made.start()
    return made


def thread_pool(threads: int, name: str) -> ThreadPoolExecutor:
    """So many threads that take what they are given, in its order."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, f"anabranch {name}")


def can_fork() -> bool:
    """Whether a process can be forked safely beside threads."""
    return hasattr(os, "fork") and sys.platform != "darwin"


def fork(live: Callable[[], NoReturn]) -> int:
    """The number of a process that does nothing but to live so."""
    # What waits to be written would be written twice.
    flush()
    with _beside_threads():
        pid = os.fork()
    if pid == 0:
        try:
            live()
        finally:
            os._exit(1)
    return pid


def start_process(live: Callable[..., None], *given: object) -> ForkProcess:
    """A process as `multiprocessing` knows it, which is ended with this one."""
    from multiprocessing import get_context

    made = get_context("fork").Process(target=live, args=given, daemon=True)
    with _beside_threads():
        made.start()
    return made


def start_beyond(command: Sequence[str], out: IO[bytes]) -> None:
    """A command that goes on when this process has ended; `out` is its output."""
    import subprocess

    made = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                            stderr=subprocess.DEVNULL, start_new_session=True)
    # Nobody waits for it, and Python is not to warn of it.
    made.returncode = 0


def flush() -> None:
    """Writes what waits in the standard streams."""
    for stream in (sys.stdout, sys.stderr):
        # A stream may be missing, closed, or lead nowhere any more.
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()


def _beside_threads() -> warnings.catch_warnings:
    """Newer Pythons warn of a fork beside other threads; what is forked here takes no locks of
    theirs, or is ended by the clock."""
    return warnings.catch_warnings(action="ignore", category=DeprecationWarning)
