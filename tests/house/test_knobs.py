"""What `--tune` takes is what the multicore engine has."""

import pytest

from anabranch.engine.multicore.remote.balance import BALANCES
from anabranch.engine.multicore.reorder import REORDERINGS
from anabranch.engine.multicore.scheduler import HEURISTICS
from anabranch.engine.multicore.worklists import QUEUES
from anabranch.plan.tuning import KNOWN


@pytest.mark.parametrize("knob, table", [
    ("heuristic", HEURISTICS), ("reorder", REORDERINGS), ("queue", QUEUES), ("moves", BALANCES)])
def test_a_knob_has_the_names_of_its_table(knob, table):
    assert tuple(KNOWN[knob]) == tuple(table)
