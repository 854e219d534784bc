"""Every operation on every kind of operand: the kernel gives what Python gives, or refuses."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from itertools import product

import pytest

import anabranch as ab
from interpreting import kernels_in_python
from kernels.answers import LEFT, by_kernel, by_python, expression


class Row(ab.Record):
    n: int
    m: int
    x: float
    y: float
    p: bool
    s: str
    u: str
    t: datetime
    v: datetime
    o: int | None
    f: float | None
    b: bool | None
    w: str | None
    d: datetime | None
    raw: bytes


NOON = datetime(2024, 2, 29, 12, 30, 15, 123456)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
CALM = [
    Row(7, 3, 2.5, -1.5, True, "a", "b", NOON, NOON + 40 * DAY, 5, 1.25, True, "é", NOON, b"a"),
    Row(-7, 2, -0.5, 4.0, True, "", "b", NOON - 31 * DAY, NOON, -3, -0.75, True, "", NOON, b""),
    Row(1, 1, 1.0, 1.0, True, "éb", "é", NOON, NOON, 1, 1.0, True, "a", NOON - HOUR, b"a"),
    Row(2, 5, 0.1, 0.25, True, "b", "a", NOON, NOON - HOUR, 2, 2.5, True, "b", NOON, b"ab"),
]
INTS = (0, 1, -1, 64, 2**53, 2**53 + 1, 2**63 - 1, -2**63)
FLOATS = (0.0, -0.0, 1.5, 2.0**53, 2.0**63, -1e300, math.inf, -math.inf, math.nan)
TIMES = (datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999_999),
         datetime(9999, 12, 31, 23, 59, 59, 999_999))
TEXTS = ("", "a", "é", "𝄞", "{}", "12")
WILD = [
    *(Row(n, m, x, y, p, s, u, t, v, None if m == 1 else n, None if y == 1.5 else x,
          None if n == 1 else p, None if m == 0 else u, None if m == 64 else v, b"a")
      for (n, m), x, y, p, s, u, t, v in zip(
          product(INTS, repeat=2), FLOATS * 12, (FLOATS * 12)[3::7] * 7, (True, False, False) * 34,
          TEXTS * 17, TEXTS[1:] * 20, TIMES * 34, TIMES[1:] * 50)),
    *(Row(2, 3, x, y, False, "a", "a", NOON, NOON, 0, x, False, "", None, b"")
      for x, y in product(FLOATS, repeat=2)),
]
SCOPE = {"math": math, "timedelta": timedelta, "DAY": DAY, "HOUR": HOUR, "NOON": NOON, "Row": Row,
         "BIG": 2**53 + 1, "LARGEST": 2**63 - 1, "LOWEST": -2**63, "INF": math.inf, "NAN": math.nan,
         "SMALL": (1, 2), "WORDS": frozenset(("a", "é", "{}")), "MIXED": (1, 2.5, True),
         "LONG": tuple(range(33)), "LIMIT": tuple(range(32)), "NOTHING": ()}

NUMBERS = ("t.n", "t.x", "t.p", "t.o", "t.f", "t.b", "3", "2.5")
INTEGERS = ("t.n", "t.p", "t.o", "t.b", "3", "True")
ORDER = ("<", "<=", ">", ">=", "==", "!=")
OF_FLOATS = ("t.x", "t.f", "2.5")


def pairs(operators, left, right=None):
    return [f"({a}) {op} ({b})" for op in operators for a, b in product(left, right or left)]


def is_real(text: str) -> bool:
    return any(part in text for part in OF_FLOATS)


ARITHMETIC = pairs(("+", "-", "*", "//", "%"), NUMBERS) + pairs(("**",), ("t.x", "t.f", "2.5"),
                                                                  ("t.m", "t.x", "t.p", "2", "0.5"))
SPANS = ("t.v - t.t", "DAY", "HOUR", "t.d - t.v", "-(t.v - t.t)", "+HOUR")
EXPRESSIONS = {
    int: [text for text in ARITHMETIC if not is_real(text)] + pairs(
        ("&", "|", "^", ">>"), INTEGERS) + pairs(
            ("<<", "**"), INTEGERS, ("3", "t.p", "t.b", "0")) + [
        f"{sign}({a})" for sign in "-+~" for a in INTEGERS] + [
        f"{name}({a})" for name in ("int", "abs", "round", "math.floor", "math.ceil", "math.trunc")
        for a in NUMBERS if not (name == "abs" and is_real(a))] + [
        f"t.{time}.{part}" for time in "tvd" for part in (
            "year", "month", "day", "hour", "minute", "second", "microsecond", "weekday()",
            "isoweekday()")] + [
        f"({span}).{part}" for span in SPANS for part in ("days", "seconds", "microseconds")] + [
        f"({a}) // ({b})" for a, b in product(SPANS, repeat=2)] + [
        "t.n.bit_length()", "t.o.bit_length()", "len(t.s)", "len(t.w)", "int('12')", "ord(t.s)",
        "t.s.find('b')", "t.s.count('{}')", "min(t.n, t.m)", "max(t.n, t.o, 4)", "min(t.o, t.n)",
        "t.n and t.m", "t.n or t.m", "t.o or 7", "t.n and t.o and t.m", "t.n or t.o or t.m",
        "t.n if t.p else t.m", "t.o if t.o is not None else -1", "-1 if t.o is None else t.o",
        "t.n if t.o is not None else -1", "-1 if t.f is None else t.n", "pow(t.n, 3)",
        "2 ** 62", "t.n << 62", "t.n - LARGEST", "t.m % LARGEST", "2 ** 3 - 1", "LOWEST",
        "-LARGEST", "7 // 2", "-7 % 4", "--t.n", "math.floor(2.5)",
        "5 // 0 if t.n == 10**9 else 1"],
    float: [text for text in ARITHMETIC if is_real(text)] + pairs(("/",), NUMBERS) + [
        f"{sign}({a})" for sign in "-+" for a in OF_FLOATS] + [
        f"({a}) / ({b})" for a, b in product(SPANS, repeat=2)] + [
        f"({span}).total_seconds()" for span in SPANS] + [
        f"float({a})" for a in NUMBERS] + [
        "abs(t.x)", "abs(t.f)", "round(t.x, 2)", "round(t.f, t.m)", "math.sqrt(t.x)",
        "min(t.x, t.y)", "max(t.x, t.y, 0.0)", "max(t.y, t.x)", "t.x or t.y", "t.x and t.y",
        "t.f or 1.5", "INF", "-INF", "NAN", "-0.0", "0.0 * t.x", "t.x if t.p else t.y", "1e22",
        "math.pi * t.x",
        "t.f if t.f is not None else 0.5", "0.5 if t.f is None else t.f", "2.5 ** 2", "1 / 3",
        "math.copysign(t.x, t.y)", "float(t.s)", "pow(t.x, 2)"],
    bool: pairs(ORDER, NUMBERS) + pairs(ORDER, SPANS) + pairs(
        ORDER, ("t.t", "t.v", "t.d", "NOON")) + pairs(
        ORDER, ("t.s", "t.u", "'a'", "'é'", "t.s.upper()", "'{}'")) + pairs(
        ("==", "!="), ("t.s", "t.w", "t.u")) + pairs(
        ("&", "|", "^"), ("t.p", "t.n > 1", "t.b", "True")) + pairs(
        ("==", "!="), ("t.n", "t.x", "t.p"), ("t.s", "t.t", "t.v - t.t")) + pairs(
        ("==", "!="), ("t.t", "t.s"), ("t.n", "t.x", "t.v - t.t")) + pairs(
        ("==", "!="), ("t.o", "t.f", "t.b", "t.d"), ("None",)) + pairs(
        ("is", "is not"), ("t.n", "t.o", "t.w", "t.d", "None"), ("None",)) + [
        f"{a} {op} {b}" for op in ("in", "not in") for a in ("t.n", "t.x", "t.p", "t.o", "t.f")
        for b in ("SMALL", "(1, t.m)", "[2.5, 1]", "{1, 7}", "MIXED", "LIMIT", "(t.o, 1)",
                  "(True,)")] + [
        f"{a} {op} {b}" for op in ("in", "not in") for a in ("t.s", "t.s.strip()") for b in (
            "('a', 'é')", "WORDS", "'abc'", "['{}', '']")] + [
        "'a' in t.s", "'{}' not in t.s", "t.t in (NOON,)", "t.n in ()", "t.n in NOTHING",
        "1 < t.n < t.m", "t.n < t.x <= 3 != t.m", "t.s < t.u < 'c'", "not t.n", "not t.x",
        "not t.s", "not t.o", "not t.w", "not t.t", "not t.p", "not t.b", "t.p and t.n > 1",
        "t.p or t.n > 1", "t.p and t.b", "t.n > 1 or t.x > 1 or t.p", "bool(t.n)", "bool(t.o)",
        "bool(t.x)",
        "bool(t.s)", "bool(t.p)", "t.s.startswith('a')", "t.s.isdigit()", "t.x.is_integer()",
        "t.f.is_integer()", "math.isnan(t.x)", "math.isinf(t.f)", "math.isfinite(t.n)",
        "t.s.endswith(('b', '{'))", "(t.n > 1) == t.p", "t.n < LARGEST", "t.n == BIG",
        "t.x < 2**53", "max(t.p, False)", "t.t == t.t"],
    str: ["t.s + 'x'", "'{x}' + t.s", "'{' + t.s + '}'", "t.s + t.u", "t.s + t.s", "t.s[0:1]",
          "t.s[::-1]", "t.s[-1:]", "t.s[1:]", "t.s[:-1]", "t.s.upper()", "t.s.replace('a', '{}')",
          "t.s.strip().title()", "min(t.s, t.u)", "max(t.s, t.u, 'b')", "t.s or t.u", "t.s and t.u",
          "t.w or 'none'", "t.s if t.p else t.u", "t.s if t.n > 2 else 'é'", "f'{t.n}|{t.x}'",
          "f'{t.s}{t.u}'", "f'{t.n:05d} {t.x:.2f}'", "f'{t.o}'", "f'{t.s!r}'", "f'{{}}{t.p}'",
          "t.w if t.w is not None else t.s", "'z' if t.w is None else t.w", "str(t.n)", "str(t.s)",
          "'a' + 'b'", "'ab' * 2", "t.s + t.u + 'x'", "'x' + (t.s + t.u)", "repr(t.s)", "t.s[0]",
          "f'{t.s + t.u}!'", "'%s' % 'a'", "t.s + (t.u + 'y')"],
    datetime: [
        f"({a}) {op} ({b})" for a in ("t.t", "t.d", "NOON") for op in "+-" for b in SPANS] + [
        f"({b}) + ({a})" for a in ("t.t", "t.d", "NOON") for b in SPANS] + [
        f"t.t + {span}" for span in (
            "DAY * t.n", "t.n * HOUR", "(DAY + HOUR)", "(DAY - HOUR)", "(t.v - t.t) // 2",
            "(t.v - t.t) % HOUR", "abs(t.t - t.v)", "DAY * t.o", "timedelta(days=1)",
            "(t.v - t.t + HOUR)", "(t.v - t.t - HOUR)", "min(DAY, HOUR)", "(t.v - t.t) * 2")] + [
        "t.t if t.p else t.v", "min(t.t, t.v)", "max(t.t, t.v)", "t.d if t.d is not None else t.t",
        "NOON"],
    int | None: ["t.o", "t.o if t.p else None", "None if t.p else t.n", "t.n if t.p else t.o",
                 "t.n and t.o", "t.o if t.p else t.n", "None", "None if t.n > 1 else None",
                 "t.o and t.n"],
    float | None: ["t.f", "t.f if t.x > 1 else None", "t.x if t.p else t.f", "t.x and t.f"],
    str | None: ["t.w", "t.w if t.p else t.s", "None if t.p else t.s", "t.s if t.n > 2 else None",
                 "t.s and t.w", "t.w if t.n > 1 else t.w"],
    datetime | None: ["t.d", "t.d if t.n > 1 else None", "t.t if t.p else t.d"],
}
EVERY = [(to, text) for to, texts in EXPRESSIONS.items() for text in texts]
PARTS = 8


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("part", range(PARTS))
def test_the_kernel_gives_what_python_gives(part):
    """It may leave a row to Python, but none that has an answer and only modest numbers."""
    wrong = []
    with kernels_in_python():
        for to, text in EVERY[part::PARTS]:
            program, function = expression(text, Row, to, SCOPE)
            assert program.kernel.tier == "native", (text, program.kernel.reason)
            found = by_kernel(program, CALM + WILD)
            wanted = by_python(function, CALM + WILD, to)
            wrong += [(text, row, was, is_) for number, (row, was, is_) in enumerate(
                zip(CALM + WILD, found, wanted)) if was != is_ and (
                    was != LEFT or number < len(CALM))]
    assert not wrong


BIG_ONES = ("t.n / BIG", "t.x < BIG", "BIG == t.x", "t.f != BIG", "BIG / t.n")


@pytest.mark.parametrize("text", BIG_ONES)
def test_an_integer_that_no_float_holds_is_left_to_python(text):
    with kernels_in_python():
        program, _ = expression(text, Row, float if "/" in text else bool, SCOPE)
        assert by_kernel(program, CALM) == [LEFT] * len(CALM)


REFUSED = {
    "-LOWEST": "uses -LOWEST", "t.p and t.n": "t.p and t.n is of one type or another",
    "t.n + t.raw": "uses t.n + t.raw", "t.n @ 2": "uses t.n @ 2", "~t.x": "uses ~t.x",
    "t.n * t.t": "uses t.n * t.t", "t.t + t.v": "uses t.t + t.v", "t.n + DAY": "uses t.n + DAY",
    "t.n < t.s": "uses t.n < t.s", "t.t < t.n": "uses t.t < t.n",
    "t.raw == t.raw": "uses t.raw == t.raw",
    "t.n is t.m": "uses t.n is t.m", "t.o == t.s": "uses t.o == t.s", "t.w < t.s": "uses t.w < t.s",
    "t.n in LONG": "uses LONG", "t.n in (t.s, 1)": "uses t.n in (t.s, 1)",
    "t.s in (t.u, 'a')": "uses t.s in (t.u, 'a')",
    "t.u in t.s": "uses t.u in t.s", "'a' in t.n": "uses 'a' in t.n", "t.s[t.n]": "uses t.s[t.n]",
    "t.s[t.n:]": "uses t.s[t.n:]", "t.n[0]": "uses t.n[0]", "t.s * t.n": "uses t.s * t.n",
    "t.s + t.w": "uses t.s + t.w", "t.s.find(t.u)": "uses t.s.find(t.u)",
    "t.n.real": "uses t.n.real",
    "t.t.tzinfo": "uses t.t.tzinfo", "t.x.days": "uses t.x.days", "1j": "uses 1j",
    "...": "uses ...",
    "t.n if t.p else t.x": "t.n if t.p else t.x is of one type or another",
    "f'{t.s:{t.n}}'": "uses f'{t.n}'", "-t.t": "uses -t.t", "math.nothing": "uses math.nothing",
    "t.o is t.n": "uses t.o is t.n",
}


TEXTS_OF = ("t.s[", "t.s *", "f'")


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_native_form_says_why(text):
    program, _ = expression(text, Row, str if text.startswith(TEXTS_OF) else int, SCOPE)
    assert program.kernel.tier == "rows"
    assert program.kernel.reason.text == f"map {REFUSED[text]} at line 1"
