"""The function being translated: its names, its lines, what its stage is told."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType
from typing import NoReturn

from anabranch.analysis.constants import rebound
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax
from anabranch.kernels.native.translate.values import (
    CODED,
    OPAQUE,
    ZEROS,
    Rec,
    Shape,
    Unsupported,
    Value,
    common,
    constant,
    flag,
    leaves,
    received,
    unsupported,
)

Variable = tuple[CodeType, str]
"""A variable of a function, by its name."""


@dataclass(frozen=True)
class Helper:
    """A function of the user that operators call: its native name, its lines, what it returns."""

    name: str
    parameters: tuple[str, ...]
    lines: list
    kind: str


class Wider(Exception):
    """A variable turned out to hold more than the value that it was given first: the stage has to
    be written again, with that known from the beginning."""

    def __init__(self, variable: Variable, shape: Shape):
        super().__init__(variable)
        self.variable, self.shape = variable, shape


@dataclass
class Registry:
    """What the code of a stage needs at run time: columns, texts, and what is made of texts; and
    what is known of variables that hold more than their first value."""

    wider: Mapping[Variable, Shape] = field(default_factory=dict)
    columns: set[int] = field(default_factory=set)
    texts: dict[str, int] = field(default_factory=dict)
    tables: dict[tuple[str, str], int] = field(default_factory=dict)
    helpers: dict[tuple, Helper | None] = field(default_factory=dict)
    outer: dict[str, object] = field(default_factory=dict)
    aware: bool | None = None
    named: int = 0

    def text(self, text: str) -> Value:
        number = self.texts.setdefault(text, len(self.texts))
        return Value("str", f"({number})", constant=text)

    def outer_name(self, found: object) -> str:
        """The name in expressions over texts of a Python object from outside of the function."""
        known = next((name for name, held in self.outer.items() if held is found), None)
        name = known or f"outer{len(self.outer)}"
        self.outer[name] = found
        return name

    def note_time(self, aware: bool) -> None:
        """A time of the program's own: those that come with the items have to be of its kind."""
        if self.aware is not None and self.aware != aware:
            raise Unsupported("uses times with a zone and without one")
        self.aware = aware

    def name(self) -> str:
        """A name for a value within an expression."""
        self.named += 1
        return f"given{self.named}"

    def table(self, made: str, kind: str) -> int:
        return self.tables.setdefault((made, kind), len(self.tables))


class Body:
    """Translates one function; `write` collects its lines."""

    def __init__(self, syntax: FunctionSyntax, names: dict[str, Shape], registry: Registry):
        self.syntax, self.registry = syntax, registry
        self.names = dict(names)
        self.assigned = set(names)
        self.lines: list = []
        self.depth = 1

    def write(self, line: object) -> None:
        self.lines.append((self.depth, line))

    @contextmanager
    def indented(self):
        self.depth += 1
        yield
        self.depth -= 1

    def refuse(self, node: ast.AST, why: str) -> Unsupported:
        return unsupported(self.syntax, node, why)

    def name(self, node: ast.Name) -> Shape | object:
        """A variable, a constant, or the Python object that a name stands for."""
        if node.id in self.names:
            if node.id not in self.assigned:
                raise self.refuse(node, f"'{node.id}' may have no value")
            return self.names[node.id]
        return self.outer(node, node.id)

    def outer(self, node: ast.AST, name: str) -> Shape | object:
        found = self.syntax.resolve(name)
        if found is UNRESOLVED:
            raise self.refuse(node, f"'{name}' is not known")
        if name in rebound(self.syntax.file):
            raise self.refuse(node, f"'{name}' may change while the program runs")
        return self.known(found)

    def known(self, found: object) -> Shape | object:
        if type(found) is str and _is_whole(found):
            return self.registry.text(found)
        value = constant(found)
        if value is not None and value.kind == "time":
            self.registry.note_time(found.tzinfo is not None)
        return found if value is None else value

    def bind(self, node: ast.AST, name: str, given: Shape) -> None:
        """Assigns a variable: its scalars get names of their own, the same for every assignment."""
        prefix = f"v{len(name)}{name}"
        before = self.names.get(name)
        slot = before or self.registry.wider.get(self._variable(name)) or plain(given)
        if not _holds(slot, given):
            self._widen(node, name, slot, given)
        self.store(slot, prefix, given)
        self.names[name] = received(slot, prefix) if before is None else before
        self.assigned.add(name)

    def _variable(self, name: str) -> Variable:
        return self.syntax.code, name

    def _widen(self, node: ast.AST, name: str, slot: Shape, given: Shape) -> NoReturn:
        both, variable = common([slot, given]), self._variable(name)
        # A parameter is what it is given, whatever is known of it.
        if both is None or self.registry.wider.get(variable) == plain(both):
            raise self.refuse(node, f"'{name}' is given values of different types")
        raise Wider(variable, plain(both))

    def store(self, slot: Shape, prefix: str, given: Shape) -> None:
        wanted, values = leaves(slot, prefix), leaves(given, prefix)
        targets, codes = [], []
        for (name, place), (_, value) in zip(wanted, values):
            for target, code in zip(_targets(name, place), self.passed(place, value)):
                targets.append(target)
                codes.append(code)
        if targets:
            self.write(f"{', '.join(targets)} = {', '.join(codes)}")

    def passed(self, place: Value, value: Value) -> list[str]:
        """The codes to hand over for a value that is received as `place`."""
        if place.kind == "none" or place.unchanged is not None:
            return []
        missing = value.kind == "none"
        code = ZEROS[place.kind] if missing else self.code(value)
        if place.kind in CODED:
            return [code]
        return [code, value.none or "False"] if place.none else [code]

    def code(self, value: Value) -> str:
        """The code of a scalar; a text that is made of another is looked up by that one's code."""
        if value.column is not None:
            self.registry.columns.add(value.column)
        if value.made is None:
            return value.code
        return self.looked_up(value, value.made, "str")

    def looked_up(self, text: Value, made: str, kind: str) -> str:
        """The code of what Python computes, once for each distinct text, by the expression."""
        if text.column is not None:
            self.registry.columns.add(text.column)
        base = f"present({text.code}, {text.none})" if text.none else text.code
        number = self.registry.table(made, kind)
        return f"found(tab{number}, known{number}, {base})"


def _is_whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which Arrow could not hold."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def plain(given: Shape) -> Shape:
    """The shape of a variable that holds this value: columns and constants become plain values."""
    if isinstance(given, Rec):
        return Rec(given.cls, {n: plain(v) for n, v in given.fields.items()})
    if given.kind in OPAQUE:
        return given
    return Value(given.kind, "?", given.none and "?")


def _holds(place: Shape, given: Shape) -> bool:
    both = common([place, given])
    if both is None:
        return False
    # What was None when it was first assigned has no variable in which another value could be.
    places = {n: leaf for n, leaf in leaves(place, "") if leaf.kind != "none"}
    fits = all(n in places or leaf.kind == "none" for n, leaf in leaves(both, ""))
    return fits and all(places[n].none or not leaf.none for n, leaf in leaves(both, "")
                        if n in places)


def _targets(name: str, place: Value) -> list[str]:
    return [name, flag(name)] if place.flagged else [name]
