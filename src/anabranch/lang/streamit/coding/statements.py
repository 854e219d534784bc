"""Statements: control flow as Python with C's meaning, messages to portals."""

from __future__ import annotations

from functools import singledispatchmethod

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.lang.common.syntax import Call, Literal
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding import operations as builtins
from anabranch.lang.streamit.coding.expressions import Expressions, has_effects
from anabranch.lang.streamit.coding.facts import counted
from anabranch.lang.streamit.coding.operations import (
    Value,
    binary,
    cast,
    converted,
    copied,
    last_indices,
    read,
    shown,
)
from anabranch.lang.streamit.coding.scope import Scope, Variable
from anabranch.lang.streamit.execution.plain import wrap
from anabranch.lang.streamit.types import (
    BIT,
    INT,
    VOID,
    ArrayOf,
    PortalOf,
    StructOf,
    Type,
    base_of,
    lengths,
)


def as_message(node: syntax.Node, scope: Scope) -> syntax.Send | None:
    """The message that a statement sends; a call `portal.handler(...)` has the latency 0."""
    if isinstance(node, syntax.Send):
        return node
    called = node.expression if isinstance(node, syntax.Evaluate) else None
    if not (isinstance(called, Call) and len(called.function.parts) == 2):
        return None
    name, handler = called.function.parts
    variable = scope.find(name)
    if variable is None or not isinstance(variable.type, PortalOf):
        return None
    at_once = Literal(node.span, 0, INT)
    return syntax.Send(node.span, syntax.Ref(node.span, name), handler, called.arguments,
                       (at_once, at_once))


class Messages:
    """Codes messages; the names and values are those of `Expressions`."""

    def _send(self, node: syntax.Send) -> None:
        """`portal.send("handler", arguments, lowest, highest)`."""
        portal, types = self._handler(node)
        if len(types) != len(node.arguments):
            raise ProgramError(f"'{node.handler}' takes another number of values", node.span,
                               expected=str(len(types)), got=str(len(node.arguments)))
        given = [copied(converted(value, type, node.span))
                 for value, type in zip(self.values(node.arguments), types)]
        self.lines.add(f"{portal}.send({node.handler!r}, ({''.join(f'{g}, ' for g in given)}), "
                       f"{self.latency(node)})")

    def _handler(self, node: syntax.Send) -> tuple[str, tuple[Type, ...]]:
        portal = self.value(node.portal)
        if not isinstance(portal.type, PortalOf):
            raise ProgramError("messages are sent to portals", node.portal.span,
                               got=str(portal.type))
        handlers = portal.type.handlers
        if node.handler not in handlers:
            raise ProgramError(f"'{portal.type.name}' has no handler '{node.handler}'", node.span,
                               help=did_you_mean(node.handler, handlers))
        return portal.text, handlers[node.handler]

    def latency(self, node: syntax.Send) -> str:
        """The text of the lowest and the highest latency."""
        if node.latency is None:
            return "None, None"
        return ", ".join(self.integer(each) for each in node.latency)


class Statements(Expressions, Messages):
    """Codes statements into lines. `result` is the type that `return` gives, None outside of
    functions; `_steps` holds, for each loop around, what `continue` has to do first."""

    result: Type | None = None

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self._steps: list[syntax.Node | None] = []

    def statement(self, node: syntax.Node) -> None:
        """Adds the lines of a statement."""
        before, self.lines.span = self.lines.span, node.span
        self._statement(as_message(node, self.scope) or node)
        self.lines.span = before

    @singledispatchmethod
    def _statement(self, node: syntax.Node) -> None:
        raise ProgramError("this cannot stand here", node.span)

    @_statement.register
    def _no_statement(self, node: syntax.Refused) -> None:
        self.value(node)

    @_statement.register
    def _message(self, node: syntax.Send) -> None:
        self._send(node)

    @_statement.register
    def _block(self, node: syntax.Block) -> None:
        self.scope = Scope(self.scope)
        for each in node.statements:
            self.statement(each)
        self.leave()
        self.scope = self.scope.outer

    def leave(self) -> None:
        """Adds what stands where a block ends, or is left before that."""

    @_statement.register
    def _declare(self, node: syntax.Declare) -> None:
        type = self.kinds.of(node.type)
        for each in node.declarators:
            self._declared(each, type)

    def _declared(self, node: syntax.Declarator, type: Type) -> None:
        text = self.lines.name(node.name)
        value = self.initial(type, node.initial, node.span)
        self.lines.add(f"{text} = {value}")
        self.scope.declare(node.name, Variable(text, type), node.span)

    def initial(self, type: Type, given: syntax.Node | None, span: Span) -> str:
        """The text of a variable's first value: what is given, or zero."""
        if given is None:
            return self.zero(type)
        if isinstance(given, syntax.Initials):
            return self._array(type, given)
        return copied(converted(self.value(given), type, given.span))

    def _array(self, type: Type, given: syntax.Initials) -> str:
        """The text of an array with the values of a list; a constant where all of them are."""
        if not isinstance(type, ArrayOf):
            raise ProgramError("only an array has a list of values", given.span)
        if all(map(_is_constant, syntax.walk(given))):
            items = self.constants.array(self._constant(type, given), base_of(type), given.span)
            return f"_filled({self.zero(type)}, {items})"
        array = self.lines.name("t")
        self.lines.add(f"{array} = {self.zero(type)}")
        self._elements(array, type, given, ())
        return array

    def _elements(self, array: str, type: Type, given: syntax.Node, place: tuple) -> None:
        """Adds the assignments of a list's values to the elements of an array."""
        if not isinstance(given, syntax.Initials):
            value = converted(self.value(given), type, given.span)
            self.lines.add(f"{array}[{', '.join(map(str, place))}] = {copied(value)}")
            return
        self.lines.add(f"_size({len(given.items)}, {array}.shape[{len(place)}])")
        for position, item in enumerate(given.items):
            self._elements(array, self._item_type(type, given), item, (*place, position))

    def _constant(self, type: Type, given: syntax.Node) -> object:
        if isinstance(given, syntax.Initials):
            item = self._item_type(type, given)
            return [self._constant(item, each) for each in given.items]
        sign, literal = (1, given)
        while isinstance(literal, syntax.Operation):
            sign, literal = (-sign if literal.operator == "-" else sign), literal.operands[0]
        converted(Value("", literal.type), type, given.span)
        value = sign * literal.value
        return wrap(value) if base_of(type) in (BIT, INT) else value

    @staticmethod
    def _item_type(type: Type, given: syntax.Initials) -> Type:
        if not isinstance(type, ArrayOf):
            raise ProgramError("the list of values is nested deeper than the array", given.span)
        return type.item

    def zero(self, type: Type) -> str:
        """The text of the value that a variable has before it is assigned."""
        if isinstance(type, ArrayOf):
            shape = "".join(f"_count({self.integer(n)}), " for n in lengths(type))
            base = base_of(type)
            if isinstance(base, StructOf):
                return f"_structures(({shape}), new_{base.name})"
            return f"_zeros_{base.name}(({shape}))"
        if isinstance(type, StructOf):
            return f"new_{type.name}()"
        if isinstance(type, PortalOf):
            return "_portal()"
        return self.constants.scalar(ZEROS[type.name], type)

    @_statement.register
    def _assign(self, node: syntax.Assign) -> None:
        target = self.place(node.target)
        if isinstance(node.target, syntax.Index):
            target = self._fixed(target, node.value)
        value = self.value(node.value)
        if node.operator:
            # As in C, what a compound assignment computes becomes the type of its target.
            value = cast(binary(node.operator, read(target), value, node.span), target.type,
                         node.span)
        self.store(target, value, node.span)

    def _fixed(self, target: Value, value: syntax.Node) -> Value:
        """A place whose indices are computed before the value is, where that matters."""
        if not has_effects(value):
            return target
        base, indices = last_indices(target.text)
        kept = self.lines.name("t")
        self.lines.add(f"{kept} = ({indices},)")
        return Value(f"{base}[{kept}]", target.type)

    @_statement.register
    def _evaluate(self, node: syntax.Evaluate) -> None:
        called = node.expression
        if isinstance(called, Call) and str(called.function) in builtins.PRINTING and (
                str(called.function) not in self.functions):
            self._print(called)
            return
        value = self.value(called)
        if not value.stable and value.type != VOID:
            self.lines.add(value.text)

    def _print(self, node: Call) -> None:
        texts = [shown(value, node.span) for value in self.values(node.arguments)]
        end = ["'\\n'"] if str(node.function) == "println" else []
        self.lines.add(f"W.append({' + '.join([*texts, *end]) or repr('')})")

    @_statement.register
    def _if(self, node: syntax.If) -> None:
        with self.lines.inside(f"if {self.condition(node.condition)}:"):
            self.statement(node.then)
        if node.otherwise is not None:
            with self.lines.inside("else:"):
                self.statement(node.otherwise)

    @_statement.register
    def _while(self, node: syntax.While) -> None:
        if node.at_least_once:
            self._until(node)
        else:
            self._loop(node.condition, node.body, None)

    def _loop(self, condition: syntax.Node | None, body: syntax.Node,
              step: syntax.Node | None) -> None:
        with self.lines.inside("while True:"):
            if condition is not None:
                with self.lines.inside(f"if not {self.condition(condition)}:"):
                    self.lines.add("break")
            self._body(body, step)
            if step is not None:
                self.statement(step)

    def _body(self, body: syntax.Node, step: syntax.Node | None) -> None:
        self._steps.append(step)
        self.statement(body)
        self._steps.pop()

    def _until(self, node: syntax.While) -> None:
        """`do body while (condition)`: the condition is tested from the second time on."""
        first = self.lines.name("first")
        self.lines.add(f"{first} = True")
        with self.lines.inside("while True:"):
            with (self.lines.inside(f"if not {first}:"),
                  self.lines.inside(f"if not {self.condition(node.condition)}:")):
                self.lines.add("break")
            self.lines.add(f"{first} = False")
            self._body(node.body, None)

    @_statement.register
    def _for(self, node: syntax.For) -> None:
        self.scope = Scope(self.scope)
        if node.first is not None:
            self.statement(node.first)
        name = counted(node)
        variable = None if name is None else self.scope.get(name, node.span)
        if variable is None or not self._is_whole(variable, node):
            self._loop(node.condition, node.body, node.step)
        else:
            self._count(node, variable)
        self.scope = self.scope.outer

    def _is_whole(self, variable: Variable, node: syntax.For) -> bool:
        limit = self._typed(node.condition.operands[1])
        return variable.text.isidentifier() and variable.type == limit.type == INT

    def _count(self, node: syntax.For, variable: Variable) -> None:
        """A loop whose number of rounds is known before: Python's own, which compiles better."""
        limit = self.integer(node.condition.operands[1])
        limit += " + 1" if node.condition.operator == "<=" else ""
        end = self.lines.name("t")
        self.lines.add(f"{end} = {limit}")
        with self.lines.inside(f"for {variable.text} in range({variable.text}, {end}):"):
            self._body(node.body, None)
        self.lines.add(f"{variable.text} = max({variable.text}, {end})")

    @_statement.register
    def _jump(self, node: syntax.Jump) -> None:
        if not self._steps:
            raise ProgramError(f"'{node.word}' stands outside of a loop", node.span)
        if node.word == "continue" and self._steps[-1] is not None:
            self.statement(self._steps[-1])
        self.leave()
        self.lines.add(node.word)

    @_statement.register
    def _return(self, node: syntax.Return) -> None:
        if self.result is None:
            raise ProgramError("'return' stands outside of a function", node.span)
        if (node.value is None) != (self.result == VOID):
            raise ProgramError("the function gives another kind of value", node.span,
                               expected=str(self.result))
        if node.value is None:
            self.leave()
            self.lines.add("return")
        else:
            self._give(copied(converted(self.value(node.value), self.result, node.span)))

    def _give(self, value: str) -> None:
        """Adds the lines that give a function's value."""
        self.lines.add(f"return {value}")

    @_statement.register
    def _push(self, node: syntax.Push) -> None:
        self._check_tape(node.span, self.tape and self.tape.output, "output")
        value = converted(self.value(node.value), self.tape.output, node.span)
        self.lines.add(f"if {self.tape.write} >= full: _far()")
        self._put(f"O[{self.tape.write}]", value)
        self.lines.add(f"{self.tape.write} += 1")

    def _put(self, place: str, value: Value) -> None:
        """Adds the line that puts an item on a tape."""
        self.lines.add(f"{place} = {copied(value)}")


ZEROS = {"int": 0, "bit": 0, "float": 0.0, "boolean": False, "complex": 0j}


def _is_constant(node: syntax.Node) -> bool:
    """Whether it is a part of a list of numbers, each with or without a sign."""
    if isinstance(node, syntax.Operation):
        return len(node.operands) == 1 and node.operator in ("+", "-")
    return isinstance(node, (syntax.Initials, syntax.Literal))
