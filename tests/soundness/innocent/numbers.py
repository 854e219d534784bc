"""Numbers: arithmetic, mathematics, statistics, decimals, dates and arrays."""

import datetime
import fractions
import math
import operator
import statistics
from datetime import timedelta
from decimal import Decimal
from math import floor, hypot, sqrt

import numpy as np

from soundness.items import VISITS

RATE = 1.19
LIMITS = (0, 10, 20, 50)
WEIGHTS = [0.5, 0.3, 0.2]
EPOCH = datetime.datetime(2024, 1, 1)
KERNEL = np.array([1.0, 2.0, 1.0])
OPERATIONS = {"add": operator.add, "mul": operator.mul}


def map_arithmetic(t):
    return (t.n * 3 + 1) // 2 - t.key ** 2 + t.n % 7


def map_float_arithmetic(t):
    return round(t.x * RATE / 3, 4)


def map_bits(t):
    return (t.n & 7) ^ (t.key << 2) | ~t.n


def map_divmod(t):
    hours, minutes = divmod(t.n, 60)
    return hours * 100 + minutes


def map_math(t):
    return sqrt(t.x) + math.log1p(t.x) + hypot(t.x, 1) + floor(t.x)


def map_math_functions(t):
    return math.gcd(t.n, 12) + math.comb(10, t.key) + math.isqrt(t.n)


def map_statistics(t):
    return statistics.fmean(t.xs) + statistics.median(t.xs) + statistics.pstdev(t.xs)


def map_decimal(t):
    return Decimal(f"{t.x:.2f}") > Decimal("3.5")


def map_fraction(t):
    return str(fractions.Fraction(t.n, 6) + fractions.Fraction(1, 3))


def map_sum_and_mean(t):
    return sum(t.xs) / len(t.xs) if t.xs else 0.0


def map_weighted(t):
    return sum(w * x for w, x in zip(WEIGHTS, t.xs))


def map_clamp(t):
    return max(2, min(t.n, 40))


def map_bucket(t):
    for limit in LIMITS:
        if t.n <= limit:
            return limit
    return -1


def map_collatz(t):
    n, steps = t.n + 1, 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def map_fibonacci(t):
    a, b = 0, 1
    for _ in range(t.n):
        a, b = b, a + b
    return a


def filter_prime(t):
    return t.n > 1 and all(t.n % d for d in range(2, math.isqrt(t.n) + 1))


def flat_map_factors(t):
    return [d for d in range(1, t.n + 1) if t.n % d == 0]


def map_horner(t):
    result = 0.0
    for coefficient in (1.0, -2.0, 0.5):
        result = result * t.x + coefficient
    return result


def map_isoformat(t):
    return t.when.isoformat()


def map_date_parts(t):
    return (t.when.year, t.when.month, t.when.weekday(), t.when.hour)


def map_strftime(t):
    return t.when.strftime("%Y-%m-%d %H:%M")


def map_timedelta(t):
    return (t.when - EPOCH).total_seconds()


def map_add_timedelta(t):
    return t.when + timedelta(hours=1, minutes=30)


def map_date_replace(t):
    return t.when.replace(hour=0, minute=0)


def map_strptime(t):
    day = datetime.datetime.strptime(t.when.strftime("%Y-%m-%d"), "%Y-%m-%d")
    return day.toordinal()


def map_day_start(t):
    return datetime.datetime(t.when.year, t.when.month, t.when.day)


def filter_weekend(t):
    return t.when.weekday() >= 5 or t.when.hour < 6


def map_numpy_sum(t):
    return float(np.array(t.xs, dtype=float).sum())


def map_numpy_arithmetic(t):
    a = np.array(t.xs, dtype=float)
    b = a * 2 + 1
    return float(b.max() - a.mean())


def map_numpy_local_in_place(t):
    a = np.zeros(4)
    a += t.n
    a[1] = t.x
    return a.tolist()


def map_numpy_constant(t):
    return float(np.dot(KERNEL, np.array([t.n, t.x, 1.0])))


def map_numpy_clip(t):
    return [int(v) for v in np.clip(np.array(t.xs), 1, 3)]


def map_operator_table(t):
    return OPERATIONS["add"](t.n, t.key) if t.n % 2 else OPERATIONS["mul"](t.n, t.key)


def map_bool_arithmetic(t):
    return int(t.n > 10) + bool(t.xs)


def map_int_of_text(t):
    return int(f"{t.n}{t.key}") + float("1.5")


def map_base(t):
    return f"{t.n:b}".count("1") + int("ff", 16)


def map_nan_checks(t):
    return 0.0 if math.isnan(t.x) or math.isinf(t.x) else t.x


def map_complex_number(t):
    return abs(complex(t.x, t.n))


def map_distance(t):
    x1, y1 = t.x, float(t.n)
    x2, y2 = 3.0, 4.0
    return math.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2)


def map_slow(t):
    return t.slow() and t.ms > 50


USES = dict.fromkeys(["map_isoformat", "map_date_parts", "map_strftime", "map_timedelta",
                      "map_add_timedelta", "map_date_replace", "map_strptime", "map_day_start",
                      "filter_weekend", "map_slow"], VISITS)
