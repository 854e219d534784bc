"""Chooses which operators stand on the same machine: `@Group` and `@Parallel`."""

from __future__ import annotations

from collections import defaultdict

from anabranch.core.errors import ProgramError
from anabranch.ir.graph import Annotation, Graph, Operator


def machines_of(graph: Graph) -> dict[str, str]:
    """The group of every operator that is bound to one."""
    groups: dict[str, str] = {}
    for together in _together(graph):
        if group := _group(together):
            groups.update({op.name: group for op in together})
    return {op.name: groups[op.name] for op in graph if op.name in groups}


def _together(graph: Graph) -> list[tuple[Operator, ...]]:
    """The operators in sets that share a variable or a fusion, directly or through others."""
    sets = {op.name: (op,) for op in graph}
    for bound in _bonds(graph).values():
        united = {op.name: op for one in bound for op in sets[one.name]}
        sets |= dict.fromkeys(united, tuple(united.values()))
    return list({id(s): s for s in sets.values()}.values())


def _bonds(graph: Graph) -> dict[tuple, list[Operator]]:
    bonds: dict[tuple, list[Operator]] = defaultdict(list)
    for op in graph:
        for variable in op.variables:
            bonds["variable", variable].append(op)
        if fuse := op.annotation("Fuse"):
            bonds["fuse", *fuse.arguments].append(op)
    return bonds


def _group(together: tuple[Operator, ...]) -> str | None:
    """The one group of operators that stay together, named after the first if they give none."""
    claimed = [(op, a) for op in together if (a := op.annotation("Group"))]
    for op, group in claimed[1:]:
        if group != claimed[0][1]:
            raise _contradiction(*claimed[0], op, group)
    if claimed:
        return str(claimed[0][1].arguments[0])
    return together[0].name if len(together) > 1 else None


def _contradiction(first: Operator, group: Annotation, second: Operator, other: Annotation
                   ) -> ProgramError:
    shared = next((v for v in second.variables if v in first.variables), None)
    bond = f"share the variable {shared}" if shared else "must be kept together"
    return ProgramError(f"{first.name} and {second.name} {bond} but are placed apart",
                        second.span, expected=f"{group.told}, as {first.name} has",
                        got=other.told, help="give both the same group")
