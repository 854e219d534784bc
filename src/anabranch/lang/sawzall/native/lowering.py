"""From the syntax of a simple program to the source of a loop that can be compiled.

What is emitted is a basic value, or a text that is put together of them.

A value has one of three kinds: a whole number, a truth value, or a text, which is the place of its
bytes. Whatever else there is makes the program one for the usual function (`NotSimple`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from anabranch.ir.types import INT, STR, Type
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.library import texts as formats
from anabranch.lang.sawzall.native import sites as writing
from anabranch.lang.sawzall.native.expressions import (
    Expressions,
    NotSimple,
    Saw,
    variables,
)
from anabranch.lang.sawzall.native.sites import (
    KINDS,
    LOWER,
    NUMBER,
    PIECES,
    TEXT,
    TRUTH,
    Joined,
    Part,
    Site,
)
from anabranch.lang.sawzall.syntax import CHANGES, counts_up, walk
from anabranch.lang.sawzall.tables import Table
from anabranch.lang.sawzall.types import TupleOf, plain
from anabranch.plan.logical.plan import Reason

Emitted = tuple[Part | Joined, list[str]]
"""A part of an emission, and the texts of what it is made of but for constants."""


class Joining:
    """The part of the lowering that knows `format`, `string(n)` and sums of texts."""

    def part(self, node: Node, kind: Type) -> Emitted:
        kind = plain(kind)
        if isinstance(node, Literal) and node.type == kind:
            return Part(kind, node.value), []
        joined = self._joined(node) if kind == STR else None
        if joined is not None:
            return joined
        found, text = self.value(node)
        if found == LOWER and kind == STR:
            return Part(kind, lower=True), [text]
        if found != KINDS[kind]:
            raise NotSimple(f"a {found} for a {KINDS[kind]}")
        return Part(kind), [f"(1 if {text} else 0)" if KINDS[kind] == TRUTH else text]

    def _joined(self, node: Node) -> Emitted | None:
        """A text that is put together, if it is one."""
        if isinstance(node, Operation) and node.operator == "+":
            return self._parts("%s%s", node.operands, "ss")
        name = str(node.function) if isinstance(node, syntax.Invoke) else None
        if name == "string" and len(node.arguments) == 1:
            kind, text = self.value(node.arguments[0])
            return (Joined("%d", (Part(INT),)), [text]) if kind == NUMBER else \
                (Part(STR, lower=kind == LOWER), [text]) if kind in (TEXT, LOWER) else None
        if name != "format" or name in self.kinds or not isinstance(node.arguments[0], Literal):
            return None
        return self._format(*node.arguments)

    def _format(self, pattern: Literal, *values: Node) -> Emitted:
        python = formats.as_python(pattern.value)
        if python is None:
            raise NotSimple("this format")
        return self._parts(python, values, [verb for _, verb in formats.verbs(pattern.value)])

    def _parts(self, pattern: str, values: tuple[Node, ...], verbs: object) -> Emitted:
        found = [self.part(value, STR if verb == "s" else INT)
                 for value, verb in zip(values, verbs)]
        return (Joined(pattern, tuple(part for part, _ in found)),
                [text for _, texts in found for text in texts])


def lowered(statements: tuple[Node, ...], tables: tuple[Table, ...]) -> LoopLowering | Reason:
    """The body of the loop of a program, or why it has none."""
    lowering, at = LoopLowering({table.name: table for table in tables}), None
    try:
        for at in statements:
            lowering.write(at)
    except NotSimple as what:
        return Reason(f"{what} is not compiled", at.span)
    if not lowering.sites or not (lowering.used or lowering.whole):
        return Reason("it emits nothing of its lines, so there is nothing to compile")
    lowering.finish()
    return lowering


@dataclass
class LoopLowering(Joining, Expressions):
    """Writes the body of the loop."""

    tables: Mapping[str, Table]
    sites: list[Site] = field(default_factory=list)
    loops: int = 0

    def write(self, node: Node) -> None:
        name = type(node).__name__.lower()
        method = getattr(self, f"write_{name}", None)
        if method is None:
            raise NotSimple(STATEMENTS.get(name, "this statement"))
        method(node)

    def write_typedeclaration(self, node: syntax.TypeDeclaration) -> None:
        """Types have been checked before."""

    def write_block(self, node: syntax.Block) -> None:
        with self._inner():
            for statement in node.statements:
                self.write(statement)

    @contextmanager
    def _inner(self) -> Iterator[None]:
        """Names that are declared here are gone at the end."""
        before, self.kinds = self.kinds, dict(self.kinds)
        yield
        self.kinds = before

    def write_variable(self, node: syntax.Variable) -> None:
        name = str(node.name)
        if name in self.tables:
            return
        if node.value is None:
            raise NotSimple("a variable without a value")
        if _splits(node):
            self.fields = name
            return
        if self._saws(node):
            self.kinds[name] = PIECES, self.write_saw(node.value)
            return
        kind, text = self.value(node.value)
        if node.kind is not None and KINDS_OF_NAMES.get(str(node.kind)) != kind:
            raise NotSimple("this conversion")
        self.fresh += 1
        self.kinds[name] = kind, f"{name}_{self.fresh}"
        self.add(f"{variables(*self.kinds[name])} = {text}")

    def _saws(self, node: syntax.Variable) -> bool:
        """`words := sawzall(text, pattern)`."""
        call = node.value
        return isinstance(call, syntax.Invoke) and _is_array(node.kind, "string") and \
            str(call.function) in ("saw", "sawzall") and str(call.function) not in self.kinds

    def write_assign(self, node: syntax.Assign) -> None:
        if not isinstance(node.target, Name) or str(node.target) not in self.kinds:
            raise NotSimple("this assignment")
        kind, name = self.kinds[str(node.target)]
        self.add(f"{variables(kind, name)} = {self.wanted(node.value, kind)}")

    def write_increment(self, node: syntax.Increment) -> None:
        one = Literal(node.span, 1, INT)
        self.write_assign(syntax.Assign(node.span, node.target, Operation(
            node.span, node.operator, (node.target, one))))

    def write_return(self, node: syntax.Return) -> None:
        if self.loops:
            self.add("returned = True")
        self.add("break")

    def write_leave(self, node: syntax.Leave) -> None:
        if not self.loops:
            raise NotSimple("'break'")
        self.add("break")

    def write_loop(self, node: syntax.Loop) -> None:
        """`for (i := 0; i < len(pieces); i++)`, or up to a number that stays as it is."""
        if node.first is None or (node.first.kind is not None and str(node.first.kind) != "int") \
                or not counts_up(node):
            raise NotSimple("this loop")
        name, bound = str(node.first.name), node.condition.operands[1]
        [owner] = bound.arguments if isinstance(bound, syntax.Invoke) and \
            str(bound.function) == "len" and len(bound.arguments) == 1 else [None]
        saw = self.saw_of(owner)
        with self._inner():
            if saw is not None and saw.endless and getattr(node.first.value, "value", None) == 0:
                self._over_pieces(name, saw, node.body)
            else:
                self._counting(name, node, bound)

    def _counting(self, name: str, node: syntax.Loop, bound: Node) -> None:
        changed = {str(each.target) for each in walk(node.body) if isinstance(each, CHANGES)}
        if {str(each) for each in walk(bound) if isinstance(each, Name)} & changed:
            raise NotSimple("a loop whose end changes")
        ends = [self.wanted(each, NUMBER) for each in (node.first.value, bound)]
        self._declare(name)
        self._repeat(f"for {variables(*self.kinds[name])} in range({', '.join(ends)}):", node.body)

    def _declare(self, name: str) -> None:
        self.fresh += 1
        self.kinds[name] = NUMBER, f"{name}_{self.fresh}"

    def write_when(self, node: syntax.When) -> None:
        """`when (i: each int; def(pieces[i]))`, and other conditions of a piece."""
        if len(node.quantifiers) != 1 or node.quantifiers[0].mode != "each":
            raise NotSimple("this 'when'")
        name = str(node.quantifiers[0].name)
        owners = {str(each.value): self.saw_of(each.value) for each in walk(node.condition)
                  if isinstance(each, (syntax.Item, syntax.Slice)) and str(each.index if isinstance(
                      each, syntax.Item) else each.start) == name}
        [saw] = owners.values() if len(owners) == 1 else [None]
        if saw is None or not saw.endless:
            raise NotSimple("this 'when'")
        with self._inner():
            self._over_pieces(name, saw, syntax.If(node.span, node.condition, node.body, None))

    def _over_pieces(self, name: str, saw: Saw, body: Node) -> None:
        """A search for one piece after another."""
        self._declare(name)
        count, self.fresh = variables(*self.kinds[name]), self.fresh + 1
        at, ends = f"at{self.fresh}", f"f{self.fresh}, l{self.fresh}"
        before, self.over = self.over, {**self.over, name: (saw.number, f"({ends})")}
        self.add(f"{at} = {saw.start}")
        self.add(f"{count} = -1")
        self._repeat("while True:", body, (
            f"{ends} = found(data, {at}, {saw.end}, {saw.searches[0]})",
            f"if f{self.fresh} < 0: break", f"{at} = l{self.fresh}", f"{count} += 1"))
        self.over = before

    def _repeat(self, head: str, body: Node, first: tuple[str, ...] = ()) -> None:
        self.add("returned = False")
        self.add(head)
        self.depth, self.loops = self.depth + 1, self.loops + 1
        for line in first:
            self.add(line)
        with self._inner():
            self.write(body)
        self.add("pass")
        self.depth, self.loops = self.depth - 1, self.loops - 1
        self.add("if returned: break")

    def write_proceed(self, node: syntax.Proceed) -> None:
        if not self.loops:
            raise NotSimple("'continue'")
        self.add("continue")

    def write_if(self, node: syntax.If) -> None:
        self.add(f"if {self.wanted(node.condition, TRUTH)}:")
        self._branch(node.then)
        if node.otherwise is not None:
            self.add("else:")
            self._branch(node.otherwise)

    def _branch(self, node: Node) -> None:
        self.depth += 1
        with self._inner():
            self.write(node)
        self.add("pass")
        self.depth -= 1

    def write_emit(self, node: syntax.Emit) -> None:
        indices, target = [], node.target
        while isinstance(target, syntax.Item):
            indices.insert(0, target.index)
            target = target.value
        table = self.tables.get(str(target))
        if table is None or not _is_simple(table):
            raise NotSimple(f"the table '{target}'")
        items = self._items(table, node.value)
        adds = table.kind == "sum"
        given = [*zip(indices, table.indices), *([] if adds else items),
                 *([] if node.weight is None else [(node.weight, table.weight)])]
        found = [self.part(*pair) for pair in given]
        site = Site(table.emitter, len(indices), len(items), isinstance(
            plain(table.value), TupleOf), adds, tuple(part for part, _ in found),
            _extreme(table, found[-1][0] if found else None), self.loops > 0)
        added = [self.wanted(item, NUMBER) for item, _ in items] if adds else ["1"]
        self.sites.append(site)
        texts = [text for _, all_ in found for text in all_]
        for line in writing.aside(site, len(self.sites), texts, added):
            self.add(line)

    def _items(self, table: Table, value: Node) -> list[tuple[Node, object]]:
        """The value as it is, or the items of a tuple."""
        kind = plain(table.value)
        if not isinstance(kind, TupleOf):
            return [(value, kind)]
        if not isinstance(value, syntax.Composite):
            raise NotSimple("a tuple that is not written out")
        return list(zip(value.items, kind.items))


STATEMENTS = {"doloop": "a loop", "switch": "'switch'",
              "evaluate": "a call", "include": "'include'"}
KINDS_OF_NAMES = {"int": NUMBER, "bool": TRUTH, "string": TEXT, "bytes": TEXT}


def _splits(node: syntax.Variable) -> bool:
    """`fields: array of bytes = splitcsvline(input)`."""
    call = node.value
    return _is_array(node.kind, "bytes", "string") and isinstance(call, syntax.Invoke) and \
        str(call.function) == "splitcsvline" and [str(a) for a in call.arguments] == ["input"]


def _extreme(table: Table, weight: Part | Joined | None) -> int:
    """1 or -1 for a table of the greatest or the least, whatever the key."""
    known = weight is not None and weight.type == INT and weight.width and not table.indices
    return {"maximum": 1, "minimum": -1}.get(table.kind, 0) if known else 0


def _is_array(kind: Node | None, *items: str) -> bool:
    """Whether a variable is declared as such an array, or without a type."""
    return kind is None or (isinstance(kind, syntax.ArrayKind) and str(kind.item) in items)


def _is_simple(table: Table) -> bool:
    """Whether it takes basic values, whose order does not matter."""
    value = plain(table.value)
    items = value.items if isinstance(value, TupleOf) else (value,)
    kinds = [plain(t) for t in (*table.indices, *items, *filter(None, [table.weight]))]
    known = set(items) == {INT} if table.kind == "sum" else \
        table.rule.fold is not None and table.rule.commutative
    return known and all(kind in KINDS for kind in kinds) and \
        not table.formats and not table.names_file
