"""How engines run a dozen programs, as `explain` shows it: a change of a plan is seen here first.

The multicore engine has two workers, Spark two cores. Kernels are wanted for any number of rows, as
what they cost depends on the machine.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from anabranch.compile import compile_graph, load
from anabranch.engine.run import explained
from anabranch.explain.text import executed, rendered
from anabranch.runtime.options import RunOptions

ROOT = Path(__file__).parents[2]
PROGRAMS = ("balances", "calls/mobility_fraud", "regions/finance", "regions/network_monitoring",
            "regions/pagerank", "regions/same_tag", "regions/tweet_words",
            "retail/abandoned_carts", "retail/last_views", "retail/viewed_together",
            "synchronization/event_windows", "synchronization/page_views")
ENGINES = {
    "multicore": RunOptions("multicore", workers=2, tune={"kernels": "always"}),
    "spark": RunOptions("spark", master="local[2]", tune={"worth_compiling": 0})}
BALANCES = {
    "of_few_rows": RunOptions("spark", master="local[2]"),
    "in_splits": RunOptions("spark", master="local[2]", tune={"smallest_split": 100},
                            outputs={"stdout": "balances.csv"}, part_files=True),
    "on_a_cluster": RunOptions("spark", master="spark://master:7077", limit=20),
    "as_a_stream": RunOptions("spark", master="local[2]", stream=True,
                              inputs={"payments": "examples/data"},
                              outputs={"stdout": "balances.csv"})}


def told(program: str, options: RunOptions) -> str:
    plan = compile_graph(load(ROOT / "examples" / f"{program}.py"))
    console = Console(file=io.StringIO(), width=100)
    return rendered(executed(explained(plan, options)), console).lstrip("\n") + "\n"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    """Lines of programs are shown from the current folder."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(golden, program, engine):
    golden(f"plans/{engine}/{Path(program).name}.txt", told(program, ENGINES[engine]))


@pytest.mark.parametrize("name", BALANCES)
def test_ways_of_one_program_on_spark(golden, monkeypatch, name):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    golden(f"plans/spark/balances_{name}.txt", told("balances", BALANCES[name]))
