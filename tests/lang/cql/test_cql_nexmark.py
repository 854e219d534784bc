"""The queries of the NEXMark benchmark in CQL, against the denotational semantics.

Tucker et al., "NEXMark - a benchmark for queries over data streams", has the first nine; the others
were added by the projects that run them. Windows that tumble are CQL's `[tumble T]`, and the first
rows of each key are those that few others precede.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lang.cql.denotational import outputs
from lang.cql.test_cql_meaning import written

DECLARED = """\
register stream Person(id int, name string, city string, state string);
register stream Auction(id int, itemName string, category int, seller int, at int, expires int);
register stream Bid(auction int, bidder int, price int, channel string, url string, at int);
register relation SideInput(`key` int, value string);
"""
QUERIES = Path(__file__).with_name("nexmark.cql").read_text().split("\n\n")
# All inputs drive the clock.
ALL = "".join(f";\nselect * from {name}" for name in ("Person", "Auction", "Bid", "SideInput"))


def inputs() -> dict[str, list[tuple]]:
    """Twenty seconds of three auctions, and two people who sell."""
    draw = random.Random("nexmark")
    people = [(1, 1, "ann", "Salem", "OR"), (2, 2, "bob", "Reno", "NV"),
              (12, 3, "eve", "Ely", "CA")]
    auctions = [(2, 1, "boat", 10, 1, 2, 14), (3, 2, "sail", 10, 2, 3, 30),
                (12, 3, "oar", 11, 3, 12, 20)]
    bids, time = [], 3
    for _ in range(16):
        time += draw.choice([0, 1, 1, 2, 4])
        channel = draw.choice(["Apple", "google", "web"])
        more = draw.choice(["", "&channel_id=7", "&channel_id=x"])
        bids.append((time, draw.randrange(1, 4), draw.randrange(4), draw.choice([60, 90, 150, 230]),
                     channel, f"https://x.org/c{draw.randrange(2)}/item.htm?q=1{more}", time))
    side = [(0, "+", n, f"side {n}") for n in range(4)]
    return {"Person": people, "Auction": auctions, "Bid": bids, "SideInput": side}


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.partition(":")[0].strip("- "))
def test_queries(query):
    text = DECLARED + query.rstrip(";\n") + ALL
    rows = inputs()
    found = written(text, rows)
    assert found == outputs(text, rows)
    assert found[0], "a query without results proves nothing"
