"""Live sources that lead to a union by arrival are read at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from itertools import chain

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError
from anabranch.engine.run import execute
from anabranch.io.rows import BadRows, RowError
from anabranch.runtime.ends.binding import counted_items
from anabranch.runtime.ends.live import READ_AHEAD
from anabranch.runtime.ends.merging import turns
from anabranch.runtime.options import RunOptions, RunReport

ENGINES = ("sequential", "multicore")
PATIENCE = 20


class Talk:
    """Feeds that answer each other: an item comes when the one before it has been seen."""

    def __init__(self):
        self.heard: list[str] = []
        self.changed = threading.Condition()

    def hear(self, said: str) -> None:
        with self.changed:
            self.heard.append(said)
            self.changed.notify_all()

    def feed(self, *items: str):
        """Each item follows when what stands before it, as in "a1 > b1", has been heard."""
        for text in items:
            awaited, _, said = text.rpartition(" > ")
            with self.changed:
                if awaited and not self.changed.wait_for(lambda a=awaited: a in self.heard,
                                                         PATIENCE):
                    raise TimeoutError(f"nobody heard {awaited}")
            yield said


def run(stream: ab.Stream, engine: str, **options: object) -> RunReport:
    return execute(compile_graph(stream.graph()), RunOptions(engine=engine, **options))


@pytest.fixture
def no_readers_left():
    """Whether the readers that the test started have gone; others may wait for theirs."""
    before = set(threading.enumerate())

    def gone() -> bool:
        until = time.monotonic() + PATIENCE
        while any(t.name.startswith("anabranch reads") for t in {*threading.enumerate()} - before):
            if time.monotonic() > until:
                return False
            time.sleep(0.001)
        return True
    return gone


@pytest.mark.parametrize("engine", ENGINES)
def test_two_feeds_are_read_at_the_same_time(engine, no_readers_left):
    talk = Talk()
    left = ab.from_iterable(talk.feed("a1", "b1 > a2", "b2 > a3", "b3 > a4"), str)
    right = ab.from_iterable(talk.feed("a1 > b1", "a2 > b2", "a3 > b3"), str)
    stream = left.map(str).union(right.filter(bool), arrival=True).for_each(talk.hear)
    report = run(stream, engine)
    assert talk.heard == ["a1", "b1", "a2", "b2", "a3", "b3", "a4"]
    assert report.read == {"left": 4, "right": 3}
    assert no_readers_left()


@pytest.mark.parametrize("engine", ENGINES)
def test_three_feeds_behind_several_unions(engine):
    talk = Talk()
    first = ab.from_iterable(talk.feed("c1 > a1", "c2 > a2"), str)
    second = ab.from_iterable(talk.feed("a1 > b1"), str)
    third = ab.from_iterable(talk.feed("c1", "b1 > c2"), str)
    stream = first.union(second, arrival=True).map(str).union(third, arrival=True)
    run(stream.for_each(talk.hear), engine)
    assert talk.heard == ["c1", "a1", "b1", "c2", "a2"]


@pytest.mark.parametrize("engine", ENGINES)
def test_state_sees_items_in_the_order_of_arrival(engine):
    class Last(ab.State):
        text: str = ""

    @ab.operator
    def paired(state: Last, item: str):
        yield state.text + item
        state.text = item

    talk = Talk()
    left = ab.from_iterable(talk.feed("a", "ab > c"), str)
    right = ab.from_iterable(talk.feed("a > b", "bc > d"), str)
    run(left.union(right, arrival=True).apply(paired).for_each(talk.hear), engine)
    assert talk.heard == ["a", "ab", "bc", "cd"]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_there_comes_before_what_is_live(engine):
    talk = Talk()
    live = ab.from_iterable(talk.feed("y > a"), str)
    listed = ab.from_iterable(["x", "y"], str)
    run(live.union(listed, arrival=True).for_each(talk.hear), engine)
    assert talk.heard == ["x", "y", "a"]


class Unmeasured:
    """An iterable that can be asked again, and does not know how many items come."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        yield from self.items


@pytest.mark.parametrize("engine", ENGINES)
def test_an_iterable_without_a_length_is_live(engine):
    talk = Talk()
    left = ab.from_iterable(Unmeasured(talk.feed("a1", "b1 > a2")), str)
    right = ab.from_iterable(Unmeasured(talk.feed("a1 > b1")), str)
    run(left.union(right, arrival=True).for_each(talk.hear), engine)
    assert talk.heard == ["a1", "b1", "a2"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_feed_that_fails_ends_the_run_behind_what_came_before(engine, no_readers_left):
    def failing():
        yield from talk.feed("a1", "b1 > a2")
        raise ValueError("the line is dead")

    def endless():
        yield from talk.feed("a1 > b1")
        stopped.wait(PATIENCE)

    talk, stopped = Talk(), threading.Event()
    left = ab.from_iterable(failing(), str)
    right = ab.from_iterable(endless(), str)
    with pytest.raises(RunError, match="item 3 of python generator raised ValueError: the line is"):
        run(left.union(right, arrival=True).for_each(talk.hear), engine)
    stopped.set()
    assert talk.heard == ["a1", "b1", "a2"]
    assert no_readers_left()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_limit_counts_what_is_taken(engine, no_readers_left):
    left = ab.from_iterable((n for n in range(10_000)), int)
    right = ab.from_iterable((n for n in range(10_000)), int)
    report = run(left.union(right, arrival=True).for_each(lambda n: None), engine, limit=7)
    assert sum(report.read.values()) == 7
    assert report.written == {"lambda": 7}
    assert no_readers_left()


def test_a_feed_is_not_read_far_ahead():
    seen = []

    def fast():
        for n in range(10 * READ_AHEAD):
            seen.append(n)
            yield n
    left, right = ab.from_iterable(fast(), int), ab.from_iterable(iter(()), int)
    run(left.union(right, arrival=True).for_each(lambda n: None), "sequential", limit=10)
    assert len(seen) <= 10 + READ_AHEAD + 1


@pytest.mark.parametrize("engine", ENGINES)
def test_malformed_rows_of_feeds(engine, tmp_path):
    def stream():
        left = ab.from_iterable(iter([1, "two", 3]), int)
        right = ab.from_iterable(iter(["four", 5]), int)
        return left.union(right, arrival=True).for_each(kept.append)
    kept = []
    report = run(stream(), engine, on_error=f"divert={tmp_path / 'bad.jsonl'}")
    assert sorted(kept) == [1, 3, 5]
    assert report.read == {"left": 2, "right": 1}
    assert report.bad_rows.startswith("2 malformed rows diverted to")
    assert len((tmp_path / "bad.jsonl").read_text().splitlines()) == 2
    with pytest.raises(RowError, match="malformed row"):
        run(stream(), engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_named_pipes(engine, tmp_path):
    class Number(ab.Record):
        n: int

    for name in ("left", "right"):
        os.mkfifo(tmp_path / name)
    talk = Talk()

    def written(name: str, *items: str) -> None:
        with open(tmp_path / name, "w", buffering=1) as pipe:
            for text in chain(["n"], talk.feed(*items)):
                pipe.write(f"{text}\n")
    writers = [threading.Thread(target=written, args=("left", "1", "11 > 2")),
               threading.Thread(target=written, args=("right", "1 > 11", "2 > 12"))]
    for writer in writers:
        writer.start()
    left = ab.read_csv(tmp_path / "left", Number)
    right = ab.read_csv(tmp_path / "right", Number)
    run(left.union(right, arrival=True).for_each(lambda row: talk.hear(str(row.n))), engine)
    for writer in writers:
        writer.join()
    assert talk.heard == ["1", "11", "2", "12"]


PROGRAM = """
import anabranch as ab
numbers = ab.read_stdin(int, format="jsonl")
others = ab.from_iterable(iter([10, 20]), int)
numbers.union(others, arrival=True).for_each(lambda n: None)
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_the_command_ends_while_standard_input_is_open(engine, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "anabranch", "run", program, "--engine", engine, "--limit",
               "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        said = process.stderr.read()
        assert process.wait() == 0
    assert "read 2 rows (stdin 0, others 2)" in said, said
    assert "Fatal" not in said


def turns_of(stream: ab.Stream) -> list:
    graph = stream.graph()
    sources = counted_items(graph, BadRows(), {op.name: 0 for op in graph.sources}, None)
    return [[" ".join(op.name for op in each) for each in turn] for turn in turns(graph, sources)]


class Event(ab.Record):
    key: int
    ts: int


def live(name: str, **options: object) -> ab.Stream:
    return ab.from_iterable(iter(()), Event, name=name, **options)


def there(name: str, **options: object) -> ab.Stream:
    return ab.from_iterable([], Event, name=name, **options)


def both(left: Event, right: Event) -> Event:
    return left


def joined(left: ab.Stream, right: ab.Stream) -> ab.Stream:
    return left.join(right, by="key", keep=ab.recent(count=1), into=both)


TURNS = {
    "one after another without such a union": (
        lambda: live("a").union(live("b"), on="ts"), [["a"], ["b"]]),
    "lists as they are declared": (
        lambda: there("a").union(there("b"), arrival=True), [["a"], ["b"]]),
    "together": (lambda: live("a").union(live("b"), arrival=True), [["a", "b"]]),
    "what is there first": (
        lambda: live("a").union(there("b"), live("c"), there("d"), arrival=True),
        [["b"], ["d"], ["a", "c"]]),
    "one that is live": (lambda: live("a").union(there("b"), arrival=True), [["b"], ["a"]]),
    "all with a time are one": (
        lambda: live("a").union(live("b", time="ts"), there("c", time="ts"), arrival=True),
        [["a", "b c"]]),
    "with a time they are merged": (
        lambda: live("a", time="ts").union(live("b", time="ts"), arrival=True), [["a b"]]),
    "a table before those who need it": (
        lambda: joined(live("a"), there("table")).union(live("b"), arrival=True),
        [["table"], ["a", "b"]]),
    "a table behind all others stays there": (
        lambda: live("a").union(joined(live("b"), there("table")), arrival=True),
        [["a", "b"], ["table"]]),
}


@pytest.mark.parametrize("case", TURNS)
def test_turns(case):
    make, expected = TURNS[case]
    assert turns_of(make()) == expected
