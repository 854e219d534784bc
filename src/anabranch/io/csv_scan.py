"""CSV text taken apart by compiled loops: the numbers and texts of a block of whole rows.

The loops take what needs no second look, and stop at the first row that does. Where a text cell
begins and ends is noted; only those in quotes may have line ends, commas and doubled
quotes in them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from anabranch.io.eight_bytes import ENDS, cell_end, copied, leading_digits

SKIPPED, WHOLE, DECIMAL, TEXT = range(4)
"""What is made of a column's cells: nothing, ints, floats, texts."""

COMMA, LINE_FEED, RETURN, QUOTE, MINUS, PLUS, POINT = map(ord, ',\n\r"-+.')
COMPLETE, UNFINISHED, DOUBTFUL = range(3)
"""How the reading of a block ends: with the block, in a row that goes on behind it, or at a row
that only the reading of rows can judge."""

THERE, NOTHING, LATER = range(3)
"""What is in a number's cell: the number, nothing, or one that is read later, by its text."""

DIGITS_OF_INT, DIGITS_OF_EXACT, LARGEST_POWER = 18, 15, 22
POWERS = np.array([float(10**power) for power in range(LARGEST_POWER + 1)])
TENS = 10 ** np.arange(8)
NOWHERE = -1


@njit(nogil=True, _nrt=False, forceinline=True)
def _digits(text, at, value):
    """The digits behind those of a value, and where they end; too many of them make no sense."""
    number, count = leading_digits(text, at)
    while count == 8:
        value = value * 100_000_000 + number
        at += 8
        number, count = leading_digits(text, at)
    return value * TENS[count] + number, at + count


@njit(nogil=True, _nrt=False, forceinline=True)
def _whole(text, at):
    """An int of few enough digits: its value, and where it ends, which is `NOWHERE` for others."""
    negative = text[at] == MINUS
    first = at + negative
    value, at = _digits(text, first, np.int64(0))
    if not 0 < at - first <= DIGITS_OF_INT:
        return np.int64(0), NOWHERE
    return -value if negative else value, at


@njit(nogil=True, _nrt=False, forceinline=True)
def _exponent(text, at):
    """The power of ten behind an `e`; `NOWHERE` when there is none."""
    sign = text[at]
    at += sign in (MINUS, PLUS)
    value, count = leading_digits(text, at)
    if not 0 < count < 3:
        return 0, NOWHERE
    return -value if sign == MINUS else value, at + count


@njit(nogil=True, _nrt=False, forceinline=True)
def _decimal(text, at):
    """A float, where it ends (`NOWHERE` for what is none), and whether that is all: its digits and
    its power of ten are both exact, so that one operation rounds it as Python does."""
    negative = text[at] == MINUS
    first, power = at + negative, 0
    value, at = _digits(text, first, np.int64(0))
    digits = at - first
    if digits and text[at] == POINT:
        first = at + 1
        value, at = _digits(text, first, value)
        power = first - at
        digits = digits - power if power else 0
    if digits and (text[at] | 32) == ord("e"):
        shift, at = _exponent(text, at + 1)
        power += shift
    if not digits:
        return 0.0, NOWHERE, False
    if digits > DIGITS_OF_EXACT or abs(power) > LARGEST_POWER:
        return 0.0, at, False
    number = value / POWERS[-power] if power < 0 else value * POWERS[power]
    return -number if negative else number, at, True


@njit(nogil=True, _nrt=False, forceinline=True)
def _quoted_end(text, at, stop):
    """Where the quotes end that opened just before `at`, behind them, and whether there are
    doubled ones inside; `stop` when they do not."""
    doubled = False
    while at < stop:
        if text[at] == QUOTE:
            if text[at + 1] != QUOTE:
                return at + 1, doubled
            doubled = True
            at += 1
        elif text[at] == 0:
            return NOWHERE, doubled
        at += 1
    return stop + 1, doubled


@njit(nogil=True, _nrt=False, forceinline=True)
def _row_end(text, at):
    """Behind the line end at this place; `NOWHERE` when there is none."""
    at += text[at] == RETURN
    return at + 1 if text[at] == LINE_FEED else NOWHERE


@njit(nogil=True, _nrt=False, forceinline=True)
def _text(text, at, stop):
    """Where a text cell ends, and where its text begins and ends. The end is negative if there are
    doubled quotes inside; the text of a cell with nothing in it begins nowhere."""
    if text[at] == QUOTE:
        end, doubled = _quoted_end(text, at + 1, stop)
        return end, at + 1, 1 - end if doubled else end - 1
    end = cell_end(text, at)
    return end, at if end > at else NOWHERE, end


@njit(nogil=True, _nrt=False, forceinline=True)
def _number(text, at, kind, column, row, words, state, starts, ends):
    """Takes the cell of a number; where it ends."""
    first, complete = at, True
    state[column, row] = THERE
    if kind == WHOLE:
        words[column, row], at = _whole(text, at)
    else:
        number, at, complete = _decimal(text, at)
        words[column, row] = np.float64(number).view(np.int64)
    if at == NOWHERE and ENDS[text[first]]:
        state[column, row], at = NOTHING, first
    elif not complete:
        state[column, row], starts[column, row], ends[column, row] = LATER, first, at
    return at


@njit(nogil=True, _nrt=False, forceinline=True)
def _cell(text, at, stop, kind, column, row, words, state, starts, ends):
    """Takes one cell; where it ends."""
    if kind in (WHOLE, DECIMAL):
        return _number(text, at, kind, column, row, words, state, starts, ends)
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
        if text[at] == LINE_FEED or text[at] == RETURN:
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
                at = at + 1 if text[at] == COMMA else NOWHERE
            else:
                at = _row_end(text, at)
            if at == NOWHERE:
                return row, first, DOUBTFUL
        row += 1
    return row, stop, COMPLETE


@njit(nogil=True, _nrt=False, cache=True)
def sizes(starts, ends, offsets):
    """Fills in where each text begins in the bytes of all; whether some have doubled quotes."""
    doubled = False
    for row in range(len(starts)):
        doubled |= ends[row] < 0
        size = abs(ends[row]) - starts[row] if starts[row] != NOWHERE else 0
        offsets[row + 1] = offsets[row] + size
    return doubled


@njit(nogil=True, _nrt=False, cache=True)
def copy(text, starts, offsets, data):
    """Copies the texts to their places; there must be room for eight bytes more."""
    for row in range(len(starts)):
        first = np.int64(starts[row])
        copied(data, np.int64(offsets[row]), text, first, first + offsets[row + 1] - offsets[row])


@njit(nogil=True, _nrt=False, cache=True)
def copy_undoubled(text, starts, ends, offsets, data):
    """Copies the texts, each doubled quote as one; `offsets` becomes where they begin then."""
    at = 0
    for row in range(len(starts)):
        offsets[row], place, last = at, starts[row], abs(ends[row])
        while place != NOWHERE and place < last:
            data[at] = text[place]
            place += 2 if ends[row] < 0 and text[place] == QUOTE else 1
            at += 1
    offsets[len(starts)] = at
