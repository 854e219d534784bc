"""A user's function in a loop: its names made its own, its items taken apart."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anabranch.analysis.constants import rebound
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax, Missing, syntax_of
from anabranch.ir.function import Function
from anabranch.ir.records import RecordMeta, is_plain_record
from anabranch.kernels.construction import constructed
from anabranch.kernels.loop.text import Item, LoopLine, NoLoop, Statements

LOOKING_AROUND = frozenset(("locals", "globals", "vars", "dir", "eval", "exec", "super",
                            "__import__", "breakpoint", "input"))
"""What these give depends on the function that they stand in."""

CONSUMING = (sum, min, max, any, all, sorted, list, tuple, set, frozenset)
"""They go through what they are given at once."""

PLAIN_PATTERNS = (ast.MatchValue, ast.MatchSingleton, ast.MatchOr)


@dataclass
class LoopBody(ast.NodeTransformer):
    """The body of a function with its names made its own, its items taken apart, and what it yields
    handed on where it does so."""

    line: LoopLine
    place: int
    function: Function
    arguments: Sequence[Item]
    generator: bool = False
    syntax: FunctionSyntax = field(init=False)
    consumed: set[int] = field(default_factory=set)

    def __post_init__(self):
        found = syntax_of(self.function.call)
        if isinstance(found, Missing):
            raise NoLoop(found.reason, self.function.span)
        self.syntax = found
        if found.given or len(found.parameters) != len(self.arguments) or (
                found.argument_names != found.parameters):
            raise self.refuse(found.node, "has other parameters")
        if found.is_generator is not self.generator:
            raise self.refuse(found.node, "gives what it has in another way")
        self.items = dict(zip(found.parameters, self.arguments))
        self.own = {node.id for node in ast.walk(found.node)
                    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)} | {
            node.name for node in ast.walk(found.node)
            if isinstance(node, ast.ExceptHandler) and node.name}
        self._check_assigned(found.body, set())

    def refuse(self, node: ast.AST, why: str = "") -> NoLoop:
        place = self.syntax.at(node)
        what = why or f"uses `{ast.unparse(node).splitlines()[0][:60]}`"
        return NoLoop(f"{self.function.name} {what} at line {place.line}", place)

    def block(self, statements: Sequence[ast.stmt],
              then: Callable[[ast.expr | None], Statements]) -> Statements:
        """Statements with what follows from what they return."""
        done: Statements = []
        for number, statement in enumerate(statements):
            if isinstance(statement, ast.Return):
                return done + then(statement.value)
            if _returns(statement):
                return [*done, self._with_rest(statement, statements[number + 1:], then)]
            found = self.visit(copy.deepcopy(statement))
            done += found if isinstance(found, list) else [found]
        return done + then(None)

    def _with_rest(self, statement: ast.stmt, rest: Sequence[ast.stmt],
                   then: Callable[[ast.expr | None], Statements]) -> ast.stmt:
        """A statement of which some ways return, with what follows in each of the others."""
        def way(body: Sequence[ast.stmt]) -> Statements:
            return self.block([*body, *rest], then) or [ast.Pass()]

        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                return ast.If(self.visit(copy.deepcopy(test)), way(body), way(orelse))
            case ast.Match(subject=subject, cases=cases):
                checked = self.visit_Match(copy.deepcopy(ast.Match(subject, [
                    ast.match_case(case.pattern, case.guard, [ast.Pass()]) for case in cases])))
                for case, own in zip(checked.cases, cases):
                    case.body = way(own.body)
                if not _takes_all(cases):
                    checked.cases.append(ast.match_case(ast.MatchAs(), None, way([])))
                return checked
        raise self.refuse(statement, "returns out of a loop or a `try`")

    def given_on(self, node: ast.expr) -> Statements:
        """The operators behind, with the item that an expression makes."""
        before: Statements = []
        last = self.place == len(self.line.operators) - 1
        if isinstance(node, ast.IfExp) and any(map(self._is_item, (node.body, node.orelse))):
            return [ast.If(self.visit(copy.deepcopy(node.test)), self.given_on(node.body),
                           self.given_on(node.orelse))]

        def value(part: ast.expr) -> ast.expr:
            if isinstance(part, ast.Starred):
                raise self.refuse(part)
            found = self.visit(copy.deepcopy(part))
            # Nothing gives a name another value before the operators behind have seen it.
            if isinstance(found, (ast.Constant, ast.Name)) or last:
                return found
            assigned, name = self.line.temporary(found)
            before.append(assigned)
            return name

        items = {name: item for name, item in self.items.items() if item.cls is not None}
        cls, fields = constructed(self.syntax, node, items, value, self.refuse)
        if cls is not None and not is_plain_record(cls):
            raise self.refuse(node, f"makes a {cls.__name__}, which has methods of its own for "
                                    "what records do")
        after = self.line.behind(self.place + 1, Item(cls, fields))
        return [*before, *self.line.counted(self.place), *after]

    def all_of(self, node: ast.expr) -> ast.expr:
        """What an expression gives one by one, all of which is there before the first is used."""
        if isinstance(node, ast.GeneratorExp):
            node = ast.ListComp(node.elt, node.generators)
        return self.visit(copy.deepcopy(node))

    def _is_item(self, node: ast.expr) -> bool:
        """Whether an expression may be a record that is made where it stands."""
        match node:
            case ast.Name(id=name) | ast.Call(ast.Attribute(ast.Name(id=name), "replace")):
                return name in self.items and self.items[name].cls is not None
            case ast.Call(ast.Name(id=name)):
                return isinstance(self.syntax.resolve(name), RecordMeta)
            case ast.IfExp():
                return self._is_item(node.body) or self._is_item(node.orelse)
        return False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.items:
            if not isinstance(node.ctx, ast.Load):
                raise self.refuse(node, f"gives `{node.id}` another value")
            return self.line.whole(self.items[node.id])
        if node.id in self.own:
            return ast.Name(self._renamed(node.id), node.ctx)
        found = self.syntax.resolve(node.id)
        if found is UNRESOLVED or node.id in rebound(self.syntax.file) or (
                node.id in LOOKING_AROUND):
            raise self.refuse(node)
        return self.line.constant(found)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id in self.items:
            item = self.items[node.value.id]
            if item.cls is not None and not isinstance(node.ctx, ast.Load):
                raise self.refuse(node)
            if item.cls is not None and node.attr in item.fields:
                return item.fields[node.attr]
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | Statements:
        if isinstance(node.value, ast.Yield):
            return self.given_on(node.value.value or ast.Constant(None))
        if isinstance(node.value, ast.Constant):
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> ast.AST:
        if not all(isinstance(target, ast.Subscript) for target in node.targets):
            raise self.refuse(node)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        named = [part for part in (node.left, *node.comparators)
                 if isinstance(part, ast.Name) and part.id in self.items]
        if named and any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            raise self.refuse(node)
        return self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> ast.AST:
        if any(isinstance(inner, ast.Yield) for inner in ast.walk(node)):
            # What goes wrong behind a yield is not the function's to catch.
            raise self.refuse(node, "yields inside of a `try`")
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name:
            node.name = self._renamed(node.name)
        return self.generic_visit(node)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        for case in node.cases:
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.pattern) and not (isinstance(part, PLAIN_PATTERNS) or (
                        isinstance(part, ast.MatchAs) and part.name is None)):
                    raise self.refuse(node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        generators = [part for part in node.args if isinstance(part, ast.GeneratorExp)]
        consumes = (isinstance(node.func, ast.Name) and node.func.id not in self.own
                    and self.syntax.resolve(node.func.id) in CONSUMING)
        if generators and not consumes:
            # It would be gone through when the names in it have other values.
            raise self.refuse(node)
        self.consumed.update(map(id, generators))
        return self.generic_visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        if id(node) not in self.consumed:
            raise self.refuse(node)
        return self.generic_visit(node)

    def _refused(self, node: ast.AST) -> ast.AST:
        raise self.refuse(node)

    visit_Lambda = visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _refused
    visit_Yield = visit_YieldFrom = visit_Await = visit_Return = visit_Global = _refused
    visit_Nonlocal = visit_Import = visit_ImportFrom = visit_With = visit_AsyncWith = _refused
    visit_AsyncFor = visit_TryStar = visit_NamedExpr = _refused

    def _check_assigned(self, statements: Sequence[ast.stmt], known: set[str]) -> set[str] | None:
        """The names that have a value behind some statements, None if nothing comes behind them. In
        a loop a name that was left out would have its value of the row before."""
        for statement in statements:
            after = self._assigned(statement, known)
            if after is None:
                return None
            known = after
        return known

    def _assigned(self, statement: ast.stmt, known: set[str]) -> set[str] | None:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                self._check_read(test, known)
                return _in_all([self._check_assigned(part, set(known)) for part in (body, orelse)])
            case ast.For(target=target, iter=given, body=body, orelse=orelse):
                self._check_read(given, known)
                self._check_assigned(body, known | _stored(target))
                self._check_assigned(orelse, set(known))
            case ast.While(test=test, body=body, orelse=orelse):
                self._check_read(test, known)
                self._check_assigned(body, set(known))
                self._check_assigned(orelse, set(known))
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                within = self._check_assigned(body, set(known))
                end = None if within is None else self._check_assigned(orelse, within)
                ways = [end, *(self._check_assigned(handler.body, known | {handler.name})
                               for handler in handlers)]
                self._check_assigned(finalbody, set(known))
                return _in_all(ways)
            case ast.Match(subject=subject, cases=cases):
                self._check_read(subject, known)
                for case in cases:
                    self._check_read(case, known, bodies=False)
                ways = [self._check_assigned(case.body, set(known)) for case in cases]
                return _in_all(ways if _takes_all(cases) else [*ways, known])
            case ast.AugAssign(target=ast.Name(id=name)) if name not in known:
                raise self.refuse(statement)
            case _:
                self._check_read(statement, known)
                if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
                    return None
                return known | _stored(statement)
        return known

    def _check_read(self, node: ast.AST, known: set[str], bodies: bool = True) -> None:
        parts = [node] if bodies else [node.pattern, *filter(None, [node.guard])]
        names = [inner for part in parts for inner in ast.walk(part)]
        bound = {name for inner in names if isinstance(inner, ast.comprehension)
                 for name in _stored(inner.target)}
        for inner in names:
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and (
                    inner.id in self.own - known - bound):
                raise self.refuse(inner)

    def _renamed(self, name: str) -> str:
        return f"_{self.place}_{name}"


def is_generator(function: Function) -> bool:
    found = syntax_of(function.call)
    return isinstance(found, FunctionSyntax) and found.is_generator


def _in_all(ways: Sequence[set[str] | None]) -> set[str] | None:
    """The names that are known whichever way was taken; None is one that leads away."""
    left = [way for way in ways if way is not None]
    return set.intersection(*left) if left else None


def _takes_all(cases: Sequence[ast.match_case]) -> bool:
    """Whether some case always fits."""
    return any(case.guard is None and isinstance(case.pattern, ast.MatchAs)
               and case.pattern.pattern is None for case in cases)


def _stored(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node)
            if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load)}


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(statement))
