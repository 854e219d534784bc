"""Numbers at their limits: signs of zero, infinities, what is no number, casts, large literals."""

from __future__ import annotations

import math
import random
import struct
from itertools import product

import numpy as np
import pytest

from anabranch.core.errors import ProgramError, RunError
from anabranch.lang.streamit.coding.operations import OF_ONE, OF_TWO, SPELLED
from anabranch.lang.streamit.execution import compiled, plain
from lang.streamit.streamit_support import COUNTER, FLOATS, blocks, graph_of, printing, rows

FLOATS_AT_LIMITS = [plain.single(x) for x in (
    0.0, 0.25, 0.5, 0.7, 1.0, 1.5, 2.5, 3.0, 1e-45, 1.17e-38, 88.8, 710.0, 8388607.5, 16777217.0,
    2147483647.0, 2147483648.0, 2147483904.0, 1e10, 3.4028234663852886e38, math.inf)]
FLOATS_AT_LIMITS += [-x for x in FLOATS_AT_LIMITS] + [math.nan]
INTS_AT_LIMITS = (0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, -33, 46341, 65536, 2**31 - 1, -2**31,
                  -2**31 + 1)
PARTS = (0.0, -0.0, 0.5, -1.0, 3.0, math.inf, -math.inf, math.nan, 1e30, 800.0)
COMPLEX = [complex(a, b) for a, b in product(map(plain.single, PARTS), repeat=2)]
OF_FLOATS = ("_int", "_f", *(f"_{SPELLED.get(name, name)}" for name in OF_ONE))
OF_FLOAT_PAIRS = ("_fdiv", "_fmod", "_min", "_max",
                  *(f"_{name}" for name in OF_TWO if name != "IEEEremainder"))
OF_INT_PAIRS = ("_idiv", "_imod", "_shl", "_shr", "_min", "_max")
OF_COMPLEX = ("_cabs", "_carg", "_cexp", "_csqrt", "_clog", "_csin", "_ccos")
OF_COMPLEX_PAIRS = ("_cadd", "_csub", "_cmul", "_cdiv")


def bits(value: object) -> object:
    """A number as its bits; every NaN is the same."""
    if isinstance(value, (complex, np.complexfloating)):
        return bits(value.real), bits(value.imag)
    if isinstance(value, (int, np.integer)):
        return int(value)
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return "nan" if single != single else struct.pack("f", single)


def result(function, *arguments) -> object:
    try:
        return bits(function(*arguments))
    except (RunError, ZeroDivisionError):
        return "division by zero"


def agree(name: str, arguments: list[tuple], machine: type) -> None:
    for given in arguments:
        wanted = result(plain.SCOPE[name], *given)
        with np.errstate(all="ignore"):
            found = result(compiled.SCOPE[name], *map(machine, given))
        assert found == wanted, given


@pytest.mark.parametrize("name", OF_FLOATS)
def test_floats_compiled(name):
    more = random.Random(name)
    values = [plain.single(more.uniform(-1, 1) * 10.0 ** more.randint(-6, 6)) for _ in range(200)]
    agree(name, [(x,) for x in FLOATS_AT_LIMITS + values], np.float32)


@pytest.mark.parametrize("name", OF_FLOAT_PAIRS)
def test_pairs_of_floats_compiled(name):
    agree(name, list(product(FLOATS_AT_LIMITS, repeat=2)), np.float32)


@pytest.mark.parametrize("name", OF_INT_PAIRS)
def test_pairs_of_ints_compiled(name):
    agree(name, list(product(INTS_AT_LIMITS, repeat=2)), np.int32)


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_complex_numbers_compiled(name):
    close = [complex(1, plain.single(10.0 ** -n)) for n in range(1, 12)]
    agree(name, [(z,) for z in COMPLEX + close], np.complex64)


@pytest.mark.parametrize("name", OF_COMPLEX_PAIRS)
def test_pairs_of_complex_numbers_compiled(name):
    agree(name, list(product(COMPLEX[::3], COMPLEX[::4])), np.complex64)


MEANING = {
    "println(1 / floor(-0.0)); println(1 / ceil(-0.5)); println(1 / rint(-0.25));":
        "-inf -inf -inf",
    "println(1 / round(-0.25)); println(1 / floor(0.5)); println(1 / (0.0 * -1));":
        "-inf inf -inf",
    "println((int) (1 / ceil(-0.5))); println((int) (0.0 / 0.0)); println((int) 1e30);":
        "-2147483648 0 2147483647",
    "println(pow(-0.0, -1)); println(pow(-0.0, -2)); println(atanh(-1));": "-inf inf -inf",
    "println(-7 % 3); println(7 % -3); println(-7.5 % 2); println(fmod(-6, 3));":
        "-1 1 -1.500000 -0.000000",
    "println(-2147483648 / -1); println(-2147483648 % -1); println(abs(-2147483648));":
        "-2147483648 0 -2147483648.000000",
    "complex z = 0; println(log(z).real); z = 1000 + 2i; println(exp(z).real);": "-inf -inf",
    "float x = 3000000000; println(x); println(x + 3000000000); println(-3000000000 * x < 0);":
        "3000000000.000000 6000000000.000000 true",
    "println(-2147483648); float[2] a = {3000000000, -1}; println(a[0]);":
        "-2147483648 3000000000.000000",
    "println(0xFFFFFFFF); float x = 0xFFFFFFFF; println(x); println(0xFFFFFFFF & 7);":
        "-1 4294967296.000000 7",
    "println(max(2147483648, 1.0)); println((float) 4294967296); println(1 > 0 ? 5e9 : 1);":
        "2147483648.000000 4294967296.000000 5000000000.000000",
    "float x = true ? 3000000000 : 1; println(x); x *= 10000000000; println(x);":
        "3000000000.000000 30000001041030971392.000000",
    "float[1] a = {16777217}; println(a[0] - 16777216); int[1] b = {-2147483648}; println(b[0]);":
        "0.000000 -2147483648",
}


@pytest.mark.parametrize("statements", MEANING)
def test_meaning(statements):
    assert rows(printing(statements), 1).split() == MEANING[statements].split()


TOO_LARGE = ("int x = 3000000000;", "println(2147483648);", "int x = 1 + 2147483648;",
             "int x = (int) 99999999999;", "int x = -2147483649;", "if (1 < 3000000000) ;",
             "int[2] a = {1, 3000000000};", "int x = 0x100000000;", "println(\"a\" + 3000000000);",
             "int x = 1; x += 3000000000;", "boolean b = (boolean) 3000000000;",
             "while (3000000000) ;")


@pytest.mark.parametrize("statements", TOO_LARGE)
def test_integers_that_no_int_holds(statements):
    with pytest.raises(ProgramError) as caught:
        graph_of(printing(statements), 1)
    shown = str(caught.value)
    assert shown.startswith("error: an integer of more than 32 bits can only stand for a float\n")
    assert "  = expected: -2147483648 to 2147483647\n  = help: write a float" in shown
    assert caught.value.where.excerpt()


def test_the_large_literal_is_underlined():
    with pytest.raises(ProgramError) as caught:
        graph_of("void->void filter Main {\n  work {\n    int x = 3000000000;\n  }\n}", 1)
    assert str(caught.value) == """\
error: an integer of more than 32 bits can only stand for a float
  --> program.str:3:13
    |
  3 |     int x = 3000000000;
    |             ^^^^^^^^^^
  = expected: -2147483648 to 2147483647
  = help: write a float, such as 3000000000.0, or a smaller number"""


SIGNS = """
    add int->float filter { float[2] a = {0.1, -0.0}; work pop 1 push 1 {
        float x = (pop() - 2) * 0.25;
        push(1 / floor(-abs(x) * 0.0) + (int) (x / ceil(-0.5)) + (x % 0.1) * a[0] + 3000000000 * x
             + (int) (1 / a[1]) / 3 - (-7 % 3)); } };
"""


@pytest.mark.slow
def test_signs_compiled():
    text = f"{COUNTER}{FLOATS}void->void pipeline Main {{ add Count; {SIGNS} add PrintFloat; }}"
    assert blocks(text, 6, compiles=True) == rows(text, 6)
