"""Random programs with random knobs and delays against the sequential engine."""

import random
import time

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anabranch.engine import multicore
from anabranch.runtime.stage.rows import Line
from engines.multicore.support import multicore_outputs
from random_programs import graph_and_items, items, outputs, programs
from rewrite import programs as declared
from rewrite.loops import looping

thorough = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
knobs = st.fixed_dictionaries({
    "workers": st.integers(1, 4), "slice_size": st.sampled_from([1, 3, 1000]),
    "slices_under_way": st.sampled_from([1, 2, None]), "slice_ms": st.sampled_from([0.0, 1.0]),
    "heuristic": st.sampled_from(["CT", "LP", "ET", "QST"]),
    "reorder": st.sampled_from(["non-blocking", "lock"]),
    "queue": st.sampled_from(["hybrid", "partitioned"]),
    "moves": st.sampled_from(["random", "never"])})


@thorough
@given(programs, items, knobs)
def test_threads_give_the_sequential_output(steps, source, chosen):
    graph, sources = graph_and_items(steps, source)
    assert multicore_outputs(graph, sources, processes="never", **chosen) == outputs(graph, sources)


@settings(thorough, max_examples=60)
@given(programs, items, knobs)
def test_processes_give_the_sequential_output(steps, source, chosen):
    graph, sources = graph_and_items(steps, source)
    given_out = multicore_outputs(graph, sources, processes="always", **chosen)
    assert given_out == outputs(graph, sources)


@settings(thorough, max_examples=60)
@given(programs, items, knobs, st.integers())
def test_delays_change_nothing(steps, source, chosen, seed):
    graph, sources = graph_and_items(steps, source)
    wait, run_line = random.Random(seed), Line.run

    def delayed(line, number, flow):
        time.sleep(wait.choice([0, 0, 0.0005, 0.002]))
        return run_line(line, number, flow)
    Line.run = delayed
    try:
        given_out = multicore_outputs(graph, sources, processes="never", **chosen)
    finally:
        Line.run = run_line
    assert given_out == outputs(graph, sources)


@settings(thorough, max_examples=60)
@given(declared.programs(), declared.items, knobs, st.sampled_from(["always", "never"]))
def test_plans_with_declared_facts(names, source, chosen, processes):
    """Several sinks in the middle of the graph, and regions that the analysis would not find."""
    graph = declared.built(names)
    sources = declared.inputs_of(graph, source)
    out = []
    multicore.run(declared.planned(graph), sources, lambda op, item: out.append((op.name, item)),
                  processes=processes, **chosen)
    assert out == outputs(graph, sources)


@settings(thorough, max_examples=20)
@given(declared.items, knobs)
def test_a_loop_between_regions(source, chosen):
    graph = looping()
    sources = declared.inputs_of(graph, source)
    out = []
    multicore.run(declared.planned(graph), sources, lambda op, item: out.append((op.name, item)),
                  **chosen)
    assert out == outputs(graph, sources)
