"""Ties are sorted in columns as they are item by item, however the input is cut."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.api.node import connected_sinks, graph_of
from anabranch.batch.record_batch import batch_of, items_of
from anabranch.core.errors import RunError
from anabranch.ir.types import type_of
from anabranch.kernels import compile_stage
from anabranch.kernels.stamps import FIRST_END
from anabranch.lang.cql import compiled


class Reading(ab.Record):
    at: float
    name: str | None
    level: float


def kernel(reverse: bool, key=("name", "level")):
    stream = ab.from_iterable([], Reading).sort(list(key), on="at", reverse=reverse)
    stream.collect_into([])
    graph = graph_of(connected_sinks(stream.node))
    [source], [sink] = graph.sources, graph.sinks
    operators = tuple(op for op in graph if not (op.is_source or op.is_sink))
    return compile_stage(operators, graph.output_types(source)[0], graph.input_types(sink)[0])


READING = type_of(Reading)
ITEMS = st.lists(st.builds(Reading, st.sampled_from([0.0, 0.0, 0.5, 1.0]),
                           st.sampled_from(["b", "a", "é", None]),
                           st.sampled_from([0.0, -0.0, 1.5, -2.0])), max_size=12)


def ran(run, finish, items, cuts):
    found, begun = [], 0
    for end in [*sorted(cuts), len(items)]:
        part = items[begun:max(begun, end)]
        outputs, origins = run(batch_of(part, READING), begun)
        found += [(begun + o, repr(i)) for o, i in zip(origins, items_of(outputs, READING))]
        begun += len(part)
    outputs, stamps = finish()
    return found, [(s - FIRST_END, repr(i)) for s, i in zip(stamps, items_of(outputs, READING))]


@settings(max_examples=150, deadline=None)
@given(ITEMS, st.lists(st.integers(0, 12), max_size=3), st.booleans())
@example([Reading(0.0, "a", 0.0), Reading(0.0, "a", -0.0), Reading(1.0, None, 1.0)], [1], True)
def test_columns_as_rows(steps, cuts, reverse):
    time, items = 0.0, []
    for step in steps:
        time += step.at
        items.append(step.replace(at=time))
    chosen = kernel(reverse)
    assert chosen.tier == "columns"
    state, rows = chosen.start(), chosen.rows.start()
    found = ran(lambda b, n: chosen.run(state, b, n), lambda: chosen.finish(state), items, cuts)
    wanted = ran(lambda b, n: chosen.rows.run(rows, b, n), lambda: chosen.rows.finish(rows), items,
                 cuts)
    assert found == wanted


CHANGES = """\
S := {int a, string s} stream;
select a, s from S [WINDOW];
"""


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.sampled_from("xyz")),
                max_size=14),
       st.lists(st.integers(0, 14), max_size=3),
       st.sampled_from(["now", "range 2", "rows 1", "rows 3"]))
def test_changes_of_windows_and_their_sums(steps, cuts, window):
    """The window is given rows; then the sort is given what comes out of the window."""
    graph, time, items = compiled(CHANGES.replace("WINDOW", window), "changes.cql"), 0, []
    record = graph.input_types(graph["window"])[0].cls
    for step, a, s in steps:
        time += step
        items.append(record(time, a, s))
    for name in ("window", "sort"):
        op = graph[name]
        given, made = graph.input_types(op)[0], graph.output_types(op)[0]
        chosen = compile_stage((op,), given, made)
        assert chosen.tier == "columns"
        state, rows = chosen.start(), chosen.rows.start()
        found = passed(lambda b, n, k=chosen, own=state: k.run(own, b, n), items, cuts, given, made)
        wanted = passed(lambda b, n, k=chosen.rows, own=rows: k.run(own, b, n), items, cuts, given,
                        made)
        assert found == wanted
        again = chosen.load(chosen.dump(state))
        assert repr(items_of(chosen.finish(again)[0], made)) == repr(
            items_of(chosen.rows.finish(rows)[0], made))
        record = graph.input_types(graph["sort"])[0].cls
        items = [record(*item) for _, item in wanted]


def passed(run, items, cuts, given, made):
    found, begun = [], 0
    for end in [*sorted(cuts), len(items)]:
        part = items[begun:max(begun, end)]
        outputs, origins = run(batch_of(part, given), begun)
        found += [(begun + o, i) for o, i in zip(origins, items_of(outputs, made))]
        begun += len(part)
    return found


def test_what_waits_is_saved():
    chosen = kernel(False)
    state = chosen.start()
    chosen.run(state, batch_of([Reading(1.0, "b", 1.0), Reading(1.0, "a", 2.0)], READING), 0)
    for again in (chosen.load(chosen.dump(state)), chosen.restored([chosen.changed(state)])):
        outputs, origins = chosen.run(again, batch_of([Reading(2.0, "c", 0.0)], READING), 2)
        assert [item.name for item in items_of(outputs, READING)] == ["a", "b"]
        assert origins.tolist() == [0, 0]


def test_a_late_item_is_refused():
    chosen = kernel(False)
    with pytest.raises(RunError, match=r"its at is 1\.0, and 2\.0 has been seen"):
        chosen.run(chosen.start(), batch_of([Reading(2.0, "b", 1.0), Reading(1.0, "a", 2.0)],
                                            READING), 0)
