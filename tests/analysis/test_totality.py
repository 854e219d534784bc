"""What is said to be total never fails, whatever it is given; what may fail is not said to be."""

from __future__ import annotations

import itertools

import pytest

import anabranch as ab
from anabranch.ir.function import Function
from anabranch.ir.operators import Apply, Filter, Map
from anabranch.ir.types import RecordOf
from analysis.support import compiled, facts


class Row(ab.Record):
    n: int
    x: float
    s: str
    o: int | None
    tags: list[str]


class Pair(ab.Record):
    a: int
    b: float = 0.0


class Careful(ab.Record):
    n: int

    def __init__(self, n):
        assert n


class Computed(ab.Record):
    n: int

    def replace(self, **changes):
        raise ValueError(changes)


LIMIT, NAMES = 7, ["a", "b"]
SCOPE = {"Row": Row, "Pair": Pair, "Careful": Careful, "Computed": Computed, "LIMIT": LIMIT,
         "NAMES": NAMES}
NUMBERS = [0, 1, -1, 2**53 + 1, -2**63, 10**400]
FLOATS = [0.0, -0.0, 1.5, 1e308, -1e-320, float("inf"), float("-inf"), float("nan")]
ROWS = [Row(n, x, s, o, []) for n, x, s, o in itertools.product(
    NUMBERS, FLOATS, ["", "aé", "7"], [None, 3])]
TOTAL = [
    "t.n * t.n + t.n - 1", "t.x * t.x - t.x + 2", "3 * t.x", "t.x / 4", "t.x // 0.5", "t.x % 3",
    "t.n // 4", "t.n % -7", "-t.n", "+t.x", "-True + t.n", "abs(t.x)", "abs(t.n)", "not t.o",
    "t.n > t.x", "t.n > LIMIT", "t.s < 'b'", "t.s + 'x' == t.s", "t.o is None", "t.o == t.s",
    "0 < t.n <= t.x < 9", "t.s in ('a', '7')", "t.o not in [1, 2]", "t.n and t.s or t.o",
    "t.s if t.n else t.x", "max(t.n, t.x, 1)", "min(t.n, LIMIT)", "bool(t.s)", "len(t.s)",
    "t.s.upper().strip()", "t.s.startswith('a')", "t.s.isdigit()", "(t.n, t.s)", "Pair(t.n)",
    "Pair(b=t.x, a=t.n)", "Pair(t.n, t.x).b * 2.0", "t.replace(n=1, s=t.s + 'x').n + 1",
    "Row(t.n, t.x, t.s, t.o, t.tags)", "True", "t",
]
MAY_FAIL = [
    "1 // t.n", "1.0 / t.x", "t.n / 2", "t.n % t.n", "t.n + t.x", "t.n * 1.5", "t.n ** 2",
    "1 << t.n", "t.x // 0.0", "t.n % 0", "t.o + 1", "t.o < 3", "t.s < t.n", "t.s * 2", "t.s + t.n",
    "t.s[0]", "int(t.s)", "str(t.n)", "f'{t.n}'", "float(t.n)", "int(t.x)", "round(t.x)",
    "t.missing", "t.n.missing", "t.s.index('a')", "t.s.startswith(t.n)", "t.s.strip(t.o)",
    "t.tags[0]", "t.tags or t.n", "len(t.tags)", "max(t.tags)", "max(t.n)", "max(t.n, t.s)",
    "min(t.n, t.x, key=t.s)", "abs(t.s)", "len(t.n)", "Pair()", "Pair(t.n, t.x, 1)",
    "Pair(t.n, a=1)", "Pair(t.n, c=1)", "Pair(*t)", "Careful(t.n)", "t.replace(m=1)",
    "t.replace(1)", "Computed(t.n).replace(n=1)", "t.s in t.n", "t.s in NAMES[0]", "unknown",
    "t.s.title(1)", "NAMES", "t.x + 2**400", "t.x + 9007199254740993", "[t.n][1]", "-t.s", "~t.x",
]


def total(kind, text):
    return facts(kind(Function.of(compiled(text, SCOPE)["f"])), [RecordOf(Row)]).total


@pytest.mark.parametrize("form", TOTAL)
def test_a_total_form_never_fails(form):
    f = compiled(f"f = lambda t: {form}", SCOPE)["f"]
    assert total(Map, f"f = lambda t: {form}").value
    for row in ROWS:
        f(row)


@pytest.mark.parametrize("form", MAY_FAIL)
def test_a_form_that_may_fail(form):
    found = total(Filter, f"f = lambda t: {form}")
    assert not found.value and found.reason.endswith("may fail")


STATEMENTS = {
    "m = t.n\nm += 1\nyield m": True,
    "if t.n > 1:\n    m = 1\nelse:\n    m = 2.0\nyield -m": True,
    "m: int = 1\nif t.n: return\npass\nyield m": True,
    "'a text'\nyield t\nreturn t.n": True,
    "if t.n > 1:\n    m = 1\nyield m": False,
    "if t.tags: pass\nyield t": False,
    "m += 1\nyield t": False,
    "m = 1\nm /= t.n\nyield t": False,
    "for m in t.tags: yield m": False,
    "yield from t.tags": False,
    "yield 1 // t.n": False,
    "len = t.n\nyield len('a')": False,
    "assert t.n\nyield t": False,
    "a, b = t.n, t.x\nyield a": False,
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements(text):
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    assert total(Apply, f"def f(t):\n{lines}").value is STATEMENTS[text]


def test_what_is_no_plain_function_may_fail():
    assert not total(Apply, "def f(t): return [t]").value
    assert not total(Map, "def f(t): yield 1 // t.n").value
    assert not total(Map, "def f(t, *more): return 1").value
    assert not facts(Map(Function.of(abs)), [RecordOf(Row)]).total.value
    keyed = Apply(Function.of(compiled("def f(state, t): yield t", SCOPE)["f"]), Kept, ("n",))
    assert not facts(keyed, [RecordOf(Row)]).total.value


class Kept(ab.State):
    n: int = 0
