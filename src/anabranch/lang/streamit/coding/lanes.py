"""Firings side by side: the work of many in loops over lanes, as vectors.

for i in range(taps):                       sum += peek(i) * coeff[i]
        c = coeff[i]
        x = I[p + i : p + i + L]
        for l in range(L):
            sum[l] = _f(sum[l] + _f(x[l] * c))

Statements in a row, and a few rounds of such a loop, share one loop over the lanes. Every lane
computes what its firing would have computed, in the same order, so that the results are the same to
the last bit.
"""

from __future__ import annotations

from dataclasses import replace

from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.facts import depends, goes_one_way, varying
from anabranch.lang.streamit.coding.functions import FilterFacts
from anabranch.lang.streamit.coding.module import Constants, Lines
from anabranch.lang.streamit.coding.operations import Value, binary, cast, converted, read
from anabranch.lang.streamit.coding.scope import Scope, Tape, Variable
from anabranch.lang.streamit.coding.statements import Statements
from anabranch.lang.streamit.types import INT, VOID, ArrayOf, Type

LANES, ROUNDS = 256, 4


def has_lanes(facts: FilterFacts) -> bool:
    """Whether the firings of a filter can be computed side by side."""
    if (facts.kept() or facts.boxed or facts.prints() or facts.not_compiled()
            or facts.input == VOID or facts.structs or isinstance(facts.input, ArrayOf)
            or isinstance(facts.output, ArrayOf)):
        return False
    body = facts.filter.work.body
    return goes_one_way(body, varying(body))


class LaneCoder(Statements):
    """Codes a work function for many lanes. `dense` tells whether the items of neighbouring
    firings stand side by side on the input and on the output."""

    def __init__(self, lines: Lines, scope: Scope, facts: FilterFacts, constants: Constants,
                 dense: tuple[bool, bool]):
        super().__init__(lines, scope, facts.kinds, {}, constants,
                         Tape(facts.input, facts.output))
        self.names = varying(facts.filter.work.body)
        self.dense, self.held, self.waiting = dense, {}, []

    def value(self, node: syntax.Node) -> Value:
        """The value in one lane; what is the same in all lanes is computed before the loop."""
        if isinstance(node, syntax.Peek):
            return self._view(f"_at({self.integer(node.index)}, peek - k)")
        if isinstance(node, syntax.Pop):
            self.lines.add("if k >= pop: _far()")
            view = self._view("0")
            self.lines.add("k += 1")
            return view
        found = super().value(node)
        if depends(node, self.names):
            return replace(found, stable=True)
        # What waits to be computed must not see a later value of a variable.
        return self.saved(found)

    def _view(self, index: str) -> Value:
        """The items that the lanes see at a place of the tape."""
        name = self.lines.name("x")
        self.lines.add(f"{name} = {slice_of('I', f'p + k + {index}', self.dense[0], 'pop')}")
        return Value(f"{name}[l]", self.tape.input, True)

    def _statement(self, node: syntax.Node) -> None:
        way = self._lane_way(node)
        if way is not None:
            way(node)
            return
        self.compute()
        super()._statement(_in_blocks(node))
        self.compute()

    def _lane_way(self, node: syntax.Node):
        """How a statement is coded that every lane computes; None for one that all share."""
        if isinstance(node, syntax.Push):
            return self._pushed
        if isinstance(node, syntax.Assign) and self._is_varying(node.target):
            return self._assigned
        if isinstance(node, syntax.Evaluate) and isinstance(node.expression, syntax.Pop):
            return lambda node: self.value(node.expression)
        if isinstance(node, syntax.Evaluate) and isinstance(node.expression, syntax.Step) and (
                self._is_varying(node.expression.target)):
            return lambda node: self._stepped(node.expression)
        return None

    def _count(self, node: syntax.For, variable: Variable) -> None:
        """Several rounds of a counting loop at a time, where lanes do all of the work."""
        body = node.body.statements
        if not body or any(self._lane_way(each) is None for each in body):
            super()._count(node, variable)
            return
        limit = self.integer(node.condition.operands[1])
        end, stop, first = (self.lines.name("t") for _ in range(3))
        self.lines.add(f"{end} = {limit}" + (" + 1" if node.condition.operator == "<=" else ""))
        name = variable.text
        self.lines.add(f"{stop} = {name} + max({end} - {name}, 0) // {ROUNDS} * {ROUNDS}")
        with self.lines.inside(f"for {first} in range({name}, {stop}, {ROUNDS}):"):
            for place in range(ROUNDS):
                self.lines.add(f"{name} = {first} + {place}")
                for each in body:
                    self.statement(each)
            self.compute()
        with self.lines.inside(f"for {name} in range({stop}, {end}):"):
            self.statement(node.body)
        self.lines.add(f"{name} = max({name}, {end})")

    def _is_varying(self, target: syntax.Node) -> bool:
        return isinstance(target, syntax.Ref) and target.name in self.names

    def _declared(self, node: syntax.Declarator, type: Type) -> None:
        if node.name not in self.names or isinstance(type, ArrayOf):
            super()._declared(node, type)
            return
        array = self._lane_array(node.name, type)
        value = (Value(self.zero(type), type) if node.initial is None
                 else converted(self.value(node.initial), type, node.span))
        self._each(f"{array}[l] = {value.text}")
        self.scope.declare(node.name, Variable(f"{array}[l]", type), node.span)

    def _lane_array(self, name: str, type: Type) -> str:
        """An array with a place for each lane; it is made once, before the firings."""
        array = self.lines.name(name)
        self.held[array] = type
        return array

    def _assigned(self, node: syntax.Assign) -> None:
        target, value = self.place(node.target), self.value(node.value)
        if node.operator:
            value = cast(binary(node.operator, read(target), value, node.span), target.type,
                         node.span)
        self._each(f"{target.text} = {converted(value, target.type, node.span).text}")

    def _stepped(self, node: syntax.Step) -> None:
        target = self.place(node.target)
        new = binary("+" if node.amount > 0 else "-", read(target), Value("1", INT), node.span)
        self._each(f"{target.text} = {cast(new, target.type, node.span).text}")

    def _pushed(self, node: syntax.Push) -> None:
        self._check_tape(node.span, self.tape.output, "output")
        value = converted(self.value(node.value), self.tape.output, node.span)
        self.lines.add("if m >= push: _far()")
        name = self.lines.name("y")
        self.lines.add(f"{name} = {slice_of('O', 'q + m', self.dense[1], 'push')}")
        self._each(f"{name}[l] = {value.text}")
        self.lines.add("m += 1")

    def _each(self, text: str) -> None:
        """Something that every lane computes; it waits for more, to share one loop."""
        self.waiting.append(text)

    def compute(self) -> None:
        """Adds the loop over the lanes with all that waits."""
        if self.waiting:
            with self.lines.inside("for l in range(L):"):
                for text in self.waiting:
                    self.lines.add(text)
            self.waiting = []


def _in_blocks(node: syntax.Node) -> syntax.Node:
    """A statement whose inner statements are blocks, so that what waits does not leave them."""
    inner = {name: getattr(node, name, None) for name in ("then", "otherwise", "body")}
    bare = {name: syntax.Block(each.span, (each,)) for name, each in inner.items()
            if each is not None and not isinstance(each, syntax.Block)}
    return replace(node, **bare) if bare else node


def slice_of(array: str, start: str, dense: bool, step: str) -> str:
    """The text of the items of all lanes from a place on.

    >>> slice_of("I", "p", True, "pop")
    'I[p:p + L]'
    """
    if dense:
        return f"{array}[{start}:{start} + L]"
    return f"{array}[{start}:{start} + (L - 1) * {step} + 1:{step}]"


def lane_text(facts: FilterFacts, constants: Constants, scope: Scope, arguments: tuple[str, ...],
              dense: tuple[bool, bool]) -> str:
    """The text of `lanes`, which fires as often as `work` would."""
    body = Lines()
    body.depth = 2
    coder = LaneCoder(body, Scope(scope), facts, constants, dense)
    coder.statement(facts.filter.work.body)
    head = ", ".join(("n", "peek", "pop", "push", "I", "p", "O", "q", *arguments))
    arrays = [f"    {name} = _zeros_{type.name}({LANES})" for name, type in coder.held.items()]
    return "\n".join([
        f"def lanes({head}):", *arrays, "    while n > 0:", f"        L = min(n, {LANES})",
        "        k = 0", "        m = 0", body.text(),
        "        if k != pop or m != push: _rates(k, m)",
        "        p += L * pop", "        q += L * push", "        n -= L"])
