"""From syntax to terms: names are looked up, overloads chosen, types checked.

A scope tells what a name means in a place; names are found whatever their case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.ir.types import BOOL, FLOAT, INT, NONE, AnyOf, OptionalOf, Type, meet, without_none
from anabranch.lang.common.syntax import Call, Choice, Literal, Name, Node, Operation
from anabranch.lang.common.terms import Applied, Builtin, Chosen, Constant, Term

Builtins = Mapping[str, Sequence[Builtin]]
SHOWN = {"str": "string", "timestamp": "time", "None": "null"}


class Checker:
    """Checks expressions against tables of operators and functions; `variable` resolves a name.

    The method for a kind of expression is called after its class; a language adds its own.
    """

    def __init__(self, operators: Builtins, functions: Builtins, variable: Callable[[Name], Term]):
        self.operators, self.functions, self.variable = operators, functions, variable

    def check(self, node: Node) -> Term:
        return getattr(self, f"check_{type(node).__name__.lower()}")(node)

    def check_literal(self, node: Literal) -> Term:
        return Constant(node.type, node.span, node.value)

    def check_name(self, node: Name) -> Term:
        return self.variable(node)

    def check_operation(self, node: Operation) -> Term:
        arguments = tuple(map(self.check, node.operands))
        return applied(self.operators[node.operator], arguments, node.span, f"'{node.operator}'")

    def check_call(self, node: Call) -> Term:
        name = str(node.function).lower()
        if name not in self.functions:
            raise ProgramError(f"there is no function '{node.function}'", node.function.span,
                               help=did_you_mean(name, self.functions))
        arguments = tuple(map(self.check, node.arguments))
        return applied(self.functions[name], arguments, node.span, name)

    def check_choice(self, node: Choice) -> Term:
        conditions = [self.condition(c) for c, _ in node.branches]
        values = [self.check(v) for _, v in node.branches]
        values.append(Constant(NONE, node.span, None) if node.otherwise is None
                      else self.check(node.otherwise))
        kind = values[0].type
        for value in values[1:]:
            kind = common_type(kind, value)
        pairs = zip(conditions, values)
        return Chosen(kind, node.span, (*(t for pair in pairs for t in pair), values[-1]))

    def condition(self, node: Node) -> Term:
        """The term of an expression that must be true or false."""
        return expect(self.check(node), BOOL)


def expect(term: Term, wanted: Type) -> Term:
    """The term itself if it is of the type, or of that type or null."""
    if without_none(term.type) not in (wanted, NONE):
        raise ProgramError("this has the wrong type", term.span, expected=shown(wanted),
                           got=shown(term.type))
    return term


def common_type(kind: Type, value: Term) -> Type:
    both = meet(kind, value.type)
    if isinstance(both, AnyOf):
        raise ProgramError("this has another type than the branches before it", value.span,
                           expected=shown(kind), got=shown(value.type))
    return both


def applied(candidates: Sequence[Builtin], arguments: tuple[Term, ...], span: Span,
            name: str, promotes: bool = True) -> Term:
    """The first overload that takes these arguments; an int may stand where a float is wanted,
    in a language that promotes."""
    given = [without_none(a.type) for a in arguments]
    for fits in (_same, _promoted) if promotes else (_same,):
        for builtin in candidates:
            if fits(builtin.parameters, given):
                return Applied(_result(builtin, arguments), span, builtin, arguments)
    alike = [b for b in candidates if len(b.parameters) == len(given)] or candidates
    raise ProgramError(f"{name} cannot be applied to {_listed(a.type for a in arguments)}", span,
                       expected=" or ".join(dict.fromkeys(_listed(b.parameters) for b in alike)))


def _same(wanted: Sequence[Type], given: Sequence[Type]) -> bool:
    return len(wanted) == len(given) and all(g in (w, NONE) for w, g in zip(wanted, given))


def _promoted(wanted: Sequence[Type], given: Sequence[Type]) -> bool:
    return len(wanted) == len(given) and all(
        g in (w, NONE) or (w, g) == (FLOAT, INT) for w, g in zip(wanted, given))


def _result(builtin: Builtin, arguments: tuple[Term, ...]) -> Type:
    nullable = any(a.optional or a.type == NONE for a in arguments)
    never = isinstance(builtin.result, OptionalOf) or builtin.for_none == builtin.text
    return OptionalOf(builtin.result) if nullable and not never else builtin.result


def shown(kind: Type) -> str:
    """A type as a user of the languages would write it.

    >>> from anabranch.ir.types import STR
    >>> shown(OptionalOf(STR))
    'string or null'
    """
    if isinstance(kind, OptionalOf):
        return f"{shown(kind.item)} or null"
    return SHOWN.get(str(kind), str(kind))


def _listed(types) -> str:
    return f"({', '.join(map(shown, types))})"


T = TypeVar("T")


class Scope(Generic[T]):
    """Names with their meanings; `what` says in errors what they are the names of.

    >>> Scope("stream", {"Quotes": 1}).get("quotes")
    1
    """

    def __init__(self, what: str, meanings: Mapping[str, T] | None = None):
        self.what = what
        self.meanings: dict[str, tuple[str, T]] = {}
        for name, meaning in (meanings or {}).items():
            self.meanings[name.lower()] = name, meaning

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.meanings

    def __iter__(self) -> Iterable[str]:
        return (name for name, _ in self.meanings.values())

    def get(self, name: str) -> T | None:
        return self.meanings.get(name.lower(), ("", None))[1]

    def spelling(self, name: str) -> str:
        """The name as it was declared."""
        return self.meanings[name.lower()][0]

    def find(self, name: Name) -> T:
        """The meaning of a name; a `ProgramError` that underlines it when there is none."""
        if str(name) not in self:
            raise unknown(self.what, str(name), name.span, self)
        return self.get(str(name))

    def declare(self, name: Name, meaning: T) -> None:
        """Adds a name, which must be new."""
        if str(name) in self:
            raise ProgramError(f"the {self.what} '{name}' is declared twice", name.span)
        self.meanings[str(name).lower()] = str(name), meaning


def unknown(what: str, name: str, span: Span, known: Iterable[str]) -> ProgramError:
    return ProgramError(f"there is no {what} '{name}'", span, help=did_you_mean(name, known))
