r"""CSV text taken apart by compiled loops: numbers and texts of a block of rows.

The loops take what needs no second look, and stop at the first row that does. Where a text cell
begins and ends is noted; only those in quotes may have line ends, delimiters and doubled
quotes in them. The delimiter is a single byte, and none of those that numbers are written with.

Most text has no quotes at all: every line end ends a row, every delimiter a cell. There it is found
first where cells end, 64 bytes at a time and without a look at what is in them; then each column is
taken by itself. That takes half as long as going from cell to cell, since nothing has to wait for
the end of the cell before it. Whatever is not that simple is left to `scan`.

>>> text = np.frombuffer(b"1,a\n22,b\n" + b"\n" * 64, np.uint8)
>>> places = np.zeros(80, np.int32)
>>> cell_ends(text, 9, COMMA, 2, places), places[:4].tolist()
(2, [1, 3, 6, 8])
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from anabranch.io.text.scan import (
    COMPLETE,
    DECIMAL,
    DOUBTFUL,
    LATER,
    LINE_FEED,
    NOTHING,
    NOWHERE,
    ODD,
    RETURN,
    SKIPPED,
    TEXT,
    THERE,
    UNFINISHED,
    WHOLE,
    byte,
    cell_end,
    decimal,
    digits_between,
    ends_cell,
    trailing_zeros,
    whole,
)

QUOTE, SPACE = map(ord, '" ')
COMMA = np.uint8(ord(","))


@njit(nogil=True, _nrt=False, forceinline=True)
def _quoted_end(text, at, stop):
    """Where the quotes end that opened just before `at`, behind them, and whether there are
    doubled ones inside; `stop` when they do not."""
    doubled = False
    while at < stop:
        if byte(text, at) == QUOTE:
            if byte(text, at + 1) != QUOTE:
                return at + 1, doubled
            doubled = True
            at += 1
        elif byte(text, at) == 0:
            return NOWHERE, doubled
        at += 1
    return stop + 1, doubled


@njit(nogil=True, _nrt=False, forceinline=True)
def _row_end(text, at):
    """Behind the line end at this place; `NOWHERE` when there is none."""
    at += byte(text, at) == RETURN
    return at + 1 if byte(text, at) == LINE_FEED else NOWHERE


@njit(nogil=True, _nrt=False, forceinline=True)
def _text(text, at, stop, delimiter):
    """Where a text cell ends, and where its text begins and ends. The end is negative if there are
    doubled quotes inside; the text of a cell with nothing in it begins nowhere."""
    if byte(text, at) == QUOTE:
        end, doubled = _quoted_end(text, at + 1, stop)
        return end, at + 1, 1 - end if doubled else end - 1
    end = cell_end(text, at, delimiter)
    return end, at if end > at else NOWHERE, end


@njit(nogil=True, _nrt=False, forceinline=True)
def number(text, at, delimiter, kind, column, row, words, state, starts, ends):
    """Takes the cell of a number; where it ends."""
    first, complete = at, True
    state[column, row] = THERE
    if kind == WHOLE:
        words[column, row], at = whole(text, at)
    else:
        number, at, complete = decimal(text, at)
        words[column, row] = np.float64(number).view(np.int64)
    if at == NOWHERE:
        if ends_cell(byte(text, first), delimiter):
            state[column, row] = NOTHING
            return first
        return NOWHERE
    if not complete:
        state[column, row], starts[column, row], ends[column, row] = LATER, first, at
    return at


@njit(nogil=True, _nrt=False, forceinline=True)
def _behind_spaces(text, at):
    while byte(text, at) == SPACE:
        at += 1
    return at


@njit(nogil=True, _nrt=False, forceinline=True)
def _spaced_number(text, at, delimiter, kind, column, row, words, state, starts, ends):
    """Takes the cell of a number that may have spaces around it; what else is in it, such as
    spaces alone, is for others: `NOWHERE`."""
    end = number(text, at, delimiter, kind, column, row, words, state, starts, ends)
    if end == NOWHERE:
        first = _behind_spaces(text, at)
        if first == at or ends_cell(byte(text, first), delimiter):
            return NOWHERE
        end = number(text, first, delimiter, kind, column, row, words, state, starts, ends)
    if end != NOWHERE and byte(text, end) == SPACE:
        end = _behind_spaces(text, end)
    return end if end != NOWHERE and ends_cell(byte(text, end), delimiter) else NOWHERE


@njit(nogil=True, _nrt=False, forceinline=True)
def _odd_number(text, at, stop, delimiter, kind, column, row, words, state, starts, ends):
    """The same for one that may be in quotes, or written in another way."""
    end = _spaced_number(text, at, delimiter, kind, column, row, words, state, starts, ends)
    if end != NOWHERE:
        return end
    end, first, last = _text(text, at, stop, delimiter)
    if end > stop or end == NOWHERE or last < 0:
        # It goes on behind the block, or has doubled quotes in it.
        return end if end > stop else NOWHERE
    if byte(text, at) == QUOTE and number(text, first, delimiter, kind, column, row, words, state,
                                          starts, ends) == last:
        return end
    state[column, row], starts[column, row], ends[column, row] = ODD, first, last
    return end


@njit(nogil=True, _nrt=False, forceinline=True)
def _cell(text, at, stop, delimiter, kind, column, row, words, state, starts, ends):
    """Takes one cell; where it ends."""
    if kind in (WHOLE, DECIMAL):
        return _odd_number(text, at, stop, delimiter, kind, column, row, words, state, starts, ends)
    at, first, last = _text(text, at, stop, delimiter)
    if kind == TEXT:
        starts[column, row], ends[column, row] = first, last
    return at


@njit(nogil=True, _nrt=False, cache=True)
def scan(text, stop, delimiter, kinds, words, state, starts, ends):
    """Reads the rows of a block: how many there are, where the next one begins, and how it ended.

    The block ends at `stop` with a line end, and there are eight bytes more. The other arrays have
    a row for each column of the text.
    """
    row, width, at = 0, len(kinds), 0
    while at < stop:
        first = at
        if byte(text, at) == LINE_FEED or byte(text, at) == RETURN:
            at = _row_end(text, at)
            if at == NOWHERE:
                return row, first, DOUBTFUL
            continue
        for column in range(width):
            at = _cell(text, at, stop, delimiter, kinds[column], column, row, words, state, starts,
                       ends)
            if at > stop:
                return row, first, UNFINISHED
            if at == NOWHERE:
                return row, first, DOUBTFUL
            if column < width - 1:
                at = at + 1 if byte(text, at) == delimiter else NOWHERE
            else:
                at = _row_end(text, at)
            if at == NOWHERE:
                return row, first, DOUBTFUL
        row += 1
    return row, stop, COMPLETE


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
    """Whether a delimiter or a line end here may be something else than the end of a cell."""
    return _where(text, at, np.uint8(QUOTE)) | _where(text, at, np.uint8(RETURN)) | (
        _where(text, at, np.uint8(0)))


@njit(nogil=True, _nrt=False, cache=True)
def cell_ends(text, stop, delimiter, width, places):
    """Notes the place behind every cell: how many rows there are, `NOWHERE` if it is not simple.

    The text ends at `stop` behind a line end, and there are 64 bytes more.
    """
    count = lines = 0
    for at in range(0, stop, WIDE):
        feeds = _where(text, at, np.uint8(LINE_FEED))
        marks = feeds | _where(text, at, delimiter)
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
    """Whether the last cell of each row ends with a line end: all others are delimiters then."""
    others = 0
    for last in range(width - 1, count, width):
        others |= byte(text, places[last]) ^ LINE_FEED
    return others == 0


@njit(nogil=True, _nrt=False, forceinline=True)
def _begin(places, cell):
    return places[cell - 1] + 1 if cell else 0


@njit(nogil=True, _nrt=False, forceinline=True)
def _numbers(text, delimiter, kind, column, width, rows, places, words, state, starts, ends):
    """Takes a column of numbers."""
    for row in range(rows):
        cell = row * width + column
        first, last = _begin(places, cell), places[cell]
        if kind == WHOLE and 0 < last - first <= 8:
            words[column, row], plain = digits_between(text, first, last)
            state[column, row] = THERE
            if plain:
                continue
        if _spaced_number(text, first, delimiter, kind, column, row, words, state, starts,
                          ends) != last:
            state[column, row], starts[column, row], ends[column, row] = ODD, first, last


@njit(nogil=True, _nrt=False, forceinline=True)
def _texts(column, width, rows, places, starts, ends):
    for row in range(rows):
        cell = row * width + column
        first, last = _begin(places, cell), places[cell]
        starts[column, row], ends[column, row] = first if last > first else NOWHERE, last


@njit(nogil=True, _nrt=False, cache=True)
def take(text, delimiter, kinds, rows, places, words, state, starts, ends):
    """Takes the cells of so many rows, whose ends are noted."""
    width = len(kinds)
    for column in range(width):
        kind = kinds[column]
        if kind == TEXT:
            _texts(column, width, rows, places, starts, ends)
        elif kind != SKIPPED:
            _numbers(text, delimiter, kind, column, width, rows, places, words, state, starts, ends)
