"""The expressions of Sawzall: names, chains, composites, and operators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anabranch.errors import ProgramError
from anabranch.ir.types import BOOL, BYTES, INT, STR, Type
from anabranch.lang.common import checking
from anabranch.lang.common.checking import applied
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.common.terms import Constant, Term
from anabranch.lang.sawzall import calls, syntax
from anabranch.lang.sawzall.builtins import CONSTANTS, FUNCTIONS, OPERATORS
from anabranch.lang.sawzall.converting import Converter, as_array, built
from anabranch.lang.sawzall.indexing import Indexing
from anabranch.lang.sawzall.names import Local, Names, TypeMeaning
from anabranch.lang.sawzall.tables import Table
from anabranch.lang.sawzall.types import (
    VOID,
    ArrayOf,
    Composed,
    ComposedMap,
    FunctionOf,
    MapOf,
    TupleOf,
    is_composite,
    is_ordered,
    plain,
    same,
    shown,
)

if TYPE_CHECKING:
    from anabranch.lang.sawzall.statements import Generator

COMPARISONS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
LARGEST = (1 << 63) - 1


class Checker(Indexing, checking.Checker):
    """Checks expressions; the generator writes the functions in them."""

    def __init__(self, names: Names, generator: Generator, converter: Converter):
        super().__init__(OPERATORS, FUNCTIONS, self._named)
        self.names, self.generator, self.converter = names, generator, converter
        self.indexed: list[Term] = []

    def value(self, node: Node) -> Term:
        """The term of an expression that has a value."""
        term = self.check(node)
        if term.type == VOID:
            raise ProgramError("this has no value", node.span)
        return term

    def check_as(self, node: Node, wanted: Type, converts: bool = False) -> Term:
        """The term of an expression that must have the type; composites become what is wanted.

        Where a variable is declared, what is no such value is converted.
        """
        term = self._composed(node, plain(wanted), converts)
        if term is not None:
            return replace(term, type=wanted)
        term = self.value(node)
        if same(wanted, term.type):
            return replace(term, type=wanted)
        if converts:
            return self.converter.convert(term, wanted, (), node.span)
        raise ProgramError("this has the wrong type", node.span, expected=shown(wanted),
                           got=shown(term.type))

    def _composed(self, node: Node, wanted: Type, converts: bool) -> Term | None:
        """A composite as what is wanted; None when it must be converted, or is none."""
        if isinstance(node, syntax.MapLiteral) and isinstance(wanted, MapOf):
            return self._map(node, wanted, converts)
        if not isinstance(node, syntax.Composite):
            return None
        if isinstance(wanted, ArrayOf):
            kinds = [wanted.item] * len(node.items)
        elif isinstance(wanted, TupleOf) and len(wanted.items) == len(node.items):
            kinds = wanted.items
        elif wanted in (STR, BYTES):
            kinds = [INT] * len(node.items)
        else:
            return None
        items = [self.kept(item, kind, converts) for item, kind in zip(node.items, kinds)]
        text = f"[{', '.join(['{}'] * len(items))}]"
        if wanted in (STR, BYTES):
            text = f"{'text_of_runes' if wanted == STR else 'bytes_of_ints'}({text})"
        return built(wanted, node.span, text, *items, partial=wanted == STR)

    def _map(self, node: syntax.MapLiteral, wanted: MapOf, converts: bool) -> Term:
        terms, pieces = [], []
        for key, value in node.pairs:
            terms += [self.key(key, wanted.key, converts), self.kept(value, wanted.value, converts)]
            pieces.append("{}: {}")
        return built(wanted, node.span, f"{{{{{', '.join(pieces)}}}}}", *terms)

    def key(self, node: Node, kind: Type, converts: bool = False) -> Term:
        """The key of a map: what could change is frozen."""
        term = self.check_as(node, kind, converts)
        return built(kind, node.span, "frozen({})", term) if is_composite(kind) else term

    def kept(self, node: Node, kind: Type, converts: bool = False, changes: bool = False) -> Term:
        """A value to be kept, as a copy if it, or what it is kept in (`changes`), may be changed
        part by part."""
        return self.copy(node, self.check_as(node, kind, converts), changes)

    def copy(self, node: Node, term: Term, changes: bool) -> Term:
        if is_composite(term.type) and self.generator.changing.must_copy(node, changes):
            return built(term.type, term.span, "copied({})", term)
        return term

    def condition(self, node: Node) -> Term:
        return self.check_as(node, BOOL)

    def check_literal(self, node: Literal) -> Term:
        if node.type == INT and node.value > LARGEST:
            raise ProgramError("this number is too large", node.span, expected="64 bits")
        return Constant(node.type, node.span, node.value)

    def check_operation(self, node: Operation) -> Term:
        if node.operator == "-" and len(node.operands) == 1:
            [operand] = node.operands
            if isinstance(operand, Literal) and operand.type == INT \
                    and operand.value <= LARGEST + 1:
                return Constant(INT, node.span, -operand.value)
        terms = self._operands(node)
        if node.operator in COMPARISONS:
            return self._comparison(node, *terms)
        joined = [t for t in terms if isinstance(t.type, ArrayOf)]
        if node.operator == "+" and len(joined) == 2:
            return built(terms[0].type, node.span, "({} + {})", *terms)
        spelt = node.operator.removeprefix("strict ")
        return applied(self.operators[node.operator], tuple(terms), node.span, f"'{spelt}'",
                       promotes=False)

    def _operands(self, node: Operation) -> list[Term]:
        """The terms of both sides; a composite is what the other side is."""
        loose = (syntax.Composite, syntax.MapLiteral)
        terms = [None if isinstance(n, loose) else self.value(n) for n in node.operands]
        known = next((t for t in terms if t is not None), None)
        for i, operand in enumerate(node.operands):
            if terms[i] is None:
                terms[i] = self.value(operand) if known is None or len(terms) == 1 else \
                    self.check_as(operand, known.type)
        return [as_array(replace(t, type=plain(t.type))) for t in terms]

    def _comparison(self, node: Operation, left: Term, right: Term) -> Term:
        if not same(left.type, right.type):
            raise ProgramError("these cannot be compared", node.span, expected=shown(left.type),
                               got=shown(right.type))
        if node.operator not in ("=", "<>") and not is_ordered(left.type):
            raise ProgramError("these have no order", node.span, got=shown(left.type))
        return built(BOOL, node.span, f"({{}} {COMPARISONS[node.operator]} {{}})", left, right)

    def check_composite(self, node: syntax.Composite) -> Term:
        first = self.value(node.items[0]).type if node.items else None
        items = [self.check_as(item, first) if _is_empty(item) and _has_items(first)
                 else self.value(item) for item in node.items]
        kept = [self.copy(n, t, False) for n, t in zip(node.items, items)]
        return built(Composed(tuple(t.type for t in items)), node.span,
                     f"[{', '.join(['{}'] * len(items))}]", *kept)

    def check_mapliteral(self, node: syntax.MapLiteral) -> Term:
        if not node.pairs:
            return built(ComposedMap(), node.span, "dict()")
        key, value = node.pairs[0]
        return self._map(node, MapOf(self.value(key).type, self.value(value).type), False)

    def _named(self, node: Name) -> Term:
        if str(node) in calls.INTRINSICS and self.names.get(str(node)) is None:
            raise ProgramError(f"the function '{node}' can only be called", node.span)
        found = self.names.find(node)
        if isinstance(found, Table):
            return built(VOID, node.span, "True")
        if not isinstance(found, Local):
            raise ProgramError(f"'{node}' is a type, and has no value", node.span)
        return self.read(found, node)

    def read(self, local: Local, node: Name) -> Term:
        """The value of a variable, which may have none."""
        self.generator.check_reach(local, node)
        if local.spent:
            raise ProgramError(f"'{node}' stands for all values, and is none of them here",
                               node.span)
        if not local.unsure:
            return built(local.type, node.span, local.text)
        text = f"({local.text} if {local.text} is not None else undefined({str(node)!r}))"
        return built(local.type, node.span, text, partial=True)

    def check_field(self, node: syntax.Field) -> Term:
        member = self.member(node)
        if member is not None:
            return self._member_value(node, member)
        owner = self.value(node.value)
        kind = plain(owner.type)
        if isinstance(kind, TupleOf) and str(node.name) in kind.members:
            return self._member_value(node, kind.members[str(node.name)])
        position = self.position(node, owner.type)
        return built(kind.items[position], node.span, f"{{}}[{position}]", owner)

    def _member_value(self, node: syntax.Field, member: Local | TypeMeaning) -> Term:
        if not isinstance(member, Local):
            raise ProgramError(f"'{node.name}' is a type, and has no value", node.span)
        return self.read(member, node.name)

    def member(self, node: Node) -> Local | TypeMeaning | None:
        """What is declared inside of a tuple type: `T.name`."""
        if isinstance(node, Name):
            found = self.names.get(str(node))
            return found if isinstance(found, TypeMeaning) else None
        owner = self.member(node.value) if isinstance(node, syntax.Field) else None
        if not isinstance(owner, TypeMeaning) or not isinstance(plain(owner.type), TupleOf):
            return None
        members = plain(owner.type).members
        if str(node.name) not in members:
            raise ProgramError(f"{shown(owner.type)} has no member '{node.name}'", node.name.span)
        return members[str(node.name)]

    def position(self, node: syntax.Field, owner: Type) -> int:
        kind = plain(owner)
        if not isinstance(kind, TupleOf) or str(node.name) not in kind.names:
            raise ProgramError(f"there is no field '{node.name}'", node.name.span, got=shown(owner))
        return kind.names.index(str(node.name))

    def check_pattern(self, node: syntax.Pattern) -> Term:
        raise ProgramError(f"'{min(node.modes)}' stands only before a pattern of a saw", node.span)

    def check_rest(self, node: syntax.Rest) -> Term:
        raise ProgramError("'rest' stands only in a saw", node.span)

    def check_arraykind(self, node: Node) -> Term:
        raise ProgramError("this is a type, and has no value", node.span)

    check_mapkind = check_arraykind

    def check_invoke(self, node: syntax.Invoke) -> Term:
        return calls.called(self, node)

    def check_closure(self, node: syntax.Closure) -> Term:
        kind = self.generator.types.of(node.kind)
        if not isinstance(plain(kind), FunctionOf):
            raise ProgramError("this is not the type of a function", node.kind.span,
                               got=shown(kind))
        return built(kind, node.span, self.generator.function(node, plain(kind), "function"))

    def check_statementexpression(self, node: syntax.StatementExpression) -> Term:
        kind, text = self.generator.statement_expression(node)
        return built(kind, node.span, f"resulted({text})", partial=True)


def _is_empty(node: Node) -> bool:
    return isinstance(node, syntax.Composite) and not node.items


def _has_items(kind: Type) -> bool:
    return plain(kind) in (STR, BYTES) or isinstance(plain(kind), ArrayOf)


CONSTANT_LOCALS = {name: Local(kind, text, static=True)
                   for name, (kind, text) in CONSTANTS.items()}
