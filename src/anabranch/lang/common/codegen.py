"""From terms to Python source, and from that to functions with a scope of their own.

From terms to Python source.

>>> from anabranch.ir.types import INT
>>> from anabranch.lang.common.terms import OPERATORS
>>> from anabranch.lang.common.check import applied
>>> a, one = Variable(INT, None, 0), Constant(INT, None, 1)
>>> generated(applied(OPERATORS["+"], (a, one), None, "+"), lambda slot: f"r[{slot}]")
'(r[0] + 1)'
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import singledispatch

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.ir.function import GENERATED, Function
from anabranch.ir.types import NONE
from anabranch.lang.common import runtime
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


SCOPE = {name: value for name, value in vars(runtime).items() if not name.startswith("_")} | {
    "datetime": datetime}


def function(text: str, span: Span | None, scope: Mapping[str, object] = {}) -> Function:
    """A function from the text of a lambda, which analyses read like the user's own.

    >>> function("lambda r: int_quotient(r[0], 2)", None).call((7,))
    3
    """
    try:
        return Function.from_source(text, {**SCOPE, **scope}, span)
    except (SyntaxError, RecursionError, MemoryError):
        # The text is well-formed, so this is Python's limit of nesting.
        raise ProgramError("this expression is nested too deeply", span,
                           help="take it apart, into several queries") from None


def definition(text: str, name: str, span: Span | None,
               scope: Mapping[str, object] = {}) -> Function:
    """The function of this name from the text of a module, whose other names it may use.

    `FILE` in the text is the name of the generated file, as tracebacks have it.

    >>> definition("one = 1\\ndef f(x):\\n    return x + one", "f", None).call(2)
    3
    """
    file = f"<generated module {next(_modules)}>"
    linecache.cache[file] = (len(text), None, [f"{line}\n" for line in text.split("\n")], file)
    names = {"__name__": GENERATED, **SCOPE, **scope, "FILE": file}
    try:
        exec(compile(text, file, "exec"), names)
    except (SyntaxError, RecursionError, MemoryError):
        # The text is well-formed, so this is Python's limit of nesting.
        raise ProgramError("the program is nested too deeply", span,
                           help="take it apart, into several functions") from None
    return Function.of(names[name], span)


_modules = itertools.count(1)
