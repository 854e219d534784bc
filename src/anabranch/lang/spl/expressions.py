"""Expressions: each gets its type, and the Python text that computes it.

A literal without a suffix is of the type that its place wants; beyond that no value becomes one of
another type without a cast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import singledispatchmethod

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.lang.spl import syntax
from anabranch.lang.spl.library import FUNCTIONS, Signature, matches, meaning
from anabranch.lang.spl.syntax import Node
from anabranch.lang.spl.types import (
    BLOB,
    BOOLEAN,
    DECIMALS,
    FLOAT64,
    INT32,
    RSTRING,
    TIMESTAMP,
    USTRING,
    VOID,
    Collection,
    EnumOf,
    Primitive,
    SplType,
    TupleOf,
    field_name,
    is_decimal,
    is_float,
    is_integer,
    is_list,
    is_number,
    is_ordered,
    is_string,
    range_of,
    record_of,
    unbounded,
    wrapped,
)
from anabranch.lang.spl.values import SCOPE

BITS = {"b": 8, "h": 16, "w": 32, "l": 64, "q": 128, "": None}
UNKNOWN = object()
ARITHMETIC = ("+", "-", "*", "/", "%")
BITWISE = ("&", "|", "^", "<<", ">>")
ORDERS = ("<", "<=", ">", ">=")
NO_NAME = EnumOf(())


@dataclass(frozen=True)
class Code:
    """A checked expression: its type and its Python text. `shared` where it is a collection that
    something else has too, `constant` its value where that is known."""

    type: SplType
    text: str
    shared: bool = False
    constant: object = UNKNOWN


@dataclass(frozen=True)
class Binding:
    """What a name means in a place: a type and a Python text; `mutable` if it can be assigned."""

    type: SplType
    text: str
    mutable: bool = False
    constant: object = UNKNOWN


@dataclass(frozen=True)
class Substitute:
    """What stands for a parameter of a composite: an expression, in the scope of who gave it; or an
    attribute, which is looked up where it is used."""

    node: Node
    scope: Scope | None


@dataclass
class Scope:
    """The names of a place, and those around it; types stand apart."""

    names: dict[str, object] = field(default_factory=dict)
    types: dict[str, object] = field(default_factory=dict)
    outer: Scope | None = None

    def inside(self, names: Mapping[str, object] = {}) -> Scope:
        return Scope(dict(names), {}, self)

    def find(self, name: str) -> object | None:
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def known(self) -> list[str]:
        return [*self.names, *(self.outer.known() if self.outer else ())]


class Module:
    """What the text of one operator needs: record classes and constants by name, and the user's
    functions that it calls."""

    def __init__(self, functions: Functions):
        self.functions = functions
        self.scope: dict[str, object] = {}
        self.called: dict[str, Callable] = {}
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


class Functions:
    """The user's functions by name, each compiled when it is first called."""

    def __init__(self):
        self.declared: dict[str, tuple[syntax.Function, Scope]] = {}

    def find(self, name: str) -> tuple[syntax.Function, Scope] | None:
        return self.declared.get(name.rpartition("::")[2])


class Expressions:
    """Checks expressions in a scope; what their text needs goes into the module."""

    def __init__(self, module: Module, types: Callable[[Node], SplType], scope: Scope):
        self.module, self.types, self.scope = module, types, scope
        self.calls: dict[str, Callable[[syntax.Invoke, Expressions], Code]] = {}

    def within(self, scope: Scope) -> Expressions:
        """The same, where other names are known."""
        made = Expressions(self.module, self.types, scope)
        made.calls = self.calls
        return made

    # ------------------------------------------------------------------ what others ask

    def fit(self, node: Node, wanted: SplType, what: str = "this") -> str:
        """The text of a value of this type; anything else is an error."""
        return self.fitted(self.value(node, wanted), wanted, node, what)

    def fitted(self, code: Code, wanted: SplType, node: Node, what: str = "this") -> str:
        if unbounded(code.type) != unbounded(wanted):
            raise ProgramError(f"{what} is of another type", node.span, expected=str(wanted),
                               got=str(code.type), help=_cast_help(code.type, wanted))
        return _within_bound(code, wanted)

    def owned(self, node: Node, wanted: SplType, what: str = "this") -> str:
        """The text of a value that nothing else can change."""
        code = self.value(node, wanted)
        text = self.fitted(code, wanted, node, what)
        return self.copied(wanted, text) if code.shared else text

    def copied(self, kind: SplType, text: str, depth: int = 0) -> str:
        """The text of a value's own copy: collections can be changed where they lie."""
        v = f"v{depth}"
        if not _is_changeable(kind):
            return text
        if isinstance(kind, TupleOf):
            parts = {n: self.copied(t, f"{text}.{field_name(n)}", depth) for n, t in kind.fields}
            return self.made(kind, parts).text
        if kind.kind == "list":
            inner = self.copied(kind.item, v, depth + 1)
            return f"list({text})" if inner == v else f"[{inner} for {v} in {text}]"
        if kind.kind == "set":
            return f"set_of({text})"
        inner = self.copied(kind.parts[1], v, depth + 1)
        return f"dict({text})" if inner == v else (
            f"{{k{depth}: {inner} for k{depth}, {v} in {text}.items()}}")

    def condition(self, node: Node) -> str:
        return self.fit(node, BOOLEAN, "a condition")

    def constant(self, node: Node, wanted: SplType | None = None) -> object:
        """The value of an expression that is known before the program runs."""
        code = self.value(node, wanted)
        if code.constant is not UNKNOWN:
            return code.constant
        try:
            names = {**SCOPE, **self.module.scope}
            return eval(compile(code.text, "<constant>", "eval"), names)
        except NameError:
            raise ProgramError("this has to be known before the program runs", node.span,
                               help="write a literal, or a parameter that is one") from None

    def value(self, node: Node, wanted: SplType | None = None) -> Code:
        """The checked expression; `wanted` is what a literal without a suffix becomes."""
        return self.check(node, wanted)

    @singledispatchmethod
    def check(self, node: Node, wanted: SplType | None) -> Code:
        raise ProgramError("this is no value", node.span, expected="an expression")

    # ------------------------------------------------------------------ literals

    @check.register
    def _number(self, node: syntax.Number, wanted: SplType | None) -> Code:
        kind = _literal_type(node, wanted)
        if is_integer(kind):
            low, high = range_of(kind)
            if not low <= node.value <= high + (low < 0):
                raise ProgramError(f"{node.value} is beyond {kind}", node.span,
                                   expected=f"a number from {low} to {high}")
            return Code(kind, repr(node.value), constant=node.value)
        if is_decimal(kind):
            value = Decimal(str(node.value))
            return Code(kind, self.module.constant(value), constant=value)
        value = float(node.value)
        text = wrapped(repr(value), kind) if kind != FLOAT64 else repr(value)
        return Code(kind, text if value - value == 0 else self.module.constant(value),
                    constant=value)

    @check.register
    def _text(self, node: syntax.Text, wanted: SplType | None) -> Code:
        kind = {"r": RSTRING, "u": USTRING}.get(node.suffix) or (
            USTRING if wanted is not None and unbounded(wanted) == USTRING else RSTRING)
        return Code(kind, repr(node.value), constant=node.value)

    @check.register
    def _truth(self, node: syntax.Truth, wanted: SplType | None) -> Code:
        return Code(BOOLEAN, repr(node.value), constant=node.value)

    @check.register
    def _list(self, node: syntax.ListLiteral, wanted: SplType | None) -> Code:
        item = wanted.item if wanted is not None and is_list(wanted) else None
        if not node.items and item is None:
            raise ProgramError("nothing tells the type of this list", node.span,
                               help="cast it: (list<int32>) []")
        item = item or self.value(node.items[0]).type
        texts = [self.owned(i, item, "an item of the list") for i in node.items]
        return Code(Collection("list", (item,)), f"[{', '.join(texts)}]")

    @check.register
    def _set(self, node: syntax.SetLiteral, wanted: SplType | None) -> Code:
        collection = wanted if isinstance(wanted, Collection) else None
        if not node.items:
            if collection is None or collection.kind == "list":
                raise ProgramError("nothing tells the type of this set or map", node.span,
                                   help="cast it: (map<rstring, int32>) {}")
            return Code(collection, "{}" if collection.kind == "map" else "set_of(())")
        item = collection.item if collection else self.value(node.items[0]).type
        texts = [self.fit(i, item, "an item of the set") for i in node.items]
        return Code(Collection("set", (item,)), f"set_of(({', '.join(texts)},))")

    @check.register
    def _map(self, node: syntax.MapLiteral, wanted: SplType | None) -> Code:
        is_map = isinstance(wanted, Collection) and wanted.kind == "map"
        first = node.pairs[0]
        key, value = wanted.parts if is_map else (self.value(n).type for n in first)
        pairs = [f"{self.fit(k, key, 'a key')}: {self.owned(v, value, 'a value of the map')}"
                 for k, v in node.pairs]
        return Code(Collection("map", (key, value)), "{" + ", ".join(pairs) + "}")

    @check.register
    def _tuple(self, node: syntax.TupleLiteral, wanted: SplType | None) -> Code:
        wants = wanted.attributes if isinstance(wanted, TupleOf) else {}
        found: dict[str, Code] = {}
        for each in node.fields:
            if each.name.text in found:
                raise ProgramError(f"the attribute {each.name.text} is given twice", each.span)
            code = self.value(each.value, wants.get(each.name.text))
            text = self.fitted(code, wants.get(each.name.text, code.type), each.value,
                               f"the attribute {each.name.text}")
            kind = wants.get(each.name.text, code.type)
            found[each.name.text] = replace(code, text=self.copied(kind, text) if code.shared
                                            else text)
        if wants and set(wants) == set(found):
            # Attributes are found by their names, in whatever order they are written.
            return self.made(wanted, {n: c.text for n, c in found.items()})
        return self.made(TupleOf(tuple((n, c.type) for n, c in found.items())),
                         {n: c.text for n, c in found.items()})

    def made(self, kind: TupleOf, texts: Mapping[str, str]) -> Code:
        """A tuple of these attributes."""
        given = ", ".join(texts[name] for name, _ in kind.fields)
        return Code(kind, f"{self.module.record(kind)}({given})")

    # ------------------------------------------------------------------ names

    @check.register
    def _name(self, node: syntax.Name, wanted: SplType | None) -> Code:
        if isinstance(wanted, EnumOf) and node.text in wanted.names:
            return Code(wanted, repr(node.text), constant=node.text)
        found = self.scope.find(node.text)
        if isinstance(found, Substitute):
            there = self if found.scope is None else self.within(found.scope)
            return there.value(found.node, wanted)
        if not isinstance(found, Binding):
            raise ProgramError(f"nothing here is called {node.text}", node.span,
                               help=did_you_mean(node.text, sorted(set(self.scope.known()))))
        return Code(found.type, found.text, _is_changeable(found.type), found.constant)

    @check.register
    def _attribute(self, node: syntax.Attribute, wanted: SplType | None) -> Code:
        if isinstance(node.owner, syntax.Name) and (enum := self._enum(node)):
            return enum
        owner = self.value(node.owner)
        if not isinstance(owner.type, TupleOf):
            raise ProgramError("only tuples have attributes", node.owner.span, got=str(owner.type))
        kinds = owner.type.attributes
        if node.name.text not in kinds:
            raise ProgramError(f"there is no attribute {node.name.text}", node.name.span,
                               help=did_you_mean(node.name.text, kinds))
        kind = kinds[node.name.text]
        return Code(kind, f"{owner.text}.{field_name(node.name.text)}", _is_changeable(kind))

    def _enum(self, node: syntax.Attribute) -> Code | None:
        found = self.scope.find(f"{node.owner.text}.{node.name.text}")
        if isinstance(found, Binding):
            return Code(found.type, found.text, constant=found.constant)
        return None

    @check.register
    def _index(self, node: syntax.Index, wanted: SplType | None) -> Code:
        owner = self.value(node.owner)
        if isinstance(owner.type, Collection) and owner.type.kind == "map":
            key, value = owner.type.parts
            text = f"{owner.text}[{self.fit(node.index, key, 'the key')}]"
            return Code(value, text, _is_changeable(value))
        if not is_list(owner.type) and not is_string(owner.type) and owner.type != BLOB:
            raise ProgramError("only lists, maps and strings have items", node.owner.span,
                               got=str(owner.type))
        text = f"item({owner.text}, {self._integer(node.index)})"
        kind = owner.type.item if is_list(owner.type) else unbounded(owner.type)
        return Code(kind, text, _is_changeable(kind))

    def _integer(self, node: Node) -> str:
        code = self.value(node)
        if not is_integer(code.type):
            raise ProgramError("an index is an integer", node.span, got=str(code.type))
        return code.text

    @check.register
    def _slice(self, node: syntax.Slice, wanted: SplType | None) -> Code:
        owner = self.value(node.owner)
        if not is_list(owner.type) and not is_string(owner.type):
            raise ProgramError("only lists and strings have slices", node.owner.span,
                               got=str(owner.type))
        first = "0" if node.first is None else self._integer(node.first)
        behind = "None" if node.behind is None else self._integer(node.behind)
        return Code(unbounded(owner.type), f"sliced({owner.text}, {first}, {behind})",
                    is_list(owner.type) and _is_changeable(owner.type.item))

    # ------------------------------------------------------------------ operations

    @check.register
    def _ternary(self, node: syntax.Ternary, wanted: SplType | None) -> Code:
        condition = self.condition(node.condition)
        then = self.value(node.then, wanted)
        otherwise = self.value(node.otherwise, wanted or then.type)
        if unbounded(then.type) != unbounded(otherwise.type):
            then = self.value(node.then, otherwise.type)
        text = self.fitted(otherwise, unbounded(then.type), node.otherwise, "this alternative")
        return Code(unbounded(then.type), f"({then.text} if {condition} else {text})",
                    then.shared or otherwise.shared)

    @check.register
    def _unary(self, node: syntax.Unary, wanted: SplType | None) -> Code:
        if node.operator == "!":
            return Code(BOOLEAN, f"(not {self.fit(node.operand, BOOLEAN, 'what is negated')})")
        if node.operator == "-" and isinstance(node.operand, syntax.Number):
            return self._negative(node.operand, wanted)
        code = self.value(node.operand, wanted)
        good = is_integer(code.type) if node.operator == "~" else is_number(code.type)
        if not good:
            raise ProgramError(f"{node.operator} is for numbers", node.operand.span,
                               got=str(code.type))
        return Code(unbounded(code.type), wrapped(f"{node.operator}{code.text}", code.type))

    def _negative(self, node: syntax.Number, wanted: SplType | None) -> Code:
        code = self.value(node, wanted)
        if is_integer(code.type) and code.constant is not UNKNOWN:
            low, high = range_of(code.type)
            value = -code.constant if low else -code.constant % (high + 1)
            return Code(code.type, f"({value})", constant=value)
        if is_float(code.type):
            return Code(code.type, f"(-{code.text})", constant=-code.constant)
        return Code(code.type, f"(-{code.text})")

    @check.register
    def _binary(self, node: syntax.Binary, wanted: SplType | None) -> Code:
        if node.operator.startswith("."):
            return self._each(node)
        if node.operator in ("&&", "||"):
            word = "and" if node.operator == "&&" else "or"
            left, right = (self.fit(n, BOOLEAN, "a condition") for n in (node.left, node.right))
            return Code(BOOLEAN, f"({left} {word} {right})")
        if node.operator == "in":
            return self._member(node)
        hint = wanted if node.operator in ARITHMETIC + BITWISE else None
        left, right = self._pair(node, hint)
        return operation(node.operator, left, right, node)

    def _pair(self, node: syntax.Binary, wanted: SplType | None) -> tuple[Code, Code]:
        """Both sides; a literal takes the type of the other side."""
        if _is_plain(node.left) and not _is_plain(node.right):
            right = self.value(node.right, wanted)
            return self.value(node.left, right.type), right
        left = self.value(node.left, wanted)
        return left, self.value(node.right, None if node.operator in ("<<", ">>") else left.type)

    def _member(self, node: syntax.Binary) -> Code:
        right = self.value(node.right)
        if is_string(right.type):
            return Code(BOOLEAN, f"({self.fit(node.left, right.type)} in {right.text})")
        if not isinstance(right.type, Collection):
            raise ProgramError("in looks into a collection", node.right.span, got=str(right.type))
        left = self.fit(node.left, right.type.item, "what is looked for")
        return Code(BOOLEAN, f"({left} in {right.text})")

    def _each(self, node: syntax.Binary) -> Code:
        """An element-wise operation."""
        left, right = self._pair(node, None)
        if not (is_list(left.type) or is_list(right.type)):
            raise ProgramError(f"{node.operator} is for lists", node.span,
                               got=f"{left.type} and {right.type}")
        return self._item_by_item(node, left, right, 0)

    def _item_by_item(self, node: syntax.Binary, left: Code, right: Code, depth: int) -> Code:
        a, b = f"a{depth}", f"b{depth}"
        if is_list(left.type) and is_list(right.type):
            sides = Code(left.type.item, a), Code(right.type.item, b)
            over = f"for {a}, {b} in pairs({left.text}, {right.text})"
        elif is_list(left.type):
            sides, over = (Code(left.type.item, a), right), f"for {a} in {left.text}"
        elif is_list(right.type):
            sides, over = (left, Code(right.type.item, b)), f"for {b} in {right.text}"
        else:
            return operation(node.operator[1:], left, right, node)
        found = self._item_by_item(node, *sides, depth + 1)
        return Code(Collection("list", (found.type,)), f"[{found.text} {over}]")

    @check.register
    def _cast(self, node: syntax.Cast, wanted: SplType | None) -> Code:
        kind = self.types(node.type)
        empty = isinstance(node.value, (syntax.ListLiteral, syntax.SetLiteral)) and not (
            node.value.items)
        named = isinstance(node.value, syntax.Name) and isinstance(kind, EnumOf)
        hint = kind if empty or named or isinstance(node.value, syntax.TupleLiteral) else None
        return self.cast(self.value(node.value, hint), kind, node)

    def cast(self, code: Code, kind: SplType, node: Node) -> Code:
        given = code.type
        if unbounded(given) == unbounded(kind):
            return Code(kind, _within_bound(code, kind), code.shared)
        text = _cast_text(code, kind)
        if text is not None:
            return Code(kind, _within_bound(Code(unbounded(kind), text), kind))
        if isinstance(kind, TupleOf) and isinstance(given, TupleOf) and (
                len(kind.fields) == len(given.fields)):
            parts = {name: self.cast(Code(t, f"{code.text}.{field_name(old)}"), kind.attributes[
                name], node).text for (old, t), (name, _) in zip(given.fields, kind.fields)}
            return self.made(kind, parts)
        if isinstance(kind, Collection) and isinstance(given, Collection):
            if kind.kind == "list" and given.kind in ("list", "set"):
                one = self.cast(Code(given.item, "v"), kind.item, node)
                return Code(kind, f"[{one.text} for v in {code.text}]")
            if kind.kind == "set" and given.kind in ("list", "set"):
                one = self.cast(Code(given.item, "v"), kind.item, node)
                return Code(kind, f"set_of({one.text} for v in {code.text})")
        raise ProgramError("there is no such cast", node.span, expected=f"a value for {kind}",
                           got=str(given))

    # ------------------------------------------------------------------ calls

    @check.register
    def _call(self, node: syntax.Invoke, wanted: SplType | None) -> Code:
        name = node.function.text.rpartition("::")[2]
        given = self.scope.find(name)
        if isinstance(given, Substitute) and isinstance(given.node, syntax.Name):
            name = given.node.text
        if name in self.calls:
            return self.calls[name](node, self)
        if (declared := self.module.functions.find(name)) is not None:
            return self._users(node, *declared)
        if name not in FUNCTIONS:
            known = [*FUNCTIONS, *self.module.functions.declared, *self.calls]
            raise ProgramError(f"there is no function {name}", node.function.span,
                               help=did_you_mean(name, known))
        return self._library(node, name, wanted)

    def _library(self, node: syntax.Invoke, name: str, wanted: SplType | None) -> Code:
        for signature in FUNCTIONS[name]:
            found = self._matching(signature, node.arguments, wanted)
            if found is not None:
                return self._applied(signature, *found, node)
        given = ", ".join(str(self._type_of(a)) for a in node.arguments)
        shown = " or ".join(f"{name}{s}" for s in FUNCTIONS[name])
        raise ProgramError(f"{name} does not take these arguments", node.span, expected=shown,
                           got=f"{name}({given})")

    def _type_of(self, node: Node) -> SplType:
        empty = isinstance(node, (syntax.SetLiteral, syntax.ListLiteral)) and not node.items
        return NO_NAME if empty else self.value(node).type

    def _matching(self, signature: Signature, arguments: tuple[Node, ...],
                  wanted: SplType | None) -> tuple[dict, list[Code]] | None:
        if len(arguments) != len(signature.parameters):
            return None
        found: dict[str, SplType] = {}
        codes: list[Code | None] = [None] * len(arguments)
        # Literals take the types that the other arguments have settled.
        order = sorted(range(len(arguments)), key=lambda n: _is_plain(arguments[n]))
        for n in order:
            pattern = signature.parameters[n]
            hint = meaning(pattern, found)
            if hint is None and pattern == signature.result:
                hint = wanted
            if hint is None and self._type_of(arguments[n]) is NO_NAME:
                return None
            codes[n] = self.value(arguments[n], hint)
            if not matches(pattern, codes[n].type, found):
                return None
        return found, codes

    def _applied(self, signature: Signature, found: dict, codes: list[Code],
                 node: syntax.Invoke) -> Code:
        if signature.changes:
            self.check_mutable(node.arguments[0])
        self.module.impure |= signature.impure
        texts = [self.copied(c.type, c.text) if c.shared and signature.changes and n else c.text
                 for n, c in enumerate(codes)]
        if signature.text.startswith("[({0})"):
            texts[0] = self.copied(codes[0].type, codes[0].text)
        text, kind = signature.text.format(*texts), meaning(signature.result, found)
        shared = _is_changeable(kind) and signature.text.startswith(("list(", "sliced", "{0}"))
        return Code(kind, wrapped(text, kind) if signature.wraps else text, shared)

    def check_mutable(self, node: Node) -> None:
        """That something can be changed where it stands."""
        while isinstance(node, (syntax.Index, syntax.Attribute)):
            node = node.owner
        found = self.scope.find(node.text) if isinstance(node, syntax.Name) else None
        if not isinstance(found, Binding):
            raise ProgramError("this cannot be changed", node.span, expected="a variable")
        if not found.mutable:
            raise ProgramError(f"{node.text} is not mutable", node.span,
                               help="declare it with mutable")

    def _users(self, node: syntax.Invoke, function: syntax.Function, scope: Scope) -> Code:
        if len(node.arguments) != len(function.parameters):
            raise ProgramError(f"{function.name.text} takes {len(function.parameters)} arguments",
                               node.span, got=str(len(node.arguments)))
        texts = []
        for parameter, argument in zip(function.parameters, node.arguments, strict=True):
            kind = self.types(parameter.type)
            if parameter.mutable:
                self.check_mutable(argument)
            texts.append(self.fit(argument, kind, f"the argument {parameter.name.text}"))
        self.module.called.setdefault(function.name.text, None)
        kind = VOID if _is_void(function.result) else self.types(function.result)
        return Code(kind, f"f_{function.name.text}({', '.join(texts)})", _is_changeable(kind))


def _is_void(node: Node) -> bool:
    return isinstance(node, syntax.PlainType) and node.name == "void"


def _is_plain(node: Node) -> bool:
    """Whether it is a literal that becomes what its place wants."""
    if isinstance(node, syntax.Unary):
        return _is_plain(node.operand)
    if isinstance(node, syntax.Binary):
        return _is_plain(node.left) and _is_plain(node.right)
    return (isinstance(node, (syntax.Number, syntax.Text)) and not node.suffix) or (
        isinstance(node, (syntax.SetLiteral, syntax.ListLiteral)))


def _is_changeable(kind: SplType) -> bool:
    if isinstance(kind, TupleOf):
        return any(_is_changeable(t) for _, t in kind.fields)
    return isinstance(kind, Collection)


def _literal_type(node: syntax.Number, wanted: SplType | None) -> SplType:
    whole = isinstance(node.value, int)
    if not node.suffix:
        plain = None if wanted is None else unbounded(wanted)
        if plain is not None and is_number(plain) and (whole or not is_integer(plain)):
            return plain
        return INT32 if whole else FLOAT64
    letter, width = (node.suffix[0], node.suffix[1:]) if node.suffix[0] in "usfd" else (
        "s" if whole else "f", node.suffix)
    name = {"u": "uint", "s": "int", "f": "float", "d": "decimal"}[letter]
    bits = BITS[width] or (32 if letter in "us" else 64)
    kind = Primitive(f"{name}{bits}")
    if not is_number(kind):
        raise ProgramError(f"there is no type {kind}", node.span)
    return kind


def _cast_help(given: SplType, wanted: SplType) -> str | None:
    if (is_number(given) or is_string(given)) and (is_number(wanted) or is_string(wanted)):
        return f"cast it: ({unbounded(wanted)}) ..."
    return None


def text_of(code: Code, quoted: bool = False) -> str:
    """The Python text of a value as it is shown; texts stand in quotes where that is asked."""
    kind, text = code.type, code.text
    if is_string(kind):
        return f"quote({text})" if quoted else text
    if is_integer(kind) or isinstance(kind, EnumOf):
        return text if isinstance(kind, EnumOf) else f"str({text})"
    if is_float(kind):
        return f"float_text({text})"
    if kind == BOOLEAN:
        return f"('true' if {text} else 'false')"
    if isinstance(kind, TupleOf):
        parts = [f"{name}={{{text_of(Code(t, f'{text}.{field_name(name)}'), quoted)}}}"
                 for name, t in kind.fields]
        if not any(mark in part for part in parts for mark in ("'", '"', "\\")):
            return f"f'{{{{{','.join(parts)}}}}}'"
    return f"shown({text}, {quoted})"


def _within_bound(code: Code, wanted: SplType) -> str:
    bound = getattr(wanted, "bound", None)
    known = getattr(code.type, "bound", None)
    if bound is None or (known is not None and known <= bound):
        return code.text
    return f"bounded({code.text}, {bound})"


def _cast_text(code: Code, kind: SplType) -> str | None:
    """The text of a cast between plain values; None where there is none."""
    given, text = unbounded(code.type), code.text
    if is_string(kind):
        return text_of(code)
    if is_integer(kind) and (is_number(given) or is_string(given) or given == BOOLEAN):
        return _to_integer(text, given, kind)
    if is_float(kind) and (is_number(given) or is_string(given)):
        source = f"number_of({text}, 'float')" if is_string(given) else f"float({text})"
        return wrapped(source, kind) if kind != FLOAT64 else source
    if is_decimal(kind) and (is_number(given) or is_string(given)):
        return f"decimal_of({text}, {DECIMALS[kind.name]})"
    if kind == BOOLEAN and (is_number(given) or is_string(given)):
        return f"truth_of({text})" if is_string(given) else f"({text} != 0)"
    if kind == TIMESTAMP and is_number(given):
        return f"moved(Timestamp(0), float({text}))"
    if given == TIMESTAMP and is_float(kind):
        return f"elapsed({text}, Timestamp(0))"
    return None


def _to_integer(text: str, given: SplType, kind: SplType) -> str:
    if is_integer(given):
        (low, high), (least, most) = range_of(given), range_of(kind)
        return text if least <= low and high <= most else wrapped(text, kind)
    if given == BOOLEAN:
        return f"int({text})"
    source = f"number_of({text}, 'int')" if is_string(given) else (
        f"whole({text})" if is_float(given) else f"int({text})")
    return wrapped(source, kind)


def operation(operator: str, left: Code, right: Code, node: syntax.Binary) -> Code:
    """An infix operation of two values."""
    a, b = unbounded(left.type), unbounded(right.type)
    if operator in ("==", "!="):
        _same(a, b, operator, node)
        return Code(BOOLEAN, f"({left.text} {operator} {right.text})")
    if operator in ORDERS:
        _same(a, b, operator, node)
        if not is_ordered(a):
            raise ProgramError(f"{operator} is for what has an order", node.span, got=str(a))
        return Code(BOOLEAN, f"({left.text} {operator} {right.text})")
    if operator in BITWISE:
        return _bits(operator, left, right, node)
    if operator == "+" and is_string(a):
        _same(a, b, operator, node)
        return Code(a, f"({left.text} + {right.text})")
    if operator == "+" and isinstance(a, Collection) and a == b:
        text = f"({left.text} + {right.text})" if is_list(a) else (
            f"type({left.text})({{**{left.text}, **{right.text}}})")
        return Code(a, text, True)
    if not is_number(a) or (operator == "%" and not is_integer(a)):
        raise ProgramError(f"{operator} is for {'integers' if operator == '%' else 'numbers'}",
                           node.left.span, got=str(left.type))
    _same(a, b, operator, node)
    return Code(a, _arithmetic(operator, left, right, a))


def _same(a: SplType, b: SplType, operator: str, node: syntax.Binary) -> None:
    if a != b:
        raise ProgramError(f"the two sides of {operator} are of different types", node.span,
                           expected=f"{a} {operator} {a}", got=f"{a} {operator} {b}",
                           help=_cast_help(b, a))


def _bits(operator: str, left: Code, right: Code, node: syntax.Binary) -> Code:
    a, b = unbounded(left.type), unbounded(right.type)
    if a == b == BOOLEAN and operator in ("&", "|", "^"):
        return Code(a, f"({left.text} {operator} {right.text})")
    if not is_integer(a) or not is_integer(b):
        raise ProgramError(f"{operator} is for integers", node.span, got=f"{a} {operator} {b}")
    if operator not in ("<<", ">>"):
        _same(a, b, operator, node)
    text = f"{left.text} {operator} {right.text}"
    return Code(a, wrapped(f"({text})", a) if operator == "<<" else f"({text})")


def _arithmetic(operator: str, left: Code, right: Code, kind: SplType) -> str:
    a, b = left.text, right.text
    if operator == "/" and is_float(kind):
        nonzero = right.constant is not UNKNOWN and right.constant != 0
        text = f"({a} / {b})" if nonzero else f"ratio({a}, {b})"
        return text if kind == FLOAT64 else wrapped(text, kind)
    if operator == "/" and is_decimal(kind):
        return f"decimal_ratio({a}, {b}, {DECIMALS[kind.name]})"
    if operator in ("/", "%"):
        return _division(operator, a, right, kind)
    text = f"{a} {operator} {b}"
    return wrapped(text, kind) if kind != FLOAT64 else f"({text})"


def _division(operator: str, a: str, right: Code, kind: Primitive) -> str:
    nonzero = right.constant is not UNKNOWN and right.constant > 0
    if nonzero and kind.name.startswith("u"):
        return f"({a} {'//' if operator == '/' else '%'} {right.text})"
    text = f"{'quotient' if operator == '/' else 'remainder'}({a}, {right.text})"
    # The quotient of the smallest number and -1 is beyond the type.
    return text if operator == "%" or nonzero or kind.name.startswith("u") else wrapped(text, kind)
