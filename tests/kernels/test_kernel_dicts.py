"""Dicts and sets of a state on every tier: looked up, set, counted, saved, and what is refused."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.record_batch import batch_of
from anabranch.batch.value_codec import decode, encode
from anabranch.core.errors import RunError
from anabranch.kernels.native.state import eviction
from kernels.tiers import Program

START = datetime(2024, 1, 1)


class Visit(ab.Record):
    user: str | None
    group: int | None
    page: str
    x: float
    n: int
    when: datetime


class Seen(ab.Record):
    page: str
    n: int
    x: float | None
    last: str


class Pages(ab.State):
    visits: int = 0
    counts: dict[str, int] = {}
    sums: dict[int, float] = {}
    marks: set[datetime] = set()
    last: dict[str, str] = {}


@ab.operator(by=("user", "group"))
def pages(state: Pages, t: Visit):
    state.visits += 1
    before = state.sums.get(t.n)
    state.counts[t.page] = state.counts.get(t.page, 0) + t.n
    if t.when in state.marks and len(state.marks) > 1:
        yield Seen(t.page, state.counts[t.page], before, state.last.get(t.page, "none"))
    state.marks.add(t.when)
    if t.n not in state.sums:
        state.sums[t.n] = t.x
    else:
        state.sums[t.n] += t.x
    yield Seen(t.page, 100 // t.n + len(state.counts), state.sums[t.n], "")
    state.last[t.page] = t.page


class Tally(ab.State):
    counts: Counter[str] = Counter()
    total: int = 0


@ab.operator
def tally(state: Tally, t: Visit):
    state.counts[t.page] += 1
    state.total += t.n * 2**40
    yield t.replace(n=state.counts[t.page] + state.counts["é"] + len(state.counts))


@tally.at_end
def rest(state: Tally):
    yield Visit("", None, "end", 0.0, state.counts["a"] + len(state.counts), START)


VISITS = st.builds(
    Visit, st.sampled_from([None, "u", "v"]), st.sampled_from([None, 0, 1]),
    st.sampled_from(["", "a", "é", "abc"]),
    st.floats(-9, 9) | st.sampled_from([-0.0, float("nan"), float("inf")]),
    st.sampled_from([1, 2, 3, -4, 0, 2**22]),
    st.integers(0, 2).map(lambda s: START + timedelta(seconds=s)))


@pytest.mark.parametrize("operator", [pages, tally])
def test_tiers_agree_on_states_with_dicts(operator):
    tested = Program(ab.from_iterable([], Visit).apply(operator))
    assert tested.kernel.tier == "native", tested.kernel.reason

    @settings(max_examples=25, deadline=None)
    @given(st.lists(VISITS, max_size=14))
    def agrees(found):
        tested.check(found)
    agrees()


def test_many_entries_grow_and_texts_are_forgotten(monkeypatch):
    monkeypatch.setattr(eviction, "MOST_TEXTS", 50)
    tested = Program(ab.from_iterable([], Visit).apply(pages))
    found = [Visit("uv"[n % 2], n % 7 or None, f"{n * 7919 % 601}", n / 8, 1 + n % 40, START)
             for n in range(3000)]
    wanted = tested.sequential(found)
    assert tested.sliced(found, 1000) == wanted
    assert tested.sliced(found, 301, saving=True) == wanted
    state = tested.kernel.start()
    tested.kernel.run(state, batch_of(found, tested.input_type), 0)
    assert state.rows is None


def test_a_state_goes_to_rows_and_returns_with_its_entries_in_order():
    tested = Program(ab.from_iterable([], Visit).apply(pages))
    state = tested.kernel.start()
    found = [Visit("u", 0, page, 0.5, 1, START) for page in ("z", "a", "z", "m")]
    tested.kernel.run(state, batch_of(found, tested.input_type), 0)
    rows = tested.kernel.to_rows(state)
    [held] = next(iter(rows.cells.values())).value.values()
    assert list(held.counts.items()) == [("z", 2), ("a", 1), ("m", 1)]
    back = tested.kernel.to_rows(tested.kernel.from_rows(rows))
    assert next(iter(back.cells.values())).value == {("u", 0): held}


@ab.operator(by="user")
def removing(state: Pages, t: Visit):
    state.counts.pop(t.page, None)
    yield t


@ab.operator(by="user")
def aliasing(state: Pages, t: Visit):
    counts = state.counts
    counts[t.page] = t.n
    yield t


@ab.operator(by="user")
def visiting(state: Pages, t: Visit):
    state.counts[t.page] = t.n
    yield t.replace(n=sum(state.counts.values()))


@ab.operator(by="user")
def mixing(state: Pages, t: Visit):
    state.counts[t.page] = 1 if t.n else t.n
    state.sums[t.n] = t.n
    yield t


@pytest.mark.parametrize("operator, reason", [
    (removing, "uses state.counts.pop(t.page, None)"), (aliasing, "uses state.counts"),
    (visiting, "uses sum"), (mixing, "puts int into state.sums")])
def test_what_has_no_native_form_says_why(operator, reason):
    tested = Program(ab.from_iterable([], Visit).apply(operator))
    assert tested.kernel.tier == "rows"
    assert reason in tested.kernel.reason.text
    assert tested.kernel.reason.span is not None
    tested.check([Visit("u", n, "ab"[:n], 0.5, n, START) for n in (1, 2, 1)])


@pytest.mark.parametrize("value", [
    Counter(a=2), OrderedDict(b=1, a=2), defaultdict(int, {1: 2}), defaultdict(None, {"x": []})])
def test_dicts_of_all_kinds_are_saved(value):
    found = decode(encode(value))
    assert found == value and type(found) is type(value) and list(found) == list(value)
    assert getattr(found, "default_factory", None) is getattr(value, "default_factory", None)


def test_a_dict_that_calls_the_program_cannot_be_saved():
    with pytest.raises(RunError, match="a defaultdict of a function"):
        encode(defaultdict(lambda: 1))
