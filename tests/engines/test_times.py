"""A time with a zone is an instant, one without is a wall-clock time, and each stays what it is:
in every format, in rows and in columns, on every engine."""

import re
from datetime import UTC, datetime, timedelta, timezone
from time import tzset
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from pyarrow import parquet

import anabranch as ab
from anabranch.core.errors import AnabranchError
from anabranch.engine.multicore import compilation
from interpreting import FREE_KERNELS, kernels_in_python, with_costs

BERLIN, KOLKATA = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata")
HOUR = timedelta(hours=1)
# In Berlin the hour from 2 to 3 is missing on 29 March 2026, and comes twice on 25 October.
WALL_CLOCK = [datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime(1970, 1, 1),
              datetime(2026, 3, 29, 2, 30), datetime(2026, 10, 25, 2, 30, fold=1),
              datetime(9999, 12, 31, 23, 59, 59, 999_999)]
INSTANTS = [datetime(1, 1, 1, tzinfo=UTC), datetime(1900, 1, 1, 0, 0, 0, 1, tzinfo=KOLKATA),
            datetime(2026, 3, 29, 2, 30, tzinfo=BERLIN),
            datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN),
            datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
            datetime(2026, 10, 25, 2, 30, tzinfo=timezone(timedelta(hours=-3, seconds=7))),
            datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)]
IN_UTC = [time.astimezone(UTC) for time in INSTANTS]


class Visit(ab.Record):
    key: str
    at: datetime
    until: datetime | None = None


class Seen(ab.Record):
    at: datetime
    hour: int
    later: datetime
    until: datetime | None


class Last(ab.State):
    at: datetime | None = None


@ab.operator(by="key")
def since(state: Last, visit: Visit):
    """How long ago the key was seen, and when."""
    if state.at is not None:
        yield Seen(state.at, visit.at.hour, state.at + (visit.at - state.at), visit.until)
    state.at = visit.at


@pytest.fixture
def small_inputs_count(monkeypatch):
    """Kernels for few rows, in small slices, and their code run by Python itself."""
    with_costs(monkeypatch, **FREE_KERNELS, first_columns=100)
    monkeypatch.setattr(compilation, "WORTH_WAITING", 600)
    monkeypatch.setattr(compilation, "LONGEST_LOAD", 600)
    with kernels_in_python():
        yield


READ = {"csv": ab.read_csv, "jsonl": ab.read_jsonl, "parquet": ab.read_parquet}
WRITE = {"csv": ab.Stream.write_csv, "jsonl": ab.Stream.write_jsonl,
         "parquet": ab.Stream.write_parquet}


def found(path):
    """The rows of a file as they are read."""
    return repr(READ[path.suffix[1:]](path, Visit).collect())


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("form", READ)
@pytest.mark.parametrize("given, wanted", [
    (WALL_CLOCK, [time.replace(fold=0) for time in WALL_CLOCK]), (INSTANTS, IN_UTC)])
def test_files_give_back_what_was_written(tmp_path, given, wanted, form, engine):
    path, again = tmp_path / f"visits.{form}", tmp_path / f"again.{form}"
    visits = [Visit("a", time, None if n % 2 else time) for n, time in enumerate(given)]
    WRITE[form](ab.from_iterable(visits, Visit), path).run(engine=engine)
    read = [Visit("a", time, None if n % 2 else time) for n, time in enumerate(wanted)]
    assert found(path) == repr(read)
    WRITE[form](READ[form](path, Visit), again).run(engine=engine)
    assert again.read_bytes() == path.read_bytes()


def test_texts_have_the_offset_of_utc(tmp_path):
    visits = [Visit("a", datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1)),
              Visit("a", datetime(2026, 10, 25, 2, 30, fold=1))]
    ab.from_iterable(visits, Visit).write_csv(tmp_path / "out.csv").run(engine="sequential")
    assert (tmp_path / "out.csv").read_text() == (
        "key,at,until\na,2026-10-25T01:30:00+00:00,\na,2026-10-25T02:30:00,\n")


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "+05:30"])
def test_tables_keep_the_kind_of_a_column(zone, engine):
    times = pa.array([0, None, -1], pa.timestamp("ms", zone))
    table = pa.table({"key": ["a", "b", "c"], "at": times.fill_null(5), "until": times})
    came = ab.from_arrow(table, Visit).to_arrow(engine=engine)
    kind = pa.timestamp("us", "UTC" if zone else None)
    assert came.schema.field("at").type == came.schema.field("until").type == kind
    assert came.column("until").cast(pa.int64()).to_pylist() == [0, None, -1000]


def test_times_in_lists_and_records_keep_their_kind(tmp_path):
    class Trip(ab.Record):
        legs: list[Visit]
        last: Visit | None

    trips = [Trip([], None), Trip([Visit("a", IN_UTC[2], WALL_CLOCK[0])], Visit("b", IN_UTC[3]))]
    ab.from_iterable(trips, Trip).write_parquet(tmp_path / "t.parquet").run(engine="sequential")
    assert repr(ab.read_parquet(tmp_path / "t.parquet", Trip).collect()) == repr(trips)


def test_one_column_of_a_file_has_one_kind_of_times(tmp_path):
    visits = [Visit("a", IN_UTC[2]), Visit("b", WALL_CLOCK[3])]
    messages = set()
    for engine in ("sequential", "multicore"):
        with pytest.raises(AnabranchError) as raised:
            ab.from_iterable(visits, Visit).write_parquet(tmp_path / "out.parquet").run(
                engine=engine)
        messages.add(re.sub(r"test_times.py:\d+.*?(?=  = )", "", str(raised.value), flags=re.S))
    assert len(messages) == 1
    assert "at is not of the type of the sink's items" in messages.pop()
    assert str(raised.value).endswith("""\
  = expected: a time with a zone, like those before it: a column holds either instants or \
wall-clock times
  = came: datetime.datetime(2026, 3, 29, 2, 30)
  = item: Visit(key='b', at=datetime.datetime(2026, 3, 29, 2, 30), until=None)""")
    assert not list(tmp_path.iterdir())


def test_a_column_that_begins_without_a_time_waits_for_one(tmp_path):
    visits = [Visit("a", IN_UTC[2])] * 9000 + [Visit("a", IN_UTC[2], IN_UTC[3])]
    ab.from_iterable(visits, Visit).write_parquet(tmp_path / "v.parquet").run(engine="sequential")
    assert str(parquet.read_schema(tmp_path / "v.parquet").field("until").type) == (
        "timestamp[us, tz=UTC]")


def test_an_instant_that_utc_has_no_year_for_is_refused(tmp_path):
    east = datetime(1, 1, 1, tzinfo=timezone(HOUR))
    with pytest.raises(AnabranchError, match="an instant from the year 1 to 9999 in UTC"):
        ab.from_iterable([Visit("a", east)], Visit).write_csv(tmp_path / "v.csv").run(
            engine="sequential")


NOON, UTC_NOON = datetime(2026, 1, 1, 12), datetime(2026, 1, 1, 12, tzinfo=UTC)

PROGRAMS = {
    "parts and spans": lambda s: s.map(
        lambda v: Seen(v.at, v.at.hour, v.at + timedelta(minutes=90), v.until)),
    "state": lambda s: s.apply(since),
    "a wall-clock constant": lambda s: s.filter(lambda v: v.at > NOON),
    "an instant as constant": lambda s: s.filter(lambda v: v.at > UTC_NOON),
    "equality": lambda s: s.map(lambda v: (v.at == NOON, v.at != UTC_NOON)),
    "text": lambda s: s.map(lambda v: f"{v.key}: {v.at}"),
    "methods": lambda s: s.map(lambda v: (v.at.isoformat(), v.at.timestamp(), v.at.strftime(
        "%H:%M %z"), v.at.weekday(), str(v.at.tzinfo), v.at.astimezone(KOLKATA))),
    "windows": lambda s: s.aggregate(ab.tumbling(time=HOUR, on="at"), by="key", start=ab.start(),
                                     end=ab.end(), last=ab.max("at"), n=ab.count()),
    "sliding windows": lambda s: s.aggregate(ab.sliding(time=HOUR, step=HOUR / 2, on="at"),
                                             start=ab.start(), first=ab.min("at"), n=ab.count()),
    "keys": lambda s: s.aggregate(ab.tumbling(count=3), by="at", n=ab.count()),
    "distinct": lambda s: s.deduplicate("at"),
    "sorted": lambda s: s.sort("at", ab.tumbling(count=7), reverse=True),
    "joined": lambda s: s.join(s.filter(lambda v: v.key == "k1"), by="at",
                               keep=ab.recent(count=2), into=lambda a, b: (a.at, b.at)),
}
START = datetime(2026, 10, 24, 23)
ZONES = {"wall clock": lambda n: None, "utc": lambda n: UTC, "berlin": lambda n: BERLIN,
         "zones": lambda n: (UTC, BERLIN, KOLKATA)[n % 3],
         "mixed": lambda n: UTC if n % 50 == 33 else None,
         "instants later": lambda n: UTC if n >= 200 else None}


def visits_of(zone, count=600):
    def time(n):
        clock, own = START + timedelta(minutes=7 * (n // 2)), zone(n)
        return clock if own is None else clock.replace(tzinfo=UTC).astimezone(own)
    return [Visit(f"k{n % 3}", time(n), None if n % 4 else time(n)) for n in range(count)]


def came(build, engine, **options):
    """The items, or the error, exactly."""
    try:
        return list(map(repr, build().collect(engine=engine, **options)))
    except AnabranchError as error:
        return str(error)


TUNED = {"threads": {"processes": "never", "kernels": "always", "slice_size": 90},
         "processes": {"processes": "always", "kernels": "never", "slice_size": 90},
         "kernels in processes": {"processes": "always", "kernels": "always", "slice_size": 37}}


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("tuned", TUNED)
def test_multicore_gives_what_the_sequential_engine_gives(small_inputs_count, program, zone,
                                                          tuned):
    visits = visits_of(ZONES[zone], 300)

    def build():
        return PROGRAMS[program](ab.from_iterable(visits, Visit))
    wanted = came(build, "sequential")
    assert came(build, "multicore", workers=2, tune=TUNED[tuned]) == wanted
    if zone in ("wall clock", "utc", "berlin", "zones") and "constant" not in program:
        assert isinstance(wanted, list)


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.timestamp("us", "Europe/Berlin")])
@pytest.mark.parametrize("program", ["parts and spans", "state", "windows"])
def test_instants_run_as_kernels_as_wall_clock_times_do(small_inputs_count, tmp_path, program,
                                                        kind):
    visits = visits_of(ZONES["utc"])
    table = pa.table({"key": [v.key for v in visits],
                      "at": pa.array([v.at for v in visits], kind),
                      "until": pa.array([v.until for v in visits], kind)})
    parquet.write_table(table, tmp_path / "in.parquet", row_group_size=250)
    files = []
    for engine in ("sequential", "multicore"):
        path = tmp_path / f"{engine}.parquet"
        made = PROGRAMS[program](ab.read_parquet(tmp_path / "in.parquet", Visit))
        report = made.write_parquet(path).run(engine=engine)
        files.append(parquet.read_table(path))
    assert files[0].schema == files[1].schema and files[0].equals(files[1])
    assert report.tier == "native"
    zones = {f.type.tz for f in files[0].schema if pa.types.is_timestamp(f.type)}
    assert zones == {None if kind.tz is None else "UTC"}


def test_python_says_that_kinds_are_not_compared():
    visits = [Visit("a", NOON), Visit("a", UTC_NOON)]
    made = ab.from_iterable(visits, Visit)
    windows = made.aggregate(ab.tumbling(time=HOUR, on="at"), n=ab.count())
    for engine in ("sequential", "multicore"):
        with pytest.raises(AnabranchError) as raised:
            windows.collect(engine=engine)
        assert "aggregate raised TypeError while handling a tuple: can't compare offset-naive " \
            "and offset-aware datetimes" in str(raised.value)
        assert "ab.tumbling(time=HOUR, on=\"at\"), n=ab.count())" in str(raised.value)
        assert f"came: {visits[1]!r}" in str(raised.value)


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_the_times_of_a_source_are_of_one_kind(engine):
    visits = [Visit("a", UTC_NOON), Visit("b", NOON)]
    with pytest.raises(AnabranchError) as raised:
        ab.from_iterable(visits, Visit, time="at").collect(engine=engine)
    assert "'at' has times with and without a zone" in str(raised.value)
    assert "expected: a time with a zone, like 2026-01-01 12:00:00+00:00" in str(raised.value)


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_sources_are_merged_by_instants(engine):
    early = [Visit("a", UTC_NOON), Visit("a", UTC_NOON + 2 * HOUR)]
    between = [Visit("b", (UTC_NOON + HOUR).astimezone(KOLKATA))]
    made = ab.from_iterable(early, Visit, time="at").union(
        ab.from_iterable(between, Visit, time="at"), on="at")
    assert [v.key for v in made.collect(engine=engine)] == ["a", "b", "a"]


@pytest.mark.parametrize("on", ["at", None])
@pytest.mark.parametrize("form", ["memory", "parquet"])
def test_sources_of_different_kinds_are_not_merged(tmp_path, form, on):
    messages = set()
    for engine in ("sequential", "multicore"):
        streams = []
        for name, time in (("walls", NOON), ("instants", UTC_NOON)):
            stream = ab.from_iterable([Visit(name, time)] * 3, Visit, time="at", name=name)
            if form == "parquet":
                path = tmp_path / f"{name}.parquet"
                stream.write_parquet(path).run(engine="sequential")
                stream = ab.read_parquet(path, Visit, time="at", name=name)
            streams.append(stream)
        with pytest.raises(AnabranchError) as raised:
            streams[0].union(streams[1], on=on, arrival=on is None).collect(engine=engine)
        messages.add(raised.value.what)
    assert messages == {"the times of 'walls' and 'instants' cannot be compared: one has a zone, "
                        "the other has none"}


@pytest.fixture(params=["Europe/Berlin", "Asia/Kolkata"])
def process_zone(request, monkeypatch):
    """The time zone of the process."""
    monkeypatch.setenv("TZ", request.param)
    tzset()
    yield ZoneInfo(request.param)
    monkeypatch.undo()
    tzset()


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_the_zone_of_the_process_changes_nothing(process_zone, tmp_path, zone, engine):
    times = [datetime(2026, 3, 29, 0, 30), datetime(2026, 10, 25, 0, 30)]
    table = pa.table({"key": ["a", "b"], "at": pa.array(times, pa.timestamp("us", zone)),
                      "until": pa.array(times, pa.timestamp("us", zone))})
    parquet.write_table(table, tmp_path / "in.parquet")
    visits = ab.read_parquet(tmp_path / "in.parquet", Visit)
    later = visits.map(lambda v: Visit(v.key, v.at + HOUR))
    later.write_csv(tmp_path / "out.csv").run(engine=engine)
    assert (tmp_path / "out.csv").read_text() == (
        "key,at,until\na,2026-03-29T01:30:00{0},\nb,2026-10-25T01:30:00{0},\n".format(
            "" if zone is None else "+00:00"))
    assert visits.to_arrow(engine=engine).columns == table.columns
    # The program itself may ask for it.
    own = process_zone if zone is None else UTC
    assert visits.map(lambda v: v.at.timestamp()).collect(engine=engine) == [
        time.replace(tzinfo=own).timestamp() for time in times]


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("from_file", [True, False])
@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("beyond", [253_402_300_800, -62_135_596_801])
def test_a_year_that_python_has_not_is_a_malformed_row(tmp_path, engine, from_file, zone, beyond):
    seconds = [0] * 39_000 + [beyond] + [0] * 1_000
    table = pa.table({"key": ["a"] * 40_001, "at": pa.array(seconds, pa.timestamp("s", zone)),
                      "until": pa.nulls(40_001, pa.timestamp("us"))})
    path = tmp_path / "in.parquet"
    parquet.write_table(table, path)
    source = ab.read_parquet(path, Visit) if from_file else ab.from_arrow(table, Visit)
    kept = source.filter(lambda v: v.key == "a")
    with pytest.raises(AnabranchError, match="row 39001, at"):
        kept.collect(engine=engine)
    assert len(kept.collect(engine=engine, on_error="skip")) == 40_000
