"""Loops written for a graph do what the machine does that defines its meaning, failures and all."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.engine.run import execute
from anabranch.engine.sequential.run import in_bulk
from anabranch.engine.sequential.straight import Straight, is_straight
from anabranch.runtime.ends.merging import merged
from anabranch.runtime.ends.reading import Many
from anabranch.runtime.machine import Machine
from anabranch.runtime.options import RunOptions
from interpreting import with_costs
from random_programs import STEPS, Item, add_one, items, odd

thorough = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def fragile(t: Item):
    if t.v == 7:
        raise ValueError(f"seven of {t.k}")
    return t


def fragile_in_the_middle(t: Item):
    yield t
    if t.v == 9:
        raise ValueError(f"nine of {t.k}")


STEPS_THAT_FAIL = STEPS | {"fragile": lambda s: s.map(fragile),
                           "beside": lambda s: s.filter(odd).union(s.map(add_one), arrival=True),
                           "fragile_filter": lambda s: s.filter(fragile),
                           "fragile_middle": lambda s: s.flat_map(fragile_in_the_middle)}
fragile_programs = st.lists(st.sampled_from(sorted(STEPS_THAT_FAIL)), min_size=1, max_size=5)


def graph_with_sinks(steps: list[str], source: list[Item], watched: int):
    """A random program; the items behind one of its steps go to a sink of their own, too."""
    stream = ab.from_iterable(source, Item, name="source")
    for place, step in enumerate(steps):
        stream = STEPS_THAT_FAIL[step](stream)
        if place == watched:
            stream.collect_into([])
    return stream.collect_into([]).graph()


def ran(machine, arrivals, out: list) -> list:
    try:
        for source, given_ in arrivals:
            machine.push(source, given_)
        machine.finish()
    except AnabranchError as error:
        return [*out, str(error)]
    return out


def both(graph) -> tuple[list, list]:
    sources = {op.name: list(op.kind.spec.items(None)) for op in graph.sources}
    one_by_one, in_loops = [], []
    ran_once = ran(Machine(graph, lambda op, item: one_by_one.append((op.name, item))),
                   merged(graph, sources), one_by_one)
    return ran_once, ran(Straight(graph, lambda op, item: in_loops.append((op.name, item))),
                         in_bulk(graph, sources), in_loops)


@thorough
@given(fragile_programs, items, st.integers(0, 4))
def test_loops_give_what_the_machine_gives(steps, source, watched):
    graph = graph_with_sinks(steps, source, watched)
    assume(is_straight(graph))
    expected, got = both(graph)
    assert got == expected


@pytest.mark.parametrize("name", [n for n in STEPS_THAT_FAIL if n != "round_again"])
def test_loops_of_each_step(name):
    source = [Item(n % 3, n % 2, n) for n in range(12)]
    expected, got = both(graph_with_sinks([name, "double"], source, 0))
    assert got == expected


def test_a_loop_stays_with_the_machine():
    assert not is_straight(graph_with_sinks(["round_again"], [], 0))


class Row(ab.Record):
    at: int
    name: str
    note: float | None = None


GOOD = st.builds(Row, st.integers(-3, 3), st.text(max_size=3),
                 st.none() | st.floats(allow_nan=False))
ODD = st.sampled_from([Row(True, "x"), Row(2 ** 63, "x"), Row(1, "\ud800"), Row(1, 5),
                       Row(1, "x", 1), Row(None, "x"), (1, "x", None), None])


def read(given_, engine: str, time: str | None = None) -> tuple[list, dict[str, int], str]:
    out: list = []
    stream = ab.from_iterable(given_, Row, time=time, name="rows").collect_into(out)
    report = execute(compile_graph(stream.graph()), RunOptions(engine, on_error="skip"))
    return out, report.read, report.bad_rows.rpartition(" ")[2]


@thorough
@given(st.lists(GOOD, max_size=6), st.lists(ODD, max_size=1), st.lists(GOOD, max_size=6),
       st.sampled_from(["sequential", "multicore"]), st.sampled_from([None, "at"]))
def test_a_list_gives_what_its_items_give_one_by_one(before, odd, after, engine, time):
    source = [*before, *odd, *after]
    together, one_by_one = read(source, engine, time), read(iter(source), engine, time)
    assert together == one_by_one
    assert list(map(type, together[0])) == list(map(type, one_by_one[0]))


def test_long_lists_are_read_once(monkeypatch):
    monkeypatch.setattr("anabranch.io.python.objects.MOST_AT_ONCE", 3)
    source = [Row(n, "x") for n in range(8)]
    assert read(source, "sequential", "at")[:2] == (source, {"rows": 8})
    assert read([*source, Row(3, "late"), *source[7:]], "sequential", "at") == (
        [*source, source[7]], {"rows": 9}, "1")


def test_a_limit_counts_what_was_taken():
    rows = [Row(n, "x") for n in range(8)]
    out: list = []
    stream = ab.from_iterable(rows, Row, name="rows").collect_into(out)
    report = execute(compile_graph(stream.graph()), RunOptions("sequential", limit=5))
    assert (out, report.read) == (rows[:5], {"rows": 5})


def test_rows_of_a_file_are_taken_up_to_the_one_that_cannot_be_read(tmp_path):
    lines = [f'{{"at": {n}, "name": "{n}"}}' for n in range(5)]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join([*lines[:3], '{"at": "?"}', *lines[3:]]) + "\n")
    for engine in ("sequential", "multicore"):
        seen: list = []
        rows = ab.read_jsonl(file, Row).for_each(seen.append)
        with pytest.raises(AnabranchError, match="malformed row"):
            rows.run(engine=engine)
        assert [row.at for row in seen] == [0, 1, 2]
        report = ab.read_jsonl(file, Row).for_each(seen.append).run(
            engine=engine, limit=3, on_error="skip")
        assert (report.bad_rows, sum(report.read.values())) == ("", 3)


def test_items_that_are_lists_are_no_pieces():
    out: list = []
    ab.from_iterable([[1, 2], [3]], list[int]).collect_into(out).run(engine="sequential")
    assert out == [[1, 2], [3]] and not isinstance(out[0], Many)


def test_a_callback_sees_each_item_before_the_next_is_computed():
    seen = []

    def noted(t: int) -> int:
        seen.append(f"made {t}")
        return t
    ab.from_iterable([1, 2], int).map(noted).for_each(lambda t: seen.append(f"got {t}")).run(
        engine="sequential")
    assert seen == ["made 1", "got 1", "made 2", "got 2"]


def test_what_cannot_be_written_comes_before_a_later_failure(tmp_path):
    def made(n: int) -> Row:
        if n == 3:
            raise ValueError("three")
        return Row(*(("two" if n == 2 else n), "x"))
    rows = ab.from_iterable([1, 2, 3], int).map(made, to=Row)
    with pytest.raises(AnabranchError, match="cannot write an item"):
        rows.write_csv(tmp_path / "rows.csv").run(engine="sequential")
    assert not (tmp_path / "rows.csv").exists()


SHORT = """import sys
import anabranch as ab

class Row(ab.Record):
    at: int

ab.read_csv(sys.argv[1], Row).filter(lambda r: r.at > 1).write_csv(sys.argv[2]).run(
    engine="sequential")
print(*[module for module in ("numba", "pandas") if module in sys.modules])
"""


def test_a_short_run_loads_nothing_heavy(tmp_path):
    (tmp_path / "program.py").write_text(SHORT)
    (tmp_path / "in.csv").write_text("at\n1\n2\n3\n")
    found = subprocess.run([sys.executable, "program.py", "in.csv", "out.csv"], cwd=tmp_path,
                           capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
    assert (tmp_path / "out.csv").read_text() == "at\n2\n3\n"


def test_a_long_file_is_read_and_written_in_columns(tmp_path, monkeypatch):
    with_costs(monkeypatch, rows_worth_arrow=2)
    source = [Row(n, f"name {n}", n / 3) for n in range(300)]
    ab.from_iterable(source, Row).write_csv(tmp_path / "in.csv").run(engine="sequential")
    kept: list = []
    rows = ab.read_csv(tmp_path / "in.csv", Row).map(lambda r: r.replace(at=-r.at))
    rows.collect_into(kept)
    rows.run(engine="sequential")
    assert kept == [r.replace(at=-r.at) for r in source]
