"""The operators and functions that the languages have in common, as tables to add to."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, Type
from anabranch.lang.common.terms import Builtin

ORDERED = (INT, FLOAT, STR, BOOL, TIMESTAMP)
NUMBERS = (INT, FLOAT)


def table(entries: Iterable[Builtin]) -> dict[str, tuple[Builtin, ...]]:
    """The overloads of each name, in order."""
    found: dict[str, tuple[Builtin, ...]] = {}
    for entry in entries:
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found


def _each(types: Iterable[Type], name: str, arity: int, text: str, result: Type | None = None,
          partial: bool = False) -> list[Builtin]:
    return [Builtin(name, (t,) * arity, result or t, text, partial) for t in types]


def _one(name: str, parameters: tuple[Type, ...], result: Type, text: str,
         partial: bool = False) -> Builtin:
    return Builtin(name, parameters, result, text, partial)


COMPARISONS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
ARITHMETIC = [entry for name in "+-*" for entry in _each(NUMBERS, name, 2, f"({{}} {name} {{}})")]
TIMES = [
    _one("+", (TIMESTAMP, FLOAT), TIMESTAMP, "later({}, {})", True),
    _one("-", (TIMESTAMP, FLOAT), TIMESTAMP, "later({}, -{})", True),
    _one("-", (TIMESTAMP, TIMESTAMP), FLOAT, "({} - {}).total_seconds()"),
]

OPERATORS = table([
    *(e for name, text in COMPARISONS.items()
      for e in _each(ORDERED, name, 2, f"({{}} {text} {{}})", BOOL)),
    *ARITHMETIC,
    _one("+", (STR, STR), STR, "({} + {})"),
    *TIMES,
    _one("/", (INT, INT), INT, "int_quotient({}, {})", True),
    _one("/", (FLOAT, FLOAT), FLOAT, "quotient({}, {})", True),
    _one("%", (INT, INT), INT, "int_remainder({}, {})", True),
    *_each(NUMBERS, "-", 1, "(-{})"),
    *_each(NUMBERS, "+", 1, "(+{})"),
    Builtin("and", (BOOL, BOOL), BOOL, "({} and {})", for_none="both({}, lambda: {})"),
    Builtin("or", (BOOL, BOOL), BOOL, "({} or {})", for_none="either({}, lambda: {})"),
    _one("or", (STR, STR), STR, "({} + {})"),
    _one("not", (BOOL,), BOOL, "(not {})"),
])

FUNCTIONS = table([
    *_each(NUMBERS, "abs", 1, "abs({})"),
    _one("floor", (INT,), INT, "{}"), _one("floor", (FLOAT,), INT, "floor({})", True),
    _one("ceil", (INT,), INT, "{}"), _one("ceil", (FLOAT,), INT, "ceil({})", True),
    _one("round", (INT,), INT, "{}"), _one("round", (FLOAT,), INT, "rounded({})", True),
    _one("sqrt", (FLOAT,), FLOAT, "root({})", True),
    _one("exp", (FLOAT,), FLOAT, "exponential({})", True),
    _one("ln", (FLOAT,), FLOAT, "logarithm({})", True),
    _one("power", (FLOAT, FLOAT), FLOAT, "power({}, {})", True),
    _one("mod", (INT, INT), INT, "int_remainder({}, {})", True),
    *_each(ORDERED, "least", 2, "min({}, {})"),
    *_each(ORDERED, "greatest", 2, "max({}, {})"),
    _one("length", (STR,), INT, "len({})"),
    _one("lower", (STR,), STR, "{}.lower()"),
    _one("upper", (STR,), STR, "{}.upper()"),
    _one("trim", (STR,), STR, "{}.strip()"),
    _one("concat", (STR, STR), STR, "({} + {})"),
    _one("substring", (STR, INT), STR, "substring({}, {})"),
    _one("substring", (STR, INT, INT), STR, "substring({}, {}, {})"),
    _one("position", (STR, STR), INT, "({1}.find({0}) + 1)"),
    _one("replace", (STR, STR, STR), STR, "{}.replace({}, {})"),
    _one("int", (INT,), INT, "{}"), _one("int", (FLOAT,), INT, "truncated({})", True),
    _one("int", (STR,), INT, "int_of({})", True),
    _one("float", (FLOAT,), FLOAT, "float({})", True),
    _one("float", (STR,), FLOAT, "float_of({})", True),
    _one("string", (STR,), STR, "{}"), _one("string", (INT,), STR, "str({})"),
    _one("string", (FLOAT,), STR, "repr(float({}))"),
    _one("string", (BOOL,), STR, "('true' if {} else 'false')"),
    _one("string", (TIMESTAMP,), STR, "{}.isoformat()"),
    *(_one(part, (TIMESTAMP,), INT, f"{{}}.{part}")
      for part in ("year", "month", "day", "hour", "minute", "second")),
])
