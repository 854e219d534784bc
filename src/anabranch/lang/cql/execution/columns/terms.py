"""Terms over columns: the usual operators by NumPy, any other term row by row."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from operator import and_, eq, ge, gt, invert, le, lt, ne, or_

import numpy as np

from anabranch.core.errors import AnabranchError
from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, OptionalOf, Type
from anabranch.lang.common.codegen import function, generated, truth
from anabranch.lang.common.terms import Applied, Constant, Term, Variable
from anabranch.lang.cql.algebra import Schema
from anabranch.lang.cql.check import own_slots
from anabranch.lang.cql.codegen import column as column_text
from anabranch.lang.cql.execution.columns.values import (
    KINDS,
    Texts,
    bounded,
    checked,
    largest,
    of_values,
    to_values,
    words,
)
from anabranch.plan.logical.whole import Unfinished

Columns = tuple[np.ndarray, ...]
Compute = Callable[[Columns, int], np.ndarray]
"""The column of a term, from the columns of so many rows."""


def _sum(a, b):
    bounded(largest(a) + largest(b))
    return a + b


def _difference(a, b):
    bounded(largest(a) + largest(b))
    return a - b


def _product(a, b):
    bounded(largest(a) * largest(b))
    return a * b


def _quotient(a, b):
    """Towards zero, as CQL divides."""
    if not b.all():
        raise Unfinished
    bounded(largest(a))
    return (np.abs(a) // np.abs(b)) * (np.sign(a) * np.sign(b))


def _remainder(a, b):
    if not b.all():
        raise Unfinished
    return np.fmod(a, b)


COMPARISONS = {"=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
FAST = {
    **{(name, (kind, kind)): how for kind in (INT, FLOAT, BOOL, TIMESTAMP)
       for name, how in COMPARISONS.items()},
    ("=", (STR, STR)): eq, ("<>", (STR, STR)): ne,
    ("and", (BOOL, BOOL)): and_, ("or", (BOOL, BOOL)): or_, ("not", (BOOL,)): invert,
    ("+", (INT, INT)): _sum, ("-", (INT, INT)): _difference, ("*", (INT, INT)): _product,
    ("/", (INT, INT)): _quotient, ("%", (INT, INT)): _remainder,
    ("+", (FLOAT, FLOAT)): np.add, ("-", (FLOAT, FLOAT)): np.subtract,
    ("*", (FLOAT, FLOAT)): np.multiply,
}


def computed(term: Term, schema: Schema, texts: Texts) -> Compute:
    """How the column of a term is computed."""
    if isinstance(term, Variable):
        return _variable(term.slot, term.type == OptionalOf(schema[term.slot].type), schema)
    if isinstance(term, Constant) and term.type in (INT, FLOAT, BOOL, STR):
        [value] = of_values([term.value], term.type, texts)
        return lambda columns, rows: np.full(rows, value, KINDS[term.type])
    how = _fast(term)
    if how is None:
        return _row_by_row(term, schema, texts)
    arguments = [computed(a, schema, texts) for a in term.arguments]

    def whole(columns: Columns, rows: int) -> np.ndarray:
        with np.errstate(all="ignore"):
            return checked(how(*(a(columns, rows) for a in arguments)), term.type)
    return whole


def _variable(slot: int, widened: bool, schema: Schema) -> Compute:
    def column(columns: Columns, rows: int) -> np.ndarray:
        return columns[slot]
    return in_words(column, schema[slot].type) if widened else column


def in_words(how: Compute, kind: Type) -> Compute:
    """A column that is not null, as one that might be."""
    return lambda columns, rows: words(how(columns, rows), kind)


def _fast(term: Term) -> Callable | None:
    if not isinstance(term, Applied):
        return None
    return FAST.get((term.builtin.name, tuple(a.type for a in term.arguments)))


def _row_by_row(term: Term, schema: Schema, texts: Texts) -> Compute:
    """The Python text of a term, for one row after another. A row for which it fails is left to
    the operators of the graph, which tell the user."""
    found = _called(generated(term, column_text), term, schema, texts)
    return lambda columns, rows: of_values(found(columns, rows), term.type, texts)


def holds(condition: Term, schema: Schema, texts: Texts) -> Compute:
    """A condition; where it is not known, it does not hold."""
    if not condition.optional:
        return computed(condition, schema, texts)
    found = _called(truth(condition, column_text), condition, schema, texts)
    return lambda columns, rows: of_values(found(columns, rows), BOOL, texts)


def _called(text: str, term: Term, schema: Schema, texts: Texts
            ) -> Callable[[Columns, int], list]:
    call, used = function(f"lambda r: {text}", term.span).call, own_slots(term)

    def values(columns: Columns, rows: int) -> list:
        cells = [to_values(column, schema[i].type, texts) if i in used else repeat(None, rows)
                 for i, column in enumerate(columns)]
        try:
            return list(map(call, zip(*cells)))
        except (AnabranchError, ArithmeticError, ValueError, TypeError):
            raise Unfinished from None
    return values
