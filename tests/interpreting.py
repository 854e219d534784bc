"""Kernels that Python itself runs: compiling one for every small program would take too long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

from anabranch.kernels.native import kernel
from anabranch.kernels.native import kernel as tallying
from anabranch.kernels.native.team import kernel as team
from anabranch.plan import tuning
from anabranch.plan.tuning import CostModel

COMPILED = re.compile(r"^@njit\b.*$", re.MULTILINE)
SWITCHED_OFF = SimpleNamespace(DISABLE_JIT=True)


@contextmanager
def kernels_in_python() -> Iterator[None]:
    """The code that is generated is not compiled; what all programs share is."""
    with ExitStack() as stack:
        for place, name, value in (
                (kernel, "module_of", interpreted), (team, "module_of", interpreted),
                (kernel, "numba", SimpleNamespace(config=SWITCHED_OFF)),
                (tallying, "config", SWITCHED_OFF)):
            stack.enter_context(patch.object(place, name, value))
        yield


def with_costs(monkeypatch, **given: float) -> None:
    """In this test all runs, and what is read without one, go by these costs, as with `tune`."""
    wanted = CostModel.of(given)  # the default of all threads
    monkeypatch.setattr(tuning, "_costs", ContextVar("costs", default=wanted))


FREE_KERNELS = {"numba_loading": 0.0, "kernel_loading": 0.0, "compiling": 0.0}
"""Kernels pay for any number of rows."""

SMALL_IS_LARGE = {"bytes_worth_loops": 1, "csv_worth_numba": 1, "json_worth_numba": 1}
"""The loops that take large files apart read small ones, be Numba loaded or not."""


@lru_cache(maxsize=256)
def interpreted(source: str) -> ModuleType:
    """The module of a generated text, without what has its functions compiled."""
    module = ModuleType(f"interpreted_{abs(hash(source))}")
    exec(COMPILED.sub("", source), module.__dict__)
    return module
