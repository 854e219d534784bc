"""What names mean in a place, and the user's functions.

A function of which several are declared, or that is generic, is found by its arguments' types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from anabranch.core.once import once
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.operations import UNKNOWN
from anabranch.lang.spl.syntax import Node
from anabranch.lang.spl.types import (
    Collection,
    EnumOf,
    Primitive,
    SplType,
    TupleOf,
    is_decimal,
    is_float,
    is_integer,
    is_number,
    is_ordered,
    is_string,
    record_of,
    unbounded,
)

KINDS: dict[str, Callable[[SplType], bool]] = {
    "any": lambda kind: True, "numeric": is_number, "integral": is_integer,
    "signed": lambda kind: is_integer(kind) and not str(kind).startswith("u"),
    "unsigned": lambda kind: is_integer(kind) and str(kind).startswith("u"),
    "float": is_float, "floatingpoint": lambda kind: is_float(kind) or is_decimal(kind),
    "decimal": is_decimal, "string": is_string, "ordered": is_ordered,
    "enum": lambda kind: isinstance(kind, EnumOf), "tuple": lambda kind: isinstance(kind, TupleOf),
    "collection": lambda kind: isinstance(kind, Collection),
    "primitive": lambda kind: isinstance(kind, (Primitive, EnumOf)),
    "composite": lambda kind: isinstance(kind, (Collection, TupleOf)),
    **{name: lambda kind, name=name: isinstance(kind, Collection) and kind.kind == name
       for name in ("list", "set", "map")}}
"""The classes of types that a letter of a generic function may be of."""


PRINTS = {"print": "{}", "println": "{} + '\\n'", "printString": "{}",
          "printStringLn": "{} + '\\n'"}
"""What prints, and what becomes of the text that is given to it."""


@dataclass(frozen=True)
class Binding:
    """What a name means in a place: a type and a Python text; `mutable` if it can be assigned. An
    attribute of a tuple that can be assigned is a part of that one."""

    type: SplType
    text: str
    mutable: bool = False
    constant: object = UNKNOWN
    whole: Binding | None = None


@dataclass(frozen=True)
class Substitute:
    """What stands for a parameter of a composite: an expression, in the scope of who gave it; or an
    attribute, which is looked up where it is used."""

    node: Node
    scope: Scope | None


@dataclass
class Scope:
    """The names of a place, and those around it; types stand apart. What none of them is may be a
    name `behind` them."""

    names: dict[str, object] = field(default_factory=dict)
    types: dict[str, object] = field(default_factory=dict)
    outer: Scope | None = None
    behind: Scope | None = None

    def inside(self, names: Mapping[str, object] = {}) -> Scope:
        return Scope(dict(names), {}, self)

    def before(self, behind: Scope) -> Scope:
        """The same, where what is not known is looked up elsewhere: the expression that is a
        composite's parameter names the attributes of the tuples where it is used."""
        return Scope({}, {}, self, behind)

    def find(self, name: str) -> object | None:
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if scope.outer is None or scope.behind is not None:
                break
            scope = scope.outer
        if scope is None or scope.behind is None:
            return None
        found = None if scope.outer is None else scope.outer.find(name)
        return scope.behind.find(name) if found is None else found

    def known(self) -> list[str]:
        beyond = [each for each in (self.outer, self.behind) if each is not None]
        return [*self.names, *(name for each in beyond for name in each.known())]


class Module:
    """What the text of one operator needs: record classes and constants by name, and the user's
    functions that it calls."""

    def __init__(self, functions: Functions):
        self.functions = functions
        self.scope: dict[str, object] = {}
        self.called: dict[str, Called] = {}
        self.prints = False
        self.impure = False
        self._count = 0

    def record(self, kind: TupleOf) -> str:
        """The name of a record class."""
        cls = record_of(kind)
        known = next((n for n, value in self.scope.items() if value is cls), None)
        return known or self._named("Tuple", cls)

    def constant(self, value: object) -> str:
        return self._named("K", value)

    def _named(self, prefix: str, value: object) -> str:
        self._count += 1
        name = f"{prefix}{self._count}"
        self.scope[name] = value
        return name


@dataclass(frozen=True)
class Called:
    """A user's function as it is called: what its types mean, and those of its parameters whose
    new values it gives back beside its result, as they are no collections that change in place. One
    that `prints` puts its texts into a list that is given to it."""

    function: syntax.Function
    scope: Scope
    types: Callable[[Node], SplType]
    changed: tuple[int, ...] = ()
    prints: bool = False


class Functions:
    """The user's functions by name, each compiled when it is first called; `run` gives the Python
    functions that a module calls, for values that are known before the program runs."""

    def __init__(self, run: Callable[[Module], dict[str, object]]):
        self.declared: dict[str, list[tuple[syntax.Function, Scope]]] = {}
        self.run = run

    def find(self, name: str) -> list[tuple[syntax.Function, Scope]]:
        return self.declared.get(name.rpartition("::")[2], [])

    @once
    def changing(self) -> set[str]:
        """The names of those that may change a variable that is given to them, or print: their
        calls are lines of their own."""
        return self.printing | {name for name, each in self.declared.items() for f, _ in each
                                for p in f.parameters if p.mutable}

    @once
    def printing(self) -> set[str]:
        """The names of those that print, or call one that does."""
        calls = {name: {n.function.text.rpartition("::")[2] for f, _ in each
                        for n in syntax.walk(f) if isinstance(n, syntax.Invoke)}
                 for name, each in self.declared.items()}
        found: set[str] = set()
        while more := {name for name, called in calls.items()
                       if name not in found and not called.isdisjoint({*PRINTS, *found})}:
            found |= more
        return found

    def prints(self, node: Node) -> bool:
        """Whether what is written somewhere prints."""
        return any(n.function.text.rpartition("::")[2] in {*PRINTS, *self.printing}
                   for n in syntax.walk(node) if isinstance(n, syntax.Invoke))


def fits_pattern(pattern: Node, kind: SplType, letters: Mapping[str, str],
                 found: dict[str, SplType], types: Callable[[Node], SplType]) -> bool:
    """Whether a type is as a parameter says; what its letters stand for goes into `found`."""
    if isinstance(pattern, syntax.PlainType) and pattern.name in letters:
        return KINDS[letters[pattern.name]](kind) and (
            found.setdefault(pattern.name, unbounded(kind)) == unbounded(kind))
    if isinstance(pattern, syntax.CollectionType):
        return isinstance(kind, Collection) and kind.kind == pattern.kind and all(
            fits_pattern(p, part, letters, found, types)
            for p, part in zip(pattern.parts, kind.parts, strict=True))
    return unbounded(types(pattern)) == unbounded(kind)


def lettered(types: Callable[[Node], SplType], found: Mapping[str, SplType]
             ) -> Callable[[Node], SplType]:
    """What types mean where letters stand for some."""
    def resolve(node: Node) -> SplType:
        if isinstance(node, syntax.PlainType) and node.name in found:
            return found[node.name]
        if isinstance(node, syntax.CollectionType):
            return Collection(node.kind, tuple(map(resolve, node.parts)), node.bound)
        return types(node)
    return resolve if found else types
