"""From statements to Python: a program is a function of a record.

Every line of the generated text has the place in the program that it comes from.

Variables get names of their own, so that blocks of Sawzall can be parts of one Python function. An
undefined value is the exception `Undefined`; a variable without a value is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.types import INT, STR
from anabranch.lang.common.syntax import Literal, Name, Node, Operation
from anabranch.lang.common.terms import Term, is_partial
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.check import Checker
from anabranch.lang.sawzall.conversion import Converter
from anabranch.lang.sawzall.emission import Emitting
from anabranch.lang.sawzall.loops import Controlling, Quantifying
from anabranch.lang.sawzall.names import Local, Names, Types
from anabranch.lang.sawzall.syntax import (
    PARTS,
    Changing,
    calls_any,
    changing,
    has_messages,
    walk,
)
from anabranch.lang.sawzall.types import VOID
from anabranch.lang.sawzall.variables import (
    Around,
    Declaring,
    assigned,
    target_type,
    text_of,
    variable_of,
)


class Generator(Declaring, Controlling, Quantifying, Emitting):
    """Writes statements as Python, into `statics` what is done once, into `lines` the rest.

    With `ignores`, a statement that needs an undefined value is passed over.
    """

    def __init__(self, names: Names, statements: tuple[Node, ...], zone: str, *,
                 ignores: bool = False, folds: bool = False):
        self.names, self.ignores, self.folding = names, ignores, folds
        self.scope: dict[str, object] = {}
        self.converter = Converter(self.scope, zone)
        self.has_messages = has_messages(statements)
        self.types, self.checker = Types(names, self), Checker(names, self, self.converter)
        self.changing: Changing = changing(statements)
        self.undefines = calls_any(statements, ("___undefine", "__undefine"))
        self.statics, self.lines = GeneratedLines(), GeneratedLines(1)
        self.tables: list = []
        self.around = Around()
        self.floor: int | None = None
        self.begin = self.lines.reserve()

    def write(self, node: Node) -> None:
        getattr(self, f"write_{type(node).__name__.lower()}")(node)

    def write_program(self, statements: tuple[Node, ...]) -> None:
        self.names.open()
        self.write_all(statements)
        self.fill_head(self.begin)

    def write_all(self, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            self.write(node)

    def write_block(self, node: syntax.Block) -> None:
        self.names.open()
        self.write_all(node.statements)
        self.names.close()

    def body(self, node: Node) -> None:
        """A statement as a block of its own, one step further in."""
        with self.lines.indented():
            self.write_block(syntax.Block(node.span, (node,)))

    def check_reach(self, local: Local, node: Name) -> None:
        """Refuses a variable that is not there yet when static values are computed."""
        if self.floor is not None and not local.static and local.depth < self.floor:
            raise ProgramError(f"'{node}' is not static", node.span,
                               help="a static value is computed before any record is read")

    @contextmanager
    def attempted(self, partial: bool, span: Span, otherwise: str = "") -> Iterator[None]:
        """Around a line that may need an undefined value: it is passed over where that is asked."""
        if not (self.ignores and partial):
            yield
            return
        self.lines.add("try:", span)
        with self.lines.indented():
            yield
        self.lines.add("except Undefined:", span)
        with self.lines.indented():
            self.lines.add("run.ignored += 1", span)
            if otherwise:
                self.lines.add(otherwise, span)

    def evaluated(self, node: Node, term: Term, name: str) -> str:
        """The text of a value that a statement needs; None when it is undefined and ignored."""
        text = text_of(term)
        if not (self.ignores and is_partial(term)):
            return text
        name = self.names.python_name(name)
        with self.attempted(True, node.span, f"{name} = None"):
            self.lines.add(f"{name} = {text}", node.span)
        return name

    def change(self, local: Local) -> None:
        """Notes that a variable is assigned to, maybe from inside of another function."""
        if local.depth != self.around.depth:
            self.around.changed.add(local.text)

    def write_assign(self, node: syntax.Assign) -> None:
        self.names.open()
        local, target = variable_of(self.checker, node.target), self._settled(node.target)
        kind = target_type(self.checker, target)
        changes = not isinstance(target, Name) or str(target) in self.changing.names
        value = self.checker.kept(node.value, kind, changes=changes)
        self._assign(local, target, value, node.span)
        self.names.close()

    def _assign(self, local: Local, target: Node, value: Term, span: Span) -> None:
        self.change(local)
        text = assigned(self.checker, target, text_of(value))
        partial = is_partial(value) or not isinstance(target, Name)
        with self.attempted(partial, span, f"{local.text} = None"):
            self.lines.add(text, span)

    def write_increment(self, node: syntax.Increment) -> None:
        self.names.open()
        node = replace(node, target=self._settled(node.target))
        term = self.checker.check_operation(_stepped(node))
        self._assign(variable_of(self.checker, node.target), node.target, term, node.span)
        self.names.close()

    def _settled(self, target: Node) -> Node:
        """A place that is read and written, with names for the indices that call functions: each is
        computed once."""
        if not isinstance(target, PARTS):
            return target
        target = replace(target, value=self._settled(target.value))
        calls = (syntax.Invoke, syntax.StatementExpression)
        if not isinstance(target, syntax.Item) or not any(
                isinstance(n, calls) for n in walk(target.index)) or any(
                isinstance(n, syntax.Length) for n in walk(target.index)):
            return target
        term, text = self.checker.value(target.index), self.names.python_name("index")
        with self.attempted(is_partial(term), target.span, f"{text} = None"):
            self.lines.add(f"{text} = {text_of(term)}", target.span)
        # No name of the user's has a space in it.
        name = Name(target.index.span, (f"index {text}",))
        self.names.declare(name, Local(term.type, text, self.around.depth, unsure=self.ignores))
        return replace(target, index=name)

    def write_evaluate(self, node: syntax.Evaluate) -> None:
        term = self.checker.check(node.expression)
        with self.attempted(is_partial(term), node.span):
            self.lines.add(text_of(term), node.span)

    def undefine(self, local: Local, node: Node) -> None:
        self.change(local)
        self.lines.add(f"{local.text} = None", node.span)

    def setter(self, targets: list[Node], ends: bool) -> str:
        """A function that puts what was left of a sawn text into variables: where patterns asked
        for it, and for the last one, if it `ends` the saw, at the end."""
        name = self.names.python_name("rest")
        locals_ = [variable_of(self.checker, target) for target in targets]
        self.lines.add(f"def {name}(found):", targets[0].span)
        with self.lines.indented():
            for text in dict.fromkeys(local.text for local in locals_):
                self.lines.add(f"nonlocal {text}", targets[0].span)
            for place, target in enumerate(targets):
                self._set_rest(target, place, ends and place == len(targets) - 1)
            self.lines.add("return found", targets[0].span)
        for local in locals_:
            self.change(local)
        return name

    def _set_rest(self, target: Node, place: int, last: bool) -> None:
        if target_type(self.checker, target) != STR:
            raise ProgramError("the rest of a text is a string", target.span)
        if last:
            self.lines.add(assigned(self.checker, target, "found[1]"), target.span)
            return
        self.lines.add(f"if len(found[2]) > {place}:", target.span)
        with self.lines.indented():
            self.lines.add(assigned(self.checker, target, f"found[2][{place}]"), target.span)

    def write_return(self, node: syntax.Return) -> None:
        if self.around.results is not None:
            raise ProgramError("'return' cannot stand in a statement expression", node.span,
                               help="write 'result'")
        wanted = VOID if self.around.result is None else self.around.result
        if (node.value is None) != (wanted == VOID):
            raise ProgramError("this returns something else than its function does", node.span,
                               expected=str(wanted))
        if node.value is None:
            self.lines.add("return", node.span)
            return
        term = self.checker.kept(node.value, wanted)
        if not is_partial(term):
            self.lines.add(f"return {text_of(term)}", node.span)
            return
        self.lines.add("try:", node.span)
        with self.lines.indented():
            self.lines.add(f"return {text_of(term)}", node.span)
        self.lines.add("except Undefined:", node.span)
        with self.lines.indented():
            self.lines.add("return None", node.span)

    def write_result(self, node: syntax.Result) -> None:
        if self.around.results is None:
            raise ProgramError("'result' stands only in a statement expression", node.span)
        found = self.around.results
        term = self.checker.kept(node.value, found[0]) if found else self.checker.value(node.value)
        if not found:
            found.append(term.type)
        if self.ignores or not is_partial(term):
            self.lines.add(f"return {text_of(term)}", node.span)
            return
        self.lines.add("try:", node.span)
        with self.lines.indented():
            self.lines.add(f"return {text_of(term)}", node.span)
        self.lines.add("except Undefined as error:", node.span)
        with self.lines.indented():
            self.lines.add("raise Resulting(error) from None", node.span)


def _stepped(node: syntax.Increment) -> Operation:
    """`x + 1` for `x++`."""
    return Operation(node.span, node.operator, (node.target, Literal(node.span, 1, INT)))


class GeneratedLines:
    """Text with an indentation, and the span of each line."""

    def __init__(self, depth: int = 0):
        self.lines: list[str] = []
        self.spans: dict[int, Span] = {}
        self.depth = depth

    def add(self, text: str, span: Span | None) -> None:
        self.lines.append(" " * self.depth + text)
        if span is not None:
            self.spans[len(self.lines)] = span

    def extend(self, others: GeneratedLines) -> None:
        """Adds the lines of others, as they are."""
        before = len(self.lines)
        self.lines += others.lines
        self.spans |= {before + line: span for line, span in others.spans.items()}

    def reserve(self) -> int:
        """Keeps a line for `fill`, and gives its place."""
        self.add("pass", None)
        return len(self.lines) - 1

    def fill(self, place: int, text: str) -> None:
        line = self.lines[place]
        self.lines[place] = line[:len(line) - len("pass")] + text

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.add("pass", None)
        self.depth -= 1
