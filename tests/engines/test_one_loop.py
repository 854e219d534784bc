"""Lines from a file to a file as one loop: the same files, the same errors, and who takes over."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anabranch as ab
from anabranch.cli.stats import stats
from anabranch.core.errors import AnabranchError
from anabranch.engine import one_loop
from interpreting import with_costs

ENGINES = ("sequential", "multicore")
ROWS = [(n, n % 7, n / 4 if n % 3 else float(n)) for n in range(3000)]
WRITTEN = []


class Payment(ab.Record):
    at: int
    uid: int
    amount: float


class Balance(ab.Record):
    at: int
    uid: int
    total: float


class Account(ab.State):
    total: float = 0.0


@ab.operator(by="uid")
def running(state: Account, p: Payment):
    state.total += p.amount
    yield Balance(p.at, p.uid, state.total)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text("at,uid,amount\n" + "".join(
        f"{at},{uid},{amount!r}\n" for at, uid, amount in ROWS))
    return tmp_path


def balances(source="in.csv"):
    kept = getattr(ab, f"read_{source.rpartition('.')[2]}")(source, Payment).filter(
        lambda p: p.amount != 7.0)
    return kept.map(lambda p: p.replace(amount=p.amount * 0.5)).apply(running)


def ran(stream, sink="csv", engine="multicore", **options):
    """The report of a run into a file, and the file."""
    getattr(stream, f"write_{sink}")(f"out.{sink}")
    report = stream.run(engine=engine, **options)
    with open(f"out.{sink}", "rb") as written:
        return report, written.read()


NEVER = {"tune": {"one_loop": "never"}}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sink", ["csv", "jsonl"])
def test_the_same_file(place, engine, sink):
    report, written = ran(balances(), sink, engine)
    assert report.tier == "loop" and (report.read, report.written) == (
        {"in": 3000}, {"out": report.stages[0].rows_out})
    assert written == ran(balances(), sink, "multicore", **NEVER)[1]
    assert [(each.name, each.rows_in, each.rows_out) for each in report.stages[0].each] == [
        ("filter", 3000, 2999), ("map", 2999, 2999), ("running", 2999, 2999)]


AT_THE_END = {
    "aggregates": lambda s: s.group_by("uid").agg(n=ab.count(), most=ab.max("amount")),
    "sorted": lambda s: s.sort("amount"),
    "windows": lambda s: s.aggregate(ab.tumbling(count=50), by="uid", total=ab.sum("amount"))}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", AT_THE_END)
def test_what_comes_at_the_end_is_written_in_slices(place, monkeypatch, form, engine):
    with_costs(monkeypatch, loop_slice=1000)
    report, written = ran(AT_THE_END[form](ab.read_csv("in.csv", Payment)), engine=engine)
    assert report.tier == "loop"
    assert written == ran(AT_THE_END[form](ab.read_csv("in.csv", Payment)), **NEVER)[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_other_forms(place, engine):
    balances().map(lambda b: Payment(b.at, b.uid, b.total)).write_parquet("in.parquet").run(
        engine="sequential")
    balances().map(lambda b: Payment(b.at, b.uid, b.total)).write_jsonl("in.jsonl").run(
        engine="sequential")
    for source in ("in.parquet", "in.jsonl"):
        report, written = ran(balances(source), "csv", engine)
        assert report.tier == "loop"
        assert written == ran(balances(source), "csv", **NEVER)[1]


@pytest.mark.parametrize("limit", [0, 1, 40, 5000])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_limit(place, engine, limit):
    report, written = ran(balances(), engine=engine, limit=limit)
    assert report.read == {"in": min(limit, 3000)}
    assert written == ran(balances(), limit=limit, **NEVER)[1]


def spoilt(place, line, text):
    lines = (place / "in.csv").read_text().splitlines(keepends=True)
    lines[line] = text
    (place / "in.csv").write_text("".join(lines))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("line", "text"), [(1500, "1500,x,2.0\n"), (2000, "2000,1\n"),
                                            (9, "8,1,\n")])
def test_a_malformed_row(place, engine, line, text):
    spoilt(place, line, text)
    with pytest.raises(AnabranchError) as met:
        ran(balances(), engine=engine)
    with pytest.raises(AnabranchError) as wanted:
        balances().collect()
    assert str(met.value) == str(wanted.value) and not (place / "out.csv").exists()
    assert ran(balances(), engine=engine, on_error="skip")[0].tier == "rows"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", ['1499,"1",2.0\n', "1499,1,nan\n", "1499, 1,2\n"])
def test_a_row_in_another_notation(place, engine, text):
    spoilt(place, 1500, text)
    report, written = ran(balances(), engine=engine)
    assert report.tier == "loop"
    assert written == ran(balances(), **NEVER)[1]


@ab.operator(by="uid")
def fragile(state: Account, p: Payment):
    state.total += p.amount
    yield Balance(p.at, p.uid, 1 / (p.at - 2500))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_that_fails_is_told_as_always(place, engine):
    stream = ab.read_csv("in.csv", Payment).apply(fragile)
    with pytest.raises(AnabranchError) as met:
        ran(stream, engine=engine)
    with pytest.raises(AnabranchError) as wanted:
        stream.collect()
    assert str(met.value) == str(wanted.value) and "1 / (p.at - 2500)" in str(met.value)
    assert not (place / "out.csv").exists()


def leaving(p: Payment):
    if p.at == 2500:
        raise SystemExit(3)
    return p


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_does_not_end_the_process(place, engine):
    with pytest.raises(AnabranchError, match="raised SystemExit"):
        ran(ab.read_csv("in.csv", Payment).map(leaving), engine=engine)


def slow(p: Payment):
    return p.replace(amount=sum(map(float, map(str, [p.amount] * 4000))))


def test_workers_take_over_what_is_slow(place, monkeypatch):
    asked, is_slow = [], one_loop._Watch.is_slow
    monkeypatch.setattr(one_loop._Watch, "is_slow", lambda watch, done: (
        asked.append(done) or is_slow(watch, done)))
    with_costs(monkeypatch, restart=0.0)
    report, written = ran(ab.read_csv("in.csv", Payment).map(slow), workers=8)
    assert report.tier == "rows" and report.read == {"in": 3000}
    assert asked[-1] < 3000
    with_costs(monkeypatch, restart=1e9)
    report, alone = ran(ab.read_csv("in.csv", Payment).map(slow), limit=50, workers=8)
    assert report.tier == "loop" and written.startswith(alone)


def told(p: Payment):
    WRITTEN.append(p.at)
    return p


@pytest.mark.parametrize("engine", ENGINES)
def test_what_does_more_than_compute_is_done_once(place, engine):
    WRITTEN.clear()
    report, _ = ran(ab.read_csv("in.csv", Payment).map(told), engine=engine, limit=20)
    assert report.tier == "rows" and len(WRITTEN) <= 20


@pytest.mark.parametrize("engine", ENGINES)
def test_what_nobody_can_take_back_is_no_loop(place, engine, capsys):
    stream = balances()
    stream.write_stdout()
    assert stream.run(engine=engine).tier == "rows"
    (place / "device").symlink_to("/dev/null")
    stream = balances().write_csv("device")
    assert stream.run(engine=engine).tier == "rows"


class Latest(ab.State):
    by_day: dict[int, float] = {}


@ab.operator(by="uid")
def taken_out(state: Latest, p: Payment):
    day = p.at % 5
    if day in state.by_day:
        yield Balance(p.at, p.uid, state.by_day.pop(day))
        if len(state.by_day) > 2:
            del state.by_day[next(iter(state.by_day))]
    else:
        state.by_day[day] = p.amount


def test_what_no_kernel_can_be_made_of_is_a_loop_however_many_rows_there_are(place, capsys):
    import anabranch.kernels.native.kernel  # noqa: F401 (loaded: so many rows are worth kernels)

    table = pa.table({"at": range(120_000), "uid": [n % 7 for n in range(120_000)],
                      "amount": [float(n) for n in range(120_000)]})
    pq.write_table(table, "in.parquet")
    def taken() -> ab.Stream:
        return ab.read_parquet("in.parquet", Payment).apply(taken_out)
    report, written = ran(taken())
    assert report.tier == "loop" and written == ran(taken(), **NEVER)[1]
    taken().write_csv("out.csv").explain(engine="multicore")
    shown = " ".join(capsys.readouterr().out.split())
    assert "one Python loop over columns, without records: taken_out uses state.by_day" in shown


def wide(p: Payment):
    return p.replace(uid=p.uid + (1 << 63 if p.at == 2000 else 0))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_that_no_column_holds(place, engine):
    with pytest.raises(AnabranchError, match="int of 64 bits") as met:
        ran(ab.read_csv("in.csv", Payment).map(wide), engine=engine)
    with pytest.raises(AnabranchError) as wanted:
        ran(ab.read_csv("in.csv", Payment).map(wide), **NEVER)
    assert str(met.value) == str(wanted.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_explain_and_stats_say_what_runs(place, engine, capsys):
    stream = balances().write_csv("out.csv")
    stream.explain(engine=engine)
    shown = capsys.readouterr().out
    assert re.search(r"filter > map > running +one Python loop over columns, without reco", shown)
    assert re.search(r"\n  in +read in columns, what is not plain row by row\n", shown)
    stream.explain("json", engine=engine)
    execution = json.loads(capsys.readouterr().out)["execution"]
    assert execution["tier"] == "loop"
    assert execution["reads"] == {"in": "columns, what is not plain in rows"}
    report = stream.run(engine=engine)
    assert report.execution.reads == {"in": "columns"}
    assert execution["stages"][0]["work"] == report.execution.stages[0].work


def ends_told(stream, engine, capsys, **options):
    """How `explain` says that the ends are read, if all rows are plain, and written, and how they
    were."""
    stream.write_csv("out.csv")
    stream.explain("json", engine=engine, **options)
    planned = json.loads(capsys.readouterr().out)["execution"]
    report = stream.run(engine=engine, **options)
    reads = {name: form.removesuffix(", what is not plain in rows")
             for name, form in planned["reads"].items()}
    return (reads, planned["writes"]), (report.reads, report.writes), report


@pytest.mark.parametrize("engine", ENGINES)
def test_ends_are_told_as_they_were(place, engine, capsys):
    planned, found, report = ends_told(ab.read_csv("in.csv", Payment).map(told), engine, capsys)
    assert found[0] == planned[0]
    # Few rows are an alternative that the plan names.
    form, alternative, _ = planned[1]["out"].partition(", ")
    assert found[1]["out"] in ((form, "rows") if alternative else (form,))
    spoilt(place, 2900, "2899,1,nan\n")
    planned, found, report = ends_told(balances(), engine, capsys)
    assert planned[0] == {"in": "columns"} and re.fullmatch(
        r"columns, \d+% in rows", found[0]["in"]) and found[1] == planned[1] == {"out": "columns"}
    assert re.search(r"\n  in +read in columns, \d+% of it row by row\n", stats(report, "text"))


def test_stats_have_the_words_of_explain(place, capsys):
    stream = balances().write_csv("out.csv")
    report = stream.run(engine="multicore", tune={"kernels": "always"})
    shown = stats(report, "text")
    assert re.search(r"in +read in columns\n", shown)
    assert re.search(r"out +made text in columns by any worker, written in order", shown)
