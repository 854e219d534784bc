"""Dates, times, decimals, UUIDs, members and literals: in every format, and refused where wrong."""

from datetime import date, time
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Literal
from uuid import UUID

import pyarrow as pa
import pytest
from pyarrow import parquet

import anabranch as ab
from anabranch.core.errors import DataError, ProgramError, RunError


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 9


class Leg(ab.Record):
    day: date
    cost: Decimal


class Trip(ab.Record):
    day: date
    at: time
    cost: Decimal
    id: UUID
    color: Color
    level: Level
    way: Literal["out", "back"]
    stop: Literal[1, 2, None]
    maybe: date | None
    costs: list[Decimal]
    leg: Leg


TRIPS = [Trip(date(2026, 1, 2 + n % 20), time(8, n, 0, 5), Decimal(f"-{n}.25"), UUID(int=n),
              list(Color)[n % 2], list(Level)[n % 2], ["out", "back"][n % 2], [1, 2, None][n % 3],
              date(1, 1, 1) if n % 2 else None, [Decimal(n), Decimal("0.5")],
              Leg(date(9999, 12, 31), Decimal("1E+3"))) for n in range(40)]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_what_is_written_is_read_again(tmp_path, form, engine):
    path = tmp_path / f"a.{form}"
    getattr(ab.from_iterable(TRIPS, Trip), f"write_{form}")(path).run(engine=engine)
    assert getattr(ab, f"read_{form}")(path, Trip).collect(engine=engine) == TRIPS


class Sum(ab.Record):
    cost: Decimal


def test_a_decimal_of_38_digits_is_read_as_it_is(tmp_path):
    long = Decimal("12345678901234567890.123456789012345678")
    table = pa.table({"cost": pa.array([long, Decimal("2.5")], pa.decimal128(38, 18))})
    parquet.write_table(table, tmp_path / "a.parquet")
    found = ab.read_parquet(tmp_path / "a.parquet", Sum).collect(engine="sequential")
    assert [str(each.cost) for each in found] == [str(long), "2.5"]


def test_texts_in_files(tmp_path):
    ab.from_iterable(TRIPS[1:2], Trip).map(lambda t: t).write_csv(tmp_path / "a.csv").run(
        engine="sequential")
    assert (tmp_path / "a.csv").read_text().splitlines()[1] == (
        "2026-01-03,08:01:00.000005,-1.25,00000000-0000-0000-0000-000000000001,blue,9,back,2,"
        '0001-01-01,"[""1"", ""0.5""]","{""day"": ""9999-12-31"", ""cost"": ""1E+3""}"')


class One(ab.Record):
    day: date
    cost: Decimal
    color: Color
    way: Literal["out", "back"]
    id: UUID


GOOD = {"day": "2026-01-01", "cost": "1.5", "color": "red", "way": "out", "id": str(UUID(int=7))}


@pytest.mark.parametrize("column, text, expected", [
    ("day", "2026-02-30", "date in ISO 8601"), ("day", "01.02.2026", "date in ISO 8601"),
    ("cost", "1,5", "Decimal"), ("cost", "NaN", "Decimal, and finite"), ("cost", "", "Decimal"),
    ("color", "green", "'red' or 'blue'"), ("way", "in", "'out' or 'back'"), ("id", "7", "UUID")])
def test_a_cell_that_is_no_such_value_is_malformed(tmp_path, column, text, expected):
    cells = GOOD | {column: f'"{text}"'}
    (tmp_path / "a.csv").write_text(f"{','.join(GOOD)}\n{','.join(cells.values())}\n")
    with pytest.raises(DataError, match=f"{column} cannot be read") as caught:
        ab.read_csv(tmp_path / "a.csv", One).collect()
    assert caught.value.expected == expected


def test_columns_of_others_are_read_as_they_are(tmp_path):
    table = pa.table({"day": pa.array([date(2026, 1, 1)]), "cost": pa.array(
        [Decimal("1.50")], pa.decimal128(9, 2)), "color": ["red"], "way": ["out"],
        "id": [str(UUID(int=7))]})
    parquet.write_table(table, tmp_path / "a.parquet")
    found = ab.read_parquet(tmp_path / "a.parquet", One).collect()
    assert found == [One(date(2026, 1, 1), Decimal("1.5"), Color.RED, "out", UUID(int=7))]


def test_a_number_that_its_column_cannot_hold_is_refused(tmp_path):
    stream = ab.from_iterable([Leg(date(2026, 1, 1), Decimal("1E-19"))], Leg)
    with pytest.raises(RunError, match="cost is not of the type"):
        stream.write_parquet(tmp_path / "a.parquet").run(engine="sequential")


@pytest.mark.parametrize("wrong, expected", [
    (GOOD | {"color": "red"}, "Color"), (GOOD | {"color": Color.RED, "way": "in"}, "Literal")])
def test_python_objects_are_looked_at(wrong, expected):
    values = {"day": date(2026, 1, 1), "cost": Decimal(1), "id": UUID(int=1)}
    item = One(**{name: values.get(name, value) for name, value in wrong.items()})
    with pytest.raises(DataError) as caught:
        ab.from_iterable([item], One).collect()
    assert expected in caught.value.expected




class Unknown(ab.Record):
    n: int
    other: complex


class Mixed(Enum):
    ONE = 1
    TWO = "two"


class OfMixed(ab.Record):
    mixed: Mixed


@pytest.mark.parametrize("cls, line", [
    (Unknown, "    other: complex"), (OfMixed, "    mixed: Mixed")])
def test_a_type_that_is_not_known_is_refused_at_the_line_of_the_field(cls, line):
    with pytest.raises(ProgramError, match="is not a type of a stream's items") as caught:
        ab.read_csv("a.csv", cls)
    with open(__file__) as text:
        assert text.read().splitlines()[caught.value.where.line - 1] == line


def test_operators_over_dates_are_parallel():
    stream = ab.from_iterable(TRIPS, Trip).filter(lambda t: t.way == "out" and t.day.day > 3)
    assert "stateless" in stream_text(stream)


def stream_text(stream):
    from anabranch.compile import compile_graph
    from anabranch.explain import explain

    return explain(compile_graph(stream.graph()))
