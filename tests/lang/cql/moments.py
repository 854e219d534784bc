"""When `rstream` writes: when an input, or a window of the program, may change.

By its definition it would write at every tick of the clock; all else is the same at any tick.
"""

from __future__ import annotations

import dataclasses
from math import floor

from anabranch.lang.cql import syntax


def moments(statements, inputs: dict[str, list[tuple]]) -> set[int]:
    """All such times of a program, in whole seconds."""
    known = {name: {row[0] for row in rows} for name, rows in inputs.items()}
    found = set().union(*known.values())
    for statement in statements:
        if not isinstance(statement, syntax.Declaration):
            times = changes(statement.query, known)
            found |= times
            if isinstance(statement, syntax.Definition):
                known[str(statement.name)] = times
    return found


def changes(node, known: dict[str, set[int]]) -> set[int]:
    match node:
        case syntax.Reference():
            return known[str(node.name)]
        case syntax.Table():
            times = changes(node.source, known)
            return times | {t for time in times for t in moves(node.window, time)}
        case tuple():
            return set().union(*(changes(part, known) for part in node))
    if not dataclasses.is_dataclass(node):
        return set()
    return changes(tuple(getattr(node, f.name) for f in dataclasses.fields(node)), known)


def moves(window, time: int) -> list[int]:
    """When a row that came at some time enters or leaves a window, if not at once."""
    if window is None or (window.length is None and window.kind != "now"):
        return []
    if window.slide is None:
        return [time + floor(window.length or 0) + 1]
    multiples = range(0, time + int(window.length) + 2 * int(window.slide), int(window.slide))
    return [next(m for m in multiples if m >= time),
            next(m for m in multiples if m - window.length > time)]
