"""Expressions: each gets its type, and the Python text that computes it.

A literal without a suffix is of the type that its place wants; beyond that no value becomes one of
another type without a cast. What an expression changes, by `++` or a function with a mutable
parameter, becomes lines before the statement in which it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import singledispatchmethod

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.calls import Calls, is_plain
from anabranch.lang.spl.coding.library import FUNCTIONS
from anabranch.lang.spl.coding.lines import Lines
from anabranch.lang.spl.coding.operations import (
    ARITHMETIC,
    BITWISE,
    UNKNOWN,
    Code,
    cast_help,
    cast_text,
    is_changeable,
    operation,
    within_bound,
)
from anabranch.lang.spl.coding.runtime import SCOPE
from anabranch.lang.spl.coding.scopes import (
    Binding,
    Module,
    Scope,
    Substitute,
)
from anabranch.lang.spl.syntax import Node
from anabranch.lang.spl.types import (
    BLOB,
    BOOLEAN,
    COMPLEX,
    FLOAT64,
    INT32,
    NULL,
    RSTRING,
    USTRING,
    Collection,
    EnumOf,
    OptionalOf,
    Primitive,
    SplType,
    TupleOf,
    default_of,
    field_name,
    is_complex,
    is_decimal,
    is_float,
    is_integer,
    is_list,
    is_number,
    is_string,
    range_of,
    unbounded,
    wrapped,
)

BITS = {"b": 8, "h": 16, "w": 32, "l": 64, "q": 128, "": None}
Call = Callable[["syntax.Invoke", "Expressions", "SplType | None"], "Code"]


class Expressions(Calls):
    """Checks expressions in a scope; what their text needs goes into the module."""

    def __init__(self, module: Module, types: Callable[[Node], SplType], scope: Scope,
                 calls: dict[str, Call] | None = None, lines: Lines | None = None):
        self.module, self.types, self.scope = module, types, scope
        self.calls = {} if calls is None else calls
        self.lines = lines

    def within(self, scope: Scope) -> Expressions:
        """The same, where other names are known."""
        return Expressions(self.module, self.types, scope, self.calls, self.lines)

    # ------------------------------------------------------------------ what others ask

    def fit(self, node: Node, wanted: SplType, what: str = "this") -> str:
        """The text of a value of this type; anything else is an error."""
        return self.fitted(self.value(node, wanted), wanted, node, what)

    def fitted(self, code: Code, wanted: SplType, node: Node, what: str = "this") -> str:
        if isinstance(wanted, OptionalOf) and unbounded(code.type) in (
                NULL, unbounded(wanted.item)):
            return code.text
        if unbounded(code.type) != unbounded(wanted):
            raise ProgramError(f"{what} is of another type", node.span, expected=str(wanted),
                               got=str(code.type), help=_unwrap_help(code.type, wanted) or
                               cast_help(code.type, wanted))
        return within_bound(code, wanted)

    def owned(self, node: Node, wanted: SplType, what: str = "this") -> str:
        """The text of a value that nothing else can change."""
        code = self.value(node, wanted)
        text = self.fitted(code, wanted, node, what)
        return self.copied(wanted, text) if code.shared else text

    def copied(self, kind: SplType, text: str, depth: int = 0) -> str:
        """The text of a value's own copy: collections can be changed where they lie."""
        v = f"v{depth}"
        if not is_changeable(kind):
            return text
        if isinstance(kind, OptionalOf):
            return f"(None if {text} is None else {self.copied(kind.item, text, depth)})"
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
            names = {**SCOPE, **self.module.scope, **self.module.functions.run(self.module)}
            return eval(compile(code.text, "<constant>", "eval"), names)
        except NameError:
            raise ProgramError("this has to be known before the program runs", node.span,
                               help="write a literal, or a parameter that is one") from None

    def value(self, node: Node, wanted: SplType | None = None) -> Code:
        """The checked expression; `wanted` is what a literal without a suffix becomes."""
        if isinstance(wanted, OptionalOf) and not isinstance(node, (syntax.Null, syntax.Ternary)):
            wanted = wanted.item
        return self.check(node, wanted)

    def tried(self, node: Node, wanted: SplType | None = None) -> Code:
        """The checked expression where only its type counts: what it changes is not written."""
        before = None if self.lines is None else len(self.lines.lines)
        try:
            return self.value(node, wanted)
        finally:
            if before is not None:
                del self.lines.lines[before:]

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
    def _null(self, node: syntax.Null, wanted: SplType | None) -> Code:
        return Code(wanted if isinstance(wanted, OptionalOf) else NULL, "None")

    @check.register
    def _complex(self, node: syntax.ComplexValue, wanted: SplType | None) -> Code:
        kind = self.types(node.type)
        if not is_complex(kind):
            raise ProgramError("a value of two parts is complex", node.span,
                               expected="(complex64)(1.5, 2.0)", got=str(kind))
        part = Primitive(COMPLEX[kind.name])
        real, imaginary = (self.cast(self.value(n, part), part, n).text
                           for n in (node.real, node.imaginary))
        return Code(kind, f"complex({real}, {imaginary})")

    @check.register
    def _unwrapped(self, node: syntax.Unwrap, wanted: SplType | None) -> Code:
        code = self.value(node.owner)
        if not isinstance(code.type, OptionalOf):
            raise ProgramError("only an optional value is unwrapped", node.owner.span,
                               got=str(code.type))
        return Code(code.type.item, f"present({code.text})", code.shared)

    @check.register
    def _list(self, node: syntax.ListLiteral, wanted: SplType | None) -> Code:
        item = wanted.item if wanted is not None and is_list(wanted) else None
        if not node.items and item is None:
            raise ProgramError("nothing tells the type of this list", node.span,
                               help="cast it: (list<int32>) []")
        item = item or self.tried(node.items[0]).type
        texts = [self._before(self.owned(i, item, "an item of the list"), node.items[n:], i)
                 for n, i in enumerate(node.items, 1)]
        return Code(Collection("list", (item,)), f"[{', '.join(texts)}]")

    @check.register
    def _set(self, node: syntax.SetLiteral, wanted: SplType | None) -> Code:
        collection = wanted if isinstance(wanted, Collection) else None
        if not node.items and isinstance(wanted, TupleOf):
            return Code(wanted, self.default(wanted))
        if not node.items:
            if collection is None or collection.kind == "list":
                raise ProgramError("nothing tells the type of this set or map", node.span,
                                   help="cast it: (map<rstring, int32>) {}")
            return Code(collection, "{}" if collection.kind == "map" else "set_of(())")
        item = collection.item if collection else self.tried(node.items[0]).type
        texts = [self.fit(i, item, "an item of the set") for i in node.items]
        return Code(Collection("set", (item,)), f"set_of(({', '.join(texts)},))")

    @check.register
    def _map(self, node: syntax.MapLiteral, wanted: SplType | None) -> Code:
        is_map = isinstance(wanted, Collection) and wanted.kind == "map"
        first = node.pairs[0]
        key, value = wanted.parts if is_map else (self.tried(n).type for n in first)
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

    def default(self, kind: SplType) -> str:
        """The text of the value that a variable has which is given none."""
        if isinstance(kind, Collection):
            return {"list": "[]", "map": "{}", "set": "set_of(())"}[kind.kind]
        if isinstance(kind, TupleOf):
            given = ", ".join(self.default(t) for _, t in kind.fields)
            return f"{self.module.record(kind)}({given})"
        value = default_of(kind)
        return repr(value) if type(value) in (int, float, str, bool, bytes) else (
            self.module.constant(value))

    # ------------------------------------------------------------------ names

    @check.register
    def _name(self, node: syntax.Name, wanted: SplType | None) -> Code:
        if isinstance(wanted, EnumOf) and node.text in wanted.names:
            return Code(wanted, repr(node.text), constant=node.text)
        found = self.scope.find(node.text)
        if isinstance(found, Substitute):
            there = self if found.scope is None else self.within(found.scope.before(self.scope))
            return there.value(found.node, wanted)
        if not isinstance(found, Binding):
            raise ProgramError(f"nothing here is called {node.text}", node.span,
                               help=did_you_mean(node.text, self._plain_names()))
        return Code(found.type, found.text, is_changeable(found.type), found.constant)

    def _plain_names(self) -> list[str]:
        """The names that are known here and that one word is."""
        return sorted({name for name in self.scope.known() if name.lstrip("$").isidentifier()})

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
        return Code(kind, f"{owner.text}.{field_name(node.name.text)}", is_changeable(kind))

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
            return Code(value, text, is_changeable(value))
        if not is_list(owner.type) and not is_string(owner.type) and owner.type != BLOB:
            raise ProgramError("only lists, maps and strings have items", node.owner.span,
                               got=str(owner.type))
        text = f"item({owner.text}, {self._integer(node.index)})"
        kind = owner.type.item if is_list(owner.type) else unbounded(owner.type)
        return Code(kind, text, is_changeable(kind))

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
                    is_list(owner.type) and is_changeable(owner.type.item))

    # ------------------------------------------------------------------ operations

    @check.register
    def _ternary(self, node: syntax.Ternary, wanted: SplType | None) -> Code:
        condition = self.condition(node.condition)
        if self.changes(node.then) or self.changes(node.otherwise):
            return self._chosen(condition, node, wanted)
        then = self.value(node.then, wanted)
        otherwise = self.value(node.otherwise, wanted or then.type)
        kind = self._optional_of(wanted, then.type, otherwise.type)
        if kind is not None:
            texts = [self.fitted(c, kind, n, "this alternative") for c, n in (
                (then, node.then), (otherwise, node.otherwise))]
            return Code(kind, f"({texts[0]} if {condition} else {texts[1]})",
                        then.shared or otherwise.shared)
        if unbounded(then.type) != unbounded(otherwise.type):
            then = self.value(node.then, otherwise.type)
        text = self.fitted(otherwise, unbounded(then.type), node.otherwise, "this alternative")
        return Code(unbounded(then.type), f"({then.text} if {condition} else {text})",
                    then.shared or otherwise.shared)

    @staticmethod
    def _optional_of(*kinds: SplType | None) -> OptionalOf | None:
        """The optional type that alternatives have, if one of them is null or optional."""
        optional = next((k for k in kinds if isinstance(k, OptionalOf)), None)
        if optional is None and NULL in kinds:
            return next((OptionalOf(k) for k in kinds if k not in (None, NULL)), None)
        return optional

    def _chosen(self, condition: str, node: syntax.Ternary, wanted: SplType | None) -> Code:
        """An alternative that changes something is a statement."""
        lines = self._place(node)
        name = lines.name("chosen")
        with lines.inside(f"if {condition}:", node.span):
            then = self.value(node.then, wanted)
            lines.add(f"{name} = {then.text}")
        with lines.inside("else:"):
            text = self.fit(node.otherwise, wanted or then.type, "this alternative")
            lines.add(f"{name} = {text}")
        return Code(unbounded(then.type), name, is_changeable(then.type))

    @check.register
    def _unary(self, node: syntax.Unary, wanted: SplType | None) -> Code:
        if node.operator == "!":
            return Code(BOOLEAN, f"(not {self.fit(node.operand, BOOLEAN, 'what is negated')})")
        if node.operator == "-" and isinstance(node.operand, syntax.Number):
            return self._negative(node.operand, wanted)
        code = self.value(node.operand, wanted)
        good = is_integer(code.type) if node.operator == "~" else (
            is_number(code.type) or is_complex(code.type))
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
            if self.changes(node.right):
                return self._both(node)
            word = "and" if node.operator == "&&" else "or"
            left, right = (self.fit(n, BOOLEAN, "a condition") for n in (node.left, node.right))
            return Code(BOOLEAN, f"({left} {word} {right})")
        if node.operator == "in":
            return self._member(node)
        if node.operator == "?:":
            return self._present_or(node)
        hint = wanted if node.operator in ARITHMETIC + BITWISE else None
        left, right = self._pair(node, hint)
        return operation(node.operator, left, right, node)

    def _both(self, node: syntax.Binary) -> Code:
        """The right side is looked at only if the left one does not settle it."""
        lines = self._place(node)
        name, word = lines.name("both"), "" if node.operator == "&&" else "not "
        lines.add(f"{name} = {self.condition(node.left)}", node.span)
        with lines.inside(f"if {word}{name}:"):
            lines.add(f"{name} = {self.condition(node.right)}", node.span)
        return Code(BOOLEAN, name)

    def _present_or(self, node: syntax.Binary) -> Code:
        """What an optional value has, or another value."""
        left = self.value(node.left)
        if not isinstance(left.type, OptionalOf):
            raise ProgramError("?: stands behind an optional value", node.left.span,
                               got=str(left.type))
        right = self.value(node.right, left.type.item)
        kind = left.type if isinstance(right.type, OptionalOf) else left.type.item
        other = self.fitted(right, kind, node.right, "this alternative")
        return Code(kind, f"({left.text} if {left.text} is not None else {other})",
                    left.shared or right.shared)

    def _pair(self, node: syntax.Binary, wanted: SplType | None) -> tuple[Code, Code]:
        """Both sides; a literal takes the type of the other side."""
        if is_plain(node.left) and not is_plain(node.right):
            right = self.value(node.right, wanted)
            return self.value(node.left, right.type), right
        left = self.value(node.left, wanted)
        left = replace(left, text=self._before(left.text, (node.right,), node))
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
        if isinstance(kind, OptionalOf):
            inner = code if given == NULL or isinstance(given, OptionalOf) else self.cast(
                code, kind.item, node)
            return Code(kind, f"some({self.fitted(inner, kind, node)})", inner.shared)
        if isinstance(given, OptionalOf):
            given, code = given.item, Code(given.item, f"present({code.text})", code.shared)
        if unbounded(given) == unbounded(kind):
            return Code(kind, within_bound(code, kind), code.shared)
        text = cast_text(code, kind)
        if text is not None:
            return Code(kind, within_bound(Code(unbounded(kind), text), kind))
        if isinstance(kind, (TupleOf, Collection)) and is_string(given):
            return Code(kind, f"literal_value({code.text}, {self.module.constant(kind)})")
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

    # ------------------------------------------------------------------ changes and calls

    @check.register
    def _changed(self, node: syntax.Changed, wanted: SplType | None) -> Code:
        lines = self._place(node)
        self.check_mutable(node.target)
        target = self.settled(node.target)
        code = self.value(target)
        if not is_number(code.type):
            raise ProgramError(f"{node.operator * 2} is for numbers", node.span, got=str(code.type))
        name = lines.name("before" if node.after else "behind")
        if node.after:
            lines.add(f"{name} = {code.text}", node.span)
        one = syntax.Number(node.span, 1, "")
        self.store(target, self.value(syntax.Binary(node.span, node.operator, target, one)).text,
                   node.span)
        if not node.after:
            lines.add(f"{name} = {code.text}", node.span)
        return Code(code.type, name)

    @check.register
    def _call(self, node: syntax.Invoke, wanted: SplType | None) -> Code:
        name = node.function.text.rpartition("::")[2]
        given = self.scope.find(name)
        if isinstance(given, Substitute) and isinstance(given.node, syntax.Name):
            name = given.node.text
        if name in self.calls:
            return self.calls[name](node, self, wanted)
        if declared := self.module.functions.find(name):
            return self._users(node, name, declared)
        if name not in FUNCTIONS:
            known = [*FUNCTIONS, *self.module.functions.declared, *self.calls]
            raise ProgramError(f"there is no function {name}", node.function.span,
                               help=did_you_mean(name, known))
        return self._library(node, name, wanted)


def _unwrap_help(given: SplType, wanted: SplType) -> str | None:
    if isinstance(given, OptionalOf) and unbounded(given.item) == unbounded(wanted):
        return "write a ! behind it, or ?: and a value for null"
    return None


def _literal_type(node: syntax.Number, wanted: SplType | None) -> SplType:
    whole = isinstance(node.value, int)
    if not node.suffix:
        plain = None if wanted is None else unbounded(wanted)
        if plain is not None and is_number(plain) and (whole or not is_integer(plain)):
            return plain
        return INT32 if whole else FLOAT64
    letter = next((c for c in node.suffix if c in "usfd"), "s" if whole else "f")
    width = node.suffix.replace(letter, "", 1) if letter in node.suffix else node.suffix
    name = {"u": "uint", "s": "int", "f": "float", "d": "decimal"}[letter]
    if not width and wanted is not None and str(unbounded(wanted)).rstrip("0123456789") == name:
        return unbounded(wanted)
    bits = BITS[width] or (32 if letter in "us" else 64)
    kind = Primitive(f"{name}{bits}")
    if not is_number(kind):
        raise ProgramError(f"there is no type {kind}", node.span)
    return kind
