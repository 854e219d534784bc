"""Functions of generated Python text, with all that generated text may name in their scope."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Mapping
from datetime import datetime

from anabranch.errors import ProgramError
from anabranch.ir.function import GENERATED, Function
from anabranch.lang.common import runtime
from anabranch.source import Span

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
