"""The invariants of a graph, each with its error for a person to read.

An annotation that is not known may stand beside the known ones. A misspelt one would be ignored
silently, so a name that is close to a known one is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import singledispatch

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.ir.graph import Annotation, Graph, Operator
from anabranch.ir.operators import (
    WHOLE_ITEM,
    Barrier,
    Filter,
    FlatMap,
    Keyed,
    Kind,
    Map,
    Routine,
    Sink,
    Source,
    Split,
    Union,
)
from anabranch.ir.types import ANY, Type, accepts, fields_of


def verify(graph: Graph) -> Graph:
    """The graph itself, if it is sound; otherwise the first error, at the operator's line."""
    for check in CHECKS:
        check(graph)
    return graph


def unique_names(graph: Graph) -> None:
    for op in _repeated(graph.operators, lambda op: op.name):
        raise ProgramError(f"two operators are called '{op.name}'", op.span)
    for queue in _repeated(graph.queues, lambda q: q.name):
        raise ProgramError(f"two queues are called '{queue.name}'")
    for variable in _repeated(graph.variables, lambda v: v.name):
        raise ProgramError(f"two variables are called '{variable.name}'")


def queues_written_once(graph: Graph) -> None:
    known = {q.name for q in graph.queues}
    writers: dict[str, Operator] = {}
    for op in graph:
        for queue in op.outputs:
            if queue not in known:
                raise ProgramError(f"{op.name} writes '{queue}', which is not declared", op.span,
                                   help=did_you_mean(queue, known))
            if queue in writers:
                raise ProgramError(f"{op.name} writes '{queue}', which {writers[queue].name} "
                                   "writes already", op.span)
            writers[queue] = op
    for queue in graph.queues:
        if queue.name not in writers:
            raise ProgramError(f"nothing writes '{queue.name}'")


def inputs_written(graph: Graph) -> None:
    known = dict.fromkeys(q.name for q in graph.queues)
    for op in graph:
        for queue in op.inputs:
            if queue not in known:
                raise ProgramError(f"{op.name} reads '{queue}', which nothing writes", op.span,
                                   help=did_you_mean(queue, known))


def outputs_read(graph: Graph) -> None:
    """One branch of a split may be left alone; an operator whose every output is, does nothing."""
    for op in graph:
        if op.outputs and not any(graph.readers(queue) for queue in op.outputs):
            raise ProgramError(f"nothing reads '{op.outputs[0]}'", op.span,
                               help=f"end it with an output, or leave {op.name} out")


def ends_in_place(graph: Graph) -> None:
    """A source stands before its readers and a sink after its writer: no loop goes through them."""
    for op in graph:
        if op.is_source and graph.is_feedback(op.outputs[0]):
            raise ProgramError(f"the source {op.name} stands after an operator that reads it",
                               op.span, help="declare it first")
        if op.is_sink and graph.position(graph.writer(op.inputs[0])) > graph.position(op):
            raise ProgramError(f"the sink {op.name} stands before the operator that writes it",
                               op.span, help="declare it last")


def ports_fit(graph: Graph) -> None:
    for op in graph:
        wanted = arity(op.kind)
        for side, count, ports in zip(("input", "output"), wanted, (op.inputs, op.outputs)):
            if count is not None and count != len(ports):
                raise ProgramError(f"{op.name} ({op.kind.label}) has {_count(len(ports), side)}",
                                   op.span, expected=_count(count, side))


@singledispatch
def arity(kind: Kind) -> tuple[int | None, int | None]:
    """How many inputs and outputs a kind has; None for any number. New kinds register theirs.

    >>> arity(Union(3))
    (3, 1)
    """
    return None, None


arity.register(Source, lambda kind: (0, 1))
arity.register(Sink, lambda kind: (1, 0))
arity.register(Split, lambda kind: (1, len(kind.predicates) + 1))
for _one_to_one in (Map, Filter, FlatMap):
    arity.register(_one_to_one, lambda kind: (1, 1))
for _many_to_one in (Keyed, Union, Barrier):
    arity.register(_many_to_one, lambda kind: (kind.ports, 1))


def variables_fit(graph: Graph) -> None:
    known = dict.fromkeys(v.name for v in graph.variables)
    for op in graph:
        for variable in op.variables:
            if variable not in known:
                raise ProgramError(f"{op.name} uses {variable}, which is not declared", op.span,
                                   help=did_you_mean(variable, known))
        for variable in (*_repeated(op.reads, str), *_repeated(op.writes, str)):
            raise ProgramError(f"{op.name} names {variable} twice", op.span)
        if op.kind.stateful and not op.variables:
            raise ProgramError(f"{op.name} ({op.kind.label}) keeps state but has no variable",
                               op.span)
        _routine_fits(op)


def _routine_fits(op: Operator) -> None:
    if isinstance(op.kind, Routine):
        written = tuple(op.variables.index(v) for v in op.writes)
        if (op.kind.reads, op.kind.written) != (len(op.reads), written):
            raise ProgramError(f"{op.name} takes other variables than its function", op.span,
                               expected=f"{_count(op.kind.reads, 'variable')} read, "
                                        f"{len(op.kind.written)} written",
                               got=f"{len(op.reads)} read, {len(op.writes)} written")


def everything_reached(graph: Graph) -> None:
    """Items come from sources alone, so a loop without an entry never runs."""
    reached, waiting = set(), list(graph.sources)
    while waiting:
        op = waiting.pop()
        if op.name not in reached:
            reached.add(op.name)
            waiting.extend(graph.successors(op))
    for op in graph:
        if op.name not in reached:
            raise ProgramError(f"no item ever reaches {op.name}", op.span,
                               help="its inputs lead back to no source")


def attributes_exist(graph: Graph) -> None:
    for op in graph:
        if op.is_source and op.kind.time:
            check_attribute(op.kind.time, graph.output_types(op), op)
        check_annotations(graph, op)


def comparable_times(graph: Graph) -> None:
    """Sources that are merged by their times need times of one kind."""
    timed = [op for op in graph.sources if op.kind.time]
    kinds = [(op, (fields_of(graph.output_types(op)[0]) or {}).get(op.kind.time, ANY))
             for op in timed]
    for op, kind in kinds[1:]:
        first, wanted = kinds[0]
        if not (accepts(wanted, kind) or accepts(kind, wanted)):
            raise ProgramError(f"{first.name} and {op.name} are merged by times that cannot be "
                               "compared", op.span, expected=str(wanted), got=str(kind))


CHECKS: tuple[Callable[[Graph], None], ...] = (
    unique_names, queues_written_once, inputs_written, ports_fit, outputs_read, ends_in_place,
    variables_fit, everything_reached, attributes_exist, comparable_times)


def _repeated(items: Iterable, key: Callable) -> list:
    """The items whose key an earlier item has.

    >>> _repeated(["a", "B", "b"], str.lower)
    ['b']
    """
    firsts: dict = {}
    return [item for i, item in enumerate(items) if firsts.setdefault(key(item), i) != i]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


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
