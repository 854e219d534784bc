"""Key tables: from a key to a dense slot, in the order of first appearance.

A key is a few 64-bit words; `keys` holds each slot's words. `index` has slots in two halves: the
first is an open hash table, the second has the slots of small numbers, at the number itself.

>>> import numpy as np
>>> index, keys, count = np.full(16, -1, np.int32), np.zeros((4, 1), np.int64), 0
>>> find(index, keys, (7,)), find(index, keys, (-7,))
(-1, -1)
>>> keys[0, 0] = 7; place(index, keys, 0); find(index, keys, (7,))
0
>>> keys[1, 0] = -7; place(index, keys, 1); find(index, keys, (-7,))
1
"""

from __future__ import annotations

import numpy as np
from numba import njit

from anabranch.kernels.native.library.numbers import Bail

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
FIRST_ROOM = 512


class Full(Exception):
    """Something must grow before this row can be done."""


@njit(nogil=True, _nrt=False)
def _mixed(code, word):
    code = (code ^ np.uint64(word)) * MULTIPLIER
    return code ^ (code >> np.uint64(32))


@njit(nogil=True, _nrt=False)
def find(index, keys, words):
    """The slot of a key, or -1."""
    half = np.uint64(len(index) // 2)
    if len(words) == 1 and np.uint64(words[0]) < half:
        return index[half + np.uint64(words[0])]
    code = np.uint64(0)
    for word in words:
        code = _mixed(code, word)
    mask = half - np.uint64(1)
    place = code & mask
    while True:
        slot = index[place]
        if slot < 0:
            return -1
        same = True
        for w in range(len(words)):
            same &= keys[slot, w] == words[w]
        if same:
            return slot
        place = (place + np.uint64(1)) & mask


@njit(nogil=True, _nrt=False)
def place(index, keys, slot):
    """Enters a slot whose words are in `keys` already."""
    half = np.uint64(len(index) // 2)
    if keys.shape[1] == 1 and np.uint64(keys[slot, 0]) < half:
        index[half + np.uint64(keys[slot, 0])] = slot
        return
    code = np.uint64(0)
    for w in range(keys.shape[1]):
        code = _mixed(code, keys[slot, w])
    mask = half - np.uint64(1)
    free = code & mask
    while index[free] >= 0:
        free = (free + np.uint64(1)) & mask
    index[free] = slot


@njit(nogil=True, _nrt=False)
def insert(index, keys, stamps, count, words, stamp):
    """A new slot for a key; `Full` when there is no room."""
    if count == len(keys):
        raise Full
    for w in range(len(words)):
        keys[count, w] = words[w]
    stamps[count] = stamp
    place(index, keys, count)
    return count


@njit(nogil=True, _nrt=False)
def stamp_of(stamps, row):
    """The stamp of a row, when there are those of all rows or just that of the first one."""
    return stamps[row] if len(stamps) > 1 else stamps[0] + np.int64(row)


@njit(nogil=True, cache=True)
def indexed(keys, count):
    """The index of the first `count` slots; a half is at most half full when all keys are there."""
    index = np.full(4 * len(keys), -1, np.int32)
    for slot in range(count):
        place(index, keys, slot)
    return index


@njit(nogil=True, cache=True)
def entered(index, keys, stamps, count, given, appeared):
    """The slot of each given key, new ones at the end; there is room for all."""
    slots = np.empty(len(given), np.int64)
    for row in range(len(given)):
        slot = find(index, keys, given[row])
        if slot < 0:
            slot = count
            keys[slot] = given[row]
            stamps[slot] = appeared[row]
            place(index, keys, slot)
            count += 1
        slots[row] = slot
    return slots


@njit(nogil=True, cache=True)
def slots_of(index, keys, given):
    """The slot of each given key, or -1."""
    slots = np.empty(len(given), np.int64)
    for row in range(len(given)):
        slots[row] = find(index, keys, given[row])
    return slots


@njit(nogil=True, _nrt=False)
def at_slot(values, slot):
    """What a key holds; a key that is not there is Python's to refuse."""
    if slot < 0:
        raise Bail
    return values[slot]


@njit(nogil=True, _nrt=False)
def position(index, given, length, bound):
    """Where an item of a sequence lies that has been given so many and holds the last of them."""
    if index < 0:
        index += length
    if index < 0 or index >= length:
        raise Bail
    index += given - length
    return index % bound if bound else index


@njit(nogil=True, _nrt=False)
def or_else(values, slot, default):
    return default if slot < 0 else values[slot]


@njit(nogil=True, _nrt=False)
def float_word(value):
    """A float as a key: both zeros are one key; NaN equals no key, which Python must decide."""
    if value != value:
        raise Bail
    return np.float64(value + 0.0).view(np.int64)


@njit(nogil=True, _nrt=False)
def found(table, known, code):
    """What has been computed for a text; `Full` when it is new, `Bail` when it raises."""
    state = known[code] if code < len(known) else 0
    if state == 1:
        return table[code]
    if state == 0:
        raise Full
    raise Bail
