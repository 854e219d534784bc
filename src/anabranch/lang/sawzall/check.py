"""The expressions of Sawzall: names, chains, composites, indices, operators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anabranch.core.errors import ProgramError
from anabranch.ir.types import BOOL, BYTES, INT, STR, Type
from anabranch.lang.common import check as checking
from anabranch.lang.common.check import applied
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.common.terms import Constant, Term
from anabranch.lang.sawzall import emission, syntax
from anabranch.lang.sawzall import functions as special
from anabranch.lang.sawzall.conversion import Converter, as_array, built
from anabranch.lang.sawzall.functions import CONSTANTS, FUNCTIONS, OPERATORS, SAWS, check_pattern
from anabranch.lang.sawzall.names import Local, Names, TypeMeaning, close_to
from anabranch.lang.sawzall.syntax import walk
from anabranch.lang.sawzall.tables import Table, TableOf
from anabranch.lang.sawzall.types import (
    VOID,
    ArrayOf,
    Composed,
    ComposedMap,
    FunctionOf,
    MapOf,
    TupleOf,
    is_composite,
    is_message,
    is_ordered,
    plain,
    same,
    shown,
)

if TYPE_CHECKING:
    from anabranch.lang.sawzall.statements import Generator


class Indexing:
    """The part of the checker that knows what is indexed."""

    def check_length(self, node: syntax.Length) -> Term:
        if not self.indexed:
            raise ProgramError("'$' stands only in an index", node.span)
        return built(INT, node.span, "len({})", self.indexed[-1])

    def check_item(self, node: syntax.Item) -> Term:
        return self.item_of(node, as_array(self.value(node.value)))

    def item_of(self, node: syntax.Item, owner: Term) -> Term:
        kind = plain(owner.type)
        if isinstance(kind, MapOf):
            return self._entry(node, owner, kind)
        owner, length = self._once(owner, node.value, node.index)
        index = self.index(node.index, length)
        if isinstance(kind, ArrayOf) and self._is_within(node):
            array, counts = self.names.get(str(node.value)).text, self.names.get(str(node.index))
            if counts.items is not None and counts.items[0] == array:
                return built(kind.item, node.span, counts.items[1])
            return built(kind.item, node.span, f"{array}[{{}}]", index)
        if isinstance(kind, ArrayOf):
            return built(kind.item, node.span, self._item(node, index), owner, index, partial=True)
        text = "character({}, {})" if kind == STR else "item({}, {})"
        return built(INT, node.span, text, owner, index, partial=True)

    def _entry(self, node: syntax.Item, owner: Term, kind: MapOf) -> Term:
        key = self.key(node.index, kind.key)
        if self._is_within(node):
            return built(kind.value, node.span, f"{self.names.get(str(node.value)).text}[{{}}]",
                         key)
        return built(kind.value, node.span, "entry({}, {})", owner, key, partial=True)

    def _item(self, node: syntax.Item, index: Term) -> str:
        """How an item of an array is found: where it is simple to tell that it is there, no
        function need be called."""
        local = self.names.get(str(node.value)) if isinstance(node.value, Name) else None
        constant = isinstance(index, Constant) and index.value >= 0
        if not isinstance(local, Local) or not (constant or isinstance(node.index, Name)):
            return "item({}, {})"
        owner = local.text
        known, there = f"{owner} is not None and " * local.unsure, "0 <= " * (not constant)
        return f"({owner}[{{1}}] if {known}{there}{{1}} < len({owner}) else item({{0}}, {{1}}))"

    def _is_within(self, node: syntax.Item) -> bool:
        """Whether an index counts the items of a variable, or is one of its keys."""
        owner = self.names.get(str(node.value)) if isinstance(node.value, Name) else None
        counts = self.names.get(str(node.index)) if isinstance(node.index, Name) else None
        return isinstance(owner, Local) and isinstance(counts, Local) and \
            owner.text in counts.within

    def _once(self, owner: Term, value: Node, *indices: Node) -> tuple[Term, Term]:
        """What is indexed, and what `$` asks for its length: a name, so that it is computed once.
        """
        if isinstance(value, Name) or not any(
                isinstance(n, syntax.Length) for n in walk(indices)):
            return owner, owner
        name = self.names.python_name("indexed")
        named = built(owner.type, owner.span, f"({name} := {{}})", owner)
        return named, built(owner.type, owner.span, name)

    def index(self, node: Node, owner: Term) -> Term:
        """An index into a value; `$` in it is the value's length."""
        if plain(owner.type) not in (STR, BYTES) and not isinstance(plain(owner.type), ArrayOf):
            raise ProgramError("this cannot be indexed", owner.span, got=shown(owner.type))
        self.indexed.append(owner)
        term = self.check_as(node, INT)
        self.indexed.pop()
        return term

    def check_slice(self, node: syntax.Slice) -> Term:
        owner = as_array(self.value(node.value))
        owner, length = self._once(owner, node.value, node.start, node.end)
        ends = [self.index(end, length) for end in (node.start, node.end)]
        return built(owner.type, node.span, "sliced({}, {}, {})", owner, *ends)


COMPARISONS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
LARGEST = (1 << 63) - 1


class Checker(Indexing, checking.Checker):
    """Checks expressions; the generator writes the functions in them."""

    def __init__(self, names: Names, generator: Generator, converter: Converter):
        super().__init__(OPERATORS, FUNCTIONS, self._named)
        self.names, self.generator, self.converter = names, generator, converter
        self.indexed: list[Term] = []
        self.messages = generator.has_messages

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
        elif wanted in (STR, BYTES) and not (converts and self._are_mixed(node)):
            kinds = [INT] * len(node.items)
        else:
            return None
        items = [self.kept(item, kind, converts) for item, kind in zip(node.items, kinds)]
        text = f"[{', '.join(['{}'] * len(items))}]"
        if is_message(wanted):
            text = f"Message({text})"
        if wanted in (STR, BYTES):
            text = f"{'text_of_runes' if wanted == STR else 'bytes_of_ints'}({text})"
        return built(wanted, node.span, text, *items, partial=wanted == STR)

    def _are_mixed(self, node: syntax.Composite) -> bool:
        """Whether something is no integer: then it is no string of characters."""
        return any((not isinstance(item, Literal) and self.check(item).type != INT)
                   or (isinstance(item, Literal) and item.type != INT) for item in node.items)

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

    def is_true(self, node: Node) -> bool:
        """Whether a condition is `def(x)` of what is surely defined."""
        return isinstance(node, syntax.Invoke) and str(node.function) == "def" and \
            self.condition(node) == Constant(BOOL, None, True)

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
        if str(node) in INTRINSICS and self.names.get(str(node)) is None:
            raise ProgramError(f"the function '{node}' can only be called", node.span)
        found = self.names.find(node)
        if isinstance(found, Table):
            return built(VOID, node.span, "True")
        if not isinstance(found, Local):
            raise ProgramError(f"'{node}' is a type, and has no value", node.span)
        return self.read(found, node)

    def is_table(self, node: Node) -> bool:
        return isinstance(node, Name) and isinstance(self.names.get(str(node)), Table)

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
        whole = self.names.get(".".join(syntax.dotted(node)))
        if isinstance(node, Name) or isinstance(whole, TypeMeaning):
            return whole if isinstance(whole, TypeMeaning) else None
        owner = self.member(node.value) if isinstance(node, syntax.Field) else None
        if not isinstance(owner, TypeMeaning) or not isinstance(plain(owner.type), TupleOf):
            return None
        members = plain(owner.type).members
        if str(node.name) not in members:
            raise ProgramError(f"{shown(owner.type)} has no member '{node.name}'", node.name.span)
        return members[str(node.name)]

    def place(self, node: Node) -> Term:
        """The value of which a part is assigned to: the fields of messages on the way to it are
        there from then on."""
        if isinstance(node, syntax.Item):
            return self.item_of(node, as_array(self.place(node.value)))
        if not isinstance(node, syntax.Field) or self.member(node) is not None:
            return self.value(node)
        owner = self.place(node.value)
        position = self.position(node, owner.type)
        text = f"touched({{}}, {position})" if self.messages else f"{{}}[{position}]"
        return built(plain(owner.type).items[position], node.span, text, owner)

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

    check_mapkind = check_tuplekind = check_protokind = check_functionkind = check_arraykind
    check_tablekind = check_arraykind

    def check_invoke(self, node: syntax.Invoke) -> Term:
        return called(self, node)

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


PATTERNED = ("match", "matchstrs", "matchposns")
INTRINSICS = frozenset({*FUNCTIONS, *special.POLYMORPHIC, *SAWS})


def called(checker: Checker, node: syntax.Invoke) -> Term:
    """The term of a call, whatever is called."""
    function = node.function
    if isinstance(function, (Name, syntax.Field)):
        member = checker.member(function)
        if isinstance(member, TypeMeaning):
            return special.conversion(checker, node, member.type, node.arguments)
    if isinstance(function, Name) and checker.names.get(str(function)) is None:
        return _intrinsic(checker, node, str(function))
    return _own(checker, node)


def _intrinsic(checker: Checker, node: syntax.Invoke, name: str) -> Term:
    own = special.POLYMORPHIC.get(name) or SAWS.get(name)
    if own is not None:
        return own(checker, node)
    if name in special.REFUSED:
        raise ProgramError(f"the function '{name}' is not supported", node.function.span,
                           help=special.REFUSED[name])
    if name not in checker.functions:
        raise ProgramError(f"there is no function '{name}'", node.function.span,
                           help=close_to(name, [*INTRINSICS, *checker.names]))
    candidates = checker.functions[name]
    wanted = next((b.parameters for b in candidates if len(b.parameters) == len(node.arguments)),
                  None)
    terms = [_argument(checker, a, None if wanted is None else wanted[i])
             for i, a in enumerate(node.arguments)]
    if name in PATTERNED and node.arguments:
        check_pattern(node.arguments[0])
    return applied(candidates, tuple(terms), node.span, name, promotes=False)


def _argument(checker: Checker, node: Node, wanted: object) -> Term:
    if isinstance(node, (syntax.Composite, syntax.MapLiteral)) and wanted is not None:
        return checker.check_as(node, wanted)
    term = checker.value(node)
    return replace(term, type=plain(term.type))


def _passed(checker: Checker, node: Node, wanted: Type) -> Term:
    """The term of an argument; a table is passed on, other values are kept."""
    kind = plain(wanted)
    if not isinstance(kind, TableOf):
        return checker.kept(node, wanted)
    table = checker.names.find(node) if isinstance(node, Name) else None
    if not isinstance(table, Table) or not table.is_a(kind):
        raise ProgramError("this is not such a table", node.span, expected=shown(kind))
    return built(wanted, node.span, emission.passed(table).replace("{", "{{").replace("}", "}}"))


def _own(checker: Checker, node: syntax.Invoke) -> Term:
    function = checker.value(node.function)
    kind = plain(function.type)
    if not isinstance(kind, FunctionOf):
        raise ProgramError("this is not a function", node.function.span, got=shown(function.type))
    if len(node.arguments) != len(kind.parameters):
        raise ProgramError("the function takes another number of arguments", node.span,
                           expected=str(len(kind.parameters)), got=str(len(node.arguments)))
    terms = [_passed(checker, a, t) for a, t in zip(node.arguments, kind.parameters)]
    text = f"{{}}({', '.join(['run', *['{}'] * len(terms)])})"
    if kind.result == VOID:
        return built(VOID, node.span, text, function, *terms, partial=True)
    name = str(node.function) if isinstance(node.function, Name) else "function"
    # What is returned may be undefined; the name for it is new, so that calls can be nested.
    value = checker.names.python_name("returned")
    text = f"({value} if ({value} := {text}) is not None else no_result({name!r}))"
    return built(kind.result, node.span, text, function, *terms, partial=True)
