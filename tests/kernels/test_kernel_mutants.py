"""Deliberately wrong kernels: the comparison of tiers catches each of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import anabranch as ab
from kernels.tiers import Program


class Item(ab.Record):
    key: float
    n: int
    x: float
    s: str
    o: int | None


class Kept(ab.State):
    total: int = 0
    best: str = ""


@ab.operator(by="key")
def kept(state: Kept, t: Item):
    state.total += t.n
    if t.s > state.best:
        state.best = t.s
    some = t.o + 1 if t.x == 9.0 else t.o or 1
    yield t.replace(n=state.total % 7, s=state.best, x=round(t.x, 2),
                    o=some + (abs(t.n) % 2**62 << 2) % 1000)


ITEMS = [Item(0.0, 5, 2.675, "b", None), Item(-0.0, -9, 0.125, "a", 4), Item(1.0, 3, -1.005, "", 0),
         Item(0.0, 8, 1e10, "é", None), Item(1.0, 2**62, 7.0, "z", 1),
         Item(1.0, 2**62, 7.5, "c", 2), Item(0.0, 2**62, 0.0, "a", 3),
         Item(1.0, -2**62, 0.5, "zz", None), Item(2.0, 2**61, 0.0, "a", 3)]
FAILING = [*ITEMS, Item(3.0, 1, 9.0, "a", None)]
DEFINITION = "@njit(nogil=True, _nrt=False)\ndef {}\n"
MUTANTS = {
    "ints wrap around": ("add(left, right): return left + right", None),
    "the remainder has the sign of the dividend":
        ("mod(left, right): return left - int64(left / right) * right", None),
    "shifts lose bits": ("left_shift(value, bits): return value << bits", None),
    "None is a number": ("present(value, none): return value", None),
    "rounding goes through a product":
        ("round_to(value, digits): return round(value * 10.0**digits) / 10.0**digits", None),
    "texts have the order of their appearance":
        ("text_order(starts, data, left, right): return left - right", None),
    "zeros are two keys":
        ("float_word(value): return int64(value * 4 + copysign(1.0, value))", None),
    "touched keys are not saved": (None, ("touched[here] = True", "touched[here] = False")),
    "state is not stored": (None, ("x0_s_5total[mine] = s_5total", "pass")),
}


def program() -> Program:
    made = Program(ab.from_iterable([], Item).apply(kept))
    assert made.kernel.tier == "native"
    return made


def mutated(made: Program, definition: str | None, change: tuple[str, str] | None) -> Program:
    source = made.kernel.stage.source
    if definition:
        start = source.index("INF, NAN")
        source = source[:start] + DEFINITION.format(definition) + source[start:]
    else:
        assert change[0] in source
        source = source.replace(*change)
    made.kernel = replace(made.kernel, stage=replace(made.kernel.stage, source=source))
    return made


def test_the_kernel_itself_is_right():
    program().check(ITEMS)
    program().check(FAILING)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught(name):
    wrong = mutated(program(), *MUTANTS[name])
    with pytest.raises((AssertionError, OverflowError)):
        wrong.check(ITEMS)
        wrong.check(FAILING)
