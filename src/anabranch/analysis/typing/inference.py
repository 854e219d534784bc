"""The type of what a user's function gives, found before anything runs.

A misspelt attribute, a clash of types or a wrong call of a record is a `ProgramError` at the
user's expression. What is not certain is `AnyOf`, with the reason.

>>> from anabranch.ir.types import STR
>>> from anabranch.ir.function import Function
>>> str(infer_result(Function.from_source("lambda text: len(text) / 2", {}), [STR]))
'float'
>>> str(infer_yields(Function.from_source("lambda text: text.split()", {}), [STR]))
'str'
"""

from __future__ import annotations

from anabranch.analysis.facts.flow import falls_through
from anabranch.analysis.facts.outputs import outputs
from anabranch.analysis.syntax import FunctionSyntax, Missing, syntax_of
from anabranch.analysis.typing.complaints import strict
from anabranch.analysis.typing.statements import Typed, typed
from anabranch.analysis.typing.types import ItemsOf, element, joined_all, of_items, returned
from anabranch.ir.function import Function
from anabranch.ir.types import NONE, AnyOf, ListOf, Type


def infer_result(function: Function, parameters: list[Type]) -> Type:
    """The type of what a function returns; its return annotation wins."""
    checked = _checked(function, parameters)
    declared = returned(function.call)
    if declared is not None:
        return of_items(declared)
    if isinstance(checked, Missing):
        return AnyOf(checked.reason)
    return of_items(_returned(*checked))


def infer_yields(function: Function, parameters: list[Type]) -> Type:
    """The type of the items that a function yields, or of those in what it returns."""
    checked = _checked(function, parameters)
    declared = returned(function.call)
    if isinstance(declared, (ItemsOf, ListOf)):
        return of_items(declared.item)
    if isinstance(checked, Missing):
        return AnyOf(checked.reason)
    syntax, found = checked
    if syntax.is_generator:
        return of_items(joined_all(found.yielded))
    return of_items(element(_returned(syntax, found)) or AnyOf("what it returns is no list"))


def gives_nothing(function: Function) -> bool:
    """Whether a function certainly never yields or returns an item.

    >>> gives_nothing(Function.from_source("lambda text: []", {}))
    True
    """
    syntax = syntax_of(function.call)
    return isinstance(syntax, FunctionSyntax) and outputs(syntax).high == 0


def _checked(function: Function, parameters: list[Type]) -> tuple[FunctionSyntax, Typed] | Missing:
    syntax = syntax_of(function.call)
    return syntax if isinstance(syntax, Missing) else (syntax, typed(syntax, parameters, strict))


def _returned(syntax: FunctionSyntax, found: Typed) -> Type:
    if syntax.is_generator:
        return AnyOf("it is a generator")
    at_end = [NONE] if falls_through(syntax) else []
    return joined_all([*found.returned, *at_end])
