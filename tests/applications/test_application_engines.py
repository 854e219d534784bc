"""Every application gives the same items, in the same order, however many workers share it."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

from anabranch.analysis.facts.summary import analyse
from anabranch.check import check
from anabranch.engine import multicore
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions
from applications.programs import PROGRAMS, answer, items_of, plan_of

HOW = {"one worker": {"workers": 1},
       "processes": {"workers": 2, "processes": "always", "slice_size": 100}}
# Of the others hardly more than a filter compiles.
COMPILED = ("abandoned_carts", "finance", "mobility_fraud", "network_monitoring")


def multicore_items(name: str, **knobs) -> list[str]:
    """What reaches the sink; a float's text has all its bits, while -0.0 would equal 0.0."""
    plan, out = plan_of(name), []
    multicore.run(plan, items_of(plan), lambda op, item: out.append(repr(item)), **knobs)
    return out


def printed(name: str, engine: str) -> str:
    text = io.StringIO()
    with redirect_stdout(text):
        execute(plan_of(name), RunOptions(engine=engine))
    return text.getvalue()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", PROGRAMS)
def test_multicore_gives_the_sequential_items(name, how):
    assert multicore_items(name, **HOW[how]) == list(map(repr, answer(name)))


@pytest.mark.parametrize("name", COMPILED)
def test_kernels_give_the_sequential_items(name):
    given = multicore_items(name, workers=2, kernels="always", slice_size=500)
    assert given == list(map(repr, answer(name)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bytes_are_the_same(name):
    text = printed(name, "sequential")
    assert text.count("\n") > 1
    assert printed(name, "multicore") == text


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_known_of_it_holds_on_its_input(name):
    graph = plan_of(name).program
    sample = {op: list(items)[:600] for op, items in items_of(plan_of(name)).items()}
    assert check(graph, analyse(graph), sample) == []


SEQUENTIAL = {"finance": {"union"}, "pagerank": {"loop", "spread", "added", "split"},
              "mobility_fraud": {"aggregate"}, "sold_together": {"top"},
              "viewed_together": {"top"}, "abandoned_carts": {"mean"}}


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_but_what_cannot_be_runs_in_parallel(name):
    assert set(plan_of(name).sequential) - {"stdout"} == SEQUENTIAL.get(name, set())
