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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from anabranch.core.source import Span
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Map
from anabranch.ir.records import is_plain_record
from anabranch.ir.types import RecordOf, Type

MOST_PLACES = 64
"""Behind several yields and returns the same operators are written several times."""


class NoLoop(Exception):
    """Why these operators cannot be one loop, and where in the user's text."""

    def __init__(self, why: str, span: Span | None = None):
        super().__init__(why)
        self.why, self.span = why, span


class Unfit(Exception):
    """An output that its column would hold as another value: the plain loop knows what to do."""


@dataclass(frozen=True)
class LineText:
    """The text of a function `loop(rows, *columns, *states)`, and of one for the `end(*states)` of
    the input, and the `constants` that they name. They give the rows of which outputs came, the
    output columns that are no copies of a `read` one, and how many items each of the operators
    `counted` has put out. `copies` has for each column of the output the column of the input that
    it is."""

    text: str
    constants: dict[str, object]
    read: tuple[str, ...]
    keyed: tuple[Operator, ...]
    counted: tuple[str, ...]
    copies: tuple[str | None, ...]


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

Write = Callable[["LoopLine", int, Operator, Item], Statements]
"""What an operator of some kind, at its place, does with an item."""


class LoopLine:
    """Writes the operators from the first to the last, each inside of the one before it."""

    def __init__(self, operators: Sequence[Operator], given: Type, made: Type,
                 writers: Mapping[type, Write], copies: tuple[str | None, ...] = ()):
        self.operators, self.given, self.made, self.writers = operators, given, made, writers
        self.copies = copies or (None,) * len(columns_of(made))
        self.constants: dict[str, object] = {}
        self.names: dict[int, str] = {}
        self.columns: dict[str, str] = {}
        self.keyed: list[Operator] = []
        self.at_end: dict[int, Callable[[], Statements]] = {}
        self.puts: list[list[ast.expr]] = []
        self.places = self.temporaries = 0

    def written(self) -> LineText:
        body = self.behind(0, self.item())
        end = self.ended()
        used = {node.id for stmt in (*body, *end) for node in ast.walk(stmt)
                if isinstance(node, ast.Name)}
        read = {name: local for name, local in self.columns.items() if local in used}
        counted = [n for n in range(len(self.operators)) if f"n{n}" in used]
        columns = [f"c{local[1:]}" for local in read.values()]
        each = (f"for {', '.join(['row', *read.values()])}, in zip("
                f"{', '.join(['rows', *columns])}):")
        lines = [*self._function("loop", ["rows", *columns], counted, [
                    f"    {each}", *_indented(body, 2)]),
                 *self._function("end", [], counted, _indented(end, 1))]
        return LineText("\n".join(lines), self.constants, tuple(read), tuple(self.keyed),
                        tuple(self.operators[n].name for n in counted), self.copies)

    def ended(self) -> Statements:
        """What the operators do at the end of the input, one after the other."""
        done: Statements = []
        for place in range(len(self.operators)):
            # An operator before this one may have written it only now.
            if place in self.at_end:
                done += self.at_end[place]()
        return done

    def _function(self, name: str, given: Sequence[str], counted: Sequence[int],
                  body: Sequence[str]) -> list[str]:
        made = [n for n, source in enumerate(self.copies) if source is None]
        states = [n for n, op in enumerate(self.operators) if op in self.keyed]
        own = [f"{constant}={constant}" for constant in self.constants]
        names = [*given, *(f"s{n}" for n in states), "*", *own, "_=None"]
        return [f"def {name}({', '.join(names)}):",
                *(f"    get{n} = s{n}.get" for n in states),
                "    kept = []", "    keep = kept.append",
                *(f"    o{n} = []; put{n} = o{n}.append" for n in made),
                *(f"    n{n} = 0" for n in counted), *body,
                f"    return kept, [{', '.join(f'o{n}' for n in made)}], "
                f"[{', '.join(f'n{n}' for n in counted)}]"]

    def item(self) -> Item:
        """What comes in: each column has a name of its own."""
        self.columns = {name: f"x{n}" for n, name in enumerate(columns_of(self.given))}
        cls = self.given.cls if isinstance(self.given, RecordOf) else None
        if cls is not None and not is_plain_record(cls):
            raise NoLoop(f"{cls.__name__} has methods of its own for what records do")
        return Item(cls, {name: named(local) for name, local in self.columns.items()})

    def behind(self, place: int, item: Item) -> Statements:
        """What the operators from a place on do with an item."""
        self.places += 1
        if self.places > MOST_PLACES:
            raise NoLoop("too many yields and returns", self.operators[0].span)
        if place == len(self.operators):
            return self._put(item)
        op = self.operators[place]
        write = self.writers.get(type(op.kind))
        if write is None:
            raise NoLoop(f"{op.name} is a {op.kind.label}", op.span)
        return write(self, place, op, item)

    def counted(self, place: int) -> Statements:
        """The number of items that an operator gives, where that is not known otherwise."""
        if place == len(self.operators) - 1 or isinstance(self.operators[place].kind, Map):
            return []
        return [ast.AugAssign(named(f"n{place}", ast.Store()), ast.Add(), ast.Constant(1))]

    def constant(self, value: object) -> ast.expr:
        name = self.names.setdefault(id(value), f"k{len(self.names)}")
        self.constants[name] = value
        return named(name)

    def fresh(self) -> str:
        """A name that nothing else has."""
        self.temporaries += 1
        return f"t{self.temporaries}"

    def temporary(self, value: ast.expr) -> tuple[ast.stmt, ast.expr]:
        name = self.fresh()
        return assign(name, value), named(name)

    def copied(self, number: int) -> str | None:
        """The column of the input that a column of the output is, wherever it is put out."""
        if self.at_end:
            return None
        sources = {local: name for name, local in self.columns.items()}
        kinds, given = columns_of(self.made), columns_of(self.given)
        found = {sources.get(put[number].id) if isinstance(put[number], ast.Name) else None
                 for put in self.puts}
        [source] = found if len(found) == 1 else [None]
        return source if source and given[source] == list(kinds.values())[number] else None

    def whole(self, item: Item) -> ast.expr:
        """An item as the object that it stands for."""
        if item.cls is None:
            return item.fields["value"]
        return call(self.constant(tuple.__new__), self.constant(item.cls),
                    ast.Tuple(list(item.fields.values()), ast.Load()))

    def _put(self, item: Item) -> Statements:
        cls = self.made.cls if isinstance(self.made, RecordOf) else None
        if cls is not None and item.cls is None and is_plain_record(cls) and (
                isinstance(value := item.fields["value"], ast.Name)):
            fields = {name: ast.Attribute(value, name, ast.Load())
                      for name in columns_of(self.made)}
            is_other = ast.Compare(call(self.constant(type), value), [ast.IsNot()],
                                   [self.constant(cls)])
            return [ast.If(is_other, [ast.Raise(self.constant(Unfit))], []),
                    *self._put(Item(cls, fields))]
        if item.cls is not cls or list(item.fields) != list(columns_of(self.made)):
            raise NoLoop("what comes out is not made where it is put out",
                         self.operators[-1].span if self.operators else None)
        values = list(item.fields.values())
        self.puts.append(values)
        made = [call(named(f"put{n}"), value) for n, (value, source) in
                enumerate(zip(values, self.copies)) if source is None]
        kept = [call(named("keep"), named("row"))] if any(self.copies) else []
        return [ast.Expr(each) for each in (*made, *kept)]


def assign(target: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([named(target, ast.Store())], value)


def named(name: str, context: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, context or ast.Load())


def call(function: ast.expr, *given: ast.expr) -> ast.Call:
    return ast.Call(function, list(given), [])


def _indented(body: Statements, depth: int) -> list[str]:
    module = ast.fix_missing_locations(ast.Module(body or [ast.Pass()], []))
    return ["    " * depth + line for line in ast.unparse(module).splitlines()]
