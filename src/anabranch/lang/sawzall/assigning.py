"""Assignments: to a variable, or to a part of its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anabranch.errors import ProgramError
from anabranch.ir.types import BYTES, STR, Type
from anabranch.lang.common.generating import generated
from anabranch.lang.common.syntax import Name, Node
from anabranch.lang.common.terms import Term
from anabranch.lang.sawzall import syntax
from anabranch.lang.sawzall.changing import PARTS
from anabranch.lang.sawzall.names import Local
from anabranch.lang.sawzall.types import ArrayOf, MapOf, plain, shown

if TYPE_CHECKING:
    from anabranch.lang.sawzall.checking import Checker


def text_of(term: Term) -> str:
    return generated(term, str)


def variable_of(checker: Checker, target: Node) -> Local:
    """The variable that an assignment changes."""
    while isinstance(target, PARTS):
        target = target.value
    found = checker.names.find(target) if isinstance(target, Name) else None
    if not isinstance(found, Local):
        raise ProgramError("this cannot be assigned to", target.span)
    if found.static:
        raise ProgramError(f"'{target}' is static and does not change", target.span)
    if found.quantifies:
        raise ProgramError(f"'{target}' is a quantifier and does not change", target.span)
    checker.generator.check_reach(found, target)
    return found


def target_type(checker: Checker, target: Node) -> Type:
    """The type of what is assigned to; a variable needs no value for that."""
    return variable_of(checker, target).type if isinstance(target, Name) else \
        checker.check(target).type


def assigned(checker: Checker, target: Node, value: str) -> str:
    """The Python statement that puts a value, given as text, into the target."""
    if isinstance(target, Name):
        return f"{variable_of(checker, target).text} = {value}"
    owner = checker.value(target.value)
    kind, text = plain(owner.type), text_of(owner)
    if isinstance(target, syntax.Field):
        return f"{text}[{checker.position(target, owner.type)}] = {value}"
    if isinstance(target, syntax.Slice):
        ends = [text_of(checker.index(end, owner)) for end in (target.start, target.end)]
        return assigned(checker, target.value, f"with_slice({text}, {', '.join(ends)}, {value})")
    if isinstance(kind, MapOf):
        return f"{text}[{text_of(checker.key(target.index, kind.key))}] = {value}"
    index = text_of(checker.index(target.index, owner))
    if isinstance(kind, ArrayOf):
        return f"set_item({text}, {index}, {value})"
    if kind not in (STR, BYTES):
        raise ProgramError("a part of this cannot be assigned to", target.span, got=shown(kind))
    change = "text_with" if kind == STR else "bytes_with"
    return assigned(checker, target.value, f"{change}({text}, {index}, {value})")
