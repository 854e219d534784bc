"""Random CQL queries over three inputs, and random contents for these."""

from __future__ import annotations

import random

from hypothesis import strategies as st

DECLARATIONS = """\
S := {int a, int b} stream;
T := {int a, float c} stream;
R := {int a, int d} relation;
"""
WINDOWS = ("", "", "", " [now]", " [range 2]", " [range unbounded]", " [rows 2]",
           " [range 4 slide 2]", " [rows 3 slide 2]", " [partition by a rows 1]", " [rows 1]",
           " [partition by a rows 2 range 3 seconds]")
COLUMNS = {"S": ("a", "b"), "T": ("a", "c"), "R": ("a", "d")}


@st.composite
def sources(draw, only=("S", "T", "R")) -> tuple[str, tuple[str, ...]]:
    """An item of `from` without its alias, and its columns."""
    name = draw(st.sampled_from(only))
    window = draw(st.sampled_from(WINDOWS)) if name != "R" else ""
    if draw(st.integers(0, 5)) == 0:
        inner = draw(conditions([("x", COLUMNS[name])], deep=False))
        return f"(select a, {COLUMNS[name][1]} from {name}{window} as x where {inner})", \
            COLUMNS[name]
    return f"{name}{window}", COLUMNS[name]


@st.composite
def numbers(draw, tables) -> str:
    alias, columns = draw(st.sampled_from(tables))
    column = f"{alias}.{draw(st.sampled_from(columns))}"
    return draw(st.sampled_from([column, column, f"{column} + 1", f"{column} * 2", f"-{column}",
                                 f"case when {column} > 1 then 5 else {column} end", "1"]))


@st.composite
def comparisons(draw, tables) -> str:
    operator = draw(st.sampled_from(["=", "==", "<", ">=", "<>", "!="]))
    return f"{draw(numbers(tables))} {operator} {draw(numbers(tables))}"


@st.composite
def subqueries(draw, tables) -> str:
    name, window = draw(st.sampled_from(["S", "T"])), draw(st.sampled_from(WINDOWS))
    outer = f"{tables[0][0]}.a"
    where = draw(st.sampled_from(["", " where u.a > 0", f" where u.a = {outer}",
                                  f" where u.a < {outer}", f" where u.a = {outer} and u.a <> 1"]))
    negated = draw(st.sampled_from(["", "not "]))
    kind = draw(st.sampled_from(["exists", "in", "in", "quantified", "scalar"]))
    if kind == "quantified":
        quantifier = draw(st.sampled_from(["< any", ">= all", "<> some", "= any", "<> all"]))
        return f"{outer} {quantifier} (select u.a from {name}{window} as u{where})"
    if kind == "scalar":
        return f"{outer} >= (select count(*) from {name}{window} as u where u.a > 0)"
    if kind == "exists":
        return f"{negated}exists (select * from {name}{window} as u{where})"
    return f"{outer} {negated}in (select u.a from {name}{window} as u{where})"


@st.composite
def conditions(draw, tables, deep=True) -> str:
    kinds = ["compare", "compare", "and", "or", "not"] + (["query"] if deep else [])
    kind = draw(st.sampled_from(kinds))
    if kind == "query":
        return draw(subqueries(tables))
    first = draw(comparisons(tables))
    if kind in ("and", "or"):
        second = draw(subqueries(tables) if deep and draw(st.booleans()) else comparisons(tables))
        return f"({first}) {kind} ({second})"
    return f"not ({first})" if kind == "not" else first


@st.composite
def selects(draw) -> str:
    """A select with one table or two, perhaps with groups."""
    chosen = draw(st.lists(sources(), min_size=1, max_size=2))
    tables = [(f"t{i}", columns) for i, (_, columns) in enumerate(chosen)]
    text = ", ".join(f"{source} as t{i}" for i, (source, _) in enumerate(chosen))
    where = [draw(conditions(tables))] if draw(st.booleans()) else []
    if len(tables) > 1 and draw(st.booleans()):
        where.insert(0, "t0.a = t1.a")
    clause = " where " + " and ".join(f"({w})" for w in where) if where else ""
    if draw(st.booleans()):
        return _grouped(draw, tables, f"from {text}{clause}")
    items = ", ".join(f"{draw(numbers(tables))} as c{i}" for i in range(2))
    distinct = draw(st.sampled_from(["", "distinct "]))
    return f"select {distinct}{items} from {text}{clause}"


def _grouped(draw, tables, rest: str) -> str:
    column = f"t0.{draw(st.sampled_from(tables[0][1]))}"
    calls = st.sampled_from(["count(*)", f"sum({column})", f"avg({column})", f"min({column})",
                             f"max({column})", f"count(distinct {column})",
                             f"sum(distinct {column})"])
    items = f"{draw(calls)} as c0, {draw(calls)} as c1"
    having = draw(st.sampled_from(["", " having count(*) > 1", f" having max({column}) > 1"]))
    if draw(st.booleans()):
        return f"select {items} {rest}{having}"
    return f"select t0.a as k, {items} {rest} group by t0.a{having}"


@st.composite
def queries(draw) -> str:
    """A whole query: a select, a combination of two, or one as a stream."""
    text = draw(selects())
    kind = draw(st.sampled_from(["plain", "plain", "stream", "set", "view"]))
    if kind == "stream":
        return f"{draw(st.sampled_from(['istream', 'dstream', 'rstream']))}({text});"
    if kind == "set":
        operator = draw(st.sampled_from(["union", "union all", "except", "intersect",
                                         "except all", "intersect all"]))
        window = draw(st.sampled_from(WINDOWS))
        return f"select a, b from S{window} {operator} select a, d from R;"
    if kind == "view":
        stream = draw(st.sampled_from(["istream", "dstream", "rstream"]))
        window = draw(st.sampled_from([w for w in WINDOWS if "partition" not in w]))
        return (f"V := {stream}(select a, b from S{draw(st.sampled_from(WINDOWS))});\n"
                f"select V.a as p, V.b as q, count(*) as n from V{window}, R where V.a = R.a "
                "group by V.a, V.b;")
    return f"{text};"


@st.composite
def timed(draw, rows) -> list[tuple]:
    """Rows with timestamps that never go back."""
    time, out = 0, []
    for row in draw(st.lists(rows, max_size=8)):
        time += draw(st.integers(0, 3) | st.just(9))
        out.append((time, *row))
    return out


SMALL = st.integers(0, 3)
FLOATS = st.sampled_from([0.1, 0.2, 1e16, -1e16, 1.0, 2.5])


@st.composite
def contents(draw) -> dict[str, list[tuple]]:
    """The rows of each input; a relation only loses what it has."""
    return {"S": draw(timed(st.tuples(SMALL, SMALL))), "T": draw(timed(st.tuples(SMALL, FLOATS))),
            "R": _possible(draw(timed(st.tuples(st.sampled_from("++-"), SMALL, SMALL))))}


def _possible(changes: list[tuple]) -> list[tuple]:
    held, kept = [], []
    for time, op, *row in changes:
        if op == "-":
            if not held:
                continue
            row = held.pop()
        else:
            held.append(row)
        kept.append((time, op, *row))
    return kept


def some_contents(seed: int) -> dict[str, list[tuple]]:
    """Enough rows for most queries to have results."""
    some, time = random.Random(seed), 0
    rows: dict[str, list[tuple]] = {"S": [], "T": [], "R": []}
    for _ in range(10):
        time += some.choice([0, 1, 2, 3, 6])
        rows["S"].append((time, some.randrange(4), some.randrange(4)))
        rows["T"].append((time + 1, some.randrange(4), some.choice([0.5, 1.5, 2.5])))
        rows["R"].append((time, some.choice("++-"), some.randrange(4), some.randrange(4)))
    return rows | {"R": _possible(rows["R"])}
