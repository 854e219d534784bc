"""Numbers at their limits in every tier: signs of zero, infinities, NaN, 64 bits, remainders."""

from __future__ import annotations

import linecache
import math
import operator
import struct
from itertools import product

import pytest

import anabranch as ab
from anabranch.kernels.columns import columns_kernel
from anabranch.kernels.native.library import libm
from anabranch.kernels.native.library import numbers as numeric
from anabranch.kernels.native.library import numbers as whole_numbers
from anabranch.kernels.native.library.numbers import Bail
from anabranch.kernels.native.translate.values import Unsupported
from anabranch.plan.logical.plan import Reason
from kernels.tiers import Program

INTS = (0, 1, -1, 2, -2, 3, 7, -7, 10, 62, 63, 64, -64, 2**31, -2**31, 2**53, 2**53 + 1, -2**53 - 1,
        2**62, 2**63 - 1, -2**63, -2**63 + 1)
FLOATS = (0.0, -0.0, 0.25, -0.25, 0.5, -0.5, 0.7, -0.7, 1.0, -1.0, 1.5, -1.5, 2.5, -2.5, 3.0, -7.5,
          5e-324, -5e-324, 2.675, 1e16, -1e16, 2.0**53, 2.0**53 + 2, 2.0**62, 2.0**63, -2.0**63,
          -2.0**63 - 2048, 1e300, -1e300, 1.7976931348623157e308, math.inf, -math.inf, math.nan)
PAIRS_OF_INTS, PAIRS_OF_FLOATS = product(INTS, repeat=2), product(FLOATS, repeat=2)
MODEST = [(a, b) for a, b in product(INTS, repeat=2) if -70 < b < 70]
TABLES = {
    "ints": (list(PAIRS_OF_INTS), {
        numeric.add: operator.add, numeric.sub: operator.sub, numeric.mul: operator.mul,
        numeric.floordiv: operator.floordiv, numeric.mod: operator.mod,
        numeric.truediv: operator.truediv, numeric.smaller: min, numeric.larger: max}),
    "modest ints": (MODEST, {
        whole_numbers.int_pow: operator.pow, whole_numbers.left_shift: operator.lshift,
        whole_numbers.right_shift: operator.rshift}),
    "an int": ([(a,) for a in INTS], {
        numeric.neg: operator.neg, numeric.absolute: abs, numeric.exact: lambda a: a + 0.0,
        whole_numbers.bit_length: int.bit_length}),
    "floats": (list(PAIRS_OF_FLOATS), {
        numeric.float_div: operator.truediv, numeric.float_mod: operator.mod,
        numeric.float_floordiv: operator.floordiv, numeric.smaller: min, numeric.larger: max,
        libm.real_pow: lambda x, y: of_real(x ** y), libm.real_fmod: math.fmod,
        libm.real_atan2: math.atan2}),
    "a float": ([(x,) for x in FLOATS], {
        numeric.whole: int, numeric.floor: math.floor, numeric.ceil: math.ceil,
        numeric.rounded: round, numeric.sqrt: math.sqrt, whole_numbers.is_integer: float.is_integer,
        **{getattr(libm, f"real_{name}"): getattr(math, name)
           for name in libm.NAMES if name in libm.OFFERED}}),
    "a float and digits": ([(x, n) for x in FLOATS for n in (-1, 0, 1, 2, 5, 22, 23)], {
        whole_numbers.round_to: round}),
}


def of_real(value: object) -> float:
    if isinstance(value, complex):
        raise ValueError("native code has no complex numbers")
    return value


def bits(value: object) -> object:
    """A number with its type, to the last bit; every NaN is the same."""
    if isinstance(value, float):
        return "nan" if value != value else struct.pack("d", value)
    return type(value).__name__, value


def python(function, given: tuple) -> object:
    """What Python gives; "bail" where it raises, or its integer is beyond 64 bits."""
    try:
        result = function(*given)
    except (ArithmeticError, ValueError):
        return "bail"
    is_large = type(result) is int and not -2**63 <= result < 2**63
    return "bail" if is_large else bits(result)


def native(function, given: tuple) -> object:
    try:
        return bits(function(*given))
    except Bail:
        return "bail"


EACH = [(table, name, function) for table, (_, functions) in TABLES.items()
        for function, name in ((f, f.__name__) for f in functions)]


@pytest.mark.parametrize("table,name,function", EACH, ids=[f"{t}: {n}" for t, n, _ in EACH])
def test_native_numbers_are_those_of_python(table, name, function):
    """Native code may leave a row to Python; if it gives a result, that is Python's."""
    arguments, functions = TABLES[table]
    found = [(given, native(function, given)) for given in arguments]
    wrong = [(given, result) for given, result in found
             if result not in ("bail", python(functions[function], given))]
    assert not wrong
    assert any(result != "bail" for _, result in found)


class Ints(ab.Record):
    a: int
    b: int


class Floats(ab.Record):
    x: float
    y: float


COLUMNS = {
    Ints: ("t.a + t.b", "t.a - t.b", "t.a * t.b", "t.a < t.b", "t.a == t.b", "t.a >= t.b",
           "t.a if t.a > t.b else t.b", "t.a % t.b", "t.a // t.b", "-t.a", "abs(t.a)", "t.a / t.b"),
    Floats: ("t.x + t.y", "t.x - t.y", "t.x * t.y", "t.x < t.y", "t.x == t.y", "t.x != t.y",
             "t.x >= t.y", "t.x if t.x > t.y else t.y", "t.x * 0.0", "0.0 - t.x", "t.x % t.y",
             "t.x // t.y", "-t.x", "abs(t.x)", "round(t.x)", "int(t.x)", "t.x / t.y"),
}
EXPRESSIONS = [(item, text) for item, texts in COLUMNS.items() for text in texts]


def program_of(item: type, expression: str) -> Program:
    """The program of an expression, its text known as if it stood in a file."""
    text, file = f"f = lambda t: {expression}\n", f"<number {expression}>"
    linecache.cache[file] = (len(text), None, [text], file)
    scope = {"math": math, "__name__": "__main__"}
    exec(compile(text, file, "exec"), scope)
    return Program(ab.from_iterable([], item).map(scope["f"]))


@pytest.mark.parametrize("item,expression", EXPRESSIONS, ids=[text for _, text in EXPRESSIONS])
def test_columns_have_the_numbers_of_python(item, expression):
    program = program_of(item, expression)
    try:
        kernel = columns_kernel(program.rows, Reason("asked for"))
    except Unsupported:
        return
    for given in product(INTS if item is Ints else FLOATS, repeat=2):
        items = [item(*given)]
        assert program.sliced(items, 1, kernel) == program.sliced(items, 1, program.rows), given


TOGETHER = {
    Ints: "t.a % (t.b or 1) + t.a // (t.b or 3) - (t.a % -7) * (-t.a // 2) + abs(t.a - t.b)",
    Floats: "(t.x % (t.y or 1.5)) * 0.0 + -(t.x // (t.y or -0.5)) + round(t.x * 0.1, 1)",
}


@pytest.mark.slow
@pytest.mark.parametrize("item", TOGETHER)
def test_whole_expressions(item):
    program, values = program_of(item, TOGETHER[item]), INTS if item is Ints else FLOATS
    assert program.kernel.tier == "native"
    for given in product(values, repeat=2):
        items = [item(*given)]
        assert program.sliced(items, 1) == program.sliced(items, 1, program.rows), given
