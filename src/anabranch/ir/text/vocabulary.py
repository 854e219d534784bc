"""What a graph's text refers to by name: kinds, record classes, initial values of variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anabranch.ir.graph import Graph
from anabranch.ir.operators import Kind, Routine, Sink, Source
from anabranch.ir.text.environment import SCALARS
from anabranch.ir.text.naming import PLAIN, fresh
from anabranch.ir.types import ListOf, OptionalOf, RecordOf, Type


@dataclass(frozen=True)
class Vocabulary:
    """The function's name of each operator that shows one, the records' names, and all meanings."""

    functions: dict[str, str]
    records: dict[type, str]
    meanings: dict[str, object]


def functions_of(graph: Graph) -> dict[str, object]:
    """What `parse` needs to read the graph's text again: its kinds, its record classes, and the
    initial values of its variables (under `$name`)."""
    return vocabulary(graph).meanings


def vocabulary(graph: Graph) -> Vocabulary:
    """A name of its own for everything; operators that share a kind share its name."""
    meanings: dict[str, object] = {}
    known: dict[object, str] = {}

    def name(key: object, base: str, meaning: object) -> str:
        if key not in known:
            known[key] = fresh(base, meanings.keys() | SCALARS.keys())
            meanings[known[key]] = meaning
        return known[key]

    functions = {op.name: name(_identity(op.kind), _base(op.kind), op.kind)
                 for op in graph if not is_unbound(op.kind)}
    records = {cls: name(cls, cls.__name__, cls) for q in graph.queues for cls in _records(q.type)}
    return Vocabulary(functions, records, meanings | {v.name: v.initial for v in graph.variables})


def is_unbound(kind: Kind) -> bool:
    """Whether `input` or `output` alone says it all."""
    return kind == Sink() or (isinstance(kind, Source) and kind == Source(time=kind.time))


def _identity(kind: Kind) -> object:
    # A routine's counts of variables are in the text, so only its function matters. Other kinds
    # are told apart by identity: equality may leave fields out, and a field may have no hash.
    return (id(kind.function.call), kind.function.name) if isinstance(kind, Routine) else id(kind)


def _base(kind: Kind) -> str:
    """`SelectIBM` for a routine, `filter.is_adult` or `filter` for other kinds.

    A name from the user's code is taken only if it can be written as it is.
    """
    function = kind.functions[0].name if kind.functions else ""
    if not PLAIN.fullmatch(function):
        return kind.label
    return function if isinstance(kind, Routine) else f"{kind.label}.{function}"


def _records(item: Type) -> Iterator[type]:
    if isinstance(item, RecordOf):
        yield item.cls
    elif isinstance(item, (ListOf, OptionalOf)):
        yield from _records(item.item)
