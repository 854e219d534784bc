"""Expressions: typed Python text, statements in front of it where order matters.

Calls are of the program's own functions, or of those that every program has.

What changes something (`pop()`, `x++`, a call of the program's own function) becomes a statement
of its own; whatever stands to its left and could be changed by it is kept in a variable before.
"""

from __future__ import annotations

from functools import singledispatchmethod

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.lang.common.syntax import Call, Choice, Literal, Operation
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding import operations as builtins
from anabranch.lang.streamit.coding.facts import root
from anabranch.lang.streamit.coding.module import Constants, Lines
from anabranch.lang.streamit.coding.operations import (
    Value,
    binary,
    cast,
    converted,
    copied,
    part,
    read,
    truth,
    unary,
)
from anabranch.lang.streamit.coding.scope import Kinds, Scope, Signature, Tape
from anabranch.lang.streamit.execution.plain import wrap
from anabranch.lang.streamit.types import (
    BOOLEAN,
    FLOAT,
    INT,
    LARGE,
    STRING,
    VOID,
    ArrayOf,
    StructOf,
    Type,
    widest,
)

RANDOM = "random()"
TABLES = {"init_array_1D_int": INT, "init_array_1D_float": FLOAT}


class Calls:
    """Codes calls; the names and values are those of `Expressions`.

    `package` is the helper package of the function that is being coded.
    """

    package = ""

    def call(self, node: Call) -> Value:
        """The value of a call."""
        name = str(node.function)
        own = self.functions.get(name) or self.functions.get(f"{self.package}.{name}")
        if own is not None:
            return self._own_call(own, node)
        if name in builtins.PRINTING:
            raise ProgramError(f"'{name}' gives no value", node.span)
        if name == "random":
            return self._random(node)
        if name in TABLES:
            return self._table(TABLES[name], node)
        self._check_known(name, node)
        return builtins.builtin(name, self.values(node.arguments), node.span)

    def _check_known(self, name: str, node: Call) -> None:
        if "." in name:
            raise ProgramError(f"no helper function is called '{name}'", node.span,
                               help=did_you_mean(name, self.functions))
        if name not in builtins.NAMES:
            raise ProgramError(f"no function is called '{name}'", node.span,
                               help=did_you_mean(name, [*self.functions, *sorted(builtins.NAMES)]))

    def _own_call(self, function: Signature, node: Call) -> Value:
        if len(node.arguments) != len(function.parameters):
            raise ProgramError(f"'{node.function}' takes another number of values", node.span,
                               expected=str(len(function.parameters)),
                               got=str(len(node.arguments)))
        values = zip(node.arguments, self.values(node.arguments), function.parameters)
        given = [self._given(argument, converted(value, type, node.span), place, function)
                 for place, (argument, value, type) in enumerate(values)]
        call = f"{function.text}({', '.join((*given, *function.extra))})"
        if function.result == VOID:
            self.lines.add(call)
            return Value("None", VOID, True)
        kept = self.lines.name("t")
        self.lines.add(f"{kept} = {call}")
        return Value(kept, function.result, True)

    @staticmethod
    def _given(argument: syntax.Node, value: Value, place: int, function: Signature) -> str:
        """A parameter as it is handed over: an array itself, everything else as a copy."""
        if not isinstance(value.type, ArrayOf):
            return copied(value)
        is_own = root(argument) and not value.stable
        return value.text if is_own or place not in function.changes else copied(value)

    def _random(self, node: Call) -> Value:
        state = self.scope.find(RANDOM)
        if state is None or node.arguments:
            raise ProgramError("'random()' is for filters, and takes no values", node.span)
        kept = self.lines.name("t")
        self.lines.add(f"{kept} = _f(_random({state.text}))")
        return Value(kept, FLOAT, True)

    def _table(self, item: Type, node: Call) -> Value:
        """An array of the numbers in a file."""
        path, length = self.values(node.arguments) if len(node.arguments) == 2 else (None, None)
        if path is None or path.type != STRING:
            raise ProgramError(f"'{node.function}' takes a path and a length", node.span)
        text = f"_table_{item.name}({path.text}, {converted(length, INT, node.span).text})"
        return Value(text, ArrayOf(item, node.arguments[1]), True)


class Expressions(Calls):
    """Codes expressions into lines; `tape` is None where there are no tapes."""

    def __init__(self, lines: Lines, scope: Scope, kinds: Kinds, functions: dict[str, Signature],
                 constants: Constants, tape: Tape | None = None):
        self.lines, self.scope, self.kinds = lines, scope, kinds
        self.functions, self.constants, self.tape = functions, constants, tape

    @singledispatchmethod
    def value(self, node: syntax.Node) -> Value:
        """The value of an expression."""
        raise ProgramError("this is not an expression", node.span)

    @value.register
    def _refused(self, node: syntax.Refused) -> Value:
        raise ProgramError(f"{node.what} are not supported", node.span)

    @value.register
    def _literal(self, node: Literal) -> Value:
        if node.type == LARGE:
            return Value(self.constants.scalar(float(node.value), FLOAT), LARGE, True)
        if node.type != INT or node.value == wrap(node.value):
            return Value(self.constants.scalar(node.value, node.type), node.type, True)
        real = Value(self.constants.scalar(float(node.value), FLOAT), FLOAT, True)
        return Value(repr(wrap(node.value)), INT, True, real=real)

    @value.register
    def _ref(self, node: syntax.Ref) -> Value:
        found = self.scope.get(node.name, node.span)
        return read(Value(found.text, found.type, found.constant))

    @value.register
    def _operation(self, node: Operation) -> Value:
        if len(node.operands) == 1:
            return unary(node.operator, self.value(node.operands[0]), node.span)
        if node.operator in ("and", "or") and has_effects(node.operands[1]):
            return self._shortcut(node)
        left, right = self.values(node.operands)
        return binary(node.operator, left, right, node.span)

    def _shortcut(self, node: Operation) -> Value:
        """`a && b` where computing b changes something: only when a does not decide."""
        result = self.lines.name("t")
        self.lines.add(f"{result} = {self.condition(node.operands[0])}")
        with self.lines.inside(f"if {'' if node.operator == 'and' else 'not '}{result}:"):
            self.lines.add(f"{result} = {self.condition(node.operands[1])}")
        return Value(result, BOOLEAN, True)

    @value.register
    def _choice(self, node: Choice) -> Value:
        (condition, then), = node.branches
        test = self.condition(condition)
        if has_effects(then) or has_effects(node.otherwise):
            return self._chosen_in_turn(test, then, node.otherwise, node.span)
        a, b = self.value(then), self.value(node.otherwise)
        common = self._common(a, b, node.span)
        return Value(f"({converted(a, common, node.span).text} if {test} else "
                     f"{converted(b, common, node.span).text})", common)

    def _chosen_in_turn(self, test: str, then: syntax.Node, otherwise: syntax.Node,
                        span: Span) -> Value:
        result, common = self.lines.name("t"), self._common(
            *(self._typed(each) for each in (then, otherwise)), span)
        for head, branch in ((f"if {test}:", then), ("else:", otherwise)):
            with self.lines.inside(head):
                value = converted(self.value(branch), common, span)
                self.lines.add(f"{result} = {value.text}")
        return Value(result, common, True)

    def _typed(self, node: syntax.Node) -> Value:
        """The value for the sake of its type; the lines are thrown away."""
        kept = self.lines
        self.lines = Lines()
        try:
            return self.value(node)
        finally:
            self.lines = kept

    @staticmethod
    def _common(a: Value, b: Value, span: Span) -> Type:
        common = widest(a.type, b.type)
        if common is None:
            raise ProgramError("the two values have no common type", span,
                               got=f"{a.type} and {b.type}")
        return common

    @value.register
    def _cast(self, node: syntax.Cast) -> Value:
        return cast(self.value(node.operand), self.kinds.of(node.type), node.span)

    @value.register
    def _pop(self, node: syntax.Pop) -> Value:
        self._check_tape(node.span, self.tape and self.tape.input, "input")
        kept, place = self.lines.name("t"), self.tape.read
        self.lines.add(f"if {place} >= end: _far()")
        self.lines.add(f"{kept} = {self.item(f'I[{place}]', self.tape.input)}")
        self.lines.add(f"{place} += 1")
        return Value(kept, self.tape.input, True)

    @value.register
    def _peek(self, node: syntax.Peek) -> Value:
        self._check_tape(node.span, self.tape and self.tape.input, "input")
        index, place = self.integer(node.index), self.tape.read
        item = self.item(f"I[{place} + _at({index}, end - {place})]", self.tape.input)
        return Value(item, self.tape.input)

    @staticmethod
    def item(text: str, type: Type) -> str:
        """The text of an item that stands on a tape."""
        return text

    @value.register
    def _iteration(self, node: syntax.Iteration) -> Value:
        return self._ref(syntax.Ref(node.span, ITERATION))

    @value.register
    def _step(self, node: syntax.Step) -> Value:
        target = self.place(node.target)
        old = Value(self.saved(read(target)).text, target.type, True)
        one = Value("1", INT, True)
        new = binary("+" if node.amount > 0 else "-", old, one, node.span)
        self.store(target, cast(new, target.type, node.span), node.span)
        return cast(new, target.type, node.span) if node.before else old

    @value.register
    def _index(self, node: syntax.Index) -> Value:
        return read(self._element(node))

    def _element(self, node: syntax.Index) -> Value:
        """The text that names an element of an array."""
        base, indices = node, []
        while isinstance(base, syntax.Index):
            base, indices = base.base, [base.index, *indices]
        array, *places = self.values((base, *indices))
        item, checked = array.type, []
        for position, place in enumerate(places):
            if not isinstance(item, ArrayOf):
                raise ProgramError("this is not an array", node.span, got=str(item))
            index = converted(place, INT, node.span).text
            checked.append(f"_at({index}, {array.text}.shape[{position}])")
            item = item.item
        return Value(f"{array.text}[{', '.join(checked)}]", item)

    @value.register
    def _member(self, node: syntax.Member) -> Value:
        return part(self.value(node.base), node)

    @value.register
    def _call(self, node: Call) -> Value:
        return self.call(node)

    def values(self, nodes: tuple[syntax.Node, ...]) -> list[Value]:
        """The values of expressions, computed from left to right."""
        found = []
        for position, node in enumerate(nodes):
            later = any(has_effects(n) for n in nodes[position + 1:])
            value = self.value(node)
            found.append(self.saved(value) if later else value)
        return found

    def saved(self, value: Value) -> Value:
        """The value as it is now, whatever happens later; arrays are never replaced."""
        if value.stable or isinstance(value.type, (ArrayOf, StructOf)):
            return value
        kept = self.lines.name("t")
        self.lines.add(f"{kept} = {value.text}")
        return Value(kept, value.type, True)

    def condition(self, node: syntax.Node) -> str:
        return truth(self.value(node), node.span)

    def integer(self, node: syntax.Node) -> str:
        return converted(self.value(node), INT, node.span).text

    def place(self, node: syntax.Node) -> Value:
        """The text that names a place to which a value can be assigned."""
        if isinstance(node, syntax.Ref):
            found = self.scope.get(node.name, node.span)
            if found.constant:
                raise ProgramError(f"'{node.name}' cannot be changed here", node.span)
            return Value(found.text, found.type)
        if isinstance(node, syntax.Index):
            return self._element(node)
        if not isinstance(node, syntax.Member):
            raise ProgramError("nothing can be assigned to this", node.span)
        return part(self.place(node.base), node)

    def store(self, target: Value, value: Value, span: Span) -> None:
        """Adds the assignment of a value to a place."""
        new = converted(value, target.type, span)
        whole, dot, last = target.text.rpartition(".")
        if isinstance(target.type, ArrayOf):
            self.lines.add(f"{target.text}[...] = {new.text}")
        elif dot and last in ("real", "imag"):
            parts = {"real": f"{whole}.real", "imag": f"{whole}.imag", last: new.text}
            self.lines.add(f"{whole} = _c({parts['real']}, {parts['imag']})")
        else:
            self.lines.add(f"{target.text} = {copied(new)}")

    def _check_tape(self, span: Span, type: Type | None, which: str) -> None:
        if self.tape is None:
            raise ProgramError("there is no tape here", span,
                               help="only work functions, and functions they call, use the tapes")
        if type == VOID:
            raise ProgramError(f"this stream has no {which}", span)


ITERATION = "iter()"


def has_effects(node: syntax.Node) -> bool:
    """Whether computing an expression changes something."""
    return any(isinstance(n, (syntax.Pop, syntax.Step)) or (
        isinstance(n, Call) and str(n.function) not in builtins.NAMES) for n in syntax.walk(node))
