"""The aggregates as users write them: `total=ab.sum("amount")`, `n=ab.count()`."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.api.arguments import function
from anabranch.core.errors import ProgramError
from anabranch.core.source import caller_span
from anabranch.ir import aggregates as folds
from anabranch.ir.aggregates import Aggregate, Call

Value = str | Callable[[object], object] | None


def _call(aggregate: type[Aggregate], value: Value) -> Call:
    if value is None or isinstance(value, str):
        return Call(aggregate, value)
    return Call(aggregate, function(value, caller_span(), aggregate.__name__.lower()))


def count() -> Call:
    """How many items the window holds."""
    return Call(folds.Count)


def sum(value: Value = None) -> Call:
    """The sum of an attribute, or of a function of the items, added up in order."""
    return _call(folds.Sum, value)


def mean(value: Value = None) -> Call:
    """The sum of the values by their number."""
    return _call(folds.Mean, value)


def min(value: Value = None) -> Call:
    """The least value; of equal ones the first."""
    return _call(folds.Min, value)


def max(value: Value = None) -> Call:
    """The greatest value; of equal ones the first."""
    return _call(folds.Max, value)


def first(value: Value = None) -> Call:
    """The value of the window's first item."""
    return _call(folds.First, value)


def last(value: Value = None) -> Call:
    """The value of the window's last item."""
    return _call(folds.Last, value)


def any(value: Value = None) -> Call:
    """Some value of the window, for an attribute that all its items share."""
    return _call(folds.Any, value)


def collect(value: Value = None) -> Call:
    """All values of the window, in order, as a list."""
    return _call(folds.Collect, value)


def start() -> Call:
    """Where an event-time window begins."""
    return Call(folds.WindowStart)


def end() -> Call:
    """Where an event-time window ends; the end itself lies outside."""
    return Call(folds.WindowEnd)


def as_call(name: str, given: object) -> Call:
    """An aggregate from what the user gave: a call such as `ab.count()`, or their own class."""
    if isinstance(given, type) and issubclass(given, Aggregate):
        given = Call(given)
    if isinstance(given, Call):
        return _complete(given)
    raise ProgramError(f"{name}={given!r} is no aggregate", caller_span(),
                       help=f'for example {name}=ab.sum("...") or {name}=MyAggregate.of("...")')


def _complete(call: Call) -> Call:
    """The call, after a check that its class has what every fold needs."""
    for method, example in (("add", "add(self, value)"), ("result", "result(self) -> float")):
        if not hasattr(call.aggregate, method):
            raise ProgramError(f"{call.aggregate.__name__} has no method {method}", caller_span(),
                               help=f"write def {example}: ...")
    return call
