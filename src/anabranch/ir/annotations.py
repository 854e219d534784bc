"""The annotations that are known, and the shape of their arguments. Others may stand beside them.

A misspelt one would be ignored silently, so a name that is close to a known one is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from anabranch.errors import ProgramError, did_you_mean
from anabranch.ir.graph import Annotation, Graph, Operator
from anabranch.ir.operators import WHOLE_ITEM
from anabranch.ir.types import Type, fields_of

Arguments = tuple[object, ...]


def _none(arguments: Arguments) -> bool:
    return not arguments


def _one(arguments: Arguments) -> bool:
    return len(arguments) == 1


def _words(arguments: Arguments) -> bool:
    return all(isinstance(a, str) and a for a in arguments)


def _some_words(arguments: Arguments) -> bool:
    return bool(arguments) and _words(arguments)


def _interval(arguments: Arguments) -> bool:
    if len(arguments) != 2 or not isinstance(arguments[0], int):
        return False
    low, high = arguments
    return low >= 0 and (high is None or (isinstance(high, int) and low <= high))


KNOWN: dict[str, tuple[Callable[[Arguments], bool], str]] = {
    "Fuse": (_one, "@Fuse(id)"),
    "Group": (_one, "@Group(id)"),
    "Parallel": (_none, "@Parallel()"),
    "Commutative": (lambda given: given in ((), ("sorted",)), "@Commutative() or (sorted)"),
    "Stateless": (_none, "@Stateless()"),
    "Unpartitioned": (_none, "@Unpartitioned()"),
    "Pure": (_none, "@Pure()"),
    "Keys": (_some_words, "@Keys(attribute, ...)"),
    "Forwards": (_words, "@Forwards(attribute, output=input, ...)"),
    "Selectivity": (_interval, "@Selectivity(low, high), with * for no bound"),
}


def check_annotations(graph: Graph, op: Operator) -> None:
    """Names, arguments, and attributes that items of a known type must have."""
    for position, annotation in enumerate(op.annotations):
        _check_name(annotation, op)
        if annotation.name in (a.name for a in op.annotations[:position]):
            raise ProgramError(f"{op.name} has two annotations @{annotation.name}", op.span)
        fits, form = KNOWN.get(annotation.name, (None, ""))
        if fits and not fits(annotation.arguments):
            raise ProgramError(f"an annotation of {op.name} has wrong arguments", op.span,
                               expected=form, got=_shown(annotation))
        _check_attributes(annotation, graph, op)


def _check_name(annotation: Annotation, op: Operator) -> None:
    lower = {known.lower(): known for known in KNOWN}
    close = get_close_matches(annotation.name.lower(), lower, n=1, cutoff=0.7)
    if close and annotation.name not in KNOWN:
        raise ProgramError(f"there is no annotation @{annotation.name}", op.span,
                           help=f"did you mean @{lower[close[0]]}?")


def _shown(annotation: Annotation) -> str:
    values = ("*" if a is None else str(a) for a in annotation.arguments)
    return f"@{annotation.name}({', '.join(values)})"


def _check_attributes(annotation: Annotation, graph: Graph, op: Operator) -> None:
    inputs = graph.input_types(op) or graph.output_types(op)
    if annotation.name == "Keys" and annotation.arguments != WHOLE_ITEM:
        for attribute in annotation.arguments:
            check_attribute(attribute, inputs, op)
    if annotation.name == "Forwards":
        for argument in annotation.arguments:
            output, _, given = argument.partition("=")
            check_attribute(output, graph.output_types(op), op)
            check_attribute(given or output, inputs, op)


def check_attribute(attribute: str, types: list[Type], op: Operator) -> None:
    """A `ProgramError` unless items of all these types have the attribute, as far as is known."""
    for item in types:
        fields = fields_of(item)
        if fields is not None and attribute.split(".", maxsplit=1)[0] not in fields:
            raise ProgramError(f"{item} has no attribute '{attribute}'", op.span,
                               help=did_you_mean(attribute, fields))
