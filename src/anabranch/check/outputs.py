"""Outputs as declared: how many there are, and which attributes are forwarded."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.analysis.fact import Forwarding, Interval
from anabranch.check.replay import Subject, same, shown
from anabranch.check.verdict import Counterexample, the_tuple


def selectivity(subject: Subject, interval: Interval) -> Counterexample | None:
    for firing in subject.log.firings:
        count = len(firing.outputs)
        if count < interval.low or (interval.high is not None and count > interval.high):
            return Counterexample(the_tuple(firing.item), f"{_words(interval)} for each tuple",
                                  f"{_outputs(count)}: {shown(firing.outputs)}")
    return None


def _words(interval: Interval) -> str:
    """How many outputs are allowed.

    >>> _words(Interval(0, 1)), _words(Interval(2, 2)), _words(Interval(1, None))
    ('at most 1 output', 'exactly 2 outputs', 'at least 1 output')
    """
    low, high = interval.low, interval.high
    if high is None:
        return f"at least {_outputs(low)}"
    if low == high:
        return f"exactly {_outputs(low)}"
    return f"at most {_outputs(high)}" if low == 0 else f"{low} to {_outputs(high)}"


def _outputs(count: int) -> str:
    return f"{count} output{'' if count == 1 else 's'}"


MISSING = "no such attribute"


def forwards(subject: Subject, forwarding: Forwarding, port: int) -> Counterexample | None:
    for firing in subject.log.firings:
        if firing.port == port:
            for _, output in firing.outputs:
                for expected, came in _differences(forwarding, firing.item, output):
                    return Counterexample(the_tuple(firing.item), expected, came)
    return None


def _differences(forwarding: Forwarding, item: object, output: object) -> Iterator[tuple[str, str]]:
    if forwarding.everything and not same(item, output):
        yield "the tuple itself", repr(output)
    for name, origin in forwarding.pairs:
        given, out = getattr(item, origin, MISSING), getattr(output, name, MISSING)
        if not same(given, out) or out is MISSING:
            yield f"{name} = {given!r}, the tuple's {origin}", f"{name} = {out!r} in {output!r}"
