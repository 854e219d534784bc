"""How the command begins: what holds while it imports, and then in a run.

What is parallel in a run is ours: with threads of its own BLAS would be slower in worker processes,
could round in another way on another machine, and would start them for nothing in most runs. Who
wants them sets the variable.
"""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress

USUAL = gc.get_threshold()

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Nothing that is imported becomes garbage, and looking for it takes a sixth of the start.
gc.set_threshold(100_000, 50, 50)

INTERRUPTED = 128 + signal.SIGINT


def _end(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


# What is half imported may take Ctrl-C for an error of its own, and there is nothing to clean up.
_usual_end = signal.getsignal(signal.SIGINT)
if _usual_end is signal.default_int_handler:
    with suppress(ValueError):
        signal.signal(signal.SIGINT, _end)


def imported() -> None:
    """From now on Ctrl-C is told as what it is in Python."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, _usual_end)


def settle() -> None:
    """All that is there stays: from now on garbage is looked for among what the run makes."""
    gc.freeze()
    gc.set_threshold(*USUAL)
