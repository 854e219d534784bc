"""What a function's text tells without running it: rounds, items, its one way.

A loop counts when its rounds are known before the first one begins.

How many items a work function takes and gives, where its text tells: followed with what is
known of its variables, without running it.

A condition that cannot be decided is followed both ways; what variables are then is not known.

Which variables of a work function differ from firing to firing, and whether its way does.

Firings of a stateless filter may be computed side by side when all of them go the same way: their
conditions, indices and rounds do not depend on the items.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import singledispatchmethod

from anabranch.lang.common.syntax import Call, Choice, Literal, Operation
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.operations import NAMES
from anabranch.lang.streamit.execution import plain


def counted(loop: syntax.For) -> str | None:
    """The variable of a loop that counts up by one to a limit, which nothing in it changes."""
    name = _counter(loop)
    if name is None or any(isinstance(n, (syntax.Jump, syntax.Return))
                           for n in syntax.walk(loop.body)):
        return None
    limit = loop.condition.operands[1]
    if any(isinstance(n, (syntax.Pop, syntax.Step, Call, syntax.Member, syntax.Peek))
           for n in syntax.walk(limit)):
        return None
    read = {n.name for n in syntax.walk(limit) if isinstance(n, syntax.Ref)}
    if read and calls(loop.body):
        return None
    return None if (read | {name}) & assigned(loop.body) or name in read else name


def _counter(loop: syntax.For) -> str | None:
    condition, step = loop.condition, loop.step
    if not (isinstance(condition, Operation) and condition.operator in ("<", "<=")
            and isinstance(condition.operands[0], syntax.Ref)):
        return None
    name = condition.operands[0].name
    if isinstance(step, syntax.Evaluate) and isinstance(step.expression, syntax.Step):
        return name if _is(step.expression.target, name) and step.expression.amount == 1 else None
    if isinstance(step, syntax.Assign) and step.operator == "+" and _is(step.target, name):
        return name if getattr(step.value, "value", None) == 1 else None
    return None


def _is(node: syntax.Node, name: str) -> bool:
    return isinstance(node, syntax.Ref) and node.name == name


def assigned(node: object) -> set[str]:
    """The names that are assigned, or declared anew, somewhere in a piece of syntax."""
    found: set[str] = set()
    for each in syntax.walk(node):
        if isinstance(each, (syntax.Assign, syntax.Step)):
            found.add(root(each.target))
        elif isinstance(each, syntax.Declarator):
            found.add(each.name)
    return found


def calls(node: object) -> set[str]:
    """The functions of the program that are called somewhere: they may change any field."""
    return {str(n.function) for n in syntax.walk(node) if isinstance(n, Call)} - NAMES


def root(target: syntax.Node) -> str:
    """The variable whose part a place is: `a` of `a[1].x`; "" for what is no place."""
    while isinstance(target, (syntax.Index, syntax.Member)):
        target = target.base
    return target.name if isinstance(target, syntax.Ref) else ""


MOST_STEPS, MOST_WAYS = 5_000, 16
WAYS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
        "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b,
        ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
        "and": lambda a, b: bool(a and b), "or": lambda a, b: bool(a or b),
        "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
        "<<": plain.shifted_left, ">>": plain.shifted_right}
TAPE = (syntax.Pop, syntax.Push)


class Undecided(Exception):
    """The text does not tell."""


@dataclass(frozen=True)
class Tally:
    """So many items popped and pushed; several pairs where the text goes one way or another."""

    ways: frozenset[tuple[int, int]] = frozenset({(0, 0)})

    @staticmethod
    def of(pops: int, pushes: int) -> Tally:
        return Tally(frozenset({(pops, pushes)}))

    def plus(self, other: Tally) -> Tally:
        ways = frozenset((a + c, b + d) for a, b in self.ways for c, d in other.ways)
        if len(ways) > MOST_WAYS:
            raise Undecided
        return Tally(ways)

    def times(self, rounds: int) -> Tally:
        if len(self.ways) > 1:
            raise Undecided
        return Tally(frozenset((rounds * a, rounds * b) for a, b in self.ways))

    def __str__(self) -> str:
        return " or ".join(f"pop {a}, push {b}" for a, b in sorted(self.ways))


def tally(body: syntax.Block, known: dict[str, object]) -> Tally | None:
    """What a body takes and gives when variables have these values; None when it cannot be told."""
    try:
        return Following(dict(known), set(known)).count(body)
    except (Undecided, RecursionError):
        return None


@dataclass
class Following:
    """Follows statements with the values of whole numbers, where they are known."""

    known: dict[str, object]
    whole: set[str]
    steps: list[int] = field(default_factory=lambda: [0])

    def count(self, node: syntax.Node) -> Tally:
        self.steps[0] += 1
        if self.steps[0] > MOST_STEPS:
            raise Undecided
        return self._count(node)

    @singledispatchmethod
    def _count(self, node: syntax.Node) -> Tally:
        raise Undecided

    @_count.register
    def _block(self, node: syntax.Block) -> Tally:
        total = Tally()
        for each in node.statements:
            total = total.plus(self.count(each))
        return total

    @_count.register
    def _declare(self, node: syntax.Declare) -> Tally:
        total = Tally()
        for each in node.declarators:
            total = total.plus(self._used(each.initial))
            value = 0 if each.initial is None else self.value(each.initial)
            is_whole = node.type.name == "int" and not node.type.lengths
            (self.whole.add if is_whole else self.whole.discard)(each.name)
            self._set(each.name, value)
        return total

    @_count.register
    def _assign(self, node: syntax.Assign) -> Tally:
        value = self.value(node.value)
        if node.operator:
            value = _operated(node.operator, self.value(node.target), value)
        used = self._used((node.target, node.value))
        self._set(root(node.target), value if isinstance(node.target, syntax.Ref) else None)
        return used

    @_count.register
    def _evaluate(self, node: syntax.Evaluate) -> Tally:
        return self._used(node.expression)

    @_count.register
    def _push(self, node: syntax.Push) -> Tally:
        return self._used(node.value).plus(Tally.of(0, 1))

    @_count.register
    def _if(self, node: syntax.If) -> Tally:
        before, test = self._used(node.condition), self.value(node.condition)
        if test is not None:
            chosen = node.then if test else node.otherwise
            return before.plus(self.count(chosen)) if chosen is not None else before
        ways = [replace(self, known=dict(self.known)) for _ in range(2)]
        tallies = [way.count(branch) if branch is not None else Tally()
                   for way, branch in zip(ways, (node.then, node.otherwise))]
        self.known = {n: v for n, v in ways[0].known.items() if ways[1].known.get(n) == v}
        return before.plus(Tally(tallies[0].ways | tallies[1].ways))

    @_count.register
    def _for(self, node: syntax.For) -> Tally:
        total = Tally() if node.first is None else self.count(node.first)
        quick = self._multiplied(node)
        if quick is not None:
            return total.plus(quick)
        return total.plus(self._rounds(node.condition, node.body, node.step))

    @_count.register
    def _while(self, node: syntax.While) -> Tally:
        once = self.count(node.body) if node.at_least_once else Tally()
        return once.plus(self._rounds(node.condition, node.body, None))

    def _multiplied(self, node: syntax.For) -> Tally | None:
        """A counting loop whose rounds are all alike: one of them, so many times."""
        name = counted(node)
        start, end = self.known.get(name), self.value(node.condition and (
            node.condition.operands[1] if isinstance(node.condition, Operation) else None))
        if name is None or start is None or end is None:
            return None
        rounds = max(0, end - start + (node.condition.operator == "<="))
        self._forget(node.body)
        inner = replace(self, known={n: v for n, v in self.known.items() if n != name})
        try:
            one = inner.count(node.body).times(rounds)
        except Undecided:
            return None
        self._set(name, start + rounds)
        return one

    def _rounds(self, condition: syntax.Node | None, body: syntax.Node,
                step: syntax.Node | None) -> Tally:
        everything = (condition, body, step)
        if not any(isinstance(n, (*TAPE, Call)) for n in syntax.walk(everything)):
            self._forget(everything)
            return Tally()
        total = Tally()
        while (test := None if condition is None else self.value(condition)):
            total = total.plus(self._used(condition)).plus(self.count(body))
            total = total.plus(self.count(step)) if step is not None else total
        if test is None:
            raise Undecided
        return total.plus(self._used(condition))

    def _used(self, expression: object) -> Tally:
        """What an expression takes; it forgets the variables that it changes."""
        nodes = list(syntax.walk(expression))
        if any(isinstance(n, Call) and str(n.function) not in NAMES for n in nodes):
            raise Undecided
        if any(_chooses(n) and any(isinstance(p, syntax.Pop) for p in syntax.walk(n))
               for n in nodes):
            raise Undecided
        for node in nodes:
            if isinstance(node, syntax.Step):
                old = self.value(node.target)
                self._set(root(node.target), None if old is None else old + node.amount)
        return Tally.of(sum(isinstance(n, syntax.Pop) for n in nodes), 0)

    def value(self, node: syntax.Node | None) -> object:
        """The value of an expression, None when it is not known."""
        if isinstance(node, Literal):
            return plain.wrap(node.value) if isinstance(node.value, int) else None
        if isinstance(node, syntax.Ref):
            return self.known.get(node.name)
        if isinstance(node, Operation) and len(node.operands) == 2:
            return _operated(node.operator, *map(self.value, node.operands))
        if isinstance(node, Operation):
            inner = self.value(node.operands[0])
            return {"-": lambda x: -x, "!": lambda x: not x}.get(
                node.operator, lambda x: None)(inner) if inner is not None else None
        return None

    def _set(self, name: str, value: object) -> None:
        if value is None or name not in self.whole:
            self.known.pop(name, None)
        else:
            self.known[name] = plain.wrap(value)

    def _forget(self, node: object) -> None:
        for name in assigned(node):
            self.known.pop(name, None)


def _chooses(node: syntax.Node) -> bool:
    """Whether a part of an expression may not be computed at all."""
    return isinstance(node, Choice) or getattr(node, "operator", "") in ("and", "or")


def _operated(operator: str, a: object, b: object) -> object:
    if a is None or b is None:
        return None
    if operator in ("/", "%"):
        return None if b == 0 else (plain.quotient if operator == "/" else plain.remainder)(a, b)
    return WAYS[operator](a, b) if operator in WAYS else None


def varying(body: syntax.Block) -> set[str]:
    """The variables whose values depend on the items."""
    found: set[str] = set()
    while True:
        grown = found | {name for name, values in _assignments(body)
                         if any(depends(value, found) for value in values)}
        if grown == found:
            return found
        found = grown


def _assignments(body: syntax.Block):
    for node in syntax.walk(body):
        if isinstance(node, syntax.Declarator) and node.initial is not None:
            yield node.name, (node.initial,)
        elif isinstance(node, syntax.Assign):
            yield root(node.target), (node.value,)


def depends(node: object, names: set[str]) -> bool:
    """Whether a value depends on the items, or on one of the variables."""
    return any(isinstance(n, (syntax.Pop, syntax.Peek))
               or (isinstance(n, syntax.Ref) and n.name in names) for n in syntax.walk(node))


def goes_one_way(body: syntax.Block, names: set[str]) -> bool:
    """Whether all firings go the same way through the body."""
    return all(_is_even(node, names) for node in syntax.walk(body))


def _is_even(node: syntax.Node, names: set[str]) -> bool:
    if isinstance(node, (syntax.If, syntax.While, syntax.For)):
        return not depends(node.condition, names)
    if isinstance(node, (syntax.Index, syntax.Peek)):
        return not depends(node.index, names) and not _steps(node.index)
    if isinstance(node, Call):
        return str(node.function) in NAMES
    if isinstance(node, Choice) or (isinstance(node, Operation) and node.operator in ("and", "or")):
        return not _steps(node) and not any(isinstance(n, syntax.Pop) for n in syntax.walk(node))
    if isinstance(node, syntax.Declare):
        arrays = bool(node.type.lengths)
        return not (arrays and any(d.name in names for d in node.declarators))
    if isinstance(node, syntax.Assign):
        single = isinstance(node.target, syntax.Ref) or root(node.target) not in names
        return single and not _steps(node.value)
    return not isinstance(node, (syntax.Return, syntax.Iteration))


def _steps(node: object) -> bool:
    return any(isinstance(n, syntax.Step) for n in syntax.walk(node))
