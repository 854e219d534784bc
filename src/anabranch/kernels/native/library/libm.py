"""The C library's functions of real numbers, called as Python's `math` does.

Numba's own versions may be simplified by the compiler, so the library's symbols are given names
that it does not know. A function is offered only where it gives the bits of Python's on a sample:
`math` may have been built with another library.

>>> real_exp(0.0), "exp" in OFFERED
(1.0, True)
"""

from __future__ import annotations

import ctypes
import math
import random
import struct
from collections.abc import Callable

from llvmlite import binding
from numba import njit, types

from anabranch.kernels.native.library.numbers import Bail

NAMES = ("exp", "expm1", "exp2", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin",
         "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "erf", "erfc")
PAIRS = ("pow", "fmod", "atan2")
SAMPLES = 300


def _library(name: str) -> Callable | None:
    found = getattr(ctypes.CDLL(None), name, None)
    if found is not None:
        found.restype = ctypes.c_double
    return found


def _called(function: Callable, *given: float) -> bytes | None:
    """The bits of a result; None where Python raises or the result is no number."""
    try:
        result = function(*given)
    except (ValueError, OverflowError):
        return None
    return struct.pack("d", result) if math.isfinite(result) else None


def _agrees(name: str, arguments: int) -> bool:
    library, python, chosen = _library(name), getattr(math, name, None), random.Random(name)
    if library is None or python is None:
        return False
    for _ in range(SAMPLES):
        given = [chosen.uniform(-1, 1) * 10.0 ** chosen.randint(-8, 3) for _ in range(arguments)]
        wanted = _called(python, *given)
        found = _called(library, *map(ctypes.c_double, given))
        if wanted is not None and wanted != found:
            return False
    return True


OFFERED = frozenset(n for names, size in ((NAMES, 1), (PAIRS, 2)) for n in names
                    if _agrees(n, size))


def _external(name: str, arguments: int) -> types.ExternalFunction:
    symbol = f"anabranch_{name}"
    if name in OFFERED:
        binding.add_symbol(symbol, ctypes.cast(_library(name), ctypes.c_void_p).value)
    return types.ExternalFunction(symbol, types.float64(*[types.float64] * arguments))


def _real(name: str) -> Callable:
    external = _external(name, 1)

    @njit(nogil=True, _nrt=False)
    def function(value):
        result = external(value)
        # Python raises where a number has no result, or one that is too large.
        if math.isnan(result) and not math.isnan(value):
            raise Bail
        if math.isinf(result) and math.isfinite(value):
            raise Bail
        return result
    return function


globals().update({f"real_{name}": _real(name) for name in NAMES})
_pow, _fmod, _atan2 = (_external(name, 2) for name in PAIRS)


@njit(nogil=True, _nrt=False)
def real_pow(base, exponent):
    """`base ** exponent` of finite floats, by the steps that CPython takes."""
    if not (math.isfinite(base) and math.isfinite(exponent)) or (base == 0.0 and exponent < 0.0):
        raise Bail
    size, odd = abs(base), False
    if base < 0.0:
        if exponent != math.floor(exponent):
            raise Bail
        odd = _fmod(abs(exponent), 2.0) == 1.0
    elif base == 0.0 and math.copysign(1.0, base) < 0.0:
        return _pow(base, exponent)
    result = 1.0 if size == 1.0 else _pow(size, exponent)
    if math.isinf(result):
        raise Bail
    return -result if odd else result


@njit(nogil=True, _nrt=False)
def real_fmod(left, right):
    result = _fmod(left, right)
    if math.isinf(left) or right == 0.0:
        raise Bail
    return result


@njit(nogil=True, _nrt=False)
def real_atan2(y, x):
    if not (math.isfinite(x) and math.isfinite(y)):
        raise Bail
    return _atan2(y, x)


__all__ = [f"real_{name}" for name in (*NAMES, *PAIRS)]
