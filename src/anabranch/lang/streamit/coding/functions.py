"""Functions of filters and of helper packages: which are called, what they change, their text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anabranch.lang.common.syntax import Call
from anabranch.lang.streamit import syntax
from anabranch.lang.streamit.coding.counting import assigned, calls, root
from anabranch.lang.streamit.coding.scope import Kinds, Scope, Signature, Variable
from anabranch.lang.streamit.coding.statements import Statements
from anabranch.lang.streamit.types import VOID

Functions = dict[str, syntax.Function]


def reached(helpers: Functions, bodies: tuple, own: Functions) -> Functions:
    """The functions of helper packages that bodies call, and that these call."""
    found, waiting = {}, sorted(calls(bodies))
    while waiting:
        name = waiting.pop()
        if name in helpers and name not in found and name not in own:
            found[name] = helpers[name]
            inner = sorted(calls(helpers[name].body))
            waiting += [*inner, *(f"{package_of(name)}.{each}" for each in inner)]
    return found


def package_of(name: str) -> str:
    """The helper package of a function, "" for one of a filter.

    >>> package_of("Maths.twice"), package_of("next")
    ('Maths', '')
    """
    return name.rpartition(".")[0]


def changed_by(functions: Functions) -> dict[str, frozenset[int]]:
    """For each function, the parameters that it changes, itself or by a function that it calls."""
    found = {name: frozenset(i for i, p in enumerate(f.parameters) if p.name in assigned(f.body))
             for name, f in functions.items()}
    while True:
        grown = {name: found[name] | {i for i, p in enumerate(f.parameters)
                                      if p.name in passed(f.body, found, package_of(name))}
                 for name, f in functions.items()}
        if grown == found:
            return found
        found = grown


def passed(node: object, changes: dict[str, frozenset[int]], package: str = "") -> set[str]:
    """The variables that are handed to functions which change them."""
    return {root(argument) for call, name in _called(node, changes, package)
            for place, argument in enumerate(call.arguments)
            if place in changes[name]} - {""}


def _called(node: object, known: dict, package: str) -> Iterator[tuple[Call, str]]:
    for each in syntax.walk(node):
        if isinstance(each, Call):
            name = str(each.function)
            name = name if name in known else f"{package}.{name}"
            if name in known:
                yield each, name


def signatures(functions: Functions, kinds: Kinds, extra: tuple[str, ...] = ()
               ) -> dict[str, Signature]:
    """How functions are called; `extra` is what all of them are given besides."""
    changes = changed_by(functions)
    return {name: Signature(f"f_{name.replace('.', '_')}",
                            tuple(kinds.of(p.type) for p in f.parameters),
                            kinds.of(f.result, may_be_void=True), extra, changes[name])
            for name, f in functions.items()}


def add_functions(functions: Functions, signatures: dict[str, Signature], scope: Scope,
                  coder: Callable[[Scope], Statements]) -> None:
    """Adds the text of functions that see the names of a scope."""
    for name, function in functions.items():
        _add(function, signatures[name], coder(Scope(scope)), package_of(name))


def _add(function: syntax.Function, signature: Signature, coder: Statements, package: str) -> None:
    lines, names = coder.lines, []
    for parameter, type in zip(function.parameters, signature.parameters):
        names.append(lines.name(parameter.name))
        coder.scope.declare(parameter.name, Variable(names[-1], type), parameter.span)
    with lines.inside(f"def {signature.text}({', '.join((*names, *signature.extra))}):"):
        coder.result, coder.package = signature.result, package
        coder.statement(function.body)
        if signature.result != VOID:
            lines.add("_no_value()")
