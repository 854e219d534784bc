"""Properties that are computed once, and the dictionaries that they must not make."""

import dataclasses
import gc
import subprocess
import sys
from functools import partial

import pytest

import anabranch as ab
from anabranch.core.once import once
from anabranch.io.csv import blocks as csv_blocks
from anabranch.io.jsonl import blocks as jsonl_blocks
from anabranch.ir.types import RecordOf
from anabranch.kernels.native.team.shares import WorkerTree


class Circle:
    def __init__(self, radius):
        self.radius, self.computed = [radius], 0

    @once
    def area(self):
        """About three times the square."""
        self.computed += 1
        return 3 * self.radius[0] ** 2


@dataclasses.dataclass(frozen=True)
class Square:
    side: int

    @once
    def area(self):
        return self.side ** 2


def has_dictionary(thing):
    return any(isinstance(held, dict) for held in gc.get_referents(thing))


def test_it_is_computed_once_for_each_object():
    first, second = Circle(1), Circle(2)
    assert (first.area, first.area, second.area) == (3, 3, 12)
    assert (first.computed, second.computed) == (1, 1)
    assert Circle.area.__doc__ == "About three times the square."


def test_also_in_a_frozen_object_and_not_in_one_that_was_made_of_it():
    square = Square(3)
    assert square.area == 9
    assert dataclasses.replace(square, side=4).area == 16


def test_a_failure_is_not_kept():
    circle = Circle(None)
    for _ in range(2):
        with pytest.raises(TypeError):
            circle.area  # noqa: B018
    assert circle.computed == 2


def test_no_dictionary_is_made():
    circle = Circle(1)
    assert circle.area and not has_dictionary(circle)
    assert circle.__dict__ and has_dictionary(circle)


class Number(ab.Record):
    n: int


@pytest.mark.parametrize(("kind", "begin", "text"), [
    (partial(csv_blocks.CsvRows, names=("n",)), 2, "n\n" + "7\n" * 99),
    (jsonl_blocks.JsonRows, 0, '{"n": 7}\n' * 99)])
def test_what_threads_share_while_they_read_has_no_dictionary(kind, begin, text):
    rows = kind(text.encode(), RecordOf(Number))
    read = [extract.batch for extract in rows.extracts(begin, threads=2, rows=8)]
    assert sum(map(len, read)) == 99 and len(read) > 2
    assert not has_dictionary(rows)


def test_nor_has_the_tree_of_the_workers_of_a_plan():
    assert not hasattr(WorkerTree.of([-1], [-1]), "__dict__")


TWO_THREADS = """
import _thread, gc, sys
from anabranch.core.once import once

class Thing:
    def __init__(self):
        self.one, self.two = [], []
    @once
    def three(self):
        return 3

gc.disable()
things, taken = [Thing() for _ in range(5000)], [{} for _ in range(200)]
now, go, back = None, _thread.allocate_lock(), _thread.allocate_lock()
go.acquire(), back.acquire()

def other():
    while True:
        go.acquire()
        now.three
        back.release()

def in_between(phase, info):
    if phase == "start" and now is not None:
        go.release(), back.acquire()

_thread.start_new_thread(other, ())
gc.callbacks.append(in_between)
gc.enable(), gc.set_threshold(int(sys.argv[1]))
for thing in things:
    # So that collections come at many places, also where a dictionary would be made.
    for more in range(3):
        taken.append([])
    now = thing
    thing.three
    now = None
del things, thing
gc.collect()
others = [bytes(size) for size in range(400) for _ in range(200)]
gc.collect()
print("alive")
"""


def test_threads_that_meet_in_a_garbage_collection_do_not_crash():
    done = [subprocess.run([sys.executable, "-c", TWO_THREADS, str(often)], capture_output=True,
                           text=True) for often in (19, 20, 21, 23)]
    assert [(one.stdout, one.stderr) for one in done] == [("alive\n", "")] * 4
