"""A wrong program is refused before anything runs, at the exact place, with what to do next."""

import itertools

import pytest

import anabranch as ab


class Trade(ab.Record):
    ts: int
    symbol: str
    price: float


class Total(ab.State):
    total: float = 0.0


def trades():
    return ab.from_iterable([Trade(1, "A", 1.0)], Trade)


@ab.operator(by="symbol")
def misspelt(state: Total, t: Trade):
    state.totl += t.price
    yield t


@ab.operator(by="symbol")
def of_totals(state: Total, t: int):
    yield state.total


WRONG = {
    "a misspelt attribute": (
        lambda: trades().filter(lambda t: t.prise > 10),
        "Trade has no attribute 'prise'", "prise", "did you mean 'price'?"),
    "a type clash": (
        lambda: trades().map(lambda t: t.price + t.symbol),
        "float + str is a type clash", "t.price + t.symbol", "convert one side"),
    "a missing field": (
        lambda: trades().map(lambda t: Trade(t.ts, t.symbol)),
        "Trade is not given 'price'", "Trade(t.ts, t.symbol)", "its fields are"),
    "a field of another type": (
        lambda: trades().map(lambda t: Trade(t.ts, t.symbol, "x")),
        "Trade.price is of another type", '"x"', ""),
    "an unknown field in a copy": (
        lambda: trades().map(lambda t: t.replace(prise=1.0)),
        "Trade has no field 'prise'", "prise", "did you mean 'price'?"),
    "a misspelt field of the state": (
        lambda: trades().apply(misspelt),
        "Total has no attribute 'totl'", "totl", "did you mean 'total'?"),
    "an operator for other items": (
        lambda: ab.from_iterable(["a"], str).apply(ab.operator(plain_ints)),
        "plain_ints does not take this stream's items", "apply(ab.operator(plain_ints))", ""),
    "an unknown key": (
        lambda: trades().aggregate(ab.tumbling(count=3), by="symbl"),
        "Trade has no key attribute 'symbl'", "aggregate(", "did you mean 'symbol'?"),
    "an unknown attribute to add up": (
        lambda: trades().aggregate(ab.tumbling(count=3), n=ab.sum("prce")),
        "Trade has no attribute 'prce'", "aggregate(", "did you mean 'price'?"),
    "a union of two types": (
        lambda: trades().union(ab.from_iterable([1], int), arrival=True),
        "a union takes streams of one type", "union(", "map one of them"),
    "a union without an order": (
        lambda: trades().union(trades()),
        "a union says its order", "union(trades())", 'on="ts"'),
    "a window without a time": (
        lambda: trades().aggregate(ab.tumbling(time=3), n=ab.count()),
        "the window's time attribute is not known", "aggregate(", 'say on="..."'),
    "a window of both kinds": (
        lambda: ab.tumbling(count=3, time=3),
        "a window has a count or a time", "tumbling(count=3, time=3)", "for example"),
    "no function": (
        lambda: trades().filter(3), "filter takes a function", "filter(3)", ""),
    "no stream type": (
        lambda: ab.from_iterable([1], dict),
        "dict is not a type of a stream's items", "from_iterable([1], dict)", ""),
    "keys that never meet": (
        lambda: trades().join(trades(), by=(("ts",), ("symbol",)), keep=ab.recent(count=1)),
        "the join compares ts (int) with symbol (str)", "join(", "never be equal"),
    "a join that keeps nothing said": (
        lambda: trades().join(trades(), by="ts"),
        "a join says what it keeps", 'join(trades(), by="ts")', "ab.recent"),
    "a misspelt declaration": (
        lambda: trades().map(lambda t: t.price, selectivty=1),
        "'selectivty' cannot be declared", "map(", "did you mean 'selectivity'?"),
    "a loop that gives one stream": (
        lambda: trades().loop(lambda s: s),
        "the body of a loop gives two streams", "loop(lambda s: s)", "goes round again"),
    "an unknown time": (
        lambda: ab.read_csv("x.csv", Trade, time="tss"),
        "Trade has no time attribute 'tss'", "read_csv(", "did you mean 'ts'?"),
    "no sink": (
        lambda: trades().run(), "the program has no sink", "from_iterable(", "collect()"),
}


def plain_ints(n: int):
    yield n


def test_an_aggregate_needs_its_methods():
    class Nothing(ab.Aggregate):
        n: int = 0

        def add(self, value):
            self.n += value
    with pytest.raises(ab.ProgramError, match="Nothing has no method result"):
        trades().aggregate(ab.tumbling(count=2), n=Nothing.of("price"))


@pytest.mark.parametrize("name", WRONG)
def test_refused_at_the_place(name):
    build, what, underlined, help = WRONG[name]
    with pytest.raises(ab.AnabranchError) as caught:
        build()
    error = caught.value
    assert what in error.what
    assert error.exit_code == 2
    assert help in (error.help or "")
    line, marks = str(error).split("\n")[3:5]
    start = marks.index("^")
    assert line[start:start + marks.count("^")].startswith(underlined.rstrip("("))


def test_operator_must_yield():
    with pytest.raises(ab.ProgramError, match="the operator silent does not yield"):
        @ab.operator
        def silent(t):
            return [t]


def test_state_needs_initial_values():
    with pytest.raises(ab.ProgramError, match=r"Broken.total has no initial value"):
        class Broken(ab.State):
            total: float


def test_aggregate_into_a_class_with_other_fields():
    class Out(ab.Record):
        symbol: str
        n: int
        extra: int
    with pytest.raises(ab.ProgramError, match=r"no aggregate gives Out\.extra"):
        trades().aggregate(ab.tumbling(count=1), by="symbol", n=ab.count(), into=Out)


def test_the_lambda_of_a_line_is_the_right_one():
    with pytest.raises(ab.ProgramError) as caught:
        trades().map(lambda t: t.price).filter(lambda p: p.nothing)
    assert "nothing" in caught.value.what
    assert caught.value.where.column > 50


@pytest.mark.parametrize("build, message, help", [
    (lambda: trades().agg(), "agg takes at least one aggregate", "ab.count()"),
    (lambda: trades().group_by(), "group_by takes at least one key", "hour=lambda"),
    (lambda: trades().group_by("symbl"), "Trade has no key attribute 'symbl'", "'symbol'"),
    (lambda: trades().group_by(symbol=lambda t: t.ts), "has a field 'symbol' already", "another"),
    (lambda: trades().top(-1, by="price"), "top takes a whole number from 0 on", None),
    (lambda: trades().top(1, by="prise"), "Trade has no attribute 'prise'", "'price'"),
    (lambda: trades().head("all"), "head takes a whole number from 0 on", None),
    (lambda: trades().sample(2), "sample takes a part between 0 and 1", "sample(0.1)"),
    (lambda: trades().distinct("symbol", within=3), "time attribute of distinct", 'on="..."'),
    (lambda: trades().fill("prise", value=1.0), "Trade has no attribute 'prise'", "'price'"),
    (lambda: trades().fill("price", value="x"), "Trade.price is of another type", None),
    (lambda: trades().enumerate("price"), "cannot be called 'price'", "ts, symbol, price"),
    (lambda: trades().agg(q=ab.quantile(50, "price")), "a part between 0 and 1", "0.95"),
    (lambda: trades().agg(q=ab.median("symbol")), "needs numbers", None),
    (lambda: ab.operator(Total), "Total is no operator", "def process"),
])
def test_operators_of_every_day_say_what_is_wrong(build, message, help):
    with pytest.raises(ab.ProgramError) as caught:
        build()
    assert message in caught.value.what and (help is None or help in (caught.value.help or ""))
    assert caught.value.where is None or caught.value.where.file == __file__


def test_results_of_an_input_without_end_are_refused():
    endless = ab.from_iterable(itertools.count(), int)
    with pytest.raises(ab.UsageError, match="gives its results at the end of the input") as caught:
        endless.agg(n=ab.count()).collect()
    assert "--limit N" in caught.value.help and "tumbling" in caught.value.help
    assert endless.agg(n=ab.count()).collect(limit=7) == [(7,)]


def test_a_key_needs_attributes():
    @ab.operator
    def of_all(state: Total, t: Trade):
        yield t
    with pytest.raises(ab.ProgramError, match="has no key to give to last"):
        @of_all.at_end
        def last(state, key):
            yield key


def test_show_prints_a_table(capsys):
    assert trades().show() is None
    assert capsys.readouterr().out == " ts symbol price\n--- ------ -----\n  1 A        1.0\n"


async def awaited(trade):
    return trade


def several(trade):
    yield trade


@pytest.mark.parametrize("build, message, help", [
    (lambda: trades().fliter(lambda t: t.price > 1), "a stream has no method 'fliter'", "'filter'"),
    (lambda: trades().price, "a stream has no method 'price'", "map(lambda t: ...)"),
    (lambda: trades().group_by("symbol").agc(n=ab.count()), "has no method 'agc'", "'agg'"),
    (lambda: trades().map(lambda t: t.price, to=str), "gives other items than to= says", "convert"),
    (lambda: trades().map(lambda t: t.prise, to=float), "no attribute 'prise'", "'price'"),
    (lambda: trades().flat_map(lambda t: t.price), "gives float, which has no items", "map"),
    (lambda: trades().map(several), "several gives a generator", "flat_map"),
    (lambda: trades().map(awaited), "waits for no coroutine", "plain function"),
    (lambda: trades().filter(awaited), "waits for no coroutine", "plain function"),
    (lambda: ab.operator(awaited), "the operator awaited waits for no coroutine", "plain function"),
    (lambda: trades().map(lambda t: (x for x in [t])), "gives a generator", "flat_map"),
    (lambda: trades().map(lambda t: t.ts, to=complex), "complex is not a type", None),
    (lambda: trades().flat_map(lambda t: [t], to=dict), "dict is not a type", None),
    (lambda: ab.generate(lambda n: n, 3, to=set), "set is not a type", None)])
def test_what_is_easily_mistaken_is_told(build, message, help):
    with pytest.raises(ab.ProgramError) as caught:
        build()
    assert message in caught.value.what and (help is None or help in caught.value.help)
    assert caught.value.where.file == __file__


def test_a_stream_has_the_attributes_that_it_has():
    assert not hasattr(trades(), "fliter") and not hasattr(trades(), "__array__")


def test_a_misspelt_engine_is_told():
    with pytest.raises(ab.UsageError, match="no engine is called 'multicor'") as caught:
        trades().collect(engine="multicor")
    assert caught.value.help == "did you mean 'multicore'?"
