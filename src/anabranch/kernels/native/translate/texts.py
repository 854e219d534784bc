"""What is computed from one text: Python does it, once for each distinct text.

Native code sees a text as its code. Two texts are equal when their codes are; everything else is
looked up by the code in a table, which is filled by evaluating the user's expression. That may be
any expression of one text that only computes, so `re.match`, `split`, a look-up in a dict, or a
function of the user need no native form. An expression of constants alone is evaluated here and
now.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from dataclasses import replace
from types import FunctionType, ModuleType

from anabranch.analysis.constants import is_unchanging
from anabranch.analysis.effects.purity import effects_of
from anabranch.analysis.fact import EffectKind
from anabranch.analysis.scope import every_node
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax, syntax_of
from anabranch.analysis.typing.calls import METHODS
from anabranch.analysis.typing.inference import infer_result
from anabranch.ir.function import Function
from anabranch.ir.types import ANY, BOOL, INT, STR, Type
from anabranch.kernels.native.translate.arithmetic import ORDER
from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.values import (
    KINDS,
    TEXT,
    VARIABLE,
    Rec,
    Shape,
    Value,
    is_of_library,
)

RESULTS = {BOOL: "bool", INT: "int", STR: "str"}
SWAPPED = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<=", ast.Eq: "==", ast.NotEq: "!="}


def lookup(body: Body, text: Value, form: str, kind: str) -> Value:
    """A value made of a text; `form` is Python with {x} for the text."""
    made = form.format(x=f"({text.made})" if text.made else TEXT)
    if kind == "str":
        return made_of(text, made)
    return Value(kind, body.looked_up(text, made, kind))


def made_of(text: Value, made: str) -> Value:
    """A text that Python makes of another by the expression. What it makes of None is for rows: it
    may be a text, or an error."""
    there = text if text.none is None else replace(
        text, code=f"present({text.code}, {text.none})", none=None)
    return replace(there, made=made, constant=VARIABLE)


def method(body: Body, node: ast.Call, text: Value, name: str, arguments: list[Value]) -> Value:
    kind = RESULTS.get(METHODS[STR].get(name))
    if kind is None or not all(a.is_constant for a in arguments):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    given = ", ".join(repr(a.constant).replace("{", "{{").replace("}", "}}") for a in arguments)
    return lookup(body, text, f"{{x}}.{name}({given})", kind)


def binary(body: Body, node: ast.BinOp, left: Value, right: Value) -> Value:
    """Concatenation with a constant."""
    if isinstance(node.op, ast.Add) and left.kind == right.kind == "str":
        if right.is_constant:
            return lookup(body, left, f"{{x}} + {_quoted(right)}", "str")
        if left.is_constant:
            return lookup(body, right, f"{_quoted(left)} + {{x}}", "str")
    raise body.refuse(node, f"uses {ast.unparse(node)}")


def compare(body: Body, node: ast.Compare, op: ast.cmpop, left: Value, right: Value) -> str:
    equality = isinstance(op, (ast.Eq, ast.NotEq))
    if equality and left.kind == right.kind == "str" and not (left.made or right.made):
        return f"({body.code(left)} {ORDER[type(op)]} {body.code(right)})"
    optional = left.none or right.none
    if left.kind != right.kind or optional or type(op) not in ORDER:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    if right.is_constant:
        return lookup(body, left, f"{{x}} {ORDER[type(op)]} {_quoted(right)}", "bool").code
    if left.is_constant:
        return lookup(body, right, f"{{x}} {SWAPPED[type(op)]} {_quoted(left)}", "bool").code
    return f"({order_of(body.code(left), body.code(right))} {ORDER[type(op)]} 0)"


def order_of(left: str, right: str) -> str:
    """The code that compares two texts: below, at or above zero."""
    return f"text_order(starts, texts, {left}, {right})"


def one_of(body: Body, node: ast.Compare, text: Value, members: list[Value]) -> str:
    if text.none or not all(m.is_constant for m in members):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    listed = "".join(f"{_quoted(m)}, " for m in members)
    return lookup(body, text, f"{{x}} in ({listed})", "bool").code


def contains(body: Body, node: ast.Compare, text: Value, part: Value) -> str:
    if text.kind != "str" or part.kind != "str" or not part.is_constant:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return lookup(body, text, f"{_quoted(part)} in {{x}}", "bool").code


def subscript(body: Body, node: ast.Subscript, text: Value) -> Value:
    try:
        ast.literal_eval(_indices(node.slice))
    except ValueError:
        raise body.refuse(node, f"uses {ast.unparse(node)}") from None
    if text.kind != "str":
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return lookup(body, text, f"{{x}}[{ast.unparse(node.slice)}]", "str")


def _indices(node: ast.expr) -> ast.expr:
    """The bounds of a slice as a tuple, so that they can be tested for being constants."""
    if not isinstance(node, ast.Slice):
        return node
    parts = [p for p in (node.lower, node.upper, node.step) if p is not None]
    return ast.Tuple(parts, ast.Load())


def _quoted(value: Value) -> str:
    return repr(value.constant).replace("{", "{{").replace("}", "}}")


PARTS_OF_OTHERS = (ast.Slice, ast.Starred, ast.FormattedValue)
"""What is an expression to Python's parser, but is none by itself."""
PLAIN = {bool: "bool", int: "int", float: "float", str: "str"}


class _Refused(Exception):
    """The expression is not one of a single text."""


def of_one_text(body: Body, node: ast.expr) -> Shape | object | None:
    """The value of an expression over one text, or over none; None when there is no such value."""
    if isinstance(node, PARTS_OF_OTHERS):
        return None
    try:
        return _Expression(body, node).value()
    except _Refused:
        return None


class _Expression(ast.NodeTransformer):
    """Rewrites an expression so that it is about `_text` and objects from outside."""

    def __init__(self, body: Body, node: ast.expr):
        self.body, self.text, self.outside = body, None, {}
        self.inner = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)
                      and isinstance(n.ctx, ast.Store)} | {
                          n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        refused = (ast.NamedExpr, ast.Yield, ast.Await)
        loops = [n for n in ast.walk(node) if isinstance(n, ast.comprehension)]
        # One loop goes over a text; more than that is work for several processes.
        if len(loops) > 1 or any(isinstance(n, refused) for n in ast.walk(node)):
            raise _Refused
        self.node = self.visit(deepcopy(node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        found = _local(self.body, node)
        return self.generic_visit(node) if found is None else self._replaced(found)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.inner:
            return node
        if node.id in self.body.names:
            return self._replaced(_local(self.body, node))
        found = self.body.syntax.resolve(node.id)
        if found is UNRESOLVED:
            raise _Refused
        name = self.body.registry.outer_name(found)
        self.outside[name] = node.id
        return ast.Name(name, ast.Load())

    def _replaced(self, found: Shape) -> ast.expr:
        """A local value must be the text; one that is a constant may stand beside it."""
        if isinstance(found, Value) and found.is_constant:
            return ast.Constant(found.constant)
        if not isinstance(found, Value) or found.kind != "str" or self.text not in (None, found):
            raise _Refused
        self.text = found
        return ast.parse(found.made, mode="eval").body if found.made else ast.Name(TEXT, ast.Load())

    def value(self) -> Shape | object | None:
        source = ast.unparse(ast.fix_missing_locations(self.node))
        function = Function.from_source(f"lambda {TEXT}: {source}", dict(self.body.registry.outer))
        self._check_purity(function)
        if self.text is None:
            return self._evaluated(function)
        kind = KINDS.get(self._type(function))
        if kind is None:
            raise _Refused
        if kind == "str":
            return made_of(self.text, source)
        return Value(kind, self.body.looked_up(self.text, source, kind))

    def _check_purity(self, function: Function) -> None:
        for effect in effects_of(function, [STR]):
            if effect.kind is not EffectKind.READS_SHARED:
                raise _Refused
        for name in self.outside.values():
            found = self.body.syntax.resolve(name)
            if isinstance(found, FunctionType) and not _is_short(found):
                raise _Refused
            if not callable(found) and not isinstance(found, ModuleType) and (
                    not is_unchanging(self.body.syntax, name)):
                raise _Refused

    def _evaluated(self, function: Function) -> Shape | object:
        try:
            return self.body.known(function.call(""))
        except Exception:
            raise _Refused from None

    def _type(self, function: Function) -> Type:
        found = infer_result(function, [STR])
        return found if found != ANY else _member_type(self.node, self.body.registry.outer)


LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _is_short(called: FunctionType) -> bool:
    """Whether a function is soon done. One that works long for each text is better off in the rows
    tier, where several processes share the work: native code would wait for Python here."""
    if is_of_library(called):
        return True
    syntax = syntax_of(called)
    if not isinstance(syntax, FunctionSyntax):
        return False
    nodes = every_node(syntax.node)
    names = [n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    return not any(isinstance(n, LOOPS) for n in nodes) and not any(
        isinstance(syntax.resolve(name), FunctionType) for name in names)


def _local(body: Body, node: ast.expr) -> Shape | None:
    """The value of a variable, or of a field of one."""
    if isinstance(node, ast.Name):
        return body.names.get(node.id) if node.id in body.assigned else None
    owner = _local(body, node.value) if isinstance(node, ast.Attribute) else None
    return owner.fields.get(node.attr) if isinstance(owner, Rec) else None


def _member_type(node: ast.expr, outer: dict[str, object]) -> Type:
    """The type of what is looked up in a dict, list or tuple of constants."""
    match node:
        case ast.Subscript(value=ast.Name(id=name)):
            return _common(outer.get(name))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get"),
                      args=[_, ast.Constant(value=default)]):
            return _common(outer.get(name), default)
    return ANY


def _common(container: object, *more: object) -> Type:
    values = container.values() if isinstance(container, dict) else container
    if not isinstance(container, (dict, list, tuple)):
        return ANY
    types = {type(v) for v in (*values, *more)}
    kind = PLAIN.get(types.pop()) if len(types) == 1 else None
    return next((t for t, k in KINDS.items() if k == kind), ANY)
