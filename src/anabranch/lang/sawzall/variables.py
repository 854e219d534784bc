"""Variables, static values, functions: what declares and what assigns them.

`Around` is what is around a statement: its function, its loops, and what they must know of each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import BYTES, STR, Type
from anabranch.lang.common.codegen import generated
from anabranch.lang.common.syntax import Name, Node
from anabranch.lang.common.terms import Constant, Term, is_partial
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.syntax import PARTS
from anabranch.lang.sawzall.tables import Table, TableOf
from anabranch.lang.sawzall.types import (
    VOID,
    ArrayOf,
    Composed,
    ComposedMap,
    FunctionOf,
    MapOf,
    is_composite,
    plain,
    same,
    shown,
)

if TYPE_CHECKING:
    from anabranch.lang.sawzall.check import Checker


@dataclass
class LoopContext:
    """A loop, or a switch when `step` is None. `step` writes what comes before the next turn;
    `again` is the variable by which a switch tells the loop around it to go on."""

    step: Callable[[], None] | None
    again: str | None = None
    used: bool = False


@dataclass
class Around:
    """`result` is that of the function (None in no function), `results` the types of the results of
    a statement expression, and `changed` the variables from outside that are assigned to. `sums`
    are the names of the sums of tables, which the `heads` define where the function begins."""

    result: Type | None = None
    depth: int = 0
    changed: set[str] = field(default_factory=set)
    loops: list[LoopContext] = field(default_factory=list)
    results: list[Type] | None = None
    sums: dict[int, str] = field(default_factory=dict)
    heads: list[str] = field(default_factory=list)


INPUT = "input"


class Declaring:
    """The part of the generator that writes declarations."""

    def write_typedeclaration(self, node: syntax.TypeDeclaration) -> None:
        self.types.declare(node)

    def write_variable(self, node: syntax.Variable) -> None:
        kind = None if node.kind is None else self.types.of(node.kind)
        if isinstance(plain(kind), TableOf):
            self.declare_table(node, plain(kind))
        elif node.static:
            with self.static():
                self._static(node, kind)
        elif isinstance(node.value, syntax.Closure):
            self._named_function(node, kind, False)
        elif str(node.name) == INPUT and node.value is None and len(self.names.blocks) == 2:
            self._input(node, kind)
        else:
            self._variable(node, kind)

    @contextmanager
    def static(self) -> Iterator[None]:
        """What is written meanwhile is computed once, before any record is read, and before what is
        static around it."""
        before = self.lines, self.floor, self.around
        self.lines, self.floor = type(self.statics)(), self.around.depth + 1
        self.around = Around(depth=self.around.depth)
        yield
        self.statics.extend(self.lines)
        self.lines, self.floor, self.around = before

    def _static(self, node: syntax.Variable, kind: Type | None) -> None:
        if node.value is None:
            raise ProgramError("a static variable needs a value", node.span)
        if isinstance(node.value, syntax.Closure):
            self._named_function(node, kind, True)
            return
        kind, value = self._declared(node, kind)
        text = self.names.python_name(node.name)
        literal = value.value if isinstance(value, Constant) else None
        self.names.declare(node.name, Local(kind, text, self.around.depth, static=True,
                                            literal=literal))
        self.lines.add(f"{text} = {text_of(value)}", node.span)

    def _input(self, node: syntax.Variable, kind: Type) -> None:
        """`input: string;` says how the records are read."""
        if plain(kind) not in (BYTES, STR):
            raise ProgramError("a record is bytes or a string", node.kind.span, got=shown(kind))
        value = syntax.Variable(node.span, node.name, node.kind, node.name)
        self._variable(value, kind)

    def _variable(self, node: syntax.Variable, kind: Type | None) -> None:
        kind, value = self._declared(node, kind)
        text = self.names.python_name(node.name)
        partial = value is not None and is_partial(value)
        # What may be undefined later, by an assignment that is ignored, is so from the start.
        unsure = value is None or partial or self.ignores or self.undefines
        self.names.declare(node.name, Local(kind, text, self.around.depth, unsure=unsure))
        if not partial:
            self.lines.add(f"{text} = {None if value is None else text_of(value)}", node.span)
            return
        self.lines.add("try:", node.span)
        with self.lines.indented():
            self.lines.add(f"{text} = {text_of(value)}", node.span)
        self.lines.add("except Undefined:", node.span)
        with self.lines.indented():
            self.lines.add(f"{text} = None", node.span)

    def _declared(self, node: syntax.Variable, kind: Type | None) -> tuple[Type, Term | None]:
        """The type and the value; without a type, the value has one of its own."""
        changes = str(node.name) in self.changing.names
        if kind is not None:
            if node.value is None:
                return kind, None
            return kind, self.checker.kept(node.value, kind, converts=True, changes=changes)
        value = self.checker.value(node.value)
        if isinstance(value.type, (Composed, ComposedMap)):
            raise ProgramError("the type of this is not clear", node.value.span,
                               help=f"write `{node.name}: array of ... = ...`, or a tuple or a map")
        return value.type, self.checker.copy(node.value, value, changes)

    def _named_function(self, node: syntax.Variable, kind: Type | None, static: bool) -> None:
        """A function is known by its name in its own body."""
        own = self.types.of(node.value.kind)
        if kind is not None and not same(kind, own):
            raise ProgramError("this has the wrong type", node.value.span, expected=shown(kind),
                               got=shown(own))
        if not isinstance(plain(own), FunctionOf):
            raise ProgramError("this is not the type of a function", node.value.kind.span,
                               got=shown(own))
        text = self.names.python_name(node.name)
        unsure = not static and (self.ignores or self.undefines)
        self.names.declare(node.name, Local(own, text, self.around.depth, static, unsure))
        self.function(node.value, plain(own), str(node.name), text)

    def function(self, node: syntax.Closure, kind: FunctionOf, name: str, text: str | None = None
                 ) -> str:
        """Writes a function, and gives its Python name."""
        text = text or self.names.python_name(name)
        outer, self.around = self.around, Around(kind.result, self.around.depth + 1)
        self.names.open()
        parameters = [self._parameter(n, t) for n, t in zip(kind.names, kind.parameters)]
        self.lines.add(f"def {text}({', '.join(['run', *parameters])}):", node.span)
        with self.lines.indented():
            self._function_body(node, kind, parameters)
            if kind.result != VOID:
                self.lines.add(f"nothing_returned({name!r})", node.span)
        self.names.close()
        self.around = outer
        return text

    def _parameter(self, name: str, kind: Type) -> str:
        text, found = self.names.python_name(name), plain(kind)
        unsure = self.ignores or self.undefines
        self.names.blocks[-1][name] = Local(kind, text, self.around.depth, unsure=unsure) \
            if not isinstance(found, TableOf) else \
            Table(name, text, found.kind, found.indices, found.value, found.weight, None, text,
                  node=found.node)
        return text

    def _function_body(self, node: syntax.Closure, kind: FunctionOf, texts: list[str]) -> None:
        place = self.lines.reserve()
        for name, text, item in zip(kind.names, texts, kind.parameters):
            if name in self.changing.names and is_composite(item):
                self.lines.add(f"{text} = copied({text})", node.span)
        with self._ending(node.span):
            self.write_all(node.body.statements)
        self.fill_head(place)

    @contextmanager
    def _ending(self, span: Span) -> Iterator[None]:
        """Around the statements of a function: one that needs an undefined value ends the run."""
        if self.ignores:
            # Each statement passes over what it needs by itself.
            yield
            return
        self.lines.add("try:", span)
        with self.lines.indented():
            yield
        self.lines.add("except Undefined as error:", span)
        with self.lines.indented():
            self.lines.add("raise ended(error) from None", span)

    def fill_head(self, place: int) -> None:
        """Writes what stands where a function begins, once it is known."""
        changed = ", ".join(sorted(self.around.changed))
        heads = [f"nonlocal {changed}"] * bool(changed) + self.around.heads
        if heads:
            self.lines.fill(place, "; ".join(heads))

    def statement_expression(self, node: syntax.StatementExpression) -> tuple[Type, str]:
        """Writes the statements as a function without parameters; gives its type and name."""
        text, types = self.names.python_name("result"), []
        outer, self.around = self.around, Around(None, self.around.depth + 1, results=types)
        self.lines.add(f"def {text}():", node.span)
        with self.lines.indented():
            place = self.lines.reserve()
            with self._ending(node.span):
                self.write_block(node.body)
            self.fill_head(place)
            self.lines.add("nothing_resulted()", node.span)
        self.around = outer
        if not types:
            raise ProgramError("a statement expression needs a 'result'", node.span)
        return types[0], text


def text_of(term: Term) -> str:
    return generated(term, str)


def variable_of(checker: Checker, target: Node) -> Local:
    """The variable that an assignment changes."""
    while isinstance(target, PARTS):
        target = target.value
    found = checker.names.find(target) if isinstance(target, Name) else None
    if not isinstance(found, Local):
        raise ProgramError("this cannot be assigned to", target.span)
    if found.static:
        raise ProgramError(f"'{target}' is static and does not change", target.span)
    if found.quantifies:
        raise ProgramError(f"'{target}' is a quantifier and does not change", target.span)
    checker.generator.check_reach(found, target)
    return found


def target_type(checker: Checker, target: Node) -> Type:
    """The type of what is assigned to; a variable needs no value for that."""
    return variable_of(checker, target).type if isinstance(target, Name) else \
        checker.check(target).type


def assigned(checker: Checker, target: Node, value: str) -> str:
    """The Python statement that puts a value, given as text, into the target."""
    if isinstance(target, Name):
        return f"{variable_of(checker, target).text} = {value}"
    owner = checker.place(target.value)
    kind, text = plain(owner.type), text_of(owner)
    if isinstance(target, syntax.Field):
        return f"{text}[{checker.position(target, owner.type)}] = {value}"
    if isinstance(target, syntax.Slice):
        ends = [text_of(checker.index(end, owner)) for end in (target.start, target.end)]
        return assigned(checker, target.value, f"with_slice({text}, {', '.join(ends)}, {value})")
    if isinstance(kind, MapOf):
        return f"{text}[{text_of(checker.key(target.index, kind.key))}] = {value}"
    index = text_of(checker.index(target.index, owner))
    if isinstance(kind, ArrayOf):
        return f"set_item({text}, {index}, {value})"
    if kind not in (STR, BYTES):
        raise ProgramError("a part of this cannot be assigned to", target.span, got=shown(kind))
    change = "text_with" if kind == STR else "bytes_with"
    return assigned(checker, target.value, f"{change}({text}, {index}, {value})")
