"""Avro files: written and read back on each engine, written by others, damaged."""

from __future__ import annotations

import datetime
import decimal
import enum
import sys
import uuid
from dataclasses import make_dataclass
from io import BytesIO

import pytest

import anabranch as ab

fastavro = pytest.importorskip("fastavro")


class Kind(enum.Enum):
    CARD = "card"
    CASH = "cash"


class Item(ab.Record):
    sku: str
    n: int | None


class Row(ab.Record):
    i: int
    f: float | None
    b: bool
    at: datetime.datetime
    wall: datetime.datetime
    day: datetime.date
    t: datetime.time
    u: uuid.UUID
    k: Kind
    amount: decimal.Decimal
    data: bytes
    item: Item
    items: list[Item]
    tags: list[str]


def row(n: int) -> Row:
    at = datetime.datetime(2024, 1, 1, 12, 0, n % 60, 5)
    return Row(n, None if n % 2 else n / 3, n % 3 == 0, at.replace(tzinfo=datetime.UTC), at,
               datetime.date(2024, 1, 1 + n % 28), datetime.time(1, 2, n % 60, 7),
               uuid.UUID(int=n), Kind.CASH if n % 5 else Kind.CARD, decimal.Decimal(n) / 4,
               b"x%d" % n, Item("a", None), [Item("b", n)], ["x"] * (n % 3))


ROWS = [row(n) for n in range(20_000)]


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_what_is_written_is_read_back(tmp_path, engine):
    path = str(tmp_path / "rows.avro")
    ab.from_iterable(ROWS, Row).write_avro(path).run(engine=engine)
    assert ab.read_avro(path, Row).collect(engine=engine) == ROWS
    few = ab.read_avro(path, Numbered).filter(lambda r: r.i > 19_990)
    assert [r.i for r in few.collect(engine=engine)] == list(range(19_991, 20_000))


class Numbered(ab.Record):
    i: int
    u: uuid.UUID


def test_others_read_what_is_written(tmp_path):
    path = tmp_path / "rows.avro"
    ab.from_iterable(ROWS[:3], Row).write_avro(path).run(engine="sequential")
    with path.open("rb") as file:
        found = list(fastavro.reader(file))
    assert [each["at"] for each in found] == [r.at for r in ROWS[:3]]
    assert found[1]["items"] == [{"sku": "b", "n": 1}] and found[1]["f"] is None


SCHEMA = {"type": "record", "name": "Order", "namespace": "shop", "fields": [
    {"name": "id", "type": "int"},
    {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["card", "cash"]}},
    {"name": "again", "type": ["null", "shop.Kind"]},
    {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "odd", "type": ["string", "int"]},
    {"name": "next", "type": ["null", "shop.Order"]}]}


@pytest.fixture
def orders(tmp_path):
    at = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    path = tmp_path / "orders.avro"
    with path.open("wb") as file:
        fastavro.writer(file, SCHEMA, [{"id": n, "kind": "cash", "again": None, "at": at,
                                        "odd": "x", "next": None} for n in range(2)])
    return path


def test_files_of_others_are_read(orders):
    class Order(ab.Record):
        id: int
        kind: Kind
        again: Kind | None
        at: datetime.datetime
    at = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    assert ab.read_avro(orders, Order).collect() == [
        Order(n, Kind.CASH, None, at) for n in range(2)]


def test_single_values_are_a_file_too(tmp_path):
    with (tmp_path / "n.avro").open("wb") as file:
        fastavro.writer(file, "long", [3, 1, 2])
    assert ab.read_avro(tmp_path / "n.avro", int).collect() == [3, 1, 2]


def test_columns_that_are_not_there_or_of_another_type_are_told(orders):
    class Misspelt(ab.Record):
        knid: str

    class Other(ab.Record):
        id: str
    with pytest.raises(ab.DataError, match="the Avro file has no column 'knid'") as told:
        ab.read_avro(orders, Misspelt).collect()
    assert told.value.help == "did you mean 'kind'?"
    with pytest.raises(ab.DataError, match="column 'id' of the Avro file has another type"):
        ab.read_avro(orders, Other).collect()


@pytest.mark.parametrize("cut", [b"", b"hello", None])
def test_a_damaged_file_is_refused(orders, cut):
    class Order(ab.Record):
        id: int
    orders.write_bytes(orders.read_bytes()[:-30] if cut is None else cut)
    with pytest.raises(ab.RunError, match="as an Avro file") as told:
        ab.read_avro(orders, Order).collect()
    assert "no Avro file" in told.value.help


def test_names_that_avro_has_not_are_refused(tmp_path):
    Named = ab.record(make_dataclass("Named", [("größe", int)]))
    with pytest.raises(ab.RunError, match="Avro has no field with the name 'größe'"):
        ab.from_iterable([Named(1)], Named).write_avro(tmp_path / "a.avro").run(
            engine="sequential")
    assert not (tmp_path / "a.avro").exists()


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "fastavro", None)
    with pytest.raises(ab.UsageError, match="Avro files need one more package") as told:
        ab.read_avro(tmp_path / "a.avro", Item)
    assert told.value.help == "pip install 'anabranch[avro]'"


def test_the_command_knows_the_extension(orders, tmp_path):
    from anabranch.io.binding import bind_source
    from anabranch.ir.types import INT
    assert str(bind_source(None, "a.avro", INT)) == "avro a.avro"
    assert BytesIO(orders.read_bytes()).read(3) == b"Obj"
