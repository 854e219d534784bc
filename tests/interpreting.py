"""Kernels that Python itself runs: compiling one for every small program would take too long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

from anabranch.io.csv import columns as csv_columns
from anabranch.io.jsonl import columns as jsonl_columns
from anabranch.kernels.native import kernel
from anabranch.kernels.native import kernel as tallying
from anabranch.kernels.native.team import kernel as team
from anabranch.plan.physical import cost

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


def kernels_for_nothing(monkeypatch) -> None:
    """Kernels pay for any number of rows."""
    for name in ("LOADING", "LOADED", "COMPILING"):
        monkeypatch.setattr(cost, name, 0.0)


def files_are_large(monkeypatch) -> None:
    """The loops that take large files apart read small ones, be Numba loaded or not."""
    for columns in (csv_columns, jsonl_columns):
        for name in ("COMPILED", "LARGE"):
            monkeypatch.setattr(columns, name, 1)


@lru_cache(maxsize=256)
def interpreted(source: str) -> ModuleType:
    """The module of a generated text, without what has its functions compiled."""
    module = ModuleType(f"interpreted_{abs(hash(source))}")
    exec(COMPILED.sub("", source), module.__dict__)
    return module
