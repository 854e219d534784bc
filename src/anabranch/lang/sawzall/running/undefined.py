"""Values that are not there, and programs that end themselves."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.errors import RunError


class Undefined(RunError):
    """An expression that has no value; `def` looks for it."""


class Stopped(RunError):
    """A failed assertion, or another end of the program, which is no undefined value."""


class Resulting(Exception):
    """Carries the undefined value of a statement expression past its statements."""


def resulted(compute: Callable[[], object]) -> object:
    """The result of a statement expression."""
    try:
        return compute()
    except Resulting as undefined:
        raise undefined.args[0] from None


def ended(error: Undefined) -> Stopped:
    """What ends the run where a statement of a function needs an undefined value: who has called
    the function gets no value of it, not even an undefined one."""
    return Stopped(error.what, error.where, expected=error.expected, got=error.got,
                   help=error.help).with_traceback(error.__traceback__)


def undefined(name: str) -> None:
    """Raises what reading a variable without a value raises."""
    raise Undefined(f"the variable '{name}' is not defined")


def no_result(name: str) -> None:
    """Raises what a function gives that returned nothing."""
    raise Undefined(f"the function '{name}' returned an undefined value")


def is_defined(compute: Callable[[], object]) -> bool:
    """Whether an expression has a value; a table is one that always has."""
    try:
        return compute() is not None
    except Undefined:
        return False


def asserted(condition: bool, message: str = "") -> None:
    if not condition:
        raise Stopped(f"assertion failed: {message}" if message else "assertion failed")


def nothing_returned(name: str) -> None:
    raise Stopped(f"the function '{name}' ended without a return")


def nothing_resulted() -> None:
    raise Stopped("the statement expression ended without a result")
