r"""CSV text in which every line end ends a row and every comma a cell: most have no quotes at all.

First it is found where cells end, 64 bytes at a time and without a look at what is in them; then
each column is taken by itself. That takes half as long as going from cell to cell, since nothing
has to wait for the end of the cell before it. Whatever is not that simple is left to `csv_scan`.

>>> text = np.frombuffer(b"1,a\n22,b\n" + b"\n" * 64, np.uint8)
>>> places = np.zeros(80, np.int32)
>>> cell_ends(text, 9, 2, places), places[:4].tolist()
(2, [1, 3, 6, 8])
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from anabranch.io.cell_kinds import NOWHERE, SKIPPED, TEXT, THERE, WHOLE
from anabranch.io.csv_scan import COMMA, LINE_FEED, QUOTE, RETURN, number
from anabranch.io.eight_bytes import byte, digits_between, trailing_zeros

WIDE = 64
ONE = np.uint64(1)
BYTES = ir.VectorType(ir.IntType(8), WIDE)


@intrinsic
def _where(context, text, at, mark):
    """The 64 bytes from a place on as bits, the lowest for the first: whether it is this mark."""
    def generate(target, builder, signature, arguments):
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), BYTES.as_pointer())
        one = builder.insert_element(ir.Constant(BYTES, ir.Undefined), arguments[2],
                                     ir.IntType(32)(0))
        every = builder.shuffle_vector(one, one, ir.Constant(
            ir.VectorType(ir.IntType(32), WIDE), [0] * WIDE))
        same = builder.icmp_unsigned("==", builder.load(place, align=1), every)
        return builder.bitcast(same, ir.IntType(WIDE))
    return types.uint64(text, types.int64, types.uint8), generate


@intrinsic
def _count(context, bits):
    """How many of the bits are set."""
    def generate(target, builder, signature, arguments):
        return builder.ctpop(arguments[0])
    return types.uint64(types.uint64), generate


@njit(nogil=True, _nrt=False, forceinline=True)
def _is_odd(text, at):
    """Whether a comma or a line end here may be something else than the end of a cell."""
    return _where(text, at, np.uint8(QUOTE)) | _where(text, at, np.uint8(RETURN)) | (
        _where(text, at, np.uint8(0)))


@njit(nogil=True, _nrt=False, cache=True)
def cell_ends(text, stop, width, places):
    """Notes the place behind every cell: how many rows there are, `NOWHERE` if it is not simple.

    The text ends at `stop` behind a line end, and there are 64 bytes more.
    """
    count = lines = 0
    for at in range(0, stop, WIDE):
        feeds = _where(text, at, np.uint8(LINE_FEED))
        marks = feeds | _where(text, at, np.uint8(COMMA))
        if stop - at < WIDE:
            inside = (ONE << np.uint64(stop - at)) - ONE
            feeds, marks = feeds & inside, marks & inside
        lines += np.int64(_count(feeds))
        if _is_odd(text, at):
            return NOWHERE
        while marks:
            places[count] = at + np.int64(trailing_zeros(marks))
            count += 1
            marks &= marks - ONE
    return lines if lines * width == count and _ends_rows(text, places, width, count) else NOWHERE


@njit(nogil=True, _nrt=False, forceinline=True)
def _ends_rows(text, places, width, count):
    """Whether the last cell of each row ends with a line end: all other marks are commas then."""
    others = 0
    for last in range(width - 1, count, width):
        others |= byte(text, places[last]) ^ LINE_FEED
    return others == 0


@njit(nogil=True, _nrt=False, forceinline=True)
def _begin(places, cell):
    return places[cell - 1] + 1 if cell else 0


@njit(nogil=True, _nrt=False, forceinline=True)
def _numbers(text, kind, column, width, rows, places, words, state, starts, ends):
    """Takes a column of numbers; whether all of them are plain."""
    for row in range(rows):
        cell = row * width + column
        first, last = _begin(places, cell), places[cell]
        if kind == WHOLE and 0 < last - first <= 8:
            words[column, row], plain = digits_between(text, first, last)
            state[column, row] = THERE
            if plain:
                continue
        if number(text, first, kind, column, row, words, state, starts, ends) != last:
            return False
    return True


@njit(nogil=True, _nrt=False, forceinline=True)
def _texts(column, width, rows, places, starts, ends):
    for row in range(rows):
        cell = row * width + column
        first, last = _begin(places, cell), places[cell]
        starts[column, row], ends[column, row] = first if last > first else NOWHERE, last


@njit(nogil=True, _nrt=False, cache=True)
def take(text, kinds, rows, places, words, state, starts, ends):
    """Takes the cells of so many rows, whose ends are noted; whether all are plain."""
    width = len(kinds)
    for column in range(width):
        kind = kinds[column]
        if kind == TEXT:
            _texts(column, width, rows, places, starts, ends)
        elif kind != SKIPPED and not _numbers(text, kind, column, width, rows, places, words,
                                              state, starts, ends):
            return False
    return True
