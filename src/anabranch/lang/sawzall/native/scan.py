"""What the compiled loops call: reading numbers, comparing texts, patterns.

What the compiled loops call to search for simple patterns: steps of characters, one by one.

A pattern is a table of `sets`, which characters a step takes, and of `counts`, how many of them at
least and at most. No step ever needs to give back what it took: see `steps_of`.
"""

from __future__ import annotations

import numba
import numpy as np

LONGEST = 18


@numba.njit(cache=True, nogil=True, inline="always")
def is_space(c):
    return c == 32 or (c >= 9 and c <= 13)


@numba.njit(cache=True, nogil=True)
def stripped(data, start, end):
    """Where a field begins and ends without the space around it."""
    while start < end and is_space(data[start]):
        start += 1
    while end > start and is_space(data[end - 1]):
        end -= 1
    return start, end


@numba.njit(cache=True, nogil=True)
def field_end(data, place, size):
    """Where a field ends, at a comma or with its line; -1 when there is a quote or a 0 in it."""
    while place < size:
        c = data[place]
        if c == 44 or c == 10:
            return place
        if c == 34 or c == 0:
            return -1
        place += 1
    return place


@numba.njit(cache=True, nogil=True)
def line_end(data, place, size, has_fields):
    """Where a line ends; -1 when there is a 0 in it, or a quote where there are fields."""
    while place < size and data[place] != 10:
        if data[place] == 0 or (has_fields and data[place] == 34):
            return -1
        place += 1
    return place


@numba.njit(cache=True, nogil=True)
def number_end(data, place, size):
    """A plain number, where its field ends, and whether it is one; any other field has to be read
    again."""
    negative = place < size and data[place] == 45
    if negative:
        place += 1
    first, value = place, 0
    while place < size:
        digit = np.int64(data[place]) - 48
        if digit < 0 or digit > 9:
            break
        value = value * 10 + digit
        place += 1
    ends = place >= size or data[place] == 44 or data[place] == 10
    if ends and 0 < place - first <= LONGEST:
        return -value if negative else value, place, True
    return 0, field_end(data, place, size), False


@numba.njit(cache=True, nogil=True)
def parsed(data, start, end, is_any):
    """A decimal number, and whether it is one that is surely read right; if it may be of `any`
    base, what begins with a 0 is not."""
    negative = start < end and data[start] == 45
    if start < end and (data[start] == 45 or data[start] == 43):
        start += 1
    if start >= end or end - start > LONGEST or (is_any and data[start] == 48 and end - start > 1):
        return 0, False
    value = 0
    for place in range(start, end):
        digit = np.int64(data[place]) - 48
        if digit < 0 or digit > 9:
            return 0, False
        value = value * 10 + digit
    return -value if negative else value, True


@numba.njit(cache=True, nogil=True)
def same_text(data, start, end, text):
    if end - start != len(text):
        return False
    place = 0
    while place < len(text) and data[start + place] == text[place]:
        place += 1
    return place == len(text)


@numba.njit(cache=True, nogil=True)
def is_ascii(data, start, end):
    while start < end and data[start] < 128:
        start += 1
    return start >= end


@numba.njit(cache=True, nogil=True)
def found_at(data, start, end, text):
    """Where a text stands in another, from its beginning; -1 if it does not."""
    for place in range(start, end - len(text) + 1):
        if same_text(data, place, place + len(text), text):
            return place - start
    return -1


@numba.njit(cache=True, nogil=True)
def divided(a, b):
    """Towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


@numba.njit(cache=True, nogil=True)
def modulo(a, b):
    return a - divided(a, b) * b


@numba.njit(cache=True, nogil=True)
def mixed(code, part):
    """The hash of a key with one more number in it."""
    code = (code ^ part) * -7046029254386353131
    return code ^ (code >> 29)


@numba.njit(cache=True, nogil=True)
def mixed_text(code, data, start, end):
    for place in range(start, end):
        code = (code ^ np.int64(data[place])) * 1099511628211
    return mixed(code, end - start)


@numba.njit(cache=True, nogil=True)
def same_bytes(data, start, end, other_start, other_end):
    if end - start != other_end - other_start:
        return False
    place = start
    while place < end and data[place] == data[other_start + place - start]:
        place += 1
    return place == end


@numba.njit(cache=True, nogil=True)
def grown(table):
    """A table of four times the size with the same rows: each at its hash, in the second column."""
    last = 4 * len(table) - 1
    larger = np.zeros((last + 1, table.shape[1]), np.int64)
    for row in range(len(table)):
        if table[row, 0] != 0:
            place = table[row, 1] & last
            while larger[place, 0] != 0:
                place = (place + 1) & last
            larger[place] = table[row]
    return larger


@numba.njit(cache=True, nogil=True)
def widened(rows):
    """Twice as many rows, with those that there are."""
    more = np.zeros((2 * len(rows), rows.shape[1]), np.int64)
    more[:len(rows)] = rows
    return more


@numba.njit(cache=True, nogil=True)
def matched(data, place, end, sets, counts):
    """Where a match ends that begins at a place; -1 if there is none."""
    for step in range(len(counts)):
        first, most = place, counts[step, 1]
        while place < end and place - first < most and sets[step, data[place]]:
            place += 1
        if place - first < counts[step, 0]:
            return -1
    return place


@numba.njit(cache=True, nogil=True)
def found(data, start, end, sets, counts, is_fixed):
    """Where the first match begins and ends from a place on, or just there if that is `fixed`; -1
    if there is none, or no such place."""
    if start >= 0:
        for place in range(start, min(start + 1, end) if is_fixed else end):
            last = matched(data, place, end, sets, counts)
            if last >= 0:
                return place, last
    return -1, -1


@numba.njit(cache=True, nogil=True)
def pieces_in(data, start, end, sets, counts, is_fixed):
    """How many matches there are one after another."""
    pieces = -1
    while start >= 0:
        _, start = found(data, start, end, sets, counts, is_fixed)
        pieces += 1
    return pieces
