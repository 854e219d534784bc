"""Every case gives the sequential sequence, whatever the number of workers and the slice size."""

import pytest

from anabranch.core.errors import UsageError
from engines.multicore.support import multicore_outputs
from program_cases import CASES, Case, filter_then_map


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("slice_size", [1, 3, 1000])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_case(case: Case, workers: int, slice_size: int):
    outputs = multicore_outputs(case.build().graph(), workers=workers, slice_size=slice_size,
                                processes="always")
    assert [item for _, item in outputs] == case.expected


# Every two settings of two switches come together.
SWITCHES = [
    ("CT", "non-blocking", "hybrid", "always"), ("CT", "lock", "partitioned", "never"),
    ("LP", "non-blocking", "partitioned", "always"), ("LP", "lock", "hybrid", "never"),
    ("ET", "non-blocking", "hybrid", "never"), ("ET", "lock", "partitioned", "always"),
    ("QST", "non-blocking", "partitioned", "never"), ("QST", "lock", "hybrid", "always")]


@pytest.mark.parametrize(("heuristic", "reorder", "queue", "processes"), SWITCHES)
def test_switches_change_nothing(heuristic, reorder, queue, processes):
    for case in CASES[::4]:
        outputs = multicore_outputs(case.build().graph(), workers=3, slice_size=2, queue=queue,
                                    heuristic=heuristic, reorder=reorder, processes=processes)
        assert [item for _, item in outputs] == case.expected


@pytest.mark.parametrize("knob", [{"heuristic": "FIFO"}, {"reorder": "sometimes"},
                                  {"queue": "shared"}, {"workers": 0}, {"slice_size": 0},
                                  {"processes": "sometimes"}])
def test_unknown_settings_are_refused(knob):
    with pytest.raises(UsageError):
        multicore_outputs(filter_then_map().graph(), **{"workers": 2, **knob})


def test_limit_counts_source_tuples():
    from program_cases import numbers
    graph = numbers(100).flat_map(lambda n: [n, -n]).graph()
    outputs = multicore_outputs(graph, workers=2, slice_size=7, limit=10)
    assert [item for _, item in outputs] == [m for n in range(10) for m in (n, -n)]
