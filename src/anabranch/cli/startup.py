"""How the command begins: what holds while it imports, and then in a run.

What is parallel in a run is ours: with threads of its own BLAS would be slower in worker processes,
could round in another way on another machine, and would start them for nothing in most runs. Who
wants them sets the variable.
"""

from __future__ import annotations

import gc
import os

USUAL = gc.get_threshold()

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Nothing that is imported becomes garbage, and looking for it takes a sixth of the start.
gc.set_threshold(100_000, 50, 50)


def settle() -> None:
    """All that is there stays: from now on garbage is looked for among what the run makes."""
    gc.freeze()
    gc.set_threshold(*USUAL)
