"""Atomic numbers, which several threads read and change, and the processor's clock.

Plain reads in a loop would be read once; these are read each time, and what another thread wrote
before it changed such a number is seen after the change has been. The clock tells generated code
how long each of its operators takes.

>>> board = np.zeros(2, np.int64)
>>> int(fetch_add(board, 1, 5)), board.tolist(), awaited(board, 1, 5, 0)
(0, [0, 5], True)
>>> claimed(board, 1, 405, 5), claimed(board, 1, 17, 5), claimed(board, 1, 17, 5)
((5, 15), (15, 17), (17, 17))
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

WORD_BYTES = 8
SPINS = 200
"""So often a thread looks again at once; then it lets others run first."""
YIELDS = 50_000
"""So often it does that, for about 20 milliseconds: those for whom it waits work on the same slice.
Then it sleeps in between. Who sleeps wakes late, and lets all others wait for it the next time."""
NAP = 50
"""Microseconds of sleep."""

LEAST_CLAIMED = 4
"""So many rows are claimed at least: to ask for them takes as long as a light one."""
PARTS = 8
"""So many parts each makes of what it would have of the rest, and claims one of them: who has to
rest meanwhile holds few that others wait for."""

_yield = types.ExternalFunction("sched_yield", types.int32())
_sleep = types.ExternalFunction("usleep", types.int32(types.uint32))


def _place(context, builder, signature, arguments):
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [arguments[1]])


@intrinsic
def _load(typing, array, place):
    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_place(context, builder, signature, arguments), "acquire",
                                   WORD_BYTES)
    return types.int64(array, types.int64), generate


@intrinsic
def _add(typing, array, place, more):
    def generate(context, builder, signature, arguments):
        return builder.atomic_rmw("add", _place(context, builder, signature, arguments),
                                  arguments[2], "acq_rel")
    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def _exchange(typing, array, place, old, new):
    def generate(context, builder, signature, arguments):
        found = builder.cmpxchg(_place(context, builder, signature, arguments), arguments[2],
                                arguments[3], "acq_rel", "acquire")
        return builder.extract_value(found, 1)
    return types.boolean(array, types.int64, types.int64, types.int64), generate


@njit(nogil=True, _nrt=False)
def fetch_add(board, place, more):
    """Adds to a number; what it was before."""
    return _add(board, np.int64(place), np.int64(more))


@njit(nogil=True, _nrt=False)
def claimed(board, place, end, sharers):
    """The next numbers before `end`, for one of so many who take them as they are free: the first,
    and the one behind the last. The fewer are left the fewer one takes, so that all end together.
    """
    while True:
        first = _load(board, np.int64(place))
        left = end - first
        if left <= 0:
            return first, first
        part = left // (PARTS * sharers) if sharers > 1 else left
        last = first + min(left, max(LEAST_CLAIMED, part))
        if _exchange(board, np.int64(place), np.int64(first), np.int64(last)):
            return first, last


@njit(nogil=True, _nrt=False)
def awaited(board, place, least, stopped):
    """Waits until a number has reached `least`; False when `stopped` has been set meanwhile."""
    tries = 0
    while _load(board, np.int64(place)) < least:
        if _load(board, np.int64(stopped)):
            return False
        tries += 1
        if tries > SPINS + YIELDS:
            _sleep(np.uint32(NAP))
        elif tries > SPINS:
            _yield()
    return True


@intrinsic
def _cycles(typing):
    def code(context, builder, signature, arguments):
        counter = builder.module.declare_intrinsic("llvm.readcyclecounter", (),
                                                   ir.FunctionType(ir.IntType(64), ()))
        return builder.call(counter, ())
    return types.int64(), code


@njit(nogil=True, _nrt=False)
def ticks():
    """Ticks since some moment; what one lasts is not said. Python itself cannot tell."""
    return _cycles()
