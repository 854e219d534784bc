"""From files to files in columns: the sequential engine's rows, its errors, no file when it fails.
"""

import json
import re
from datetime import datetime

import pyarrow as pa
import pytest
from pyarrow import parquet

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine.multicore import compilation
from anabranch.engine.run import engine as engine_called
from anabranch.explain import explain
from anabranch.runtime.ends.binding import bound_graph
from anabranch.runtime.options import RunOptions
from interpreting import FREE_KERNELS, kernels_in_python, with_costs


class Event(ab.Record):
    at: int
    key: int
    name: str
    value: float


class Seen(ab.Record):
    key: int
    big: bool
    note: str | None
    value: float | None
    when: datetime


class Total(ab.State):
    value: float = 0.0


@ab.operator(by="key")
def running(state: Total, e: Event):
    state.value += e.value
    yield e.replace(value=state.value)


@pytest.fixture(autouse=True)
def small_inputs_count(monkeypatch):
    """Kernels for few rows, in small slices, and their code run by Python itself."""
    with_costs(monkeypatch, **FREE_KERNELS, first_columns=100)
    monkeypatch.setattr(compilation, "WORTH_WAITING", 600)
    monkeypatch.setattr(compilation, "LONGEST_LOAD", 600)
    with kernels_in_python():
        yield


def table(rows=1000, **columns):
    return {"at": [i // 3 for i in range(rows)], "key": [i % 7 for i in range(rows)],
            "name": [f"n{i % 3}" for i in range(rows)],
            "value": [float(i % 11) for i in range(rows)]} | columns


@pytest.fixture
def events(tmp_path):
    """Writes events into a file of some format and gives the stream of it."""
    def written(rows=1000, form="parquet", file="events", time=None, **columns):
        path = tmp_path / "in" / f"{file}.{form}"
        path.parent.mkdir(exist_ok=True)
        made = pa.table(table(rows, **columns))
        if form == "parquet":
            parquet.write_table(made, path, row_group_size=300)
        else:
            cells = [["" if v is None else str(v) for v in c.to_pylist()] for c in made.columns]
            lines = [",".join(made.column_names), *map(",".join, zip(*cells))]
            path.write_text("\n".join(lines) + "\n")
        return getattr(ab, f"read_{form}")(path, Event, time=time, name=file)
    return written


SINKS = {"parquet": ab.Stream.write_parquet, "csv": ab.Stream.write_csv,
         "jsonl": ab.Stream.write_jsonl}


def run_to(stream, path, engine, **options):
    """Runs the stream into a file; the report, and all rows of the file as they are written."""
    sink = SINKS[path.suffix[1:]](stream, path)
    report = sink.run(engine=engine, **options)
    if path.suffix == ".parquet":
        return report, repr(parquet.read_table(path).to_pylist())
    return report, path.read_text()


def both(build, path, tier="native", **options):
    """What both engines write; the tier of the multicore engine must be the one that is told, if it
    does not depend on how soon the kernel is there."""
    _, wanted = run_to(build(), path, "sequential", **options)
    report, came = run_to(build(), path, "multicore", workers=2, **options)
    assert came == wanted
    assert tier in (report.tier, None), report.stages[0].reason
    return report


LINES = {
    "with state": lambda s: s.filter(lambda e: e.value != 7.0).apply(running),
    "without state": lambda s: s.filter(lambda e: e.name == "n1").map(
        lambda e: e.replace(value=e.value * 2.0)),
    "windows open at the end": lambda s: s.aggregate(
        ab.tumbling(count=13), by="name", n=ab.count(), total=ab.sum("value")),
    "nothing in between": lambda s: s,
}


@pytest.mark.parametrize("form", SINKS)
@pytest.mark.parametrize("given", ["parquet", "csv"])
@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("limit", [None, 0, 301])
def test_lines(events, tmp_path, name, given, form, limit):
    report = both(lambda: LINES[name](events(form=given)), tmp_path / f"out.{form}",
                  "rows" if name == "nothing in between" else "native", limit=limit)
    assert report.read == {"events": 1000 if limit is None else limit}


@pytest.mark.parametrize("limit", [None, 100, 1500])
@pytest.mark.parametrize("time", [None, "at"])
def test_several_sources_fan_out_and_fan_in(events, tmp_path, time, limit):
    def build():
        first = events(700, file="first", time=time)
        second = events(900, form="csv", file="second", time=time,
                        at=[i // 2 for i in range(900)])
        kept = first.union(second, arrival=True).filter(lambda e: e.value != 3.0)
        return kept.apply(running).union(kept.filter(lambda e: e.key > 4), arrival=True)
    both(build, tmp_path / "out.csv", "mixed", limit=limit)


def test_several_sinks(events, tmp_path):
    def write(engine):
        kept = events().filter(lambda e: e.value != 7.0)
        kept.write_jsonl(tmp_path / "kept.jsonl")
        kept.apply(running).write_csv(tmp_path / "sums.csv")
        report = kept.map(lambda e: e.value).write_parquet(tmp_path / "values.parquet").run(
            engine=engine)
        return report.written, [p.read_bytes() for p in sorted(tmp_path.glob("*.*"))
                                if p.suffix != ".parquet"]
    assert write("multicore") == write("sequential")


def test_every_type_of_column_is_written_as_rows_are(events, tmp_path):
    noon = datetime(2024, 2, 3, 12)

    def seen(e: Event):
        return Seen(e.key, e.value > 5.0, None if e.key == 2 else e.name,
                    None if e.key == 3 else e.value / 3.0, noon)
    for form in SINKS:
        both(lambda: events().map(seen, to=Seen), tmp_path / f"out.{form}", "native")


TEXTS = ["plain", "", 'a "quoted", text', "two\nlines", "tab\tand \\ back",
         "ünïcode \u2028 ☂", "\x7f"]
FLOATS = [0.0, -0.0, 0.1, 1e-5, 1e16, 1e300, float("inf"), float("nan"), 123456789.125]


def test_awkward_values_are_written_as_rows_are(events, tmp_path):
    rows = len(TEXTS) * len(FLOATS)
    columns = {"name": [TEXTS[i % len(TEXTS)] for i in range(rows)],
               "value": [FLOATS[i % len(FLOATS)] for i in range(rows)]}
    for form in SINKS:
        both(lambda: events(rows, **columns).filter(lambda e: e.key >= 0),
             tmp_path / f"out.{form}")


@pytest.mark.parametrize("place", [0, 2, 433, 999])
@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_a_malformed_row_is_the_same_error(events, tmp_path, engine, form, place):
    values = [None if i == place else float(i) for i in range(1000)]
    line = events(form=form, value=values).filter(lambda e: e.value > 0.0)
    with pytest.raises(ab.DataError) as caught:
        run_to(line, tmp_path / "out.parquet", engine)
    assert "value" in str(caught.value)
    number = place + (2 if form == "csv" else 1)
    assert re.search(rf"(:|row ){number}\b", str(caught.value))
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_bad_rows_are_skipped_and_diverted_as_asked(events, tmp_path, form):
    # Rows that come one by one do not wait for a kernel.
    values = [None if i % 400 == 399 else float(i) for i in range(1000)]
    for policy in ("skip", f"divert={tmp_path / 'bad.jsonl'}"):
        report = both(lambda: events(form=form, value=values).apply(running),
                      tmp_path / "out.csv", tier=None, on_error=policy)
        assert report.bad_rows.startswith("2 malformed rows")


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_a_time_that_goes_back_is_the_same_error(events, tmp_path, engine):
    line = events(at=[i if i != 500 else 3 for i in range(1000)], time="at").apply(running)
    with pytest.raises(ab.DataError, match="goes back in time") as caught:
        run_to(line, tmp_path / "out.csv", engine)
    assert "row 501" in str(caught.value)


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_a_failing_function_is_the_same_error(events, tmp_path, engine):
    line = events().map(lambda e: e.replace(value=1.0 / (e.value - 5.0)))
    with pytest.raises(ab.RunError) as caught:
        run_to(line, tmp_path / "out.parquet", engine)
    assert "Event(at=1, key=5, name='n2', value=5.0)" in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_standard_output_gets_the_same_text(events, capsys):
    for engine in ("sequential", "multicore"):
        events().apply(running).write_stdout().run(engine=engine)
    text = capsys.readouterr().out
    assert text[:len(text) // 2] == text[len(text) // 2:]


def test_two_sinks_share_standard_output_in_order(events, capsys):
    texts = []
    for engine in ("sequential", "multicore"):
        kept = events().filter(lambda e: e.value != 7.0)
        kept.apply(running).write_stdout(format="jsonl")
        kept.write_stdout(format="jsonl").run(engine=engine)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_progress_and_counts(events, tmp_path):
    seen = []
    report, _ = run_to(events().apply(running), tmp_path / "out.parquet", "multicore",
                       progress=lambda read: seen.append(read["events"]))
    assert seen[-1] == 1000 and seen == sorted(seen)
    assert (report.read, report.written) == ({"events": 1000}, {"out": 1000})
    assert [(s.operators, s.tier, s.rows_by_tier) for s in report.stages if s.tier] == \
        [(("running",), "native", {"native": 1000})]


def test_small_inputs_are_not_worth_compiling(events, tmp_path, monkeypatch):
    with_costs(monkeypatch, kernel_loading=1.0)
    assert "1,000 rows are too few" in both(
        lambda: events().apply(running), tmp_path / "out.parquet", "loop").stages[0].reason
    path, rows = tmp_path / "out.parquet", {"engine": "multicore", "tune": {"one_loop": "never"}}
    report = events().apply(running).write_parquet(path).run(**rows)
    assert "1,000 rows are too few" in report.stages[0].reason


@ab.operator
def longest(window):
    yield max(window.all, key=len)


def test_lists_leave_a_kernel_in_columns(events, tmp_path):
    both(lambda: events().aggregate(ab.tumbling(count=3), by="key", all=ab.collect("name"),
                                    first=ab.first("value")), tmp_path / "out.parquet", "native")


def executed(stream, **tune):
    plan = bound_graph(compile_graph(stream.graph()), RunOptions())
    return plan, engine_called("multicore").execution(plan, RunOptions(tune=tune))


def test_explain_names_the_tier_of_every_stage(events, tmp_path):
    line = events().apply(running).map(lambda e: json.dumps([e.key, e.name]), to=str)
    plan, execution = executed(line.write_csv(tmp_path / "out.csv"), one_loop="never")
    assert [(s.operators, s.tier) for s in execution.stages] == [(("running",), "native"),
                                                                (("map",), "rows")]
    assert "uses json.dumps at line" in execution.stages[1].reason.text
    shown = explain(plan, execution=execution)
    assert "on the multicore engine" in shown
    assert re.search(r"running +one compiled loop", shown)
    assert re.search(r"map +row by row", shown)


def test_explain_says_what_cannot_be_compiled_however_few_rows_come(events, tmp_path, monkeypatch):
    with_costs(monkeypatch, kernel_loading=1.0)
    for stream, why in ((events().apply(running), "1,000 rows are too few"),
                        (events().map(lambda e: json.dumps([e.key]), to=str), "uses json.dumps")):
        sunk = stream.write_csv(tmp_path / "out.csv")
        [stage] = executed(sunk, one_loop="never")[1].stages
        assert stage.tier == "rows" and why in stage.reason.text


@pytest.mark.parametrize(("build", "why"), [
    (lambda s: s.map(lambda e: json.dumps([e.key, e.name]), to=str), "map uses"),
    (lambda s: s.map(lambda e: [e.name]), "map uses [e.name]"),
    (lambda s: s.aggregate(ab.tumbling(count=3), by="key", all=ab.collect("name")).apply(
        longest), "more than single values"),
    (lambda s: s.join(s.filter(lambda e: e.key > 1), by="key", keep=ab.recent(count=1),
                      into=lambda a, b: a), "of several streams"),
    (lambda s: s.map(lambda e: e.replace(value=e.key)).union(s, arrival=True), "gives ints"),
])
def test_the_reason_for_rows_is_told(events, tmp_path, build, why):
    _, execution = executed(build(events()).write_csv(tmp_path / "o.csv"), one_loop="never")
    [reason, *_] = [stage.reason for stage in execution.stages if stage.tier == "rows"]
    assert why in reason.text
    assert reason.span is not None
