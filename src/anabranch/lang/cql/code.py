"""Terms of CQL as Python source over rows: `r` is a row, `q` one of a query inside a condition."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.lang.common.generating import generated, truth
from anabranch.lang.common.terms import Term
from anabranch.lang.cql.running import batches, marks, relations, shards, streams, windows

RUNNING = {name: value for module in (batches, marks, relations, shards, streams, windows)
           for name, value in vars(module).items() if not name.startswith("_")}


def column(slot: object) -> str:
    return f"r[{slot}]"


def column_of_either(slot: object) -> str:
    """In a condition that names two queries: `r` is a row of the outer one."""
    return f"r[{slot[1]}]" if isinstance(slot, tuple) else f"q[{slot}]"


def condition(term: Term, nested: bool = False) -> str:
    return truth(term, column_of_either if nested else column)


def row_of(terms: Iterable[Term | None]) -> str:
    """A tuple of terms; nothing becomes None.

    >>> row_of((None,))
    '(None,)'
    """
    texts = ["None" if term is None else generated(term, column) for term in terms]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def keyed(changes: str, keys: tuple[Term, ...] | None, values: str = "r") -> str:
    """The entries of changes: each with its key, which is the whole row without terms for it."""
    key = "r" if keys is None else row_of(keys)
    return f"[({key}, {values}, n) for r, n in {changes}]"
