"""What is known of NumPy: its functions compute, except those that are named here.

>>> computes(np.dot), computes(np.save), place_of_result(np.dot)
(True, False, 2)
"""

from __future__ import annotations

import inspect

import numpy as np

MODULES = ("numpy", "numpy.linalg", "numpy.fft")
CHANGING = (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)
READING_OR_WRITING = (np.fromfile, np.fromregex, np.genfromtxt, np.load, np.loadtxt, np.save,
                      np.savetxt, np.savez, np.savez_compressed)
# What they give is whatever was in that memory before.
UNINITIALISED = (np.empty, np.empty_like)
# They call functions, or change how NumPy behaves everywhere.
OTHER = (np.apply_along_axis, np.apply_over_axes, np.frompyfunc, np.fromfunction, np.fromiter,
         np.piecewise, np.seterr, np.seterrcall, np.setbufsize, np.set_printoptions)
CHANGING_METHODS = frozenset(("byteswap", "fill", "put", "resize", "setfield", "setflags", "sort"))
PURE_METHODS = frozenset(n for n in dir(np.ndarray) if not n.startswith("_")
                         ) - CHANGING_METHODS - {"dump", "partition", "tofile"}
NOT_COMPUTING = frozenset(map(id, (*CHANGING, *READING_OR_WRITING, *UNINITIALISED, *OTHER)))


def computes(value: object) -> bool:
    """Whether a function of NumPy only computes, apart from where it is told to put its result."""
    if isinstance(value, np.ufunc):
        return True
    function = callable(value) and not isinstance(value, type)
    return (function and getattr(value, "__module__", None) in MODULES
            and id(value) not in NOT_COMPUTING and _signature(value) is not None)


def method_computes(value: object) -> bool:
    """Whether it is a method of an array that leaves the array as it is."""
    return (isinstance(getattr(value, "__self__", None), np.ndarray)
            and value.__name__ in PURE_METHODS)


def place_of_result(function: object) -> int | None:
    """The position of the argument that says where the result goes, if there is one."""
    if isinstance(function, np.ufunc):
        return function.nin
    found = _signature(function) if computes(function) else None
    return list(found.parameters).index("out") if found and "out" in found.parameters else None


def _signature(function: object) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None
