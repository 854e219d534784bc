"""Splitters and mergers one by one, with the situations of Figure 4 of Schneider et al."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from anabranch.core.errors import RunError
from anabranch.ir.keys import key_hash
from anabranch.ir.operators import Cell
from anabranch.plan.logical.plan import Routing
from oracles.replication.merge import NumberMerge, PulseMerge, RoundRobinMerge
from oracles.replication.split import Clock, NumberingSplit, PassingSplit
from oracles.replication.stamps import Pulse, Stamped, numbered


class Running:
    """A kind with its state: `give` fires it, `end` finishes it."""

    def __init__(self, kind):
        self.cell = Cell(kind.start())
        self.fire, self.finish = kind.open([self.cell]), lambda: kind.finish([self.cell])

    def give(self, port, message):
        return [out for _, out in self.fire(port, message)]

    def end(self):
        return [out for _, out in self.finish()]


def item(number):
    return Stamped(numbered(number), number)


def pulse(number):
    return Pulse(numbered(number))


def test_round_robin_waits_for_the_channel_whose_turn_it_is():
    merge = Running(RoundRobinMerge(3))
    assert merge.give(0, "a0") == ["a0"]
    assert merge.give(2, "c0") == []
    assert merge.give(0, "a1") == []
    assert merge.give(1, "b0") == ["b0", "c0", "a1"]


def test_numbers_wait_for_the_next_one():
    merge = Running(NumberMerge(3))
    for channel, number in ((0, 0), (1, 1), (2, 2), (0, 3), (0, 4)):
        assert merge.give(channel, item(number)) == [number]
    assert merge.give(0, item(6)) == []
    assert merge.give(2, item(7)) == []
    assert merge.give(1, item(5)) == [5, 6, 7]
    assert merge.give(1, item(9)) == []
    assert merge.end() == [9]


def test_pulses_tell_what_was_dropped():
    """5 was dropped: when all channels have shown more than 5, 6 and then 8 may go, 10 may not."""
    merge = Running(PulseMerge(3, repeats=False))
    for number in range(5):
        assert merge.give(0, item(number)) == [number]
    assert merge.give(0, item(6)) == []
    assert merge.give(2, item(10)) == []
    assert merge.give(0, item(9)) == []
    assert merge.give(1, item(8)) == [6, 8, 9, 10]


def test_a_gap_is_waited_for_until_every_channel_has_shown_more():
    merge = Running(PulseMerge(2, repeats=False))
    assert merge.give(0, item(2)) == []
    assert merge.give(1, item(1)) == [1, 2]
    assert merge.give(0, item(5)) == []
    assert merge.give(1, pulse(3)) == []
    assert merge.give(1, pulse(6)) == [5]


def test_a_number_that_may_come_again_is_waited_for():
    merge = Running(PulseMerge(2, repeats=True))
    assert merge.give(0, item(0)) == []
    assert merge.give(1, item(1)) == [0]
    assert merge.give(0, item(0)) == [0]
    assert merge.give(0, pulse(2)) == [1]


def test_a_merger_in_a_shuffle_keeps_stamps_and_one_copy_of_each_pulse():
    merge = Running(PulseMerge(2, repeats=False, keep=True))
    assert merge.give(0, item(0)) == [item(0)]
    assert merge.give(0, pulse(1)) == [pulse(1)]
    assert merge.give(1, pulse(1)) == []
    assert merge.give(1, item(2)) == [item(2)]


def test_a_splitter_numbers_and_pulses_once_an_epoch():
    split = NumberingSplit(Routing(), 2, epoch=2)
    fire = split.open([Cell(split.start())])
    assert list(fire(0, "a")) == [(0, Stamped((0, 0), "a"))]
    assert list(fire(0, "b")) == [(1, Stamped((0, 1), "b")), (0, pulse(2)), (1, pulse(2))]
    assert list(fire(0, "c")) == [(0, Stamped((0, 3), "c"))]


def test_a_splitter_in_a_shuffle_only_routes():
    split = PassingSplit(Routing(), 2, repeats=False)
    fire = split.open([Cell(split.start())])
    assert list(fire(0, item(7))) == [(0, item(7))]
    assert list(fire(0, pulse(8))) == [(0, pulse(8)), (1, pulse(8))]
    assert not list(split.finish([]))


def test_items_of_one_number_that_part_are_told_apart():
    split = PassingSplit(Routing(), 2, repeats=True)
    fire = split.open([Cell(split.start())])
    sent = [list(fire(0, Stamped((0, n), letter))) for n, letter in ((7, "a"), (7, "b"), (8, "c"))]
    assert sent == [[(0, Stamped((0, 7, 0), "a"))], [(1, Stamped((0, 7, 1), "b"))],
                    [(0, Stamped((0, 8, 0), "c"))]]


def test_the_clock_counts_all_sources_together():
    clock = Clock(2)
    fire = clock.open([Cell(clock.start())])
    assert fire(1, "a") == [(1, Stamped((0, 0), "a")), (0, pulse(1)), (1, pulse(1))]
    assert fire(0, "b")[0] == (0, Stamped((0, 1), "b"))


@pytest.mark.parametrize(("one", "other"), [
    (1, 1.0), (1, True), (0.0, -0.0), (Decimal("1.5"), 1.5), (("a", 1), ("a", 1.0)),
    (timedelta(minutes=1), timedelta(seconds=60)),
    (datetime(2026, 1, 1, 12, tzinfo=UTC),
     datetime(2026, 1, 1, 13, tzinfo=timezone(timedelta(hours=1)))),
    (frozenset("ab"), frozenset("ba")), (float("nan"), float("nan"))])
def test_equal_keys_have_equal_hashes(one, other):
    assert key_hash(one) == key_hash(other)


def test_hashes_are_the_same_in_every_process():
    keys = ["IBM", b"x", ("a", 1, None), date(2026, 1, 1), 2.5]
    code = ("from datetime import date; from anabranch.ir.keys import key_hash;"
            f"print([key_hash(k) for k in {[k for k in keys if not isinstance(k, date)]}])")
    for seed in ("1", "2"):
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                               env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": "src"},
                               check=True)
        assert shown.stdout.strip() == str([key_hash(k) for k in keys
                                            if not isinstance(k, date)])


def test_keys_spread_over_the_channels():
    used = {key_hash(f"user {n}") % 4 for n in range(50)}
    assert used == {0, 1, 2, 3}


def test_a_key_of_another_kind_is_refused():
    with pytest.raises(RunError, match="cannot be routed by a object"):
        key_hash(object())
