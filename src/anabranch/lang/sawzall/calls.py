"""Calls: conversions, the program's own functions, and those that every program has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from anabranch.errors import ProgramError
from anabranch.ir.types import Type
from anabranch.lang.common.checking import applied
from anabranch.lang.common.syntax import Name, Node
from anabranch.lang.common.terms import Term
from anabranch.lang.sawzall import emitting, special, syntax
from anabranch.lang.sawzall.builtins import FUNCTIONS
from anabranch.lang.sawzall.converting import built
from anabranch.lang.sawzall.names import TypeMeaning, close_to
from anabranch.lang.sawzall.saws import SAWS, check_pattern
from anabranch.lang.sawzall.tables import Table, TableOf
from anabranch.lang.sawzall.types import VOID, FunctionOf, plain, shown

if TYPE_CHECKING:
    from anabranch.lang.sawzall.checking import Checker

PATTERNED = ("match", "matchstrs", "matchposns")
INTRINSICS = frozenset({*FUNCTIONS, *special.FUNCTIONS, *SAWS})


def called(checker: Checker, node: syntax.Invoke) -> Term:
    """The term of a call, whatever is called."""
    function = node.function
    if isinstance(function, (Name, syntax.Field)):
        member = checker.member(function)
        if isinstance(member, TypeMeaning):
            return special.conversion(checker, node, member.type, node.arguments)
    if isinstance(function, Name) and checker.names.get(str(function)) is None:
        return _intrinsic(checker, node, str(function))
    return _own(checker, node)


def _intrinsic(checker: Checker, node: syntax.Invoke, name: str) -> Term:
    own = special.FUNCTIONS.get(name) or SAWS.get(name)
    if own is not None:
        return own(checker, node)
    if name in special.REFUSED:
        raise ProgramError(f"the function '{name}' is not supported", node.function.span,
                           help=special.REFUSED[name])
    if name not in checker.functions:
        raise ProgramError(f"there is no function '{name}'", node.function.span,
                           help=close_to(name, [*INTRINSICS, *checker.names]))
    candidates = checker.functions[name]
    wanted = next((b.parameters for b in candidates if len(b.parameters) == len(node.arguments)),
                  None)
    terms = [_argument(checker, a, None if wanted is None else wanted[i])
             for i, a in enumerate(node.arguments)]
    if name in PATTERNED and node.arguments:
        check_pattern(node.arguments[0])
    return applied(candidates, tuple(terms), node.span, name, promotes=False)


def _argument(checker: Checker, node: Node, wanted: object) -> Term:
    if isinstance(node, (syntax.Composite, syntax.MapLiteral)) and wanted is not None:
        return checker.check_as(node, wanted)
    term = checker.value(node)
    return replace(term, type=plain(term.type))


def _passed(checker: Checker, node: Node, wanted: Type) -> Term:
    """The term of an argument; a table is passed on, other values are kept."""
    kind = plain(wanted)
    if not isinstance(kind, TableOf):
        return checker.kept(node, wanted)
    table = checker.names.find(node) if isinstance(node, Name) else None
    if not isinstance(table, Table) or not table.is_a(kind):
        raise ProgramError("this is not such a table", node.span, expected=shown(kind))
    return built(wanted, node.span, emitting.passed(table).replace("{", "{{").replace("}", "}}"))


def _own(checker: Checker, node: syntax.Invoke) -> Term:
    function = checker.value(node.function)
    kind = plain(function.type)
    if not isinstance(kind, FunctionOf):
        raise ProgramError("this is not a function", node.function.span, got=shown(function.type))
    if len(node.arguments) != len(kind.parameters):
        raise ProgramError("the function takes another number of arguments", node.span,
                           expected=str(len(kind.parameters)), got=str(len(node.arguments)))
    terms = [_passed(checker, a, t) for a, t in zip(node.arguments, kind.parameters)]
    text = f"{{}}({', '.join(['run', *['{}'] * len(terms)])})"
    if kind.result == VOID:
        return built(VOID, node.span, text, function, *terms, partial=True)
    name = str(node.function) if isinstance(node.function, Name) else "function"
    # What is returned may be undefined; the name for it is new, so that calls can be nested.
    value = checker.names.python_name("returned")
    text = f"({value} if ({value} := {text}) is not None else no_result({name!r}))"
    return built(kind.result, node.span, text, function, *terms, partial=True)
