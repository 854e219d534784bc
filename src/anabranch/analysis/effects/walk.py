"""Walks a function: what its expressions may be, and what evaluating them does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from functools import lru_cache
from types import FunctionType, ModuleType

from anabranch.analysis.effects import access, attributes, calls, operations
from anabranch.analysis.effects.environment import is_a, is_fixed, origin_of, reassigned, thing_of
from anabranch.analysis.effects.library import methods
from anabranch.analysis.effects.machine import (
    EVERYTHING,
    SHARED_OBJECTS,
    AbstractMachine,
    CallFrame,
    VariableScope,
)
from anabranch.analysis.effects.members import has_finalizer
from anabranch.analysis.effects.values import (
    ELEMENT,
    KEY,
    NONE,
    NOTHING,
    UNKNOWN,
    InnerFunction,
    Object,
    SharedObject,
    Thing,
    Value,
    one_of,
    value,
)
from anabranch.analysis.fact import EffectKind
from anabranch.analysis.scope import (
    COMPREHENSIONS,
    annotations_of,
    children,
    every_node,
    is_generator,
)
from anabranch.analysis.syntax import UNRESOLVED, outside_value
from anabranch.core.source import Span, class_name


class Walk:
    """One function, or a comprehension in it."""

    def __init__(self, m: AbstractMachine, scope: VariableScope, frame: CallFrame):
        self.m, self.scope, self.frame = m, scope, frame

    def at(self, node: ast.AST) -> Span:
        return self.scope.syntax.at(node)

    def made(self, node: ast.AST, cls: type | None, *more: object) -> Object:
        """The object of this class that is made at a place of the text."""
        self.finalized(node, cls)
        thing = Object("made", (node, self.frame, *more), cls)
        if thing not in self.m.heap.parts:
            self.m.heap.parts[thing] = {}
            self.m.heap.version += 1
        return thing

    def finalized(self, node: ast.AST, cls: type | None) -> None:
        """`__del__` runs some time, whenever the object is not needed any more."""
        if cls is not None and has_finalizer(cls):
            self.unproved(node, class_name(cls),
                          f"makes a `{class_name(cls)}`, whose `__del__` runs some time")

    def collection(self, node: ast.AST, cls: type, elements: Value, keys: Value | None = None,
                   *more: object) -> Value:
        thing = self.made(node, cls, *more)
        self.m.heap.put(thing, ELEMENT, elements)
        if keys is not None:
            self.m.heap.put(thing, KEY, keys)
        return value(thing)

    def unproved(self, node: ast.AST, name: str, reason: str,
                   identity: frozenset = frozenset()) -> Value:
        self.m.unresolved(name, reason, self.at(node), identity)
        return UNKNOWN

    def value(self, node: ast.expr) -> Value:
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            return self.unproved(node, type(node).__name__, "does what analysis cannot follow")
        found = handler(self, node)
        self.m.evaluated[node, self.frame] = self, found
        return found

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            handler = STATEMENTS.get(type(statement))
            if handler is None:
                self.unproved(statement, type(statement).__name__,
                                "does what analysis cannot follow")
            else:
                handler(self, statement)

    # Names

    def static(self, node: ast.expr) -> object:
        """The object from outside that a name or a dotted name stands for, or `UNRESOLVED`."""
        if isinstance(node, ast.Name):
            holder = self.scope.holder(node.id)
            if holder is None:
                return outside_value(self.scope.syntax.function, attributes.mangled(self, node.id))
            found = [*holder.variables.get(node.id, NOTHING)]
            is_one = len(found) == 1 and isinstance(found[0], SharedObject) and (
                len(found[0].members) == 1)
            return found[0].value if is_one else UNRESOLVED
        if isinstance(node, ast.Attribute):
            owner = self.static(node.value)
            if type(owner) is ModuleType:
                return vars(owner).get(node.attr, UNRESOLVED)
        return UNRESOLVED

    def name(self, node: ast.Name) -> Value:
        holder = self.scope.holder(node.id)
        if holder is not None:
            return holder.variables.get(node.id, NOTHING)
        return self.outside(node, attributes.mangled(self, node.id))

    def outside(self, node: ast.expr, name: str) -> Value:
        """Reading a name from outside; what can change is noted."""
        syntax = self.scope.syntax
        found = outside_value(syntax.function, name)
        if found is UNRESOLVED:
            return self.unproved(node, name, f"uses `{name}`, which has no value yet")
        kind = type(found).__name__
        thing = thing_of(found, name, f"the {origin_of(syntax, name)} {kind} `{name}`")
        if name in reassigned(syntax.file):
            self.m.add(EffectKind.READS_SHARED, name, f"reads the {origin_of(syntax, name)} {kind} "
                       f"`{name}`", self.at(node), frozenset((name,)))
        if isinstance(thing, SharedObject) and not is_fixed(found):
            self.m.reads(thing, self.at(node))
        return value(thing)

    def assign(self, name: str, found: Value, node: ast.AST) -> None:
        """Gives a variable a value; one from outside is shared."""
        scope = self.scope.function
        if name in scope.names:
            self.m.bind(scope, name, found)
            return
        holder = scope.parent.holder(name) if scope.parent and name not in scope.outer else None
        if holder is not None:
            self.m.bind(holder, name, found)
        else:
            self.assigned(node, name)

    def assigned(self, node: ast.AST, name: str, everything: bool = False) -> None:
        """A variable, or an attribute, from outside gets another value."""
        label = f"the {origin_of(self.scope.syntax, name)} variable `{name}`"
        own = frozenset((name.rpartition(".")[2],))
        self.m.add(EffectKind.WRITES, name, f"assigns {label}", self.at(node),
                   own | {EVERYTHING} if everything else own)

    # Targets

    def store(self, target: ast.expr, found: Value) -> None:
        match target:
            case ast.Name(id=name):
                if self.scope.comprehension and name in self.scope.names:
                    self.m.bind(self.scope, name, found)
                else:
                    self.assign(name, found, target)
            case ast.Attribute(value=owner, attr=attribute):
                attributes.set_attribute(self, target, self.value(owner), attribute, found)
            case ast.Subscript(value=owner, slice=index):
                access.set_item(self, target, self.value(owner), self.value(index), found)
            case ast.Starred(value=inner):
                self.store(inner, self.collection(target, list, found))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._unpack(target, parts, found)

    def _unpack(self, target: ast.expr, parts: list[ast.expr], found: Value) -> None:
        starred = any(isinstance(part, ast.Starred) for part in parts)
        for number, part in enumerate(parts):
            if starred:
                self.store(part, access.iterate(self, target, found))
            else:
                self.store(part, access.unpacked(self, target, found, number))

    # Statements

    def expressions(self, node: ast.AST) -> None:
        for child in children(node):
            if isinstance(child, ast.expr):
                self.value(child)

    def _assign(self, node: ast.Assign) -> None:
        found = self.value(node.value)
        for target in node.targets:
            self.store(target, found)

    def _assign_annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.store(node.target, self.value(node.value))
        elif isinstance(node.target, ast.Attribute | ast.Subscript):
            self.expressions(node.target)

    def _assign_augmented(self, node: ast.AugAssign) -> None:
        before, given = self.value(_as_read(node.target)), self.value(node.value)
        self.store(node.target, operations.augmented(self, node, node.op, before, given))

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._delete_target(target)

    def _delete_target(self, target: ast.expr) -> None:
        match target:
            case ast.Attribute(value=owner, attr=attribute):
                attributes.delete_attribute(self, target, self.value(owner), attribute)
            case ast.Subscript(value=owner, slice=index):
                access.delete_item(self, target, self.value(owner), self.value(index))
            case ast.Name(id=name) if self.scope.holder(name) is None:
                self.assigned(target, name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._delete_target(part)

    def _if(self, node: ast.If | ast.While) -> None:
        operations.truth(self, node.test, self.value(node.test))
        self.block([*node.body, *node.orelse])

    def _assert(self, node: ast.Assert) -> None:
        operations.truth(self, node.test, self.value(node.test))
        if node.msg is not None:
            operations.text(self, node.msg, self.value(node.msg))

    def _for(self, node: ast.For) -> None:
        self.store(node.target, access.iterate(self, node.iter, self.value(node.iter)))
        self.block([*node.body, *node.orelse])

    def _with(self, node: ast.With) -> None:
        for item in node.items:
            item.context_expr.is_entered = not self.is_generator
            found = access.enter(self, item.context_expr, self.value(item.context_expr))
            if item.optional_vars is not None:
                self.store(item.optional_vars, found)
        self.block(node.body)

    def _return(self, node: ast.Return) -> None:
        found = self.value(node.value) if node.value is not None else value(NONE)
        self.m.returns(self.frame, found)
        if node.value is not None and not self.is_generator:
            self.m.emits(self.frame, node.value, found)

    @property
    def is_generator(self) -> bool:
        return is_generator(self.frame.scope.node)

    def _raise(self, node: ast.Raise) -> None:
        for part in filter(None, (node.exc, node.cause)):
            found = self.value(part)
            made = calls.raised(self, part, found)
            self.m.throws(made)

    def _try(self, node: ast.Try) -> None:
        self.block([*node.body, *node.orelse])
        for handler in node.handlers:
            if handler.type is not None:
                self.value(handler.type)
            if handler.name:
                self.assign(handler.name, self._caught(handler, isinstance(node, ast.TryStar)),
                            handler)
            self.block(handler.body)
        self.block(node.finalbody)

    def _caught(self, handler: ast.ExceptHandler, in_groups: bool) -> Value:
        found = self.m.raised.variables.get("raised", NOTHING)
        if not self._takes_only_own(handler.type):
            library = self.made(handler, None)
            self.m.heap.put(library, ELEMENT, one_of(str, int) | self.m.carried)
            found |= value(library)
        if in_groups:
            found |= methods.derived(self, handler, found)
        return self.collection(handler, ExceptionGroup, found) if in_groups else found

    def _takes_only_own(self, caught: ast.expr | None) -> bool:
        """Whether errors of the user's classes are caught alone, which no library raises."""
        parts = caught.elts if isinstance(caught, ast.Tuple) else [caught]
        classes = [self.static(part) for part in parts if part is not None]
        return bool(classes) and all(
            is_a(cls, type) and not calls.is_standard(cls) and type(cls) is type
            and issubclass(cls, Exception) for cls in classes)

    def _function(self, node: ast.FunctionDef) -> None:
        found = self.inner(node)
        for decorator in reversed(node.decorator_list):
            found = calls.invoke(self, decorator, self.value(decorator), [found])
        self.assign(node.name, found, node)

    def inner(self, node: ast.Lambda | ast.FunctionDef) -> Value:
        """An inner function: its defaults are evaluated where it stands."""
        a = node.args
        positional = [*a.posonlyargs, *a.args]
        pairs = [*zip(positional[len(positional) - len(a.defaults):], a.defaults),
                 *((n, d) for n, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None)]
        defaults = calls.inner_defaults(self.m, node, self.scope)
        for argument, default in pairs:
            self.m.bind(defaults, argument.arg, self.value(default))
        if isinstance(node, ast.FunctionDef) and not self._keeps_annotations_as_texts:
            for annotation in annotations_of(node):
                if not self._is_type(annotation):
                    self.value(annotation)
        return value(InnerFunction(node, self.scope))

    @property
    def _keeps_annotations_as_texts(self) -> bool:
        return bool(self.scope.syntax.code.co_flags & AS_TEXTS)

    def _is_type(self, node: ast.expr) -> bool:
        """Whether an annotation is made of classes by Python alone: it is evaluated with the
        `def`, and a class of the user's may say what `A[1]` and `A | B` are."""
        match node:
            case ast.Constant() | ast.Name():
                return True
            case ast.Attribute():
                return self.static(node) is not UNRESOLVED
            case ast.Subscript(value=generic, slice=inside):
                return calls.is_standard(self.static(generic)) and self._is_type(inside)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return all(map(self._is_type, (left, right))) and all(
                    calls.is_standard(type(self.static(part))) for part in (left, right)
                    if isinstance(part, ast.Name | ast.Attribute))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return all(map(self._is_type, parts))
        return False

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = (alias.asname or alias.name).split(".")[0]
            found = _imported(node, alias)
            if found is UNRESOLVED:
                self.unproved(node, name, f"imports `{alias.name}` while it runs")
                self.assign(name, UNKNOWN, node)
            else:
                self.assign(name, value(thing_of(found, name, f"the module `{name}`")), node)

    def _match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        for case in node.cases:
            self.pattern(case.pattern, subject)
            if case.guard is not None:
                operations.truth(self, case.guard, self.value(case.guard))
            self.block(case.body)

    def pattern(self, node: ast.pattern, subject: Value) -> None:
        match node:
            case ast.MatchValue(value=wanted):
                operations.equality(self, wanted, subject, self.value(wanted))
            case ast.MatchSequence(patterns=parts):
                found = access.in_sequence(self, node, subject)
                for part in parts:
                    self.pattern(part, found)
            case ast.MatchMapping(keys=keys, patterns=parts, rest=rest):
                found = access.mapped(self, node, subject, [self.value(k) for k in keys])
                for part in parts:
                    self.pattern(part, found)
                if rest:
                    self.assign(rest, self.collection(node, dict, found, UNKNOWN), node)
            case ast.MatchClass(cls=cls, patterns=parts, kwd_attrs=names, kwd_patterns=named):
                self._class_pattern(node, subject, self.value(cls), parts, names, named)
            case ast.MatchStar(name=str(name)):
                self.assign(name, self.collection(node, list, subject), node)
            case ast.MatchAs(pattern=inner, name=name):
                if inner is not None:
                    self.pattern(inner, subject)
                if name:
                    self.assign(name, subject, node)
            case ast.MatchOr(patterns=parts):
                for part in parts:
                    self.pattern(part, subject)

    def _class_pattern(self, node, subject: Value, classes: Value, parts, names, named) -> None:
        subject = calls.instances(self, node, subject, classes)
        for number, part in enumerate(parts):
            self.pattern(part, access.matched(self, node, subject, classes, number))
        for name, part in zip(names, named):
            self.pattern(part, attributes.get_attribute(self, node, subject, name))

    def _class(self, node: ast.ClassDef) -> None:
        self.unproved(node, node.name, f"defines the class `{node.name}` while it runs")
        self.assign(node.name, UNKNOWN, node)

    def _nothing(self, node: ast.stmt) -> None:
        """It does nothing by itself."""

    # Expressions

    def _constant(self, node: ast.Constant) -> Value:
        return one_of(type(node.value))

    def _joined(self, node: ast.JoinedStr) -> Value:
        found = one_of(str)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                found |= operations.text(self, part.value, self.value(part.value))
                if part.format_spec is not None:
                    self.value(part.format_spec)
        # A single value is given as its own method shows it.
        return found if len(node.values) == 1 else one_of(str)

    def _boolean(self, node: ast.BoolOp) -> Value:
        found = [self.value(part) for part in node.values]
        for part, each in zip(node.values[:-1], found):
            operations.truth(self, part, each)
        return frozenset().union(*found)

    def _conditional(self, node: ast.IfExp) -> Value:
        operations.truth(self, node.test, self.value(node.test))
        return self.value(node.body) | self.value(node.orelse)

    def _binary(self, node: ast.BinOp) -> Value:
        return operations.binary(self, node, node.op, self.value(node.left), self.value(node.right))

    def _unary(self, node: ast.UnaryOp) -> Value:
        return operations.unary(self, node, node.op, self.value(node.operand))

    def _compare(self, node: ast.Compare) -> Value:
        operands = [self.value(part) for part in (node.left, *node.comparators)]
        found = NOTHING
        for op, left, right in zip(node.ops, operands, operands[1:]):
            found |= operations.compare(self, node, op, left, right)
        return found

    def _attribute(self, node: ast.Attribute) -> Value:
        return attributes.get_attribute(self, node, self.value(node.value), node.attr)

    def _subscript(self, node: ast.Subscript) -> Value:
        return access.get_item(self, node, self.value(node.value), self.value(node.slice),
                               node.slice)

    def _slice(self, node: ast.Slice) -> Value:
        parts = [self.value(part) for part in (node.lower, node.upper, node.step) if part]
        return operations.sliced(self, node, frozenset().union(*parts))

    def _sequence(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        cls = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
        thing = self.made(node, cls)
        exact = not any(isinstance(e, ast.Starred) for e in node.elts)
        self.m.heap.put(thing, ELEMENT, NOTHING)
        for number, element in enumerate(node.elts):
            found = self.value(element)
            if isinstance(element, ast.Starred):
                found = access.iterate(self, element, found)
            if cls is set:
                operations.hashed(self, element, found)
            self.m.heap.put(thing, number if exact and cls is tuple else ELEMENT, found)
        return value(thing)

    def _dict(self, node: ast.Dict) -> Value:
        thing = self.made(node, dict)
        for key, part in zip(node.keys, node.values):
            found = self.value(part)
            if key is None:
                access.update(self, part, thing, found)
            else:
                access.put_item(self, node, thing, self.value(key), found)
        return value(thing)

    def _comprehension(self, node: ast.ListComp) -> Value:
        names = frozenset(n.id for g in node.generators for n in ast.walk(g.target)
                          if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        key = (node, self.frame, "scope")
        scope = self.m.inner_scopes.get(key)
        if scope is None:
            scope = VariableScope(names, self.scope.syntax, node, self.scope, comprehension=True)
            self.m.inner_scopes[key] = scope
        inner = Walk(self.m, scope, self.frame)
        ordered = not isinstance(node, ast.SetComp) and not getattr(node, "any_order", False)
        before, iterated = len(self.m.touched), []
        for number, generator in enumerate(node.generators):
            found = (self if number == 0 else inner).value(generator.iter)
            iterated.append((generator.iter, found))
            inner.store(generator.target, access.iterate(self, generator.iter, found, ordered))
            for condition in generator.ifs:
                operations.truth(inner, condition, inner.value(condition))
        result = self._gathered(node, inner)
        if not ordered and self._remembers(node, self.m.touched[before:]):
            for iterable, found in iterated:
                access.iterate(self, iterable, found)
        return result

    def _remembers(self, node: ast.expr, touched: list[Object]) -> bool:
        """Whether a comprehension leaves something behind for the next item, or for later: then
        the order of its items can be seen."""
        inside = every_node(node)
        return any(isinstance(n, ast.NamedExpr) for n in inside) or any(
            not (isinstance(t.site, tuple) and t.site[0] in inside) for t in touched)

    def _gathered(self, node: ast.expr, inner: Walk) -> Value:
        if isinstance(node, ast.DictComp):
            keys = inner.value(node.key)
            operations.hashed(self, node.key, keys)
            return self.collection(node, dict, inner.value(node.value), keys)
        found = inner.value(node.elt)
        if isinstance(node, ast.SetComp):
            operations.hashed(self, node.elt, found)
        cls = {ast.ListComp: list, ast.SetComp: set}.get(type(node), access.GENERATOR)
        return self.collection(node, cls, found)

    def _walrus(self, node: ast.NamedExpr) -> Value:
        found = self.value(node.value)
        self.assign(node.target.id, found, node.target)
        return found

    def _starred(self, node: ast.Starred) -> Value:
        return self.value(node.value)

    def _lambda(self, node: ast.Lambda) -> Value:
        return self.inner(node)

    def _yield(self, node: ast.Yield) -> Value:
        found = self.value(node.value) if node.value is not None else value(NONE)
        self.m.emits(self.frame, node.value or node, found)
        return value(NONE) | self.frame.sent

    def _yield_from(self, node: ast.YieldFrom) -> Value:
        found = self.value(node.value)
        self.m.emits(self.frame, node.value, access.iterate(self, node.value, found))
        return calls.returned_by(self.m, found)

    def _call(self, node: ast.Call) -> Value:
        return calls.call(self, node)


def check_results(m: AbstractMachine) -> None:
    """An operation of which no result is known, though it is given values, is not known itself:
    that Python would refuse it is more than the tables say."""
    for (node, frame), (walk, found) in list(m.evaluated.items()):
        if not found and isinstance(node, OPERATIONS):
            parts = [m.evaluated.get((part, frame), (walk, NOTHING))[1]
                     for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            if all(parts) and not any(all(_is_known_to_lack(walk, t) for t in p) for p in parts):
                shown = ast.unparse(node)
                walk.unproved(node, shown, f"uses `{shown}`, of which no result is known",
                              frozenset((SHARED_OBJECTS,)))
                m.vague = True


def _is_known_to_lack(walk: Walk, thing: Thing) -> bool:
    """Whether it is seen in another way that it has no such part: None, a collection into which
    nothing is put, a function of which an attribute is read that somebody may assign."""
    return thing == NONE or access.is_empty(walk, thing) or (
        isinstance(thing, SharedObject) and is_a(thing.value, FunctionType))


@lru_cache(maxsize=4096)
def _as_read(target: ast.expr) -> ast.expr:
    """The target of `x += y` as the expression that is read first."""
    match target:
        case ast.Name(id=name):
            read = ast.Name(name, ast.Load())
        case ast.Attribute(value=owner, attr=attribute):
            read = ast.Attribute(owner, attribute, ast.Load())
        case ast.Subscript(value=owner, slice=index):
            read = ast.Subscript(owner, index, ast.Load())
        case _:
            raise TypeError(f"{type(target).__name__} cannot be assigned in place")
    return ast.copy_location(read, target)


def _imported(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> object:
    """What has been imported before; the first import of a module runs its code."""
    if isinstance(node, ast.ImportFrom):
        module = sys.modules.get(node.module or "")
        part = sys.modules.get(f"{node.module}.{alias.name}", UNRESOLVED)
        return vars(module).get(alias.name, part) if module and not node.level else UNRESOLVED
    whole = sys.modules.get(alias.name, UNRESOLVED)
    bound_name = alias.name if alias.asname else alias.name.split(".")[0]
    return whole if whole is UNRESOLVED else sys.modules[bound_name]


EXPRESSIONS = {
    ast.Constant: Walk._constant, ast.Name: Walk.name, ast.JoinedStr: Walk._joined,
    ast.BoolOp: Walk._boolean, ast.IfExp: Walk._conditional, ast.BinOp: Walk._binary,
    ast.UnaryOp: Walk._unary, ast.Compare: Walk._compare, ast.Attribute: Walk._attribute,
    ast.Subscript: Walk._subscript, ast.Slice: Walk._slice, ast.List: Walk._sequence,
    ast.Tuple: Walk._sequence, ast.Set: Walk._sequence, ast.Dict: Walk._dict,
    **dict.fromkeys(COMPREHENSIONS, Walk._comprehension), ast.NamedExpr: Walk._walrus,
    ast.Starred: Walk._starred, ast.Lambda: Walk._lambda, ast.Yield: Walk._yield,
    ast.YieldFrom: Walk._yield_from, ast.Call: Walk._call,
}
AS_TEXTS = annotations.compiler_flag
"""The flag of code whose annotations are not evaluated: it imports `annotations` as we do."""
OPERATIONS = (ast.Attribute, ast.BinOp, ast.UnaryOp, ast.Subscript)
STATEMENTS = {
    ast.Assign: Walk._assign, ast.AnnAssign: Walk._assign_annotated,
    ast.AugAssign: Walk._assign_augmented, ast.Delete: Walk._delete, ast.If: Walk._if,
    ast.While: Walk._if, ast.For: Walk._for, ast.With: Walk._with, ast.Return: Walk._return,
    ast.Raise: Walk._raise, ast.Try: Walk._try, ast.TryStar: Walk._try,
    ast.FunctionDef: Walk._function, ast.Import: Walk._import, ast.ImportFrom: Walk._import,
    ast.Match: Walk._match, ast.ClassDef: Walk._class,
    ast.Expr: Walk.expressions, ast.Assert: Walk._assert,
    **dict.fromkeys((ast.Global, ast.Nonlocal, ast.Pass, ast.Break, ast.Continue),
                    Walk._nothing),
}
