"""Rates that are not the same at every firing: the items are those of any other schedule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph, load
from anabranch.core.errors import ProgramError, RunError
from anabranch.engine.run import execute
from anabranch.lang.streamit import flow_of
from anabranch.lang.streamit.sdf.schedule import cut
from anabranch.runtime.options import RunOptions
from lang.streamit.streamit_support import COUNTER, PRINTER, by_schedule, graph_of, rows

BEFORE = COUNTER + PRINTER
MAIN = "void->void pipeline Main { add Count; %s add Print; }"
SUMS = ("add int->int filter { work pop * push 1 { int s = 0; int x = pop();"
        " while (x % 3 != 2) { s += x; x = pop(); } push(s); } };")
REPEATED = ("add int->int filter { work pop 1 push [0, *] { int x = pop();"
            " for (int i = 0; i < x; i++) push(x); } };")
SOME = "add int->int filter { work pop 1 push [0, 1] { int x = pop(); if (x % 3 == 0) push(x); } };"
PAIRS = "add int->int filter { work pop 2 push 1 { push(pop() * 100 + pop()); } };"
AHEAD = ("add int->int filter { work pop [1, 2, 9] peek [1, *] push 1 { int n = 0;"
         " while (peek(n) % 4 != 3) n++; push(peek(n)); for (int i = 0; i <= n; i++) pop(); } };")
DYNAMIC = {
    SUMS: (4, "1 7 13 19"),
    REPEATED: (8, "1 2 2 3 3 3 4 4"),
    SOME + PAIRS: (3, "3 609 1215"),
    PAIRS + SOME: (3, "405 1011 1617"),
    AHEAD: (3, "3 7 11"),
    SUMS + REPEATED: (4, "1 7 7 7"),
    "add int->int filter { prework pop * push 1 { while (pop() < 5) ; push(-1); }"
    " work pop 1 push 1 { push(pop()); } };": (3, "-1 6 7"),
    f"add splitjoin {{ split roundrobin; {SUMS} {SOME} join roundrobin(1, 2); }};":
        (2, "0 3 9 10 15 21"),
    "add int->int filter { void skip(int n) { for (int i = 0; i < n; i++) pop(); }"
    " work pop [1, 9] push 1 { int x = pop(); skip(x % 4); push(x); } };": (4, "0 1 3 7"),
}


@pytest.mark.parametrize("streams", DYNAMIC)
def test_items(streams):
    iterations, expected = DYNAMIC[streams]
    text = BEFORE + MAIN % streams
    assert rows(text, iterations).split() == expected.split()
    assert by_schedule(text, iterations, seed=1) == rows(text, iterations)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.integers(1, 3)] * 2, st.integers(0, 2), st.booleans()),
                min_size=1, max_size=4), st.data())
def test_ranges_that_are_numbers_mean_the_same(filters, data):
    """A filter that says less of what it does gives the same items."""
    def written(pop: int, push: int, more: int, state: bool, says: bool) -> str:
        rates = (f"pop [1, *] push * peek [1, {pop + more}]" if says
                 else f"pop {pop} push {push} peek {pop + more}")
        return (f"add int->int filter {{ int s; work {rates} {{ {'s++;' if state else ''}"
                f" for (int i = 0; i < {push}; i++) push(s + 10 * i + peek({pop + more - 1}));"
                f" for (int i = 0; i < {pop}; i++) pop(); }} }};")
    says = data.draw(st.lists(st.booleans(), min_size=len(filters), max_size=len(filters)))
    static, dynamic = (BEFORE + MAIN % " ".join(written(*f, s) for f, s in zip(filters, flags))
                       for flags in ([False] * len(filters), says))
    expected, got = rows(static, 6).split(), rows(dynamic, 6).split()
    shorter = min(len(expected), len(got))
    assert expected[:shorter] == got[:shorter]
    assert len(got) >= 6


def test_parts_have_their_own_periods():
    flow = flow_of([("p.str", BEFORE + MAIN % (PAIRS + SUMS + PAIRS))])
    found = cut(flow)
    names = [actor.name for actor in flow.actors]
    assert dict(zip(names, found.schedule.period)) == {
        "Count": 2, "filter_3": 1, "filter_3_2": 2, "filter_3_3": 1, "Print": 1}
    assert [names[i] for i in found.driven] == ["filter_3_2", "filter_3_3", "Print"]


RUNS = """
int->int filter Runs { work pop * push 2 { int x = pop(); int n = 1;
    while (peek(0) == x) { pop(); n++; } push(n); push(x); } }
void->void pipeline Main { add FileReader<int>("in.raw"); add Runs;
    add FileWriter<int>("out.raw"); }
"""


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
@pytest.mark.parametrize("iterations, expected", [(None, "3 1 2 2 4 3 1 5"), (2, "3 1 2 2"),
                                                  (9, "3 1 2 2 4 3 1 5")])
def test_files(tmp_path, engine, iterations, expected):
    program = tmp_path / "runs.str"
    program.write_text(RUNS)
    np.array([1, 1, 1, 2, 2, 3, 3, 3, 3, 5, 6], "<i4").tofile(tmp_path / "in.raw")
    options = {} if iterations is None else {"iterations": iterations}
    execute(compile_graph(load(program, {}, options)), RunOptions(engine=engine))
    assert np.fromfile(tmp_path / "out.raw", "<i4").tolist() == list(map(int, expected.split()))


@pytest.mark.parametrize("work, problem", [
    ("work pop [1, 2] push 1 { int x = pop(); while (x-- > 0) pop(); push(x); }", "more items"),
    ("work pop 1 push [2, 3] { if (pop() > 0) push(1); push(2); push(3); push(4); }", "more items"),
    ("work pop [1, *] push 1 { push(1); if (peek(0) < 3) pop(); }", "keep to its rates"),
])
def test_rates_that_are_not_kept(work, problem):
    with pytest.raises(RunError, match=problem):
        rows(BEFORE + MAIN % f"add int->int filter {{ {work} }};", 9)


def test_a_loop_that_waits_for_itself():
    loop = ("add int->int feedbackloop { join roundrobin; body int->int filter { work pop [2, 9]"
            " push 1 { push(pop() + pop() + pop()); } }; loop Identity<int>; split duplicate;"
            " enqueue 0; };")
    with pytest.raises(RunError, match="waits for items that come from itself"):
        rows(BEFORE + MAIN % loop, 3)


@pytest.mark.parametrize("rates, problem", [
    ("pop [3, 2] push 1", "range of a rate is empty"), ("pop [-1, 2] push 1", "negative"),
    ("pop [1, 2] push 3", "does not keep to its rates")])
def test_ranges_that_are_wrong(rates, problem):
    with pytest.raises(ProgramError, match=problem):
        graph_of(BEFORE + MAIN % f"add int->int filter {{ work {rates} {{ push(pop()); }} }};", 1)
