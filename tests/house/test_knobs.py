"""What `--tune` takes is what the multicore engine has, and what the documents say."""

import re

import pytest

from anabranch.engine.multicore.remote.balance import BALANCES
from anabranch.engine.multicore.reorder import REORDERINGS
from anabranch.engine.multicore.scheduler import HEURISTICS
from anabranch.engine.multicore.worklists import QUEUES
from anabranch.plan.tuning import COSTS, KNOWN, CostModel, Knobs
from house.modules import ROOT


@pytest.mark.parametrize("knob, table", [
    ("heuristic", HEURISTICS), ("reorder", REORDERINGS), ("queue", QUEUES), ("moves", BALANCES)])
def test_a_knob_has_the_names_of_its_table(knob, table):
    assert tuple(KNOWN[knob]) == tuple(table)


def test_every_cost_and_knob_is_in_the_documents():
    text = (ROOT / "docs" / "engines.md").read_text()
    told = {}
    for names, values in re.findall(r"^\| (`.+?`) \| ([\d., e-]+?) \|", text, re.MULTILINE):
        usual = map(float, values.split(", "))
        told |= dict(zip(re.findall(r"`(\w+)`", names), usual, strict=True))
    assert told == COSTS
    assert all(f"`{name}`" in CostModel.__doc__ for name in COSTS)
    assert all(f"| `{name}` |" in text for name in Knobs(1).__dict__ if name != "workers")
