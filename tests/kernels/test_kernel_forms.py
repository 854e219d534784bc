"""Whatever form of Python a function has: a kernel is made of it, or it goes to rows, and why."""

from __future__ import annotations

import ast
import datetime as dt
import linecache
import math
import textwrap
from collections import Counter, deque
from types import SimpleNamespace

import pytest
from numba import njit

import anabranch as ab
from anabranch.core.errors import AnabranchError
from anabranch.kernels import compile_stage
from anabranch.kernels.native import cache
from anabranch.kernels.native import kernel as native
from anabranch.kernels.native.stage import module as stage
from kernels.python_forms import EXPRESSIONS, STATEMENTS
from kernels.tiers import Program


class In(ab.Record):
    k: str
    n: int
    x: float
    p: bool
    s: str
    t: dt.datetime
    o: int | None


class Memory(ab.State):
    n: int = 0
    d: dict[str, int] = {}
    v: list[int] = []
    q: deque[int] = deque(maxlen=3)
    c: Counter = Counter()
    st: set[str] = set()
    w: str = "abc"


class Numbers(ab.State):
    """A state that native code can hold."""

    n: int = 0
    d: dict[str, int] = {}
    v: list[int] = []
    w: str = "abc"


def helper(a, b=2, *args, key=0, **kw):
    return a + b + key + len(args) + len(kw)


def plain(a):
    return a * 2


SCOPE = {"In": In, "Memory": Memory, "Numbers": Numbers, "helper": helper, "plain": plain,
         "math": math, "dt": dt, "LIMIT": 7, "WORD": "hello", "PAIR": (3, 4), "KW": {"key": abs},
         "TABLE": {"a": 1, "b": 2}, "NAMES": ["x", "y"], "OPT": {"ndigits": 1},
         "DAY": dt.timedelta(days=1), "START": dt.datetime(2024, 1, 1)}
WORDS = ("a", "ab", "", "12", "a,b", "é")
ITEMS = [In(WORDS[n % 2], n % 6, n / 4, n % 2 == 0, WORDS[n % 6], dt.datetime(2024, 1, 1 + n, n),
            None if n % 3 else n) for n in range(13)]


def of_expression(form: str) -> str:
    return f"state.n += 1\nstate.v.append(t.n)\nyield f'{{({form})!r:.60}}'"


def of_condition(form: str) -> str:
    return f"state.v.append(t.n)\nv = {form}\nif v:\n    state.n += 1\nyield str(state.n)"


def of_statement(form: str) -> str:
    return f"{form}\nyield f'{{state.n}} {{state.w:.20}}'"


def operator_of(body: str, state: str):
    """The operator of a body, its text known as if it stood in a file."""
    text = (f"def act(state: {state}, t: In):\n{textwrap.indent(body, '    ')}\n")
    file = f"<form {abs(hash((text, state)))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = dict(SCOPE, __name__="__main__")
    exec(compile(text, file, "exec"), scope)
    return ab.operator(by="k")(scope["act"])


def program_of(body: str, state: str = "Memory") -> Program | str:
    """The program, or the message with which it is refused."""
    try:
        return Program(ab.from_iterable([], In).apply(operator_of(body, state)))
    except AnabranchError as error:
        return str(error)


BODIES = [*map(of_expression, EXPRESSIONS), *map(of_condition, EXPRESSIONS),
          *map(of_statement, STATEMENTS)]


@pytest.mark.parametrize("state", ["Memory", "Numbers"])
def test_every_form_has_a_kernel_or_a_reason(state):
    for body in BODIES:
        program = program_of(body, state)
        if isinstance(program, str):
            assert program.startswith("error: ") and "internal" not in program, body
        elif program.kernel.tier != "native":
            assert program.kernel.reason.text.startswith("act "), body
            assert program.kernel.reason.span.line >= 1, body


# Slices where a subscript is expected, stars and double stars where an argument is.
ONCE_WRONG = ["len(state.v[1:])", "state.d.get(t.s, *[0])", "sum(state.v[-2:])",
              'helper(t.n, **{"key": 2})', "max(state.v, **KW)"]


@pytest.mark.parametrize("form", ONCE_WRONG)
def test_forms_without_a_kernel_run_in_rows(form):
    program = program_of(of_expression(form), "Numbers")
    assert program.kernel.tier == "rows"
    assert program.kernel.reason.text.startswith("act uses ")
    assert program.sliced(ITEMS, 5) == program.sequential(ITEMS)


def test_a_failure_while_code_is_made_is_a_reason(monkeypatch):
    def broken(body, node):
        raise KeyError("no such thing")
    monkeypatch.setitem(stage.expressions.HANDLERS, ast.BinOp, broken)
    program = program_of("yield str(t.n + 1)", "Numbers")
    assert program.kernel.tier == "rows"
    assert program.kernel.reason.text == (
        "act has no native form of t.n + 1 (KeyError: 'no such thing') at line 2")
    assert program.sliced(ITEMS, 5) == program.sequential(ITEMS)


def test_a_text_that_cannot_be_read_is_a_reason(monkeypatch):
    monkeypatch.setattr(stage, "helpers", lambda registry: ["def (:"])
    program = program_of("yield str(t.n + 1)", "Numbers")
    assert program.kernel.tier == "rows"
    assert program.kernel.reason.text.startswith("act has no native form of def (: (SyntaxError: ")


def test_a_failure_of_the_compiler_is_a_reason(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(cache, "_failed", {})
    broken = SimpleNamespace(run=njit(lambda *given: dict(**given)))
    monkeypatch.setattr(native, "module_of", lambda source: broken)
    program = program_of("yield str(t.n + 2)", "Numbers")
    assert program.kernel.tier == "native"
    assert program.sliced(ITEMS, 5) == program.sequential(ITEMS)
    assert program.kernel.failure.startswith("UnsupportedBytecodeError: ")
    # The next program of the same text does not even try.
    cache._failed.clear()
    again = compile_stage(program.operators, program.input_type, program.output_type)
    assert again.tier == "native"
    tracked = program_of("yield str(t.n + 2)", "Numbers").kernel
    assert tracked.failure == program.kernel.failure


WIDE = type("Wide", (ab.Record,), {
    "__annotations__": {"k": str, **{f"a{n}": int for n in range(14)}}, "__module__": __name__})


@pytest.mark.slow
def test_a_condition_may_be_an_argument_beside_many_columns():
    """A call with more than 30 arguments, some with branches, is one that Numba does not take."""
    text = ("def act(state: Numbers, t: Wide):\n"
            "    state.n += plain(t.a0 if t.a1 > 2 else plain(t.a2 or 7))\n"
            f"    yield state.n + {' + '.join(f't.a{n}' for n in range(14))}\n")
    linecache.cache["<wide>"] = (len(text), None, text.splitlines(True), "<wide>")
    scope = dict(SCOPE, Wide=WIDE, __name__="__main__")
    exec(compile(text, "<wide>", "exec"), scope)
    program = Program(ab.from_iterable([], WIDE).apply(ab.operator(by="k")(scope["act"])))
    items = [WIDE("ab"[n % 2], *range(n, n + 14)) for n in range(9)]
    assert program.sliced(items, 4) == program.sequential(items)
    assert program.kernel.tier == "native" and program.kernel.failure is None
