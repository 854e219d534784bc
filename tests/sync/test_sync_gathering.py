"""Small slices are dealt out together, and come back one by one, in order."""

from __future__ import annotations

import threading

from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.batch.slices import Failure, Flow, Outcome, Rows, Slice, Step
from anabranch.engine.multicore.gangs.service import BUSY, Gathering


class Slow:
    """Gives every other event again, when it is told to go on."""

    workers = 2

    def __init__(self, leave):
        self.leave, self.taken = leave, []

    def take(self, slice_, rows, final):
        self.taken.append((slice_, rows, final))

    def go_on(self):
        slice_, rows, _ = self.taken.pop(0)
        odd = range(1, len(rows), 2)
        failures = [Failure((5, n), ValueError()) for n, item in enumerate(rows.items) if item < 0]
        self.leave(slice_, rows, Outcome([Flow(list(odd), [rows.items[n] for n in odd])], failures,
                                         steps=(Step("slow", len(rows), len(odd), 0.5),)))


def rows_of(items):
    return Rows(range(len(items)), None, list(items))


def gathered():
    left: list = []
    gathering = Gathering(Slow, lambda slice_, rows, outcome: left.append(
        (slice_.number, outcome.outputs[0], outcome.failures, outcome.steps)))
    return gathering, gathering.shared, left


@given(st.lists(st.lists(st.integers(-1, 9), max_size=5), max_size=20), st.data())
@settings(max_examples=60, deadline=None)
def test_every_slice_leaves_in_order_with_its_own(parts, data):
    gathering, shared, left = gathered()
    for number, items in enumerate(parts):
        gathering.take(Slice(number, None, {}, len(items)), rows_of(items), False)
        if shared.taken and data.draw(st.booleans()):
            shared.go_on()
    gathering.take(Slice(len(parts), "end", {}, 0), rows_of([]), True)
    assert shared.taken[-1][2] and not len(shared.taken[-1][1])
    while shared.taken:
        shared.go_on()
    assert [number for number, *_ in left] == list(range(len(parts) + 1))
    for (_, flow, failures, _), items in zip(left, parts):
        assert [items[row] for row in flow.rows] == list(flow.items)
        assert [row for (_, row), _ in failures] == [n for n, i in enumerate(items) if i < 0]
    # What was measured of slices that went together is told once.
    assert sum(step.rows_in for *_, steps in left for step in steps) == sum(map(len, parts))


def test_slices_wait_only_while_all_are_busy():
    gathering, shared, _ = gathered()
    for number in range(10):
        gathering.take(Slice(number, None, {}, 4), rows_of(range(4)), False)
    assert [len(rows) for _, rows, _ in shared.taken] == [4] * BUSY
    shared.go_on()
    assert [len(rows) for _, rows, _ in shared.taken] == [4] * (BUSY - 1) + [4 * (10 - BUSY)]
    gathering.take(Slice(10, None, {}, 600), rows_of(range(600)), False)
    assert len(shared.taken) == BUSY + 1


def test_nothing_is_left_behind_when_all_happens_at_once():
    gathering, shared, left = gathered()
    done = threading.Event()

    def work():
        while not done.is_set() or shared.taken:
            if shared.taken:
                shared.go_on()
    thread = threading.Thread(target=work)
    thread.start()
    for number in range(2000):
        gathering.take(Slice(number, None, {}, 1), rows_of([number]), False)
    done.set()
    thread.join(30)
    while shared.taken:
        shared.go_on()
    assert [number for number, *_ in left] == list(range(2000))
