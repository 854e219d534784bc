"""From terms to Python source.

>>> from anabranch.ir.types import INT
>>> from anabranch.lang.common.builtins import OPERATORS
>>> from anabranch.lang.common.checking import applied
>>> a, one = Variable(INT, None, 0), Constant(INT, None, 1)
>>> generated(applied(OPERATORS["+"], (a, one), None, "+"), lambda slot: f"r[{slot}]")
'(r[0] + 1)'
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import singledispatch

from anabranch.ir.types import NONE
from anabranch.lang.common.terms import Applied, Chosen, Constant, Term, Variable

Place = Callable[[object], str]


@singledispatch
def generated(term: Term, place: Place) -> str:
    """The Python text of a term; `place` gives the text of a variable's slot."""
    raise TypeError(f"no rule generates a {type(term).__name__}")


@generated.register
def _constant(term: Constant, place: Place) -> str:
    if isinstance(term.value, datetime):
        return f"datetime.fromisoformat({term.value.isoformat()!r})"
    return repr(term.value)


@generated.register
def _variable(term: Variable, place: Place) -> str:
    return place(term.slot)


@generated.register
def _applied(term: Applied, place: Place) -> str:
    texts = [generated(a, place) for a in term.arguments]
    nullable = any(a.optional or a.type == NONE for a in term.arguments)
    if not nullable:
        return term.builtin.text.format(*texts)
    if term.builtin.for_none:
        return term.builtin.for_none.format(*texts)
    names = [f"x{i}" for i in range(len(texts))]
    body = term.builtin.text.format(*names)
    return f"lifted(lambda {', '.join(names)}: {body}, {', '.join(texts)})"


@generated.register
def _chosen(term: Chosen, place: Place) -> str:
    *branches, otherwise = term.arguments
    text = generated(otherwise, place)
    for condition, value in zip(branches[-2::-2], branches[-1::-2]):
        text = f"({generated(value, place)} if {truth(condition, place)} else {text})"
    return text


def truth(term: Term, place: Place) -> str:
    """The text of a condition: what is not known does not hold."""
    text = generated(term, place)
    return f"({text} is True)" if term.optional or term.type == NONE else text
