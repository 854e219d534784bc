"""A split stays in columns, and every stream of it has what the sequential engine gives it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical.rules import drafted
from anabranch.plan.tuning import Knobs
from engines.multicore.deeds import Deed, deeds, summed
from engines.multicore.support import multicore_outcome, sequential_outcome


def divisible(d: Deed) -> bool:
    return 100 // (d.value - 7) % 2 == 0


def odd_or_named(d: Deed) -> bool:
    if d.key == "b":
        return True
    return d.value % 2 == 1


def split_of(values, *predicates, before=lambda s: s):
    first, second, *others = before(deeds(values)).split(*predicates)
    both = first.map(lambda d: d.replace(value=d.value + 1)).union(second.apply(summed),
                                                                   arrival=True)
    return both.union(*others, arrival=True).graph() if others else both.graph()


PREDICATES = {
    "by a number": (lambda d: d.value % 3 == 0, lambda d: d.value > 9),
    "by a text": (lambda d: d.key == "a", lambda d: d.key > "b"),
    "one that may fail": (divisible,),
    "of statements": (odd_or_named, lambda d: d.value > 3),
}


def tiers_of(graph):
    draft = drafted(unfused(compile_graph(graph)), Knobs(1, kernels="always"))
    return {op.name: draft.tiers[stage.index] for stage in draft.stages for op in stage.operators
            if stage.index in draft.tiers}


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("predicates", PREDICATES)
@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(-20, 20) | st.just(2**62), max_size=30), st.sampled_from([1, 4, 1000]),
       st.integers(1, 3))
def test_streams_of_a_split(predicates, values, slice_size, workers):
    graph = split_of(values, *PREDICATES[predicates])
    assert multicore_outcome(graph, kernels="always", slice_size=slice_size,
                             workers=workers) == sequential_outcome(graph)


def test_a_split_is_native():
    graph, report = split_of(range(40), *PREDICATES["by a text"]), []
    assert tiers_of(graph)["split"].name == "native"
    assert multicore_outcome(graph, kernels="always", workers=2, report=report.extend) == \
        sequential_outcome(graph)
    by_tier = [stage.rows_by_tier for stage in report if "split" in stage.operators]
    assert by_tier == [{"native": 40}]


def test_what_stands_before_a_split_keeps_its_kernel():
    graph = split_of(range(9), *PREDICATES["by a number"],
                     before=lambda s: s.filter(lambda d: d.value != 3))
    found = tiers_of(graph)
    assert (found["filter"].name, found["split"].name) == ("native", "native")


def test_why_a_split_is_in_rows():
    tier = tiers_of(split_of(range(9), *PREDICATES["of statements"]))["odd_or_named"]
    assert tier.name == "rows"
    assert "asks odd_or_named, which is more than an expression" in tier.reason.text
