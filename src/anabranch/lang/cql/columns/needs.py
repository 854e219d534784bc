"""What a program needs of columns: whether they can hold its values, and which ones it looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from anabranch.ir.types import FLOAT, INT, Type, without_none
from anabranch.lang.common.terms import Term, Variable, walk
from anabranch.lang.cql import sra
from anabranch.lang.cql.columns.values import KINDS
from anabranch.lang.cql.names import own_slots


def reason_against(nodes: Iterable[sra.Node], clock: Type) -> str | None:
    """Why the relations of a program cannot be held in columns; None when they can."""
    return next((why for node in nodes for why in _reasons(node, clock)), None)


def _reasons(node: sra.Node, clock: Type) -> Iterator[str]:
    if unheld := [column.name for column in node.schema if column.type not in KINDS]:
        yield f"the column {unheld[0]} is always null"
    if isinstance(node, sra.Window) and node.kind == "range" and node.slide and (
            clock == FLOAT or (clock == INT and node.slide.denominator != 1)):
        yield "a window slides along times with fractions"
    if isinstance(node, sra.Project) and any(map(_widens, node.terms, [node.relation.schema] * len(
            node.terms))):
        yield "a whole number stands for a float"
    for each in node.inputs:
        yield from _reasons(each, clock)


def _widens(term: Term, schema: sra.Schema) -> bool:
    """Whether a column is used as one of another type, which its values are not of."""
    return any(isinstance(part, Variable) and without_none(part.type) != without_none(
        schema[part.slot].type) for part in walk(term))


def slots_read(nodes: Iterable[sra.Node], inputs: Mapping[str, sra.Input]) -> dict[str, set[int]]:
    """The positions of the columns of each input that anything is computed from."""
    found: dict[str, set[int]] = {name: set() for name in inputs}
    for node in nodes:
        _look(node, _all(node), found)
    return found


def _all(node: sra.Node) -> set[int]:
    return set(range(len(node.schema)))


def _look(node: sra.Node, slots: set[int], found: dict[str, set[int]]) -> None:
    match node:
        case sra.Input():
            if node.name in found:
                found[node.name] |= slots if node.is_stream else _all(node)
        case sra.Window():
            _look(node.relation, slots | set(node.by), found)
        case sra.Filter():
            _look(node.relation, slots | own_slots(node.condition), found)
        case sra.Project():
            _look(node.relation, set().union(*map(own_slots, node.terms)), found)
        case sra.Group():
            arguments = [c.argument for c in node.calls if c.argument is not None]
            _look(node.relation, set().union(*map(own_slots, (*node.keys, *arguments))), found)
        case _:
            for each in node.inputs:
                _look(each, _all(each), found)
