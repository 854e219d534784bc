"""Cells of a notebook that are run again, edited, or wrong."""

from __future__ import annotations

import ast
import linecache

import pytest

import anabranch as ab


class Notebook:
    """Runs cells as IPython does: statement by statement, each time under another name. `shell`
    counts the runs, and names the cells if they have names."""

    def __init__(self, counts: bool = True, names: bool = False):
        self.counts, self.names, self.number, self.cell = counts, names, 0, None
        self.scope: dict = {"ab": ab, "__name__": "__main__", "out": []}
        if counts:
            self.scope["get_ipython"] = lambda: self

    @property
    def execution_count(self) -> int:
        return self.number

    def get_parent(self) -> dict:
        return {"metadata": {"cellId": self.cell} if self.names else {}}

    def run(self, text: str, cell: str | None = None) -> None:
        self.number, self.cell = self.number + 1, cell
        file = f"<ipython-input-{self.number if self.counts else 1}-{hash(text)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        for statement in ast.parse(text).body:
            exec(compile(ast.Module([statement], []), file, "exec"), self.scope)

    def ran(self, text: str) -> list:
        self.scope["out"].clear()
        self.run(text)
        return self.scope["out"]


WAYS = {"counted": Notebook, "not counted": lambda: Notebook(counts=False)}
SOURCE = "numbers = ab.from_iterable([1, 2, 3], int)"
RUN = "numbers.run(engine='sequential')"


@pytest.fixture(params=WAYS)
def notebook(request) -> Notebook:
    made = WAYS[request.param]()
    made.run(SOURCE)
    return made


def test_a_cell_that_is_run_again_makes_its_sinks_anew(notebook):
    sink = "numbers.filter(lambda n: n > 1).collect_into(out)"
    for _ in range(3):
        notebook.run(sink)
    assert notebook.ran(RUN) == [2, 3]
    notebook.run("numbers.collect_into(out)")
    assert sorted(notebook.ran(RUN)) == [1, 2, 2, 3, 3]


def test_several_sinks_of_a_cell_all_stay(notebook):
    cell = ("numbers.collect_into(out)\nfor n in (10, 20):\n"
            "    numbers.map(lambda i, n=n: i * n).collect_into(out)\n"
            "numbers.for_each(out.append)")
    for _ in range(2):
        notebook.run(cell)
        assert sorted(notebook.ran(RUN)) == sorted([1, 2, 3, 10, 20, 30, 20, 40, 60, 1, 2, 3])


def test_a_cell_that_looks_at_its_results_loses_nothing(notebook):
    for _ in range(2):
        notebook.run("numbers.collect_into(out)\nseen = numbers.collect()\nnumbers.graph()")
    assert notebook.ran(RUN) == [1, 2, 3]


def test_an_edited_cell_is_known_by_its_name():
    notebook = Notebook(names=True)
    notebook.run(SOURCE, "a")
    notebook.run("numbers.for_each(lambda n: 1 / 0)", "b")
    notebook.run("1 + 1\nnumbers.for_each(out.append)", "b")
    notebook.run("numbers.filter(lambda n: n == 2).collect_into(out)", "c")
    assert sorted(notebook.ran(RUN)) == [1, 2, 2, 3]


def test_a_cell_is_known_where_its_operators_were_made_anew(notebook):
    for least in (0, 1, 2):
        notebook.run(f"large = numbers.filter(lambda n: n > {least})")
        notebook.run("large.collect_into(out)")
    assert notebook.ran(RUN) == [3]


def test_a_sink_that_fails_does_not_spoil_later_runs(notebook, tmp_path):
    notebook.scope["path"] = str(tmp_path / "nowhere" / "out.csv")
    notebook.run("numbers.collect_into(out)")
    notebook.run("numbers.write_csv(path)")
    with pytest.raises(ab.AnabranchError) as error:
        notebook.run(RUN)
    assert str(error.value).endswith(
        "'out' is left out from now on: run its cell again when it is right")
    assert "numbers.write_csv(path)\n" in str(error.value)
    assert notebook.ran(RUN) == [1, 2, 3]


def test_a_callback_that_fails_does_not_either(notebook):
    notebook.run("numbers.for_each(lambda n: n.value)")
    with pytest.raises(ab.AnabranchError, match="'lambda' is left out from now on"):
        notebook.run(RUN)
    notebook.run("numbers.collect_into(out)")
    assert notebook.ran(RUN) == [1, 2, 3]


def test_the_sinks_behind_an_operator_that_fails_do_not_either(notebook):
    notebook.run("numbers.collect_into(out)")
    notebook.run("numbers.map(lambda n: 1 // 0).filter(bool).collect_into([])")
    with pytest.raises(ab.RunError, match="is left out from now on"):
        notebook.run(RUN)
    assert notebook.ran(RUN) == [1, 2, 3]


def test_an_operator_that_all_sinks_are_behind_keeps_them(notebook):
    notebook.run("limit = 0\nnumbers.map(lambda n: 6 // limit).collect_into(out)")
    with pytest.raises(ab.RunError, match="ZeroDivisionError"):
        notebook.run(RUN)
    notebook.run("limit = 2")
    assert notebook.ran(RUN) == [3, 3, 3]


def test_a_sink_that_is_not_defined_is_not_there(notebook):
    with pytest.raises(ab.AnabranchError):
        notebook.run("numbers.write_stdout('xml')")
    notebook.run("numbers.collect_into(out)")
    assert notebook.ran(RUN) == [1, 2, 3]


POINT = "class P(ab.Record):\n    x: int\n    y: float = 0.0\n"
TAKES = "@ab.operator\ndef shown(p: P):\n    yield p.x\n"


def test_a_record_class_that_is_defined_again(notebook):
    """With the same fields it is the same class."""
    notebook.run(POINT)
    notebook.run("points = ab.from_iterable([P(1), P(2)], P)")
    notebook.run(POINT)
    notebook.run(TAKES)
    notebook.run("points.apply(shown).collect_into(out)")
    notebook.run("ab.from_iterable([P(3)], P).union(points, arrival=True).map(\n"
                 "    lambda p: p.x).collect_into(out)")
    assert sorted(notebook.ran("points.run(engine='sequential')")) == [1, 1, 2, 2, 3]
    notebook.run("old = [P(7)]")
    notebook.run(POINT)
    assert notebook.ran("out.extend(type(p) is P for p in ab.from_iterable(old, P).collect())") == [
        True]


def test_a_record_class_that_is_defined_again_with_other_fields():
    notebook = Notebook()
    notebook.run(POINT)
    notebook.run("old = [P(1), P(2)]\npoints = ab.from_iterable(old, P)")
    notebook.run("class P(ab.Record):\n    x: int\n    z: str = ''\n")
    notebook.run(TAKES)
    with pytest.raises(ab.ProgramError) as error:
        notebook.run("points.apply(shown)")
    text = str(error.value).splitlines()
    assert text[0] == "error: shown does not take this stream's items"
    assert text[3:] == [
        "  1 | points.apply(shown)", "    |        ^^^^^^^^^^^^", "  = expected: P", "  = came: P",
        "  = help: P was defined again in cell 3, with other fields: run again what makes and what "
        "takes its items"]
    with pytest.raises(ab.AnabranchError, match="P was defined again in cell 3, with other fields"):
        notebook.run("ab.from_iterable(old, P).collect()")


def test_a_notebook_shows_the_message_alone():
    """IPython asks an error what to show; our own calls say nothing to anybody."""
    with pytest.raises(ab.AnabranchError) as raised:
        ab.from_iterable([1], int).map(lambda n: n.missing)
    assert raised.value._render_traceback_() == str(raised.value).splitlines()
