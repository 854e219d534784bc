"""A line as one Python loop gives what its functions give one by one, or is no loop at all."""

import math
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.api.node import connected_sinks, graph_of
from anabranch.batch.items import Columns, as_batch
from anabranch.kernels.loop.run import Unfit, loop_of
from anabranch.kernels.loop.text import NoLoop

RATES = {"a": 2.0}
SERIAL = 0


class Trade(ab.Record):
    k: int
    name: str
    price: float
    at: datetime
    note: str | None = None


class Out(ab.Record):
    k: int
    name: str
    price: float


class Seen(ab.State):
    total: float = 0.0
    last: str = ""
    few: list[float] = []


@ab.operator(by="k")
def summed(state: Seen, t: Trade):
    state.total += t.price
    if state.total > 5:
        yield Out(t.k, state.last, state.total)
        state.total = 0.0
    state.last = t.name


@ab.operator(by=("k", "name"))
def several(state: Seen, t: Trade):
    state.few.append(t.price)
    for place, price in enumerate(state.few[-2:]):
        yield Out(place, t.name, price)
        yield Out(t.k, t.name, sum(x for x in state.few))


@ab.operator
def matched(t: Trade):
    match t.name:
        case "a" | "b":
            factor = RATES.get(t.name, 1.0)
        case _:
            return
    try:
        ratio = t.price / t.k
    except ZeroDivisionError:
        ratio = math.inf
    yield Out(t.k, t.name, ratio * factor)


def dearest(t: Trade) -> float:
    return max(t.price, 1.0)


def is_worth(t: Trade):
    if t.k < 0:
        return False
    if t.name:
        return t.price > 0
    return t.note is None


def chosen(t: Trade):
    double = t.price * 2
    if double > 4:
        return Out(t.k, "much", double)
    return Out(t.k, t.name, double)


LINES = {
    "filter": lambda s: s.filter(lambda t: t.price > 1.0),
    "replace": lambda s: s.map(lambda t: t.replace(price=t.price * 2, k=t.k + 1)),
    "whole items": lambda s: s.filter(lambda t: dearest(t) > 1.0).map(
        lambda t: Out(t.k, repr(t), dearest(t))),
    "returns": lambda s: s.filter(is_worth).map(chosen),
    "a choice": lambda s: s.map(lambda t: Out(t.k, "x", 1.0) if t.k else Out(7, t.name, t.price)),
    "one value": lambda s: s.map(lambda t: t.price).map(lambda p: p + 1.0),
    "times": lambda s: s.map(lambda t: t.replace(at=t.at + timedelta(days=1), note=t.name)),
    "a state": lambda s: s.apply(summed).filter(lambda o: o.price > 6),
    "several yields": lambda s: s.apply(several).map(lambda o: o.replace(k=o.k * 2)),
    "match and try": lambda s: s.apply(matched),
    "texts": lambda s: s.map(lambda t: Out(len(t.name), f"{t.name}-{t.k}", t.price)),
    "several of each": lambda s: s.flat_map(lambda t: (t.name * n for n in range(t.k))).filter(
        lambda text: text != "aa"),
    "records of each": lambda s: s.flat_map(lambda t: [t, t] if t.k else [], to=Trade),
    "aggregates": lambda s: s.group_by("k").agg(
        n=ab.count(), least=ab.min("price"), mean=ab.mean(lambda t: t.price * 2), few=ab.count(
            where=is_worth), spread=ab.stddev("price"), middle=ab.median(dearest),
        kinds=ab.count_distinct("name")).filter(lambda g: g.n > 1),
    "an aggregate of all": lambda s: s.map(chosen).agg(
        most=ab.max("price"), own=Longest.of("name")),
    "aggregates of aggregates": lambda s: s.group_by("k", "name").agg(n=ab.count()).group_by(
        "k").agg(most=ab.max("n"), all=ab.sum("n")),
    "windows by count": lambda s: s.aggregate(
        ab.tumbling(count=3), by="name", total=ab.sum("price"), k=ab.last("k")).map(
        lambda w: w.total),
    "full windows": lambda s: s.aggregate(ab.tumbling(count=2, partial=False), n=ab.count()),
    "windows by time": lambda s: s.aggregate(
        ab.tumbling(time=timedelta(hours=2), on="at", late="drop"), by="k", n=ab.count(),
        start=ab.start(), most=ab.max("price"), few=ab.count(where=is_worth)),
    "windows that overlap": lambda s: s.aggregate(
        ab.sliding(time=timedelta(hours=2), step=timedelta(hours=1), on="at", late="drop"),
        total=ab.sum("price"), end=ab.end()).filter(lambda w: w.total != 1.0),
    "the best": lambda s: s.top(2, by="price"),
    "sorted": lambda s: s.sort("price"),
    "a key at the end": lambda s: s.apply(largest),
    "two states": lambda s: s.filter(lambda t: t.k != 2).apply(summed).apply(again)}


@ab.operator(by="k")
def again(state: Seen, o: Out):
    state.total += o.price
    yield o.replace(price=state.total)


class Longest(ab.Aggregate):
    text: str = ""

    def add(self, value):
        if len(value) < len(self.text):
            return
        self.text = value

    def result(self) -> str:
        return self.text


@ab.operator(by=("k", "name"))
def largest(state: Seen, t: Trade):
    if t.price > state.total:
        state.total = t.price
        yield Out(t.k, t.name, t.price)


@largest.at_end
def largest_of_key(state: Seen, key):
    if state.total > 0:
        yield Out(key.k, key.name, state.total)


def loop_for(stream):
    stream.collect_into([])
    graph = graph_of(connected_sinks(stream.node))
    [source], [sink] = graph.sources, graph.sinks
    operators = [op for op in graph if not (op.is_source or op.is_sink)]
    return loop_of(operators, graph.output_types(source)[0], graph.input_types(sink)[0])


def trades(items=()):
    return ab.from_iterable(list(items), Trade)


TRADES = st.lists(st.builds(
    Trade, st.integers(-1, 3), st.sampled_from(["a", "b", "é", ""]),
    st.floats(-4, 4).map(lambda x: round(x, 1)), st.integers(0, 9).map(
        lambda hour: datetime(2026, 1, 2, hour)),
    st.sampled_from([None, "n"])), max_size=30)


@pytest.mark.parametrize("line", LINES)
@settings(max_examples=15, deadline=None)
@given(items=TRADES, cut=st.integers(0, 30))
def test_a_loop_gives_what_the_program_gives(line, items, cut):
    wanted = LINES[line](trades(items)).collect()
    loop = loop_for(LINES[line](trades()))
    run, found = loop.start(), []
    for part in (items[:cut], items[cut:]):
        columns = Columns(as_batch(part, loop.input_type), loop.input_type)
        found += run.run(columns)
    found += run.finish()
    assert found == wanted
    assert [type(item).__name__ for item in found] == [type(item).__name__ for item in wanted]
    assert run.given[loop.operators[-1].name] == len(wanted)
    assert [item for part in (items[:cut], items[cut:]) for item in part] == items


def test_lists_of_items_are_taken_too():
    items = [Trade(1, "a", 2.0, datetime(2026, 1, 2))] * 3
    run = loop_for(LINES["a state"](trades())).start()
    assert list(run.run(items)) == LINES["a state"](trades(items)).collect()


def test_no_record_is_made_and_copies_are_not_computed():
    loop = loop_for(trades().filter(lambda t: t.price > 1).map(lambda t: t.replace(k=t.k + 1)))
    assert loop.text.copies == (None, "name", "price", "at", "note")
    assert loop.text.read == ("k", "price")
    assert "Trade" not in loop.text.text


def unassigned(t: Trade):
    if t.k:
        found = t.name
    return found


def counting(t: Trade):
    global SERIAL
    SERIAL += 1
    return t.price + SERIAL


class Doubled(ab.Record):
    k: int

    def replace(self, **changes):
        return Doubled(2 * self.k)


@ab.operator
def caught(t: Trade):
    try:
        yield t.k
    except ValueError:
        yield 0


@pytest.mark.parametrize(("build", "why"), [
    (lambda: trades().map(unassigned), "uses `found`"),
    (lambda: trades().map(counting, to=float), "uses `SERIAL += 1`"),
    (lambda: trades().map(lambda t: t.price + SERIAL), "uses `SERIAL`"),
    (lambda: trades().map(lambda t: max([t], key=lambda x: x.k).price, to=float), "lambda"),
    (lambda: trades().apply(caught), "yields inside of a `try`"),
    (lambda: trades().map(lambda t: sum([x.k for x in [t] if x is t])), "uses `x is t`"),
    (lambda: trades().map(lambda t: [t][0], to=Trade), "is not made where"),
    (lambda: trades().map(lambda t: list(locals()), to=list[str]), "uses `locals`"),
    (lambda: ab.from_iterable([], Doubled).map(lambda d: d.replace()), "methods of its own"),
    (lambda: trades().aggregate(ab.sliding(count=3, step=1), n=ab.count()), "that overlap"),
    (lambda: trades().enumerate().split(lambda n: n.number > 2)[0], "is a split")])
def test_what_is_no_loop(build, why):
    with pytest.raises(NoLoop) as refused:
        loop_for(build())
    assert why in refused.value.why


@pytest.mark.parametrize("price", [1, True, None])
def test_values_that_a_column_would_change_are_for_the_plain_loop(price):
    run = loop_for(trades().map(lambda t: Out(t.k, t.name, price), to=Out)).start()
    with pytest.raises(Unfit):
        run.run([Trade(1, "a", 2.0, datetime(2026, 1, 2))])


@pytest.mark.parametrize("k", [2 ** 63, "\ud800"])
def test_values_that_do_not_fit_are_for_the_plain_loop(k):
    made = (lambda t: Out(k, t.name, t.price)) if isinstance(k, int) else (
        lambda t: Out(t.k, k, t.price))
    with pytest.raises(Unfit):
        loop_for(trades().map(made, to=Out)).start().run(
            [Trade(1, "a", 2.0, datetime(2026, 1, 2))])
