"""The examples that read files, over inputs of some size: each answer is computed a second time."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from applications.language_examples import printed_by
from applications.programs import EXAMPLES
from lang.cql.linear_road import tolls

ENGINES = {"sequential": ("sequential",), "multicore": ("multicore", "--workers", "2")}
Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Callable[[str, int], Path]:
    """A file of the input of this name, with so many rows."""
    folder = tmp_path_factory.mktemp("inputs")

    def write(name: str, rows: int) -> Path:
        path = folder / f"{name}-{rows}.csv"
        if not path.exists():
            path.write_text(printed_by(EXAMPLES / "inputs.py", "--set", f"input={name}", "--set",
                                       f"rows={rows}", "--engine", "sequential"))
        return path
    return write


def rows_of(text: str) -> Rows:
    """The rows of a text, in CSV or JSON Lines."""
    if text.startswith("{"):
        return [{name: str(value) for name, value in json.loads(line).items()}
                for line in text.splitlines()]
    return list(csv.DictReader(text.splitlines()))


def values(rows: Rows) -> list[tuple[str, ...]]:
    return [tuple(row.values()) for row in rows]


def overdrawn(payments: Rows) -> list[tuple[str, ...]]:
    found, totals = [], Counter()
    for p in payments:
        if p["kind"] != "test":
            totals[p["account"]] += float(p["amount"])
            if totals[p["account"]] < 0:
                found.append((p["account"], str(round(totals[p["account"]], 2))))
    return found


def road(positions: Rows) -> list[tuple[str, ...]]:
    reports = [tuple(map(int, row)) for row in values(positions)]
    return [tuple(map(str, toll)) for toll in tolls(reports)]


def origins(queries: Rows) -> list[tuple[str, ...]]:
    """Changes of the counts of the last five minutes, what goes before what comes."""
    found, before = [], Counter()
    for now in range(int(queries[-1]["timestamp"]) + 1):
        places = Counter((q["latitude"], q["longitude"]) for q in queries
                         if now - 300 <= int(q["timestamp"]) <= now)
        counts = Counter((*place, str(n)) for place, n in places.items())
        found += [(str(now), "-", *gone) for gone in sorted(before - counts)]
        found += [(str(now), "+", *come) for come in sorted(counts - before)]
        before = counts
    return found


def bargains(quotes: Rows, history: Rows) -> list[tuple[str, ...]]:
    found, before = [], Counter()
    for now in range(int(quotes[-1]["timestamp"]) + 1):
        lows = {c["ticker"]: c["low"] for c in history
                if int(c["timestamp"]) <= now and c["op"] == "+"}
        pairs = Counter((q["ticker"], q["ask"], lows[q["ticker"]]) for q in quotes
                        if int(q["timestamp"]) == now and q["ticker"] in lows
                        and int(q["ask"]) <= int(lows[q["ticker"]]))
        found += [(str(now), *pair) for pair in sorted((pairs - before).elements())]
        before = pairs
    return found


def trades(bids: Rows, asks: Rows) -> list[tuple[str, ...]]:
    found, last = [], float("inf")
    for quote in sorted(bids + asks, key=lambda q: float(q["ts"])):
        price = float(quote["price"])
        if quote["symbol"] != "IBM":
            continue
        if quote in asks:
            last = price
        elif price >= last:
            found.append((str(len(found) + 1), "IBM", str(last)))
    return found


CASES = {
    "balances.py": ({"payments": ("payments", 3000)}, overdrawn),
    "linear_road.cql": ({"PosSpeedStr": ("positions", 400)}, road),
    "log_analyzer.cql": ({"queryLog": ("query_log", 900)}, origins),
    "bargains.cql": ({"quotes": ("quotes", 200), "history": ("history", 100)}, bargains),
    "market_maker.river": ({"bids": ("bids", 500), "asks": ("asks", 500)}, trades),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", CASES)
def test_the_answer(made, program, engine):
    inputs, answer = CASES[program]
    files = {name: made(*of) for name, of in inputs.items()}
    bound = [word for name, path in files.items() for word in ("--input", f"{name}={path}")]
    text = printed_by(EXAMPLES / program, *bound, "--engine", *ENGINES[engine])
    expected = answer(*(rows_of(path.read_text()) for path in files.values()))
    assert len(expected) > 10
    assert _in_instants(values(rows_of(text)), program) == _in_instants(expected, program)


def _in_instants(rows: list[tuple], program: str) -> list[tuple]:
    """What CQL gives for one instant is a set: only between instants there is an order."""
    return sorted(rows, key=lambda r: (int(r[0]), r)) if program.endswith(".cql") else rows


@pytest.mark.parametrize("name", ["payments", "positions", "query_log", "lines", "quotes",
                                  "history", "bids", "asks"])
def test_inputs_have_the_size_that_is_asked_for(made, name):
    few, many = (made(name, rows).read_text().splitlines() for rows in (30, 60))
    assert many[:len(few)] == few and len(many) > len(few) > 30
