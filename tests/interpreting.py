"""Kernels that Python itself runs: compiling one for every small program would take too long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

import numba

from anabranch.kernels.native import cache, kernel, tallying, team

SWITCHED_OFF = SimpleNamespace(DISABLE_JIT=True)


@contextmanager
def kernels_in_python() -> Iterator[None]:
    """The code that is generated is not compiled; what all programs share is.

    Numba is switched off only while a generated module is made: loops that are used first then
    could not be compiled.
    """
    with ExitStack() as stack:
        for place, name, value in (
                (kernel, "module_of", interpreted), (team, "module_of", interpreted),
                (kernel, "numba", SimpleNamespace(config=SWITCHED_OFF)),
                (tallying, "config", SWITCHED_OFF)):
            stack.enter_context(patch.object(place, name, value))
        yield


@lru_cache(maxsize=256)
def interpreted(source: str) -> ModuleType:
    with patch.object(numba.config, "DISABLE_JIT", True):
        return cache.module_of.__wrapped__(source)
