"""Parameters of a program, set on the command line: `--set threshold=200`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import TypeVar

from anabranch.core.errors import UsageError, did_you_mean
from anabranch.core.source import caller_span

_given: ContextVar[Mapping[str, str]] = ContextVar("parameters", default=MappingProxyType({}))
_asked: ContextVar[set[str] | None] = ContextVar("asked parameters", default=None)

Value = TypeVar("Value", bool, int, float, str)

_READERS = {bool: lambda text: {"true": True, "false": False}[text.lower()], int: int, float: float,
            str: str}


def param(name: str, default: Value) -> Value:
    """The value of `--set NAME=VALUE`, of the default's type, or the default.

    >>> param("threshold", 100)
    100
    """
    if (asked := _asked.get()) is not None:
        asked.add(name)
    text = _given.get().get(name)
    if text is None:
        return default
    if type(default) not in _READERS:
        raise UsageError(f"the parameter {name} has a default of an unknown type", caller_span(),
                         expected="a bool, int, float or str", got=repr(default))
    try:
        return _READERS[type(default)](text)
    except (ValueError, KeyError):
        raise UsageError(f"--set {name}={text} does not fit", caller_span(),
                         expected=f"{type(default).__name__}, like {default!r}") from None


@contextmanager
def parameters(given: dict[str, str]):
    """Sets parameters while a program is loaded; one that it never asks for is an error."""
    asked: set[str] = set()
    tokens = _given.set(dict(given)), _asked.set(asked)
    try:
        yield
    finally:
        _given.reset(tokens[0])
        _asked.reset(tokens[1])
    for name in given:
        if name not in asked:
            raise UsageError(f"the program has no parameter '{name}'",
                             help=did_you_mean(name, sorted(asked)) or "it has none")
