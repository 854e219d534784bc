"""The processor's own clock, which generated code reads to tell its operators apart."""

from __future__ import annotations

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic


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
