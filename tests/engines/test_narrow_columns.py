"""Columns that nobody needs are not read: outputs, errors and bad rows stay those of rows."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine.multicore import compilation
from anabranch.engine.run import engine as engine_called
from anabranch.explain import explain
from anabranch.io.csv import blocks as csv_blocks
from anabranch.io.jsonl import blocks as jsonl_blocks
from interpreting import FREE_KERNELS, SMALL_IS_LARGE, kernels_in_python, with_costs


class Sale(ab.Record):
    key: int
    text: str
    note: str | None
    flag: bool
    value: float
    extra: int


class Sum(ab.Record):
    key: int
    total: float


class Till(ab.State):
    total: float = 0.0


@ab.operator(by="key")
def till(state: Till, s: Sale):
    state.total += s.value
    yield Sum(s.key, state.total)


PROGRAMS = {
    "running": lambda s: s.filter(lambda e: e.value != 4.0).apply(till),
    "failing": lambda s: s.map(lambda e: Sum(e.key, 1.0 / (e.value - 9.0))),
    "windows": lambda s: s.aggregate(ab.tumbling(count=3), by="key", n=ab.sum("value")),
    "whole": lambda s: s.filter(lambda e: e.value > 3.0),
    "in rows": lambda s: s.filter(lambda e: str(e.key) in repr(e)),
    "two readers": lambda s: s.filter(lambda e: e.value > 3.0).map(
        lambda e: Sum(e.key, e.value)).union(s.apply(till), arrival=True),
}


@pytest.fixture(autouse=True, scope="module")
def small_inputs_count():
    """Kernels for few rows, in small slices and blocks, and their code run by Python itself."""
    with kernels_in_python(), pytest.MonkeyPatch.context() as patch:
        with_costs(patch, **SMALL_IS_LARGE, **FREE_KERNELS, first_columns=10)
        for blocks in (csv_blocks, jsonl_blocks):
            patch.setattr(blocks.extracts, "__defaults__", (None, 1, 5))
        patch.setattr(compilation, "WORTH_WAITING", 600)
        patch.setattr(compilation, "LONGEST_LOAD", 600)
        yield


def outcome(source: Path, form: str, program: str, engine: str, on_error: str, **options):
    """What a run writes, or the text of its error."""
    target = source.with_name(f"out-{engine}.csv")
    target.unlink(missing_ok=True)
    stream = PROGRAMS[program](getattr(ab, f"read_{form}")(source, Sale)).write_csv(target)
    try:
        stream.run(engine=engine, on_error=on_error, **options)
    except (ab.DataError, ab.RunError) as error:
        return str(error).partition("Traceback")[0], target.exists()
    return target.read_text()


def same(source: Path, form: str, program: str, on_error: str = "stop"):
    wanted = outcome(source, form, program, "sequential", on_error)
    assert outcome(source, form, program, "multicore", on_error, workers=2) == wanted
    return wanted


ROWS = [(n % 5, f"text {n}", None if n % 3 else f"note {n}", n % 2 == 0, float(n % 9), n)
        for n in range(60)]
GOOD = [["0", "3"], ["", "a", '"b, c"', '"two\nlines"', "é"], ["", '""', "n"], ["true", "false"],
        ["1.5", "4.0", "8", "9.0"], ["7", "-1"]]
BAD = [["x"], ['"open', "b\x00d", "\udcff"], ["\udcff"], ["maybe", ""], ["", "many"],
       ["", "1.5", "12345678901234567890123"]]
good_rows = st.tuples(*map(st.sampled_from, GOOD)).map(",".join)
bad_rows = st.tuples(*(st.sampled_from(g + b) for g, b in zip(GOOD, BAD))).map(",".join)
lines = st.lists(good_rows | good_rows | good_rows | bad_rows, max_size=25)


@settings(max_examples=40, deadline=None)
@given(lines, st.sampled_from(sorted(PROGRAMS)), st.sampled_from(["stop", "skip"]))
def test_any_csv_file_gives_what_rows_give(rows, program, on_error):
    with TemporaryDirectory() as folder:
        source = Path(folder) / "in.csv"
        text = "\n".join(["key,text,note,flag,value,extra", *rows, ""])
        source.write_bytes(text.encode(errors="surrogateescape"))
        same(source, "csv", program, on_error)


OBJECT = {"key": "1", "text": '"a"', "note": "null", "flag": "true", "value": "1.5", "extra": "7"}
VALUES = {"key": ["0", "3", "x"], "text": [r'"\n"', '"é"', "null", r'"\ud800"', "1"],
          "note": ['""', r'"\q"', "5"], "flag": ["false", "1", "null"],
          "value": ["4", "8.5", "9.0", "1e400", '"many"'], "extra": ["-1", "1.5", "[]"]}
broken = st.dictionaries(st.sampled_from(sorted(VALUES)), st.integers(0, 4), max_size=1)
objects = broken.map(lambda chosen: OBJECT | {
    name: VALUES[name][n % len(VALUES[name])] for name, n in chosen.items()})


@settings(max_examples=30, deadline=None)
@given(st.lists(objects, max_size=20), st.sampled_from(sorted(PROGRAMS)),
       st.sampled_from(["stop", "skip"]))
def test_any_file_of_json_lines_gives_what_rows_give(rows, program, on_error):
    with TemporaryDirectory() as folder:
        source = Path(folder) / "in.jsonl"
        source.write_text("".join(
            "{" + ", ".join(f'"{name}": {value}' for name, value in row.items()) + "}\n"
            for row in rows))
        same(source, "jsonl", program, on_error)


def table(**changed) -> pa.Table:
    columns = dict(zip(Sale.__record_fields__, map(list, zip(*ROWS))))
    return pa.table(columns | changed)


BROKEN = {
    "nothing": {},
    "a text is missing": {"text": ["a"] * 40 + [None] + ["b"] * 19},
    "a text is no text": {
        "text": pa.array([b"a"] * 40 + [b"\xff"] + [b"b"] * 19).view(pa.string())},
    "a number is too large": {"extra": pa.array([1] * 40 + [2**63] + [2] * 19, pa.uint64())},
    "a number is missing": {"extra": [1] * 40 + [None] + [2] * 19},
    "a note is missing": {"note": ["n"] * 40 + [None] + ["m"] * 19},
    "large texts": {"text": pa.array(["a"] * 60, pa.large_string())},
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("broken", BROKEN)
def test_any_parquet_file_gives_what_rows_give(tmp_path, broken, program):
    source = tmp_path / "in.parquet"
    parquet.write_table(table(**BROKEN[broken]), source, row_group_size=25)
    same(source, "parquet", program)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_failure_shows_what_was_not_read(tmp_path, form):
    source = tmp_path / f"in.{form}"
    rows = [(*row[:4], 9.0, *row[5:]) if n == 47 else row for n, row in enumerate(ROWS)]
    stream = ab.from_iterable([Sale(*row) for row in rows], Sale)
    getattr(stream, f"write_{form}")(source).run(engine="sequential")
    message, left = same(source, form, "failing")
    assert "text='text 47'" in message
    assert not left


READ = {"running": {"key", "value"}, "whole": set(Sale.__record_fields__)}


@pytest.mark.parametrize("program", READ)
def test_columns_are_read_only_where_they_are_needed(tmp_path, program):
    texts = {"csv": {"text", "note"}, "jsonl": {"text", "note"},
             "parquet": {"text", "note", "flag", "extra"}}
    for form, unneeded in texts.items():
        source = tmp_path / f"in.{form}"
        stream = ab.from_iterable([Sale(*row) for row in ROWS], Sale)
        getattr(stream, f"write_{form}")(source).run(engine="sequential")
        spec = getattr(ab, f"read_{form}")(source, Sale).graph().sources[0].kind.spec
        found = {e.read for e in spec.extracts(frozenset(READ[program]))}
        assert found == {frozenset(Sale.__record_fields__) - (unneeded - READ[program])}


def test_explain_names_the_columns_that_are_read(tmp_path):
    source = tmp_path / "in.csv"
    ab.from_iterable([Sale(*row) for row in ROWS], Sale).write_csv(source).run(engine="sequential")
    for program, said in (("running", True), ("whole", False)):
        graph = PROGRAMS[program](ab.read_csv(source, Sale)).write_csv(tmp_path / "out").graph()
        plan = compile_graph(graph)
        text = explain(plan, execution=engine_called("multicore").execution(plan))
        assert ("read columns of in: key, value" in " ".join(text.split())) == said
