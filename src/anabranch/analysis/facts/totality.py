"""Totality: whether a function gives a result for every item, without an error.

A filter may change places with the operator before it only if neither can fail: otherwise a tuple
would be dropped that should have stopped the program, or another one would be blamed. The proof
begins with "may fail". What it accepts: attributes of records, records made of them, tests, and
arithmetic that is defined for all numbers.

>>> from anabranch.analysis.effects.values import one_of
>>> from anabranch.ir.function import Function
>>> def shown(text):
...     fact = _of(Function.from_source(text, {}), one_of(int))
...     return fact.value, fact.reason
>>> shown("lambda x: x * 2 + 1 > 7")
(True, 'it cannot fail')
>>> shown("lambda x: 7 // x")
(False, '`7 // x` may fail')
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from anabranch.analysis.effects.values import UNKNOWN, Plain, Shape, ShapeTree, one_of, union
from anabranch.analysis.fact import Fact
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax, Missing, syntax_of
from anabranch.ir.function import Function
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply, Filter, Map
from anabranch.ir.records import Record, RecordMeta, is_plain_record

WHOLE, NUMBERS = {int, bool}, {int, bool, float}
SCALARS = NUMBERS | {str, bytes, type(None)}
EXACT_FLOATS = 2 ** 53
"""Smaller whole numbers become floats without an error, and unchanged."""
TEXTS_OF_TEXTS = {"lower", "upper", "strip", "lstrip", "rstrip", "casefold", "title"}
TRUTHS_OF_TEXTS = {"startswith": 1, "endswith": 1, "isdigit": 0, "isalpha": 0, "isspace": 0}
"""Methods of texts, with the number of texts that they are given."""


def total(op: Operator, inputs: tuple[Shape, ...]) -> Fact[bool]:
    """Whether no item can make the operator's function fail, given what its items are."""
    if isinstance(op.kind, (Map, Filter)):
        return _of(op.kind.function, *inputs)
    if isinstance(op.kind, Apply) and not op.kind.stateful:
        return _of(op.kind.function, *inputs, yields=True)
    return Fact(False, "it is no plain function", op.span)


def _of(function: Function, *inputs: Shape, yields: bool = False) -> Fact[bool]:
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing) or syntax.bound or syntax.is_generator is not yields or (
            len(syntax.argument_names) != len(inputs)):
        return Fact(False, "it is no plain function", function.span)
    try:
        _Walk(syntax).block(syntax.body, dict(zip(syntax.parameters, inputs)))
    except MayFailError as error:
        [node] = error.args
        return Fact(False, f"`{ast.unparse(node)}` may fail", syntax.at(node))
    return Fact(True, "it cannot fail", syntax.span)


class MayFailError(Exception):
    """It is not proved that this node gives a result."""


class _Walk:
    """Goes through a function with the classes that values have; the first doubt ends it."""

    def __init__(self, syntax: FunctionSyntax):
        self.syntax = syntax

    def block(self, statements: Iterable[ast.stmt], known: dict[str, Shape]) -> None:
        for statement in statements:
            self.statement(statement, known)

    def statement(self, node: ast.stmt, known: dict[str, Shape]) -> None:
        match node:
            case ast.Pass() | ast.Return(value=None) | ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Yield(value=made)) | ast.Return(value=made):
                self.value(made or ast.Constant(None), known)
            case ast.Assign(targets=[ast.Name(id=name)], value=made) | ast.AnnAssign(
                    target=ast.Name(id=name), value=ast.expr() as made):
                known[name] = self.value(made, known)
            case ast.AugAssign(target=ast.Name() as name, op=op, value=right):
                left = ast.copy_location(ast.Name(name.id, ast.Load()), name)
                known[name.id] = self.value(
                    ast.copy_location(ast.BinOp(left, op, right), node), known)
            case ast.If(test=test, body=body, orelse=orelse):
                self.truth(test, known)
                one, other = dict(known), dict(known)
                self.block(body, one)
                self.block(orelse, other)
                # A name that only one of the branches gives may have no value behind them.
                both = {name: one[name] | other[name] for name in one.keys() & other.keys()}
                known.clear()
                known.update(both)
            case _:
                raise MayFailError(node)

    def value(self, node: ast.expr, known: dict[str, Shape]) -> Shape:
        match node:
            case ast.Constant(value=value) if type(value) in SCALARS:
                return one_of(type(value))
            case ast.Name(id=name):
                return known[name] if name in known else self.outside(node)
            case ast.Attribute(value=owner, attr=name):
                return union(_field(node, part, name) for part in self.value(owner, known))
            case ast.BoolOp(values=parts):
                return union([self.truth(part, known) for part in parts])
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                self.truth(inner, known)
                return one_of(bool)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
                return _number(node, self.classes(inner, known))
            case ast.BinOp(left=left, op=op, right=right):
                return _computed(node, op, self.classes(left, known), right,
                                 self.classes(right, known))
            case ast.Compare(left=left, ops=ops, comparators=others):
                self.compared(node, left, ops, others, known)
                return one_of(bool)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.truth(test, known)
                return self.value(body, known) | self.value(orelse, known)
            case ast.Tuple(elts=parts) if isinstance(node.ctx, ast.Load):
                for part in parts:
                    self.value(part, known)
                return UNKNOWN
            case ast.Call(func=called, args=given, keywords=named) if not any(
                    isinstance(a, ast.Starred) for a in given) and all(k.arg for k in named):
                return self.call(node, called, [self.value(a, known) for a in given],
                                 {k.arg: self.value(k.value, known) for k in named}, known)
        raise MayFailError(node)

    def outside(self, node: ast.Name) -> Shape:
        """A constant of the program. Whether somebody changes it is a question of effects."""
        found = self.syntax.resolve(node.id)
        if found is UNRESOLVED or type(found) not in SCALARS:
            raise MayFailError(node)
        return one_of(type(found))

    def classes(self, node: ast.expr, known: dict[str, Shape]) -> set[type]:
        """The built-in classes that a value may have."""
        found = self.value(node, known)
        if not all(isinstance(part, Plain) and part.cls in SCALARS for part in found):
            raise MayFailError(node)
        return {part.cls for part in found}

    def truth(self, node: ast.expr, known: dict[str, Shape]) -> Shape:
        return one_of(*self.classes(node, known))

    def compared(self, node: ast.Compare, left: ast.expr, ops: list[ast.cmpop],
                 others: list[ast.expr], known: dict[str, Shape]) -> None:
        for op, right in zip(ops, others):
            if isinstance(op, (ast.In, ast.NotIn)):
                self.classes(left, known)
                if not isinstance(right, (ast.Tuple, ast.List, ast.Set)):
                    raise MayFailError(node)
                for part in right.elts:
                    self.classes(part, known)
            else:
                both = self.classes(left, known) | self.classes(right, known)
                by_order = isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE))
                if by_order and not (both <= NUMBERS or both == {str}):
                    raise MayFailError(node)
            left = right

    def call(self, node: ast.Call, called: ast.expr, given: list[Shape], named: dict[str, Shape],
             known: dict[str, Shape]) -> Shape:
        match called:
            case ast.Name(id=name) if name not in known:
                return _called(node, self.syntax.resolve(name), given, named)
            case ast.Attribute(value=owner, attr="replace"):
                return union(_replaced(node, part, given, named)
                             for part in self.value(owner, known))
            case ast.Attribute(value=owner, attr=name) if not named:
                return _method(node, self.classes(owner, known), name, given)
        raise MayFailError(node)


def _field(node: ast.Attribute, part: object, name: str) -> Shape:
    """A field of a record, which no class of the user's computes."""
    if not _is_plain_record(part) or name not in dict(part.parts):
        raise MayFailError(node)
    return dict(part.parts)[name]


def _is_plain_record(part: object) -> bool:
    """Whether making one and reading its fields run no code of the user's."""
    return isinstance(part, ShapeTree) and is_plain_record(part.cls)


def _called(node: ast.Call, call: object, given: list[Shape], named: dict[str, Shape]) -> Shape:
    """A record that is made, or a function of Python's that takes all values of its arguments."""
    if type(call) is RecordMeta and issubclass(call, Record):
        return _made(node, call, given, named)
    classes = {part.cls for shape in given for part in shape if isinstance(part, Plain)}
    plain = all(isinstance(part, Plain) for shape in given for part in shape) and not named
    if plain and call is len and len(given) == 1 and classes <= {str, bytes}:
        return one_of(int)
    if plain and call is abs and len(given) == 1:
        return _number(node, classes)
    if plain and (call is min or call is max) and len(given) > 1 and classes <= NUMBERS:
        return union(given)
    if plain and call is bool and len(given) == 1 and classes <= SCALARS:
        return one_of(bool)
    raise MayFailError(node)


def _made(node: ast.Call, cls: type, given: list[Shape], named: dict[str, Shape]) -> Shape:
    fields = cls.__record_fields__
    values = dict(zip(fields, given))
    complete = values.keys() | named.keys() | {n for n, d in fields.items() if d is not ...}
    made = ShapeTree(cls, tuple(sorted((dict.fromkeys(fields, UNKNOWN) | values | named).items())))
    if len(given) > len(fields) or values.keys() & named.keys() or complete != fields.keys() or (
            not _is_plain_record(made)):
        raise MayFailError(node)
    return frozenset((made,))


def _replaced(node: ast.Call, part: object, given: list[Shape], named: dict[str, Shape]) -> Shape:
    if given or not _is_plain_record(part) or not named.keys() <= dict(part.parts).keys():
        raise MayFailError(node)
    return frozenset((ShapeTree(part.cls, tuple(sorted((dict(part.parts) | named).items()))),))


def _method(node: ast.Call, owner: set[type], name: str, given: list[Shape]) -> Shape:
    if owner == {str} and all(shape == one_of(str) for shape in given):
        if not given and name in TEXTS_OF_TEXTS:
            return one_of(str)
        if TRUTHS_OF_TEXTS.get(name) == len(given):
            return one_of(bool)
    raise MayFailError(node)


def _number(node: ast.expr, classes: set[type]) -> Shape:
    if not classes <= NUMBERS:
        raise MayFailError(node)
    return one_of(*({float} & classes), *((int,) if classes & WHOLE else ()))


def _computed(node: ast.BinOp, op: ast.operator, left: set[type], divisor: ast.expr,
              right: set[type]) -> Shape:
    """The class of a result that is there for all values of these classes. A whole number may be
    too large for a float, so that the two meet only where the whole one is written down."""
    both = left | right
    if isinstance(op, ast.Add) and both == {str}:
        return one_of(str)
    divides = isinstance(op, (ast.FloorDiv, ast.Mod)) or (
        isinstance(op, ast.Div) and left == {float})
    fits = both <= WHOLE or both == {float} or (
        left == {float} and _written(divisor) is not None) or (
        right == {float} and _written(node.left) is not None)
    if fits and (isinstance(op, (ast.Add, ast.Sub, ast.Mult)) or (divides and _written(divisor))):
        return one_of(float if float in both else int)
    raise MayFailError(node)


def _written(node: ast.expr) -> float | None:
    """A number that stands in the text, and is the same as a float."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as inner):
            return _written(inner)
        case ast.Constant(value=found) if type(found) in NUMBERS and abs(found) < EXACT_FLOATS:
            return found
    return None
