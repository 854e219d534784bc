"""Every firing gives as many outputs as the interval allows."""

from __future__ import annotations

from anabranch.analysis.fact import Interval
from anabranch.check.replay import Subject, shown
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
