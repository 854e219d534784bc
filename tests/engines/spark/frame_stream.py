"""A query over growing files that stops and starts again, as it was or as another program."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import anabranch as ab
from anabranch.engine.spark.frames.frame import ROCKS, STORE


class Payment(ab.Record):
    at: int
    account: str
    amount: float


class Overdraft(ab.Record):
    account: str
    balance: float


def balance(**fields: object) -> type:
    """The class `Balance` as it is in one of the programs."""
    kinds = {name: type(value) for name, value in fields.items()}
    return type(ab.State)("Balance", (ab.State,), {
        "__annotations__": kinds, "__module__": __name__, **fields})


def first() -> object:
    Balance = balance(total=0.0)

    @ab.operator(by="account")
    def overdrawn(state: Balance, p: Payment):
        state.total += p.amount
        if state.total < 0:
            yield Overdraft(p.account, state.total)
            state.total = 0.0
    return overdrawn


def second() -> object:
    """Another function, and a field more."""
    Balance = balance(count=7, total=0.0)

    @ab.operator(by="account")
    def overdrawn(state: Balance, p: Payment):
        state.total += p.amount
        state.count += 1
        if state.total < 0:
            yield Overdraft(p.account, state.total * 1000 + state.count)
            state.total = 0.0
    return overdrawn


def other_key() -> object:
    Balance = balance(total=0.0)

    @ab.operator(by="at")
    def overdrawn(state: Balance, p: Payment):
        state.total += p.amount
        yield Overdraft(p.account, state.total)
    return overdrawn


def payments(session: SparkSession, low: int, high: int):
    return session.range(low, high).selectExpr(
        "id as at", "concat('a', id % 7) as account", "cast(id * 37 % 11 - 5 as double) as amount")


def out_of(session: SparkSession, folder: str, program, name: str | None = None) -> ab.Stream:
    rows = session.readStream.schema("at long, account string, amount double").option(
        "maxFilesPerTrigger", 2).parquet(f"{folder}/in")
    return ab.from_spark(rows, Payment, order="at").filter(lambda p: p.amount != 3).apply(
        program(), name=name)


def query(session: SparkSession, folder: str, program):
    out = out_of(session, folder, program).to_spark(order="position")
    return out.writeStream.queryName(program.__name__).format("parquet").option(
        "checkpointLocation", f"{folder}/checkpoint").option("path", f"{folder}/out").trigger(
        availableNow=True).start()


def run(session: SparkSession, folder: str, program) -> str:
    """Everything that is there, in one run of the query; what it fails with."""
    started = query(session, folder, program)
    try:
        started.awaitTermination()
    except Exception as error:
        return str(error)
    return ""


def found(session: SparkSession, folder: str) -> list[tuple]:
    rows = session.read.parquet(f"{folder}/out").orderBy("position").collect()
    return [tuple(row)[:2] for row in rows]


def expected(end: int = 500) -> list[tuple]:
    """What both programs give, one after the other, for the rows before `end`."""
    totals, counts, out = {}, {}, []
    for at in range(end):
        account, amount = f"a{at % 7}", float(at * 37 % 11 - 5)
        if amount == 3:
            continue
        totals[account] = totals.get(account, 0.0) + amount
        if at >= 400:
            # What the first program has kept has no counts: they begin where the field does.
            counts[account] = counts.get(account, 7) + 1
        if totals[account] < 0:
            told = totals[account] if at < 400 else totals[account] * 1000 + counts[account]
            out.append((account, told))
            totals[account] = 0.0
    return out


def arrive(session: SparkSession, folder: str, low: int, high: int) -> None:
    payments(session, low, high).repartition(2).write.mode("append").parquet(f"{folder}/in")


def with_store(session: SparkSession) -> SparkSession:
    """A session whose streams can have state."""
    made = session.newSession()
    for name, value in ((f"{STORE}.providerClass", ROCKS), ("spark.sql.shuffle.partitions", "1")):
        made.conf.set(name, value)
    return made


def main(folder: str) -> None:
    """A process of its own, to be killed."""
    session = with_store(SparkSession.builder.master("local[2]").config(
        "spark.ui.enabled", "false").getOrCreate())
    query(session, folder, first).awaitTermination()


if __name__ == "__main__":
    main(sys.argv[1])
