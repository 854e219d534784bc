"""The heuristics in simulated time: CT keeps the workers as busy as any other."""

import pytest

from anabranch.engine.multicore import scheduler
from benchmarks.workloads.engine.pipelines import NEAR, PIPELINES
from benchmarks.workloads.engine.scheduling import HEURISTICS, busy_share, simulated


@pytest.mark.parametrize("workers", [2, 16])
@pytest.mark.parametrize("shape", PIPELINES.values())
def test_ct_is_near_the_best(shape, workers):
    shares = {name: busy_share(shape, name, workers, slices=100) for name in HEURISTICS}
    assert shares["CT"] >= NEAR * max(shares.values())


def test_a_worker_more_than_one_state_can_use_is_idle():
    assert busy_share("SF", "CT", workers=2, slices=50) == 0.5


def test_a_bad_choice_shows(monkeypatch):
    def first(of, ready):
        return ready[0]
    monkeypatch.setitem(scheduler.HEURISTICS, "CT", first)
    assert busy_share("SL SF", "CT", 2) < busy_share("SL SF", "LP", 2)


def test_the_note_names_every_pipeline():
    assert all(f"{name} " in simulated(2) for name in PIPELINES)
