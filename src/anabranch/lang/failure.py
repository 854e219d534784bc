"""What loading a program raised, told at the user's line."""

from __future__ import annotations

import builtins
import inspect
import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from importlib import import_module
from types import TracebackType

from anabranch.core.errors import PACKAGE, ProgramError, said, user_traceback
from anabranch.core.source import Span, frame_span

ARGUMENT = re.compile(r"^([\w.]+)\(\) (got an unexpected keyword argument '(\w+)'|missing |takes )")
"""How Python says that a call has not the arguments that it should have."""


def not_loaded(path: str, error: Exception, help: str | None = None) -> ProgramError:
    """The error as one of a program. The calls that led to it are told where there are several."""
    steps = list(_users(error.__traceback__))
    where = _place(steps[-1]) if steps else path
    expected = None
    if isinstance(error, TypeError) and (found := ARGUMENT.match(str(error))):
        expected, guess = _arguments(found[1], found[3])
        help = help or guess
    below = "\n" + user_traceback(error) if len(steps) != 1 else None
    return ProgramError(f"loading the program raised {type(error).__name__}: {said(error)}", where,
                        expected=expected, help=help or _meant(error, steps), below=below)


def _users(trace: TracebackType | None) -> Iterator[TracebackType]:
    """The calls of the user's program and of what it called."""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith((PACKAGE, "<frozen ", "<generated ")):
            yield trace
        trace = trace.tb_next


def _place(step: TracebackType) -> Span:
    return frame_span(step.tb_frame.f_code, step.tb_lasti, step.tb_lineno)


def _meant(error: Exception, steps: list[TracebackType]) -> str | None:
    """The name that a misspelt one is close to."""
    name = getattr(error, "name", None)
    if not isinstance(name, str) or not steps:
        return None
    if isinstance(error, NameError):
        frame = steps[-1].tb_frame
        known = [*frame.f_locals, *frame.f_globals, *vars(builtins)]
    elif isinstance(error, AttributeError) and getattr(error, "obj", None) is not None:
        known = dir(error.obj)
    else:
        return None
    close = get_close_matches(name, [k for k in known if not k.startswith("_")], n=1)
    return f"did you mean '{close[0]}'?" if close else None


def _arguments(called: str, misspelt: str | None) -> tuple[str | None, str | None]:
    """How one of our functions is called, and the argument that is meant."""
    function = next((f for f in _functions() if f.__qualname__ == called), None)
    if function is None:
        return None, None
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    shown = ", ".join(_shown(p) for p in parameters)
    close = get_close_matches(misspelt or "", [p.name for p in parameters], n=1)
    return (f"{called.rpartition('.')[2]}({shown})",
            f"did you mean '{close[0]}'?" if close else None)


def _shown(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
    return f"{stars}{parameter.name}{default}"


def _functions() -> Iterator[Callable]:
    """The functions and methods that programs call."""
    package = import_module("anabranch")
    homes = [package.Stream, import_module("anabranch.api.grouping").Grouped]
    for home in homes:
        for cls in home.__mro__:
            yield from (f for f in vars(cls).values() if inspect.isfunction(f))
    yield from filter(inspect.isfunction, (getattr(package, name) for name in package.__all__))
