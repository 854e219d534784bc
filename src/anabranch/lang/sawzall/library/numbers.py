"""Functions of numbers as in C's library, chance, and fingerprints of `szl`.

Functions of numbers as C's library has them: where there is no answer, it is not a number.

>>> root(-1.0), power(0.0, -10.0), rounded(-2.5)
(nan, inf, -3.0)

The fingerprints of `szl`: a running product with primes, four bytes at a time.

>>> hex(of_bytes(b"abc"))
'0xd05ec653abf0acd'
>>> fingerprint_of(["1", "2"]) == joined(joined(fingerprint_of(0), of_bytes(b"1")), of_bytes(b"2"))
True
"""

from __future__ import annotations

import math
import resource
from collections.abc import Callable, Iterator
from functools import reduce
from hashlib import blake2b
from itertools import cycle
from operator import xor
from random import Random
from struct import pack, unpack

from anabranch.lang.sawzall.library.values import WHOLE, Pairs, Undefined, thawed


def answered(function: Callable, *values: float) -> float:
    try:
        return function(*values)
    except (ValueError, ZeroDivisionError):
        return math.nan
    except OverflowError:
        return math.inf


def root(x: float) -> float:
    return answered(math.sqrt, x)


def logarithm(x: float) -> float:
    return -math.inf if x == 0 else answered(math.log, x)


def logarithm10(x: float) -> float:
    return -math.inf if x == 0 else answered(math.log10, x)


def power(x: float, y: float) -> float:
    if x == 0 and y < 0:
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
    return answered(math.pow, x, y)


def whole(how: Callable[[float], int], x: float) -> float:
    return math.copysign(float(how(x)), x) if math.isfinite(x) else x


def rounded(x: float) -> float:
    """The nearest whole float, halves away from zero."""
    return whole(lambda v: math.floor(abs(v) + 0.5) * (1 if v >= 0 else -1), x)


def is_normal(x: float) -> bool:
    return math.isfinite(x) and abs(x) >= 2.2250738585072014e-308


def high_bit(n: int) -> int:
    return (n & WHOLE).bit_length()


def chances(record: int) -> Iterator[float]:
    """Random numbers for a record: the same ones whenever and wherever it is processed."""
    generator = Random(record)
    while True:
        yield generator.random()


def chance_of(run: object) -> Iterator[float]:
    """The random numbers of a run; those of a static value are always the same."""
    return run.chance


def resources() -> list[int]:
    """Memory and times of computing, as `szl` tells of them: at the start, and now."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return [0, 0, 0, 0, 0, used.ru_maxrss << 10, int(used.ru_utime * 1e6), int(used.ru_stime * 1e6)]


def below(n: int, chance: Iterator[float]) -> int:
    if n <= 0:
        raise Undefined(f"nrand({n}) is not defined")
    return int(next(chance) * n)


def code_of(value: object) -> int:
    """64 bits by which estimators choose among values, the same in every process."""
    return int.from_bytes(
        blake2b(repr(value).encode(errors="surrogatepass"), digest_size=8).digest())


SEED = 0xE87B36BE6E2E58DC
LOW = tuple((1 << 32) + after for after in (15, 61, 75, 81, 91, 93, 163, 181))
HIGH = tuple((1 << 32) + after for after in (201, 217, 243, 247, 253, 265, 267, 273))
PRIMES = tuple(zip(LOW + HIGH, HIGH + LOW))
"""The first sixteen primes that need 33 bits: one for what came before, one for what comes."""


def of_bytes(data: bytes) -> int:
    padded = data + bytes(-len(data) % 4)
    found = SEED
    for (before, now), part in zip(cycle(PRIMES), unpack(f"<{len(padded) // 4}I", padded)):
        found = (found * before & WHOLE) ^ (part * now & WHOLE)
    return found


def of_number(number: int, seed: int = SEED) -> int:
    """The fingerprint of 64 bits."""
    (before, now), (before_that, then) = PRIMES[:2]
    first = (seed * before & WHOLE) ^ ((number << 32 & WHOLE) * now & WHOLE)
    return (first * before_that & WHOLE) ^ ((number & WHOLE) >> 32) * then & WHOLE


def joined(one: int, other: int) -> int:
    """The fingerprint of two in a row."""
    return of_number(one, other)


def fingerprint_of(value: object) -> int:
    """The fingerprint of any value; that of a map does not depend on the order of its keys."""
    if isinstance(value, str):
        return of_bytes(value.encode(errors="surrogatepass"))
    if isinstance(value, bytes):
        return of_bytes(value)
    if isinstance(value, float):
        return of_number(*unpack("<Q", pack("<d", value)))
    if isinstance(value, int):
        return of_number(value & WHOLE)
    if isinstance(value, (dict, Pairs)):
        pairs = value.items() if isinstance(value, dict) else value
        return reduce(xor, (joined(fingerprint_of(k), fingerprint_of(v)) for k, v in pairs),
                      of_number(0))
    return reduce(joined, map(fingerprint_of, value), of_number(0))


def united(*maps: dict) -> list:
    """The keys of all maps, in the order of their fingerprints.

    >>> united({1: "a", 2: "b"}, {2: "c", 3: "d"}) == sorted([1, 2, 3], key=fingerprint_of)
    True
    """
    return list(map(thawed, sorted({key for each in maps for key in each}, key=fingerprint_of)))
