"""Walks a function and follows what its values may be parts of.

Every variable has one `Value` all through the function: all that it may ever be a part of. The walk
is repeated until these hold.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from anabranch.analysis import shared
from anabranch.analysis.callables import named_value
from anabranch.analysis.context import Context
from anabranch.analysis.effect_expressions import EXPRESSIONS
from anabranch.analysis.effect_runs import run
from anabranch.analysis.effect_statements import STATEMENTS
from anabranch.analysis.facts import ITEMS
from anabranch.analysis.known import VERBS
from anabranch.analysis.objects import special_methods
from anabranch.analysis.roots import NEW, UNKNOWN, Root, Value, is_immutable, union
from anabranch.analysis.scope import bindings
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax
from anabranch.analysis.typed import element
from anabranch.analysis.unordered import note_sets
from anabranch.ir.types import ANY, RecordOf, Type, without_none


class Walk:
    """One function: `variables` start as its arguments, `types` are those of its expressions."""

    def __init__(self, syntax: FunctionSyntax, arguments: dict[str, Value],
                 types: dict[ast.AST, Type], context: Context):
        self.syntax, self.types, self.context = syntax, types, context
        self.variables = dict(arguments)
        self.imported: dict[str, object] = {}
        self.inner_functions: set[str] = set()
        self.bindings = bindings(syntax.node)
        self.outer = shared.outer_names(syntax)
        self.returned = NEW
        self.emitted: list[tuple[ast.AST, Value]] = []

    def run(self) -> Walk:
        before = None
        while before != self.variables:
            before = dict(self.variables)
            self.returned, self.emitted = NEW, []
            self.block(self.syntax.body)
        note_sets(self)
        return self

    def value(self, node: ast.expr) -> Value:
        """What an expression may be a part of; its effects are noted on the way."""
        if type(node) not in EXPRESSIONS:
            self.context.unresolved(type(node).__name__, "does what analysis cannot follow",
                                    self.syntax.at(node))
            return UNKNOWN
        found = EXPRESSIONS[type(node)](self, node)
        if isinstance(kind := without_none(self.type(node)), RecordOf):
            self.special(kind.cls, node, found)
        return NEW if is_immutable(self.types.get(node)) else found

    def special(self, cls: type, node: ast.expr, value: Value, methods=special_methods) -> None:
        """What operators and built-in functions may run when they are given such an object."""
        if (cls, methods) not in self.context.met:
            self.context.met.add((cls, methods))
            for method in methods(cls):
                run(self, method, node, [value])

    def items(self, node: ast.expr) -> Value:
        """What the items of an expression may be parts of, when it is iterated."""
        part = self.value(node).part()
        return NEW if is_immutable(element(self.type(node))) else part

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            STATEMENTS.get(type(statement), Walk.inside)(self, statement)

    def inside(self, node: ast.AST) -> None:
        """The expressions and statements in a node that is nothing special."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self.block([child])
            elif isinstance(child, ast.expr):
                self.value(child)
            else:
                self.inside(child)

    def type(self, node: ast.AST) -> Type:
        return self.types.get(node, ANY)

    def static(self, node: ast.expr) -> object:
        """The object outside of the function that an expression names, or `UNRESOLVED`."""
        return named_value(self._resolve, node)

    def _resolve(self, name: str) -> object:
        if name in self.imported:
            return self.imported[name]
        if name in self.syntax.bound and self.bindings[name] == 1:
            return self.syntax.bound[name]
        return UNRESOLVED if self.syntax.is_local(name) else self.syntax.resolve(name)

    def bind(self, name: str, value: Value) -> None:
        self.variables[name] = self.variables.get(name, NEW) | value

    def emit(self, node: ast.AST, value: Value) -> None:
        self.emitted.append((node, value))

    def inner(self, node: ast.Lambda | ast.FunctionDef, given: Value) -> None:
        """An inner function: as if it were called with `given` for every parameter."""
        defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        given = given | union([self.value(d) for d in defaults])
        with self._scope([a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)], given):
            if isinstance(node, ast.Lambda):
                self.value(node.body)
            else:
                self.block(node.body)

    @contextmanager
    def _scope(self, names: Iterable[str], value: Value) -> Iterator[None]:
        """Parameters of an inner function hide variables of the same name."""
        hidden = {n: self.variables.pop(n, None) for n in names}
        self.variables |= dict.fromkeys(hidden, value)
        outer = self.returned, self.emitted
        self.emitted = []
        yield
        self.returned, self.emitted = outer
        for name, before in hidden.items():
            self.variables.pop(name, None)
            if before is not None:
                self.variables[name] = before

    def store(self, target: ast.expr, value: Value, source: ast.expr | None = None) -> None:
        """Assigns a value to a target; `source` is the expression that it comes from."""
        match target:
            case ast.Name(id=name) if name in self.outer:
                shared.assigned(self, target, name)
            case ast.Name(id=name):
                self.bind(name, value)
            case ast.Attribute(value=owner, attr=attribute):
                if any(r.kind == "shared" for r in self.value(owner).itself):
                    shared.assigned(self, target, ast.unparse(target))
                self._store_into(owner, target, value, source, attribute)
            case ast.Subscript(value=owner, slice=index):
                self.value(index)
                self._store_into(owner, target, value, source)
            case ast.Starred(value=inner):
                self.store(inner, Value.holding([value]))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self.store(part, value.part())

    def _store_into(self, owner, target, value, source, attribute=None) -> None:
        base = self.value(owner)
        self.change(base, target)
        self.put(owner, base, value, source, attribute)

    def change(self, value: Value, node: ast.AST, method: str = "") -> None:
        """The object that `node` names is changed."""
        for root in sorted(value.itself, key=lambda r: (r.kind, r.name, r.depth)):
            if root.kind == "state":
                self.context.changed_state(root)
            else:
                verb = VERBS.get(method, "changes")
                of_items = {ITEMS} if root.kind == "item" else ()
                self.context.writes(replace(root, identity=root.identity.union(of_items)),
                                    f"{verb} {_shown(root, node)}", self.syntax.at(node))

    def put(self, owner: ast.expr, base: Value, value: Value, source: ast.expr | None = None,
            attribute: str | None = None) -> None:
        """`value` becomes a part of the object that `owner` names."""
        place = Value(frozenset(r.part(attribute) for r in base.itself))
        self.context.stored(place, value, source and self.syntax.at(source))
        if isinstance(source, ast.Name) and not is_immutable(self.types.get(source)):
            self.bind(source.id, place)
        name = _base_name(owner)
        if name in self.variables:
            self.bind(name, Value.holding([value]))


def _shown(root: Root, node: ast.AST) -> str:
    if root.kind == "shared":
        return root.label
    of = "a part of its input" if root.kind == "item" else "which may be shared"
    return f"`{ast.unparse(node)}`, {of}"


def _base_name(node: ast.expr) -> str | None:
    """The variable at the start of `x.a[1].b`."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
