"""What may raise within a `try`: it says in `c` what Python would raise.

>>> import numpy as np
>>> c = np.zeros(3, np.int64)
>>> try:
...     tried_float_div(c, 1.0, 0.0)
... except Bail:
...     KINDS[c[RAISED]]
<class 'ZeroDivisionError'>
"""

from __future__ import annotations

from numba import njit

from anabranch.kernels.native.library.numbers import (
    Bail,
    float_div,
    float_floordiv,
    float_mod,
    floordiv,
    mod,
    truediv,
)
from anabranch.kernels.native.library.tables import at_slot, found, position

RAISED = 2
"""The place in `c`."""

KINDS = {1: ZeroDivisionError, 2: KeyError, 3: IndexError, 4: ValueError}


@njit(nogil=True, _nrt=False)
def _checked(c, divisor):
    if divisor == 0:
        c[RAISED] = 1
        raise Bail


@njit(nogil=True, _nrt=False)
def tried_floordiv(c, left, right):
    _checked(c, right)
    return floordiv(left, right)


@njit(nogil=True, _nrt=False)
def tried_mod(c, left, right):
    _checked(c, right)
    return mod(left, right)


@njit(nogil=True, _nrt=False)
def tried_truediv(c, left, right):
    _checked(c, right)
    return truediv(left, right)


@njit(nogil=True, _nrt=False)
def tried_float_div(c, left, right):
    _checked(c, right)
    return float_div(left, right)


@njit(nogil=True, _nrt=False)
def tried_float_floordiv(c, left, right):
    _checked(c, right)
    return float_floordiv(left, right)


@njit(nogil=True, _nrt=False)
def tried_float_mod(c, left, right):
    _checked(c, right)
    return float_mod(left, right)


@njit(nogil=True, _nrt=False)
def tried_at_slot(c, values, slot):
    if slot < 0:
        c[RAISED] = 2
        raise Bail
    return at_slot(values, slot)


@njit(nogil=True, _nrt=False)
def tried_position(c, index, given, length, bound):
    if index < -length or index >= length:
        c[RAISED] = 3
        raise Bail
    return position(index, given, length, bound)


@njit(nogil=True, _nrt=False)
def tried_found(c, table, known, code):
    if code < len(known) and known[code] == 3:
        c[RAISED] = 4
        raise Bail
    return found(table, known, code)


TRIED = ("floordiv", "mod", "truediv", "float_div", "float_floordiv", "float_mod", "at_slot",
         "position", "found")
