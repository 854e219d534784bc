"""A run of many firings is compiled on the sequential engine, too, and gives the same."""

from __future__ import annotations

import pytest

from anabranch.compile import compile_graph, load
from anabranch.core.errors import RunError
from anabranch.engine.run import engine, execute
from anabranch.lang.streamit.execution.program import WORTH_COMPILING
from anabranch.runtime.options import RunOptions
from lang.streamit.streamit_support import COUNTER, rows

TEXT = COUNTER + """int->float filter Half { float s; work pop 3 push 2 peek 4 {
        s = 0.5 * s + peek(3) / 3.0; push(s); push(pop() * s); pop(); pop(); } }
    float->void filter PrintFloat { work pop 1 { println(pop()); } }
    void->void pipeline Main { add Count; add Half; add PrintFloat; }"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.str").write_text(TEXT)
    return tmp_path / "program.str"


@pytest.mark.parametrize("periods, tier", [(100, "rows"), (WORTH_COMPILING // 5, "native")])
def test_long_and_short(program, tmp_path, periods, tier):
    plan = compile_graph(load(program, {}, {"iterations": periods}))
    report = execute(plan, RunOptions(engine="sequential",
                                      outputs={"print": str(tmp_path / "lines")}))
    assert report.tier == engine("sequential").execution(plan).tier == tier
    assert (tmp_path / "lines").read_text() == rows(TEXT, periods)


def test_what_fails_in_a_long_run_says_where_to_look(program):
    program.write_text(TEXT.replace("peek(3) / 3.0", "10 / (60000 - peek(3))"))
    plan = compile_graph(load(program, {}, {"iterations": WORTH_COMPILING // 5}))
    with pytest.raises(RunError, match=r"divided by zero(.|\n)*with fewer iterations"):
        execute(plan, RunOptions(engine="sequential"))
