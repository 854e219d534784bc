"""Programs over DataFrames give the sequential engine's sequence, sorted by the order column."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from enum import Enum
from typing import Literal
from uuid import UUID

import pytest
from pyspark.errors import PythonException, SparkRuntimeException
from pyspark.sql import SparkSession

import anabranch as ab
from anabranch.api.frames import IN_PIPELINE
from engines.spark.framed import frame_outputs, has_frames
from program_cases import CASES

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

FRAMED = [case for case in CASES if has_frames(case.build().graph())]


@pytest.fixture(scope="module")
def session(spark):
    made = SparkSession(spark).newSession()
    made.conf.set("spark.sql.shuffle.partitions", "3")
    # Rows of one source tuple, and of one key, come in several batches.
    made.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "3")
    return made


@pytest.mark.parametrize("case", FRAMED, ids=lambda case: case.name)
def test_case(session, case):
    outputs, error = frame_outputs(session, case.build().graph())
    assert (error, *outputs.values()) == (None, case.expected)


class Payment(ab.Record):
    at: int
    account: str
    amount: float


class Numbered(ab.Record):
    at: int
    n: int


class Overdraft(ab.Record):
    account: str
    balance: float


class Balance(ab.State):
    total: float = 0.0


@ab.operator(by="account")
def overdrawn(state: Balance, p: Payment):
    state.total += p.amount
    if state.total < 0:
        yield Overdraft(p.account, state.total)
        state.total = 0.0


def payments(session, rows: int = 400):
    return session.range(rows).selectExpr(
        "id as at", "concat('a', id % 7) as account", "cast(id * 37 % 11 - 5 as double) as amount")


def in_order(stream: ab.Stream) -> list[tuple]:
    frame = stream.to_spark(order="position")
    return [tuple(row)[:-1] for row in frame.orderBy("position").collect()]


def shown(frame, capsys) -> str:
    """The plan of Spark's."""
    frame.explain()
    return capsys.readouterr().out


def test_a_program_is_a_lazy_frame_with_the_order_as_a_column(session):
    program = ab.from_spark(payments(session), Payment, order="at").filter(
        lambda p: p.amount != 3).apply(overdrawn)
    assert in_order(program) == [tuple(item) for item in program.collect()]
    assert program.to_spark().columns == ["account", "balance"]


def test_kernels_take_over_where_rows_come_in_bulk(spark, monkeypatch):
    session = SparkSession(spark).newSession()
    session.conf.set("spark.sql.shuffle.partitions", "1")
    program = ab.from_spark(payments(session, 30_000), Payment, order="at").apply(overdrawn)
    assert in_order(program) == [tuple(item) for item in program.collect()]


def test_one_operator_transforms_a_frame(session):
    rows = payments(session).transform(ab.spark(overdrawn, order="at"))
    expected = ab.from_spark(payments(session), Payment, order="at").apply(overdrawn).collect()
    assert sorted(map(tuple, rows.collect())) == sorted(map(tuple, expected))


@ab.operator(by="balance")
def by_balance(state: Balance, o: Overdraft):
    state.total += 1
    yield Overdraft(o.account, state.total)
    yield Overdraft(o.account, -state.total)


def test_keys_that_change_keep_the_order(session):
    program = ab.from_spark(payments(session), Payment, order="at").flat_map(
        lambda p: [p, p.replace(account="all")]).apply(overdrawn).apply(by_balance).map(
        lambda o: Overdraft(o.account, o.balance + 1))
    assert in_order(program) == [tuple(item) for item in program.collect()]


def test_a_split_meets_again(session):
    small, large = ab.from_spark(payments(session), Payment, order="at").flat_map(
        lambda p: [p, p.replace(amount=-p.amount)]).split(lambda p: p.amount < 0)
    program = large.map(lambda p: p.replace(account="b")).union(small, arrival=True).apply(
        overdrawn)
    assert in_order(program) == [tuple(item) for item in program.collect()]


class Quote(ab.Record):
    at: int
    account: str
    bid: float


class Pair(ab.Record):
    account: str
    amount: float
    bid: float


@pytest.mark.parametrize("counts", [(0, 1), (1, 0), (1, 1)])
def test_sources_are_joined_by_their_times(session, capsys, counts):
    quotes = session.range(90).selectExpr(
        "id * 4 as at", "concat('a', id % 5) as account", "cast(id as double) as bid", "id as nr")
    program = ab.from_spark(payments(session), Payment, order="at", time="at").join(
        ab.from_spark(quotes, Quote, order="nr", time="at"), by="account",
        keep=tuple(ab.recent(count=count) for count in counts),
        into=lambda p, q: Pair(p.account, p.amount, q.bid))
    expected = [tuple(item) for item in program.collect(engine="sequential")]
    assert in_order(program) == expected and len(expected) > 60
    program.explain(engine="spark")
    # However its table is folded.
    told = " ".join(capsys.readouterr().out.split())
    assert "join_left > join_both" in told and "one compiled loop over columns" in told
    assert "an exchange by hash(account), a sort by (at, nr), mapInArrow" in told


def test_a_joined_pair_that_fails_names_what_came(session):
    one = ab.from_spark(payments(session), Payment, order="at", time="at")
    program = one.join(ab.from_spark(payments(session), Payment, order="at", time="at"),
                       by="account", keep=ab.recent(count=1),
                       into=lambda p, q: Pair(p.account, 1 / (p.amount - q.amount), 0.0))
    with pytest.raises(PythonException, match=r"(?s)join raised .*came: Payment\(at=0, "):
        program.to_spark().collect()


@pytest.mark.parametrize("turned", [False, True])
def test_a_union_by_time_holds_nothing_back(session, turned):
    more = payments(session, 50).selectExpr("at * 3 as at", "account", "amount", "at as nr")
    one = ab.from_spark(payments(session), Payment, order="at", time="at")
    other = ab.from_spark(more, Payment, order="nr", time="at")
    program = (other.union(one, on="at") if turned else one.union(other, on="at")).apply(overdrawn)
    frame = program.to_spark(order="position")
    assert "SinglePartition" not in frame._jdf.queryExecution().toString()
    assert in_order(program) == [tuple(item) for item in program.collect()]


class Kind(Enum):
    CARD = "card"
    CASH = "cash"


class Fee(ab.Record):
    key: str
    value: Decimal


class Booking(ab.Record):
    n: int
    amount: Decimal
    day: date
    hour: time
    kind: Kind
    side: Literal["in", "out"]
    id: UUID
    fees: list[Fee]
    rates: dict[str, Decimal | None]
    pair: tuple[int, date]
    last: date | None


class Ledger(ab.State):
    total: Decimal = Decimal(0)
    last: date | None = None


@ab.operator(by="kind")
def booked(state: Ledger, b: Booking):
    state.total += b.amount
    yield b.replace(amount=state.total, last=state.last)
    state.last = b.day


@ab.operator(by="amount")
def by_amount(state: Ledger, b: Booking):
    state.total += 1
    yield b.replace(amount=state.total / 4)


def bookings(session):
    return session.range(40).selectExpr(
        "id as n", "cast(id % 3 as decimal(38,2)) + 12345678901234567890.12 as amount",
        "date_add(date'2024-02-27', cast(id as int)) as day", "'12:30:00.000001' as hour",
        "if(id % 3 = 0, 'card', 'cash') as kind", "'in' as side",
        "'00000000-0000-0000-0000-000000000007' as id",
        "map('fee', cast(id / 8 as decimal(5,3))) as fees",
        "map('a', cast(id as decimal(9,1)), 'b', null) as rates",
        "struct(id as a, date'2024-01-01' as b) as pair",
        "cast(null as date) as last")


def test_values_that_no_column_of_ours_has(session):
    """Decimals are equal keys whatever zeros they end with; an Enum is one class in a worker."""
    program = ab.from_spark(bookings(session), Booking, order="n").apply(booked).map(
        lambda b: b.replace(amount=b.amount % 7 if b.n % 2 else (b.amount % 7) * Decimal("1.000"))
    ).apply(by_amount)
    given = program.to_spark(order="o").orderBy("o").drop("o")
    kinds = dict(given.dtypes)
    assert (kinds["amount"], kinds["day"], kinds["hour"], kinds["kind"]) == (
        "decimal(38,18)", "date", "string", "string")
    assert [Booking(r.n, r.amount.normalize(), r.day, time.fromisoformat(r.hour), Kind(r.kind),
                    r.side, UUID(r.id), [Fee(*f) for f in r.fees], r.rates, tuple(r.pair), r.last)
            for r in given.collect()] == program.collect()
    bad = bookings(session).replace("card", "cards")
    with pytest.raises(PythonException, match="the column 'kind' has a value that is none of Kind"):
        ab.from_spark(bad, Booking, order="n").map(lambda b: b.n).to_spark().collect()


class Seen(ab.State):
    amounts: list[float] = []


class Together(ab.Record):
    at: int
    amounts: list[float]


@ab.operator(by="account")
def gathered(state: Seen, p: Payment):
    state.amounts.append(p.amount)
    yield Together(p.at, state.amounts)


def test_what_an_operator_goes_on_changing_is_seen_as_it_was(session):
    rows = payments(session).filter("at < 20")
    amounts, expected = {}, []
    for row in rows.orderBy("at").collect():
        amounts[row.account] = [*amounts.get(row.account, []), row.amount]
        expected.append((row.at, amounts[row.account]))
    assert in_order(ab.from_spark(rows, Payment, order="at").apply(gathered)) == expected


class InPipeline:
    """A DataFrame within a function of `pyspark.pipelines`."""

    sparkSession = None

    @property
    def schema(self):
        raise RuntimeError(f"[{IN_PIPELINE}] Operations that trigger DataFrame analysis are not "
                           "allowed in pipeline query functions.")


def test_a_function_of_a_pipeline_is_told_to_make_the_frame_outside():
    with pytest.raises(ab.ProgramError, match="make the DataFrame outside of the function"):
        ab.from_spark(InPipeline(), Payment, order="at")


@pytest.mark.parametrize(("order", "error"), [
    (5, "order= takes the names of columns"), ("day", "no column 'day' to give the order"),
    ("pair", "the column 'pair' cannot give the order"), (None, "have no order")])
def test_an_order_that_is_none_is_refused(session, order, error):
    rows = payments(session).selectExpr("*", "struct(at, account) as pair")
    with pytest.raises(ab.ProgramError, match=error):
        ab.from_spark(rows, Payment, order=order)


@pytest.mark.parametrize("name", ["amount", "AT"])
def test_a_name_of_several_columns_is_refused(session, name):
    rows = payments(session).selectExpr("*", f"1 as {name}")
    with pytest.raises(ab.ProgramError, match=f"has 2 columns '{name.lower()}'"):
        ab.from_spark(rows, Payment, order="at")


def test_the_end_is_told_also_where_no_row_comes(session):
    nothing = payments(session).filter("at < 0")
    program = ab.from_spark(nothing, Payment, order="at").aggregate(
        ab.tumbling(count=3, partial=True), n=ab.count())
    assert in_order(program) == [tuple(item) for item in program.collect()]


@pytest.mark.parametrize(("made", "error"), [
    (lambda frame: frame.selectExpr("at div 8 as o", "*"),
     "several rows have the same place in the order, and one state sees them"),
    (lambda frame: frame.selectExpr("nullif(at, 3) as o", "*"),
     "the column 'o', which gives the order, has a null"),
    (lambda frame: frame.selectExpr("if(at > 390, double('NaN'), at) as o", "*"),
     "several rows have the same place in the order, and one state sees them"),
    (lambda frame: frame.selectExpr("at as o", "at", "account", "nullif(amount, 2) as amount"),
     "the column 'amount' has a null")])
def test_rows_that_do_not_fit_are_one_clear_error(session, made, error):
    program = ab.from_spark(made(payments(session)), Payment, order="o").apply(overdrawn)
    with pytest.raises(PythonException, match=error) as caught:
        program.to_spark().collect()
    assert "test_frames.py" in str(caught.value) and "= help:" in str(caught.value)


def test_a_function_that_raises_is_our_error_at_its_line(session):
    def broken(p: Payment):
        return Overdraft(p.account, 1 / (p.at - 5))
    program = ab.from_spark(payments(session), Payment, order="at").map(broken)
    with pytest.raises(PythonException) as caught:
        program.to_spark().collect()
    told = str(caught.value)
    assert "broken raised ZeroDivisionError while handling a tuple" in told
    assert "came: Payment(at=5, account='a5', amount=" in told and "map(broken)" in told


def test_expressions_are_columns_of_sparks_own(session, capsys):
    """Without Python, as Python has them: also where Spark itself would have another mode."""
    session.conf.set("spark.sql.ansi.enabled", "false")
    huge = payments(session, 9).selectExpr("at", "account", "amount",
                                           "case at when 8 then 9223372036854775807 when 7 then "
                                           "-9223372036854775807 - 1 else at end n")
    rows = ab.from_spark(huge, Numbered, order="at")
    kept = rows.filter(lambda p: p.n % 2 == 0).map(lambda p: p.replace(n=7 - p.n // 3))
    assert "MapInArrow" not in shown(kept.to_spark(), capsys)
    assert [r.n for r in kept.to_spark().collect()] == [p.n for p in kept.collect()]
    # What Python goes on with is not cut off at 64 bits; what has to fit into a column is an error.
    beyond = rows.map(lambda p: p.replace(n=(p.n * 4) % 10))
    assert "MapInArrow" in shown(beyond.to_spark(), capsys)
    assert in_order(beyond) == [tuple(item) for item in beyond.collect()]
    with pytest.raises(SparkRuntimeException, match="outgrows the 64 bits of a column") as caught:
        rows.map(lambda p: p.replace(n=p.n + 1)).to_spark().collect()
    assert "test_frames.py" in str(caught.value)


def test_rows_that_are_filtered_out_are_looked_at(session):
    holed = payments(session).selectExpr("at", "nullif(account, 'a3') as account", "amount")
    program = ab.from_spark(holed, Payment, order="at").filter(lambda p: p.amount > 100)
    with pytest.raises(SparkRuntimeException, match="the column 'account' has a null"):
        program.to_spark().collect()
