"""CSV text taken apart by compiled loops: the numbers and texts of a block of whole rows.

The loops take what needs no second look, and stop at the first row that does. Where a text cell
begins and ends is noted; only those in quotes may have line ends, commas and doubled
quotes in them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from anabranch.io.cell_kinds import (
    COMPLETE,
    DECIMAL,
    DOUBTFUL,
    LATER,
    NOTHING,
    NOWHERE,
    TEXT,
    THERE,
    UNFINISHED,
    WHOLE,
)
from anabranch.io.eight_bytes import ENDS, byte, cell_end
from anabranch.io.number_scan import decimal, whole

COMMA, LINE_FEED, RETURN, QUOTE = map(ord, ',\n\r"')


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
def _text(text, at, stop):
    """Where a text cell ends, and where its text begins and ends. The end is negative if there are
    doubled quotes inside; the text of a cell with nothing in it begins nowhere."""
    if byte(text, at) == QUOTE:
        end, doubled = _quoted_end(text, at + 1, stop)
        return end, at + 1, 1 - end if doubled else end - 1
    end = cell_end(text, at)
    return end, at if end > at else NOWHERE, end


@njit(nogil=True, _nrt=False, forceinline=True)
def number(text, at, kind, column, row, words, state, starts, ends):
    """Takes the cell of a number; where it ends."""
    first, complete = at, True
    state[column, row] = THERE
    if kind == WHOLE:
        words[column, row], at = whole(text, at)
    else:
        number, at, complete = decimal(text, at)
        words[column, row] = np.float64(number).view(np.int64)
    if at == NOWHERE and ENDS[byte(text, first)]:
        state[column, row], at = NOTHING, first
    elif not complete:
        state[column, row], starts[column, row], ends[column, row] = LATER, first, at
    return at


@njit(nogil=True, _nrt=False, forceinline=True)
def _cell(text, at, stop, kind, column, row, words, state, starts, ends):
    """Takes one cell; where it ends."""
    if kind in (WHOLE, DECIMAL):
        return number(text, at, kind, column, row, words, state, starts, ends)
    at, first, last = _text(text, at, stop)
    if kind == TEXT:
        starts[column, row], ends[column, row] = first, last
    return at


@njit(nogil=True, _nrt=False, cache=True)
def scan(text, stop, kinds, words, state, starts, ends):
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
            at = _cell(text, at, stop, kinds[column], column, row, words, state, starts, ends)
            if at > stop:
                return row, first, UNFINISHED
            if at == NOWHERE:
                return row, first, DOUBTFUL
            if column < width - 1:
                at = at + 1 if byte(text, at) == COMMA else NOWHERE
            else:
                at = _row_end(text, at)
            if at == NOWHERE:
                return row, first, DOUBTFUL
        row += 1
    return row, stop, COMPLETE
