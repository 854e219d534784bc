"""Random functions over one record type, as text: every construct that native code supports."""

from __future__ import annotations

import linecache
import math
import random
import re

import anabranch as ab


class In(ab.Record):
    a: int
    b: int
    x: float
    y: float
    p: bool
    s: str
    o: int | None
    q: float | None


class Out(ab.Record):
    i: int
    f: float
    b: bool
    s: str
    o: int | None


class Memory(ab.State):
    n: int = 0
    z: float = 0.5
    seen: bool = False
    word: str = "none"
    best: int | None = None


WORDS = ("a", "é", "")
TABLE = {"a": "one", "abc": "two", "": "none"}


def sign(text):
    try:
        return int(text) % 3
    except ValueError:
        return -len(text)


def halved(x):
    if x < -1e6:
        raise OverflowError("too small")
    return x / 2


SCOPE = {"In": In, "Out": Out, "Memory": Memory, "LIMIT": 7, "WORD": "abc", "WORDS": WORDS,
         "NUMBERS": (1, 2, 7), "re": re, "math": math, "sign": sign, "halved": halved}
PRELUDE = f"TABLE = {TABLE!r}\n"


class Writer:
    """Writes expressions of a wanted kind, not deeper than `depth`."""

    def __init__(self, seed: int, state: bool = False):
        self.random, self.state = random.Random(seed), state
        self.locals: dict[str, list[str]] = {"int": [], "float": []}

    def pick(self, *choices):
        return self.random.choice(choices)

    def int(self, depth: int) -> str:
        leaves = ["t.a", "t.b", "LIMIT", "0", "1", "-1", "3", "-7", "2**31", "2**62",
                  *self.locals["int"], *(["state.n"] if self.state else [])]
        if depth == 0:
            return self.pick(*leaves, "t.a", "t.b")
        a, b = self.int(depth - 1), self.int(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} // {b})", f"({a} % {b})",
            f"({a} & {b})", f"({a} | {b})", f"({a} ^ {b})", f"(-{a})", f"(~{a})", f"abs({a})",
            f"min({a}, {b})", f"max({a}, {b})", f"int({self.float(depth - 1)})",
            f"round({self.float(depth - 1)})", f"len({self.text(depth - 1)})",
            f"({a} if {self.truth(depth - 1)} else {b})", f"({a} or {b})", f"({a} and {b})",
            f"({a} + {self.truth(depth - 1)})", "(t.o if t.o is not None else 5)", "(t.o + 1)",
            f"({a} << {self.pick('1', '3', '(t.b % 9)')})",
            f"({a} >> {self.pick('1', '70', '(t.b % 9)')})",
            f"(t.a ** {self.pick('0', '2', '3')})", f"({a}).bit_length()", "pow(t.b, 2)",
            f"sign({self.text(depth - 1)})", f"len({self.text(depth - 1)}.split('b'))",
            f"math.floor({self.float(depth - 1)})")

    def float(self, depth: int) -> str:
        if depth == 0:
            return self.pick("t.x", "t.y", "0.1", "-2.5", "1e300", "0.0", *self.locals["float"],
                             *(["state.z"] if self.state else []))
        a, b, n = self.float(depth - 1), self.float(depth - 1), self.int(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / {b})", f"({a} // {b})",
            f"({a} % {b})", f"({n} / {self.int(depth - 1)})", f"({a} * {n})", f"({n} - {a})",
            f"(-{a})", f"abs({a})", f"max({a}, {b})", f"min({a}, {b})", f"float({n})",
            f"({a} if {self.truth(depth - 1)} else {b})", "(t.q or t.x)",
            f"math.{self.pick('exp', 'log', 'sin', 'cos', 'tanh', 'log1p', 'atan', 'sqrt')}({a})",
            f"round({a}, {self.pick('0', '2', '5', 't.b')})", f"({a} ** 2)", f"({a} ** {b})",
            f"math.log({n}, 2)", f"math.atan2({a}, {b})", f"math.pow({a}, 3)", f"halved({a})",
            f"math.copysign({a}, {b})")

    def truth(self, depth: int) -> str:
        if depth == 0:
            return self.pick("t.p", "True", "(t.o is None)", "(t.q is not None)", "(t.s == WORD)")
        symbol = self.pick("<", "<=", ">", ">=", "==", "!=")
        a, b = self.truth(depth - 1), self.truth(depth - 1)
        return self.pick(
            f"({self.int(depth - 1)} {symbol} {self.int(depth - 1)})",
            f"({self.float(depth - 1)} {symbol} {self.float(depth - 1)})",
            f"({self.int(depth - 1)} {symbol} {self.float(depth - 1)})",
            f"({a} and {b})", f"({a} or {b})", f"(not {a})",
            f"({self.text(depth - 1)} {symbol} 'b')",
            f"{self.text(depth - 1)}.startswith('a')", f"('b' in {self.text(depth - 1)})",
            "(t.s in ('a', '', 'é'))", f"({self.int(depth - 1)} in (1, 2, LIMIT))",
            f"(0 <= {self.int(depth - 1)} < 10)", "(t.o == 3)", f"bool({self.float(depth - 1)})",
            f"({self.text(depth - 1)} in WORDS)", f"({self.int(depth - 1)} in NUMBERS)",
            f"(re.search('b+', {self.text(depth - 1)}) is not None)", "(t.s not in TABLE)",
            f"({self.float(depth - 1)}).is_integer()", "any(c in 'bc' for c in t.s)")

    def text(self, depth: int) -> str:
        if depth == 0:
            return "t.s"
        inner = self.text(depth - 1)
        return self.pick(f"{inner}.lower()", f"{inner}.upper()", f"{inner}.strip()",
                         f"({inner} + 'x')", f"({inner})[:2]", f"{inner}.replace('a', 'bc')",
                         f"TABLE.get({inner}, 'other')", f"{inner}.split('b')[0]",
                         f"re.sub('[ab]', '-', {inner})", f"repr({inner})", f"({inner} * 2)",
                         f"'-'.join({inner})", f"{inner}.title()")

    def given_text(self) -> str:
        own = ["state.word"] if self.state else []
        return self.pick("t.s", self.text(2), "'const'", *own,
                         f"(t.s if {self.truth(1)} else 'other')")

    def out(self, depth: int = 2) -> str:
        return (f"Out({self.int(depth)}, {self.pick(self.float(depth), self.int(0))}, "
                f"{self.truth(depth)}, {self.given_text()}, "
                f"{self.pick('t.o', 'None', self.int(1), f't.o if {self.truth(1)} else 4')})")


def map_function(seed: int):
    return defined(f"{PRELUDE}def f(t):\n    return {Writer(seed).out(3)}\n", seed)


def generator_function(seed: int, state: bool):
    """A generator with variables, branches, loops and, if wanted, state."""
    w = Writer(seed, state)
    lines = ["n = " + w.int(2), "z = " + w.float(2)]
    w.locals = {"int": ["n"], "float": ["z"]}
    if state:
        lines += [f"state.n += {w.pick('1', w.int(1))}", f"state.z = {w.float(2)}",
                  f"if {w.truth(2)}:", f"    state.word = {w.given_text()}",
                  "    state.best = " + w.pick("t.o", "None", "n")]
    lines += [f"match t.{w.pick('s', 'a')}:", "    case 'a' | 3 | -1:", f"        n = {w.int(1)}",
              f"    case 'b' if {w.truth(1)}:", f"        z = {w.float(1)}",
              "    case _:", "        pass",
              "try:", f"    n = {w.int(2)}", "except ArithmeticError:", f"    n = {w.int(1)}",
              f"if {w.truth(2)} and {w.truth(1)} and t.a == 8:", "    raise ValueError(t.a)",
              "assert t.b > -2**62"]
    lines += [f"if {w.truth(2)}:", f"    n = {w.int(2)}", f"    yield {w.out()}",
              f"elif {w.truth(2)}:", "    return" if w.pick(True, False) else "    pass",
              f"for i in range({w.pick('2', 't.a % 4', '3, 0, -1')}):", f"    z = z + {w.float(1)}",
              f"    if {w.truth(1)}:", f"        {w.pick('break', 'continue', 'n = i')}",
              f"    yield {w.out(1)}"]
    head = "def f(state: Memory, t):" if state else "def f(t):"
    return defined(PRELUDE + head + "\n" + "".join(f"    {line}\n" for line in lines), seed)


def defined(text: str, seed: int):
    file = f"<random function {seed} {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = dict(SCOPE)
    exec(compile(text, file, "exec"), scope)
    return scope["f"]
