"""From the syntax of a simple program to the source of a loop that can be compiled.

A value has one of three kinds: a whole number, a truth value, or a text, which is the place of its
bytes. Whatever else there is makes the program one for the usual function (`NotSimple`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from anabranch.ir.types import INT
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.fast import writing
from anabranch.lang.sawzall.fast.calls import NotSimple
from anabranch.lang.sawzall.fast.expressions import Expressions, variables
from anabranch.lang.sawzall.fast.sites import KINDS, NUMBER, TEXT, TRUTH, Part, Site
from anabranch.lang.sawzall.tables import Table
from anabranch.lang.sawzall.types import TupleOf, plain
from anabranch.plan import Reason


def lowered(statements: tuple[Node, ...], tables: tuple[Table, ...]) -> Lowering | Reason:
    """The body of the loop of a program, or why it has none."""
    lowering, at = Lowering({table.name: table for table in tables}), None
    try:
        for at in statements:
            lowering.write(at)
    except NotSimple as what:
        return Reason(f"{what} is not compiled", at.span)
    if not lowering.sites or not (lowering.used or lowering.whole):
        return Reason("it emits nothing of its lines, so there is nothing to compile")
    return lowering


@dataclass
class Lowering(Expressions):
    """Writes the body of the loop."""

    tables: Mapping[str, Table]
    sites: list[Site] = field(default_factory=list)

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
        kind, text = self.value(node.value)
        if node.kind is not None and KINDS_OF_NAMES.get(str(node.kind)) != kind:
            raise NotSimple("this conversion")
        self.fresh += 1
        self.kinds[name] = kind, f"{name}_{self.fresh}"
        self.add(f"{variables(*self.kinds[name])} = {text}")

    def write_assign(self, node: syntax.Assign) -> None:
        if not isinstance(node.target, Name) or str(node.target) not in self.kinds:
            raise NotSimple("this assignment")
        kind, name = self.kinds[str(node.target)]
        self.add(f"{variables(kind, name)} = {self.wanted(node.value, kind)}")

    def write_increment(self, node: syntax.Increment) -> None:
        one = Literal(node.span, 1, INT)
        self.write_assign(syntax.Assign(node.span, node.target, Operation(
            node.span, node.operator, (node.target, one))))

    def write_give(self, node: syntax.Give) -> None:
        self.add("break")

    def write_branch(self, node: syntax.Branch) -> None:
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
        found = [self._part(*pair) for pair in given]
        site = Site(table.emitter, len(indices), len(items), isinstance(
            plain(table.value), TupleOf), adds, tuple(part for part, _ in found))
        added = [self.wanted(item, NUMBER) for item, _ in items] if adds else ["1"]
        self.sites.append(site)
        for line in writing.aside(site, len(self.sites), [t for _, t in found if t], added):
            self.add(line)

    def _items(self, table: Table, value: Node) -> list[tuple[Node, object]]:
        """The value as it is, or the items of a tuple."""
        kind = plain(table.value)
        if not isinstance(kind, TupleOf):
            return [(value, kind)]
        if not isinstance(value, syntax.Composite):
            raise NotSimple("a tuple that is not written out")
        return list(zip(value.items, kind.items))

    def _part(self, node: Node, kind: object) -> tuple[Part, str]:
        """What is emitted, and its text unless it is constant."""
        kind = plain(kind)
        if isinstance(node, Literal) and node.type == kind:
            return Part(kind, node.value), ""
        text = self.wanted(node, KINDS[kind])
        return Part(kind), f"(1 if {text} else 0)" if KINDS[kind] == TRUTH else text


STATEMENTS = {"loop": "a loop", "doloop": "a loop", "when": "'when'", "switch": "'switch'",
              "evaluate": "a call", "include": "'include'"}
KINDS_OF_NAMES = {"int": NUMBER, "bool": TRUTH, "string": TEXT, "bytes": TEXT}


def _splits(node: syntax.Variable) -> bool:
    """`fields: array of bytes = splitcsvline(input)`."""
    call = node.value
    kinds = node.kind is None or (isinstance(node.kind, syntax.ArrayKind)
                                  and str(node.kind.item) in ("bytes", "string"))
    return kinds and isinstance(call, syntax.Invoke) and str(call.function) == "splitcsvline" \
        and [str(a) for a in call.arguments] == ["input"]


def _is_simple(table: Table) -> bool:
    """Whether it takes basic values, whose order does not matter."""
    value = plain(table.value)
    items = value.items if isinstance(value, TupleOf) else (value,)
    kinds = [plain(t) for t in (*table.indices, *items, *filter(None, [table.weight]))]
    known = set(items) == {INT} if table.kind == "sum" else \
        table.rule.fold is not None and table.rule.commutative
    return known and all(kind in KINDS for kind in kinds) and \
        not table.formats and not table.names_file
