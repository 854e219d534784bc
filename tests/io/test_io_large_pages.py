"""Memory of outputs is used again, but never as long as somebody holds what lies in it."""

import gc
import mmap
from collections import deque

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.io.arrow import large_pages
from anabranch.io.arrow.large_pages import MOST_IDLE, PAGE, SIZES, array, copy, kept

ROWS = 200_000

pytestmark = pytest.mark.skipif(not large_pages.ARE_POSSIBLE, reason="needs large pages")


class Reading(ab.Record):
    place: int
    value: float


def idle():
    return len(large_pages._idle[PAGE])


def place_of(given):
    return given.__array_interface__["data"][0]


@given(st.lists(st.tuples(st.integers(0, PAGE // 8 + 9), st.booleans()), max_size=12))
@settings(max_examples=40, deadline=None)
def test_arrays_that_are_held_never_overlap(steps):
    held = {}
    for number, (length, drops) in enumerate(steps):
        made = array(length, "int64")
        assert len(made) == length
        made[:] = number
        held[number] = made[::2]
        if drops:
            held.pop(min(held))
        assert all((part == n).all() for n, part in held.items())


@pytest.fixture
def no_collection():
    """What other tests have left behind gives no piece back meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
def test_a_piece_comes_back_when_its_last_view_is_gone():
    column = pa.array(array(ROWS, "float64")[:ROWS - 5])
    where = column.buffers()[1].address
    others = [array(ROWS, "float64") for _ in range(3)]
    assert where not in map(place_of, others)
    del column
    assert place_of(array(ROWS, "int64")) == where


@pytest.mark.parametrize("length", [0, 10, PAGE // 128 - 1, SIZES[-1] // 8 + 1])
def test_what_is_small_or_larger_than_all_pieces_has_its_own_memory(length):
    assert array(length, "float64").base is None


def test_few_pieces_wait():
    made = [array(ROWS, "int64") for _ in range(MOST_IDLE[PAGE] + 9)]
    del made
    assert idle() == MOST_IDLE[PAGE]


@pytest.mark.parametrize("length", [20_000, 60_000, 65_536, 100_000])
def test_smaller_pieces_of_a_page_do_not_touch_each_other(length):
    made = [copy(np.arange(n, n + length)) for n in range(20)]
    for drop in (3, 3, 11):
        del made[drop]
        made.append(copy(made[0]))
    assert all(np.array_equal(one, np.arange(one[0], one[0] + length)) for one in made)


class WithoutLargePages(mmap.mmap):
    def madvise(self, *given):
        raise OSError(22, "Invalid argument")


def test_a_system_without_large_pages_gives_small_ones(monkeypatch):
    monkeypatch.setattr(large_pages, "_idle", {PAGE: deque()})
    monkeypatch.setattr(large_pages.mmap, "mmap", WithoutLargePages)
    assert copy(np.arange(ROWS)).tolist() == list(range(ROWS))


def test_a_small_part_does_not_keep_the_whole():
    whole = array(ROWS, "int64")
    whole[:] = range(ROWS)
    assert kept(whole, 10).base is None and kept(whole, 10).tolist() == list(range(10))
    assert np.shares_memory(kept(whole, ROWS - 10), whole)


def readings():
    return pa.table({"place": np.arange(ROWS) % 7, "value": np.arange(ROWS) / 2})


def halves(table):
    half = ab.from_arrow(table, Reading).map(lambda r: r.replace(value=r.value / 2))
    return half.to_arrow(workers=2, tune={"kernels": "always", "slice_size": 1 << 18})


def test_a_table_stays_while_others_are_made_and_dropped():
    first, wanted = halves(readings()), np.arange(ROWS) / 4
    for _ in range(3):
        again = halves(readings())
        assert np.array_equal(again.column("value").to_numpy(), wanted)
    del again
    halves(readings())
    assert np.array_equal(first.column("value").to_numpy(), wanted)


@pytest.mark.usefixtures("no_collection")
def test_the_memory_of_a_table_is_free_as_soon_as_the_table_is_dropped():
    table = readings()
    halves(table)
    before = idle()
    made = halves(table)
    assert idle() < before
    del made
    assert idle() == before
