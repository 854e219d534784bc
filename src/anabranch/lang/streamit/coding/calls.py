"""Calls: of the program's own functions, and of those that every program has."""

from __future__ import annotations

from anabranch.errors import ProgramError, did_you_mean
from anabranch.lang.common.syntax import Call
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding import builtins
from anabranch.lang.streamit.coding.counting import root
from anabranch.lang.streamit.coding.operations import Value, converted
from anabranch.lang.streamit.coding.places import copied
from anabranch.lang.streamit.coding.scope import Signature
from anabranch.lang.streamit.types import FLOAT, INT, STRING, VOID, ArrayOf, Type

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
