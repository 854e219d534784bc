"""Counting at the speed of the machine: some programs become one compiled loop over the bytes.

These are programs that split a line at its commas, compute with integers, and add integers to
tables whose keys are integers or strings. Where a line is not as simple as that (a quote, a number
that is none, a field that is not there), the chunk is left to the usual function, which is always
right.
"""

from __future__ import annotations

import os

from anabranch.plan import Reason

SMALLEST = 32 << 20
"""So many bytes of input are worth the second that compiling takes."""
TOO_SMALL = Reason("fewer than 32 MB are not worth compiling for")
CHUNK = 8 << 20
"""So many bytes are counted at a time."""


def is_worth_it(files: tuple[str, ...]) -> bool:
    """Whether there is enough to read."""
    return sum(os.path.getsize(file) for file in files if os.path.isfile(file)) >= SMALLEST
