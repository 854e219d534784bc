"""JSON Lines taken apart by compiled loops: objects of numbers, texts, bools and nulls.

The loops take what needs no second look, and stop at the first row that does: one with values
inside of values, with a key twice or in escapes, or with a value that its column cannot hold.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from anabranch.io.text.scan import (
    COMPLETE,
    DOUBTFUL,
    LATER,
    NOTHING,
    NOWHERE,
    TEXT,
    THERE,
    TRUTH,
    WHOLE,
    decimal,
    string_end,
    whole,
)

LINE_FEED, RETURN, SPACE, TAB, QUOTE, BACKSLASH = map(ord, '\n\r \t"\\')
COMMA, COLON, OPEN, CLOSE, MINUS, ZERO, POINT = map(ord, ",:{}-0.")
T, F, N, U, E = map(ord, "tfnue")
ESCAPED = np.zeros(256, np.bool_)
ESCAPED[list(b'"\\/bfnrt')] = True
HEXADECIMAL = np.zeros(256, np.bool_)
HEXADECIMAL[list(b"0123456789abcdefABCDEF")] = True


@njit(nogil=True, _nrt=False, forceinline=True)
def _behind_spaces(text, at):
    """The first place from here on that is no space; a line end is none."""
    while text[at] == SPACE or text[at] == TAB or text[at] == RETURN:
        at += 1
    return at


@njit(nogil=True, _nrt=False, forceinline=True)
def _string(text, at):
    """Where the string ends whose quotes opened just before `at`, and whether it has escapes;
    `NOWHERE` for what is none."""
    escapes = False
    while True:
        at = string_end(text, at)
        if text[at] == QUOTE:
            return at, escapes
        if text[at] != BACKSLASH:
            return NOWHERE, escapes
        escapes = True
        if ESCAPED[text[at + 1]]:
            at += 2
        elif text[at + 1] == U and (HEXADECIMAL[text[at + 2]] and HEXADECIMAL[text[at + 3]]
                                    and HEXADECIMAL[text[at + 4]] and HEXADECIMAL[text[at + 5]]):
            at += 6
        else:
            return NOWHERE, escapes


@njit(nogil=True, _nrt=False, forceinline=True)
def _word(text, at):
    """Behind one of the words true, false and null."""
    if text[at] == T and text[at + 1] == ord("r") and text[at + 2] == U and text[at + 3] == E:
        return at + 4
    if text[at] == N and text[at + 1] == U and text[at + 2] == ord("l") and (
            text[at + 3] == ord("l")):
        return at + 4
    if text[at] == F and text[at + 1] == ord("a") and text[at + 2] == ord("l") and (
            text[at + 3] == ord("s") and text[at + 4] == E):
        return at + 5
    return NOWHERE


@njit(nogil=True, _nrt=False, forceinline=True)
def _has_idle_zero(text, at):
    """Whether a number begins with a zero that JSON does not allow."""
    at += text[at] == MINUS
    return text[at] == ZERO and ZERO <= text[at + 1] <= ZERO + 9


@njit(nogil=True, _nrt=False, forceinline=True)
def _is_whole(text, first, last):
    for at in range(first, last):  # noqa: SIM110 (Numba has no generators)
        if text[at] == POINT or (text[at] | 32) == E:
            return False
    return True


@njit(nogil=True, _nrt=False, forceinline=True)
def _decimal(text, at):
    """A float as `decimal` has it. An int stands for one if that is the same number: one with many
    digits may not be, and minus zero is none."""
    number, end, complete = decimal(text, at)
    if end == NOWHERE or _has_idle_zero(text, at):
        return number, NOWHERE, complete
    if (number == 0.0 or not complete) and _is_whole(text, at, end) and (
            text[at] == MINUS or not complete):
        return number, NOWHERE, complete
    return number, end, complete


@njit(nogil=True, _nrt=False, forceinline=True)
def _number(text, at, kind, column, row, words, state, starts, ends):
    """Takes a number; where it ends."""
    state[column, row] = THERE
    if kind == WHOLE:
        value, end = whole(text, at)
        words[column, row] = value
        return NOWHERE if _has_idle_zero(text, at) else end
    number, end, complete = _decimal(text, at)
    words[column, row] = np.float64(number).view(np.int64)
    if not complete:
        state[column, row], starts[column, row], ends[column, row] = LATER, at, end
    return end


@njit(nogil=True, _nrt=False, forceinline=True)
def _value(text, at, kind, optional, column, row, words, state, starts, ends):
    """Takes a value that is to be of a kind; where it ends, or `NOWHERE` if it is not."""
    if text[at] == QUOTE:
        end, escapes = _string(text, at + 1)
        if end == NOWHERE or kind != TEXT:
            return NOWHERE
        state[column, row] = LATER if escapes else THERE
        starts[column, row], ends[column, row] = at + 1, end
        return end + 1
    if text[at] == N:
        state[column, row], starts[column, row] = NOTHING, NOWHERE
        return _word(text, at) if optional else NOWHERE
    if kind == TRUTH:
        state[column, row], words[column, row] = THERE, text[at] == T
        return _word(text, at)
    if kind == TEXT:
        return NOWHERE
    return _number(text, at, kind, column, row, words, state, starts, ends)


@njit(nogil=True, _nrt=False, forceinline=True)
def _skipped(text, at):
    """Behind a value that nobody asks for; `NOWHERE` for one with others in it."""
    if text[at] == QUOTE:
        end, _ = _string(text, at + 1)
        return end + 1 if end != NOWHERE else NOWHERE
    if text[at] == MINUS or ZERO <= text[at] <= ZERO + 9:
        _, end, _ = decimal(text, at)
        return NOWHERE if _has_idle_zero(text, at) else end
    return _word(text, at)


@njit(nogil=True, _nrt=False, forceinline=True)
def _is_name(text, first, last, names, begin, end):
    if last - first != end - begin:
        return False
    for place in range(end - begin):  # noqa: SIM110 (Numba has no generators)
        if text[first + place] != names[begin + place]:
            return False
    return True


@njit(nogil=True, _nrt=False, forceinline=True)
def _named(text, first, last, names, places, expected):
    """The column of a name, where the expected one is looked at first; `NOWHERE` for none."""
    width = len(places) - 1
    for more in range(width):
        column = expected + more if expected + more < width else expected + more - width
        if _is_name(text, first, last, names, places[column], places[column + 1]):
            return column
    return NOWHERE


@njit(nogil=True, _nrt=False, forceinline=True)
def _object(text, at, row, kinds, optional, names, places, seen, words, state, starts, ends):
    """Takes the object that begins at a place; behind it, or `NOWHERE`."""
    at, expected = _behind_spaces(text, at + 1), 0
    if text[at] == CLOSE:
        return at + 1
    while text[at] == QUOTE:
        first = at + 1
        last, escapes = _string(text, first)
        if last == NOWHERE or escapes:
            return NOWHERE
        at = _behind_spaces(text, last + 1)
        if text[at] != COLON:
            return NOWHERE
        at = _behind_spaces(text, at + 1)
        column = _named(text, first, last, names, places, expected)
        if column == NOWHERE:
            at = _skipped(text, at)
        elif seen[column] == row:
            return NOWHERE
        else:
            seen[column], expected = row, column + 1
            at = _value(text, at, kinds[column], optional[column], column, row, words, state,
                        starts, ends)
        if at == NOWHERE:
            return NOWHERE
        at = _behind_spaces(text, at)
        if text[at] == CLOSE:
            return at + 1
        if text[at] != COMMA:
            return NOWHERE
        at = _behind_spaces(text, at + 1)
    return NOWHERE


@njit(nogil=True, _nrt=False, forceinline=True)
def _all_there(row, kinds, may_miss, seen, state, starts):
    """Notes which values are missing; whether all of them may be."""
    for column in range(len(kinds)):
        if seen[column] != row:
            if not may_miss[column]:
                return False
            state[column, row], starts[column, row] = NOTHING, NOWHERE
    return True


@njit(nogil=True, _nrt=False, cache=True)
def scan(text, stop, kinds, optional, may_miss, names, places, seen, words, state, starts, ends):
    """Reads the rows of a block: how many there are, where the next one begins, and how it ended.

    The block ends at `stop` with a line end, and there are eight bytes more. `optional` says which
    columns may be null, `may_miss` which may not be there; their names lie in `names` between
    `places`. The last arrays have a row for each column.
    """
    row, at = 0, 0
    seen[:] = -1
    while at < stop:
        first, at = at, _behind_spaces(text, at)
        if text[at] == OPEN:
            at = _object(text, at, row, kinds, optional, names, places, seen, words, state, starts,
                         ends)
            if at == NOWHERE or not _all_there(row, kinds, may_miss, seen, state, starts):
                return row, first, DOUBTFUL
            row, at = row + 1, _behind_spaces(text, at)
        if text[at] != LINE_FEED:
            return row, first, DOUBTFUL
        at += 1
    return row, stop, COMPLETE
