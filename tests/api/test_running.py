"""Programs run from Python: sinks, failures of the user's functions, bad rows, limits."""

import linecache
import math
import sys
from datetime import datetime, timedelta

import pytest

import anabranch as ab
from anabranch.analysis.fact import STATELESS
from anabranch.analysis.facts.summary import analyse
from anabranch.compile import load


class Reading(ab.Record):
    ts: int
    value: float


def csv(path, *rows):
    path.write_text("\n".join(["ts,value", *rows]) + "\n")
    return path


def test_a_program_with_many_sinks_runs_once(tmp_path):
    seen = []
    source = ab.from_iterable(iter([1, 2, 3]), int)
    source.filter(lambda n: n > 1).write_jsonl(tmp_path / "large.jsonl")
    source.map(lambda n: -n).for_each(seen.append)
    report = source.run(engine="sequential")
    assert (tmp_path / "large.jsonl").read_text() == "2\n3\n"
    assert seen == [-1, -2, -3]
    assert report.read == {"source": 3}
    assert report.written == {"large": 2, "append": 3}


def test_a_failing_function_names_its_line_and_tuple_and_leaves_no_file(tmp_path):
    readings = ab.from_iterable([Reading(1, 2.0), Reading(2, 0.0)], Reading)
    out = tmp_path / "out.csv"
    failing = readings.map(lambda r: Reading(r.ts, 1 / r.value))
    failing.write_csv(out)
    with pytest.raises(ab.RunError) as caught:
        failing.run(engine="sequential")
    shown = str(caught.value)
    assert "map raised ZeroDivisionError while handling a tuple" in shown
    assert "Reading(ts=2, value=0.0)" in shown
    assert "lambda r: Reading(r.ts, 1 / r.value)" in shown
    assert "Traceback" in shown
    assert "engine/sequential.py" not in shown
    assert list(tmp_path.iterdir()) == []


def test_a_failing_at_end_says_so():
    class Sum(ab.State):
        n: int = 0

    @ab.operator
    def broken(state: Sum, t: int):
        yield t

    @broken.at_end
    def boom(state: Sum):
        yield 1 // state.n

    with pytest.raises(ab.RunError, match="at the end of its input"):
        ab.from_iterable([1], int).apply(broken).collect()


def test_a_malformed_row_stops_the_run(tmp_path):
    path = csv(tmp_path / "in.csv", "1,2.0", "2,many", "3,4.0")
    with pytest.raises(ab.DataError) as caught:
        ab.read_csv(path, Reading).collect()
    shown = str(caught.value)
    assert f"{path}" in shown.replace("\n", "") or "in.csv" in shown
    assert "value" in shown
    assert "many" in shown
    assert caught.value.exit_code == 1


def test_malformed_rows_skipped_or_diverted(tmp_path):
    path = csv(tmp_path / "in.csv", "1,2.0", "2,many", "3,4.0")
    kept = [Reading(1, 2.0), Reading(3, 4.0)]
    assert ab.read_csv(path, Reading).collect(on_error="skip") == kept
    diverted = tmp_path / "bad.jsonl"
    assert ab.read_csv(path, Reading).collect(on_error=f"divert={diverted}") == kept
    assert "2,many" in diverted.read_text()


def test_time_must_not_go_back(tmp_path):
    path = csv(tmp_path / "in.csv", "2,1.0", "1,1.0")
    with pytest.raises(ab.DataError, match="ts"):
        ab.read_csv(path, Reading, time="ts").collect()


def test_limit_takes_the_first_source_tuples():
    assert ab.generate(lambda i: i, 1000).collect(limit=3) == [0, 1, 2]


def test_a_missing_file_names_a_close_one(tmp_path):
    csv(tmp_path / "readings.csv", "1,2.0")
    with pytest.raises(ab.AnabranchError) as caught:
        ab.read_csv(tmp_path / "reading.csv", Reading).collect()
    assert "readings.csv" in str(caught.value)


def test_an_unwritable_sink_is_found_before_anything_runs(tmp_path):
    touched = []
    stream = ab.from_iterable([1], int).map(lambda n: touched.append(n) or n, to=int)
    stream.write_csv(tmp_path / "no" / "such" / "folder" / "out.csv")
    with pytest.raises(ab.RunError, match=r"no/such/folder|no such folder"):
        stream.run(engine="sequential")
    assert touched == []


def test_two_sinks_of_one_file_are_refused(tmp_path):
    stream = ab.from_iterable([1], int)
    stream.write_jsonl(tmp_path / "x.jsonl")
    stream.map(lambda n: n + 1).write_jsonl(tmp_path / "x.jsonl")
    with pytest.raises(ab.UsageError, match="two sinks write"):
        stream.run(engine="sequential")


def test_unknown_engines_are_refused_by_name():
    stream = ab.from_iterable([1], int)
    with pytest.raises(ab.UsageError, match="no engine is called 'storm'"):
        stream.collect(engine="storm")
    with pytest.raises(ab.UsageError, match="takes no --workers"):
        stream.collect(workers=2)
    with pytest.raises(ab.UsageError, match="the spark engine takes no --workers"):
        stream.collect(engine="spark", workers=2)


def test_an_operator_can_be_called_in_a_test():
    @ab.operator
    def double(n: int):
        yield n * 2
    assert list(double(4)) == [8]


def test_late_items_are_an_error_or_dropped():
    items = [Reading(1, 1.0), Reading(12, 1.0), Reading(2, 1.0)]
    stream = ab.from_iterable(items, Reading)
    with pytest.raises(ab.RunError, match="comes late"):
        stream.aggregate(ab.tumbling(time=5, on="ts"), n=ab.count()).collect()
    dropped = stream.aggregate(ab.tumbling(time=5, on="ts", late="drop"), n=ab.count())
    assert dropped.collect() == [(1,), (1,)]


class Dated(ab.Record):
    at: datetime


def test_late_items_tell_the_time_as_it_is_written():
    items = [Dated(datetime(2024, 2, 29, 12)), Dated(datetime(2024, 2, 28))]
    hours = ab.tumbling(time=timedelta(hours=1), on="at")
    with pytest.raises(ab.RunError, match="ended before at 2024-02-29 12:00:00, which"):
        ab.from_iterable(items, Dated).aggregate(hours, n=ab.count()).collect()


def test_functions_without_source_run_all_the_same():
    assert ab.from_iterable(["a", "bb"], str).map(len).collect() == [1, 2]
    scope = {}
    exec("def plus(n):\n    return n + 1", scope)
    assert ab.from_iterable([1], int).map(scope["plus"]).collect() == [2]


def test_names_do_not_clash():
    stream = ab.from_iterable([1, 2], int, name="same")
    graph = stream.filter(lambda n: n > 0, name="same").filter(lambda n: n < 9).graph()
    assert [op.name for op in graph] == ["same", "same_2", "filter", "collected"]


def test_a_notebook_cell_can_be_run_again(tmp_path):
    def run_cell(number, text, scope):
        file = f"<ipython-input-{number}-0>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), scope)

    scope, run = {"ab": ab, "path": tmp_path / "out.jsonl"}, "numbers.run(engine='sequential')"
    run_cell(1, "numbers = ab.from_iterable([1, 2, 3], int)", scope)
    run_cell(2, f"numbers.filter(lambda n: n > 1).write_jsonl(path)\n{run}", scope)
    run_cell(3, f"numbers.filter(lambda n: n > 2).write_jsonl(path)\n{run}", scope)
    assert scope["path"].read_text() == "3\n"
    assert analyse(scope["numbers"].graph())["filter"].state.value is STATELESS
    with pytest.raises(ab.ProgramError, match="int has no attribute 'value'"):
        run_cell(4, "numbers.map(lambda n: n.value)", scope)


def test_a_function_that_ends_the_process_is_a_failure_like_any_other():
    with pytest.raises(ab.RunError, match="map raised SystemExit"):
        ab.from_iterable([1], int).map(lambda n: sys.exit(n), to=int).collect()


@pytest.mark.parametrize(("end", "fails"), [("sys.exit()", False), ("sys.exit(3)", True)])
def test_a_program_that_exits_while_it_is_loaded(tmp_path, end, fails):
    program = tmp_path / "program.py"
    program.write_text("import sys\nimport anabranch as ab\n"
                       f"ab.from_iterable([1], int).write_stdout()\n{end}\n")
    if fails:
        with pytest.raises(ab.ProgramError, match=r"sys\.exit\(3\)"):
            load(program)
    else:
        assert [op.name for op in load(program)] == ["items", "stdout"]


def test_functions_of_the_standard_library_can_be_analysed():
    stream = ab.from_iterable([4.0], float).map(math.sqrt).map(str)
    facts = analyse(stream.graph())
    assert [facts[n].state.value for n in ("sqrt", "str")] == [STATELESS, STATELESS]
    assert stream.collect() == ["2.0"]


def test_an_operator_that_gives_items_only_at_the_end_has_their_type():
    class Sum(ab.State):
        total: int = 0

    @ab.operator
    def added(state: Sum, n: int):
        state.total += n
        yield from ()

    @added.at_end
    def whole(state: Sum):
        yield state.total / 2

    stream = ab.from_iterable([1, 2], int).apply(added)
    assert str(stream.type) == "float" and stream.collect() == [1.5]
