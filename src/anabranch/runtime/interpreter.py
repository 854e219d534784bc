"""The interpreter's settings for the time of a run.

Rows are many small objects without cycles: with Python's own thresholds, looking for cycles among
them takes longer than making them. With one large threshold everything stands still while very many
objects are looked at. So it is looked often, at few, and seldom at those that stay.

And a thread that has just read a process's answer must not wait long for the interpreter's lock, as
that process may have nothing to do.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

THRESHOLDS = (5_000, 5, 200)
SECONDS_BETWEEN_SWITCHES = 0.001


_lock = threading.Lock()
_runs = 0
_before: tuple[tuple[int, int, int], float] = ((0, 0, 0), 0.0)


@contextmanager
def tuned() -> Iterator[None]:
    """Runs may overlap: the first one tunes, and the last one puts everything back.

    >>> before = gc.get_threshold()
    >>> first = _runs == 0 and 0 < before[0] < THRESHOLDS[0]
    >>> with tuned():
    ...     gc.get_threshold() == THRESHOLDS or not first
    True
    >>> gc.get_threshold() == before
    True
    """
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    global _runs, _before
    with _lock:
        _runs += 1
        if _runs == 1:
            _before = gc.get_threshold(), sys.getswitchinterval()
            if 0 < _before[0][0] < THRESHOLDS[0]:
                gc.set_threshold(*THRESHOLDS)
            sys.setswitchinterval(min(SECONDS_BETWEEN_SWITCHES, _before[1]))


def _end() -> None:
    global _runs
    with _lock:
        _runs -= 1
        if _runs == 0:
            gc.set_threshold(*_before[0])
            sys.setswitchinterval(_before[1])
