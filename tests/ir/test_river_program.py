"""A `.river` file with its functions in the Python module beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from anabranch.core.errors import ProgramError, UsageError
from anabranch.engine.sequential import run as sequential
from anabranch.lang.river import load

EXAMPLE = Path(__file__).parents[2] / "examples" / "market_maker.river"

RIVER = """\
input numbers : int;
(sums : int, $total) <- Add(numbers, $total);
output sums;
"""
PYTHON = """\
total = 0

def Add(item, port, total):
    return [[total + item]], [total + item]
"""


def program(folder: Path, river: str = RIVER, python: str | None = PYTHON) -> Path:
    path = folder / "sums.river"
    path.write_text(river)
    if python is not None:
        path.with_suffix(".py").write_text(python)
    return path


def outputs(graph, **sources) -> list:
    emitted = []
    sequential.run(graph, sources, lambda op, item: emitted.append((op.name, item)))
    return emitted


def error_of(path: Path, **parameters) -> ProgramError:
    with pytest.raises(ProgramError) as raised:
        load(path, parameters)
    return raised.value


def test_a_program_runs(tmp_path):
    graph = load(program(tmp_path), {})
    assert outputs(graph, numbers=[1, 2, 3]) == [("sums", 1), ("sums", 3), ("sums", 6)]
    assert outputs(graph, numbers=[5]) == [("sums", 5)]


def test_initial_values_are_copied_at_every_start(tmp_path):
    river = "input a; (b, $seen) <- Keep(a, $seen); output b;"
    python = ("seen = []\ndef Keep(item, port, seen):\n    seen.append(item)\n"
              "    return [[len(seen)]], [seen]")
    graph = load(program(tmp_path, river, python), {})
    for _ in range(2):
        assert outputs(graph, a="xy") == [("b", 1), ("b", 2)]


def test_the_market_maker_sells_at_the_latest_ask():
    graph = load(EXAMPLE, {})
    quote = type(graph.variables[0].initial())
    bids = [quote(1.0, "IBM", 119.0), quote(2.0, "XYZ", 12.0), quote(4.0, "IBM", 124.0)]
    asks = [quote(3.0, "IBM", 119.0), quote(0.5, "XYZ", 11.0)][::-1]
    assert outputs(graph, bids=bids, asks=asks) == [("result", (1, "IBM", 119.0))]


def test_an_operator_of_the_python_api_may_be_used(tmp_path):
    python = """\
import anabranch as ab

class Entry(ab.Record):
    uid: int
    amount: float

class Balance(ab.State):
    total: float = 0.0

@ab.operator(by="uid", selectivity=(1, 1))
def running(state: Balance, t: Entry):
    state.total += t.amount
    yield t.replace(amount=state.total)
"""
    river = "input entries : Entry; @Fuse(1) (sums : Entry) <- running(entries); output sums;"
    graph = load(program(tmp_path, river, python), {})
    entry = graph.queue("entries").type.cls
    items = [entry(1, 2.0), entry(2, 1.0), entry(1, 3.0)]
    assert [e.amount for _, e in outputs(graph, entries=items)] == [2.0, 1.0, 5.0]
    assert [str(a) for a in graph["sums_2"].annotations] == ["@Fuse(1)", "@Selectivity(1, 1)"]


def test_parameters_reach_the_module(tmp_path):
    python = "import anabranch as ab\ntotal = ab.param('first', 0)\n" + PYTHON.partition("\n")[2]
    path = program(tmp_path, python=python)
    assert outputs(load(path, {"first": "10"}), numbers=[1]) == [("sums", 11)]
    with pytest.raises(UsageError, match="no parameter 'frist'"):
        load(path, {"frist": "10"})


def test_a_missing_function_is_underlined_in_the_river_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = error_of(program(tmp_path, RIVER.replace("Add", "Ad")))
    assert str(error) == """\
error: no function is called 'Ad'
  --> sums.river:2:25
    |
  2 | (sums : int, $total) <- Ad(numbers, $total);
    |                         ^^
  = help: did you mean 'Add'?"""


def test_a_missing_initial_value_is_underlined(tmp_path):
    error = error_of(program(tmp_path, python=PYTHON.replace("total = 0", "totl = 0", 1)))
    assert error.what == "the variable $total has no initial value"
    assert error.where.line == 2
    assert error.help == "give it one: `total = ...` beside its functions; did you mean 'totl'?"


def test_a_missing_module_is_named(tmp_path):
    assert error_of(program(tmp_path, python=None)).what == (
        "there is no sums.py beside sums.river")


def test_a_failing_import_shows_the_users_traceback(tmp_path):
    path = program(tmp_path, python="def broken():\n    return 1 / 0\n\nbroken()\n")
    error = error_of(path)
    assert error.what == "importing sums.py raised ZeroDivisionError: division by zero"
    assert error.where.line == 2
    assert "in broken\n    return 1 / 0" in error.below
    assert "lang/river.py" not in error.below


def test_a_syntax_error_in_the_module_is_underlined(tmp_path):
    error = error_of(program(tmp_path, python="def Add(:\n"))
    assert error.what == "sums.py cannot be read: invalid syntax"
    assert error.where.line == 1


def test_a_module_that_exits_does_not_end_the_process(tmp_path):
    assert "SystemExit" in error_of(program(tmp_path, python="raise SystemExit(3)")).what


def test_our_own_errors_in_the_module_stay_as_they_are(tmp_path):
    python = "import anabranch as ab\nclass S(ab.State):\n    x: int\n"
    assert error_of(program(tmp_path, python=python)).what == "S.x has no initial value"


def test_the_module_is_in_nobodys_way(tmp_path):
    path = program(tmp_path, python="import beside\n" + PYTHON)
    (tmp_path / "beside.py").write_text("")
    before = list(sys.path)
    load(path, {})
    assert sys.path == before
    assert "sums" not in sys.modules
    assert not (tmp_path / "__pycache__" / "sums.cpython-311.pyc").exists()
    sys.modules.pop("beside")


def test_an_edited_module_is_read_anew(tmp_path):
    load(program(tmp_path), {})
    graph = load(program(tmp_path, python=PYTHON.replace("total + item", "total - item")), {})
    assert outputs(graph, numbers=[1]) == [("sums", -1)]


def test_the_graph_is_verified(tmp_path):
    error = error_of(program(tmp_path, RIVER.replace("output sums;", "")))
    assert error.what == "nothing reads 'sums'"
    assert error.where.line == 2
