r"""Text scanned by compiled loops: eight bytes at a time, and the numbers in it.

Eight bytes are one number whose lowest byte comes first. Behind the place that is looked at there
must be eight bytes, whatever they are.

>>> text = np.frombuffer(b"2026-01-02,tab\there\n........", np.uint8)
>>> leading_digits(text, 0), leading_digits(text, 5), leading_digits(text, 4)
((2026, 4), (1, 2), (0, 0))
>>> digits_between(text, 0, 4), digits_between(text, 0, 5)[1]
((2026, True), False)
>>> comma, tab = map(np.uint8, b",\t")
>>> cell_end(text, 0, comma), cell_end(text, 0, tab), cell_end(text, 11, comma)
(10, 14, 19)
>>> string_end(np.frombuffer(b'a longer one" and more', np.uint8), 0)
12
>>> out = np.zeros(20, np.uint8); copied(out, 1, text, 0, 10), bytes(out[:11])
(11, b'\x002026-01-02')
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

SKIPPED, WHOLE, DECIMAL, TEXT, TRUTH = range(5)
"""What is made of a column's cells: nothing, ints, floats, texts, bools."""

COMPLETE, UNFINISHED, DOUBTFUL = range(3)
"""How the reading of a block ends: with the block, in a row that goes on behind it, or at a row
that only the reading of rows can judge."""

THERE, NOTHING, LATER, ODD = range(4)
"""What is in a cell: its value, nothing, or a value that is read later, by its text: by Arrow, or
as the reading of rows does it, which may know another notation."""

NOWHERE = -1
"""The place of what is not there."""


ONES = np.uint64(0x0101010101010101)
HIGHS = np.uint64(0x8080808080808080)
ZEROS = np.uint64(0x3030303030303030)
ABOVE_NINE = np.uint64(0x7676767676767676)
CONTROLS = np.uint64(0x0E0E0E0E0E0E0E0E)
QUOTES, BACKSLASHES = np.uint64(0x2222222222222222), np.uint64(0x5C5C5C5C5C5C5C5C)
SPACES = np.uint64(0x2020202020202020)
PAIRS, FOURS, EIGHTS = np.uint64(2561), np.uint64(6553601), np.uint64(42949672960001)
OF_PAIRS = np.uint64(0x00FF00FF00FF00FF)
OF_FOURS = np.uint64(0x0000FFFF0000FFFF)
EIGHT, SIXTEEN, THIRTY_TWO = np.uint64(8), np.uint64(16), np.uint64(32)

LINE_FEED, RETURN = ord("\n"), ord("\r")


@intrinsic
def _eight(context, text, at):
    def generate(target, builder, signature, arguments):
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        wide = builder.bitcast(place, ir.IntType(64).as_pointer())
        return builder.load(wide, align=1)
    return types.uint64(text, types.int64), generate


@intrinsic
def byte(context, text, at):
    """The byte at a place, which is never counted from the end: to ask for that took a quarter of
    the time."""
    def generate(target, builder, signature, arguments):
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        return builder.load(builder.gep(array.data, [arguments[1]]))
    return types.uint8(text, types.int64), generate


@intrinsic
def put_eight(context, out, at, bits):
    """Writes eight bytes at a place."""
    def generate(target, builder, signature, arguments):
        array = target.make_array(signature.args[0])(target, builder, arguments[0])
        place = builder.gep(array.data, [arguments[1]])
        builder.store(arguments[2], builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)
        return target.get_dummy_value()
    return types.void(out, types.int64, types.uint64), generate


@intrinsic
def trailing_zeros(context, bits):
    """How many of the lowest bits are zero; 64 of zero."""
    def generate(target, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))
    return types.uint64(types.uint64), generate


@njit(nogil=True, _nrt=False, forceinline=True)
def copied(out, at, text, first, last):
    """Copies a part of a text to a place; the place behind it. Up to seven bytes more are written,
    which there must be room for."""
    for place in range(0, last - first, 8):
        put_eight(out, at + place, _eight(text, first + place))
    return at + last - first


@njit(nogil=True, _nrt=False, forceinline=True)
def leading_digits(text, at):
    """The number of the digits there, at most eight, and how many they are."""
    bits = _eight(text, at) ^ ZEROS
    others = ((bits + ABOVE_NINE) | bits) & HIGHS
    count = np.int64(trailing_zeros(others) >> np.uint64(3))
    if count == 0:
        return np.int64(0), count
    return _number(bits << np.uint64(8 * (8 - count))), count


@njit(nogil=True, _nrt=False, forceinline=True)
def digits_between(text, first, last):
    """The number of the one to eight digits between two places, and whether they are all digits."""
    bits = (_eight(text, first) ^ ZEROS) << np.uint64(8 * (8 - (last - first)))
    return _number(bits), ((bits + ABOVE_NINE) | bits) & HIGHS == 0


@njit(nogil=True, _nrt=False, forceinline=True)
def _number(bits):
    """Eight digits, the first in the lowest byte, as one number."""
    bits = bits * PAIRS >> EIGHT
    bits = (bits & OF_PAIRS) * FOURS >> SIXTEEN
    return np.int64((bits & OF_FOURS) * EIGHTS >> THIRTY_TWO)


@njit(nogil=True, _nrt=False, forceinline=True)
def ends_cell(mark, delimiter):
    """Whether a byte ends a cell, or may be in none."""
    return mark == delimiter or mark in (LINE_FEED, RETURN, 0)


@njit(nogil=True, _nrt=False, forceinline=True)
def cell_end(text, at, delimiter):
    """The first place from here on with a delimiter, a line end or a NUL, which there must be."""
    delimiters = np.uint64(delimiter) * ONES
    while True:
        bits = _eight(text, at)
        found = bits ^ delimiters
        marks = (((found - ONES) & ~found) | ((bits - CONTROLS) & ~bits)) & HIGHS
        if marks == 0:
            at += 8
            continue
        at += np.int64(trailing_zeros(marks) >> np.uint64(3))
        if ends_cell(byte(text, at), delimiter):
            return at
        # Some other control character, such as a tab.
        at += 1


@njit(nogil=True, _nrt=False, forceinline=True)
def string_end(text, at):
    """The first place from here on with a quote, a backslash or a control character, which there
    must be."""
    while True:
        bits = _eight(text, at)
        quotes, slashes = bits ^ QUOTES, bits ^ BACKSLASHES
        # The lowest mark is always right; a borrow can only make false ones above it.
        marks = (((quotes - ONES) & ~quotes) | ((slashes - ONES) & ~slashes)
                 | ((bits - SPACES) & ~bits)) & HIGHS
        if marks:
            return at + np.int64(trailing_zeros(marks) >> np.uint64(3))
        at += 8


MINUS, PLUS, POINT = map(ord, "-+.")
DIGITS_OF_INT, DIGITS_OF_EXACT, LARGEST_POWER = 18, 15, 22
POWERS = np.array([float(10**power) for power in range(LARGEST_POWER + 1)])
TENS = 10 ** np.arange(8)


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
def whole(text, at):
    """An int of few enough digits: its value, and where it ends, which is `NOWHERE` for others."""
    negative = byte(text, at) == MINUS
    first = at + negative
    value, at = _digits(text, first, np.int64(0))
    if not 0 < at - first <= DIGITS_OF_INT:
        return np.int64(0), NOWHERE
    return -value if negative else value, at


@njit(nogil=True, _nrt=False, forceinline=True)
def _exponent(text, at):
    """The power of ten behind an `e`; `NOWHERE` when there is none."""
    sign = byte(text, at)
    at += sign in (MINUS, PLUS)
    value, count = leading_digits(text, at)
    if not 0 < count < 3:
        return 0, NOWHERE
    return -value if sign == MINUS else value, at + count


@njit(nogil=True, _nrt=False, forceinline=True)
def decimal(text, at):
    """A float, where it ends (`NOWHERE` for what is none), and whether that is all: its digits and
    its power of ten are both exact, so that one operation rounds it as Python does."""
    negative = byte(text, at) == MINUS
    first, power = at + negative, 0
    value, at = _digits(text, first, np.int64(0))
    digits = at - first
    if digits and byte(text, at) == POINT:
        first = at + 1
        value, at = _digits(text, first, value)
        power = first - at
        digits = digits - power if power else 0
    if digits and (byte(text, at) | 32) == ord("e"):
        shift, at = _exponent(text, at + 1)
        power += shift
    if not digits:
        return 0.0, NOWHERE, False
    if digits > DIGITS_OF_EXACT or abs(power) > LARGEST_POWER:
        return 0.0, at, False
    number = value / POWERS[-power] if power < 0 else value * POWERS[power]
    return -number if negative else number, at, True
