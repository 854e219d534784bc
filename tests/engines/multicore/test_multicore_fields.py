"""Records in columns between processes: divided, put together, and the same records again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.buckets import Route, divided
from anabranch.batch.fields import Fields, in_fields, joined_fields
from anabranch.batch.items import Columns
from anabranch.batch.packs import Packed, Piece, Pieces, together
from anabranch.batch.transport import dumped, loaded, packed, unpacked
from anabranch.engine.multicore.remote import partitioned
from engines.multicore.support import multicore_outputs, sequential_outputs


class Sale(ab.Record):
    shop: object
    item: object
    price: object


class Refund(ab.Record):
    shop: object
    item: object
    price: object


class Sum(ab.State):
    total: float = 0.0
    seen: dict[str, int] = {}


VALUES = st.one_of(st.integers(-2**70, 2**70), st.integers(-9, 9), st.booleans(), st.none(),
                   st.floats(allow_nan=False), st.text(max_size=3), st.tuples(st.integers(0, 3)))
COLUMN_OF = st.sampled_from([st.integers(-9, 9), st.floats(allow_nan=False), st.text(max_size=2),
                             st.booleans(), st.integers(-2**65, 2**65), VALUES])


@st.composite
def sales(draw):
    """Records whose fields are now all of one type, now of several."""
    kinds = [draw(COLUMN_OF) for _ in range(3)]
    return [Sale(*values) for values in draw(st.lists(st.tuples(*kinds), min_size=1, max_size=12))]


def exactly(items) -> list:
    """What also tells 1 from True and 1.0, and 0.0 from -0.0."""
    return [(type(item), [(type(v), repr(v)) for v in item]) for item in items]


def travelled(items):
    return unpacked(loaded(b"".join(dumped(packed(items)))))


@settings(max_examples=60, deadline=None)
@given(sales())
def test_records_come_back_as_they_were(items):
    fields = in_fields(items)
    assert isinstance(fields, Fields)
    assert exactly(travelled(fields)) == exactly(items)
    assert exactly(travelled(fields[1:])) == exactly(items[1:])


def test_numbers_are_held_as_such_only_where_all_are():
    items = [Sale(1, 0.5, True), Sale(2**63 - 1, -0.0, False)]
    kinds = [getattr(column, "dtype", None) for column in in_fields(items).columns]
    assert kinds == [np.int64, np.float64, None]
    for mixed in (2**63, 1.0, True):
        assert not isinstance(in_fields([items[0], Sale(mixed, 0.5, 1)]).columns[0], np.ndarray)


def test_what_is_no_record_of_one_class_stays_as_it_is():
    for items in ([], [1, 2], [Sale(1, 2, 3), Refund(1, 2, 3)], ["a"]):
        assert in_fields(items) is items


def test_what_is_not_a_number_stays_so():
    [back] = travelled(in_fields([Sale(math.nan, 1, 2)]))
    assert math.isnan(back.shop)


@settings(max_examples=60, deadline=None)
@given(sales(), st.randoms(use_true_random=False))
def test_parts_are_put_in_order(items, chance):
    parts = [items[:3], items[3:]] if len(items) > 3 else [items]
    order = list(range(len(items)))
    chance.shuffle(order)
    expected = exactly([items[i] for i in order])
    fields = list(map(in_fields, parts))
    assert exactly(together(fields, np.array(order))) == expected
    assert exactly(joined_fields(fields).taken(np.array(order))) == expected
    assert exactly(together([fields[0], *parts[1:]], np.array(order))) == expected


def test_parts_of_different_classes_are_not_joined_as_one():
    parts = [in_fields([Sale(1, 2, 3)]), in_fields([Refund(1, 2, 3)])]
    assert list(map(type, together(parts, np.array([1, 0])))) == [Refund, Sale]


@settings(max_examples=60, deadline=None)
@given(sales(), st.sampled_from([("shop",), ("item",), ("shop", "item"), ()]))
def test_buckets_are_those_of_the_records(items, key):
    route = Route(0, [key], 7)
    assert route.buckets_of(in_fields(items)).tolist() == route.buckets_of(items).tolist()


def test_a_key_without_a_hash_is_left_to_the_operator():
    items = [Sale([], 1, 2), Sale(3, 1, 2)]
    route = Route(0, [("shop",)], 7)
    assert route.buckets_of(in_fields(items)).tolist() == route.buckets_of(items).tolist()


@settings(max_examples=40, deadline=None)
@given(sales(), st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_what_is_divided_comes_together_again(items, owners):
    route = Route(3, [("shop",)], 5)
    fields = in_fields(items)
    found = divided(fields, route.buckets_of(fields), np.array(owners), 3)
    assert all(isinstance(piece.items, Fields) for piece in found.pieces)
    assert [owners[b] for piece in found.pieces for b in piece.buckets] == [
        piece.owner for piece in found.pieces for _ in piece.buckets]
    assert exactly(found) == exactly(items)


class Held(Packed):
    """A pack that lies in no shared memory."""

    def __init__(self, items):
        self.stored, self.length = items, len(items)

    def loaded(self):
        return self.stored

    def __del__(self):
        pass


def test_packs_of_different_forms_open_together():
    pieces = [Piece(Held(in_fields([Sale("a", 1, 2), Sale("c", 1, 2)]))),
              Piece(Held([Sale("b", 1, 2)]))]
    found = Pieces(pieces, np.array([0, 2, 1]))
    assert [item.shop for item in found] == ["a", "b", "c"]


@ab.operator(by="shop")
def running(state: Sum, s: Sale):
    state.seen[str(s.item)] = state.seen.get(str(s.item), 0) + 1
    state.total += 1.0
    if state.total % 5:
        yield Sale(s.shop, s.item, state.total)
    if state.total % 7 == 0:
        yield Sale(s.shop, "seventh", state.total)


@ab.operator(by="item")
def by_item(state: Sum, s: Sale):
    state.total += s.price
    yield s.replace(price=state.total)


MIXED = {
    "numbers": lambda n: Sale(n % 13, n % 7, float(n)),
    "texts": lambda n: Sale(f"shop {n % 13}", f"item {n % 7}", float(n)),
    "large numbers": lambda n: Sale(n % 13 + 2**64, n % 7, float(n)),
    "now this, now that": lambda n: Sale(n % 13 if n % 3 else str(n % 13), n % 7, n % 11),
}


@pytest.mark.parametrize("workers", [2, 4])
@pytest.mark.parametrize("make", MIXED.values(), ids=MIXED)
def test_keys_in_processes(make, workers):
    events = [make(n) for n in range(3000)]
    graph = ab.from_iterable(events, Sale).apply(running).apply(by_item).graph()
    out = multicore_outputs(graph, workers=workers, processes="always", slice_size=512,
                            moves="random")
    expected = sequential_outputs(graph)
    assert exactly(item for _, item in out) == exactly(item for _, item in expected)


class Visit(ab.Record):
    shop: int
    item: str
    price: float


@ab.operator(by=("shop", "item"))
def slowly(state: Sum, v: Visit):
    """Heavy enough to be worth a process, and nothing for a kernel."""
    state.seen = {str(n): n for n in range(100)}
    state.total += v.price
    yield v.replace(price=state.total)


def test_columns_of_a_file_are_divided_as_they_are(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(partitioned, "divided", lambda items, *rest: (
        seen.append(type(items)) or divided(items, *rest)))
    source, right, ours = (tmp_path / name for name in ("in.csv", "right.csv", "ours.csv"))
    visits = [Visit(n % 13, f"item {n % 7}", n / 8) for n in range(4000)]
    ab.from_iterable(visits, Visit).write_csv(source).run(engine="sequential")
    stream = ab.read_csv(source, Visit).apply(slowly)
    stream.write_csv(right).run(engine="sequential")
    stream.write_csv(ours).run(engine="multicore", workers=2)
    # The first rows may have been taken apart by the tier that looked at them.
    assert seen[1:] and all(issubclass(kind, Columns) for kind in seen[1:])
    assert ours.read_bytes() == right.read_bytes()
