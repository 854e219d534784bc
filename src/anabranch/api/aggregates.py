"""The aggregates as users write them: `total=ab.sum("amount")`, `n=ab.count()`.

Each takes `where=`, a test of the items that it is to see.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anabranch.api.arguments import function
from anabranch.core.errors import ProgramError
from anabranch.core.source import caller_span
from anabranch.ir import aggregates as folds
from anabranch.ir import statistics
from anabranch.ir.aggregates import Aggregate, Call, Item

Value = str | Callable[[Item], object] | None
Where = Callable[[Item], object] | None


def _call(aggregate: type[Aggregate], value: Value[Item], where: Where[Item], **given: object
          ) -> Call[Item]:
    span = caller_span()
    if value is not None and not isinstance(value, str):
        value = function(value, span, aggregate.__name__.lower())
    tested = None if where is None else function(where, span, "where")
    return Call(aggregate, value, tested, tuple(given.items()))


def count(*, where: Where[Item] = None) -> Call[Item]:
    """How many items there are; as of every aggregate, with `where` those for which it is true."""
    return _call(folds.Count, None, where)


def sum(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The sum of an attribute, or of a function of the items, added up in order."""
    return _call(folds.Sum, value, where)


def mean(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The sum of the values by their number; None of no values, as of `min`, `max`, `first`, `last`
    and `any` that `where` leaves nothing."""
    return _call(folds.Mean, value, where)


def min(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The least value; of equal ones the first."""
    return _call(folds.Min, value, where)


def max(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The greatest value; of equal ones the first."""
    return _call(folds.Max, value, where)


def first(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The value of the window's first item."""
    return _call(folds.First, value, where)


def last(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The value of the window's last item."""
    return _call(folds.Last, value, where)


def any(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """Some value of the window, for an attribute that all its items share."""
    return _call(folds.Any, value, where)


def collect(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """All values of the window, in order, as a list."""
    return _call(folds.Collect, value, where)


def collect_set(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """Every value once, in the order of their first appearance, as a list."""
    return _call(statistics.CollectSet, value, where)


def count_distinct(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """How many values differ; it keeps each of them."""
    return _call(statistics.CountDistinct, value, where)


def approx_distinct(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """About how many values differ: off by 1.6 % on average, in little memory."""
    return _call(statistics.ApproximateDistinct, value, where)


def stddev(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The standard deviation of the values as a sample; NaN of fewer than two."""
    return _call(statistics.Deviation, value, where)


def median(value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The value in the middle, or the mean of the two in the middle; NaN of no values."""
    return _call(statistics.Quantile, value, where, q=0.5)


def quantile(q: float, value: Value[Item] = None, *, where: Where[Item] = None) -> Call[Item]:
    """The value below which the part `q` of all values lies, as `quantile(0.95, "seconds")`;
    between two values in proportion, and NaN of no values."""
    if not (isinstance(q, int | float) and 0 <= q <= 1):
        raise ProgramError("a quantile is asked for a part between 0 and 1", caller_span(),
                           got=repr(q), help='for example ab.quantile(0.95, "seconds")')
    return _call(statistics.Quantile, value, where, q=float(q))


def start() -> Call[Any]:
    """Where an event-time window begins."""
    return Call(folds.WindowStart)


def end() -> Call[Any]:
    """Where an event-time window ends; the end itself lies outside."""
    return Call(folds.WindowEnd)


def as_call(name: str, given: object) -> Call[Any]:
    """An aggregate from what the user gave: a call such as `ab.count()`, or their own class."""
    if isinstance(given, type) and issubclass(given, Aggregate):
        given = Call(given)
    if isinstance(given, Call):
        return _complete(given)
    raise ProgramError(f"{name}={given!r} is no aggregate", caller_span(),
                       help=f'for example {name}=ab.sum("...") or {name}=MyAggregate.of("...")')


def _complete(call: Call[Any]) -> Call[Any]:
    """The call, after a check that its class has what every fold needs."""
    for method, example in (("add", "add(self, value)"), ("result", "result(self) -> float")):
        if not hasattr(call.aggregate, method):
            raise ProgramError(f"{call.aggregate.__name__} has no method {method}", caller_span(),
                               help=f"write def {example}: ...")
    return call
