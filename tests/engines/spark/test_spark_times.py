"""A TIMESTAMP of Spark stays one, and a TIMESTAMP_NTZ too, whatever the session's time zone is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

import anabranch as ab
from anabranch.core.errors import AnabranchError
from engines.spark.streams import arrive, parts, sequential, streamed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)


class Visit(ab.Record):
    key: str
    at: datetime
    wall: datetime | None


class Stay(ab.Record):
    key: str
    start: datetime
    last: datetime
    wall: datetime | None


class Last(ab.State):
    at: datetime | None = None


@ab.operator(by="key")
def stays(state: Last, visit: Visit):
    if state.at is not None:
        yield Visit(visit.key, state.at + (visit.at - state.at), visit.wall)
    state.at = visit.at


@pytest.fixture
def session(spark):
    from pyspark.sql import SparkSession

    return SparkSession(spark).newSession()


ROWS = """select concat('k', id % 3) key,
    timestamp_micros(1774744200000000 + id * 600000001) at,
    timestamp_ntz '2026-10-25 02:30:00' + make_dt_interval(0, 0, id) wall from range({})"""


@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "Asia/Kolkata"])
def test_what_spark_wrote_it_finds_again(session, tmp_path, zone, kind):
    session.conf.set("spark.sql.session.timeZone", zone)
    session.conf.set("spark.sql.parquet.outputTimestampType", kind)
    given = session.sql(ROWS.format(50))
    given.write.parquet(f"file://{tmp_path}/in")
    visits = ab.read_parquet(tmp_path / "in", Visit).map(lambda v: v)
    visits.write_parquet(f"{tmp_path}/out/").run(engine="spark")
    came = session.read.parquet(f"file://{tmp_path}/out")
    assert [f.dataType.simpleString() for f in came.schema] == [
        "string", "timestamp", "timestamp_ntz"]
    assert came.join(given, ["key", "at", "wall"]).count() == 50
    table = ab.read_parquet(tmp_path / "in", Visit).to_arrow(engine="spark")
    assert session.createDataFrame(table.to_pandas()).join(given, ["key", "at"]).count() == 50
    assert str(table.schema.field("at").type) == "timestamp[us, tz=UTC]"


PROGRAMS = {
    "state": lambda s: s.apply(stays),
    "windows": lambda s: s.aggregate(
        ab.tumbling(time=HOUR, on="at"), by="key", into=Stay, start=ab.start(), last=ab.max("at"),
        wall=ab.max("wall")),
    "keys": lambda s: s.aggregate(ab.tumbling(count=2), by="at", n=ab.count()),
    "text": lambda s: s.map(lambda v: f"{v.at} {v.wall}"),
}
ZONES = {"instants": lambda n: UTC, "berlin": lambda n: BERLIN, "wall clock": lambda n: None,
         "mixed": lambda n: UTC if n > 150 else None}


def _visits(zone):
    start = datetime(2026, 10, 25, tzinfo=UTC)
    times = [start + timedelta(minutes=7 * (n // 2)) for n in range(200)]
    own = [time.astimezone(zone(n)) if zone(n) else time.replace(tzinfo=None)
           for n, time in enumerate(times)]
    return [Visit(f"k{n % 3}", time, time.replace(tzinfo=None)) for n, time in enumerate(own)]


def _came(stream, engine):
    try:
        return list(map(repr, stream.collect(engine=engine)))
    except AnabranchError as error:
        return str(error)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_spark_gives_what_the_sequential_engine_gives(spark, zone, program):
    stream = PROGRAMS[program](ab.from_iterable(_visits(ZONES[zone]), Visit))
    assert _came(stream, "spark") == _came(stream, "sequential")


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("zone", ["instants", "berlin", "wall clock"])
def test_folders_of_parts(spark, tmp_path, zone, form):
    tune = {"smallest_split": 64, "largest_split": 256, "worth_compiling": 0}
    path, read = tmp_path / f"in.{form}", getattr(ab, f"read_{form}")
    visits = ab.from_iterable(_visits(ZONES[zone]), Visit)
    getattr(visits, f"write_{form}")(path).run(engine="sequential")
    found = []
    for engine, knobs in (("sequential", None), ("spark", tune)):
        made = read(path, Visit).apply(stays)
        getattr(made, f"write_{form}")(f"{tmp_path}/{engine}/").run(engine=engine, tune=knobs)
        found.append(repr(read(tmp_path / engine, Visit).collect()))
    assert found[0] == found[1]


def test_a_stream_remembers_instants(spark, tmp_path):
    """A state that is saved between two runs."""
    lines = [f"{v.key},{v.at.isoformat()},{v.wall.isoformat()}" for v in _visits(ZONES["berlin"])]

    def build():
        return ab.read_csv(tmp_path / "in", Visit).apply(stays).write_csv(tmp_path / "out/")
    for number, part in enumerate((lines[:100], lines[100:])):
        arrive(tmp_path / "in", number, part, "key,at,wall")
        streamed(build, checkpoint=str(tmp_path / "checkpoint"))
    assert parts(tmp_path / "out") == sequential(build, tmp_path / "out")
