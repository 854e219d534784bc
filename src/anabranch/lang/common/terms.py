"""Checked expressions: names and functions are resolved, every part has a type.

The operators and functions that the languages have in common are tables, to which each adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from anabranch.core.source import Span
from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, OptionalOf, Type


@dataclass(frozen=True)
class Builtin:
    """A function or operator of a language: the types it takes and gives, and its Python text.

    A partial one may fail for some values. A strict one gives None when an argument is None;
    another has `for_none`, the text to use when an argument may be None.
    """

    name: str
    parameters: tuple[Type, ...]
    result: Type
    text: str
    partial: bool = False
    for_none: str | None = None


@dataclass(frozen=True)
class Term:
    """The root of checked expressions."""

    type: Type
    span: Span | None = field(compare=False, repr=False)

    @property
    def parts(self) -> tuple[Term, ...]:
        return ()

    def with_parts(self, parts: tuple[Term, ...]) -> Term:
        return self

    @property
    def optional(self) -> bool:
        return isinstance(self.type, OptionalOf)


@dataclass(frozen=True)
class Constant(Term):
    value: object


@dataclass(frozen=True)
class Variable(Term):
    """A value from outside; what a slot is, the language decides."""

    slot: object


@dataclass(frozen=True)
class Applied(Term):
    builtin: Builtin
    arguments: tuple[Term, ...]

    @property
    def parts(self):
        return self.arguments

    def with_parts(self, parts):
        return replace(self, arguments=parts)


@dataclass(frozen=True)
class Chosen(Term):
    """Conditions and values in turn, and last the value when none of the conditions holds."""

    arguments: tuple[Term, ...]

    @property
    def parts(self):
        return self.arguments

    def with_parts(self, parts):
        return replace(self, arguments=parts)


def walk(term: Term) -> Iterator[Term]:
    """The term and all its parts."""
    yield term
    for part in term.parts:
        yield from walk(part)


def rewritten(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The term with each outermost part for which `change` gives another put in its place."""
    changed = change(term)
    if changed is not None:
        return changed
    return term.with_parts(tuple(rewritten(part, change) for part in term.parts))


def is_partial(term: Term) -> bool:
    """Whether computing it may fail, as a division may."""
    return any(isinstance(part, Applied) and part.builtin.partial for part in walk(term))


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
