"""The text of such a loop, in which no record is made.

What users write of records is said of their fields:

    kept = payments.filter(lambda p: p.amount != 7.0)       for row, x0, x1 in zip(rows, c0, c1):
    kept.apply(running)     # state.total += p.amount           if x1 != 7.0:
                            # yield Balance(p.uid, ...)             state1.total += x1

The values are Python's own, so they do what they do in the plain loop; states are the user's
objects. What is told elsewhere, an error and its line, is not told here: whoever runs the loop
begins anew with the plain one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from anabranch.analysis.constants import rebound
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax, Missing, syntax_of
from anabranch.core.source import Span
from anabranch.io.columns import columns_of
from anabranch.ir.function import Function
from anabranch.ir.graph import Operator
from anabranch.ir.keys import state_of
from anabranch.ir.operators import WHOLE_ITEM, Apply, Filter, Map
from anabranch.ir.records import RecordMeta, is_plain_record
from anabranch.ir.types import RecordOf, Type
from anabranch.kernels.construction import constructed

MOST_PLACES = 64
"""Behind several yields and returns the same operators are written several times."""

LOOKING_AROUND = frozenset(("locals", "globals", "vars", "dir", "eval", "exec", "super",
                            "__import__", "breakpoint", "input"))
"""What these give depends on the function that they stand in."""

CONSUMING = (sum, min, max, any, all, sorted, list, tuple, set, frozenset)
"""They go through what they are given at once."""

PLAIN_PATTERNS = (ast.MatchValue, ast.MatchSingleton, ast.MatchOr)


class NoLoop(Exception):
    """Why these operators cannot be one loop, and where in the user's text."""

    def __init__(self, why: str, span: Span | None = None):
        super().__init__(why)
        self.why, self.span = why, span


@dataclass(frozen=True)
class LineText:
    """The text of a function `loop(rows, *columns, *states)`, and the `constants` that it names. It
    gives the rows of which outputs came, the output columns that are no copies of a `read` one, and
    how many items each of the operators `counted` has put out. `copies` has for each column of the
    output the column of the input that it is."""

    text: str
    constants: dict[str, object]
    read: tuple[str, ...]
    keyed: tuple[Operator, ...]
    counted: tuple[str, ...]
    copies: tuple[str | None, ...]


def line_text(operators: Sequence[Operator], given: Type, made: Type) -> LineText:
    """The loop of a line of operators, first to last; `NoLoop` when it cannot be written."""
    first = _Line(operators, given, made)
    first.behind(0, first.item())
    copies = tuple(map(first.copied, range(len(columns_of(made)))))
    line = _Line(operators, given, made, copies)
    return line.written()


@dataclass(frozen=True)
class Item:
    """An item by its fields; `cls` is None for a single value, which is called `value`."""

    cls: type | None
    fields: dict[str, ast.expr]

    def attribute(self, name: str) -> ast.expr:
        if self.cls is not None and name in self.fields:
            return self.fields[name]
        return ast.Attribute(self.fields["value"], name, ast.Load())


Statements = list[ast.stmt]


class _Line:
    """Writes the operators from the first to the last, each inside of the one before it."""

    def __init__(self, operators: Sequence[Operator], given: Type, made: Type,
                 copies: tuple[str | None, ...] = ()):
        self.operators, self.given, self.made = operators, given, made
        self.copies = copies or (None,) * len(columns_of(made))
        self.constants: dict[str, object] = {}
        self.names: dict[int, str] = {}
        self.columns: dict[str, str] = {}
        self.keyed: list[Operator] = []
        self.puts: list[list[ast.expr]] = []
        self.places = self.temporaries = 0

    def written(self) -> LineText:
        body = self.behind(0, self.item())
        used = {node.id for stmt in body for node in ast.walk(stmt) if isinstance(node, ast.Name)}
        read = {name: local for name, local in self.columns.items() if local in used}
        counted = [n for n in range(len(self.operators)) if f"n{n}" in used]
        made = [n for n, source in enumerate(self.copies) if source is None]
        columns = [f"c{local[1:]}" for local in read.values()]
        lines = [f"def loop({', '.join(['rows', *columns, *self._states()])}, *, "
                 f"{''.join(f'{name}={name}, ' for name in self.constants)}_=None):",
                 *(f"    get{n} = s{n}.get" for n, op in enumerate(self.operators)
                   if op in self.keyed),
                 "    kept = []", "    keep = kept.append",
                 *(f"    o{n} = []; put{n} = o{n}.append" for n in made),
                 *(f"    n{n} = 0" for n in counted),
                 f"    for {', '.join(['row', *read.values()])}, in zip("
                 f"{', '.join(['rows', *columns])}):",
                 *_indented(body, 2),
                 f"    return kept, [{', '.join(f'o{n}' for n in made)}], "
                 f"[{', '.join(f'n{n}' for n in counted)}]"]
        return LineText("\n".join(lines), self.constants, tuple(read), tuple(self.keyed),
                        tuple(self.operators[n].name for n in counted), self.copies)

    def _states(self) -> list[str]:
        return [f"s{n}" for n, op in enumerate(self.operators) if op in self.keyed]

    def item(self) -> Item:
        """What comes in: each column has a name of its own."""
        self.columns = {name: f"x{n}" for n, name in enumerate(columns_of(self.given))}
        cls = self.given.cls if isinstance(self.given, RecordOf) else None
        if cls is not None and not is_plain_record(cls):
            raise NoLoop(f"{cls.__name__} has methods of its own for what records do")
        return Item(cls, {name: _name(local) for name, local in self.columns.items()})

    def behind(self, place: int, item: Item) -> Statements:
        """What the operators from a place on do with an item."""
        self.places += 1
        if self.places > MOST_PLACES:
            raise NoLoop("too many yields and returns", self.operators[0].span)
        if place == len(self.operators):
            return self._put(item)
        op = self.operators[place]
        write = _BY_KIND.get(type(op.kind))
        if write is None:
            raise NoLoop(f"{op.name} is a {op.kind.label}", op.span)
        return write(self, place, op, item)

    def counted(self, place: int) -> Statements:
        """The number of items that an operator gives, where that is not known otherwise."""
        if place == len(self.operators) - 1 or isinstance(self.operators[place].kind, Map):
            return []
        return [ast.AugAssign(_name(f"n{place}", ast.Store()), ast.Add(), ast.Constant(1))]

    def constant(self, value: object) -> ast.expr:
        name = self.names.setdefault(id(value), f"k{len(self.names)}")
        self.constants[name] = value
        return _name(name)

    def temporary(self, value: ast.expr) -> tuple[ast.stmt, ast.expr]:
        self.temporaries += 1
        name = f"t{self.temporaries}"
        return ast.Assign([_name(name, ast.Store())], value), _name(name)

    def copied(self, number: int) -> str | None:
        """The column of the input that a column of the output is, wherever it is put out."""
        sources = {local: name for name, local in self.columns.items()}
        kinds, given = columns_of(self.made), columns_of(self.given)
        found = {sources.get(put[number].id) if isinstance(put[number], ast.Name) else None
                 for put in self.puts}
        [source] = found if len(found) == 1 else [None]
        return source if source and given[source] == list(kinds.values())[number] else None

    def _put(self, item: Item) -> Statements:
        cls = self.made.cls if isinstance(self.made, RecordOf) else None
        if item.cls is not cls or list(item.fields) != list(columns_of(self.made)):
            raise NoLoop("what comes out is not made where it is put out",
                         self.operators[-1].span if self.operators else None)
        values = list(item.fields.values())
        self.puts.append(values)
        made = [_call(f"put{n}", value) for n, (value, source) in
                enumerate(zip(values, self.copies)) if source is None]
        kept = [_call("keep", _name("row"))] if any(self.copies) else []
        return [ast.Expr(call) for call in (*made, *kept)]


def _filter(line: _Line, place: int, op: Operator, item: Item) -> Statements:
    function = _Body(line, place, op.kind.function, [item])

    def then(value: ast.expr | None) -> Statements:
        if value is None:
            return []
        test = function.visit(copy.deepcopy(value))
        return [ast.If(test, [*line.counted(place), *line.behind(place + 1, item)], [])]
    return function.block(function.syntax.body, then)


def _map(line: _Line, place: int, op: Operator, item: Item) -> Statements:
    function = _Body(line, place, op.kind.function, [item])
    return function.block(function.syntax.body,
                          lambda value: function.given_on(value or ast.Constant(None)))


def _apply(line: _Line, place: int, op: Operator, item: Item) -> Statements:
    if op.kind.at_end is not None:
        raise NoLoop(f"{op.name} has something to do at the end", op.span)
    if not op.kind.stateful:
        function = _Body(line, place, op.kind.function, [item], generator=True)
        return function.block(function.syntax.body, lambda value: [])
    if op not in line.keyed:
        line.keyed.append(op)
    state = f"state{place}"
    function = _Body(line, place, op.kind.function,
                     [Item(None, {"value": _name(state)}), item], generator=True)
    key = _key(function, op, item)
    begin, key = ([], key) if isinstance(key, (ast.Name, ast.Constant)) else (
        [(kept := line.temporary(key))[0]], kept[1])
    made = _call(line.constant(state_of).id, _name(f"s{place}"), key,
                 line.constant(op.kind.new_state))
    return [*begin, ast.Assign([_name(state, ast.Store())], _call(f"get{place}", key)),
            ast.If(ast.Compare(_name(state), [ast.Is()], [ast.Constant(None)]),
                   [ast.Assign([_name(state, ast.Store())], made)], []),
            *function.block(function.syntax.body, lambda value: [])]


def _key(function: _Body, op: Operator, item: Item) -> ast.expr:
    if op.kind.by == WHOLE_ITEM:
        return function.whole(item)
    parts = []
    for path in op.kind.by:
        first, *more = path.split(".")
        found = item.attribute(first)
        for name in more:
            found = ast.Attribute(found, name, ast.Load())
        parts.append(found)
    if not parts:
        return ast.Constant(None)
    return parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())


_BY_KIND: dict[type, Callable[[_Line, int, Operator, Item], Statements]] = {
    Filter: _filter, Map: _map, Apply: _apply}


@dataclass
class _Body(ast.NodeTransformer):
    """The body of a function with its names made its own, its items taken apart, and what it yields
    handed on where it does so."""

    line: _Line
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

    def whole(self, item: Item) -> ast.expr:
        """An item as the object that it stands for."""
        if item.cls is None:
            return item.fields["value"]
        return _call(self.line.constant(tuple.__new__).id, self.line.constant(item.cls),
                     ast.Tuple(list(item.fields.values()), ast.Load()))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.items:
            if not isinstance(node.ctx, ast.Load):
                raise self.refuse(node, f"gives `{node.id}` another value")
            return self.whole(self.items[node.id])
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


def _name(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, context or ast.Load())


def _call(name: str, *given: ast.expr) -> ast.Call:
    return ast.Call(_name(name), list(given), [])


def _indented(body: Statements, depth: int) -> list[str]:
    module = ast.fix_missing_locations(ast.Module(body or [ast.Pass()], []))
    return ["    " * depth + line for line in ast.unparse(module).splitlines()]
