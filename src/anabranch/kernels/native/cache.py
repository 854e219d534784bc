"""Generated modules on disk, in a folder of the user's own, so that Numba compiles each only once.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from weakref import WeakSet

import llvmlite
import numba
import numpy as np

HELPERS = ("atomic.py", "libm.py", "numeric.py", "strings.py", "tables.py", "times.py",
           "whole_numbers.py")


@lru_cache(maxsize=256)
def module_of(source: str) -> ModuleType:
    """The module of a generated text; two stages with the same text share it."""
    name = f"anabranch_stage_{_key(source)}"
    file = folder() / f"{name}.py"
    # What is run is what was generated, whatever has happened to the file since.
    if not file.exists() or file.read_text() != source:
        _write(file, source)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    # Numba finds the globals of a function that it loads from disk by the name of its module.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_SECONDS: dict[str, float] = {}
_READY: WeakSet = WeakSet()


@contextmanager
def compiling(source: str, code: object) -> Iterator[None]:
    """Measures the first call of a function, which compiles it or loads it from disk."""
    if code in _READY:
        yield
        return
    began = time.perf_counter()
    yield
    # A plain function, when Numba is switched off, is not compiled.
    if hasattr(code, "signatures"):
        _SECONDS[source] = seconds_of(source) + time.perf_counter() - began
    _READY.add(code)


def seconds_of(source: str) -> float:
    return _SECONDS.get(source, 0.0)


def _key(source: str) -> str:
    """Everything that the machine code depends on; Numba itself looks at the one file only."""
    here = Path(__file__).parent
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    helpers = [(here / name).read_text() for name in HELPERS]
    return hashlib.sha256("\0".join((source, *versions, *helpers)).encode()).hexdigest()[:24]


@lru_cache(maxsize=1)
def folder() -> Path:
    """The user's cache folder for kernels, or one for this process when that is not safe."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    chosen = Path(base) / "anabranch" / "kernels"
    try:
        chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Who may rename a folder's parent could put another one in its place.
        if _is_private(chosen) and _is_private(chosen.parent):
            return chosen
    except (OSError, RuntimeError):
        pass
    own = tempfile.mkdtemp(prefix="anabranch-kernels-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return Path(own)


def _is_private(path: Path) -> bool:
    """Whether no one else could have put code there."""
    found = path.stat()
    return (found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o022
            and os.access(path, os.W_OK))


def _write(file: Path, source: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    with os.fdopen(handle, "w") as out:
        out.write(source)
    os.replace(temporary, file)
