"""Functions of numbers as C's library has them: where there is no answer, it is not a number.

>>> root(-1.0), power(0.0, -10.0), rounded(-2.5)
(nan, inf, -3.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from hashlib import blake2b
from random import Random

from anabranch.lang.sawzall.running.undefined import Undefined
from anabranch.lang.sawzall.running.values import WHOLE


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
    return chances(-1) if run is None else run.chance


def below(n: int, chance: Iterator[float]) -> int:
    if n <= 0:
        raise Undefined(f"nrand({n}) is not defined")
    return int(next(chance) * n)


def code_of(value: object) -> int:
    """64 bits by which estimators choose among values, the same in every process."""
    return int.from_bytes(
        blake2b(repr(value).encode(errors="surrogatepass"), digest_size=8).digest())
