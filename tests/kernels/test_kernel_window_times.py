"""Windows of whole numbers hold the same items natively, also before zero and where the numbers of
windows, or their ends, do not fit into 64 bits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab

LARGEST = 2**63 - 1
WINDOWS = {"one after another": ab.tumbling(time=7, on="ts"),
           "as small as can be": ab.tumbling(time=1, on="ts"),
           "late ones are dropped": ab.tumbling(time=5, on="ts", late="drop"),
           "with gaps": ab.sliding(time=3, step=7, on="ts"),
           "overlapping": ab.sliding(time=7, step=3, on="ts")}
TIMES = st.integers(-40, 40) | st.sampled_from(
    [-2**63, -2**63 + 1, -2**63 + 6, LARGEST - 7, LARGEST - 1, LARGEST])


class Event(ab.Record):
    ts: int
    key: int


def found(events, window, **options):
    counts = ab.from_iterable(events, Event).aggregate(
        WINDOWS[window], by="key", start=ab.start(), end=ab.end(), n=ab.count())
    try:
        return counts.collect(**options)
    except ab.RunError as error:
        return str(error).splitlines()[0]


@pytest.mark.parametrize("window", WINDOWS)
@given(st.lists(st.builds(Event, TIMES, st.integers(0, 2)), min_size=1, max_size=25), st.booleans())
@settings(max_examples=15, deadline=None)
def test_windows_of_any_times(window, events, in_order):
    events = sorted(events) if in_order else events
    wanted = found(events, window)
    for size in (3, 100):
        tuned = {"kernels": "always", "processes": "never", "slice_size": size}
        assert found(events, window, engine="multicore", workers=1, tune=tuned) == wanted
