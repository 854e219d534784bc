"""Items that are made column by column are those that are made row by row."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

import anabranch as ab
from anabranch.io.arrow import rows as arrow_rows
from anabranch.io.parquet.files import ParquetSource
from anabranch.io.rows import BadRows
from anabranch.ir.types import type_of


class Leg(ab.Record):
    price: float
    venue: str


class Order(ab.Record):
    n: int
    leg: Leg
    legs: list[Leg]
    sizes: list[int]
    deep: list[list[float]]
    maybe: list[int | None]
    note: str | None
    day: date
    at: datetime
    cost: Decimal


def order(n: int, **changes: object) -> dict:
    leg = {"price": n / 4, "venue": f"v{n % 3}"}
    return {"n": n, "leg": leg, "legs": [leg] * (n % 3), "sizes": list(range(n % 4)),
            "deep": [[0.5] * (n % 2), []], "maybe": [None, n], "note": None if n % 2 else "é",
            "day": date(2026, 1, 1 + n % 28), "at": datetime(2026, 1, 1, 0, n % 60, tzinfo=UTC),
            "cost": Decimal(n) / 4} | changes


def both(monkeypatch, path) -> tuple[list, list, list]:
    """What is made in columns and by rows, and what is told of malformed rows."""
    found = []
    for in_rows in (False, True):
        rows, told = BadRows("skip"), []
        rows.report = lambda error, raw, told=told: told.append((str(error), raw))
        with monkeypatch.context() as patch:
            if in_rows:
                patch.setattr(arrow_rows, "_made", lambda *given: None)
            found.append((list(ParquetSource(str(path), type_of(Order)).items(rows)), told))
    assert repr(found[0]) == repr(found[1])
    return found[0]


@pytest.mark.parametrize("form", ["list", "large_list"])
def test_values_are_those_of_rows(monkeypatch, tmp_path, form):
    table = pa.Table.from_pylist([order(n) for n in range(50)])
    if form == "large_list":
        place = table.schema.get_field_index("sizes")
        table = table.set_column(place, "sizes", table["sizes"].cast(pa.large_list(pa.int32())))
    parquet.write_table(table, tmp_path / "in.parquet", row_group_size=7)
    calls, decoder = [], arrow_rows.rows_of
    monkeypatch.setattr(arrow_rows, "rows_of", lambda *given: calls.append(1) or decoder(*given))
    items, told = both(monkeypatch, tmp_path / "in.parquet")
    assert len(items) == 50
    assert not told
    assert len(calls) == 1, "only those by rows"
    assert type(items[1].legs[0]) is Leg


@pytest.mark.parametrize("changes", [
    {"cost": None}, {"at": None}, {"leg": None}, {"leg": {"price": None, "venue": "x"}},
    {"sizes": None}, {"legs": [None]}, {"sizes": [1, None]}, {"day": None}, {"deep": [None]}])
def test_what_is_missing_is_told_as_rows_tell_it(monkeypatch, tmp_path, changes):
    given = [order(n, **(changes if n in (0, 20, 49) else {})) for n in range(50)]
    parquet.write_table(pa.Table.from_pylist(given), tmp_path / "in.parquet", row_group_size=30)
    items, told = both(monkeypatch, tmp_path / "in.parquet")
    assert (len(items), len(told)) == (47, 3)
