"""The market maker with plain tuples, as the paper writes its items."""

from __future__ import annotations

from math import inf

from anabranch.ir.text import parse
from oracles.brooklet import Program, lower

TEXT = """
output result;
input bids, asks;
(ibmBids) <- SelectIBM(bids);
(ibmAsks) <- SelectIBM(asks);
($lastAsk) <- Window(ibmAsks);
(ibmSales) <- SaleJoin(ibmBids, $lastAsk);
(result, $cnt) <- Count(ibmSales, $cnt);
"""


def SelectIBM(quote, port):
    return [[quote] if quote[0] == "IBM" else []], []


def Window(ask, port):
    return [], [ask]


def SaleJoin(bid, port, last):
    return [[(*bid, last[1])] if bid[1] >= last[1] else []], []


def Count(sale, port, count):
    return [[(count + 1, sale[0], sale[2])]], [count + 1]


FUNCTIONS = {"SelectIBM": SelectIBM, "Window": Window, "SaleJoin": SaleJoin, "Count": Count}
INPUTS = {"bids": [("IBM", 119), ("XYZ", 12), ("IBM", 124)], "asks": [("XYZ", 11), ("IBM", 119)]}


def market_maker(**other_functions) -> Program:
    functions = {**FUNCTIONS, **other_functions}
    return lower(parse(TEXT, functions, {"lastAsk": ("IBM", inf), "cnt": 0}))
