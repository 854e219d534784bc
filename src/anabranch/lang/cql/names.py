"""What the names in a query mean: the columns of its tables, and of the query around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.errors import ProgramError, did_you_mean
from anabranch.lang.common.scope import unknown
from anabranch.lang.common.syntax import Name
from anabranch.lang.common.terms import Term, Variable, walk
from anabranch.lang.cql.sra import Schema

OUTER = "outer"
"""The first part of the slot of a column of the query around this one."""


@dataclass(frozen=True)
class Rows:
    """The columns that the terms of a query see: those of its tables, side by side.

    `same` has the positions that `where` equates: they may be called by their name alone.
    """

    tables: tuple[tuple[str, Schema], ...]
    outer: Rows | None = None
    same: frozenset[frozenset[int]] = field(default=frozenset())

    @property
    def columns(self) -> Schema:
        return tuple(c for _, schema in self.tables for c in schema)

    def positions_of(self, alias: str) -> range | None:
        """The positions of a table's columns; None when there is no such table."""
        start = 0
        for name, schema in self.tables:
            if name.lower() == alias.lower():
                return range(start, start + len(schema))
            start += len(schema)
        return None

    def variable(self, name: Name) -> Term:
        """The column of this name, here or in the query around."""
        found = self._found(name)
        if found is not None:
            return Variable(self.columns[found].type, name.span, found)
        if self.outer is not None and (found := self.outer._found(name)) is not None:
            return Variable(self.outer.columns[found].type, name.span, (OUTER, found))
        raise self._unknown(name)

    def has(self, name: Name) -> bool:
        """Whether one of the tables has a column of this name."""
        return self._found(name) is not None

    def _found(self, name: Name) -> int | None:
        *table, column = name.parts
        if len(table) > 1:
            raise ProgramError("an attribute has a name, or that of its table and its own",
                               name.span, expected="table.attribute")
        among = self.positions_of(table[0]) if table else range(len(self.columns))
        if among is None:
            return None
        found = [i for i in among if self.columns[i].name.lower() == column.lower()]
        if len(found) > 1 and not all(self.equated(found[0], i) for i in found[1:]):
            raise ProgramError(f"the attribute '{column}' is ambiguous", name.span,
                               help="put the name of its table before it: " + " or ".join(
                                   f"{self._table(i)}.{column}" for i in found))
        return found[0] if found else None

    def equated(self, a: int, b: int) -> bool:
        """Whether `where` says that two columns are the same, perhaps through others."""
        reached: frozenset[int] = frozenset()
        wider = frozenset((a,))
        while wider != reached:
            reached = wider
            wider = reached.union(*(pair for pair in self.same if pair & reached))
        return b in reached

    def _table(self, position: int) -> str:
        return next(name for name, _ in self.tables if position in self.positions_of(name))

    def _unknown(self, name: Name) -> ProgramError:
        *table, column = name.parts
        if table and self.positions_of(table[0]) is None:
            return unknown("table", table[0], name.span, [alias for alias, _ in self.tables])
        further = self.outer.outer if self.outer is not None else None
        if further is not None and further._found(name) is not None:
            return ProgramError("a query can refer to the query around it, no further out",
                                name.span)
        among = self.positions_of(table[0]) if table else range(len(self.columns))
        known = dict.fromkeys(self.columns[i].name for i in among)
        if column.lower() == "timestamp":
            return ProgramError(f"there is no attribute '{name}'", name.span,
                                help="declare it with the others to use the timestamp as one")
        return ProgramError(f"there is no attribute '{name}'", name.span,
                            help=did_you_mean(column, known))


def slots(term: Term) -> set[object]:
    """The slots of all variables in a term."""
    return {part.slot for part in walk(term) if isinstance(part, Variable)}


def own_slots(term: Term) -> set[int]:
    return {slot for slot in slots(term) if isinstance(slot, int)}


def is_correlated(term: Term) -> bool:
    """Whether it names a column of the query around."""
    return any(isinstance(slot, tuple) and slot[0] == OUTER for slot in slots(term))
