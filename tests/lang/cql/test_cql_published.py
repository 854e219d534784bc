"""Queries in the forms that have been published, against the denotational semantics.

They are written after the queries of Arasu, Babu and Widom, "The CQL continuous query language", of
the Linear Road and NEXMark benchmarks in CQL, and in the forms of STREAM's scripts.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lang.cql.denotational import outputs
from lang.cql.test_cql_meaning import written

DECLARED = """\
register stream PosSpeedStr(vehicleId integer, speed integer, xPos integer, dir integer);
register stream OpenAuction(itemId integer, sellerId integer, start_price integer);
register stream ClosedAuction(itemId integer, buyerId integer);
register stream Bid(itemId integer, price integer, bidderId integer);
register relation Person(id integer, state integer);
register relation Item(id integer, category integer);
"""
QUERIES = Path(__file__).with_name("published.cql").read_text().split(";\n")[:-1]
SCRIPT = """\
# As in the scripts of STREAM.
table : register stream S(name char20, value integer);
table : register relation R(name char20, rank integer);

vquery : Rstream(Select S.name, R.rank From S [Now], R Where S.name = R.name);
vtable : register stream Ranked(name char20, rank integer);

query : Select name, Count(*) From Ranked [Rows 10] Group By name;
query : Select Istream(*) From Ranked [Now];
"""


def some_rows(name: str, width: int) -> list[tuple]:
    some, time, rows = random.Random(name), 0, []
    for _ in range(12):
        time += some.choice((0, 0, 1, 1, 2, 5))
        rows.append((time, *(some.randrange(4) for _ in range(width))))
    return rows


def changes(name: str) -> list[tuple]:
    """Each row is added, and some are taken away later."""
    rows = some_rows(name, 2)
    gone = [(rows[-1][0] + 1, "-", *row[1:]) for row in rows[::3]]
    return [(time, "+", *row) for time, *row in rows] + gone


INPUTS = {"PosSpeedStr": some_rows("positions", 4), "OpenAuction": some_rows("open", 3),
          "ClosedAuction": some_rows("closed", 2), "Bid": some_rows("bids", 3),
          "Person": changes("persons"), "Item": changes("items")}
# All inputs drive the clock.
ALL = "".join(f";\nselect * from {name}" for name in INPUTS)


@pytest.mark.parametrize("query", QUERIES, ids=range(1, len(QUERIES) + 1))
def test_queries(query):
    text = DECLARED + query + ALL
    found = written(text, INPUTS)
    assert found == outputs(text, INPUTS)
    assert found[0], "a query without results proves nothing"


def test_scripts():
    inputs = {"S": [(1, "a", 1), (2, "b", 2), (2, "a", 3)], "R": [(0, "+", "a", 7)]}
    assert written(SCRIPT, inputs) == [
        [(1, "+", "a", 1), (2, "-", "a", 1), (2, "+", "a", 2)], [(1, "a", 7)]]


def test_declarations_need_no_end():
    text = """quotes := {string ticker, int ask} stream
              history := {string ticker, int low} relation
              select istream(*) from quotes[now], history
              where quotes.ask <= history.low and quotes.ticker==history.ticker"""
    inputs = {"quotes": [(1, "IBM", 3)], "history": [(1, "+", "IBM", 4)]}
    assert written(text, inputs) == [[(1, "IBM", 3, 4)]]
