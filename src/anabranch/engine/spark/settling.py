"""Python workers in which the garbage collector leaves alone what has been imported.

Behind each task Spark has a worker's collector look at everything; with a compiler loaded that
takes longer than many a task does.
"""

from __future__ import annotations

import gc
import sys

_settled = 0
"""How many modules there were when it was done last."""


def settle() -> None:
    """Takes all that is there out of the collector's sight, if modules have come since the last
    time. To be called where a task begins: nothing of an earlier one is left then."""
    global _settled
    if len(sys.modules) != _settled:
        gc.freeze()
        _settled = len(sys.modules)
