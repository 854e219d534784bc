"""Deeper calls than Python allows by itself, for programs that are nested deeply."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

TEXT = 15_000
"""So deep are the calls that read a text: some for each level, and one of C's frames for each
that goes through a generator. The stack of a thread has room for twice as many."""


@contextmanager
def deep_calls(most: int) -> Iterator[None]:
    """Lets functions call each other so deep; Python's own limit is lower, and needed for other
    code."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, most))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
