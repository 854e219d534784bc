"""Which operator runs how on which engine, for docs/matrix.md.

It is asked of the plans of small programs, one for each operator.

    python -m anabranch.explain.matrix > docs/matrix.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import anabranch as ab
from anabranch.analysis.fact import StateKind
from anabranch.compile import compile_graph
from anabranch.engine.run import explained
from anabranch.plan.logical.plan import Plan
from anabranch.runtime.options import RunOptions


class MatrixRow(ab.Record):
    at: int
    key: str
    value: float
    other: float | None


class Total(ab.State):
    value: float = 0.0


@ab.operator(by="key")
def keyed(state: Total, r: MatrixRow):
    state.value += r.value
    yield MatrixRow(r.at, r.key, state.value, None)


@ab.operator
def alone(state: Total, r: MatrixRow):
    state.value += r.value
    yield MatrixRow(r.at, r.key, state.value, None)


@ab.synchronized(tag=lambda r: r.key, depends=lambda a, b: "close" in (a, b))
def forked(state: Total, r: MatrixRow):
    state.value += r.value
    if r.key == "close":
        yield state.value


forked.fork(lambda state, left, right: (state, Total()))
forked.join(lambda one, other: Total(one.value + other.value))


def rows() -> ab.Stream[MatrixRow]:
    return ab.generate(lambda n: MatrixRow(n, "a", float(n), None), 10_000_000, time="at")


def halved(items: ab.Stream[MatrixRow]) -> tuple[ab.Stream[MatrixRow], ab.Stream[MatrixRow]]:
    done, again = items.split(lambda r: r.value < 10)
    return done, again.map(lambda r: r.replace(value=r.value / 2))


Made = Callable[[], ab.Stream]

OPERATORS: dict[str, Made] = {
    "map": lambda: rows().map(lambda r: r.replace(value=r.value * 2)),
    "filter": lambda: rows().filter(lambda r: r.value > 1),
    "flat_map": lambda: rows().flat_map(lambda r: [r.at, -r.at]),
    "split": lambda: rows().split(lambda r: r.value > 1)[0],
    "apply, with `by`": lambda: rows().apply(keyed),
    "apply, one state": lambda: rows().apply(alone),
    "apply, synchronized": lambda: rows().apply(forked),
    "aggregate over windows, with `by`": lambda: rows().aggregate(
        ab.tumbling(time=10), by="key", n=ab.count()),
    "aggregate over windows": lambda: rows().aggregate(ab.tumbling(time=10), n=ab.count()),
    "group_by(...).agg": lambda: rows().group_by("key").agg(n=ab.count()),
    "agg": lambda: rows().agg(n=ab.count()),
    "distinct": lambda: rows().distinct("key"),
    "group_by(...).head": lambda: rows().group_by("key").head(3),
    "head": lambda: rows().head(3),
    "group_by(...).top": lambda: rows().group_by("key").top(3, by="value"),
    "top": lambda: rows().top(3, by="value"),
    "sort": lambda: rows().sort("value"),
    "sort, on a time": lambda: rows().sort("value", on="at"),
    "sort, within a window": lambda: rows().sort("value", ab.tumbling(count=10)),
    "sample, with `by`": lambda: rows().sample(0.1, by="key"),
    "sample": lambda: rows().sample(0.1),
    "fill, with a value": lambda: rows().fill("other", value=0.0),
    "group_by(...).fill": lambda: rows().group_by("key").fill("other"),
    "enumerate": lambda: rows().enumerate(),
    "union": lambda: rows().union(rows(), on="at"),
    "join": lambda: rows().join(rows(), by="key", keep=ab.recent(count=1),
                                into=lambda one, other: one.at),
    "barrier": lambda: ab.barrier(rows(), rows(), into=lambda one, other: one.at),
    "loop": lambda: rows().loop(halved)}

AGGREGATES: dict[str, Callable[[], object]] = {
    "count": ab.count, "sum": lambda: ab.sum("value"), "mean": lambda: ab.mean("value"),
    "min": lambda: ab.min("value"), "max": lambda: ab.max("value"),
    "first": lambda: ab.first("value"), "last": lambda: ab.last("value"),
    "any": lambda: ab.any(lambda r: r.value > 1), "collect": lambda: ab.collect("value"),
    "collect_set": lambda: ab.collect_set("value"),
    "count_distinct": lambda: ab.count_distinct("value"),
    "approx_distinct": lambda: ab.approx_distinct("value"), "median": lambda: ab.median("value"),
    "quantile": lambda: ab.quantile(0.9, "value"), "stddev": lambda: ab.stddev("value")}

LEAD = """# Operators and engines

Every operator runs on every engine, with the same output in the same order. This page says how,
for a program of that operator over records of numbers and texts, with enough rows; it is asked
of the plans themselves. `anabranch explain` says it of your program: functions that cannot be
compiled run in rows, whatever the operator.

*In copies*: any worker takes any rows. *By key*: rows with equal keys go to one worker. *In one
place*: one row after the other. *Forked*: by a [synchronization plan](synchronization.md)."""

PLACES = {StateKind.STATELESS: "in copies", StateKind.PARTITIONED: "by key",
          StateKind.FORKABLE: "forked"}
TIERS = {"native": "compiled", "columns": "in columns", "catalyst": "Spark's own"}


def page() -> str:
    """The whole page."""
    operators = [f"| {name} | {' | '.join(_ways(made()))} |" for name, made in OPERATORS.items()]
    aggregates = [f"| {name} | {_ways(rows().group_by('key').agg(x=made()))[1]} |"
                  for name, made in AGGREGATES.items()]
    return "\n".join([
        LEAD, "", "| operator | in parallel | on multicore | on Spark |", "|---|---|---|---|",
        *operators, "", "## Aggregates", "",
        "All may be used over windows, with `by` and without, on every engine.", "",
        "| aggregate | on multicore |", "|---|---|", *aggregates]) + "\n"


def _ways(stream: ab.Stream) -> list[str]:
    """How the operators of a stream run: in parallel, on multicore, on Spark."""
    stream.collect_into([])
    plan = compile_graph(stream.graph())
    return [_place(plan), _tiers(plan, RunOptions("multicore", tune={"kernels": "always"})),
            _tiers(plan, RunOptions("spark"))]


def _place(plan: Plan) -> str:
    """Of several operators, that which is the least parallel."""
    kinds = [fact.state.value.kind for fact in _facts(plan)]
    last = [*PLACES].index
    return "in one place" if any(k not in PLACES for k in kinds) else PLACES[max(kinds, key=last)]


def _facts(plan: Plan) -> Iterator:
    return (plan.known_of(op.name) for op in plan.program if not (op.is_source or op.is_sink))


def _tiers(plan: Plan, options: RunOptions) -> str:
    sinks = {op.name for op in plan.program.sinks}
    stages = [s for s in explained(plan, options).stages if not sinks >= set(s.operators)]
    found = dict.fromkeys(TIERS.get(stage.tier, "in rows") for stage in stages)
    return ", then ".join(found)


if __name__ == "__main__":
    print(page(), end="")
