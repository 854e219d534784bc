"""What a source gives in small pieces goes at once where somebody can do with it, and together
where everybody has enough to do; the outputs are the sequential ones."""

from __future__ import annotations

import random
import threading
from functools import cache
from itertools import chain, count
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.items import Columns, as_batch, joined
from anabranch.batch.narrow import Narrow
from anabranch.batch.slices import Batch
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.engine.multicore.intake import Intake
from anabranch.engine.multicore.sizing import Room, Sizing
from anabranch.engine.sequential import run as sequential
from anabranch.ir.types import INT, RecordOf
from anabranch.runtime.ends.columns import Chunk
from anabranch.runtime.ends.reading import Many


class Event(ab.Record):
    ts: int
    kind: str
    value: int


class Sum(ab.State):
    total: int = 0


def window_sum():
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "barrier" in (a, b))
    def summed(state: Sum, e: Event):
        if e.kind == "barrier":
            yield Event(e.ts, "sum", state.total)
            state.total = 0
        else:
            state.total += e.value
            if e.value > 7:
                yield e

    summed.fork(lambda state, left, right: (Sum(state.total), Sum()))
    summed.join(lambda one, other: Sum(one.total + other.total))
    summed.at_end(lambda state: [Event(-1, "rest", state.total)])
    return summed


class InPieces:
    """A live source: each piece is all that is there at the moment."""

    in_bulk = has_columns = True

    def __init__(self, pieces):
        self.given = pieces

    def pieces(self, together=False):
        return iter(self.given)

    def took(self, rows):
        pass

    def __iter__(self):
        return iter(self.items)

    @property
    def items(self) -> list:
        return [item for piece in self.given for item in piece]


def intake(size=100, bound=12, workers=2):
    """An intake, and what it has put into the network."""
    put: list = []
    network = SimpleNamespace(put=put.append, sources=["q", "r"], services=[])
    crew = SimpleNamespace(workers=workers, changed=threading.Condition(), stopped=False,
                           network=network, scheduler=SimpleNamespace(read=lambda rows: None),
                           tell=lambda: None, attended=0)
    crew.attend = lambda: setattr(crew, "attended", crew.attended + 1)
    sizing = Sizing(size, size)
    sizing.on_trial, sizing.cost = False, 1e-9
    return Intake(crew, sizing, 0.0005, bound), put


def pieces(*sizes, queue="q"):
    """Chunks of these sizes, with the numbers from 0 on."""
    first = 0
    for size in sizes:
        yield Chunk({queue: Batch(range(size), list(range(first, first + size)))}, size)
        first += size


def items(put) -> list:
    return [slice_.batches["q"].items for slice_ in put]


def test_pieces_go_at_once_while_somebody_can_do_with_them():
    one, put = intake()
    one.taken(pieces(1, 2, 3))
    assert items(put) == [[0], [1, 2], [3, 4, 5]]


def test_small_pieces_go_together_while_all_are_busy():
    one, put = intake()
    one.room.under_way = one.room.plenty
    one.taken(pieces(1, 2, 3))
    assert not put and one.crew.attended == 1, "an idle worker must look after them"
    assert one.cut_old() > 0, "still busy"
    one.room.under_way -= 1
    assert one.cut_old() == 0.0
    assert items(put) == [[0, 1, 2, 3, 4, 5]] and put[0].rows == 6


def test_no_slice_becomes_larger_than_a_full_one():
    one, put = intake(size=40)
    one.room.under_way = one.room.plenty
    one.taken(pieces(*[5] * 9, 30))
    assert [len(own) for own in items(put)][:2] == [40, 5], "larger ones go alone"
    assert list(chain(*items(put))) == list(range(75))


def test_where_one_slice_may_be_under_way_no_piece_waits():
    one, put = intake(bound=1)
    one.taken(pieces(3))
    assert items(put) == [[0, 1, 2]]


def test_tuples_and_pieces_keep_their_order():
    one, put = intake()
    one.room.under_way = one.room.plenty
    source = SimpleNamespace(outputs=["q"])
    one.taken([*pieces(2), (source, 2), *pieces(1)])
    one.cut()
    assert items(put) == [[0, 1], [2], [0]]


def test_pieces_of_several_sources_keep_their_places():
    one, put = intake()
    one.room.under_way = one.room.plenty
    both = Chunk({"q": Batch([0, 2], ["a", "c"]), "r": Batch([1], ["b"])}, 3)
    one.taken([both, Chunk({"r": Batch(range(1), ["d"])}, 1), both])
    one.cut()
    [slice_] = put
    assert slice_.batches["q"] == Batch([0, 2, 4, 6], ["a", "c", "a", "c"])
    assert slice_.batches["r"] == Batch([1, 3, 5], ["b", "d", "b"])


def test_columns_that_were_not_read_stay_so():
    def never():
        raise AssertionError("read again")
    part = pa.record_batch({"value": [None, 1]}, schema=pa.schema([("value", pa.int64())]))
    both = joined([Narrow(part, INT, frozenset(), never)] * 2)
    assert len(both) == 4 and both.having(frozenset()).num_rows == 4
    with pytest.raises(AssertionError, match="read again"):
        list(both)


def as_columns(part):
    return Columns(as_batch(part, RecordOf(Event)), RecordOf(Event))


events = st.builds(lambda kind, value: ("barrier" if not kind else "value", value),
                   st.integers(0, 5), st.integers(0, 9))
parts = st.lists(st.tuples(st.lists(events, min_size=1, max_size=6), st.booleans()), max_size=40)


def source_of(drawn, step=1) -> InPieces:
    """Pieces, some of them in columns, with an event at each `step` of time."""
    made, ts = [], count(0, step)
    for part, in_columns in drawn:
        own = [Event(next(ts), *event) for event in part]
        made.append(as_columns(own) if in_columns else Many(own))
    return InPieces(made)


@cache
def plan_of(sources: int):
    """The program over one source, or over two that are merged by their times."""
    first, second = (ab.from_iterable([], Event, time="ts", name=name) for name in "ab")
    stream = first.apply(window_sum(), to=Event) if sources == 1 else (
        first.synchronize(window_sum(), second, on="ts", to=Event))
    return compile_graph(stream.graph())


def agree(plan, sources: dict, seed: int, size: int, **knobs) -> bool:
    """Whether the outputs are the sequential ones, with workers that are busy by chance."""
    right, out, chance = [], [], random.Random(seed)
    sequential.run(plan.program, {name: source.items for name, source in sources.items()},
                   lambda op, item: right.append(item))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Room, "is_short", property(lambda self: chance.random() < 0.8))
        patch.setattr(Sizing, "size", lambda self, *given: size)
        multicore.run(plan, dict(sources), lambda op, item: out.append(item), workers=2, **knobs)
    return out == right


sizes = st.sampled_from([1, 30, 100])


@pytest.mark.parametrize("wanted", ["always", "never"])
@given(drawn=parts, seed=st.integers(0, 99), size=sizes)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_synchronized_outputs_are_the_sequential_ones(wanted, drawn, seed, size):
    assert agree(plan_of(1), {"a": source_of(drawn)}, seed, size, kernels=wanted, processes=wanted)


@given(one=parts, other=parts, seed=st.integers(0, 99), size=sizes)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_sources_are_merged_by_their_times(one, other, seed, size):
    sources = {name: source_of([(part, True) for part, _ in drawn], step)
               for name, drawn, step in (("a", one, 2), ("b", other, 3))}
    assert agree(plan_of(2), sources, seed, size, processes="never")
