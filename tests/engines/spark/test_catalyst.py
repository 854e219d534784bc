"""Expressions as Spark's columns give exactly Python's values, or are not translated."""

from __future__ import annotations

import importlib.util
import itertools
import os
import struct
import sys

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import anabranch as ab
from anabranch.analysis.typing.diagnostics import collecting
from anabranch.compile import compile_graph
from anabranch.plan.physical.spark.dataframe import DataFramePlan, frame_of
from anabranch.plan.physical.spark.execution import execution
from anabranch.plan.physical.spark.plan import spark_plan

# One group is one process of the test run: they share one session.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

HEADER = """
import anabranch as ab

class Item(ab.Record):
    n: int
    m: int
    x: float
    y: float
    s: str
    r: str
    b: bool
    o: int | None

class Out(ab.Record):
    i: int
    j: int
    f: float
    g: float
    t: str
    c: bool
    o: int | None

def made(t: Item):
    return Out({i}, {j}, {f}, {g}, {t}, {c}, t.o)

def kept(t: Item):
    return {kept}
"""

LEAVES = {"int": ["t.n", "t.m", "3", "-2", "0"], "float": ["t.x", "t.y", "0.5", "-3.0", "1e300"],
          "str": ["t.s", "t.r", "'a'", "''", "'é'"], "bool": ["t.b", "True"]}
GROWN = {
    "int": [("({} + {})", "int", "int"), ("({} - {})", "int", "int"), ("({} * {})", "int", "int"),
            ("({} % 7)", "int"), ("({} // 3)", "int"), ("(-{})", "int"), ("abs({})", "int"),
            ("len({})", "str"), ("({} if {} else {})", "int", "bool", "int")],
    "float": [("({} + {})", "float", "float"), ("({} * {})", "float", "int"),
              ("({} - {})", "int", "float"), ("({} / 3.0)", "float"), ("({} / -2)", "float"),
              ("(-{})", "float"), ("abs({})", "float"), ("({} if {} else {})", "float", "bool",
                                                          "float")],
    "str": [("({} + {})", "str", "str"), ("{}.replace('a', 'bb')", "str"), ("str({})", "int"),
            ("f'{{t.n}}-{{t.s}}'",), ("({} if {} else {})", "str", "bool", "str")],
    "bool": [("({} < {})", "int", "int"), ("({} == {})", "float", "float"),
             ("({} != {})", "float", "float"), ("({} <= {})", "float", "float"),
             ("({} > {})", "float", "float"), ("({} >= 2)", "float"), ("(-1 < {})", "float"),
             ("({} < {})", "str", "str"), ("({} == {})", "str", "str"),
             ("{}.startswith({})", "str", "str"), ("{}.endswith('a')", "str"),
             ("({} in {})", "str", "str"), ("({} not in (1, 2, -3))", "int"),
             ("({} in ('a', 'é'))", "str"), ("({} and {})", "bool", "bool"),
             ("({} or {})", "bool", "bool"), ("(not {})", "bool")],
}


@st.composite
def expressions(draw, kind: str, depth: int = 3) -> str:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(LEAVES[kind]))
    form, *kinds = draw(st.sampled_from(GROWN[kind]))
    return form.format(*(draw(expressions(k, depth - 1)) for k in kinds))


small = st.integers(-20, 20)
large = st.one_of(small, st.integers(-2**63, 2**63 - 1))
floats = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, float("nan"), float("inf")]))
texts = st.text("aé\U0001f600 b\n", max_size=4)
numbers = itertools.count()


def loaded(folder, sources: dict[str, str]):
    name = f"generated_{next(numbers)}"
    file = folder / f"{name}.py"
    file.write_text(HEADER.format(**sources))
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


SCHEMA = pa.schema([("n", pa.int64()), ("m", pa.int64()), ("x", pa.float64()), ("y", pa.float64()),
                    ("s", pa.string()), ("r", pa.string()), ("b", pa.bool_()), ("o", pa.int64())])


def exact(row) -> tuple:
    return tuple(struct.pack("d", v) if isinstance(v, float) and v == v else str(v) for v in row)


@pytest.mark.parametrize("whole", [small, large], ids=["small", "large"])
@settings(max_examples=3, deadline=None, phases=[Phase.generate],
          suppress_health_check=list(HealthCheck))
@given(st.data())
def test_expressions(spark, tmp_path_factory, whole, data):
    folder = tmp_path_factory.mktemp("catalyst")
    kinds = {"i": "int", "j": "int", "f": "float", "g": "float", "t": "str", "c": "bool",
             "kept": "bool"}
    module = loaded(folder, {name: data.draw(expressions(kind)) for name, kind in kinds.items()})
    row = st.tuples(whole, whole, floats, floats, texts, texts, st.booleans(),
                    st.none() | whole)
    rows = data.draw(st.lists(row, min_size=1, max_size=25))
    parquet.write_table(pa.Table.from_arrays([pa.array(c, f.type) for c, f in
                                              zip(zip(*rows), SCHEMA)], schema=SCHEMA),
                        folder / "in.parquet")

    def build(out):
        stream = ab.read_parquet(folder / "in.parquet", module.Item).filter(module.kept)
        return stream.map(module.made, to=module.Out).write_parquet(f"{folder}/{out}/")
    assert isinstance(frame_of(build("never").graph(), 1), DataFramePlan)
    try:
        report = build("out").run(engine="spark")
    except ab.RunError as error:
        # A sum beyond 64 bits is an int in Python, but cannot be written.
        with pytest.raises(ab.RunError) as expected:
            build("never").run(engine="sequential")
        assert str(expected.value) == str(error)
        return
    items = [module.made(t) for t in map(module.Item._make, rows) if module.kept(t)]
    got = ab.read_parquet(f"{folder}/out/", module.Out).collect()
    assert list(map(exact, got)) == list(map(exact, items))
    if whole is small:
        assert report.tier == "catalyst"


class Pair(ab.Record):
    a: int
    b: float


def test_files_of_different_sizes_keep_their_order(spark, tmp_path):
    """Spark reads large files first; many splits of one file, some files with nothing."""
    sizes = [3, 40_000, 0, 17, 90_000, 1, 20_000, 8]
    (tmp_path / "in").mkdir()
    begin = 0
    for number, size in enumerate(sizes):
        table = pa.table({"a": pa.array(range(begin, begin + size), pa.int64()),
                          "b": pa.array([0.5] * size, pa.float64())})
        parquet.write_table(table, tmp_path / "in" / f"{number}.parquet", row_group_size=5_000,
                            compression="none", use_dictionary=False)
        begin += size
    stream = ab.read_parquet(tmp_path / "in", Pair).filter(lambda p: p.a % 3 != 1)
    tune = {"smallest_split": 1, "largest_frame_split": 60_000}
    report = stream.write_parquet(f"{tmp_path}/out/").run(engine="spark", tune=tune)
    assert (report.tier, report.read) == ("catalyst", {"in": begin})
    got = ab.read_parquet(f"{tmp_path}/out/", Pair).collect()
    assert [p.a for p in got] == [n for n in range(begin) if n % 3 != 1]
    assert len(os.listdir(tmp_path / "out")) > len(sizes)


def test_what_does_not_fit_runs_in_another_way(spark, tmp_path):
    def ran(function, rows, given=None):
        table = pa.table({"a": pa.array([a for a, _ in rows], given), "b": [b for _, b in rows]})
        parquet.write_table(table, tmp_path / "in.parquet")
        stream = ab.read_parquet(tmp_path / "in.parquet", Pair).map(function, to=Pair)
        return stream.write_parquet(f"{tmp_path}/out/").run(engine="spark").tier
    assert ran(lambda p: Pair(p.a * 2 - p.a, p.b), [(2**62, 1.0)]) != "catalyst"
    assert ab.read_parquet(f"{tmp_path}/out/", Pair).collect() == [Pair(2**62, 1.0)]
    assert ran(lambda p: Pair(p.a + 1, p.b), [(1, 1.0)], pa.int32()) != "catalyst"
    assert ab.read_parquet(f"{tmp_path}/out/", Pair).collect() == [Pair(2, 1.0)]


def test_what_is_not_translated_has_a_reason(tmp_path):
    def why(function):
        with collecting():
            stream = ab.read_parquet("in.parquet", Pair).map(function, to=Pair)
        stream = stream.write_parquet("out/")
        return frame_of(compile_graph(stream.graph()).graph, 1).text
    assert "no equal of p.b / p.b" in why(lambda p: Pair(p.a, p.b / p.b))
    assert "no equal of p.a > p.b" in why(lambda p: Pair(p.a if p.a > p.b else 0, p.b))
    assert "gives float in a" in why(lambda p: Pair(p.b, p.b))


def test_explain_says_that_there_is_no_python(tmp_path):
    parquet.write_table(pa.table({"a": [1], "b": [1.0]}), tmp_path / "in.parquet")
    stream = ab.read_parquet(tmp_path / "in.parquet", Pair).filter(lambda p: p.a > 0)
    shown = execution(spark_plan(
        compile_graph(stream.write_parquet(f"{tmp_path}/out/").graph())))
    assert [stage.tier for stage in shown.stages] == ["catalyst", "parts"]


def test_explain_says_why_it_is_no_dataframe(spark, tmp_path):
    """And a run that has tried says why it went on as slices."""
    parquet.write_table(pa.table({"a": [2**62], "b": [1.0]}), tmp_path / "in.parquet")

    def made(function):
        return ab.read_parquet(tmp_path / "in.parquet", Pair).map(
            function, to=Pair).write_parquet(f"{tmp_path}/out/")
    told = execution(spark_plan(compile_graph(made(lambda p: Pair(p.a, p.b / p.b)).graph()))).whole
    assert "; no DataFrame: " in told and "no equal of p.b / p.b" in told
    done = made(lambda p: Pair(p.a * 2 - p.a, p.b)).run(engine="spark").execution
    assert done.whole.startswith("Spark could not compute it as a DataFrame: ")
