"""Files in and out on the executors: splits in order, part files whose sequence is the output."""

from __future__ import annotations

import bz2
import json
import os

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError, RunError
from anabranch.engine.run import explained
from anabranch.io.csv.dialect import Dialect
from anabranch.io.csv.files import CsvSource
from anabranch.io.splits import splits_of
from anabranch.ir.types import type_of
from anabranch.plan.physical.spark.plan import spark_plan
from anabranch.plan.physical.spark.reading import Asked
from anabranch.runtime.options import RunOptions

# One group is one process of the test run: they share one session.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


class Reading(ab.Record):
    ts: int
    place: str
    value: float


class Total(ab.State):
    sum: float = 0.0


class Sum(ab.Record):
    place: str
    sum: float


@ab.operator(by="place")
def summed(state: Total, r: Reading):
    state.sum += r.value
    yield Sum(r.place, state.sum)


TINY = {"smallest_split": 64, "largest_split": 256}


def _readings(rows: int) -> list[Reading]:
    return [Reading(n, f"p{n * 7 % 5}", n % 9 / 2) for n in range(rows)]


def _write(path, rows, form="csv"):
    stream = ab.from_iterable(rows, Reading)
    getattr(stream, f"write_{form}")(path)
    stream.run(engine="sequential")


def _both(build, folder, tune=None, **options):
    """The folders and errors of a sequential run and of one on Spark."""
    done = []
    for engine, knobs in (("sequential", None), ("spark", tune)):
        out, error = folder / engine, None
        try:
            build(str(out)).run(engine=engine, tune=knobs, **options)
        except AnabranchError as raised:
            error = str(raised)
        done.append((out, error))
    return done


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_part_files_are_the_sequence(spark, tmp_path, form):
    _write(tmp_path / f"in.{form}", _readings(200), form)

    def build(out):
        stream = getattr(ab, f"read_{form}")(tmp_path / f"in.{form}", Reading).apply(summed)
        return getattr(stream, f"write_{form}")(f"{out}/")
    (one, _), (several, error) = _both(build, tmp_path, TINY)
    assert error is None
    read = getattr(ab, f"read_{form}")
    assert read(several, Sum).collect() == read(one, Sum).collect()
    assert len(os.listdir(one)) == 1
    if form != "parquet":
        assert len(os.listdir(several)) > 2


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 60), min_size=1, max_size=4), st.booleans())
def test_files_of_any_sizes_are_read_in_order(spark, tmp_path_factory, sizes, keyed):
    folder = tmp_path_factory.mktemp("files")
    (folder / "in").mkdir()
    for number, size in enumerate(sizes):
        _write(folder / "in" / f"{number}.csv", _readings(size))

    def build(out):
        stream = ab.read_csv(folder / "in", Reading)
        stream = stream.apply(summed) if keyed else stream.filter(lambda r: r.value > 1)
        return stream.write_csv(f"{out}.csv")
    one, several = _both(build, folder, TINY)
    assert several[1] is None
    texts = [(folder / f"{out.name}.csv").read_text() for out, _ in (one, several)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("where", [1, 40, 97])
def test_a_malformed_row_has_its_line(spark, tmp_path, where):
    lines = [f"{n},a,{n}.5" for n in range(100)]
    lines[where] = f"{where},a,much"
    text, mark = "\n".join(["ts,place,value", *lines]), ";" if where % 2 else ","
    (tmp_path / "in.csv").write_text(text.replace(",", mark))

    def build(out):
        source = ab.read_csv(tmp_path / "in.csv", Reading, delimiter=mark)
        return source.apply(summed).write_csv(f"{out}/")
    (one, expected), (several, error) = _both(build, tmp_path, TINY)
    assert f"in.csv:{where + 2}" in error
    assert error == expected
    assert not one.exists() and not several.exists()
    assert sorted(os.listdir(tmp_path)) == ["in.csv"]


BAD_TEXTS = {"kept": lambda s: s.filter(lambda r: r.ts > 0),
             "left out": lambda s: s.filter(lambda r: r.ts > 2),
             "changed": lambda s: s.map(lambda r: Reading(r.ts, r.place + "x", r.value)),
             "unused": lambda s: s.map(lambda r: Reading(r.ts, "x", r.value))}


@pytest.mark.parametrize("policy", ["stop", "skip"])
@pytest.mark.parametrize("use", BAD_TEXTS)
def test_a_text_that_is_no_utf8_is_a_malformed_row(spark, tmp_path, use, policy):
    """Also where the program becomes a DataFrame, whose filters skip whole row groups."""
    coded = pa.array([b"a", b"\xff\xfe", b"c"], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), 3, coded.buffers())
    table = pa.table({"ts": [1, 2, 3], "place": texts, "value": [0.5, 1.5, 2.5]})
    parquet.write_table(table, tmp_path / "in.parquet", row_group_size=1)

    def build(out):
        source = ab.read_parquet(tmp_path / "in.parquet", Reading)
        return BAD_TEXTS[use](source).write_parquet(f"{out}/")
    (own, error), (sparks, same) = _both(build, tmp_path, on_error=policy)
    assert (error is None) == (policy == "skip") and error == same
    if policy == "skip":
        rows = [ab.read_parquet(folder, Reading).collect() for folder in (own, sparks)]
        assert rows[0] == rows[1] and "\ufffd" not in repr(rows[0])


@pytest.mark.parametrize("where", [30, 64])
def test_a_time_that_goes_back_between_splits(spark, tmp_path, where):
    for number in range(4):
        rows = _readings(100)[number * 25:number * 25 + 25]
        early = [r.replace(ts=3) if r.ts == where else r for r in rows]
        _write(tmp_path / f"{number}.csv", early)

    def build(out):
        source = ab.read_csv(f"{tmp_path}/*.csv", Reading, time="ts")
        return source.apply(summed).write_jsonl(f"{out}/")
    (_, expected), (_, error) = _both(build, tmp_path, TINY)
    assert "'ts' goes back in time" in error
    assert error == expected


def test_an_item_that_cannot_be_written(spark, tmp_path):
    def build(out):
        items = ab.from_iterable(range(100), int)
        return items.map(lambda n: n if n != 60 else "sixty", to=int).write_csv(f"{out}/")
    (_, expected), (_, error) = _both(build, tmp_path)
    assert error == expected
    assert "cannot write an item" in error
    assert os.listdir(tmp_path) == []


def test_an_empty_folder_has_one_part(spark, tmp_path):
    def build(out):
        return ab.from_iterable([], Reading).map(lambda r: r, to=Reading).write_csv(f"{out}/")
    (one, _), (several, _) = _both(build, tmp_path)
    assert os.listdir(several) == os.listdir(one) == ["part-00000.csv"]
    assert (several / "part-00000.csv").read_text() == "ts,place,value\n"


def test_a_folder_is_replaced_whole_or_refused(spark, tmp_path):
    def ran(rows):
        return ab.from_iterable(_readings(rows), Reading).write_csv(f"{tmp_path}/out/").run(
            engine="spark")
    ran(900)
    ran(3)
    assert len(ab.read_csv(f"{tmp_path}/out/", Reading).collect()) == 3
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="it holds other files, such as"):
        ran(3)
    assert sorted(os.listdir(tmp_path)) == ["out"]


def test_options_choose_between_one_file_and_parts(spark, tmp_path):
    _write(tmp_path / "in.csv", _readings(100))

    def ran(out, **options):
        stream = ab.read_csv(tmp_path / "in.csv", Reading).filter(lambda r: r.value >= 0)
        stream.write_csv(out).run(engine="spark", tune=TINY, **options)
        return out
    text = (tmp_path / "in.csv").read_text()
    assert os.listdir(ran(f"{tmp_path}/one/", single_file=True)) == ["part-00000.csv"]
    assert (tmp_path / "one" / "part-00000.csv").read_text() == text
    parts = ran(f"{tmp_path}/parts.csv", part_files=True)
    assert len(os.listdir(parts)) > 2
    assert ab.read_csv(parts, Reading).collect() == _readings(100)


def test_what_the_driver_has_to_read(tmp_path):
    _write(tmp_path / "in.csv", _readings(10))
    timed = ab.read_csv(tmp_path / "in.csv", Reading, time="ts")
    plain = ab.read_csv(tmp_path / "in.csv", Reading)

    def why(stream, **asked):
        reading = spark_plan(compile_graph(stream.graph()), asked=Asked(**asked)).reading
        assert len(reading.splits) == (reading.by_driver is None)
        return reading.by_driver and reading.by_driver.text
    assert why(timed) is None
    assert "left out of a source with times" in why(timed, on_error="skip")
    assert "counted, for --limit" in why(plain, limit=3)
    assert "kept apart" in why(plain, on_error="divert=x")
    assert "is no file that tasks could read" in why(ab.from_iterable([1], int))
    both = timed.union(ab.read_csv(tmp_path / "in.csv", Reading, time="ts", name="other"), on="ts")
    assert "merged by their times" in why(both)


def test_stages_are_measured_and_explained(spark, tmp_path):
    _write(tmp_path / "in.csv", _readings(100))
    stream = ab.read_csv(tmp_path / "in.csv", Reading).filter(lambda r: r.value > 1).apply(summed)
    tune = {"worth_compiling": 1} | TINY
    report = stream.write_csv(f"{tmp_path}/out/").run(engine="spark", tune=tune)
    measured = [(s.operators, s.rows_in, s.rows_out, s.tier) for s in report.stages]
    kept = sum(r.value > 1 for r in _readings(100))
    assert measured == [(("filter",), 100, kept, "native"), (("summed",), kept, kept, "native")]
    plan = compile_graph(stream.graph())
    shown, again = (explained(plan, RunOptions("spark", tune=tune)).stages for _ in range(2))
    assert shown == again
    assert [stage.tier for stage in shown] == ["native", "native", "parts"]
    assert "no shuffle, no stamps" in shown[0].arrival
    assert "a shuffle by place; stamps" in shown[1].arrival


words = st.sampled_from(["a", "b", "ab", "", "é"])
numbers = st.one_of(st.integers(-3, 3), st.integers(-2**63, 2**63 - 1))
rows_of_pairs = st.lists(st.tuples(words, numbers, st.floats(-1e6, 1e6)), max_size=60)


class Mixed(ab.Record):
    word: str
    n: int
    x: float


@ab.operator(by="n")
def counted(state: Total, m: Mixed):
    state.sum += 1.0
    if m.n % 2 == 0:
        yield m.replace(x=state.sum)
    if m.n > 1:
        yield m.replace(x=-state.sum)


KERNEL_PROGRAMS = {
    "stateless": lambda s: s.filter(lambda m: m.word != "a").map(lambda m: m.replace(x=m.x * 2)),
    "keyed": lambda s: s.apply(counted),
    "two keys": lambda s: s.apply(counted).apply(by_word),
    "overflow": lambda s: s.map(lambda m: m.replace(n=m.n * 3)).apply(by_word),
    "at end": lambda s: s.aggregate(ab.tumbling(count=4), by="word", n=ab.sum("n"), x=ab.max("x")),
    "twice": lambda s: s.apply(counted).aggregate(ab.tumbling(count=3), by="word", n=ab.count(),
                                                  x=ab.sum("x")),
    "columns unread": lambda s: s.apply(tripled),
    "columns unread, at end": lambda s: s.aggregate(ab.tumbling(count=4), by="word", n=ab.count()),
    "columns unread, failing": lambda s: s.filter(lambda m: m.word != "b").apply(picky),
}


class Tripled(ab.Record):
    word: str
    n: int


@ab.operator(by="word")
def tripled(state: Total, m: Mixed):
    """For a large `n`, rows go through Python, which needs whole items."""
    state.sum += 1.0
    yield Tripled(m.word, m.n * 3)


@ab.operator(by="word")
def picky(state: Total, m: Mixed):
    """The error shows `x` too, of which nothing else is to be seen."""
    state.sum += 1.0
    yield Tripled(m.word, 6 // (m.n - 3))


@ab.operator(by="word")
def by_word(state: Total, m: Mixed):
    state.sum += m.x
    yield m.replace(x=state.sum)


@pytest.mark.parametrize("name", KERNEL_PROGRAMS)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows_of_pairs)
def test_kernels_on_executors(spark, tmp_path_factory, name, rows):
    folder = tmp_path_factory.mktemp("kernels")
    stream = ab.from_iterable([Mixed(*row) for row in rows], Mixed)
    stream.write_csv(folder / "in.csv").run(engine="sequential")

    def build(out):
        source = ab.read_csv(folder / "in.csv", Mixed)
        return KERNEL_PROGRAMS[name](source).write_jsonl(f"{out}/")
    tune = {"worth_compiling": 0, "smallest_split": 200}
    (one, expected), (several, error) = _both(build, folder, tune)
    assert error == expected
    texts = ["".join(p.read_text() for p in sorted(out.glob("*"))) for out in (one, several)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.zst", "a.arrow", "a.json", "a.txt.bz2"])
def test_files_that_one_task_reads(spark, tmp_path, name):
    rows, (_, form, *_) = _readings(500), name.split(".")
    for part in (1, 2):
        source = ab.from_iterable(rows[250 * (part - 1):250 * part], Reading)
        path = tmp_path / "in" / f"{part}{name[1:]}"
        path.parent.mkdir(exist_ok=True)
        if form == "json":
            path.write_text(json.dumps([r._asdict() for r in source.collect()]))
        elif form == "txt":
            path.write_bytes(bz2.compress("\n".join(str(r.ts) for r in source.collect()).encode()))
        else:
            getattr(source, f"write_{form}")(path).run(engine="sequential")
    if form == "txt":
        read = ab.read_text(tmp_path / "in").map(lambda line: int(line))
        assert read.collect(engine="spark") == list(range(500))
        return
    read = getattr(ab, f"read_{form}")(tmp_path / "in", Reading)
    assert len(splits_of(read.graph().sources[0].kind.spec, 100)) == 2
    summed_up = read.apply(summed)
    assert summed_up.collect(engine="spark") == summed_up.collect()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_part_files_are_compressed_where_the_folder_says_so(spark, tmp_path, form):
    stream = ab.from_iterable(_readings(400), Reading).filter(lambda r: r.ts % 2 == 0)
    getattr(stream, f"write_{form}")(f"{tmp_path}/out.{form}.gz/").run(engine="spark")
    parts = sorted(os.listdir(tmp_path / f"out.{form}.gz"))
    assert parts and all(part.endswith(f".{form}.gz") for part in parts)
    read = getattr(ab, f"read_{form}")(tmp_path / f"out.{form}.gz", Reading)
    assert read.collect(engine="spark") == read.collect() == _readings(400)[::2]


def test_csv_of_other_habits(spark, tmp_path):
    text = "\n".join(f"{r.ts};{r.place};{str(r.value).replace('.', ',')}" for r in _readings(300))
    (tmp_path / "a.csv").write_bytes(text.encode("utf-16"))
    read = ab.read_csv(tmp_path / "a.csv", Reading, delimiter=";", decimal=",", header=False,
                       encoding="utf-16")
    assert read.collect(engine="spark") == _readings(300)


@pytest.mark.parametrize("place", [" {}", '"{};\n"'])
def test_another_delimiter_is_read_in_splits(spark, tmp_path, place):
    rows = [f"{r.ts};{place.format(r.place)}; {r.value}" for r in _readings(300)]
    (tmp_path / "in.csv").write_text("\n".join(["ts; place; value", *rows, "x;;"]))
    read = ab.read_csv(tmp_path / "in.csv", Reading, delimiter=";")
    found = read.collect(engine="spark", tune=TINY, on_error="skip")
    assert found == read.collect(on_error="skip")
    assert len(found) == 300
    assert len(splits_of(CsvSource(str(tmp_path / "in.csv"), type_of(Reading),
                                   dialect=Dialect(delimiter=";")), 256)) > 9
