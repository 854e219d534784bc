"""What names mean, block by block: variables, tables, and types with their syntax."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import singledispatchmethod
from itertools import count
from typing import TYPE_CHECKING

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.ir.types import Type
from anabranch.lang.common.syntax import Name, Node
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.protocol.declared import proto_of, unwritable, wires_of
from anabranch.lang.sawzall.tables import TableOf, check_kind
from anabranch.lang.sawzall.types import (
    VOID,
    ArrayOf,
    FunctionOf,
    MapOf,
    Named,
    TupleOf,
    plain,
    shown,
)

if TYPE_CHECKING:
    from anabranch.lang.sawzall.statements import Generator


@dataclass(frozen=True)
class Local:
    """A variable; `text` is its Python name, `depth` counts the functions around it, and `unsure`
    says that it may have no value; `literal` is that of a static one. A quantifier is `spent` where
    it has no value of its own. One that counts is an index `within` variables by these Python
    names, and `natural` if never negative; `items` has one of them, and the name of its item."""

    type: Type
    text: str
    depth: int = 0
    static: bool = False
    unsure: bool = False
    quantifies: bool = False
    spent: bool = False
    natural: bool = False
    within: frozenset[str] = frozenset()
    literal: object = None
    items: tuple[str, str] | None = None


@dataclass(frozen=True)
class TypeMeaning:
    type: Type


class Names:
    """A stack of blocks; names are found from the innermost on, and are as they are spelt."""

    def __init__(self, universe: dict[str, object]):
        self.blocks: list[dict[str, object]] = [universe]
        self.taken = 0

    def open(self, block: dict[str, object] | None = None) -> None:
        self.blocks.append({} if block is None else block)

    def close(self) -> dict[str, object]:
        return self.blocks.pop()

    def get(self, name: str) -> object | None:
        return next((b[name] for b in reversed(self.blocks) if name in b), None)

    def find(self, name: Name) -> object:
        found = self.get(str(name))
        if found is None:
            raise ProgramError(f"there is no name '{name}'", name.span,
                               help=close_to(str(name), sorted(set(self))))
        return found

    def declare(self, name: Name, meaning: object) -> None:
        if str(name) in self.blocks[-1]:
            raise ProgramError(f"'{name}' is declared twice in this block", name.span)
        self.blocks[-1][str(name)] = meaning

    def python_name(self, name: object) -> str:
        """A Python name that nothing else has."""
        self.taken += 1
        return f"{str(name).replace('.', '_')}_{self.taken}"

    def __iter__(self) -> Iterator[str]:
        return (name for block in self.blocks for name in block)


def close_to(name: str, known: Iterable[str]) -> str | None:
    """A suggestion for a misspelt name; there are too many names to list them all."""
    found = did_you_mean(name, known)
    return found if found and found.startswith("did") else None


_numbers = count(1)


class Types:
    """Finds what types denote; the generator writes what is declared inside of tuples."""

    def __init__(self, names: Names, generator: Generator):
        self.names, self.generator = names, generator
        self.naming: tuple[Node | None, Named | None] = None, None
        self.open: dict[int, dict[str, object]] = {}

    @singledispatchmethod
    def of(self, node: Node) -> Type:
        raise ProgramError("this is not a type", node.span)

    @of.register
    def _named(self, node: Name) -> Type:
        found = self.meaning(node.parts)
        if not isinstance(found, TypeMeaning):
            known = [n for n in self.names if isinstance(self.names.get(n), TypeMeaning)]
            raise ProgramError(f"there is no type '{node}'", node.span,
                               help=did_you_mean(str(node), known))
        return found.type

    def meaning(self, parts: tuple[str, ...]) -> object | None:
        """What a name stands for that may be qualified: by a package, or by the types around it."""
        for size in range(len(parts), 0, -1):
            found = self.names.get(".".join(parts[:size]))
            if size < len(parts) and not isinstance(found, TypeMeaning):
                continue
            for part in parts[size:]:
                found = self.members(found).get(part)
            if found is not None:
                return found
        return None

    def members(self, meaning: object) -> dict[str, object]:
        """What is declared inside of a type, which may be under way."""
        if not isinstance(meaning, TypeMeaning):
            return {}
        kind = plain(meaning.type)
        if isinstance(kind, Named):
            return self.open.get(kind.number, {})
        return kind.members if isinstance(kind, TupleOf) else {}

    @of.register
    def _array(self, node: syntax.ArrayKind) -> Type:
        return ArrayOf(self.value(node.item))

    @of.register
    def _map(self, node: syntax.MapKind) -> Type:
        return MapOf(self.value(node.key), self.value(node.value))

    @of.register
    def _tuple(self, node: syntax.TupleKind) -> Type:
        members: dict[str, object] = {}
        self.names.open(members)
        if node is self.naming[0]:
            self.open[self.naming[1].number] = members
        types = [m for m in node.members if isinstance(m, syntax.TypeDeclaration)]
        for member in types:
            self.generator.write(member)
        names = tuple(None if p.name is None else str(p.name) for p in node.parts)
        _check_different("field", node.parts)
        self._check_members(node, names)
        items = tuple(self.value(p.kind) for p in node.parts)
        wires = wires_of(node, items, self.generator.checker.check_as)
        kind = TupleOf(names, items, members, wires, node.message)
        if node is self.naming[0]:
            # Functions that belong to the type may look into its values.
            self.naming[1].definition.append(kind)
        for member in node.members:
            if member not in types:
                self.generator.write(member)
            members[str(member.name)] = members.pop(str(member.name))
        self.names.close()
        return kind

    def _check_members(self, node: syntax.TupleKind, fields: tuple[str | None, ...]) -> None:
        for member in node.members:
            if str(member.name) in fields:
                raise ProgramError(f"the field '{member.name}' is declared twice", member.span)
            if isinstance(member, syntax.Variable) and node is not self.naming[0]:
                raise ProgramError("only a type with a name has static values", member.span)

    @of.register
    def _proto(self, node: syntax.ProtoKind) -> Type:
        kind = self.value(node.kind)
        wrong = unwritable(kind)
        if wrong is not None:
            raise ProgramError("this cannot be a message", node.kind.span, got=shown(wrong),
                               expected="basic types, arrays and tuples")
        return proto_of(kind)

    @of.register
    def _function(self, node: syntax.FunctionKind) -> Type:
        for part in node.parameters:
            if part.name is None:
                raise ProgramError("a parameter needs a name", part.span)
        _check_different("parameter", node.parameters)
        result = VOID if node.result is None else self.value(node.result)
        return FunctionOf(tuple(self.of(p.kind) for p in node.parameters), result,
                          tuple(str(p.name) for p in node.parameters))

    @of.register
    def _table(self, node: syntax.TableKind) -> Type:
        check_kind(node)
        weight = None if node.weight is None else self.value(node.weight.kind)
        return TableOf(str(node.kind), tuple(self.value(p.kind) for p in node.indices),
                       self.value(node.value.kind), weight, node)

    def value(self, node: Node) -> Type:
        """A type that values can have, which is no table."""
        kind = self.of(node)
        if isinstance(plain(kind), TableOf):
            raise ProgramError("a table cannot stand here", node.span, got=shown(kind))
        return kind

    def declare(self, node: syntax.TypeDeclaration) -> None:
        """A name for a type, which may stand in its own definition."""
        around = self.naming[1]
        name = str(node.name) if around is None else f"{around.name}.{node.name}"
        named = Named(name, next(_numbers))
        self.names.declare(node.name, TypeMeaning(named))
        outer, self.naming = self.naming, (_tuple_in(node.kind), named)
        definition = self.of(node.kind)
        self.naming = outer
        if _consists_of(definition, named):
            raise ProgramError(f"the type '{node.name}' is defined by itself", node.span)
        named.definition[:] = [definition]


def _tuple_in(kind: Node) -> Node:
    """The kind that `proto` stands before."""
    while isinstance(kind, syntax.ProtoKind):
        kind = kind.kind
    return kind


def _consists_of(kind: Type, named: Named) -> bool:
    """Whether every value of a type has one of the named type in it, which would have no end."""
    kind = plain(kind)
    return kind is named or (isinstance(kind, TupleOf) and any(
        item is named or _consists_of(item, named) for item in kind.items))


def _check_different(what: str, parts: tuple[syntax.Part, ...]) -> None:
    seen = set()
    for part in parts:
        if part.name is not None and str(part.name) in seen:
            raise ProgramError(f"the {what} '{part.name}' is declared twice", part.span)
        seen.add(str(part.name))
