"""Generated modules on disk, so that Numba compiles each only once.

Numba names what it compiles by the module, the function, the types of the arguments, and a number
that each process counts from one on; a type of records has only such a number itself. So what two
processes have saved may have one name for code of two kinds, and who loads both runs one of them
for the other: with records of another size it writes behind the end of its arrays. Whoever imports
this module has the number drawn by chance, also in a process that was forked.
"""

from __future__ import annotations

import hashlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from secrets import randbits
from types import ModuleType

import llvmlite
import numba
import numpy as np
from numba.core.bytecode import FunctionIdentity

from anabranch.kernels.folder import folder, write_file

FunctionIdentity._unique_ids = iter(partial(randbits, 62), None)


HELPERS = ("cache.py", "library/atomics.py", "library/libm.py", "library/numbers.py",
           "library/strings.py", "library/tables.py", "library/times.py")


@lru_cache(maxsize=256)
def module_of(source: str) -> ModuleType:
    """The module of a generated text; two stages with the same text share it."""
    name = _name(source)
    file = folder() / f"{name}.py"
    # What is run is what was generated, whatever has happened to the file since.
    if not file.exists() or file.read_text() != source:
        write_file(file, source)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    # Numba finds the globals of a function that it loads from disk by the name of its module.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def is_compiled(code: Callable) -> bool:
    """Whether a function has been compiled, or needs no compiler: what fails then is the code."""
    return bool(getattr(code, "signatures", True))


def is_saved(source: str) -> bool:
    """Whether the machine code of a generated text is on disk, or here already."""
    return _saved(source).exists()


def note_saved(source: str) -> None:
    _saved(source).touch(mode=0o600)
    _here.add(source)


def is_here(source: str) -> bool:
    """Whether this process has called the machine code, so that nothing has to be loaded."""
    return source in _here and is_saved(source)


def note_failed(source: str, error: Exception) -> None:
    """Notes that nothing can be compiled of a text, so that nobody tries again."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    why = f"{type(error).__name__}: {lines[0].strip()}" if lines else type(error).__name__
    _failed[source] = why
    with suppress(OSError):
        write_file(_refusal(source), why)


def failure(source: str) -> str | None:
    """Why nothing can be compiled of a text, as far as that is known."""
    if source not in _failed and source not in _here:
        with suppress(OSError, UnicodeDecodeError):
            _failed[source] = _refusal(source).read_text()
    return _failed.get(source)


_here: set[str] = set()
_failed: dict[str, str] = {}


def _saved(source: str) -> Path:
    return folder() / f"{_name(source)}.saved"


def _refusal(source: str) -> Path:
    return folder() / f"{_name(source)}.failed"


@lru_cache(maxsize=256)
def _name(source: str) -> str:
    """Has everything that the machine code depends on; Numba itself looks at the one file only."""
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    # Also where the package has come as one file to an executor.
    helpers = [pkgutil.get_data(__package__, name) for name in HELPERS]
    parts = [text.encode() for text in (source, *versions)] + helpers
    key = hashlib.sha256(b"\0".join(parts)).hexdigest()[:24]
    return f"anabranch_stage_{key}"
