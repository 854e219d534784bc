"""Statements as the lines of a Python function.

Each line tells the user's own in a comment. What a body gives to its output ports is yielded: the
tuple itself where there is one port, else a record with the number of the port.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import singledispatchmethod

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.ir.function import Function
from anabranch.ir.records import record_class
from anabranch.ir.types import INT, OptionalOf, Type
from anabranch.lang.spl import syntax
from anabranch.lang.spl.coding.expressions import Call, Expressions
from anabranch.lang.spl.coding.lines import Lines
from anabranch.lang.spl.coding.operations import Code, text_of
from anabranch.lang.spl.coding.runtime import SCOPE
from anabranch.lang.spl.coding.scopes import PRINTS, Binding, Called, Module, Scope
from anabranch.lang.spl.syntax import Node
from anabranch.lang.spl.types import (
    VOID,
    Collection,
    SplType,
    TupleOf,
    field_name,
    is_list,
    is_string,
)

TRACES = ("appTrc", "appLog", "log")


@dataclasses.dataclass(frozen=True)
class Ports:
    """The output ports of an operator, by the names of their streams; `made` is the record that
    tells them apart, where there are several."""

    names: tuple[str, ...]
    types: tuple[SplType, ...]
    made: type | None
    aliases: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def of(names: Sequence[str], types: Sequence[SplType], items: Sequence[Type],
           aliases: Sequence[tuple[str, str]] = ()) -> Ports:
        made = None if len(items) < 2 else record_class("Given", {
            "port": INT, **{f"p{n}": OptionalOf(t) for n, t in enumerate(items)}})
        return Ports(tuple(names), tuple(types), made, tuple(aliases))

    def number(self, name: str) -> int | None:
        """The place of a port, by its name or its stream's."""
        name = dict(self.aliases).get(name, name)
        return self.names.index(name) if name in self.names else None

    def given(self, port: int, text: str) -> str:
        """What is yielded for a value on a port."""
        if self.made is None:
            return text
        places = [text if n == port else "None" for n in range(len(self.types))]
        return f"Given({', '.join([str(port), *places])})"


NO_PORTS = Ports((), (), None)


class Body:
    """Writes statements; `ports` are those that `submit` may name."""

    def __init__(self, lines: Lines, module: Module, types: Callable[[Node], SplType],
                 ports: Ports = NO_PORTS, prints_to: int | None = None):
        self.lines, self.module, self.types = lines, module, types
        self.ports = ports
        if prints_to is not None:
            lines.hand_on = lambda text: f"yield {ports.given(prints_to, text)}"
        self.calls: dict[str, Call] = {}
        self.result: SplType | None = None
        self.given_back: tuple[str, ...] = ()

    def at(self, scope: Scope) -> Expressions:
        return Expressions(self.module, self.types, scope, self.calls, self.lines)

    @singledispatchmethod
    def write(self, node: Node, scope: Scope) -> None:
        raise ProgramError("this is no statement", node.span)

    @write.register
    def _block(self, node: syntax.Block, scope: Scope) -> None:
        inner = scope.inside()
        for statement in node.statements:
            self.write(statement, inner)

    @write.register
    def _variables(self, node: syntax.Variables, scope: Scope) -> None:
        for each in node.items:
            self.write(each, scope)

    @write.register
    def _variable(self, node: syntax.Variable, scope: Scope) -> None:
        kind = self.types(node.type)
        if node.name.text in scope.names:
            raise ProgramError(f"{node.name.text} is declared twice", node.span)
        if node.value is None and not node.mutable:
            raise ProgramError(f"{node.name.text} has no value", node.span,
                               help="give it one, or declare it with mutable")
        text = self.at(scope).default(kind) if node.value is None else self.at(scope).owned(
            node.value, kind, f"the value of {node.name.text}")
        name = self.lines.name(node.name.text)
        self.lines.add(f"{name} = {text}", node.span)
        scope.names[node.name.text] = Binding(kind, name, node.mutable)

    @write.register
    def _evaluate(self, node: syntax.Evaluate, scope: Scope) -> None:
        call = node.expression
        if isinstance(call, syntax.Changed):
            self.at(scope).value(call)
            return None
        if not isinstance(call, syntax.Invoke):
            raise ProgramError("this does nothing", call.span, expected="an assignment or a call")
        name = call.function.text.rpartition("::")[2]
        if name == "submit":
            return self._submit(call, scope)
        if name in PRINTS:
            return self._print(call, name, scope)
        if name in TRACES:
            return None
        text = self.at(scope).value(call).text
        if not text.endswith("[0]") and not text.isidentifier():
            self.lines.add(text, node.span)
        return None

    def _submit(self, call: syntax.Invoke, scope: Scope) -> None:
        if not self.ports.names:
            raise ProgramError("there is no output port here to submit to", call.span)
        if len(call.arguments) != 2 or not isinstance(call.arguments[1], syntax.Name):
            raise ProgramError("submit takes a tuple and a port", call.span,
                               expected="submit(tuple, Port)")
        value, port = call.arguments
        number = self.ports.number(port.text)
        if number is None:
            raise ProgramError(f"there is no output port {port.text}", port.span,
                               help=did_you_mean(port.text, self.ports.names))
        if _is_mark(value):
            if not value.name.text.startswith("Final"):
                self.lines.add(f"yield {self.ports.given(number, 'None')}", call.span)
            return
        kind, found = self.ports.types[number], self.at(scope)
        code = converted(found, found.value(value, kind), kind, value)
        text = code.text
        if isinstance(value, syntax.Name) and getattr(scope.find(value.text), "mutable", False):
            text = found.copied(kind, text)
        self.lines.add(f"yield {self.ports.given(number, text)}", call.span)

    def _print(self, call: syntax.Invoke, name: str, scope: Scope) -> None:
        if self.lines.hand_on is None:
            raise ProgramError(f"{name} is for the logic of operators", call.span,
                               help="submit what is to be printed, and print it there")
        self.module.prints = True
        texts = []
        for argument in call.arguments:
            code = self.at(scope).value(argument)
            plain = name.startswith("printString") and is_string(code.type)
            texts.append(code.text if plain else text_of(code, True))
        text = PRINTS[name].format(" + ".join(texts) or "''")
        self.lines.add(self.lines.hand_on(text), call.span)

    @write.register
    def _assign(self, node: syntax.Assign, scope: Scope) -> None:
        found = self.at(scope)
        found.check_mutable(node.target)
        place = found.settled(node.target)
        target = found.value(place)
        if node.operator == "=":
            value = found.owned(node.value, target.type, "what is assigned")
        elif is_list(target.type) and node.operator == "+=":
            value = found.fit(node.value, target.type, "what is added")
            return self.lines.add(f"{target.text}.extend({value})", node.span)
        else:
            binary = syntax.Binary(node.span, node.operator[:-1], place, node.value)
            value = found.fit(binary, target.type, "what is assigned")
        return found.store(place, value, node.span)

    @write.register
    def _if(self, node: syntax.If, scope: Scope) -> None:
        with self.lines.inside(f"if {self.at(scope).condition(node.condition)}:", node.span):
            self.write(node.then, scope.inside())
        if node.otherwise is not None:
            with self.lines.inside("else:"):
                self.write(node.otherwise, scope.inside())

    @write.register
    def _while(self, node: syntax.While, scope: Scope) -> None:
        found = self.at(scope)
        if found.changes(node.condition):
            with self.lines.inside("while True:", node.span):
                with self.lines.inside(f"if not {found.condition(node.condition)}:", node.span):
                    self.lines.add("break")
                self.write(node.body, scope.inside())
            return
        with self.lines.inside(f"while {self.at(scope).condition(node.condition)}:", node.span):
            self.write(node.body, scope.inside())

    @write.register
    def _for(self, node: syntax.For, scope: Scope) -> None:
        code, kind = self.at(scope).value(node.values), self.types(node.type)
        item = code.type.item if isinstance(code.type, Collection) else (
            code.type if is_string(code.type) else None)
        if item is None:
            raise ProgramError("for goes over a collection", node.values.span, got=str(code.type))
        if item != kind:
            raise ProgramError(f"{node.name.text} is of another type", node.type.span,
                               expected=str(item), got=str(kind))
        name = self.lines.name(node.name.text)
        values = f"list({code.text})" if code.shared else _as_range(code.text)
        with self.lines.inside(f"for {name} in {values}:", node.span):
            self.write(node.body, scope.inside({node.name.text: Binding(kind, name)}))

    @write.register
    def _break(self, node: syntax.Break, scope: Scope) -> None:
        self.lines.add("break", node.span)

    @write.register
    def _continue(self, node: syntax.Continue, scope: Scope) -> None:
        self.lines.add("continue", node.span)

    @write.register
    def _return(self, node: syntax.Return, scope: Scope) -> None:
        text = ""
        if node.value is not None:
            if self.result in (None, VOID):
                raise ProgramError("nothing takes a result here", node.span, help="write return;")
            text = self.at(scope).owned(node.value, self.result, "the result")
        if self.given_back:
            text = f"({', '.join([text or 'None', *self.given_back])})"
        return self.lines.add(f"return {text}".rstrip(), node.span)

    @write.register
    def _switch(self, node: syntax.Switch, scope: Scope) -> None:
        value = self.at(scope).value(node.value)
        name = self.lines.name("switch")
        self.lines.add(f"{name} = {value.text}", node.span)
        nested = any(isinstance(n, syntax.Break) and n not in case.body
                     for case in node.cases for n in _in_this_switch(case))
        if not nested:
            return self._cases(node, name, value, scope, leave=False)
        with self.lines.inside("while True:", node.span):
            self._cases(node, name, value, scope, leave=True)
            self.lines.add("break")
        return None

    def _cases(self, node: syntax.Switch, name: str, value: Code, scope: Scope, leave: bool
               ) -> None:
        word, found = "if", self.at(scope)
        ordered = sorted(range(len(node.cases)), key=lambda n: node.cases[n].value is None)
        for n in ordered:
            case = node.cases[n]
            if case.value is None:
                head = "else:" if word == "elif" else "if True:"
            else:
                text = found.fit(case.value, value.type, "the value of this case")
                head = f"{word} {name} == {text}:"
            with self.lines.inside(head, case.span):
                self._case_body(node.cases[n:], scope.inside(), leave)
            word = "elif"

    def _case_body(self, cases: tuple[syntax.Case, ...], scope: Scope, leave: bool) -> None:
        """The statements of a case, and of those that it falls into."""
        for case in cases:
            for statement in case.body:
                if isinstance(statement, syntax.Break):
                    return
                if isinstance(statement, syntax.Block) and statement.statements and isinstance(
                        statement.statements[-1], syntax.Break):
                    inner = dataclasses.replace(statement, statements=statement.statements[:-1])
                    self.write(inner, scope)
                    return
                self.write(statement, scope)


def converted(found: Expressions, code: Code, kind: SplType, node: Node) -> Code:
    """A tuple as one of this type: attributes are found by their names."""
    if not isinstance(code.type, TupleOf) or not isinstance(kind, TupleOf):
        return dataclasses.replace(code, text=found.fitted(code, kind, node), type=kind)
    given = code.type.attributes
    missing = [name for name in kind.attributes if name not in given]
    extra = [name for name in given if name not in kind.attributes]
    if missing or extra:
        which = missing[0] if missing else extra[0]
        raise ProgramError(f"the tuple {'lacks' if missing else 'has'} an attribute {which}"
                           f"{'' if missing else ' that is not wanted'}", node.span,
                           expected=str(kind), got=str(code.type))
    if tuple(given) == tuple(kind.attributes):
        return dataclasses.replace(code, text=found.fitted(code, kind, node), type=kind)
    parts = {name: found.fitted(Code(given[name], f"{code.text}.{field_name(name)}"), t, node,
                                f"the attribute {name}") for name, t in kind.fields}
    return found.made(kind, parts)


def _is_mark(node: Node) -> bool:
    return isinstance(node, syntax.Attribute) and isinstance(node.owner, syntax.Name) and (
        node.owner.text == "Sys")


def _as_range(text: str) -> str:
    """Ranges need no list where they are only gone through."""
    return text.replace("numbers(", "range(", 1) if text.startswith("numbers(") else text


def _in_this_switch(node: Node) -> Iterator[Node]:
    """The nodes of a case but for those in loops and switches of their own."""
    for child in syntax.children(node):
        yield child
        if not isinstance(child, (syntax.For, syntax.While, syntax.Switch)):
            yield from _in_this_switch(child)


def defined(lines: Lines, name: str, module: Module, types: Callable, span: Span | None,
            **scope: object) -> Function:
    """The function of this name in the text, with the user's functions that it calls before it."""
    texts = [f"# {span.file}" if span else "", *_called(module), lines.text()]
    try:
        return Function.defined("\n".join(texts), name, {**SCOPE, **module.scope, **scope}, span)
    except (SyntaxError, RecursionError, MemoryError):
        raise ProgramError("this is nested too deeply", span,
                           help="take it apart, into several operators or functions") from None


def called_functions(module: Module) -> dict[str, object]:
    """The user's functions that a module calls, to be called at once."""
    if not module.called:
        return {}
    texts = _called(module)
    names: dict[str, object] = {**SCOPE, **module.scope}
    exec(compile("\n".join(texts), "<functions>", "exec"), names)
    return {name: names[name] for name in module.called}


def _called(module: Module) -> list[str]:
    texts: dict[str, str] = {}
    while missing := [name for name in module.called if name not in texts]:
        for name in missing:
            texts[name] = _function_text(name, module.called[name], module)
    return list(texts.values())


def _function_text(python: str, called: Called, module: Module) -> str:
    function, types, lines = called.function, called.types, Lines()
    body = Body(lines, module, types)
    body.result = VOID if getattr(function.result, "name", "") == "void" else types(function.result)
    names, inner = [], called.scope.inside()
    for parameter in function.parameters:
        kind = types(parameter.type)
        names.append(lines.name(parameter.name.text))
        inner.names[parameter.name.text] = Binding(kind, names[-1], parameter.mutable)
    body.given_back = tuple(names[n] for n in called.changed)
    if called.prints:
        names.append("v_printed")
        lines.hand_on = "v_printed.append({})".format
    with lines.inside(f"def {python}({', '.join(names)}):", function.span):
        body.write(function.body, inner)
        if body.given_back:
            lines.add(f"return ({', '.join(['None', *body.given_back])})")
    return lines.text()
