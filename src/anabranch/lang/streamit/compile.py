"""A filter's text as compiled functions; the machine code is kept in the user's cache folder."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import numpy as np

from anabranch.kernels.native.cache import module_of
from anabranch.lang.streamit.coding.constants import COMPILED
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.records import value_dtype
from anabranch.lang.streamit.running import chance, compiled, complexes, firing

HEAD = '''"""{name}, compiled. Helpers: {helpers}"""
import numpy as np
from anabranch.lang.streamit.running.compiled import SCOPE, compiled
globals().update(SCOPE)
'''


@lru_cache(maxsize=1024)
def functions_module(code: FilterCode) -> ModuleType:
    """The compiled `work` and `prework` of a filter, for whatever its parameters are."""
    parts = [f"def {part}\n" for part in ("\n" + code.native).split("\ndef ")[1:]]
    return module_of(source(code, parts))


@lru_cache(maxsize=1024)
def lanes_module(code: FilterCode, dense: tuple[bool, bool]) -> ModuleType | None:
    """The compiled function for many firings side by side, if the filter has one."""
    return None if code.lanes is None else module_of(source(code, [code.lanes(dense) + "\n"]))


def source(code: FilterCode, definitions: list[str]) -> str:
    """The text of a compiled module with some functions of a filter."""
    helpers = content_key(compiled, complexes, firing, chance)
    bindings = code.module.constants.bindings(COMPILED)
    constants = "".join(f"{name} = {_constant(value)}\n" for name, value in bindings.items())
    constants += "".join(f"D_{struct.name} = np.dtype({value_dtype(struct).descr!r})\n"
                         for struct in code.structs)
    return (HEAD.format(name=code.name, helpers=helpers) + constants
            + "".join(f"\n\n@compiled\n{each}" for each in definitions))


def _constant(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r}, np.{value.dtype.name})"
    if isinstance(value, np.complexfloating):
        return f"np.complex64({complex(value)!r})"
    return f"np.float32('{float(value)!r}')" if isinstance(value, np.floating) else repr(value)


def content_key(*modules: ModuleType) -> str:
    """What stands for the texts of the modules that generated code calls."""
    texts = (Path(module.__file__).read_bytes() for module in modules)
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]
